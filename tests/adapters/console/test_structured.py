import json
import math
from dataclasses import replace

from adapters.console.structured import SCHEMA, dumps, grade_data, reply_data
from tests.adapters.console import samples


def test_an_answer_carries_its_citations_and_its_trace() -> None:
    found = json.loads(dumps("reply", reply_data(samples.answered())))
    assert (found["schema"], found["kind"], found["outcome"]) == (SCHEMA, "reply", "answered")
    assert (found["band"], found["support"]) == ("CORRECT", "FULL")
    assert [c["number"] for c in found["citations"]] == [1, 2]
    assert found["citations"][0]["link"] == "people/leave-1.md#carrying-over"
    assert [g["verdict"] for g in found["trace"]["grades"]] == ["CORRECT", "AMBIGUOUS", "INCORRECT"]
    assert found["trace"]["timings_ms"]["search"] == 8.4


def test_an_abstention_carries_its_reason_code_and_the_nearest() -> None:
    found = json.loads(dumps("reply", reply_data(samples.abstained())))
    assert (found["outcome"], found["reason"]) == ("abstained", "weak_evidence")
    assert len(found["nearest"]) == 2
    assert found["notes"] == []
    assert reply_data(samples.abstained_on_a_follow_up())["notes"] == [samples.READ_AS]


def test_a_grade_says_whether_it_is_one_and_what_a_language_model_said() -> None:
    found = grade_data(samples.UNGRADED)
    assert (found["graded"], found["raw"], found["adjudicated"]) == (False, None, None)
    assert found["reason"] == "not graded: ranked below the best 3 by similarity"
    found = grade_data(replace(samples.GRADES[1], adjudicated=0.91234))
    assert (found["graded"], found["adjudicated"]) == (True, 0.9123)


def test_small_talk_is_a_courtesy() -> None:
    assert reply_data(samples.courtesy())["outcome"] == "courtesy"


def test_a_score_that_is_no_number_becomes_null() -> None:
    trace = replace(samples.TRACE, grades=(replace(samples.GRADES[0], score=math.nan),))
    found = json.loads(dumps("reply", reply_data(replace(samples.answered(), trace=trace))))
    assert found["trace"]["grades"][0]["score"] is None


def test_json_holds_no_control_character_even_before_it_is_parsed() -> None:
    text = dumps("reply", reply_data(samples.hostile()))
    assert all(c == "\n" or 32 <= ord(c) < 127 for c in text)
    assert "\\u001b" not in text
