"""What happened, kept: questions, replies with their traces, votes, jobs, and what it takes to answer a question once.

    async with open_journal(url, retention_days=90) as journal:
        if await journal.claim(incoming.keys):        # False: it was asked before, maybe of another process
            await journal.open(incoming)              # from here on a crash doesn't lose it
            ...                                       # answer, show
            journal.record(incoming, reply)           # returns at once
            await journal.settle(incoming.keys)

A broken, full or locked database costs the record, never the answer: nothing here raises for it, and nothing waits for
it longer than a second. `journal.lost` counts what could not be written, `journal.problem` says why not.
"""

from bot.journal.journal import Journal, open_journal
from bot.journal.records import Job, Recorded, Votes

__all__ = ["Job", "Journal", "Recorded", "Votes", "open_journal"]
