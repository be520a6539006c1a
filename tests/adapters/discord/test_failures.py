"""What Discord refused for good is told apart from what may work later."""

from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import discord
import pytest

from adapters.discord import failures
from adapters.discord.failures import Refused, calling
from crag.errors import ScreenUnreachable


def http(status: int, error: type[discord.HTTPException] = discord.HTTPException) -> discord.HTTPException:
    return error(cast(Any, SimpleNamespace(status=status, reason="")), {"code": 0, "message": "no"})


@pytest.mark.parametrize(
    "error", [aiohttp.ClientError(), TimeoutError(), http(502, discord.DiscordServerError), http(429)]
)
async def test_an_outage_is_not_for_good(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    async def call() -> None:
        raise error

    monkeypatch.setattr(failures, "FIRST_PAUSE_S", 0.001)
    with pytest.raises(ScreenUnreachable):
        await calling(call)


async def test_a_refusal_is_for_good() -> None:
    async def call() -> None:
        raise http(403, discord.Forbidden)

    with pytest.raises(Refused) as caught:
        await calling(call)
    assert not isinstance(caught.value, ScreenUnreachable)
