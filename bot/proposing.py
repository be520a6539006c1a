"""Where the questions come from that a person is to keep or drop: what waits in the file, then what the index gives."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from bot.app import Library, Wiring
from bot.context import Context
from crag.llm.suggester import LLMSuggester
from crag.ports import Grader, LanguageModel
from crag.suggesting.mixing import suggested
from crag.suggesting.patterns import Patterns
from crag.suggesting.proposals import Proposal
from crag.suggesting.sheet import Sheet
from crag.suggesting.unread import Unread
from crag.types import Hit, SearchRequest

T = TypeVar("T")
READ = 5_000
"""Passages that are read through, at most: a fair sample of a large index."""
HITS, ALPHA = 20, 0.3
"""The search that checks a proposal leans on words: a fact that stands somewhere has its words."""
AHEAD = 4
"""So many are prepared while a person reads: a language model may need longer for one than they do."""
AT_ONCE = 2
"""So many of the patterns come before a language model's, so that nobody waits for its first words."""


@dataclass(frozen=True, slots=True)
class Sources:
    library: Library
    model: tuple[LanguageModel, Grader] | None
    """What writes, and what looks whether a passage answers what was written."""


@dataclass(slots=True)
class Course:
    """How far it came: passages that there are to ask about, questions that were shown of them, and what there is to
    tell the person before the next one. `stopped` by Ctrl-C."""

    passages: int = 0
    given: int = 0
    told: list[str] = field(default_factory=list)
    stopped: bool = False


@asynccontextmanager
async def sources(wiring: Wiring) -> AsyncIterator[Sources]:
    """Raises CandorError."""
    async with AsyncExitStack() as stack:
        enter, model = stack.enter_async_context, None
        library = await enter(wiring.library())
        if wiring.settings.writer.kind != "extractive":
            model = await enter(wiring.writer_model()), await enter(wiring.grader())
        yield Sources(library, model)


async def to_review(
    context: Context, parts: Sources, sheet: Sheet, course: Course, *, seed: int | None, limit: int | None
) -> AsyncGenerator[Proposal | Unread, None]:
    """What waits in the file, then proposals; no more than `limit`. Ends at Ctrl-C. Raises CandorError."""
    left = tuple(sheet.unread)

    async def chained() -> AsyncGenerator[Proposal | Unread, None]:
        for line in left:
            yield line
        at_once = AT_ONCE if limit is None else 0
        async with aclosing(proposed(context, parts, sheet, course, seed=seed, at_once=at_once)) as proposals:
            async for proposal in proposals:
                yield proposal

    shown = 0
    async with aclosing(prepared(chained())) as coming:
        while shown != limit:
            found = await context.interrupts.question(anext(coming, False))
            course.stopped = found is None
            if found is None or isinstance(found, bool):
                return
            shown += 1
            course.given += isinstance(found, Proposal)
            yield found


async def proposed(
    context: Context, parts: Sources, sheet: Sheet, course: Course, *, seed: int | None, at_once: int = 0
) -> AsyncGenerator[Proposal, None]:
    """What can be asked of what the person at the terminal may see, checked against the index; where a language model
    writes, after the first `at_once` of the patterns. Raises CandorError."""
    asker, library = context.question(), parts.library
    chunks = await library.index.passages(asker.tenant, asker.corpora, asker.access, limit=READ)
    course.passages = len(chunks)

    async def search(text: str) -> Sequence[Hit]:
        vector = await library.embedder.embed_query(text)
        request = SearchRequest(text, vector, HITS, ALPHA, asker.tenant, asker.corpora, asker.access)
        return await library.index.search(request)

    patterns, known = Patterns(chunks), set(sheet.known)

    def coming(source: Patterns | LLMSuggester) -> AsyncGenerator[Proposal, None]:
        rng = random.Random(seed)  # noqa: S311 - an order, no secret
        return suggested(chunks, source.propose, search, known, rng=rng, ahead=source.ahead)

    if parts.model and at_once:
        async with aclosing(coming(patterns)) as proposals:
            async for proposal in proposals:
                known.add(proposal.key)
                yield proposal
                at_once -= 1
                if not at_once:
                    break
    source = LLMSuggester(*parts.model, patterns, course.told.append) if parts.model else patterns
    async with aclosing(coming(source)) as proposals:
        async for proposal in proposals:
            yield proposal


async def prepared(items: AsyncGenerator[T, None], ahead: int = AHEAD) -> AsyncGenerator[T, None]:
    """The same items; the next ones are made while one is used. What making them raises is raised in their order."""
    ready: asyncio.Queue[tuple[T | None, Exception | None]] = asyncio.Queue(ahead)

    async def make() -> None:
        try:
            async with aclosing(items):
                async for item in items:
                    await ready.put((item, None))
            await ready.put((None, None))
        except Exception as error:
            await ready.put((None, error))

    making = asyncio.create_task(make(), name="proposals")
    try:
        while True:
            item, error = await ready.get()
            if error:
                raise error
            if item is None:
                return
            yield item
    finally:
        making.cancel()
        await asyncio.gather(making, return_exceptions=True)
