"""Buttons that work after a restart: all that they need stands in their custom_id."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import discord
from discord import ui

from adapters.discord.limits import INPUT, cut
from adapters.discord.pages import CUSTOM_ID, Act, Press

if TYPE_CHECKING:
    from adapters.discord.client import CandorClient

Interaction = discord.Interaction["CandorClient"]
Given = Callable[[Interaction, str], Awaitable[None]]
"""What to do with the text of a form."""


class Pressed(ui.DynamicItem[ui.Button[ui.View]], template=CUSTOM_ID):
    """Any of Candor's buttons."""

    def __init__(self, press: Press) -> None:
        button: ui.Button[ui.View] = ui.Button(
            label=press.label, custom_id=press.custom_id, style=press.style, disabled=press.disabled, row=press.row
        )
        super().__init__(button)
        self.press = press

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        number = match["number"]
        try:
            act = Act(match["act"])
        except ValueError as error:
            raise LookupError(f"no such button: {match.group()}") from error
        return cls(Press(act, "…", match["reply"], None if number is None else int(number)))

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        client: CandorClient = interaction.client
        await client.pressing.pressed(interaction, self.press)


def view_of(presses: Sequence[Press]) -> ui.View | None:
    """Buttons only that carry their own state, so discord.py keeps none of them."""
    if not presses:
        return None
    view = ui.View(timeout=None)
    for press in presses:
        view.add_item(Pressed(press))
    return view


class Window(ui.Modal):
    """A form whose trouble is told to who filled it in."""

    async def on_error(  # type: ignore[override]  # discord.py's own Modal differs from its View in the same way
        self, interaction: discord.Interaction[Any], error: Exception, /
    ) -> None:
        client: CandorClient = interaction.client
        await client.answering.failed(interaction, error)


class Form(Window):
    """One text field. `given` gets what is written into it."""

    def __init__(self, title: str, label: str, given: Given, *, text: str = "", required: bool = True) -> None:
        super().__init__(title=title, timeout=900)
        self.given = given
        self.words: ui.TextInput[Form] = ui.TextInput(
            label=label,
            custom_id="words",
            style=discord.TextStyle.paragraph,
            default=cut(text, INPUT // 2) or None,
            required=required,
            max_length=INPUT // 2,
        )
        self.add_item(self.words)

    async def on_submit(self, interaction: discord.Interaction[Any], /) -> None:
        await self.given(interaction, self.words.value.strip())
