import io
import json
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from crag.errors import SearchError
from crag.llm import failures
from tests.bot.conftest import CommandLine
from tests.bot.house import Parts
from tests.fakes.language_model import ScriptedLanguageModel

Setting = Callable[[str, str], None]

KNOWN = "How many vacation days carry over?"
UNKNOWN = "Which colour has the moon rocket?"


def test_an_answer_is_printed_with_its_source_and_ends_with_0(candor: CommandLine) -> None:
    run = candor("ask", KNOWN)
    assert run.code == 0
    assert "Five vacation days carry over" in run.out
    assert "Well supported\n[1] Leave\n    leave.md\n" in run.out


@pytest.mark.parametrize("command", ["ask", "grade"])
def test_a_question_needs_no_quotes(candor: CommandLine, command: str) -> None:
    run = candor(command, *KNOWN.split(), "--json")
    assert (run.code, run.json["question"]) == (0, KNOWN)


def test_what_is_not_known_ends_with_3(candor: CommandLine) -> None:
    run = candor("ask", UNKNOWN)
    assert run.code == 3
    assert run.out.startswith("I don't know\n")


def test_json_is_one_object_on_standard_output(candor: CommandLine) -> None:
    run = candor("ask", KNOWN, "--json")
    assert run.code == 0
    assert (run.json["schema"], run.json["kind"], run.json["outcome"]) == (1, "reply", "answered")
    assert run.json["citations"][0]["path"] == "leave.md"
    assert run.json["trace"]["generation"] == "Candor_1"


def test_progress_goes_to_standard_error(candor: CommandLine) -> None:
    run = candor("ask", KNOWN)
    assert "Starting Weaviate" in run.err
    assert "Starting Weaviate" not in run.out


def test_what_was_started_is_stopped(candor: CommandLine) -> None:
    candor("ask", KNOWN)
    assert candor.parts.events == ["server started", "server stopped"]


@pytest.mark.parametrize("command", ["ask", "grade"])
@pytest.mark.parametrize("question", ["", "   ", "?!", "🙂🙂"])
def test_a_question_without_words_is_wrong_usage(candor: CommandLine, command: str, question: str) -> None:
    run = candor(command, question, "--json")
    assert (run.code, run.json["reason"]) == (2, "empty_question")
    assert candor.parts.events == []


def test_a_question_of_ten_thousand_characters_is_wrong_usage(candor: CommandLine) -> None:
    run = candor("ask", "why " * 2500, "--json")
    assert (run.code, run.json["reason"]) == (2, "question_too_long")
    assert candor.parts.events == []


def test_small_talk_starts_nothing(candor: CommandLine) -> None:
    run = candor("ask", "hello", "--json")
    assert (run.code, run.json["outcome"], run.json["trace"]["states"]) == (0, "courtesy", ["received", "courtesy"])
    assert candor.parts.events == []


def test_nothing_indexed_is_a_failure_that_says_what_to_do(candor: CommandLine) -> None:
    candor.parts = Parts()
    run = candor("ask", KNOWN)
    assert run.code == 1
    assert "candor index" in run.out


def test_an_index_of_another_model_is_a_failure_that_says_what_to_do(candor: CommandLine) -> None:
    candor.parts.embedder.model = "another-embedder"
    run = candor("ask", KNOWN)
    assert run.code == 1
    assert "--full" in run.out


def test_a_server_that_does_not_start_is_a_sentence_and_ends_with_1(candor: CommandLine) -> None:
    candor.parts.unreachable = SearchError("Weaviate could not be started: no binary.", advice="Its log is there.")
    run = candor("ask", KNOWN)
    assert (run.code, run.out) == (1, "")
    assert run.err == "Weaviate could not be started: no binary.\nIts log is there.\n"
    run = candor("ask", KNOWN, "--json")
    assert run.json == {
        "schema": 1,
        "kind": "error",
        "code": "service",
        "exit": 1,
        "message": "Weaviate could not be started: no binary.",
        "advice": "Its log is there.",
    }


def test_a_search_that_fails_is_a_sentence_and_ends_with_1(candor: CommandLine) -> None:
    def fail(operation: str) -> None:
        if operation == "search":
            raise SearchError("No answer.")

    candor.parts.database.on_call = fail
    run = candor("ask", KNOWN, "--json")
    assert (run.code, run.json["reason"]) == (1, "search_unavailable")


def test_a_mistake_in_candor_is_a_sentence_without_a_traceback(candor: CommandLine) -> None:
    candor.parts.unreachable = ZeroDivisionError("oops")
    run = candor("ask", KNOWN)
    assert run.code == 1
    assert "ZeroDivisionError: oops" in run.err
    assert "Traceback" not in run.err


def test_the_history_goes_along(candor: CommandLine) -> None:
    history = '["How many vacation days carry over?", "Five [1]."]'
    run = candor("ask", "And when do they lapse?", "--history", history, "--json")
    assert run.code == 0
    assert "vacation days" in run.json["trace"]["standalone"]


def test_a_question_of_the_history_that_found_nothing_lends_no_words(candor: CommandLine) -> None:
    history = json.dumps([KNOWN, "Five [1].", UNKNOWN, "I don't know. I searched 3 documents."])
    run = candor("ask", "And when do they lapse?", "--history", history, "--json")
    assert "vacation days" in run.json["trace"]["standalone"]
    assert "rocket" not in run.json["trace"]["standalone"]


@pytest.mark.parametrize("history", ["not json", '{"a": 1}', "[1, 2]"])
def test_a_history_that_is_no_list_of_texts_is_wrong_usage(candor: CommandLine, history: str) -> None:
    run = candor("ask", KNOWN, "--history", history, "--json")
    assert (run.code, run.json["code"]) == (2, "usage")


def test_the_question_can_come_from_standard_input(candor: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(KNOWN.encode() + b"\xff\n")))
    assert candor("ask", "-").code == 0


def test_grade_shows_every_passage_and_ends_with_0_even_if_none_is_good(candor: CommandLine) -> None:
    run = candor("grade", UNKNOWN)
    assert run.code == 0
    assert run.out.startswith("I don't know: ")
    assert run.out.count("INCORRECT, dropped") == 3
    assert "below the lower threshold 0.300" in run.out


def test_grade_says_what_was_not_graded_and_can_grade_all(candor: CommandLine, setting: Setting) -> None:
    setting("CRAG__GRADED", "1")
    setting("CRAG__MAX_REWRITES", "0")
    run = candor("grade", KNOWN)
    assert run.out.count("not graded: ranked below the best 1 by similarity") == 2
    assert "Graded    1 of 3 passages\n" in run.out
    assert [g["graded"] for g in candor("grade", KNOWN, "--json").json["trace"]["grades"]] == [True, False, False]
    run = candor("grade", KNOWN, "--deep")
    assert "not graded" not in run.out
    assert "below the lower threshold" in run.out


def test_grade_can_judge_one_passage_that_is_not_indexed(candor: CommandLine) -> None:
    run = candor("grade", KNOWN, "--text", "Nine vacation days carry over.")
    assert run.code == 0
    assert run.out.startswith("Verdict  CORRECT\n")
    run = candor("grade", KNOWN, "--text", "The moon is round.", "--json")
    assert (run.json["kind"], run.json["verdict"], run.json["upper"]) == ("grade", "INCORRECT", 0.6)


def test_grade_reads_a_passage_from_standard_input(candor: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b"Nine vacation days carry over.")))
    assert "CORRECT" in candor("grade", KNOWN, "--text", "-").out
    assert candor("grade", "-", "--text", "-").code == 2


def test_grade_without_a_passage_is_wrong_usage(candor: CommandLine) -> None:
    assert candor("grade", KNOWN, "--text", " ").code == 2


def test_plain_retrieval_says_that_nothing_was_checked(candor: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_CRAG__ENABLED", "false")
    out = candor("ask", KNOWN).out
    assert "Partly supported\nGrading is switched off" in out


def test_a_refused_key_is_told_with_the_answer_and_the_log_names_the_setting(
    candor: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANDOR_WRITER__KIND", "ollama")
    monkeypatch.setenv("CANDOR_WRITER__MODEL", "m")
    refusal = failures.refused(401, model="m", at="https://llm.example", key_setting="CANDOR_WRITER__API_KEY")
    candor.parts.model = ScriptedLanguageModel(refusal)
    run = candor("ask", "How many vacation days carry over?")
    told = " ".join(run.out.split())
    assert "The language model's server at https://llm.example refused the key (HTTP 401). So I quote" in told
    assert "Five vacation days carry over" in told
    assert run.err.count("Check CANDOR_WRITER__API_KEY.") == 1
