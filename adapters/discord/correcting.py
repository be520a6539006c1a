"""The form in which a person says what a reply should have been: from the table of grades, or after "Not helpful"."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import discord
from discord import ui

from adapters.discord.buttons import Interaction, Window
from adapters.discord.grades import MARKS, place_of
from adapters.discord.limits import INPUT, one_line
from crag import wording
from crag.corrections import Correction, claimed
from crag.text import clean
from crag.types import Reply

LISTED = 25
"""Passages that can be chosen, the best ones: a menu has no more."""
OPTION = 100
NAME = 300
"""Characters of an option, and those that a page's name may have."""
WHY = "What was not helpful?"

Filled = Callable[[Interaction, "CorrectionForm"], Awaitable[None]]
"""What to do with the form once it was sent."""


class CorrectionForm(Window):
    """Nothing in it has to be filled in. `found` is the reply, None where it isn't known: then no passages can be
    chosen. `why`: also with a field for why the reply wasn't helpful."""

    def __init__(self, given: Filled, found: Reply | None, *, why: bool = False) -> None:
        super().__init__(title=WHY if why else wording.CORRECT_A_VERDICT, timeout=900)
        self.given = given
        choices = [*wording.TRUTHS.items(), (wording.TAKE_BACK, wording.TAKE_IT_BACK)]
        self.truth = _menu("truth", [discord.SelectOption(label=text, value=str(value)) for value, text in choices], 1)
        self._add(wording.SHOULD_HAVE_BEEN, self.truth)
        offered = _passages(found) if found else []
        self.passages = _menu("passages", offered, len(offered)) if offered else None
        if self.passages is not None:
            self._add(wording.WHICH_PASSAGES, self.passages)
        self.page: ui.TextInput[Any] = ui.TextInput(
            custom_id="page", required=False, max_length=NAME, placeholder=wording.HOW_PAGES_ARE_NAMED
        )
        self._add(wording.ANOTHER_PAGE, self.page)
        self.why: ui.TextInput[Any] | None = None
        if why:
            self.why = ui.TextInput(
                custom_id="words", style=discord.TextStyle.paragraph, required=False, max_length=INPUT // 2
            )
            self._add(wording.WRONG_OR_MISSING, self.why)

    def _add(self, label: str, item: ui.Item[Any]) -> None:
        self.add_item(ui.Label(text=label, component=item))

    @property
    def correction(self) -> Correction | None:
        """What the person says, None where they say nothing, or take it back."""
        ticked = self.passages.values if self.passages is not None else []
        return None if self._takes_back else claimed(self._choice, ticked, self.page.value)

    @property
    def says_something(self) -> bool:
        """That a correction is taken back, too."""
        return self._takes_back or self.correction is not None

    @property
    def _takes_back(self) -> bool:
        return self._choice == wording.TAKE_BACK

    @property
    def reason(self) -> str:
        return self.why.value.strip() if self.why is not None else ""

    @property
    def _choice(self) -> str:
        return next(iter(self.truth.values), "")

    async def on_submit(self, interaction: discord.Interaction[Any], /) -> None:
        await self.given(interaction, self)


def _menu(name: str, options: list[discord.SelectOption], most: int) -> ui.Select[Any]:
    return ui.Select(custom_id=name, options=options, min_values=0, max_values=most, required=False)


def _passages(found: Reply) -> list[discord.SelectOption]:
    options = []
    for rank, grade in enumerate(found.trace.grades[:LISTED], 1):
        label = one_line(f"{MARKS[grade.verdict]} {rank}. {clean(place_of(grade))}", OPTION)
        options.append(discord.SelectOption(label=label, value=str(rank)))
    return options
