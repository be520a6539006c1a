from collections.abc import Sequence
from dataclasses import replace

from crag.calibrating import Choice, Shortage, choose, halves, promise
from crag.calibration import Calibration
from crag.evaluation.outcomes import Outcome
from crag.evaluation.questions import Asked
from tests.crag.evaluated import outcome

SHIPPED = Calibration(0.7, 0.3)


def asked(count: int, *, answerable: bool = True, split: str = "") -> list[Asked]:
    sources = frozenset({"a.md"}) if answerable else frozenset[str]()
    return [Asked(f"{split}{answerable}{n}", "k", f"Why {n}?", sources, split=split) for n in range(count)]


def right(count: int, score: float = 0.9) -> list[Outcome]:
    return [outcome(["a"], cites=["a"], found=[("a", score)], identity=f"r{n}") for n in range(count)]


def wrong(count: int, score: float) -> list[Outcome]:
    return [outcome(found=[("b", score)], identity=f"w{score}{n}") for n in range(count)]


def chosen(outcomes: Sequence[Outcome], allowed: float = 0.05) -> Choice:
    found = choose(outcomes, SHIPPED, allowed, 2 * len(outcomes))
    assert isinstance(found, Choice)
    return found


def test_halves_have_no_question_in_common_and_are_always_the_same() -> None:
    questions = [*asked(31), *asked(20, answerable=False)]
    one, other = halves(questions)
    assert {q.id for q in one} | {q.id for q in other} == {q.id for q in questions}
    assert not {q.id for q in one} & {q.id for q in other}
    assert sum(not q.answerable for q in one) == sum(not q.answerable for q in other) == 10
    again = halves(questions[::-1])
    assert {q.id for q in again[0]} == {q.id for q in one}


def test_a_test_split_of_the_file_is_what_is_reported_on() -> None:
    dev, test = asked(3, split="dev"), asked(2, split="test")
    assert halves([*test, *dev]) == (dev, test)
    assert all(halves(asked(10, split="test")))


def test_thresholds_lie_above_what_would_be_wrong() -> None:
    found = chosen([*right(60), *wrong(20, 0.5)])
    assert 0.5 < found.calibration.lower < 0.9
    assert found.calibration.lower < found.calibration.upper < 1
    assert (found.kept, found.refitted, found.upper) == (1.0, 0, None)
    assert promise(found, 0.05)["false_answers_at_most"] <= 0.05


def test_many_questions_promise_more_of_the_better_badge() -> None:
    found = chosen([*right(500), *wrong(100, 0.5)])
    assert found.upper
    assert found.upper.bound <= 0.01
    assert found.refitted == 200
    assert "well_supported_false_answers_at_most" in promise(found, 0.05)


def test_few_questions_are_told_how_many_more_it_takes() -> None:
    found = choose([*right(10), *wrong(10, 0.2)], SHIPPED, 0.05, 40)
    assert found == Shortage(have=20, need=45, more=50, unanswerable=25)


def test_scores_that_tell_nothing_keep_nothing() -> None:
    found = chosen([*right(60, 0.5), *wrong(60, 0.9)])
    assert found.kept == 0.0


def test_an_answer_from_the_wrong_passage_counts_as_wrong() -> None:
    misled = [replace(o, asked=replace(o.asked, sources=frozenset({"c.md"}))) for o in right(10, 0.95)]
    found = chosen([*right(60, 0.97), *misled])
    assert 0.95 < found.calibration.lower
