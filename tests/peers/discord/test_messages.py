"""Messages through discord.py: limits, mentions, nonces, rates, faults, permissions, threads, forums."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import aiohttp
import discord
import pytest
from discord import AllowedMentions, Embed

from tests.peers.discord import APP, DiscordPeer, Permission, Sort
from tests.peers.discord.conftest import Bot, heard, place, refused


def embeds(*sizes: int) -> list[Embed]:
    return [Embed(description="x" * size) for size in sizes]


async def test_a_message_is_sent_edited_and_deleted_with_all_its_versions(peer: DiscordPeer, bot: Bot) -> None:
    sent = await place(peer, bot).send("one")
    await sent.edit(content="two", embed=Embed(title="Days off", description="30 days"))
    message = await peer.message("general")
    assert [version.rendering for version in message.versions] == ["one", "two\n| # Days off\n| 30 days"]
    assert [version.by for version in message.versions] == ["create_message", "edit_message"]
    assert (await place(peer, bot).fetch_message(sent.id)).content == "two"
    assert peer.transcript("general") == "candor:\n  two\n  | # Days off\n  | 30 days"
    await sent.delete()
    assert peer.messages("general") == []
    assert (await refused(sent.fetch())).code == 10008


@pytest.mark.parametrize(
    ("message", "path"),
    [
        ({"content": "x" * 2001}, "content"),
        ({"embeds": embeds(4097)}, "embeds.0.description"),
        ({"embeds": embeds(3000, 3001)}, "embeds"),
        ({"embed": Embed(title="x" * 257)}, "embeds.0.title"),
        ({"embed": Embed().set_footer(text="x" * 2049)}, "embeds.0.footer.text"),
        ({"embed": Embed().add_field(name="x" * 257, value="y")}, "embeds.0.fields.0.name"),
        ({"embed": Embed().add_field(name="x", value="y" * 1025)}, "embeds.0.fields.0.value"),
        ({"embed": Embed(title="x", url="file:///etc/passwd")}, "embeds.0.url"),
    ],
)
async def test_what_is_too_long_is_refused_by_the_server(
    peer: DiscordPeer, bot: Bot, message: dict[str, Any], path: str
) -> None:
    error = await refused(place(peer, bot).send(**message))
    assert (error.status, error.code) == (400, 50035)
    assert f"In {path}:" in error.text
    assert peer.messages("general") == []


async def test_components_are_checked(peer: DiscordPeer, bot: Bot) -> None:
    def row(*buttons: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"type": 1, "components": list(buttons)}]

    def button(name: str, label: str = "Go") -> dict[str, Any]:
        return {"type": 2, "style": 1, "label": label, "custom_id": name}

    bad = {
        "six buttons": row(*(button(str(n)) for n in range(6))),
        "label": row(button("a", "x" * 81)),
        "twice": row(button("a"), button("a")),
        "six rows": [r for n in range(6) for r in row(button(str(n)))],
        "link and id": row(button("a") | {"style": 5, "url": "https://example.com"}),
        "no row": [button("a")],
        "no option": row({"type": 3, "custom_id": "m", "options": []}),
    }
    peer.rates.off = True
    for name, components in bad.items():
        status, answer = await post(peer, {"content": "x", "components": components})
        assert (status, answer["code"]) == (400, 50035), name
    assert (await post(peer, {"content": "x", "components": row(button("a"))}))[0] == 200


async def test_an_empty_message_is_refused(peer: DiscordPeer, bot: Bot) -> None:
    assert (await refused(place(peer, bot).send("  "))).code == 50006


async def test_whom_a_message_notifies_follows_allowed_mentions(peer: DiscordPeer, bot: Bot) -> None:
    ada, role = peer.user("ada").id, peer.world.role("helpers").id
    text = f"@everyone <@{ada}> <@&{role}> <@&{peer.world.role('candor-admins').id}>"
    where = place(peer, bot)
    await where.send(text)
    await where.send(text, allowed_mentions=AllowedMentions.none())
    await where.send(text, allowed_mentions=AllowedMentions(everyone=False, roles=False, users=True))
    await where.send(embed=Embed(description=text))
    all_of_it, nobody, users, embedded = peer.messages("general")
    assert all_of_it.pings == ["@everyone", "@ada", "@&helpers", "@&candor-admins"]
    assert (nobody.pings, users.pings, embedded.pings) == ([], ["@ada"], [])


async def test_an_edit_parses_mentions_again_with_the_defaults(peer: DiscordPeer, bot: Bot) -> None:
    sent = await place(peer, bot).send("@everyone", allowed_mentions=AllowedMentions.none())
    message = peer.messages("general")[0]
    assert message.pings == []
    await sent.edit(content="@everyone look")
    assert message.pings == ["@everyone"]
    assert [version.pings for version in message.versions] == [(), ("@everyone",)]


async def test_a_reply_notifies_its_author_unless_told_not_to(peer: DiscordPeer, bot: Bot) -> None:
    await peer.user("ada").mentions("general", "hi")
    heard_message = (await heard(peer, bot, "message"))[0]
    await heard_message.reply("yes")
    await heard_message.reply("no", mention_author=False)
    mine = peer.messages("general", by="candor")
    assert [message.pings for message in mine] == [["@ada"], []]
    assert mine[0].sort == Sort.REPLY


async def test_a_nonce_makes_a_lost_answer_harmless(peer: DiscordPeer, bot: Bot) -> None:
    peer.fail("create_message", times=1, status=502, after=True)
    await place(peer, bot).send("once")
    assert [call.status for call in peer.calls("create_message")] == [200, 502, 200]
    assert [message.content for message in peer.messages("general")] == ["once"]


async def test_a_429_is_waited_out_and_a_ban_is_not(peer: DiscordPeer, bot: Bot) -> None:
    peer.fail("POST /channels/*/messages", status=429, retry_after=0.2)
    started = time.monotonic()
    await place(peer, bot).send("late")
    assert time.monotonic() - started >= 0.2
    assert [call.status for call in peer.calls("create_message")] == [429, 200]
    peer.fail("create_message", status=429, via=False)
    assert (await refused(place(peer, bot).send("banned"))).status == 429
    assert peer.invalid_requests == 2


async def test_a_global_429_holds_every_call(peer: DiscordPeer, bot: Bot) -> None:
    peer.fail("create_message", status=429, retry_after=0.3, scope="global")
    send = asyncio.create_task(place(peer, bot).send("late"))
    await peer.until(lambda: peer.calls("create_message") or None, 2, "not sent")
    await asyncio.sleep(0.05)
    started = time.monotonic()
    await place(peer, bot, "help").send("held too")
    assert time.monotonic() - started > 0.15
    await send


async def test_the_buckets_of_a_channel_are_shown_and_kept(peer: DiscordPeer, bot: Bot) -> None:
    peer.rates.routes["create_message"] = (2, 0.4)
    started = time.monotonic()
    for number in range(4):
        await place(peer, bot).send(str(number))
    assert time.monotonic() - started >= 0.35
    assert [call.status for call in peer.calls("create_message")] == [200] * 4
    peer.rates.routes["create_message"] = (0, 1.0)
    status, answer = await post(peer, {"content": "x"})
    assert status == 429
    assert answer["global"] is False
    assert 0 < answer["retry_after"] <= 1


async def test_permissions_are_checked(peer: DiscordPeer, bot: Bot) -> None:
    assert (await refused(place(peer, bot, "readonly").send("x"))).code == 50013
    assert (await refused(place(peer, bot, "random").send("x"))).code == 50001
    assert (await refused(place(peer, bot, "random").typing().__aenter__())).code == 50001
    peer.forbids("general", Permission.EMBED_LINKS, Permission.ADD_REACTIONS, Permission.READ_MESSAGE_HISTORY)
    assert (await refused(place(peer, bot).send(embed=Embed(title="x")))).code == 50013
    sent = await place(peer, bot).send("x")
    assert (await refused(sent.add_reaction("👍"))).code == 50013
    assert [m async for m in place(peer, bot).history()] == []
    assert (await refused(sent.reply("x"))).code == 160002
    theirs = await peer.user("ada").says("help", "mine")
    message = place(peer, bot, "help").get_partial_message(int(theirs.id))
    assert (await refused(message.edit(content="yours"))).code == 50005
    assert (await refused(message.delete())).code == 50013
    assert peer.invalid_requests == 7


async def test_a_direct_message_is_opened_unless_they_are_closed(peer: DiscordPeer, bot: Bot) -> None:
    user = await bot.fetch_user(int(peer.user("ada").id))
    await user.send("psst")
    assert (await peer.message("dm-ada")).content == "psst"
    peer.world.user("ben").dms_closed = True
    assert (await refused((await bot.fetch_user(int(peer.user("ben").id))).send("psst"))).code == 50007


async def test_reactions_and_typing_are_noted(peer: DiscordPeer, bot: Bot) -> None:
    theirs = await peer.user("ada").says("general", "hi")
    message = place(peer, bot).get_partial_message(int(theirs.id))
    async with place(peer, bot).typing():
        await message.add_reaction("👀")
    assert theirs.reactions == {"👀": [APP]}
    await message.remove_reaction("👀", discord.Object(int(APP)))
    assert theirs.reactions == {"👀": []}
    assert len(peer.typing("general")) == 1


async def test_history_goes_back_and_forth(peer: DiscordPeer, bot: Bot) -> None:
    peer.app.privileged.add("message_content")
    said = [await peer.user("ada").says("general", str(number)) for number in range(5)]
    middle = discord.Object(int(said[2].id))

    async def texts(**how: Any) -> str:
        return "".join([m.content async for m in place(peer, bot).history(**how)])

    assert await texts(limit=2) == "43"
    assert await texts(before=middle) == "10"
    assert await texts(after=middle) == "34"
    assert await texts(around=middle, limit=3) == "321"


async def test_links_unfurl_unless_embeds_are_suppressed(peer: DiscordPeer, bot: Bot) -> None:
    where = place(peer, bot)
    await where.send("see https://example.com/a")
    await where.send("see [a](https://example.com/a) and <https://example.com/b>", suppress_embeds=True)
    await where.send("see <https://example.com/a>", embed=Embed(title="Mine"))
    await where.send("hidden", embed=Embed(title="Mine"), suppress_embeds=True)
    shown, suppressed, angled, hidden = peer.messages("general")
    assert await peer.unfurls(shown)
    assert not await peer.unfurls(suppressed)
    assert not await peer.unfurls(angled)
    assert (suppressed.links, hidden.rendering) == ([], "hidden")


async def test_a_file_arrives(peer: DiscordPeer, bot: Bot) -> None:
    import io

    await place(peer, bot).send("long", file=discord.File(io.BytesIO(b"all of it"), "answer.md"))
    message = await peer.message("general")
    assert message.files == {"answer.md": b"all of it"}
    assert message.attachments[0]["filename"] == "answer.md"


async def test_messages_of_other_bots_and_webhooks_say_so(peer: DiscordPeer, bot: Bot) -> None:
    await peer.user("otherbot").mentions("general", "beep")
    await peer.user("ada").says("general", f"<@{APP}> from elsewhere", webhook=True)
    other, hook = await heard(peer, bot, "message", 2)
    assert (other.author.bot, other.webhook_id) == (True, None)
    assert hook.webhook_id is not None
    assert hook.author.bot


async def test_silent_complains_of_what_one_sees(peer: DiscordPeer, bot: Bot) -> None:
    await peer.silent(for_s=0.05)
    task = asyncio.create_task(place(peer, bot).send("x"))
    with pytest.raises(AssertionError, match="the bot wrote"):
        await peer.silent(for_s=0.3)
    await task


async def test_a_message_that_does_not_come_shows_what_is_there(peer: DiscordPeer, bot: Bot) -> None:
    await peer.user("ada").says("general", "hello")
    absent: Callable[[Any], bool] = lambda message: False  # noqa: E731
    with pytest.raises(AssertionError, match=r"no such message in general within 0.1 s\n#general\nada:\n  hello"):
        await peer.message("general", absent, within_s=0.1)


async def post(peer: DiscordPeer, body: dict[str, Any]) -> tuple[int, Any]:
    url = f"{peer.api_url}/channels/{peer.channel('general').id}/messages"
    headers = {"Authorization": f"Bot {peer.app.token}"}
    async with aiohttp.ClientSession() as session, session.post(url, json=body, headers=headers) as answer:
        assert answer.headers["Content-Type"] == "application/json"
        return answer.status, await answer.json()


async def test_calls_can_be_late_lost_or_unknown(peer: DiscordPeer, bot: Bot) -> None:
    peer.fail("create_message", delay_s=0.2)
    started = time.monotonic()
    await place(peer, bot).send("late")
    assert time.monotonic() - started >= 0.2
    peer.fail("create_message", drop=True, after=True, where=lambda body: body["content"] == "lost")
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await place(peer, bot).send("lost")
    assert [message.content for message in peer.messages("general")] == ["late", "lost"]
    assert (await refused(bot.fetch_premium_sticker_packs())).status == 404
    assert [call.path for call in peer.calls("unknown")] == ["/sticker-packs"]
