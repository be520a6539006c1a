"""What people corrected in chat, as questions beside those of a file: who said it, and what is left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from bot.desk.pages import Pages
from bot.journal.corrections import corrected
from bot.journal.database import Database
from bot.journal.errors import JournalUnavailable
from config.settings import Settings
from crag.corrections import Gathered, gathered
from crag.errors import CandorError
from crag.evaluation.outcomes import Outcome
from crag.evaluation.questions import Asked
from crag.types import Question

_ADVICE = "Check CANDOR_JOURNAL__URL, the disk and the server"


@dataclass(frozen=True, slots=True)
class Taken:
    """`used` are counted on; `unknown` are the documents, named by others, that nobody finds. `off`: not asked for."""

    used: Gathered
    unknown: tuple[str, ...] = ()
    off: bool = False

    @property
    def questions(self) -> tuple[Asked, ...]:
        return self.used.questions

    def without_unknown(self, outcomes: Sequence[Outcome], named: Collection[str]) -> Taken:
        """Without the corrections whose documents nobody finds: not by their name, nor as a passage for any question.
        No answer could be right by them, so one misspelt name would make a right answer count as false."""
        found = {name for outcome in outcomes for g in outcome.ranked for name in (g.chunk.path, g.chunk.url)}
        lost = [q for q in self.questions if q.answerable and q.sources.isdisjoint(found | set(named))]
        documents = sorted({source for asked in lost for source in asked.sources})
        return Taken(self.used.without(frozenset(asked.id for asked in lost)), tuple(documents), self.off)


async def recorded(settings: Settings, file: Sequence[Asked] = ()) -> Gathered:
    """The corrections in the journal, for the tenant of the settings. None where there is no journal yet. Raises
    CandorError."""
    database = Database(settings.journal.url)
    if database.file is not None and not database.file.exists():
        return Gathered()
    try:
        await database.prepare()
        return gathered(await corrected(database), settings.tenant, file)
    except JournalUnavailable as error:
        raise CandorError(error.message, advice=_ADVICE) from error
    finally:
        await database.close()


async def named_documents(pages: Pages, questions: Sequence[Asked], asking: Question) -> set[str]:
    """Those of the expected documents that a search for their name finds, with what each question may see."""
    found = set()
    for asked in questions:
        scope = scoped(asking, asked)
        found |= {source for source in asked.sources if await pages.searched(source, scope) == source}
    return found


def scoped(question: Question, asked: Asked) -> Question:
    """The question with what it was asked with, where the line says so."""
    return Question(
        text=asked.text,
        conversation=question.conversation,
        asker=question.asker,
        tenant=question.tenant,
        corpora=asked.corpora or question.corpora,
        access=asked.access or question.access,
        history=asked.history,
    )


def sentences(file: str, count: int, taken: Taken) -> Iterator[str]:
    """Where the questions are from, who made them, and what doesn't count."""
    if taken.off:
        yield f"From {number(count, 'question')} of {file}; corrections were left out, as you asked."
        return
    used = taken.used
    by = f" by {people(used.persons)}" if used.questions else ""
    yield f"From {number(count, 'question')} of {file} and {number(len(used.questions), 'correction')}{by}."
    if used.persons > 1 and (most := Counter(used.people).most_common(1)[0][1]) > len(used.questions) / 2:
        yield f"{most} of the corrections are by one person."
    yield from left_out(used)
    if taken.unknown:
        named = ", ".join(taken.unknown)
        yield f"Left out: corrections that name what isn't found, so perhaps misspelt or not indexed: {named}."


def left_out(found: Gathered) -> Iterator[str]:
    """A sentence for each reason why corrections make no question."""
    reasons = [
        (found.known, "whose question stands in the file, where it counts as you wrote it"),
        (found.unsaid, "saying that an answer is wrong, but not what is right"),
        (found.elsewhere, "of another tenant"),
    ]
    for how_many, why in reasons:
        if how_many:
            yield f"Left out: {number(how_many, 'correction')} {why}."


def number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def people(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"
