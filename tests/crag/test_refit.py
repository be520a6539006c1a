import pytest

from crag.calibration import Calibration, Term
from crag.refit import Example, refitted

SHIPPED = Calibration(0.7, 0.3, terms={"logit": Term(1.0, 0.0), "cosine": Term(5.0, 0.75)}, bias=-1.0)


def examples(count: int, *, turned: bool = False) -> list[Example]:
    good, bad = {"raw": 0.9, "logit": 2.0, "cosine": 0.85}, {"raw": 0.1, "logit": -2.0, "cosine": 0.7}
    rows = [Example(good, not turned), Example(bad, turned), Example({"raw": 0.5, "logit": 0.0}, True)]
    return rows * (count // 3)


def test_few_questions_move_the_weights_little_and_many_move_them_far() -> None:
    few, many = refitted(SHIPPED, examples(3, turned=True)), refitted(SHIPPED, examples(600, turned=True))
    assert few.terms["logit"].weight == pytest.approx(1.0, abs=0.3)
    assert many.terms["logit"].weight < 0 < few.terms["logit"].weight
    assert many.bias > few.bias > SHIPPED.bias


def test_scores_fit_what_was_seen() -> None:
    fitted = refitted(SHIPPED, examples(900))
    assert fitted.score({"raw": 0.9, "logit": 2.0, "cosine": 0.85}) > 0.95
    assert fitted.score({"raw": 0.1, "logit": -2.0, "cosine": 0.7}) < 0.05
    assert fitted.score({"raw": 0.5, "logit": 0.0}) > 0.5


def test_what_can_not_be_fitted_stays_as_it_is() -> None:
    plain = Calibration.uncalibrated()
    assert refitted(plain, examples(30)) is plain
    assert refitted(SHIPPED, [Example({"raw": 0.9, "logit": 2.0}, True)]) is SHIPPED
    assert refitted(SHIPPED, []) is SHIPPED
