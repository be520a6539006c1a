"""The second half of the way: from numbered evidence to an answer that stands in it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace

from crag import wording
from crag.citations import SafePieces, defused_quote, renumbered, with_known_marks, without_links
from crag.citations import cited as cited_numbers
from crag.currency import superseded
from crag.disagreement import disagreements
from crag.errors import LanguageModelError
from crag.events import Piece, Restart, State
from crag.extractive import ExtractiveWriter
from crag.gaps import gap
from crag.grading import Judge
from crag.llm.prompts import is_declined
from crag.ports import Embedder, Writer
from crag.run import Abstain, Run
from crag.support import check, claims
from crag.text import clean, has_words
from crag.types import Answer, Band, Citation, Evidence, Reason, SentenceSupport, Support


class Answering:
    """Writes, checks and signs an answer. `judge` checks sentences and, with `embedder`, finds quotes where the writer
    fails."""

    def __init__(self, writer: Writer, judge: Judge, embedder: Embedder) -> None:
        self.writer = writer
        self._grader = judge.grader
        self._quoting = ExtractiveWriter(judge, embedder)

    async def answer(self, run: Run, evidence: Sequence[Evidence], judged: Band) -> Answer:
        """An answer that drops a sentence, whose sources lack a word of the question, or disagree, is partly supported.
        One to a follow-up that nobody understood better than by joining it to the question before is never CORRECT.
        Raises Abstain where nothing is left that the evidence bears out, ModelError where that can't be checked."""
        with run.stage(State.WRITE):
            written, notes = await self._written(run, evidence)
        if is_declined(written):
            raise Abstain(Reason.MODEL_DECLINED, wording.DECLINED.format(documents=run.documents))
        with run.stage(State.SUPPORT):
            marked = with_known_marks(without_links(written), {e.number for e in evidence})
            checked = await check(marked, evidence, self._grader)
        run.sentences = checked.sentences
        if checked.sentences and not any(s.cites for s in checked.sentences):
            raise Abstain(Reason.NO_CITATION, wording.NO_CITATION)
        if checked.support is Support.NONE:
            raise Abstain(Reason.UNSUPPORTED, wording.UNSUPPORTED)
        if checked.support is Support.PARTIAL:
            judged = Band.AMBIGUOUS
            notes.append(wording.dropped(sum(not s.supported for s in checked.sentences)))
        cited, marks = _by_place(checked.text, [e for e in evidence if e.number in checked.cites])
        text = renumbered(checked.text, marks)
        run.sentences = tuple(_remarked(sentence, marks) for sentence in checked.sentences)
        support = checked.support
        if run.joined:
            judged = Band.AMBIGUOUS
        if missing := gap(run.reading, cited):
            judged, support = Band.AMBIGUOUS, Support.PARTIAL
            notes.append(wording.gap(missing))
        if differing := _disagreeing(run.reading, text, cited, _read(run, evidence)):
            judged, support = Band.AMBIGUOUS, Support.PARTIAL
            notes += differing
        run.band = judged
        run.enter(State.ANSWERED)
        return Answer(
            text=text,
            citations=tuple(Citation(e.number, e.chunk, defused_quote(clean(e.text))) for e in cited),
            band=judged,
            support=support,
            notes=(*notes, *_notes(run, cited)),
        )

    async def _written(self, run: Run, evidence: Sequence[Evidence]) -> tuple[str, list[str]]:
        """The writer's text; quotes instead where the LLM failed, with a note that says so."""
        try:
            if has_words(written := await self._stream(run, self.writer, evidence)):
                return written, []
            raise LanguageModelError("The language model answered nothing.")
        except LanguageModelError as error:
            run.failures.append(str(error))
            run.tell(Restart())
            return await self._stream(run, self._quoting, evidence), [wording.quoting_instead(error.message)]

    async def _stream(self, run: Run, writer: Writer, evidence: Sequence[Evidence]) -> str:
        """All that the writer writes, told in safe pieces on the way."""
        run.writer = writer.model
        safe = SafePieces({e.number for e in evidence})
        written = ""
        pieces = writer.write(run.reading, evidence)
        try:
            async for piece in pieces:
                written += piece
                run.tell(Piece(safe.feed(piece)))
        finally:
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()
        if not is_declined(written):
            run.tell(Piece(safe.flush()))
        return clean(written)


def _by_place(text: str, cited: Sequence[Evidence]) -> tuple[list[Evidence], dict[int, int]]:
    """What an answer cites, counted 1, 2, 3 in reading order, one for each place that a link opens: passages of one
    section share a mark, and joined ones keep the best one's chunk. Also the new mark for each number in the text."""
    order = cited_numbers(text)
    groups: dict[tuple[str, str, tuple[str, ...]], list[Evidence]] = {}
    for evidence in sorted(cited, key=lambda e: order.index(e.number)):
        groups.setdefault((evidence.chunk.document, evidence.chunk.anchor, evidence.chunk.headings), []).append(
            evidence
        )
    new: dict[int, int] = {}
    joined: list[Evidence] = []
    for number, group in enumerate(groups.values(), 1):
        best = max(group, key=lambda e: e.score)
        joined.append(replace(best, number=number, text="\n\n".join(e.text for e in group)))
        new |= dict.fromkeys((e.number for e in group), number)
    return joined, new


def _remarked(sentence: SentenceSupport, marks: Mapping[int, int]) -> SentenceSupport:
    """A checked sentence with the marks that the reader sees; a dropped one may cite what nobody sees."""
    cites = tuple(dict.fromkeys(marks[n] for n in sentence.cites if n in marks))
    return replace(sentence, text=renumbered(sentence.text, marks), cites=cites)


def _read(run: Run, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence, and what was read besides it: a passage may score low and yet say otherwise."""
    known = {e.chunk.id for e in evidence}
    more = [g for g in run.grades if g.graded and g.chunk.id not in known]
    return [*evidence, *(Evidence(0, g.chunk, g.chunk.text, g.score) for g in more)]


def _disagreeing(question: str, text: str, cited: Sequence[Evidence], read: Sequence[Evidence]) -> list[str]:
    """A sentence for each two documents that contradict each other on what the answer says."""
    by_number = {e.number: e for e in cited}
    marks = {(e.chunk.document, e.chunk.headings): f"[{e.number}]" for e in reversed(cited)}
    said = [(sentence, by_number[n]) for sentence, numbers, _ in claims(text) for n in numbers]
    found = disagreements(question, said, read)
    names = [marks.get((d.other.chunk.document, d.other.chunk.headings), f"“{d.other.chunk.title}”") for d in found]
    return [
        wording.disagreeing(f"[{d.one.number}]", d.figure, name, d.instead)
        for d, name in zip(found, names, strict=True)
    ]


def _notes(run: Run, cited: Sequence[Evidence]) -> list[str]:
    """What a reader must know besides the answer."""
    notes = [*run.read_as]
    if old := list(dict.fromkeys(e.chunk.title for e in cited if superseded(e.chunk))):
        notes.append(wording.outdated(old))
    for name in dict.fromkeys(run.second_sources.get(e.chunk.id, "") for e in cited):
        if name:
            marks = "".join(f"[{e.number}]" for e in cited if run.second_sources.get(e.chunk.id) == name)
            notes.append(wording.from_elsewhere(marks, name))
    return notes
