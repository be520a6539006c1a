import json
import logging
import subprocess
import sys
from argparse import Namespace
from pathlib import Path

import pytest

import bot.commands.discord
import bot.commands.serve
import bot.commands.slack  # noqa: F401 - all three are replaced by name
from bot.cli import SERVING, main
from bot.context import Context
from bot.exits import Exit
from tests.bot.conftest import CommandLine

CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("arguments", [["fly"], ["ask"], ["index"], ["ask", "--history"], ["status", "--fast"]])
def test_a_command_line_that_is_not_understood_ends_with_2_and_shows_how_to_write_it(
    candor: CommandLine, arguments: list[str]
) -> None:
    run = candor(*arguments)
    assert (run.code, run.out) == (2, "")
    assert "usage: candor" in run.err


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 0
    assert "candor COMMAND" in capsys.readouterr().out.replace("[-h] [--version] ", "")


def test_wrong_usage_with_json_is_json(candor: CommandLine) -> None:
    run = candor("status", "--fast", "--json")
    assert (run.code, run.json["kind"], run.json["code"], run.json["exit"]) == (2, "error", "usage", 2)


def test_a_wrong_setting_ends_with_2_before_anything_is_opened(
    candor: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CANDOR_CRAG__MAX_REWRITES", "5")
    run = candor("ask", "Who?")
    assert run.code == 2
    assert "CANDOR_CRAG__MAX_REWRITES is " in run.err
    assert candor.parts.events == []
    run = candor("ask", "Who?", "--json")
    assert (run.code, run.json["code"]) == (2, "settings")


def test_a_missing_calibration_ends_with_2(candor: CommandLine, place: Path) -> None:
    (place / "calibration.json").unlink()
    run = candor("ask", "Who?")
    assert run.code == 2
    assert "There is no calibration" in run.err.replace("\n", " ")


@pytest.mark.parametrize("command", SERVING)
@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_reads_a_log_of_plain_lines_and_a_program_json(
    candor: CommandLine, monkeypatch: pytest.MonkeyPatch, command: str, terminal: bool
) -> None:
    async def run(context: Context, arguments: Namespace) -> Exit:
        logging.getLogger("bot.desk").warning("Slack is slow")
        context.screen.say("Candor serves.")
        return Exit.OK

    monkeypatch.setattr(f"bot.commands.{command}.run", run)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    slow, serving = candor(command).err.splitlines()
    if terminal:
        assert slow.endswith(" WARNING bot.desk: Slack is slow")
        assert "Candor serves." in serving
    else:
        assert json.loads(slow)["message"] == "Slack is slow"
        assert json.loads(serving)["message"] == "Candor serves."


def test_version_is_that_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("candor 0.")


@pytest.mark.parametrize("arguments", [["--help"], ["config"]])
def test_help_and_config_load_no_model_and_no_vendor(arguments: list[str]) -> None:
    code = (
        "import sys; from bot.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], cwd=CHECKOUT, capture_output=True, text=True)
    loaded = set(done.stderr.split())
    assert "bot.cli" in loaded
    for vendor in ("onnxruntime", "weaviate", "numpy", "openai", "ollama", "torch", "aiohttp", "prompt_toolkit"):
        assert vendor not in loaded


def test_the_script_runs_from_another_directory_with_packages_of_the_same_names(tmp_path: Path) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "__init__.py").write_text("raise SystemExit('wrong package')")
    link = tmp_path / "a link"
    link.symlink_to(CHECKOUT / "candor")
    done = subprocess.run([link, "--version"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("candor 0.")


def test_config_shows_values_origins_and_no_secrets(candor: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_WRITER__API_KEY", "sk-secret")
    run = candor("config")
    assert run.code == 0
    assert "CANDOR_WRITER__API_KEY=********  # from the environment\n" in run.out
    assert "CANDOR_CRAG__ALPHA" not in run.out
    assert "candor config --all" in run.err
    assert "CANDOR_CRAG__ALPHA=0.5\n" in candor("config", "--all").out
    found = {row["name"]: row for row in candor("config", "--json").json["settings"]}
    assert found["CANDOR_WRITER__API_KEY"]["value"] == "********"
    assert found["CANDOR_CRAG__ALPHA"]["origin"] == "default"


def test_a_reader_that_goes_away_causes_no_traceback() -> None:
    shell = f"'{CHECKOUT / 'candor'}' config | true"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True)
    assert done.stderr == ""


def test_piped_output_has_no_control_characters(candor: CommandLine) -> None:
    for arguments in (["ask", "How many vacation days carry over?"], ["grade", "Who?"], ["status"], ["config"]):
        run = candor(*arguments)
        assert all(c == "\n" or c.isprintable() for c in run.out + run.err)
