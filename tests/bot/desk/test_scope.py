"""What a channel must not see isn't searched there."""

from dataclasses import replace
from typing import Any

from crag.platform import Place
from crag.types import Abstention, Chunk
from tests.bot.desk.house import FakeEngine, House, open_house, real_app, settings
from tests.fakes.platform import CHANNEL, DIRECT, FakeScreen, asking

SALARY = "What does the director earn in salary?"
CHANNELS: dict[str, Any] = {
    "channels": {
        "default": {},
        "slack:T1:C1": {},
        "slack:T1:HR": {"access": ["everyone", "hr"]},
        "slack:T1:WIKI": {"corpora": ["wiki"]},
        "direct": {},
    }
}
HR, WIKI = replace(CHANNEL, channel="HR"), replace(CHANNEL, channel="WIKI")


def chunk(name: str, text: str, *, corpus: str = "default", access: str = "everyone") -> Chunk:
    path = f"{name}.md"
    return Chunk(name, path, path, name, (name,), text, (0, len(text)), "h", corpus=corpus, access=frozenset({access}))


CHUNKS = (
    chunk("pay", "The director earns a salary of 90,000 euros.", access="hr"),
    chunk("lunch", "Lunch is served at noon.", corpus="wiki"),
    chunk("parking", "Parking costs 20 euros.", corpus="default"),
)


async def seen(house: House, text: str, place: Place) -> tuple[bool, set[str]]:
    """Whether it was answered, and every document that the reply or its trace names."""
    screen: FakeScreen = await house.ask(asking(text, f"{text} {place.conversation}", place=place))
    reply = screen.replies[0]
    return not isinstance(reply.body, Abstention), {grade.chunk.id for grade in reply.trace.grades}


async def test_a_document_is_found_only_where_the_channel_may_see_it() -> None:
    async with open_house(settings(CHANNELS), app=real_app(CHUNKS)) as house:
        answered, documents = await seen(house, SALARY, HR)
        assert answered
        assert "pay" in documents
        for place in (CHANNEL, WIKI, DIRECT):
            answered, documents = await seen(house, SALARY, place)
            assert not answered
            assert "pay" not in documents


async def test_a_channel_of_one_corpus_searches_no_other() -> None:
    async with open_house(settings(CHANNELS), app=real_app(CHUNKS)) as house:
        assert await seen(house, "When is lunch served?", WIKI) == (True, {"lunch"})
        answered, documents = await seen(house, "What does parking cost in euros?", WIKI)
        assert not answered
        assert "parking" not in documents


async def test_the_second_corpus_is_searched_only_where_the_channel_may_see_it() -> None:
    second: dict[str, Any] = {"crag": {"second_retriever": "corpus", "second_corpora": ["wiki"]}}
    channels: dict[str, Any] = {
        "channels": {
            "slack:T1:C1": {},
            "slack:T1:BOTH": {"corpora": ["default", "wiki"]},
            "slack:T1:ONE": {"corpora": ["default"]},
        }
    }
    app = real_app(CHUNKS, second_corpora=frozenset({"wiki"}))
    async with open_house(settings(second, channels), app=app) as house:
        for name, found in (("C1", True), ("BOTH", True), ("ONE", False)):
            answered, documents = await seen(house, "When is lunch served?", replace(CHANNEL, channel=name))
            assert (answered, "lunch" in documents) == (found, found), name


async def test_each_workspace_may_have_documents_of_its_own() -> None:
    engine = FakeEngine()
    async with open_house(settings({"tenants": "each", "channels": {"default": {}}}), engine=engine) as house:
        await house.ask(asking("1?"))
        await house.ask(asking("2?", place=Place("discord", "77", "1")))
        await house.ask(asking("3?", place=Place("discord", "", "1", direct=True)))
    assert [question.tenant for question in engine.asked] == ["slack-T1", "discord-77", "local"]


async def test_what_another_workspace_indexed_is_not_found() -> None:
    theirs = settings({"tenants": "each", "channels": {"default": {}}})
    async with open_house(theirs, app=real_app(CHUNKS, tenant="slack-T1")) as house:
        assert (await seen(house, "When is lunch served?", CHANNEL))[0]
        assert await seen(house, "When is lunch served?", replace(CHANNEL, tenant="T2")) == (False, set())
