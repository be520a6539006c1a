"""`candor discord-invite`."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.bot.conftest import CommandLine


def test_the_link_alone_stands_on_standard_output(candor: CommandLine, setting: Callable[[str, str], None]) -> None:
    setting("DISCORD__APPLICATION_ID", "42")
    run = candor("discord-invite")
    assert run.code == 0
    assert run.out == (
        "https://discord.com/oauth2/authorize?client_id=42&scope=bot+applications.commands&permissions=309237730304\n"
    )
    assert "Embed Links" in run.err


@pytest.mark.parametrize("token", ["", "not-a-token"])
def test_without_an_application_it_is_said_what_to_set(
    candor: CommandLine, setting: Callable[[str, str], None], token: str
) -> None:
    setting("DISCORD__TOKEN", token)
    run = candor("discord-invite")
    assert (run.code, run.out) == (2, "")
    assert "CANDOR_DISCORD__APPLICATION_ID" in run.err
