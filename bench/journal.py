"""What the journal costs: `python -m bench.journal [URL]`. Without a URL it uses SQLite in a temporary folder.

Records are of the usual size: twenty graded passages, each with its text and its strips.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bot.journal import open_journal
from bot.journal.records import packed
from crag.platform import Entry, Incoming, Person, Place
from crag.types import Answer, Band, Chunk, Citation, Grade, Question, Reply, Support, Trace, Verdict

ROWS = 10_000
SENTENCE = "Five days of leave carry over into the next year and lapse at the end of March. "


def a_reply(id: str) -> Reply:
    text = SENTENCE * 8
    chunks = [
        Chunk(f"c{n}", "leave.md", "leave.md", "Leave", ("Leave", "Carry"), text, (0, 640), "h") for n in range(20)
    ]
    strips = tuple((SENTENCE, 0.5, True) for _ in range(4))
    grades = tuple(
        Grade(chunk, 0.51234567, Verdict.AMBIGUOUS, 0.4, 0.8, True, "evidence", strips=strips) for chunk in chunks
    )
    answer = Answer(SENTENCE * 3, (Citation(1, chunks[0], SENTENCE),), Band.AMBIGUOUS, Support.FULL)
    return Reply(Question("How many days carry over?"), answer, Trace(id, grades=grades, timings={"search": 8.4}))


def asked(number: int) -> Incoming:
    keys = (f"event-{number}", f"message-{number}")
    return Incoming(keys, Place("slack", "T1", "C1"), Person("U1"), Entry.MENTION, "How many days carry over?")


@asynccontextmanager
async def loop_watched() -> AsyncIterator[list[float]]:
    """How late the loop woke up, in milliseconds, each 5 ms."""
    late: list[float] = []

    async def tick() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            late.append((time.perf_counter() - before) * 1000 - 5)

    ticking = asyncio.create_task(tick())
    try:
        yield late
    finally:
        ticking.cancel()


def told(name: str, values: list[float], unit: str) -> None:
    ordered = sorted(values)
    p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
    print(f"{name:<48} p50 {p50:8.3f}  p99 {p99:8.3f}  max {ordered[-1]:8.3f} {unit}")


async def main(url: str) -> None:
    now = time.time()
    async with open_journal(url, retention_days=30, clock=lambda: now) as journal:
        size = len(packed(asked(0), a_reply("r")))
        print(f"{url.partition(':')[0]}, on {datetime.now(UTC):%Y-%m-%d}; a record has {size:,} characters")
        spent = []
        for number in range(500):
            start = time.perf_counter()
            await journal.claim(asked(number).keys)
            spent.append((time.perf_counter() - start) * 1000)
        told("a claim, one after the other", spent, "ms")
        start = time.perf_counter()
        await asyncio.gather(*(journal.claim(asked(number).keys) for number in range(1000, 4000)))
        print(f"{'claims at once':<48} {3000 / (time.perf_counter() - start):,.0f}/s")
        reply, spent, claims = a_reply("r"), [], []
        async with loop_watched() as late:
            for number in range(400):
                one = replace(reply, trace=replace(reply.trace, id=f"r{number}"))
                start = time.perf_counter()
                journal.record(asked(number), one)
                spent.append((time.perf_counter() - start) * 1000)
                if number % 10 == 0:
                    start = time.perf_counter()
                    await journal.claim([f"meanwhile-{number}"])
                    claims.append((time.perf_counter() - start) * 1000)
                await asyncio.sleep(0.01)
        told("record(), as its caller feels it", spent, "ms")
        told("a claim meanwhile (100 records a second)", claims, "ms")
        told("the loop's delay meanwhile", late, "ms")
        start, cost = time.perf_counter(), 0.0
        for number in range(ROWS):
            before = time.perf_counter()
            journal.record(asked(number), replace(reply, trace=replace(reply.trace, id=f"old{number}")))
            cost += time.perf_counter() - before
            if number % 100 == 99:
                await journal.reply("r0")
        print(f"{f'{ROWS:,} records written':<48} {ROWS / (time.perf_counter() - start):,.0f}/s, {journal.lost} lost")
    now += 31 * 86_400
    async with open_journal(url, retention_days=30, clock=lambda: now) as journal:
        claims, start = [], time.perf_counter()
        async with loop_watched() as late:
            while await journal.reply(f"old{ROWS - 1}") or await journal.reply("old0"):
                before = time.perf_counter()
                await journal.claim([f"tidying-{before}"])
                claims.append((time.perf_counter() - before) * 1000)
                await asyncio.sleep(0.02)
        print(f"{f'retention: {ROWS:,} rows deleted in':<48} {time.perf_counter() - start:.1f} s")
        told("a claim meanwhile", claims, "ms")
        told("the loop's delay meanwhile", late, "ms")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else f"sqlite:///{Path(folder) / 'journal.db'}"))
