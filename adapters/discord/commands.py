"""The command tree: names, descriptions and options as Discord registers them."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands

from adapters.discord.buttons import Interaction
from crag import wording
from crag.admin_words import COMMANDS, HELP_TITLE
from crag.platform import Remembered

if TYPE_CHECKING:
    from adapters.discord.client import CandorClient

log = logging.getLogger(__name__)


class CandorTree(app_commands.CommandTree["CandorClient"]):
    async def on_error(self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /) -> None:
        """A command failed: its person hears a sentence."""
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
        await self.client.answering.failed(interaction, cause)


def build_tree(client: CandorClient) -> CandorTree:
    """In guilds and in the bot's direct messages; not as an app that people carry along. Nothing is hidden from
    anyone: who may use what is decided when it is used."""
    tree = CandorTree(
        client,
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=False),
    )

    @tree.command(name="ask", description="Ask a question that your team's documents answer")
    @app_commands.describe(question=wording.WHAT_QUESTION)
    async def ask(interaction: Interaction, question: str) -> None:
        await client.answering.ask(interaction, question)

    @tree.command(name="grade", description="See how each passage is judged for a question; only you see it")
    @app_commands.describe(question=wording.WHAT_QUESTION)
    async def grade(interaction: Interaction, question: str) -> None:
        await client.answering.grade(interaction, question)

    @tree.context_menu(name=wording.ASK_ABOUT_THIS)
    async def about(interaction: Interaction, message: discord.Message) -> None:
        await client.answering.ask_about(interaction, message)

    tree.add_command(_admin_group(client))
    return tree


def _admin_group(client: CandorClient) -> app_commands.Group:
    group = app_commands.Group(name="candor", description="For the admins: how I am, and what I know")
    does = {name: f"{text[0].upper()}{text[1:]}" for name, text in COMMANDS.items()}

    @group.command(name="status", description=does["status"])
    async def status(interaction: Interaction) -> None:
        await client.administering.status(interaction)

    @group.command(name="reindex", description=does["reindex"])
    @app_commands.describe(
        source="One source; all of them if you choose none",
        full="Index everything anew, also what didn't change",
        dry_run="Say what would be done, and change nothing",
    )
    async def reindex(interaction: Interaction, source: str = "", full: bool = False, dry_run: bool = False) -> None:
        await client.administering.reindex(interaction, source, full=full, dry_run=dry_run)

    @reindex.autocomplete("source")
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        return await client.administering.suggested(interaction, current)

    @group.command(name="cancel", description=does["cancel"])
    async def cancel(interaction: Interaction) -> None:
        await client.administering.cancel(interaction)

    @group.command(name="sources", description=does["sources"])
    async def sources(interaction: Interaction) -> None:
        await client.administering.sources(interaction)

    @group.command(name="help", description=HELP_TITLE)
    async def help_(interaction: Interaction) -> None:
        await client.administering.help(interaction)

    return group


async def sync(tree: CandorTree, remembered: Remembered, application: int) -> None:
    """Register the commands, unless these very ones were registered before and are still there: Discord allows 200 new
    ones a day."""
    found = sorted(tree.get_commands(), key=lambda command: command.name)
    text = json.dumps([command.to_dict(tree) for command in found], sort_keys=True)
    digest, name = hashlib.sha256(text.encode()).hexdigest(), f"discord:commands:{application}"
    names = {command.name for command in found}
    try:
        if await remembered.get(name) == digest and {c.name for c in await tree.fetch_commands()} == names:
            return
        await tree.sync()
    except discord.HTTPException as error:
        log.error("the commands could not be registered, so only mentions and direct messages work: %s", error)
        return
    await remembered.put(name, digest)
