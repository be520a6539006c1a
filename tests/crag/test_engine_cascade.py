"""What the engine makes of grades that stop early: because enough was graded, or because time ran out."""

from __future__ import annotations

from collections.abc import Sequence

from crag.engine import EngineOptions
from crag.types import Abstention, Action, Answer, Judgement, Reason, Verdict
from tests.crag.scenes import HOLIDAY, QUESTION, Scene, chunk
from tests.fakes.models import FakeGrader
from tests.fakes.rewriters import ScriptedRewriter
from tests.fakes.writers import ScriptedWriter

FAR = tuple(chunk(f"Days of {word}.", word) for word in ("rain", "wind", "snow", "fog"))


class OnceThenHangs(FakeGrader):
    """Grades its first call, and no other."""

    async def grade(self, question: str, passages: Sequence[str]) -> Sequence[Judgement]:
        self.delay = 30.0 if self.calls else 0.0
        return await super().grade(question, passages)


async def test_an_answer_comes_from_the_nearest_and_the_trace_says_what_was_not_graded() -> None:
    reply = await Scene(chunks=(*FAR, chunk(HOLIDAY)), graded={"": 0.9}, options=EngineOptions(graded=1)).ask()
    assert isinstance(reply.body, Answer)
    told = [(g.chunk.id, g.graded, g.kept, g.reason) for g in reply.trace.grades]
    below = "not graded: ranked below the best 1 by similarity"
    assert told[0] == ("holiday", True, True, "evidence")
    assert [one[1:] for one in told[1:]] == [(False, False, below)] * 4
    assert reply.trace.strategy == "all"


async def test_widening_grades_what_the_first_search_left() -> None:
    scene = Scene(
        chunks=(*FAR, chunk(HOLIDAY)),
        graded={HOLIDAY: 0.5, "snow": 0.9, "": 0.1},
        options=EngineOptions(graded=3, refine=False),
        writer=ScriptedWriter("Days of snow [1]."),
    )
    reply = await scene.ask()
    assert reply.trace.actions == (Action.WIDEN, Action.GENERATE)
    assert all(grade.graded for grade in reply.trace.grades)


async def test_time_that_runs_out_after_a_good_passage_still_brings_an_answer() -> None:
    scene = Scene(
        chunks=(*FAR, chunk(HOLIDAY)),
        grader=OnceThenHangs({"": 0.9}),
        options=EngineOptions(deadline_s=5, grading_share=0.02),
    )
    reply = await scene.ask()
    assert isinstance(reply.body, Answer)
    assert [g.reason for g in reply.trace.grades if not g.graded] == ["not graded: time ran out"]


async def test_time_that_runs_out_before_a_good_passage_is_told_as_such_and_nothing_more_is_tried() -> None:
    rewriter = ScriptedRewriter()
    scene = Scene(
        chunks=(*FAR, chunk(HOLIDAY)),
        grader=OnceThenHangs({"": 0.1}),
        rewriter=rewriter,
        options=EngineOptions(deadline_s=5, grading_share=0.02),
    )
    reply = await scene.ask()
    assert isinstance(reply.body, Abstention)
    assert reply.body.reason is Reason.TIMEOUT
    assert {g.verdict for g in reply.trace.grades} == {Verdict.INCORRECT}
    assert reply.trace.actions == (Action.ABSTAIN,)


async def test_ambiguous_evidence_is_not_refined_when_the_time_for_grading_is_over() -> None:
    scene = Scene(
        chunks=(*FAR, chunk(f"{HOLIDAY} It is counted by full months.")),
        grader=OnceThenHangs({"": 0.5}),
        options=EngineOptions(deadline_s=5, grading_share=0.02),
        writer=ScriptedWriter(f"{HOLIDAY} [1]"),
    )
    reply = await scene.ask(QUESTION)
    assert isinstance(reply.body, Answer)
    assert reply.trace.actions == (Action.GENERATE,)
