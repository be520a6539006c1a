"""Buttons, menus and forms, through discord.py's own views."""

from __future__ import annotations

import discord
import pytest
from discord import ui

from tests.peers.discord import Answer, DiscordPeer, Message
from tests.peers.discord.conftest import Bot, Pressed, place, synced


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
