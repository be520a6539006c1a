"""The parsing process: `python -m adapters.sources.parser`. It reads jobs from its standard input and writes what came
out to its standard output, one after the other, until the input ends (`frames.py` says in which form).
The process limits its own memory and CPU time; what kills it is the matter of who started it (`process.py`).
"""

from __future__ import annotations

import json
import logging
import os
import resource
import sys
from contextlib import suppress
from typing import BinaryIO

from adapters.sources.convert import convert
from adapters.sources.frames import LENGTHS, OUT_OF_MEMORY, OUT_OF_MEMORY_STATUS, TOO_DEEP
from adapters.sources.limits import Limits
from crag.errors import SourceError


def main() -> None:
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    logging.disable()
    while head := incoming.read(LENGTHS.size):
        size, data_size = LENGTHS.unpack(head)
        job = json.loads(incoming.read(size))
        data = incoming.read(data_size)
        limits = Limits(**job["limits"])
        _limit(limits)
        _answer(outgoing, job["kind"], data, limits)


def _answer(outgoing: BinaryIO, kind: str, data: bytes, limits: Limits) -> None:
    error, advice, text = "", "", ""
    try:
        text = convert(kind, data, limits)
        if len(text) > limits.max_characters:
            text, error = "", f"It holds more than {limits.max_characters:,} characters of text."
    except SourceError as failure:
        error, advice = failure.message, failure.advice
    except MemoryError:
        error = OUT_OF_MEMORY
    except RecursionError:
        error = TOO_DEEP
    except Exception as failure:  # a file that a parser can't take must not end the others' turn
        error = f"It can't be parsed ({type(failure).__name__})."
    payload = text.encode("utf-8", "replace")
    header = json.dumps({"error": error, "advice": advice}).encode()
    outgoing.write(LENGTHS.pack(len(header), len(payload)) + header + payload)
    outgoing.flush()


def _limit(limits: Limits) -> None:
    """Memory for the process, CPU seconds for the next file (the kernel counts from the start of the process)."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    for kind, amount in (
        (resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + limits.seconds) + 1),
        (resource.RLIMIT_AS, limits.memory_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        _, most = resource.getrlimit(kind)
        with suppress(OSError, ValueError):  # not every system has each limit
            resource.setrlimit(kind, (amount if most == resource.RLIM_INFINITY else min(amount, most), most))


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        os._exit(OUT_OF_MEMORY_STATUS)
