"""`candor serve`, `candor slack` and `candor discord`, with platforms that need no network."""

import asyncio
import logging
import signal
from argparse import Namespace
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from bot.commands import discord, serve, slack
from bot.context import Context, Screen
from bot.exits import Exit
from bot.interrupts import Interrupts
from config.settings import load
from crag import wording
from crag.errors import CandorError, SettingsError
from crag.llm import failures
from crag.platform import StatusView
from tests.bot.conftest import CommandLine
from tests.bot.house import Parts
from tests.fakes.journal import FakeJournal
from tests.fakes.platform import ANN, CHANNEL, FakeBot, FakeScreen, asking

COMMANDS = {"serve": serve.run, "slack": slack.run, "discord": discord.run}
QUESTION = "How many vacation days carry over?"
Set = Callable[[str, str], None]


class Heard(Screen):
    """Keeps what it is told to say."""

    said: list[str]

    def say(self, text: str, level: int = logging.INFO) -> None:
        self.said.append(text)


@dataclass
class Service:
    """A running command."""

    context: Context
    task: asyncio.Task[Exit]
    said: list[str]

    async def until(self, text: str) -> str:
        async with asyncio.timeout(10):
            while not (found := [line for line in self.said if text in line]):
                assert not self.task.done(), await self.task
                await asyncio.sleep(0.005)
        return found[0]

    async def asked(self, path: str) -> tuple[int, str]:
        address = (await self.until("Health at")).split()[2].removesuffix("/healthz")
        async with aiohttp.ClientSession() as session, session.get(f"{address}/{path}") as response:
            return response.status, await response.text()

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> Exit:
        self.context.interrupts.received = number
        self.task.cancel()
        return await self.task


@asynccontextmanager
async def running(parts: Parts, command: str = "serve") -> AsyncIterator[Service]:
    screen = Heard()
    screen.said = []
    context = Context(screen, load(), Interrupts(), parts.wiring)
    service = Service(context, asyncio.create_task(COMMANDS[command](context, Namespace())), screen.said)
    try:
        yield service
    finally:
        service.task.cancel()
        await asyncio.wait([service.task])


@pytest.fixture
def parts(setting: Set) -> Parts:
    """Slack and Discord configured, all channels served."""
    setting("SERVE__PORT", "0")
    setting("SLACK__BOT_TOKEN", "xoxb-1")
    setting("SLACK__APP_TOKEN", "xapp-1")
    setting("DISCORD__TOKEN", "d")
    setting("CHANNELS__DEFAULT__SERVED", "true")
    made = Parts.filled()
    made.records = FakeJournal()
    made.bots = {name: FakeBot(name) for name in ("slack", "discord")}
    return made


async def test_a_question_is_answered_from_the_documents_and_shows_in_the_metrics(parts: Parts) -> None:
    async with running(parts) as service:
        await service.until("Candor is ready.")
        screen = FakeScreen()
        desk = parts.bots["slack"].desk
        assert desk
        await desk.ask(asking(QUESTION), screen)
        assert "Five vacation days carry over" in screen.answer.text
        status, page = await service.asked("metrics")
        assert status == 200
        for line in (
            'crag_actions_total{action="generate"} 1.0',
            'candor_questions_total{outcome="answered"} 1.0',
            'candor_stage_seconds_count{stage="search"} 1.0',
            'candor_platform_connected{platform="slack"} 1.0',
            'candor_platform_connected{platform="discord"} 1.0',
            "candor_journal_lost_total 0.0",
            "candor_queue_depth 0.0",
        ):
            assert line in page
        assert "U1" not in page
        assert "C1" not in page
        assert await service.stop() is Exit.OK


async def test_ready_means_that_every_platform_is_connected(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.health.FRESH_S", 0.0)
    async with running(parts) as service:
        await service.until("Candor is ready.")
        assert (await service.asked("readyz"))[0] == 200
        parts.bots["discord"].connected = False
        status, said = await service.asked("readyz")
        assert status == 503
        assert "Discord is not connected." in said
        assert (await service.asked("healthz"))[0] == 200


async def test_stopping_is_unready_takes_no_questions_and_finishes_those_that_run(parts: Parts) -> None:
    parts.grader.delay = 0.15
    async with running(parts) as service:
        await service.until("Candor is ready.")
        desk, screen = parts.bots["slack"].desk, FakeScreen()
        assert desk
        question = asyncio.create_task(desk.ask(asking(QUESTION), screen))
        await asyncio.sleep(0.05)
        stopping = asyncio.create_task(service.stop())
        await asyncio.sleep(0.02)
        assert (await service.asked("readyz"))[0] == 503
        assert not any(bot.intake for bot in parts.bots.values())
        assert await stopping is Exit.OK
        await question
    assert screen.replies
    assert "Candor has stopped." in service.said[-1]
    assert parts.events == ["server started", "server stopped"]


async def test_what_was_left_unanswered_is_answered_after_the_start(parts: Parts) -> None:
    before = FakeJournal()
    await before.open(asking(QUESTION))
    parts.records = FakeJournal(before.kept)
    async with running(parts) as service:
        await service.until("Candor is ready.")
        screen = parts.bots["slack"].screen_for(asking(QUESTION))
        await asyncio.sleep(0.05)
        await service.stop()
    assert "Five vacation days" in screen.answer.text


@pytest.mark.parametrize(("command", "opened"), [("slack", ["slack"]), ("discord", ["discord"])])
async def test_one_platform_runs_alone(parts: Parts, command: str, opened: list[str]) -> None:
    async with running(parts, command) as service:
        await service.until("Candor is ready.")
        await asyncio.sleep(0)
        assert [name for name, bot in parts.bots.items() if bot.running] == opened


async def test_without_a_token_the_command_names_the_setting(setting: Set) -> None:
    async with running(Parts.filled(), "discord") as service:
        with pytest.raises(SettingsError, match=r"CANDOR_DISCORD__TOKEN is not set. docs/discord.md"):
            await service.task


async def test_with_nothing_configured_serve_says_what_to_set_and_is_not_ready(setting: Set) -> None:
    setting("SERVE__PORT", "0")
    async with running(Parts.filled()) as service:
        assert "CANDOR_SLACK__BOT_TOKEN" in await service.until("No platform is configured")
        status, told = await service.asked("readyz")
        assert status == 503
        assert "No platform is configured, so nobody can ask yet." in told
        assert (await service.asked("healthz"))[0] == 200
        assert "start again" in service.said[-1]
        assert "Candor is ready." not in service.said


async def test_with_no_channel_configured_serve_says_so(parts: Parts, setting: Set) -> None:
    setting("CHANNELS__DEFAULT__SERVED", "false")
    async with running(parts) as service:
        assert "CANDOR_CHANNELS__DEFAULT__SERVED=true" in await service.until("No channel is configured")


async def test_a_platform_that_ends_leaves_the_other_and_the_last_one_ends_the_command(parts: Parts) -> None:
    parts.bots["slack"].error = CandorError("Slack has revoked the token.")
    parts.bots["discord"].error = CandorError("Discord has revoked the token.")
    async with running(parts) as service:
        await service.until("Candor is ready.")
        parts.bots["slack"].end.set()
        await asyncio.sleep(0.02)
        assert not service.task.done()
        parts.bots["discord"].end.set()
        with pytest.raises(CandorError, match=r"Discord has revoked the token\."):
            await service.task


async def test_a_platform_that_cannot_be_opened_ends_the_start(parts: Parts) -> None:
    @asynccontextmanager
    async def refused(desk: object) -> AsyncIterator[FakeBot]:
        raise SettingsError("Slack refuses CANDOR_SLACK__BOT_TOKEN.")
        yield FakeBot()

    parts.bots["slack"].opened = refused  # type: ignore[method-assign]
    async with running(parts) as service:
        with pytest.raises(SettingsError, match="Slack refuses"):
            await service.task
    assert parts.events[-1] == "server stopped"


async def test_a_refused_key_is_told_to_members_and_admins_are_told_which_setting_it_is(
    parts: Parts, setting: Set, caplog: pytest.LogCaptureFixture
) -> None:
    from tests.fakes.language_model import ScriptedLanguageModel

    refusal = failures.refused(401, model="m", at="https://llm.example", key_setting="CANDOR_WRITER__API_KEY")
    parts.model = model = ScriptedLanguageModel(refusal)
    for name, value in (("WRITER__KIND", "ollama"), ("WRITER__MODEL", "m"), ("SLACK__ADMINS", "U1")):
        setting(name, value)
    async with running(parts) as service:
        await service.until("Candor is ready.")
        desk, screens = parts.bots["slack"].desk, [FakeScreen() for _ in range(3)]
        assert desk

        async def problems() -> tuple[str, ...]:
            status = await desk.status(ANN, CHANNEL)
            assert isinstance(status, StatusView)
            return status.problems

        await desk.ask(asking(QUESTION, "1"), screens[0])
        await desk.ask(asking(QUESTION, "2"), screens[1])
        assert await problems() == (f"The last call of the language model scripted failed: {refusal}",)
        model.script = "Five vacation days carry over [1]."
        await desk.ask(asking(QUESTION, "3"), screens[2])
        assert await problems() == ()
        await service.stop()
    said = wording.quoting_instead("The language model's server at https://llm.example refused the key (HTTP 401).")
    assert [said in screen.answer.notes for screen in screens] == [True, True, False]
    assert [str(refusal) in record.getMessage() for record in caplog.records].count(True) == 1
    assert "Check CANDOR_WRITER__API_KEY." in str(refusal)


async def test_beyond_the_cap_nothing_is_asked_of_the_language_model(parts: Parts, setting: Set) -> None:
    from tests.fakes.language_model import ScriptedLanguageModel

    parts.model = model = ScriptedLanguageModel("Five vacation days carry over [1].")
    for name, value in (
        ("WRITER__KIND", "ollama"),
        ("WRITER__MODEL", "m"),
        ("LIMITS__LLM_CALLS_PER_DAY", "1"),
        ("SLACK__ADMIN_CHANNEL", "CADMIN"),
    ):
        setting(name, value)
    async with running(parts) as service:
        await service.until("Candor is ready.")
        desk, first, second = parts.bots["slack"].desk, FakeScreen(), FakeScreen()
        assert desk
        await desk.ask(asking(QUESTION, "1"), first)
        await desk.ask(asking(QUESTION, "2"), second)
        await service.stop()
    assert len(model.prompts) == 1
    assert first.replies[0].trace.models["writer"] == "scripted"
    assert "Today's limit of calls to the language model is used up" in second.answer.notes[0]
    assert "Five vacation days carry over" in second.answer.text
    assert [channel for channel, _ in parts.bots["slack"].told] == ["CADMIN"]


def test_a_command_line_without_its_platform_ends_with_2(candor: CommandLine, place: Path) -> None:
    run = candor("slack")
    assert run.code == 2
    assert run.err == "CANDOR_SLACK__BOT_TOKEN is not set.\ndocs/slack.md says where the token comes from.\n"
