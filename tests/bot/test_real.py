"""The command line on real models and a real Weaviate."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adapters.weaviate.address import Address
from bot.cli import main
from tests.bot.conftest import Run

pytestmark = pytest.mark.weaviate
CHECKOUT = Path(__file__).resolve().parents[2]
LEAVE = """# Annual leave

## Carrying over

Up to eight unused vacation days move into the next year. They lapse on 30 June.

## How much

Everybody on a full-time contract has 27 days of paid vacation in a calendar year.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "leave.md").write_text(LEAVE)
    (folder / "canteen.md").write_text("# Canteen\n\nThe canteen opens at noon. It takes cards only.\n")
    return folder


@pytest.fixture
def server(weaviate_server: Address, weaviate_collection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's server, by its address."""
    for name, value in {
        "MODE": "server",
        "URL": f"http://{weaviate_server.host}:{weaviate_server.http_port}",
        "GRPC_PORT": weaviate_server.grpc_port,
        "API_KEY": weaviate_server.api_key,
        "COLLECTION": weaviate_collection,
    }.items():
        monkeypatch.setenv(f"CANDOR_WEAVIATE__{name}", str(value))


def candor(capture: pytest.CaptureFixture[str], *arguments: str) -> Run:
    code = main(arguments)
    out, err = capture.readouterr()
    return Run(code, out, err)


@pytest.mark.usefixtures("server")
def test_from_a_folder_to_an_answer_and_to_an_abstention_when_the_file_is_gone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    question = "How many unused vacation days move into the next year?"
    assert candor(capsys, "ask", question, "--json").json["reason"] == "index_missing"
    assert candor(capsys, "index", str(folder), "--json").json["added"] == ["docs/canteen.md", "docs/leave.md"]
    answered = candor(capsys, "ask", question, "--json")
    assert (answered.code, answered.json["outcome"]) == (0, "answered")
    assert "eight unused vacation days" in answered.json["text"]
    assert answered.json["citations"][0]["link"] == "docs/leave.md#carrying-over"
    assert candor(capsys, "status", "--json").json["documents"] == 2
    doctor = candor(capsys, "doctor", "--json").json["checks"]
    assert {check["name"]: check["outcome"] for check in doctor}["index"] == "ok"
    (folder / "leave.md").unlink()
    assert candor(capsys, "index", str(folder), "--json").json["removed"] == ["docs/leave.md"]
    assert candor(capsys, "ask", question).code == 3


@pytest.mark.usefixtures("server")
def test_the_demo_s_tour_shows_what_it_promises_and_a_second_start_indexes_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANDOR_CRAG__CALIBRATION", str(CHECKOUT / "config" / "calibration.json"))
    pages = sum(file.is_file() for file in (CHECKOUT / "examples" / "handbook").rglob("*"))
    stops = json.loads((CHECKOUT / "examples" / "tour.json").read_text())["stops"]
    first = candor(capsys, "demo")
    assert first.code == 0, first.err
    assert f"{pages} new; " in first.err
    assert [f"> {stop['question']}" in first.out for stop in stops] == [True] * len(stops)
    assert "INCORRECT, dropped" in first.out
    again = candor(capsys, "demo")
    assert again.code == 0, again.err
    assert f"{pages} unchanged." in again.err


def test_a_server_that_is_not_there_is_a_sentence_within_the_deadline(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"MODE": "server", "URL": "http://127.0.0.1:9", "GRPC_PORT": "10", "DEADLINE_S": "1"}.items():
        monkeypatch.setenv(f"CANDOR_WEAVIATE__{name}", value)
    run = candor(capsys, "ask", "How many vacation days carry over?")
    assert run.code == 1
    assert run.out.startswith("I can't search right now\nI can't reach the document search right now. Please try again")
    assert "Traceback" not in run.err
    told = candor(capsys, "ask", "How many vacation days carry over?", "--json").json
    assert told["reason"] == "search_unavailable"
    assert told["trace"]["failures"][0].startswith("Weaviate at http://127.0.0.1:9 (gRPC 10) can't be reached.")
    assert 1000 <= told["trace"]["timings_ms"]["search"] < 2000


def alive(pid: int) -> bool:
    """Whether it runs; one that has ended and waits to be reaped doesn't."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return done.stdout.strip()[:1] not in ("", "Z")


def ends(pid: int, within_s: float = 10.0) -> bool:
    end = time.monotonic() + within_s
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not alive(pid)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_embedded_server_too(tmp_path: Path, number: signal.Signals) -> None:
    data = tmp_path / "data of mine"
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "chat"],
        cwd=CHECKOUT,
        env={**os.environ, "CANDOR_WEAVIATE__DATA_DIRECTORY": str(data)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        assert "Nothing is indexed yet" in process.stdout.readline()
        state = json.loads((data / "server.json").read_text())
        assert alive(state["server"])
        process.send_signal(number)
        assert process.wait(timeout=30) in (130, 143)
    finally:
        process.kill()
        _, err = process.communicate()
    assert "Traceback" not in err
    assert ends(state["server"])
    assert ends(state["supervisor"])
