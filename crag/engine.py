"""One question, one direction: search, grade, correct once, write, check - or say why not."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from crag import wording
from crag.answering import Answering
from crag.cascade import Limits
from crag.corpus_rewriter import CorpusRewriter
from crag.errors import CandorError, IndexMismatch, IndexMissing, LanguageModelError, ModelError, SearchError
from crag.events import Listener, State
from crag.evidence import select
from crag.grading import Judge, band, readable
from crag.policy import Situation, next_action
from crag.ports import Embedder, Index, Retriever, Rewriter, Writer
from crag.refining import refined
from crag.run import Abstain, Run
from crag.text import clean, content_words, has_words
from crag.types import (
    Abstention,
    Action,
    Answer,
    Band,
    Courtesy,
    Evidence,
    Grade,
    Hit,
    Question,
    Reason,
    Reply,
    SearchRequest,
    Support,
    Verdict,
)
from crag.unsearched import unsearched

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How the engine corrects. Counts are chunks; `deadline_s` covers the whole question. Of each search's
    `candidates` the best `graded` by similarity are graded, within `grading_share` of the deadline."""

    enabled: bool = True
    candidates: int = 30
    graded: int = 6
    grading_share: float = 0.6
    alpha: float = 0.5
    evidence: int = 5
    nearest: int = 3
    max_rewrites: int = 1
    refine: bool = True
    widen: bool = True
    widen_factor: int = 2
    widen_alpha: float = 0.25
    max_question_characters: int = 2000
    deadline_s: float = 30.0


class Engine:
    """Answers questions over the ports. It holds no state between questions, so any number may run at once.

    `judge` grades chunks; `strip_judge` grades strips and checks sentences (there are many of them, so it stays the
    cross-encoder where chunks are graded by an LLM). `second` is another retriever for AMBIGUOUS and INCORRECT;
    `fallback_rewriter` takes over where `rewriter` fails, and needs no LLM."""

    def __init__(
        self,
        *,
        index: Index,
        embedder: Embedder,
        judge: Judge,
        strip_judge: Judge,
        writer: Writer,
        rewriter: Rewriter,
        second: Retriever | None = None,
        fallback_rewriter: Rewriter | None = None,
        options: EngineOptions | None = None,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._judge = judge
        self._strip_judge = strip_judge
        self._answering = Answering(writer, strip_judge, embedder)
        self._rewriter = rewriter
        self._fallback_rewriter = fallback_rewriter or CorpusRewriter()
        self._second = second
        self.options = options or EngineOptions()

    async def answer(self, question: Question, on_event: Listener | None = None) -> Reply:
        """Always a reply; whatever fails on the way is an abstention with its reason. Only cancellation passes."""
        run = Run(question, self.options.max_rewrites, on_event)
        run.grading_ends = asyncio.get_running_loop().time() + self.options.grading_share * self.options.deadline_s
        try:
            async with asyncio.timeout(self.options.deadline_s):
                body = await self._answer(run)
        except Abstain as why:
            body = run.abstention(why.reason, why.detail, self.options.nearest)
        except TimeoutError:
            body = run.abstention(Reason.TIMEOUT, wording.TIMEOUT, self.options.nearest)
        except CandorError as error:
            reason, detail = _explained(error)
            run.failures.append(str(error))
            body = run.abstention(reason, detail, self.options.nearest)
        except Exception:
            log.exception("question %s failed", run.id)
            body = run.abstention(Reason.INTERNAL, wording.INTERNAL, self.options.nearest)
        if isinstance(body, Abstention):
            run.abstained()
        elif isinstance(body, Answer) and self.options.enabled:
            body = replace(body, record=self._judge.calibration.record.get(wording.shown_band(body)))
        return Reply(question, body, run.trace(self._judge.calibration, self._models()))

    async def judge(self, question: str, passage: str) -> Grade:
        """Grade one passage that need not be indexed, for tuning. Raises ModelError or LanguageModelError."""
        return await self._judge.passage(question, passage, self._embedder)

    async def _answer(self, run: Run) -> Answer | Abstention | Courtesy:
        text = clean(run.question.text).strip()
        match unsearched(text, self.options.max_question_characters):
            case Courtesy() as said:
                run.enter(State.COURTESY)
                return said
            case Abstention(reason, detail):
                raise Abstain(reason, detail)
        run.asked = run.reading = await self._standalone(run, text)
        with run.stage(State.SEARCH):
            hits = await self._search(run, run.asked)
        if not self.options.enabled:
            return await self._plain(run, hits)
        await self._grade(run, hits)
        texts: dict[str, str] = {}
        while (action := self._next(run)) is not Action.GENERATE:
            if action is Action.ABSTAIN:
                raise _nothing(run)
            run.actions.append(action)
            match action:
                case Action.WIDEN:
                    await self._widen(run)
                case Action.SECOND_SOURCE:
                    await self._ask_second(run)
                case Action.REWRITE:
                    await self._rewrite(run)
                case _:
                    texts = await self._refine(run)
        run.actions.append(action)
        evidence, run.grades = select(run.grades, texts, self.options.evidence)
        return await self._answering.answer(run, evidence, run.band or Band.AMBIGUOUS)

    def _next(self, run: Run) -> Action:
        """What to do about the grades. Once the time for grading is over, nothing that would need more of it."""
        run.band = band(run.grades)
        if run.grading_over:
            return Action.ABSTAIN if run.band is Band.INCORRECT else Action.GENERATE
        return next_action(
            Situation(
                band=run.band,
                passing=sum(g.verdict is not Verdict.INCORRECT for g in readable(run.grades)),
                rewrites_left=run.rewrites_left,
                can_widen=self.options.widen and Action.WIDEN not in run.actions,
                can_refine=self.options.refine and Action.REFINE not in run.actions,
                can_ask_second=self._second is not None and Action.SECOND_SOURCE not in run.actions,
            )
        )

    async def _standalone(self, run: Run, text: str) -> str:
        if not run.question.history:
            return text
        with run.stage(State.STANDALONE):
            try:
                alone = await self._rewriter.standalone(text, run.question.history)
            except LanguageModelError as error:
                run.failures.append(str(error))
                alone = await self._fallback_rewriter.standalone(text, run.question.history)
        alone = clean(alone).strip()[: self.options.max_question_characters]
        return alone if has_words(alone) else text

    async def _search(self, run: Run, query: str, *, factor: int = 1, alpha: float | None = None) -> Sequence[Hit]:
        """One search of the index inside a stage, with the generation it saw on record."""
        request = await self._request(run, query, self.options.candidates * factor, alpha)
        hits = await self._index.search(request)
        run.saw(query, await self._index.live(run.question.tenant))
        return hits

    async def _request(self, run: Run, query: str, limit: int, alpha: float | None = None) -> SearchRequest:
        with run.timed("embed"):
            try:
                vector = await self._embedder.embed_query(query)
            except ModelError as error:
                raise SearchError(error.message, service=error.service, advice=error.advice) from error
        alpha = self.options.alpha if alpha is None else alpha
        asked = run.question
        return SearchRequest(query, vector, limit, alpha, asked.tenant, asked.corpora, asked.access)

    async def _grade(self, run: Run, hits: Sequence[Hit]) -> None:
        """Grade what isn't graded yet in this reading of the question; the better score of a chunk counts."""
        fresh = run.ungraded(hits)
        limits = Limits(self.options.graded, run.grading_ends)
        with run.stage(State.GRADE):
            new = await self._judge.grade(run.reading, fresh, run.queries[-1], limits) if fresh else []
        run.took(new)
        if any(grade.graded for grade in run.grades) and not readable(run.grades):
            run.failures.append(run.grades[0].reason)
            raise Abstain(Reason.GRADER_FAILED, wording.UNREADABLE)

    async def _widen(self, run: Run) -> None:
        with run.stage(State.WIDEN):
            hits = await self._search(
                run, run.queries[-1], factor=self.options.widen_factor, alpha=self.options.widen_alpha
            )
        await self._grade(run, hits)

    async def _ask_second(self, run: Run) -> None:
        assert self._second is not None  # noqa: S101 - the policy offers it only where there is one
        with run.stage(State.SECOND_SOURCE):
            try:
                hits = await self._second.search(await self._request(run, run.reading, self.options.candidates))
            except SearchError as error:
                run.failures.append(str(error))
                hits = []
            run.queries.append(run.reading)
            known = {grade.chunk.id for grade in run.grades}
            run.second_sources |= {h.chunk.id: self._second.name for h in hits if h.chunk.id not in known}
        await self._grade(run, hits)

    async def _rewrite(self, run: Run) -> None:
        """Rephrase for retrieval. A rewrite that fails, is empty or changes nothing ends the rewriting."""
        run.rewrites_left -= 1
        with run.stage(State.REWRITE):
            near = [g.chunk for g in run.grades[:5]]
            try:
                asked = run.question
                glossary = await self._index.glossary(asked.tenant, asked.corpora, asked.access)
                rewrite = await self._rewriter.rewrite(run.asked, near, glossary)
            except LanguageModelError as error:
                run.failures.append(str(error))
                rewrite = await self._fallback_rewriter.rewrite(run.asked, near, glossary)
        query = clean(rewrite.query).strip()[: self.options.max_question_characters] if rewrite else ""
        if not rewrite or not content_words(query) or query.casefold() in {q.casefold() for q in run.queries}:
            run.rewrites_left = 0
            return
        if rewrite.same_meaning:
            run.reading = query
        with run.stage(State.SEARCH):
            hits = await self._search(run, query)
        await self._grade(run, hits)

    async def _refine(self, run: Run) -> dict[str, str]:
        passing = [g for g in run.grades if g.verdict is not Verdict.INCORRECT][: self.options.evidence]
        with run.stage(State.REFINE):
            texts, graded = await refined(run.reading, passing, self._strip_judge)
        by_id = {g.chunk.id: g for g in graded}
        run.grades = [by_id.get(g.chunk.id, g) for g in run.grades]
        return texts

    async def _plain(self, run: Run, hits: Sequence[Hit]) -> Answer:
        """Retrieval without grading: the first hits are the evidence."""
        if not hits:
            raise _nothing(run)
        run.grades = [
            Grade(
                h.chunk,
                0.0,
                Verdict.AMBIGUOUS,
                cosine=h.cosine,
                kept=at < self.options.evidence,
                query=run.asked,
                graded=False,
            )
            for at, h in enumerate(hits)
        ]
        evidence = [Evidence(at + 1, h.chunk, h.chunk.text, 1.0) for at, h in enumerate(hits[: self.options.evidence])]
        answer = await self._answering.answer(run, evidence, Band.AMBIGUOUS)
        return replace(answer, support=Support.PARTIAL, notes=(wording.GRADING_OFF, *answer.notes))

    def _models(self) -> dict[str, str]:
        return {
            "embedder": self._embedder.model,
            "grader": self._judge.grader.model,
            "strip_grader": self._strip_judge.grader.model,
            "writer": self._answering.writer.model,
            "rewriter": self._rewriter.model,
            **({"adjudicator": self._judge.adjudicator.model} if self._judge.adjudicator else {}),
        }


def _nothing(run: Run) -> Abstain:
    if not run.grades:
        return Abstain(Reason.NOTHING_FOUND, wording.NOTHING_FOUND.format(documents=run.documents))
    if run.late:
        return Abstain(Reason.TIMEOUT, wording.TIMEOUT)
    return Abstain(Reason.WEAK_EVIDENCE, wording.WEAK.format(documents=run.documents))


def _explained(error: CandorError) -> tuple[Reason, str]:
    """The reason code of a failed part, and the sentence for people; details go to the trace."""
    if isinstance(error, IndexMissing):
        return Reason.INDEX_MISSING, str(error)
    if isinstance(error, IndexMismatch):
        return Reason.INDEX_MISMATCH, str(error)
    if isinstance(error, SearchError):
        return Reason.SEARCH_UNAVAILABLE, wording.unreachable(error.service)
    if isinstance(error, LanguageModelError):
        return Reason.GRADER_FAILED, error.message
    if isinstance(error, ModelError):
        return Reason.GRADER_FAILED, wording.unreachable(error.service)
    return Reason.INTERNAL, wording.INTERNAL
