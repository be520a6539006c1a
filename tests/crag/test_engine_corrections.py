"""What the engine does about each band: answer, refine, widen, rewrite, ask elsewhere, or say that it doesn't know."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crag import wording
from crag.corpus_rewriter import CorpusRewriter
from crag.engine import EngineOptions
from crag.errors import LanguageModelError, SearchError
from crag.events import Piece
from crag.second import CorpusRetriever
from crag.types import (
    Abstention,
    Action,
    Answer,
    Band,
    Courtesy,
    Glossary,
    Reason,
    Reply,
    Rewrite,
    Support,
    Turn,
    Verdict,
)
from tests.crag.scenes import HOLIDAY, LOWER, QUESTION, UPPER, Scene, chunk
from tests.fakes.models import FakeGrader
from tests.fakes.rewriters import ScriptedRewriter
from tests.fakes.writers import ScriptedWriter

TRAVEL = "Trains are booked in second class by everybody, four weeks before the journey."
PADDING = "The kitchen is cleaned by the crew whose turn it is, every Friday at four o'clock. " * 2


def answered(reply: Reply) -> Answer:
    assert isinstance(reply.body, Answer), reply.body
    return reply.body


def abstained(reply: Reply) -> Abstention:
    assert isinstance(reply.body, Abstention), reply.body
    return reply.body


async def test_good_evidence_is_answered_from_with_its_citation() -> None:
    reply = await Scene(graded={HOLIDAY: 0.9}).ask()
    answer = answered(reply)
    assert answer.text == f"{HOLIDAY} [1]"
    assert (answer.band, answer.support, answer.notes) == (Verdict.CORRECT, Support.FULL, ())
    assert [(c.number, c.chunk.id, c.quote) for c in answer.citations] == [(1, "holiday", HOLIDAY)]
    assert reply.trace.actions == (Action.GENERATE,)


async def test_correct_chunks_come_first_and_ambiguous_ones_fill_the_room() -> None:
    scene = Scene(
        chunks=(chunk("Days A.", "a"), chunk("Days B.", "b"), chunk("Days C.", "c"), chunk("Days D.", "d")),
        graded={"Days A": 0.5, "Days B": 0.9, "Days C": 0.1, "Days D": 0.4},
        options=EngineOptions(evidence=2),
        writer=ScriptedWriter("Days B [1]."),
    )
    reply = await scene.ask("days")
    assert [e.chunk.id for e in scene.writer.asked[0][1]] == ["b", "a"]  # type: ignore[union-attr]
    told = {g.chunk.id: (g.kept, g.reason) for g in reply.trace.grades}
    assert told == {
        "b": (True, "evidence"),
        "a": (True, "evidence"),
        "d": (False, "better evidence filled the 2 places"),
        "c": (False, "below the lower threshold"),
    }
    assert reply.trace.strategy == "some"


async def test_ambiguous_evidence_is_refined_to_its_good_strips() -> None:
    scene = Scene(
        chunks=(chunk(f"{PADDING}\n\n{HOLIDAY} It is counted by full months.\n\n{PADDING}"),),
        graded={"holiday": 0.5},
        strip_grader=FakeGrader({"27 days": 0.9, "kitchen": 0.05}),
        options=EngineOptions(widen=False),
    )
    reply = await scene.ask()
    grade = reply.trace.grades[0]
    assert [kept for _, _, kept in grade.strips].count(True) == 1
    assert "kitchen" not in answered(reply).citations[0].quote
    assert "27 days" in answered(reply).text
    assert answered(reply).band is Verdict.AMBIGUOUS
    assert Action.REFINE in reply.trace.actions


async def test_if_no_strip_survives_the_ranking_stays_as_it_was() -> None:
    text = f"{PADDING}\n\n{HOLIDAY} It is counted by full months.\n\n{PADDING}"
    scene = Scene(
        chunks=(chunk(text),),
        graded={"holiday": 0.5},
        strip_grader=FakeGrader({"": 0.05}),
        options=EngineOptions(widen=False),
        writer=ScriptedWriter(f"{HOLIDAY} [1]"),
    )
    assert answered(await scene.ask()).citations[0].quote == text


async def test_a_thin_search_is_widened_and_finds_more_without_doubles() -> None:
    scene = Scene(
        chunks=(chunk(HOLIDAY), chunk(TRAVEL, "travel")),
        graded={HOLIDAY: 0.5, TRAVEL: 0.4},
        options=EngineOptions(candidates=1, refine=False),
        writer=ScriptedWriter(f"{HOLIDAY} [1]"),
    )
    reply = await scene.ask()
    assert reply.trace.actions == (Action.WIDEN, Action.GENERATE)
    assert sorted(g.chunk.id for g in reply.trace.grades) == ["holiday", "travel"]
    assert len(scene.embedder.texts) == 2 + 2


async def test_an_ambiguous_answer_names_what_the_evidence_does_not_mention() -> None:
    reply = await Scene(graded={HOLIDAY: 0.5}).ask("How many days of holiday do contractors get?")
    assert any("“contractors”" in note for note in answered(reply).notes)
    assert not any("holiday" in note for note in answered(reply).notes)


async def test_bad_evidence_is_searched_for_again_in_other_words() -> None:
    scene = Scene(
        chunks=(chunk(TRAVEL, "travel"), chunk(HOLIDAY)),
        graded={TRAVEL: 0.1, HOLIDAY: 0.9},
        options=EngineOptions(candidates=1),
        rewriter=ScriptedRewriter(Rewrite("paid holiday calendar year")),
    )
    reply = await scene.ask("Which second train may everybody take?")
    assert reply.trace.queries == ("Which second train may everybody take?", "paid holiday calendar year")
    assert reply.trace.actions == (Action.REWRITE, Action.GENERATE)
    assert answered(reply).citations[0].chunk.id == "holiday"


async def test_passages_are_graded_against_the_question_and_not_against_a_rewrite() -> None:
    grader = FakeGrader({TRAVEL: 0.1, HOLIDAY: 0.9})
    scene = Scene(
        chunks=(chunk(TRAVEL, "travel"), chunk(HOLIDAY)),
        grader=grader,
        options=EngineOptions(candidates=1),
        rewriter=ScriptedRewriter(Rewrite("paid holiday calendar year")),
        writer=ScriptedWriter(f"{HOLIDAY} [1]"),
    )
    await scene.ask("Which second train may everybody take?")
    assert {question for question, _ in grader.calls} == {"Which second train may everybody take?"}
    assert scene.writer.asked[0][0] == "Which second train may everybody take?"  # type: ignore[union-attr]


async def test_a_mended_spelling_is_graded_and_told_to_the_reader() -> None:
    grader = FakeGrader(lambda question, _: 0.9 if "holiday" in question else 0.1)
    scene = Scene(grader=grader, rewriter=ScriptedRewriter(Rewrite(QUESTION, same_meaning=True)))
    reply = await scene.ask("How many days of hollyday do I get?")
    assert answered(reply).notes == (f"I read your question as “{QUESTION}”.",)


async def test_a_mended_spelling_is_told_also_where_nothing_is_found() -> None:
    scene = Scene(graded={HOLIDAY: 0.1}, rewriter=ScriptedRewriter(Rewrite(QUESTION, same_meaning=True)))
    assert abstained(await scene.ask("How many days of hollyday do I get?")).notes == (wording.read_as(QUESTION),)


@pytest.mark.parametrize(
    "rewriter",
    [
        ScriptedRewriter(None),
        ScriptedRewriter(Rewrite("")),
        ScriptedRewriter(Rewrite("?!\u200b")),
        ScriptedRewriter(Rewrite(QUESTION.upper())),
        ScriptedRewriter(LanguageModelError("The server refused the key.")),
        ScriptedRewriter(Rewrite("leave allowance")),
    ],
    ids=["none", "empty", "no words", "equal", "raises", "still low"],
)
async def test_a_rewrite_that_does_not_help_ends_in_an_honest_reply(rewriter: ScriptedRewriter) -> None:
    reply = await Scene(graded={HOLIDAY: 0.1}, rewriter=rewriter).ask()
    body = abstained(reply)
    assert body.reason is Reason.WEAK_EVIDENCE
    assert body.detail == "I searched 1 document, but nothing I found answers this."
    assert [g.chunk.id for g in body.nearest] == ["holiday"]
    assert reply.trace.actions[-1] is Action.ABSTAIN


async def test_a_rewriter_that_fails_leaves_the_rewriting_to_the_corpus() -> None:
    scene = Scene(
        grader=FakeGrader(lambda question, _: 0.9 if "paid holiday" in question else 0.1),
        rewriter=ScriptedRewriter(LanguageModelError("The server refused the key.")),
        glossary=Glossary({"pto": "paid holiday"}, {"holiday": 1}),
    )
    reply = await scene.ask("How much PTO do I get?")
    assert reply.trace.queries[-1] == "How much PTO (paid holiday) do I get?"
    assert reply.trace.failures == ("The server refused the key.",)
    assert answered(reply).band is Verdict.CORRECT


async def test_a_word_that_only_hidden_documents_have_is_not_used_to_rephrase_a_question() -> None:
    scene = Scene(
        graded={HOLIDAY: 0.1},
        rewriter=CorpusRewriter(),
        hidden=Glossary({"pip": "Performance Improvement Plan"}, {"severance": 4}),
    )
    unseen = await scene.ask("Who is on a PIP with severence?")
    assert "Improvement" not in str(unseen)
    assert "severance" not in str(unseen)
    seen = await scene.ask("Who is on a PIP with severence?", access=frozenset({"everyone", "hr"}))
    assert "Performance Improvement Plan" in seen.trace.queries[-1]
    assert "severance" in seen.trace.queries[-1]


async def test_only_documents_that_the_asker_may_see_are_counted() -> None:
    seen = chunk(HOLIDAY)
    secret = replace(seen, id="x", document="x.md", access=frozenset({"hr"}))
    scene = Scene(chunks=(seen, secret), grader=FakeGrader(lambda *_: 0.1), options=EngineOptions(max_rewrites=0))
    reply = await scene.ask()
    assert abstained(reply).detail == "I searched 1 document, but nothing I found answers this."
    assert reply.trace.searched == 1
    reply = await scene.ask(access=frozenset({"everyone", "hr"}))
    assert abstained(reply).detail == "I searched 2 documents, but nothing I found answers this."


@pytest.mark.parametrize("most", [0, 1, 2])
async def test_at_most_so_many_rewrites_are_made(most: int) -> None:
    rewriter = ScriptedRewriter(*(Rewrite(f"another wording {n}") for n in "abc"))
    scene = Scene(graded={HOLIDAY: 0.1}, rewriter=rewriter, options=EngineOptions(max_rewrites=most))
    reply = await scene.ask()
    assert reply.trace.actions.count(Action.REWRITE) == len(rewriter.asked) == most
    assert len(reply.trace.queries) == 1 + most
    assert abstained(reply).reason is Reason.WEAK_EVIDENCE


async def test_without_grading_the_first_hits_are_the_evidence_and_the_reader_is_told() -> None:
    grader = FakeGrader()
    reply = await Scene(grader=grader, options=EngineOptions(enabled=False)).ask()
    assert "switched off" in answered(reply).notes[0]
    assert answered(reply).band is Verdict.AMBIGUOUS
    assert grader.calls == []


class TestSecondSource:
    def scene(self, first: float, second: float) -> Scene:
        scene = Scene(
            chunks=(chunk(TRAVEL, "travel"), chunk(HOLIDAY, corpus="wide")),
            graded={TRAVEL: first, HOLIDAY: second},
            options=EngineOptions(max_rewrites=0),
        )
        scene.second = CorpusRetriever(scene.index, {"wide"}, "the wide shelf")
        return scene

    async def ask(self, scene: Scene) -> Reply:
        return await scene.ask(corpora=frozenset({"default"}))

    async def test_its_evidence_is_graded_and_marked(self) -> None:
        reply = await self.ask(self.scene(0.1, 0.9))
        assert [(g.chunk.id, g.retriever, g.verdict) for g in reply.trace.grades] == [
            ("holiday", "the wide shelf", Verdict.CORRECT),
            ("travel", "index", Verdict.INCORRECT),
        ]
        assert answered(reply).notes == ("[1] comes from the wide shelf, not from the documents searched first.",)

    async def test_what_it_finds_may_be_too_weak_as_well(self) -> None:
        reply = await self.ask(self.scene(0.1, 0.2))
        assert abstained(reply).reason is Reason.WEAK_EVIDENCE
        assert reply.trace.actions == (Action.SECOND_SOURCE, Action.ABSTAIN)

    async def test_good_evidence_does_not_ask_it(self) -> None:
        reply = await self.ask(self.scene(0.9, 0.9))
        assert Action.SECOND_SOURCE not in reply.trace.actions

    async def test_its_failure_does_not_take_the_answer_away(self) -> None:
        class Broken:
            name = "web search"

            async def search(self, request: object) -> list[object]:
                raise SearchError("The web search gave up.")

        scene = self.scene(0.5, 0.9)
        scene.second = Broken()  # type: ignore[assignment]
        reply = await self.ask(scene)
        assert answered(reply).citations[0].chunk.id == "travel"
        assert reply.trace.failures == ("The web search gave up.",)


class TestHistory:
    HISTORY = (Turn("How many days of holiday do I get?"), Turn("27 days [1].", by_bot=True))

    async def test_a_follow_up_is_searched_with_what_it_leans_on(self) -> None:
        alone = "How many days of holiday do I get in Porto?"
        reply = await Scene(graded={HOLIDAY: 0.9}, rewriter=ScriptedRewriter(alone=alone)).ask(
            "and in Porto?", history=self.HISTORY
        )
        assert reply.trace.standalone == alone
        assert reply.trace.queries == (alone,)

    @pytest.mark.parametrize("grade", [0.9, 0.1], ids=["answered", "abstained"])
    async def test_the_reader_is_told_how_a_follow_up_was_read(self, grade: float) -> None:
        alone = "How many days of holiday do I get in Porto?"
        scene = Scene(graded={HOLIDAY: grade}, rewriter=ScriptedRewriter(alone=alone))
        body = (await scene.ask("and in Porto?", history=self.HISTORY)).body
        assert isinstance(body, Answer if grade > 0.5 else Abstention)
        assert wording.read_as(alone) in body.notes

    @pytest.mark.parametrize("alone", [None, QUESTION.upper(), f"  {QUESTION}"])
    async def test_a_question_that_was_read_as_it_stands_needs_no_word_about_that(self, alone: str | None) -> None:
        scene = Scene(graded={HOLIDAY: 0.1}, rewriter=ScriptedRewriter(alone=alone))
        assert abstained(await scene.ask(f" {QUESTION}", history=self.HISTORY)).notes == ()

    @pytest.mark.parametrize(
        ("alone", "band"),
        [(f"{QUESTION} and a full year?", Band.AMBIGUOUS), ("How much holiday is a full year?", Band.CORRECT)],
    )
    async def test_an_answer_to_two_questions_in_one_is_never_well_supported(self, alone: str, band: Band) -> None:
        """It may be the answer to the earlier one."""
        full = HOLIDAY.replace("calendar", "full")
        scene = Scene(chunks=(chunk(full),), graded={full: 0.9}, rewriter=ScriptedRewriter(alone=alone))
        assert answered(await scene.ask("and a full year?", history=self.HISTORY)).band is band

    async def test_how_it_was_read_is_told_short_and_without_the_models_links(self) -> None:
        alone = f"How many\ndays, see https://evil.example/x?{'y' * 50} {'and so on ' * 60}"
        scene = Scene(graded={HOLIDAY: 0.1}, rewriter=ScriptedRewriter(alone=alone))
        (note,) = abstained(await scene.ask("and in Porto?", history=self.HISTORY)).notes
        assert note.startswith("I read your question as “How many days, see (link in the source) and so on")
        assert note.endswith("…”.")
        assert len(note) < 350

    async def test_if_the_model_fails_the_users_own_turns_do(self) -> None:
        rewriter = ScriptedRewriter(alone=LanguageModelError("The server is gone."))
        reply = await Scene(graded={HOLIDAY: 0.9}, rewriter=rewriter).ask("and in Porto?", history=self.HISTORY)
        assert reply.trace.standalone == "How many days of holiday do I get in Porto?"
        assert reply.trace.failures == ("The server is gone.",)

    @pytest.mark.parametrize("useless", ["", "\u200b", "?!"])
    async def test_a_useless_stand_alone_question_is_not_used(self, useless: str) -> None:
        reply = await Scene(graded={HOLIDAY: 0.9}, rewriter=ScriptedRewriter(alone=useless)).ask(history=self.HISTORY)
        assert reply.trace.queries == (QUESTION,)


async def test_small_talk_gets_a_friendly_reply_and_costs_no_search() -> None:
    scene = Scene(chunks=())
    scene.database.on_call = lambda name: pytest.fail(f"{name} was called")
    reply = await scene.ask("hello")
    assert isinstance(reply.body, Courtesy)
    assert scene.embedder.texts == []


async def test_a_superseded_document_never_wins_over_a_current_one() -> None:
    old = chunk("Everybody gets 25 days of paid holiday in a calendar year.", "old", title="Holiday 2023 (superseded)")
    reply = await Scene(chunks=(old, chunk(HOLIDAY)), graded={"25 days": 0.95, "27 days": 0.8}).ask()
    answer = answered(reply)
    assert answer.text.startswith("Everybody gets 27 days")
    assert answer.band is Verdict.CORRECT
    outdated = next(g for g in reply.trace.grades if g.chunk.id == "old")
    assert (outdated.verdict, outdated.score) == (Verdict.AMBIGUOUS, 0.95)
    assert "no longer current" in outdated.reason


async def test_an_answer_from_a_superseded_document_says_so() -> None:
    old = chunk("Everybody got 25 days of paid holiday in a calendar year.", "old", title="Holiday 2023 (superseded)")
    answer = answered(await Scene(chunks=(old,), graded={"25 days": 0.95}).ask())
    assert answer.band is Verdict.AMBIGUOUS
    assert any("“Holiday 2023 (superseded)” is marked as no longer current" in note for note in answer.notes)


async def test_the_trace_is_complete() -> None:
    scene = Scene(graded={HOLIDAY: 0.5}, writer=ScriptedWriter(f"{HOLIDAY} [1]"))
    trace = (await scene.ask()).trace
    assert (trace.upper, trace.lower) == (UPPER, LOWER)
    assert (trace.generation, trace.searched, trace.strategy, trace.band) == ("gen-1", 1, "all", Verdict.AMBIGUOUS)
    assert trace.queries == (QUESTION, QUESTION)
    assert trace.models == {
        "embedder": "fake-embedder-1",
        "grader": "fake-grader-1",
        "strip_grader": "fake-grader-1",
        "writer": "scripted-writer",
        "rewriter": "scripted-rewriter",
    }
    assert {"embed", "search", "grade", "widen", "refine", "write", "support", "total", "crag_ms"} <= set(trace.timings)
    corrective = ("grade", "widen", "refine", "support")
    assert trace.timings["crag_ms"] == pytest.approx(sum(trace.timings[name] for name in corrective), abs=0.1)
    assert trace.timings["crag_ms"] <= trace.timings["total"]
    assert [s.supported for s in trace.sentences] == [True]
    assert trace.grades[0].cosine is not None
    assert len({(await Scene().ask()).trace.id for _ in range(3)}) == 3


@pytest.mark.parametrize(("grades", "name"), [((0.9, 0.5), "all"), ((0.9, 0.1), "some"), ((0.1, 0.1), "none")])
async def test_the_strategy_says_how_many_chunks_passed(grades: tuple[float, float], name: str) -> None:
    scene = Scene(
        chunks=(chunk(HOLIDAY), chunk(TRAVEL, "travel")), graded=dict(zip((HOLIDAY, TRAVEL), grades, strict=True))
    )
    assert (await scene.ask()).trace.strategy == name


async def test_the_answer_is_streamed_in_pieces() -> None:
    scene = Scene(graded={HOLIDAY: 0.9})
    answer = answered(await scene.ask())
    assert "".join(e.text for e in scene.events if isinstance(e, Piece)) == answer.text
