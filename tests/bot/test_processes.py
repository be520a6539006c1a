"""`candor serve` as a process of its own, with the real adapters on a Slack and a Discord of loopback, and a journal on
disk; models and store are fakes."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import aiohttp
import pytest

from crag import wording
from tests.peers.discord import DiscordPeer
from tests.peers.slack import Rates, SlackPeer

CHECKOUT = Path(__file__).resolve().parents[2]
QUESTION = "How many vacation days carry over?"
ANSWER = "Five vacation days carry over"
Process = asyncio.subprocess.Process


@pytest.fixture
async def slack() -> AsyncIterator[SlackPeer]:
    async with SlackPeer(rates=Rates.none()) as peer:
        yield peer


@pytest.fixture
async def discord() -> AsyncIterator[DiscordPeer]:
    async with DiscordPeer() as peer:
        yield peer


def of_slack(peer: SlackPeer) -> dict[str, str]:
    app = peer.app
    return {"SLACK__BOT_TOKEN": app.bot_token, "SLACK__APP_TOKEN": app.app_token, "SLACK__API_URL": peer.api_url}


def of_discord(peer: DiscordPeer) -> dict[str, str]:
    urls = {"DISCORD__API_URL": peer.api_url, "DISCORD__GATEWAY_URL": peer.gateway_url}
    return {"DISCORD__TOKEN": peer.app.token, **urls}


@asynccontextmanager
async def candor(command: str, settings: dict[str, str], *, grading_s: float = 0.0) -> AsyncIterator[Process]:
    """A running command; it is killed at the end, if it still runs."""
    served = {"SERVE__PORT": "0", "CHANNELS__DEFAULT__SERVED": "true", "LOG_LEVEL": "INFO", **settings}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bot.slow_cli", command),
        cwd=CHECKOUT,
        env={
            **os.environ,
            "GRADER_DELAY_S": str(grading_s),
            **{f"CANDOR_{name}": value for name, value in served.items()},
        },
        stdin=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def said(process: Process, text: str) -> str:
    """The first line on standard error with this text."""
    assert process.stderr
    async with asyncio.timeout(20):
        while text not in (line := (await process.stderr.readline()).decode()):
            assert line, "it ended early"
    return line


async def ended(process: Process) -> tuple[int, str]:
    _, err = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode is not None
    return process.returncode, err.decode()


class Read(Protocol):
    """A message of either platform."""

    @property
    def rendering(self) -> str: ...


def holding(text: str) -> Callable[[Read], bool]:
    return lambda message: text in message.rendering


async def test_one_process_answers_on_both_platforms_and_ends_with_0(slack: SlackPeer, discord: DiscordPeer) -> None:
    async with candor("serve", of_slack(slack) | of_discord(discord)) as process:
        health = json.loads(await said(process, "Health at"))["message"].split()[2].removesuffix("/healthz")
        await asyncio.gather(slack.connected(), discord.connected())
        asked = await slack.user("U0ADA").mentions("C0GENERAL", QUESTION)
        await slack.message("C0GENERAL", holding(ANSWER), thread_ts=asked.ts, within_s=10)
        interaction = await discord.user("ada").slash("ask", channel="general", question=QUESTION)
        assert interaction.acked
        await discord.until(lambda: ANSWER in discord.transcript("general") or None, 10, "no answer on Discord")
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{health}/readyz") as response:
                assert response.status == 200
            async with session.get(f"{health}/metrics") as response:
                page = await response.text()
        assert 'candor_questions_total{outcome="answered"} 2.0' in page
        process.send_signal(signal.SIGTERM)
        code, err = await ended(process)
    assert code == 0
    *records, parts = err.splitlines()
    assert "'server stopped'" in parts
    assert json.loads(records[-1])["message"] == "Candor has stopped."
    answers = [record for record in map(json.loads, records) if record["message"].startswith("answer in ")]
    assert len({record["id"] for record in answers}) == 2


async def test_an_admin_reindexes_from_chat_and_the_new_document_answers(slack: SlackPeer, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "parking.md").write_text("# Parking\n\nParking costs twenty euros a month.\n")
    sources = {"SOURCES__HANDBOOK__PATH": str(folder), "SLACK__ADMIN_GROUPS": "S0ADMINS"}
    async with candor("slack", of_slack(slack) | sources):
        await slack.connected()
        refused = await slack.user("U0ADA").slash("/candor", "reindex", channel="C0GENERAL")
        assert refused.acked
        await slack.ephemeral("U0ADA", lambda told: wording.ADMINS_ONLY[:20] in told.rendering)
        assert (await slack.user("U0CARLA").slash("/candor", "reindex handbook", channel="C0GENERAL")).acked
        written = slack.workspace.messages
        await slack.until(lambda: any("1 added" in m.rendering for m in written) or None, 10, "no result")
        asked = await slack.user("U0ADA").mentions("C0GENERAL", "What does parking cost a month?")
        await slack.message("C0GENERAL", holding("twenty euros"), thread_ts=asked.ts, within_s=10)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_a_question_that_the_end_cut_off_is_answered_after_the_next_start(
    slack: SlackPeer, number: signal.Signals
) -> None:
    async with candor("slack", of_slack(slack) | {"LIMITS__DRAIN_S": "0.2"}, grading_s=60) as process:
        await slack.connected()
        asked = await slack.user("U0ADA").mentions("C0GENERAL", QUESTION)
        await slack.status(asked, within_s=10)
        await asyncio.sleep(0.2)
        process.send_signal(number)
        await ended(process)
    for connection in slack.sockets.open:
        connection.kill()
    async with candor("slack", of_slack(slack)) as process:
        await slack.message("C0GENERAL", holding(ANSWER), thread_ts=asked.ts, within_s=20)
        await asyncio.sleep(0.3)
        answers = [m for m in slack.messages("C0GENERAL", thread_ts=asked.ts) if ANSWER in m.rendering]
        assert len(answers) == 1


@pytest.mark.parametrize("way", ["mention", "command"])
async def test_a_placeholder_that_a_killed_discord_bot_left_while_it_looked_up_who_asks_becomes_the_answer(
    discord: DiscordPeer, way: str, tmp_path: Path
) -> None:
    ada, journal = discord.user("ada"), {"JOURNAL__URL": f"sqlite:///{tmp_path}/j.db"}
    thread = await ada.starts_thread("general", "Talk")
    async with candor("discord", of_discord(discord) | journal) as process:
        await discord.connected(within_s=30)
        discord.fail("get_messages", times=9, delay_s=60)
        if way == "mention":
            await ada.mentions(thread, QUESTION)
        else:
            await ada.slash("ask", question=QUESTION, channel=thread)
        left = await discord.message(thread, holding("Reading the question"), within_s=5)
        process.send_signal(signal.SIGKILL)
        await ended(process)
    discord.kill()
    discord.state.faults.clear()
    async with candor("discord", of_discord(discord) | journal):
        await discord.message(thread, holding(ANSWER), within_s=30)
    assert discord.messages(thread, by="candor") == [left]
    assert ANSWER in left.rendering


async def test_a_placeholder_that_a_killed_slack_bot_left_while_it_looked_up_who_asks_makes_room_for_the_answer(
    slack: SlackPeer, tmp_path: Path
) -> None:
    journal = {"JOURNAL__URL": f"sqlite:///{tmp_path}/j.db"}
    slack.fail("assistant.threads.setStatus", times=99, error="not_allowed")
    slack.fail("users.info", delay_s=60)
    async with candor("slack", of_slack(slack) | journal) as process:
        await slack.connected(within_s=30)
        asked = await slack.user("U0ADA").mentions("C0GENERAL", QUESTION)
        await slack.message("C0GENERAL", holding("Reading the question"), thread_ts=asked.ts, within_s=5)
        process.send_signal(signal.SIGKILL)
        await ended(process)
    for connection in slack.sockets.open:
        connection.kill()
    async with candor("slack", of_slack(slack) | journal):
        await slack.message("C0GENERAL", holding(ANSWER), thread_ts=asked.ts, within_s=30)
    (reply,) = slack.messages("C0GENERAL", thread_ts=asked.ts, by="U0CANDOR")
    assert ANSWER in reply.rendering


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"SLACK__BOT_TOKEN": "xoxb-wrong"}, "CANDOR_SLACK__BOT_TOKEN"),
        ({"SLACK__APP_TOKEN": "xapp-wrong"}, "CANDOR_SLACK__APP_TOKEN"),
    ],
)
async def test_a_wrong_token_ends_the_start_with_a_sentence_that_names_it(
    slack: SlackPeer, change: dict[str, str], named: str
) -> None:
    async with candor("slack", of_slack(slack) | change) as process:
        code, err = await ended(process)
    assert code == 2
    assert named in err
    assert "Traceback" not in err
    assert "xoxb-wrong" not in err


async def test_a_wrong_discord_token_too(discord: DiscordPeer) -> None:
    async with candor("discord", of_discord(discord) | {"DISCORD__TOKEN": "wrong"}) as process:
        code, err = await ended(process)
    assert code == 2
    assert "CANDOR_DISCORD__TOKEN" in err
    assert "Traceback" not in err
