"""A message as data: what the renderers make and the sender sends."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum

import discord

from adapters.discord.limits import DESCRIPTION, EMBEDS, FIELD, FIELD_NAME, FIELDS, ROW, TITLE, cut, one_line


class Colour(IntEnum):
    """The bar beside an embed. The colours of answers also tell the history which embeds are answers."""

    SUPPORTED = 0x2E8B57
    PARTLY = 0xE0A100
    UNCHECKED = 0xA0522D
    UNKNOWN = 0x7A7F87
    TROUBLE = 0xC0392B
    WORKING = 0x5865F2
    NOTICE = 0x99AAB5


ANSWERS = frozenset({Colour.SUPPORTED, Colour.PARTLY, Colour.UNCHECKED})


class Act(StrEnum):
    """What a button does; stands in its custom_id, so it must not change."""

    HOW = "how"
    YES = "yes"
    NO = "no"
    HUMAN = "human"
    AGAIN = "again"
    PASSAGE = "passage"
    NEAREST = "nearest"
    PAGE = "page"
    CANCEL = "cancel"
    CORRECT = "correct"


@dataclass(frozen=True, slots=True)
class Press:
    """A button. `reply` is the id of the reply that it is about, `number` which passage or page of it."""

    act: Act
    label: str
    reply: str = ""
    number: int | None = None
    row: int = 0
    style: discord.ButtonStyle = discord.ButtonStyle.secondary
    disabled: bool = False

    @property
    def custom_id(self) -> str:
        """All that is needed to act on it after a restart."""
        number = "" if self.number is None else f":{self.number}"
        return f"candor:{self.act}:{self.reply}{number}"


CUSTOM_ID = re.compile(r"candor:(?P<act>[a-z]+):(?P<reply>[A-Za-z0-9_-]{0,64})(?::(?P<number>\d{1,4}))?")


@dataclass(frozen=True, slots=True)
class Page:
    """One message. `content` None leaves what is written above the embeds as it is."""

    embeds: tuple[discord.Embed, ...] = ()
    buttons: tuple[Press, ...] = ()
    content: str | None = None


def card(title: str, text: str, colour: Colour, fields: Iterable[tuple[str, str]] = ()) -> discord.Embed:
    """An embed that fits: fields go as long as there is room for them."""
    embed = discord.Embed(
        title=one_line(title, TITLE) or None, description=cut(text, DESCRIPTION) or None, colour=colour
    )
    for name, value in fields:
        name, value = one_line(name, FIELD_NAME), cut(value, FIELD)
        if len(embed.fields) < FIELDS and len(embed) + len(name) + len(value) <= EMBEDS:
            embed.add_field(name=name, value=value, inline=False)
    return embed


def notice(text: str, *, title: str = "", colour: Colour = Colour.NOTICE) -> Page:
    """A sentence that is no reply."""
    return Page((card(title, text, colour),))


def listed(name: str, lines: Iterable[str]) -> list[tuple[str, str]]:
    """Lines as fields of one name, as many fields as they need."""
    values: list[str] = []
    for line in lines:
        line = cut(line, FIELD)
        if values and len(values[-1]) + 1 + len(line) <= FIELD:
            values[-1] += f"\n{line}"
        else:
            values.append(line)
    return [(name if not number else f"{name} (more)", value) for number, value in enumerate(values)]


def rows(presses: Iterable[Press], first: int = 0) -> tuple[Press, ...]:
    """Buttons in rows of five, at most what a message has left from row `first` on."""
    numbered = ((first + number // ROW, press) for number, press in enumerate(presses))
    return tuple(replace(press, row=row) for row, press in numbered if row < ROW)
