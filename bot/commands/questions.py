"""`candor questions suggest`: from what is indexed to a file of questions, with a person who keeps and drops."""

from __future__ import annotations

import asyncio
import random
import shlex
import sys
from argparse import Namespace
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import TypeVar

from rich.text import Text

from adapters.console.suggesting import TypedKeys, progress, review
from bot.app import Library, Wiring
from bot.context import Context
from bot.exits import Exit
from bot.parser import UsageError
from crag.evaluation.questions import QuestionsError
from crag.llm.suggester import LLMSuggester
from crag.ports import LanguageModel
from crag.suggesting.mixing import suggested
from crag.suggesting.patterns import Patterns
from crag.suggesting.proposals import Proposal
from crag.suggesting.sheet import Sheet, SheetError
from crag.types import Hit, SearchRequest

T = TypeVar("T")
READ = 5_000
"""Passages that are read through, at most: a fair sample of a large index."""
HITS, ALPHA = 20, 0.3
"""The search that checks a proposal leans on words: a fact that stands somewhere has its words."""


@dataclass(frozen=True, slots=True)
class _Parts:
    library: Library
    model: LanguageModel | None


async def run(context: Context, arguments: Namespace) -> Exit:
    typed = sys.stdin.isatty() and context.screen.out.is_terminal and not context.screen.json
    if not (typed or arguments.all):
        raise UsageError(
            "A person keeps or drops each question, and this is no terminal.",
            "Run it in a terminal, or write all proposals to read later: candor questions suggest --all",
        )
    try:
        sheet = Sheet(arguments.output)
    except QuestionsError as error:
        raise UsageError(error.message, error.advice) from error
    except SheetError as error:
        raise UsageError(error.message, "Name another file: -o FILE") from error
    decided, before = bool(sheet.known), sheet.kept
    async with context.opened(_parts) as parts, aclosing(_proposals(context, arguments, parts, sheet)) as proposals:
        if arguments.all:
            await _write_all(context, proposals, sheet)
            over = True
        else:
            _greet(context, sheet)
            over = await review(context.screen.out, proposals, TypedKeys(), sheet)
    if not (decided or sheet.known):
        return context.screen.fail(
            Exit.FAILED,
            "nothing_to_ask",
            "Candor found nothing to ask about in these documents.",
            advice="Without a language model it reads English only. docs/evaluation.md says more.",
        )
    if over and not arguments.all and not arguments.limit:
        context.screen.say("That was all that Candor can propose of these documents.")
    _tell(context, sheet, sheet.kept - before)
    return Exit.OK


@asynccontextmanager
async def _parts(wiring: Wiring) -> AsyncIterator[_Parts]:
    uses_model = wiring.settings.writer.kind != "extractive"
    async with wiring.library() as library, wiring.writer_model() if uses_model else nullcontext() as model:
        yield _Parts(library, model)


async def _proposals(
    context: Context, arguments: Namespace, parts: _Parts, sheet: Sheet
) -> AsyncGenerator[Proposal, None]:
    """What the person at the terminal may see, proposed and checked; one is prepared while another is read."""
    asker, library = context.question(), parts.library
    chunks = await library.index.passages(asker.tenant, asker.corpora, asker.access, limit=READ)

    async def search(text: str) -> Sequence[Hit]:
        vector = await library.embedder.embed_query(text)
        request = SearchRequest(text, vector, HITS, ALPHA, asker.tenant, asker.corpora, asker.access)
        return await library.index.search(request)

    rng = random.Random(arguments.seed)  # noqa: S311 - an order, no secret
    patterns = Patterns(chunks)
    source = LLMSuggester(parts.model, patterns, context.screen.say) if parts.model else patterns
    given = 0
    async with aclosing(
        _ahead(suggested(chunks, source.propose, search, sheet.known, rng=rng, ahead=source.ahead))
    ) as proposals:
        async for proposal in proposals:
            yield proposal
            given += 1
            if given == arguments.limit:
                return


async def _ahead(items: AsyncGenerator[T, None]) -> AsyncGenerator[T, None]:
    """The same items, each made while the one before it is used."""
    async with aclosing(items):
        coming = asyncio.ensure_future(anext(items, None))
        try:
            while (item := await coming) is not None:
                coming = asyncio.ensure_future(anext(items, None))
                yield item
        finally:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)


async def _write_all(context: Context, proposals: AsyncIterator[Proposal], sheet: Sheet) -> None:
    with context.screen.err.status("Looking for questions") as status:
        async for proposal in proposals:
            sheet.keep(proposal, proposal.question, reviewed=False)
            status.update(f"{sheet.kept} questions")


def _greet(context: Context, sheet: Sheet) -> None:
    text = "Keep what a colleague might ask, drop what is wrong or odd. Each key is saved at once; q stops."
    context.screen.out.print(Text(text, style="dim"))
    if sheet.known:
        told = f"Going on with {sheet.path}: {progress(sheet)} {sheet.dropped} dropped."
        context.screen.out.print(Text(told, style="dim"))


def _tell(context: Context, sheet: Sheet, written: int) -> None:
    """How far it is, and what comes next."""
    screen = context.screen
    if screen.json:
        counts = {"answerable": sheet.answerable, "unanswerable": sheet.unanswerable, "dropped": sheet.dropped}
        screen.emit("questions", {"file": str(sheet.path), "written": written, **counts})
        return
    screen.out.print(Text(f"{sheet.path}: {progress(sheet)}"), soft_wrap=True)
    if sheet.kept:
        screen.say(f"Next: candor evaluate {shlex.quote(str(sheet.path))}")
