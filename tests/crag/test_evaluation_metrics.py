import pytest

from crag.evaluation.curve import aurc, auroc, curve, points, threshold
from crag.evaluation.metrics import Rate, figures, groups, percentile, reasons, unseen
from crag.evaluation.outcomes import Result
from crag.types import Band, Reason, Support
from tests.crag.evaluated import outcome


def test_an_unanswerable_question_that_is_answered_is_a_false_answer() -> None:
    assert outcome(cites=["holiday"]).result is Result.FALSE
    assert outcome().result is Result.HONEST


def test_an_answer_from_the_wrong_passage_is_a_false_answer() -> None:
    assert outcome(["holiday"], cites=["sick"]).result is Result.FALSE
    assert outcome(["holiday"], cites=["sick", "holiday"]).result is Result.RIGHT
    assert outcome(["holiday"]).result is Result.NEEDLESS


def test_rates_are_of_the_questions_that_they_speak_of() -> None:
    found = figures(
        [
            outcome(["a"], cites=["a", "b"], found=[("b", 0.9), ("a", 0.8)]),
            outcome(["a", "c"], cites=["a"], found=[("a", 0.9)], support=Support.PARTIAL),
            outcome(["a"], found=[("b", 0.2)], band=Band.INCORRECT),
            outcome(cites=["a"], found=[("a", 0.8)]),
            outcome(found=[("a", 0.1)], band=Band.INCORRECT),
        ]
    )
    assert (found.questions, found.answerable, found.failed) == (5, 3, 0)
    assert (found.hits[1], found.hits[3]) == (Rate(1, 3), Rate(2, 3))
    assert found.mrr == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert found.answered == Rate(3, 5)
    assert found.false_answers == Rate(1, 5)
    assert found.false_among_answered == Rate(1, 3)
    assert found.unanswerable_answered == Rate(1, 2)
    assert found.needless_abstentions == Rate(1, 3)
    assert found.band_accuracy == Rate(3, 5)
    assert found.citation_precision == Rate(2, 3)
    assert found.citation_recall == Rate(2, 3)
    assert found.support == Rate(2, 3)


def test_an_answer_that_is_borne_out_in_part_counts_for_the_badge_that_people_saw() -> None:
    found = figures([outcome(["a"], cites=["a"], support=Support.PARTIAL), outcome(["a"], cites=["b"])])
    assert found.badges == {Band.CORRECT: Rate(0, 1), Band.AMBIGUOUS: Rate(1, 1), Band.INCORRECT: Rate(0, 0)}


def test_nothing_asked_is_no_division_by_zero() -> None:
    found = figures([])
    assert (found.answered.share, found.mrr, found.latency.p50) == (None, None, None)
    assert curve([]).aurc is None


def test_what_failed_is_counted_and_is_no_honest_silence_about_the_documents() -> None:
    found = figures([outcome(["a"], reason=Reason.TIMEOUT), outcome(["a"])])
    assert (found.failed, found.needless_abstentions) == (1, Rate(2, 2))
    assert reasons([outcome(reason=Reason.TIMEOUT), outcome()]) == {"timeout": 1, "weak_evidence": 1}


def test_latency_is_the_value_that_the_share_does_not_exceed() -> None:
    assert percentile([5.0, 1.0, 3.0, 2.0], 0.5) == 2.0
    assert percentile(list(map(float, range(1, 101))), 0.95) == 95.0
    assert figures([outcome(ms=10.0), outcome(ms=30.0)]).retrieve_and_grade.p95 == 15.0


def test_sources_that_no_search_found_are_named() -> None:
    assert unseen([outcome(["a", "tpyo"], found=[("a", 0.9)])]) == ["tpyo.md"]


def test_kinds_come_in_the_order_of_the_file() -> None:
    assert list(groups([outcome(kind="z"), outcome(kind="a"), outcome(kind="z")])) == ["z", "a"]


def test_the_curve_answers_the_surest_first_and_equal_scores_together() -> None:
    found = points([(0.9, False), (0.5, True), (0.5, False), (0.1, True)])
    assert [(p.threshold, p.coverage, p.risk) for p in found] == [
        (0.9, 0.25, 0.0),
        (0.5, 0.75, pytest.approx(1 / 3)),
        (0.1, 1.0, 0.5),
    ]


def test_aurc_is_the_mean_risk_over_all_coverages() -> None:
    assert aurc([(0.9, False), (0.8, True), (0.7, False), (0.6, True)]) == pytest.approx(
        (0 + 1 / 2 + 1 / 3 + 1 / 2) / 4
    )
    assert aurc([(0.9, False), (0.8, False)]) == 0.0


def test_aurc_does_not_depend_on_the_order_of_equal_scores() -> None:
    rows = [(0.5, True), (0.5, False), (0.5, False)]
    assert aurc(rows) == pytest.approx(1 / 3)
    assert aurc(rows[::-1]) == aurc(rows)


def test_auroc_counts_ties_half() -> None:
    assert auroc([0.9, 0.5], [0.5, 0.1]) == pytest.approx(3.5 / 4)
    assert auroc([0.9], []) is None


def test_the_gate_keeps_at_least_the_share_that_was_asked_for() -> None:
    scores = [n / 10 for n in range(1, 11)]
    assert threshold(scores, 0.9) == 0.2
    assert threshold(scores, 0.95) == 0.1
    assert threshold([0.4], 0.9) == 0.4


def test_the_operating_point_counts_both_ways_of_being_wrong() -> None:
    kept = [outcome(["a"], cites=["a"], found=[("a", 0.8)]) for _ in range(9)]
    wrong = outcome(["a"], cites=["b"], found=[("b", 0.9)])
    found = curve([*kept, wrong, outcome(found=[("a", 0.85)]), outcome(found=[("a", 0.2)])])
    at = found.operating[0.9]
    assert (at.threshold, at.kept, at.unanswerable, at.false_answers) == (0.8, Rate(10, 10), Rate(1, 2), Rate(2, 12))


def test_what_was_not_answered_counts_with_the_passage_that_it_would_be_answered_from() -> None:
    assert not outcome(["a"], found=[("a", 0.2), ("b", 0.1)]).wrong_if_answered
    assert outcome(["a"], found=[("b", 0.2), ("a", 0.1)]).wrong_if_answered
    assert outcome(found=[("a", 0.2)]).wrong_if_answered
