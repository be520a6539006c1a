"""The product whole: `candor slack` and `candor discord` as processes of their own, with the shipped models and a real
Weaviate, against a Slack and a Discord on loopback."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio

from adapters.weaviate.address import Address
from crag import wording
from crag.types import Reason
from tests.end_to_end.chats import Chat, DiscordChat, SlackChat
from tests.end_to_end.products import Product, running
from tests.peers.discord import DiscordPeer
from tests.peers.discord import Rates as DiscordRates
from tests.peers.llm import Saying, Trouble
from tests.peers.slack import Rates, SlackPeer
from tests.servers.processes import running as alive

pytestmark = [pytest.mark.weaviate, pytest.mark.asyncio(loop_scope="module")]
PLATFORMS = ("slack", "discord")
LEAVE = "How many unused vacation days move into the next year?"
CANTEEN = "When does the canteen open on weekdays?"


@asynccontextmanager
async def chat_of(platform: str) -> AsyncIterator[Chat]:
    if platform == "slack":
        async with SlackPeer(rates=Rates.none()) as peer:
            yield SlackChat(peer)
    else:
        async with DiscordPeer(rates=DiscordRates.none()) as peer:
            yield DiscordChat(peer)


def on(server: Address, collection: str) -> dict[str, str]:
    told = {
        "MODE": "server",
        "URL": f"http://{server.host}:{server.http_port}",
        "GRPC_PORT": str(server.grpc_port),
        "API_KEY": server.api_key,
        "COLLECTION": collection,
    }
    return {f"WEAVIATE__{name}": value for name, value in told.items() if value}


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=PLATFORMS)
async def indexed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, weaviate_server: Address
) -> AsyncIterator[Product]:
    """A bot whose admin has indexed the folder from chat. One for each platform, on a server that all tests share."""
    settings = on(weaviate_server, f"Whole{request.param}")
    place = tmp_path_factory.mktemp(request.param)
    async with chat_of(request.param) as chat, running(request.param, chat, place, settings) as product:
        assert "2 added" in await chat.reindex()
        yield product


@pytest.fixture
def product(indexed: Product) -> Product:
    """The same, with a language model that is well."""
    indexed.model.trouble, indexed.model.saying = None, Saying("")
    return indexed


async def test_a_mention_is_answered_with_a_link_that_opens_the_passage(product: Product) -> None:
    product.model.saying = Saying("Up to eight unused vacation days move into the next year [1].")
    reply = await product.chat.ask(LEAVE)
    assert "Up to eight unused vacation days move into the next year" in reply.text
    assert "Well supported" in reply.text
    (link,) = set(reply.links)
    assert link.endswith("leave.md#carrying-over")
    async with aiohttp.ClientSession() as session, session.get(link) as opened:
        assert opened.status == 200
        assert "## Carrying over" in await opened.text()


async def test_what_the_documents_do_not_say_is_a_card_that_says_so(product: Product) -> None:
    product.model.saying = Saying("The parental leave is 14 months [1].")
    reply = await product.chat.ask("Which airline did the founder fly with in 1987?")
    assert wording.headline(Reason.WEAK_EVIDENCE) in reply.text
    assert "2 documents" in reply.text
    assert wording.TRY_OTHER_WORDS in reply.text
    assert "14 months" not in reply.text


@pytest.mark.parametrize("trouble", [None, Trouble.REFUSES_THE_KEY])
async def test_a_document_that_would_call_everybody_calls_nobody_and_brings_no_link(
    product: Product, trouble: Trouble | None
) -> None:
    """Whether a language model repeats it, or Candor quotes it."""
    hostile = (
        "<!channel> @everyone The canteen opens at noon on weekdays [1], see [the menu](https://evil.example/menu)."
    )
    product.model.saying, product.model.trouble = Saying(hostile), trouble
    reply = await product.chat.ask(CANTEEN)
    assert "canteen opens at noon" in reply.text
    assert reply.pings == []
    assert "//evil.example" not in reply.text
    assert all("canteen.md" in link for link in reply.links)


async def test_what_a_person_corrects_is_a_question_for_the_next_calibration(product: Product) -> None:
    product.model.trouble = Trouble.REFUSES_THE_KEY
    await product.chat.ask(LEAVE)
    assert "noted: the answer is in handbook/canteen.md" in await product.chat.correct("Canteen")
    (line,) = (await product.command("journal", "export", "--questions")).splitlines()
    asked = json.loads(line)
    assert (asked["question"], asked["sources"], asked["kind"]) == (LEAVE, ["handbook/canteen.md"], "corrected")


async def test_a_language_model_that_refuses_the_key_costs_its_words_and_not_the_answer(product: Product) -> None:
    product.model.trouble = Trouble.REFUSES_THE_KEY
    reply = await product.chat.ask(LEAVE)
    assert "eight unused vacation days" in reply.text
    assert "refused the key (HTTP 401). So I quote the documents instead." in reply.text
    assert "Check CANDOR_WRITER__API_KEY" in product.log.read_text()
    assert "Check CANDOR_WRITER__API_KEY" in await product.chat.status()
    assert "sk-secret" not in reply.text + product.log.read_text()
    assert "hunter2" not in reply.text


async def test_what_a_deleted_file_said_is_not_known_any_more_once_reindexed(product: Product) -> None:
    product.model.trouble = Trouble.REFUSES_THE_KEY
    question, parking = "What does a parking permit cost each month?", product.folder / "parking.md"
    parking.write_text("# Parking\n\nA parking permit costs twenty euros each month. The gate opens at seven.\n")
    assert "1 added" in await product.chat.reindex()
    assert "twenty euros" in (await product.chat.ask(question)).text
    parking.unlink()
    assert "1 removed" in await product.chat.reindex()
    reply = await product.chat.ask(question)
    assert wording.headline(Reason.WEAK_EVIDENCE) in reply.text
    assert "twenty" not in reply.text


async def test_what_a_killed_bot_left_half_written_becomes_the_answer(
    weaviate_server: Address, weaviate_collection: str, tmp_path: Path
) -> None:
    settings = on(weaviate_server, weaviate_collection)
    async with DiscordPeer(rates=DiscordRates.none()) as peer:
        chat = DiscordChat(peer)
        async with running("discord", chat, tmp_path, settings) as product:
            await chat.reindex()
            product.model.trouble = Trouble.STALLS
            product.model.saying = Saying("Up to eight unused vacation days move into the next year [1].")
            question = await peer.user("ada").mentions("general", LEAVE)
            await asyncio.wait_for(product.model.asked.wait(), 20)
            draft = await peer.message(await peer.thread(question), lambda m: "Writing" in m.rendering)
            await product.ended(signal.SIGKILL)
        peer.kill()
        async with running("discord", chat, tmp_path, settings | {"WRITER__KIND": "extractive"}):
            await peer.message(draft.channel, lambda m: wording.HOW_GRADED in m.rendering, within_s=20)
        assert peer.messages(draft.channel, by="candor") == [draft]
        assert "eight unused vacation days" in draft.rendering


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_sigterm_ends_with_0_and_leaves_no_process(platform: str, tmp_path: Path) -> None:
    """With the embedded server that Candor itself has started."""
    data = tmp_path / "data"
    settings = {"WEAVIATE__DATA_DIRECTORY": str(data)}
    async with chat_of(platform) as chat, running(platform, chat, tmp_path, settings) as product:
        state = json.loads((data / "server.json").read_text())
        assert alive(state["server"])
        assert await product.ended() == 0
        said = product.log.read_text()
    assert "Candor has stopped." in said
    assert "Traceback" not in said
    assert not alive(state["server"])
    assert not alive(state["supervisor"])
