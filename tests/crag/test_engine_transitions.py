"""Every way a question can take through the engine: each scenario's path is stated, and together they walk the whole
table of transitions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from crag.engine import EngineOptions
from crag.errors import SearchError
from crag.events import TRANSITIONS, State
from crag.run import Run
from crag.second import CorpusRetriever
from crag.types import Question, Rewrite, Turn
from tests.crag.scenes import HOLIDAY, QUESTION, Scene, chunk
from tests.fakes.models import FakeEmbedder, FakeGrader
from tests.fakes.rewriters import ScriptedRewriter
from tests.fakes.writers import ScriptedWriter

EARLIER = (Turn("How long is parental leave?"),)
SOON = EngineOptions(deadline_s=0.05)
NO_RETRY = EngineOptions(max_rewrites=0)


def failing_at(call: str, nth: int = 1) -> Scene:
    """The index dies in its nth call of this kind."""
    scene = Scene(graded={HOLIDAY: 0.5})
    seen: list[str] = []

    def die(name: str) -> None:
        seen.append(name)
        if seen.count(call) >= nth and name == call:
            raise SearchError("The server is gone.")

    scene.database.on_call = die
    return scene


def with_second(grade: float, **more: object) -> Scene:
    """A first corpus that is asked first, and a second one."""
    scene = Scene(chunks=(chunk(HOLIDAY), chunk(HOLIDAY, "wide", corpus="wide")), graded={HOLIDAY: grade}, **more)  # type: ignore[arg-type]
    scene.second = CorpusRetriever(scene.index, {"wide"}, "the wide shelf")
    return scene


def hanging_second() -> Scene:
    class Hanging:
        name = "hanging"

        async def search(self, request: object) -> list[object]:
            await asyncio.Event().wait()
            return []

    return Scene(graded={HOLIDAY: 0.5}, options=EngineOptions(deadline_s=0.05, widen=False), second=Hanging())  # type: ignore[arg-type]


@dataclass
class Way:
    """A scenario and the path that it must take."""

    scene: Callable[[], Scene]
    path: str
    text: str = QUESTION
    history: tuple[Turn, ...] = ()
    corpora: frozenset[str] = field(default_factory=frozenset)


FIRST = frozenset({"default"})
WAYS = {
    "small talk": Way(Scene, "received courtesy", text="hello"),
    "no words": Way(Scene, "received abstained", text="?!"),
    "good evidence": Way(lambda: Scene(graded={HOLIDAY: 0.9}), "received search grade write support answered"),
    "grading off": Way(lambda: Scene(options=EngineOptions(enabled=False)), "received search write support answered"),
    "a follow-up": Way(
        lambda: Scene(graded={HOLIDAY: 0.9}),
        "received standalone search grade write support answered",
        history=EARLIER,
    ),
    "no time to understand": Way(
        lambda: Scene(rewriter=ScriptedRewriter(hang=True), options=SOON),
        "received standalone abstained",
        history=EARLIER,
    ),
    "search is down": Way(lambda: failing_at("search"), "received search abstained"),
    "ambiguous, thin": Way(
        lambda: Scene(graded={HOLIDAY: 0.5}), "received search grade widen grade refine write support answered"
    ),
    "search dies while widening": Way(lambda: failing_at("search", 2), "received search grade widen abstained"),
    "nothing good": Way(lambda: Scene(graded={HOLIDAY: 0.1}, options=NO_RETRY), "received search grade abstained"),
    "rewritten, then good": Way(
        lambda: Scene(
            graded={"Leave": 0.9, "Holiday": 0.1},
            chunks=(chunk(HOLIDAY), chunk(HOLIDAY, "leave")),
            options=EngineOptions(candidates=1),
            rewriter=ScriptedRewriter(Rewrite("leave leave leave")),
        ),
        "received search grade rewrite search grade write support answered",
    ),
    "no rewrite": Way(lambda: Scene(graded={HOLIDAY: 0.1}), "received search grade rewrite abstained"),
    "second source, ambiguous": Way(
        lambda: with_second(0.5),
        "received search grade widen grade second_source grade refine write support answered",
        corpora=FIRST,
    ),
    "second source after no rewrite": Way(
        lambda: with_second(0.1), "received search grade rewrite second_source grade abstained", corpora=FIRST
    ),
    "second source at once": Way(
        lambda: with_second(0.1, options=NO_RETRY), "received search grade second_source grade abstained", corpora=FIRST
    ),
    "second source hangs": Way(hanging_second, "received search grade second_source abstained"),
    "ambiguous, nothing to correct": Way(
        lambda: Scene(graded={HOLIDAY: 0.5}, options=EngineOptions(widen=False, refine=False)),
        "received search grade write support answered",
    ),
    "strips can't be graded": Way(
        lambda: Scene(
            chunks=(chunk(f"{HOLIDAY} Part-time staff get a part of it, by the days of their week. " * 4),),
            graded={HOLIDAY: 0.5},
            options=EngineOptions(widen=False),
            strip_grader=FakeGrader(error=SearchError("gone")),
        ),
        "received search grade refine abstained",
    ),
    "the writer never answers": Way(
        lambda: Scene(graded={HOLIDAY: 0.9}, writer=ScriptedWriter(hang=True), options=SOON),
        "received search grade write abstained",
    ),
    "an answer that cites nothing": Way(
        lambda: Scene(graded={HOLIDAY: 0.9}, writer=ScriptedWriter("You get 27 days.")),
        "received search grade write support abstained",
    ),
}


@pytest.mark.parametrize("name", WAYS)
async def test_each_scenario_takes_its_way(name: str) -> None:
    way = WAYS[name]
    reply = await way.scene().ask(way.text, history=way.history, corpora=way.corpora)
    assert " ".join(reply.trace.states) == way.path


def test_the_scenarios_walk_every_transition_there_is() -> None:
    walked = {step for way in WAYS.values() for step in pairwise(way.path.split())}
    assert walked == {(start.value, end.value) for start, ends in TRANSITIONS.items() for end in ends}


def test_a_step_that_the_table_does_not_have_is_refused() -> None:
    with pytest.raises(RuntimeError, match="no way from received to write"):
        Run(Question("?"), 0, None).enter(State.WRITE)


async def test_the_listener_hears_every_state_that_the_trace_names() -> None:
    scene = Scene(graded={HOLIDAY: 0.5}, embedder=FakeEmbedder())
    reply = await scene.ask()
    assert ["received", *(e.state.value for e in scene.events if hasattr(e, "state"))] == list(reply.trace.states)
