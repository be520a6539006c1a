"""`candor journal`: what is kept of a person, out or away; and how much there is."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict

from rich.text import Text

from adapters.console.safe import safe_line
from adapters.console.structured import Data
from bot.context import Context
from bot.corrections import left_out, number, people
from bot.exits import Exit
from bot.journal.corrections import corrected
from bot.journal.database import Database
from bot.journal.errors import JournalUnavailable
from bot.journal.people import Who, erase, export, stats
from bot.parser import UsageError
from crag.corrections import Gathered, gathered
from crag.errors import CandorError
from crag.evaluation.questions import line_of
from crag.text import clean


async def run(context: Context, arguments: Namespace) -> Exit:
    async with _opened(context.settings.journal.url) as database:
        match arguments.action:
            case "export" if arguments.questions:
                _show_questions(context, gathered(await corrected(database), context.settings.tenant))
            case "export":
                _show_export(context, await export(database, _who(arguments.user)))
            case "delete":
                await _delete(context, database, _who(arguments.user))
            case _:
                _show_stats(context, await stats(database))
    return Exit.OK


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[Database]:
    """Unlike the bot, which goes on without its journal, this command is nothing without it."""
    database = Database(url)
    try:
        await database.prepare()
        yield database
    except JournalUnavailable as error:
        raise CandorError(error.message, advice="Check CANDOR_JOURNAL__URL, the disk and the server.") from error
    finally:
        await database.close()


def _who(user: str) -> Who:
    platform, _, person = user.partition(":")
    if not platform or not person:
        raise UsageError(f"--user is {user!r}, but must be PLATFORM:ID.", "For example: --user slack:U0123ABCD")
    return Who(platform, person)


async def _delete(context: Context, database: Database, who: Who) -> None:
    gone = await erase(database, who)
    kept = [str(path) for path in database.set_asides()]
    if context.screen.json:
        context.screen.emit("journal_delete", {"user": str(who), **asdict(gone), "damaged_copies": kept})
        return
    reply = "with its reply" if gone.questions == 1 else "with their replies"
    _line(
        context,
        f"Deleted: {number(gone.questions, 'question')} {reply}, {number(gone.votes, 'vote')}, "
        f"{number(gone.others, 'question')} of others that may hold words of {who}, "
        f"{number(gone.corrections, 'correction')}; and who started {number(gone.jobs, 'job')}.",
    )
    if kept:
        context.screen.say(f"Damaged journals were kept, and may hold more. Delete them: {', '.join(kept)}")


def _show_export(context: Context, data: Data) -> None:
    screen = context.screen
    if screen.json:
        screen.emit("journal_export", data)
        return
    for question in _rows(data, "questions"):
        reply = question.get("reply")
        told = reply.get("text", "") if isinstance(reply, dict) else question.get("unreadable", "")
        _line(context, f"{question['at']}  asked    {question.get('text', '')}")
        _line(context, f"{'':25}  was told {told}")
    for waiting in _rows(data, "unanswered"):
        _line(context, f"{waiting['at']}  asked    {waiting['text']} (not answered yet)")
    for vote in _rows(data, "votes"):
        words = "helpful" if vote["helpful"] else f"not helpful {vote['reason']}"
        _line(context, f"{vote['at']}  voted    {words} ({vote['reply']})")
    for said in _rows(data, "corrections"):
        documents = said["sources"]
        named = f": {', '.join(documents)}" if isinstance(documents, list) and documents else ""
        _line(context, f"{said['at']}  said     {said['truth']}{named} ({said['reply']})")
    for job in _rows(data, "jobs"):
        _line(context, f"{job['at']}  started  a reindex job")
    if not any(_rows(data, part) for part in ("questions", "unanswered", "votes", "corrections", "jobs")):
        screen.say(f"There is nothing of {data['user']} in the journal.")


def _show_questions(context: Context, found: Gathered) -> None:
    """Lines of a question file; what isn't among them is said beside."""
    screen, lines = context.screen, [clean(line_of(asked)) for asked in found.questions]
    if screen.json:
        left = {"unsaid": found.unsaid, "elsewhere": found.elsewhere}
        rows = [json.loads(line) for line in lines]
        screen.emit("journal_questions", {"questions": rows, "people": found.persons, "left_out": left})
        return
    for line in lines:
        screen.out.file.write(f"{line}\n")
    by = f" by {people(found.persons)}" if lines else ""
    screen.say(f"{number(len(lines), 'corrected question')}{by}.")
    for sentence in left_out(found):
        screen.say(sentence)


def _show_stats(context: Context, data: Data) -> None:
    if context.screen.json:
        context.screen.emit("journal_stats", data)
        return
    for name, value in data.items():
        shown = ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        _line(context, f"{name.replace('_', ' '):<15}{'-' if shown in (None, '') else shown}")


def _rows(data: Data, part: str) -> list[Data]:
    rows = data[part]
    return rows if isinstance(rows, list) else []


def _line(context: Context, text: str) -> None:
    context.screen.out.print(Text(safe_line(text)), soft_wrap=True)
