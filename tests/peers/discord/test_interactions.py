"""Commands, buttons, menus, forms, deferred answers, tokens, through discord.py's own tree and views."""

from __future__ import annotations

import asyncio
from typing import Any

import discord
import pytest
from discord import ui

from tests.peers.discord import ELSEWHERE, GUILD, Answer, DiscordPeer, Flag, Message
from tests.peers.discord.conftest import Bot, heard, place, refused

Pressed = discord.Interaction[Any]


def command(bot: Bot, name: str, callback: Any, **how: Any) -> None:
    made = discord.app_commands.Command(name=name, description=f"The {name} command", callback=callback)
    for key, value in how.items():
        setattr(made, key, value)
    bot.tree.add_command(made)


async def ask(interaction: Pressed, question: str) -> None:
    await interaction.response.defer(thinking=True)
    await interaction.edit_original_response(content=f"About {question}: 30 days")


async def synced(bot: Bot, name: str = "ask", callback: Any = ask, **how: Any) -> None:
    command(bot, name, callback, **how)
    await bot.tree.sync()


async def test_a_deferred_command_thinks_and_then_answers(peer: DiscordPeer, bot: Bot) -> None:
    await synced(bot)
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

    menu = discord.app_commands.ContextMenu(name="Ask Candor about this", callback=about)
    bot.tree.add_command(menu)
    await bot.tree.sync()
    message = await peer.user("ben").says("general", "how many days off?")
    await peer.user("ada").message_command("Ask Candor about this", message)
    assert (await heard(peer, bot, "message"))[0].content == ""
    assert (await peer.ephemeral("ada")).content == "ben: how many days off?"


class Panel(ui.View):
    """A button that edits, one that asks for a reason, a menu, a link."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.add_item(ui.Button(label="Site", url="https://example.com"))
        self.chosen: list[str] = []
        self.reasons: list[str] = []

    @ui.button(label="Next page", custom_id="next")
    async def next(self, interaction: Pressed, button: ui.Button[Panel]) -> None:
        await interaction.response.edit_message(content="page 2")

    @ui.button(label="Not helpful", custom_id="bad")
    async def bad(self, interaction: Pressed, button: ui.Button[Panel]) -> None:
        await interaction.response.send_modal(Why(self))

    @ui.select(custom_id="source", options=[discord.SelectOption(label="Handbook", value="h")])
    async def source(self, interaction: Pressed, select: ui.Select[Panel]) -> None:
        self.chosen += select.values
        await interaction.response.defer()
        await interaction.edit_original_response(content="chosen")


class Why(ui.Modal, title="What was wrong?"):
    reason: ui.TextInput[Why] = ui.TextInput(label="Reason", custom_id="reason", max_length=20)

    def __init__(self, panel: Panel) -> None:
        super().__init__(custom_id="why")
        self.panel = panel

    async def on_submit(self, interaction: Pressed) -> None:
        self.panel.reasons.append(self.reason.value)
        await interaction.response.send_message("Thanks", ephemeral=True)


async def shown(peer: DiscordPeer, bot: Bot, panel: Panel, *, ephemeral: bool) -> Message:
    async def show(interaction: Pressed) -> None:
        await interaction.response.send_message("page 1", view=panel, ephemeral=ephemeral)

    await synced(bot, "show", show)
    interaction = await peer.user("ada").slash("show", channel="general")
    return await peer.answer(interaction)


@pytest.mark.parametrize("ephemeral", [True, False])
async def test_buttons_work_on_public_and_ephemeral_messages(peer: DiscordPeer, bot: Bot, ephemeral: bool) -> None:
    message = await shown(peer, bot, Panel(), ephemeral=ephemeral)
    assert message.rendering == "page 1\n[Next page] [Not helpful] [Site <https://example.com>]\n(select: Handbook)"
    pressed = await peer.user("ada").presses(message, "Next page")
    assert pressed.original is message
    assert [version.content for version in message.versions] == ["page 1", "page 2"]
    with pytest.raises(AssertionError, match="called 'Back'"):
        await peer.user("ada").presses(message, "Back")
    with pytest.raises(AssertionError, match="is a link"):
        await peer.user("ada").presses(message, "Site")
    if ephemeral:
        with pytest.raises(AssertionError, match="ben doesn't see"):
            await peer.user("ben").presses(message, "next")


async def test_a_menu_gives_its_values_and_the_message_is_edited_after_the_defer(peer: DiscordPeer, bot: Bot) -> None:
    panel = Panel()
    message = await shown(peer, bot, panel, ephemeral=False)
    chose = await peer.user("ben").selects(message, "source", "Handbook")
    assert (chose.answer, panel.chosen) == (Answer.DEFERRED_UPDATE, ["h"])
    await peer.until(lambda: True if message.content == "chosen" else None, 2, "not edited")


async def test_a_form_is_opened_filled_in_and_submitted(peer: DiscordPeer, bot: Bot) -> None:
    panel = Panel()
    message = await shown(peer, bot, panel, ephemeral=True)
    ada = peer.user("ada")
    await ada.presses(message, "Not helpful")
    modal = await peer.modal("ada")
    assert modal.rendering == "== What was wrong? ==\nReason*: (text: )"
    with pytest.raises(AssertionError, match="'reason' must be filled in"):
        await ada.submits(modal)
    with pytest.raises(AssertionError, match="0 to 20 characters"):
        await ada.submits(modal, {"reason": "x" * 21})
    await ada.submits(modal, {"reason": "the number"})
    assert panel.reasons == ["the number"]
    assert not modal.open
    assert (await peer.ephemeral("ada", lambda m: m.content == "Thanks")).ephemeral


async def test_a_button_nobody_listens_to_fails_for_the_person(peer: DiscordPeer, bot: Bot) -> None:
    view = ui.View()
    view.add_item(ui.Button(label="Dead", custom_id="dead"))
    await place(peer, bot).send("x", view=view)
    view.stop()
    pressed = await peer.user("ada").presses(await peer.message("general"), "Dead")
    assert pressed.error == "This interaction failed"


async def test_suggestions_while_typing(peer: DiscordPeer, bot: Bot) -> None:
    async def reindex(interaction: Pressed, source: str) -> None:
        await interaction.response.defer()

    async def suggest(interaction: Pressed, current: str) -> list[discord.app_commands.Choice[str]]:
        return [discord.app_commands.Choice(name=f"{current}book", value="h")]

    made = discord.app_commands.Command(name="reindex", description="Reindex", callback=reindex)
    made.autocomplete("source")(suggest)
    group = discord.app_commands.Group(name="candor", description="Admin")
    group.add_command(made)
    bot.tree.add_command(group)
    await bot.tree.sync()
    typed = await peer.user("ada").types("candor reindex", "source", source="hand", channel="general")
    assert typed.choices == [{"name": "handbook", "value": "h"}]
    assert (await peer.user("ada").slash("candor reindex", source="h", channel="general")).acked


async def test_commands_are_registered_counted_and_limited(peer: DiscordPeer, bot: Bot) -> None:
    await synced(bot)
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
