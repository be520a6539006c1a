"""Commands, deferred answers, follow-ups, tokens, through discord.py's own tree."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest
from discord import app_commands

from tests.peers.discord import ELSEWHERE, GUILD, Answer, DiscordPeer, Flag
from tests.peers.discord.conftest import Bot, Pressed, command, heard, place, refused, synced


async def ask(interaction: Pressed, question: str) -> None:
    await interaction.response.defer(thinking=True)
    await interaction.edit_original_response(content=f"About {question}: 30 days")


async def test_a_deferred_command_thinks_and_then_answers(peer: DiscordPeer, bot: Bot) -> None:
    await synced(bot, "ask", ask)
    interaction = await peer.user("ada").slash("ask", question="leave", channel="general")
    assert (interaction.acked, interaction.deferred, interaction.answer) == (True, True, Answer.DEFERRED)
    assert 0 < (interaction.latency_s or 0) < 0.4
    answer = await peer.answer(interaction)
    assert [version.rendering for version in answer.versions] == ["(thinking)", "About leave: 30 days"]
    assert answer in peer.messages("general")
    assert interaction.original is answer
    await peer.settled()


async def test_a_command_without_a_first_response_fails_and_its_token_is_void(peer: DiscordPeer, bot: Bot) -> None:
    errors: list[discord.HTTPException] = []

    async def slow(interaction: Pressed) -> None:
        await asyncio.sleep(0.45)
        errors.append(await refused(interaction.response.defer()))
        errors.append(await refused(interaction.followup.send("late")))

    await synced(bot, "slow", slow)
    interaction = await peer.user("ada").slash("slow", channel="general")
    assert interaction.error == "The application did not respond"
    await peer.until(lambda: True if len(errors) == 2 else None, 3, "no errors")
    assert [error.code for error in errors] == [10062, 10015]


async def test_a_token_lives_fifteen_minutes(peer: DiscordPeer, bot: Bot) -> None:
    kept: list[Pressed] = []

    async def keep(interaction: Pressed) -> None:
        kept.append(interaction)
        await interaction.response.defer(ephemeral=True)

    await synced(bot, "keep", keep)
    await peer.user("ada").slash("keep", channel="general")
    peer.skip(890)
    await kept[0].edit_original_response(content="in time")
    peer.skip(20)
    error = await refused(kept[0].edit_original_response(content="late"))
    assert (error.status, error.code) == (401, 50027)
    assert (await peer.ephemeral("ada")).content == "in time"


async def test_an_interaction_is_answered_once(peer: DiscordPeer, bot: Bot) -> None:
    errors: list[int] = []

    async def twice(interaction: Pressed) -> None:
        await interaction.response.send_message("first", ephemeral=True)
        interaction.response._response_type = None
        errors.append((await refused(interaction.response.send_message("second"))).code)

    await synced(bot, "twice", twice)
    interaction = await peer.user("ada").slash("twice", channel="general")
    await peer.until(lambda: errors or None, 2, "no error")
    assert errors == [40060]
    assert interaction.original is not None
    assert interaction.original.ephemeral


async def test_followups_are_messages_of_their_own_but_the_first_after_thinking_is_the_answer(
    peer: DiscordPeer, bot: Bot
) -> None:
    async def follow(interaction: Pressed) -> None:
        await interaction.response.defer(thinking=True)
        await interaction.followup.send("one")
        second = await interaction.followup.send("two", ephemeral=True, wait=True)
        await second.edit(content="two, edited")
        await (await interaction.original_response()).edit(content="one, edited")
        third = await interaction.followup.send("three", wait=True)
        await third.delete()

    await synced(bot, "follow", follow)
    interaction = await peer.user("ada").slash("follow", channel="general")
    await peer.until(lambda: True if peer.calls("delete_followup") else None, 3, "not finished")
    assert [message.content for message in peer.messages("general")] == ["one, edited"]
    assert (await peer.ephemeral("ada")).content == "two, edited"
    assert [message.content for message in interaction.followups] == ["two, edited", "three"]


async def test_user_installed_apps_get_five_followups(peer: DiscordPeer, bot: Bot) -> None:
    errors: list[int] = []

    async def many(interaction: Pressed) -> None:
        peer.rates.off = True
        await interaction.response.send_message("0")
        for number in range(5):
            await interaction.followup.send(str(number))
        errors.append((await refused(interaction.followup.send("6"))).code)

    await synced(bot, "many", many)
    await peer.user("ada").slash("many", channel="general", user_installed=True)
    await peer.until(lambda: errors or None, 3, "no error")
    assert errors == [40094]


async def test_an_ephemeral_message_is_nobody_elses(peer: DiscordPeer, bot: Bot) -> None:
    async def whisper(interaction: Pressed) -> None:
        await interaction.response.send_message("@everyone psst", ephemeral=True)

    await synced(bot, "whisper", whisper)
    await peer.user("ada").slash("whisper", channel="general")
    message = await peer.ephemeral("ada")
    assert (message.pings, message.flags, peer.messages("general")) == ([], Flag.EPHEMERAL, [])
    assert (await refused(place(peer, bot).fetch_message(int(message.id)))).code == 10008
    assert bot.named("message") == []
    with pytest.raises(AssertionError, match="no such ephemeral message for ben"):
        await peer.ephemeral("ben", within_s=0.05)


async def test_a_message_command_carries_the_message_with_its_content(peer: DiscordPeer, bot: Bot) -> None:
    async def about(interaction: Pressed, message: discord.Message) -> None:
        await interaction.response.send_message(f"{message.author.name}: {message.content}", ephemeral=True)

    menu = app_commands.ContextMenu(name="Ask Candor about this", callback=about)
    bot.tree.add_command(menu)
    await bot.tree.sync()
    message = await peer.user("ben").says("general", "how many days off?")
    await peer.user("ada").message_command("Ask Candor about this", message)
    assert (await heard(peer, bot, "message"))[0].content == ""
    assert (await peer.ephemeral("ada")).content == "ben: how many days off?"


async def test_suggestions_while_typing(peer: DiscordPeer, bot: Bot) -> None:
    async def reindex(interaction: Pressed, source: str) -> None:
        await interaction.response.defer()

    async def suggest(interaction: Pressed, current: str) -> list[app_commands.Choice[str]]:
        return [app_commands.Choice(name=f"{current}book", value="h")]

    made: app_commands.Command[Any, ..., Any] = app_commands.Command(
        name="reindex", description="Reindex", callback=reindex
    )
    made.autocomplete("source")(suggest)
    group = app_commands.Group(name="candor", description="Admin")
    group.add_command(made)
    bot.tree.add_command(group)
    await bot.tree.sync()
    typed = await peer.user("ada").types("candor reindex", "source", source="hand", channel="general")
    assert typed.choices == [{"name": "handbook", "value": "h"}]
    assert (await peer.user("ada").slash("candor reindex", source="h", channel="general")).acked


async def test_commands_are_registered_counted_and_limited(peer: DiscordPeer, bot: Bot) -> None:
    await synced(bot, "ask", ask)
    await bot.tree.sync()
    first = peer.commands()["ask"]["id"]
    assert peer.state.creates == {"": 1}
    await bot.tree.sync()
    assert peer.commands()["ask"]["id"] == first
    await bot.tree.sync(guild=discord.Object(int(GUILD)))
    assert len(peer.calls("overwrite_guild_commands")) == 1
    peer.state.creates[""] = 200
    command(bot, "more", ask)
    assert (await refused(bot.tree.sync())).code == 30034
    payload = [{"name": f"c{number}", "description": "x"} for number in range(101)]
    assert (await refused(bot.http.bulk_upsert_global_commands(bot.application_id or 0, payload))).code == 30032


async def test_only_what_discord_shows_can_be_used(peer: DiscordPeer, bot: Bot) -> None:
    async def secret(interaction: Pressed) -> None:
        await interaction.response.send_message("done", ephemeral=True)

    await synced(bot, "secret", secret, default_permissions=discord.Permissions(manage_guild=True), guild_only=True)
    with pytest.raises(AssertionError, match="hides 'secret' from ben"):
        await peer.user("ben").slash("secret", channel="general")
    assert (await peer.user("ben").slash("secret", channel="general", permitted=True)).acked
    assert (await peer.user("carla").slash("secret", channel="general")).acked
    with pytest.raises(AssertionError, match="doesn't show"):
        await peer.user("carla").slash("secret")
    with pytest.raises(AssertionError, match="no command 'ask'"):
        await peer.user("carla").slash("ask", question="x", channel="general")


async def test_a_command_works_where_the_bot_cannot_look_and_elsewhere(peer: DiscordPeer, bot: Bot) -> None:
    seen: list[Pressed] = []

    async def where(interaction: Pressed) -> None:
        seen.append(interaction)
        await interaction.response.send_message("here")

    await synced(bot, "where", where)
    ada = peer.user("ada")
    for channel in ("random", "lobby", ""):
        assert (await ada.slash("where", channel=channel)).acked
    assert [interaction.guild_id for interaction in seen] == [int(GUILD), int(ELSEWHERE), None]
    assert not seen[0].app_permissions.view_channel
    assert seen[0].permissions.send_messages
    assert peer.messages("random")[0].content == "here"
    assert seen[2].user.name == "ada"


async def test_a_command_given_while_the_connection_is_lost_is_answered_after_the_resume(
    peer: DiscordPeer, bot: Bot
) -> None:
    await synced(bot, "ask", ask)
    peer.state.timing.first_response_s = 3.0
    peer.kill()
    interaction = await peer.user("ada").slash("ask", question="leave", channel="general")
    assert interaction.acked
    assert bot.named("resumed")
