"""A process with a journal, for tests: `python -m tests.bot.journal.user URL WHAT …`. It prints what it did, line by
line, as soon as it was done."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable

from bot.journal import Journal, open_journal
from tests.bot.journal.scenes import CHANNEL, incoming, job, reply


def say(text: object) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def start(journal: Journal) -> None:
    say(journal.problem or "well")


async def claim(journal: Journal) -> None:
    """Claim the same questions as another process, once both are ready, one of them from the last to the first. Print
    those that are this one's, then how many were lost."""
    say("ready")
    step = int(await asyncio.to_thread(sys.stdin.readline))

    for number in list(range(200))[::step]:
        if await journal.claim([f"event-{number}", f"message-{number}"]):
            say(number)
    say(journal.lost)


async def work(journal: Journal) -> None:
    """Answer questions without end; print each that is claimed and open. Every other is settled."""
    await journal.start_job(job(), "U1", CHANNEL)
    number = 0
    while True:
        asked = incoming(f"k{number}")
        assert await journal.claim(asked.keys)
        await journal.open(asked)
        say(number)
        journal.record(asked, reply(f"r{number}"))
        if number % 2:
            await journal.settle(asked.keys)
        number += 1


DOING: dict[str, Callable[[Journal], Awaitable[None]]] = {"start": start, "claim": claim, "work": work}


async def main(url: str, what: str) -> None:
    async with open_journal(url, retention_days=90) as journal:
        await DOING[what](journal)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
