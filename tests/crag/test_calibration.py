"""The gate: signals -> probability -> verdict, and the file it is read from."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from crag.calibration import Calibration, Term, load_calibration, saved
from crag.errors import SettingsError
from crag.types import Verdict

FITTED = Calibration(
    upper=0.8,
    lower=0.4,
    terms={"logit": Term(0.5), "cosine": Term(20.0, 0.8)},
    bias=-0.25,
    grader="grader-1",
    embedder="embedder-1",
    measured_on="a test",
    date="2026-01-02",
    data="abc",
    promise={"kept": 0.9},
)


def test_the_score_is_the_logistic_of_the_weighted_signals() -> None:
    total = -0.25 + 0.5 * 1.0 + 20.0 * (0.85 - 0.8)
    assert FITTED.score({"raw": 0.73, "logit": 1.0, "cosine": 0.85}) == pytest.approx(1 / (1 + math.exp(-total)))


def test_a_better_grade_or_a_nearer_vector_never_lowers_the_score() -> None:
    base = FITTED.score({"raw": 0.5, "logit": 0.0, "cosine": 0.8})
    assert FITTED.score({"raw": 0.7, "logit": 0.85, "cosine": 0.8}) > base
    assert FITTED.score({"raw": 0.5, "logit": 0.0, "cosine": 0.81}) > base


@pytest.mark.parametrize("extreme", [-1e6, 1e6])
def test_an_extreme_signal_still_gives_a_probability(extreme: float) -> None:
    assert 0.0 <= FITTED.score({"raw": 0.5, "logit": extreme, "cosine": extreme}) <= 1.0


@pytest.mark.parametrize("features", [{}, {"raw": math.nan, "logit": math.nan, "cosine": 0.99}, {"cosine": 0.99}])
@pytest.mark.parametrize("calibration", [FITTED, Calibration.uncalibrated()])
def test_an_unreadable_grade_is_ambiguous_and_never_above_upper(
    calibration: Calibration, features: dict[str, float]
) -> None:
    score = calibration.score(features)
    assert calibration.lower <= score < calibration.upper
    assert calibration.verdict(score) is Verdict.AMBIGUOUS


@pytest.mark.parametrize("cosine", [{}, {"cosine": math.nan}])
def test_a_chunk_without_a_vector_is_scored_by_its_grade_alone(cosine: dict[str, float]) -> None:
    graded = {"raw": 0.73, "logit": 1.0}
    assert FITTED.score(graded | cosine) == pytest.approx(FITTED.score(graded | {"cosine": 0.8}))


@pytest.mark.parametrize(
    ("score", "verdict"),
    [
        (1.0, Verdict.CORRECT),
        (0.8, Verdict.CORRECT),
        (0.7999, Verdict.AMBIGUOUS),
        (0.4, Verdict.AMBIGUOUS),
        (0.3999, Verdict.INCORRECT),
        (0.0, Verdict.INCORRECT),
        (math.nan, Verdict.AMBIGUOUS),
    ],
)
def test_a_threshold_belongs_to_the_better_verdict(score: float, verdict: Verdict) -> None:
    assert FITTED.verdict(score) is verdict


@pytest.mark.parametrize("raw", [0.0, 0.3, 0.7, 1.0])
def test_without_a_fit_the_raw_probability_is_the_score(raw: float) -> None:
    assert Calibration.uncalibrated().score({"raw": raw, "logit": 99.0, "cosine": 0.9}) == raw


def test_an_uncalibrated_gate_says_so() -> None:
    gate = Calibration.uncalibrated()
    assert (gate.upper, gate.lower, gate.calibrated) == (0.7, 0.3, False)
    assert "nothing yet" in gate.measured_on


@pytest.mark.parametrize(("upper", "lower"), [(0.3, 0.7), (0.5, 0.5), (1.0, 0.2), (0.5, 0.0), (math.nan, 0.2)])
def test_thresholds_that_make_no_sense_are_refused(upper: float, lower: float) -> None:
    with pytest.raises(SettingsError, match="0 < lower < upper < 1"):
        Calibration(upper=upper, lower=lower)


def test_the_measured_models_match() -> None:
    assert FITTED.mismatch("grader-1", "embedder-1") == ""
    assert Calibration.uncalibrated().mismatch("anything", "else") == ""


def test_other_models_are_named_in_one_sentence() -> None:
    sentence = FITTED.mismatch("grader-2", "embedder-1")
    assert "grader-2" in sentence
    assert "grader-1" in sentence
    assert "embedder" not in sentence
    assert "embedder-9" in FITTED.mismatch("grader-2", "embedder-9")


def test_a_saved_calibration_is_read_back_equal(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(saved(FITTED), encoding="utf-8")
    assert load_calibration(path) == FITTED


def test_a_missing_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no calibration at .*gone\.json.*fit_calibration"):
        load_calibration(tmp_path / "gone.json")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"upper": 0.8}',
        '{"upper": "high", "lower": 0.2}',
        '{"upper": true, "lower": 0.2}',
        '{"upper": NaN, "lower": 0.2}',
        '{"upper": 0.2, "lower": 0.8}',
        '{"upper": 0.8, "lower": 0.2, "terms": {"logit": 3}}',
        '{"upper": 0.8, "lower": 0.2, "terms": {"logit": {}}}',
        '{"upper": 0.8, "lower": 0.2, "terms": [1]}',
        '{"upper": 0.8, "lower": 0.2, "promise": {"a": "b"}}',
    ],
)
def test_a_broken_file_is_a_settings_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError):
        load_calibration(path)


def test_a_file_that_is_not_text_is_a_settings_error(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(SettingsError, match="can't be read"):
        load_calibration(path)


def test_the_file_is_plain_json_with_the_thresholds_on_top() -> None:
    found = json.loads(saved(FITTED))
    assert list(found)[:2] == ["upper", "lower"]
    assert found["terms"]["cosine"] == {"weight": 20.0, "center": 0.8}
