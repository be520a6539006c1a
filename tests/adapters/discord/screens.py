"""Pages as a person reads them, checked against Discord's limits on the way; kept as golden files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adapters.discord.buttons import view_of
from adapters.discord.pages import Page
from tests.peers.discord.limits import check_message
from tests.peers.discord.messages import NO_FLAGS
from tests.peers.discord.rendering import rendered

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "discord"


def read(page: Page) -> str:
    """What stands on the screen. Raises where Discord would refuse the message."""
    view = view_of(page.buttons)
    embeds: list[Any] = [embed.to_dict() for embed in page.embeds]
    components: list[Any] = view.to_components() if view else []
    check_message(page.content or "", embeds, components, NO_FLAGS)
    return rendered(page.content or "", embeds, components)


def golden(name: str, pages: Sequence[Page]) -> tuple[str, str]:
    """What the pages look like, and what they are to look like. With CANDOR_GOLDEN set the file is written anew."""
    found = "\n\n=== the next message ===\n\n".join(read(page) for page in pages) + "\n"
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("CANDOR_GOLDEN"):
        file.write_text(found)
    return found, file.read_text()
