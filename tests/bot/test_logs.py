import asyncio
import json
import logging
from datetime import datetime
from typing import Any

import pytest

from bot.logs import about, logging_to_stderr
from config.settings import load, secrets

log = logging.getLogger("candor.test")


def logged(level: str, capture: pytest.CaptureFixture[str]) -> str:
    with logging_to_stderr(level):
        try:
            raise ZeroDivisionError("first\nsecond \x1b]0;owned\x07")
        except ZeroDivisionError:
            log.exception("It failed: %s", "\x1b[31mred\nline")
    return capture.readouterr().err


def test_a_record_is_one_line_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    text = logged("WARNING", capsys)
    assert text.endswith("ERROR candor.test: It failed: red line ZeroDivisionError: first second\n")
    assert text.count("\n") == 1


def test_debug_shows_the_traceback_and_still_no_control_character(capsys: pytest.CaptureFixture[str]) -> None:
    text = logged("DEBUG", capsys)
    assert "Traceback" in text
    assert "\x1b" not in text


def test_what_is_below_the_level_is_not_logged(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to_stderr("ERROR"):
        log.warning("not this")
    assert capsys.readouterr().err == ""


def test_at_info_libraries_do_not_log_each_request(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to_stderr("INFO"):
        logging.getLogger("httpx").info("HTTP Request")
        log.info("answer in 840 ms")
    with logging_to_stderr("DEBUG"):
        logging.getLogger("httpx").info("HTTP Request now")
    text = capsys.readouterr().err
    assert "HTTP Request\n" not in text
    assert "answer in 840 ms" in text
    assert "HTTP Request now" in text


def structured(level: str, capture: pytest.CaptureFixture[str], **more: Any) -> list[dict[str, str]]:
    with logging_to_stderr(level, structured=True, **more):
        with about("q1"):
            log.warning("Asked with %s\nand xoxb-1234567890-abcdefgh", "hunter22")
        try:
            raise ZeroDivisionError("a\nb")
        except ZeroDivisionError:
            log.exception("It failed.")
    return [json.loads(line) for line in capture.readouterr().err.splitlines()]


def test_for_programs_a_record_is_one_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    asked, failed = structured("WARNING", capsys)
    assert (asked["level"], asked["logger"], asked["id"]) == ("WARNING", "candor.test", "q1")
    assert datetime.fromisoformat(asked["time"]).tzinfo
    assert "id" not in failed
    assert failed["error"] == "ZeroDivisionError: a\nb"


def test_debug_has_the_traceback_in_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Traceback" in structured("DEBUG", capsys)[1]["error"]


def test_secrets_are_blacked_out_by_shape_and_by_value(capsys: pytest.CaptureFixture[str]) -> None:
    asked, _ = structured("WARNING", capsys, secrets=["hunter22"])
    assert asked["message"].startswith("Asked with [redacted]\nand ")
    assert "1234567890" not in asked["message"]
    with logging_to_stderr("WARNING", secrets=["hunter22"]):
        log.warning("Asked with hunter22 and xoxb-1234567890-abcdefgh")
    text = capsys.readouterr().err
    assert "Asked with [redacted] and " in text
    assert "1234567890" not in text


def test_a_quote_in_a_secret_is_no_way_around(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_to_stderr("WARNING", structured=True, secrets=['pass"word\\1']):
        log.warning("Asked with %s", 'pass"word\\1')
    assert json.loads(capsys.readouterr().err)["message"] == "Asked with [redacted]"


async def test_one_id_goes_from_the_question_through_every_task(capsys: pytest.CaptureFixture[str]) -> None:
    async def work(name: str) -> None:
        with about(name):
            await asyncio.create_task(step())

    async def step() -> None:
        await asyncio.sleep(0)
        log.warning("a step")

    with logging_to_stderr("WARNING"):
        await asyncio.gather(work("q1"), work("q2"))
    lines = capsys.readouterr().err.splitlines()
    assert sorted(line.partition(": ")[2] for line in lines) == ["[q1] a step", "[q2] a step"]


def test_every_secret_setting_is_known_to_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLACK__BOT_TOKEN", "SLACK__APP_TOKEN", "WRITER__API_KEY", "GRADER__LLM__API_KEY"):
        monkeypatch.setenv(f"CANDOR_{name}", f"xoxb-xapp-{name}")
    monkeypatch.setenv("CANDOR_DISCORD__TOKEN", "short")
    assert len(secrets(load().settings)) == 4
