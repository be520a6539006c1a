"""The admins' commands. Whether somebody is one, the desk decides each time."""

from __future__ import annotations

import asyncio
import logging

from discord import app_commands

from adapters.discord.answering import Answering
from adapters.discord.buttons import Interaction
from adapters.discord.desk_views import help_page, job_page, sources_page, status_page
from adapters.discord.errands import Errands
from adapters.discord.limits import one_line
from adapters.discord.members import Members
from adapters.discord.pages import notice
from adapters.discord.painter import Painter
from adapters.discord.reading import place_of
from adapters.discord.responding import privately, promised
from adapters.discord.surfaces import Surface
from crag import wording
from crag.errors import ScreenError
from crag.platform import Desk, JobPhase, JobView, Person, Place, SourceView, StatusView

log = logging.getLogger(__name__)

PACE_S = 2.0
"""Between two changes of a job's progress."""
SUGGEST_S = 2.0
CHOICES = 25


class Administering:
    def __init__(self, desk: Desk, members: Members, answering: Answering, errands: Errands) -> None:
        self._desk = desk
        self._members = members
        self._answering = answering
        self._errands = errands

    async def status(self, interaction: Interaction) -> None:
        if asked := await self._promised(interaction):
            told = await self._desk.status(*asked)
            await privately(interaction).show(status_page(told) if isinstance(told, StatusView) else notice(told))

    async def sources(self, interaction: Interaction) -> None:
        if asked := await self._promised(interaction):
            told = await self._desk.sources(*asked)
            await privately(interaction).show(notice(told) if isinstance(told, str) else sources_page(told))

    async def cancel(self, interaction: Interaction) -> None:
        if asked := await self._promised(interaction):
            await privately(interaction).show(notice(await self._desk.cancel(*asked)))

    async def help(self, interaction: Interaction) -> None:
        if asked := await self._promised(interaction):
            allowed = self._desk.may_admin(*asked)
            await privately(interaction).show(help_page() if allowed else notice(wording.ADMINS_ONLY))

    async def reindex(self, interaction: Interaction, source: str, *, full: bool, dry_run: bool) -> None:
        """Only the admin sees how the job goes: its result names documents that not everybody may know of."""
        if asked := await self._promised(interaction):
            progress = Progress(privately(interaction), self._errands)
            chosen = (source,) if source else ()
            told = await self._desk.reindex(*asked, sources=chosen, full=full, dry_run=dry_run, show=progress.show)
            if told:
                progress.say(told)

    async def suggested(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Names of sources while one is typed; none for who may not reindex, or where nobody answers in time."""
        place = place_of(interaction.channel, interaction.guild_id)
        try:
            async with asyncio.timeout(SUGGEST_S):
                found = await self._desk.sources(await self._members.person(interaction.user), place)
        except TimeoutError:
            return []
        known: tuple[SourceView, ...] = () if isinstance(found, str) else found
        fitting = [source for source in known if current.lower() in source.name.lower()]
        return [
            app_commands.Choice(name=one_line(f"{s.name} ({s.corpus})", 100), value=s.name[:100])
            for s in fitting[:CHOICES]
        ]

    async def _promised(self, interaction: Interaction) -> tuple[Person, Place] | None:
        place = place_of(interaction.channel, interaction.guild_id)
        if not self._members.served(interaction.guild_id):
            await self._answering.welcome(interaction, place)
            return None
        if not await promised(interaction):
            return None
        return await self._members.person(interaction.user), place


class Progress:
    """One message that shows a job as it goes on."""

    def __init__(self, surface: Surface, errands: Errands) -> None:
        self._surface = surface
        self._painter = Painter(surface.show, errands, PACE_S)

    def say(self, text: str) -> None:
        self._painter.put(notice(text))

    async def show(self, job: JobView) -> None:
        page = job_page(job)
        if job.phase in (JobPhase.QUEUED, JobPhase.RUNNING):
            self._painter.put(page)
            return
        await self._painter.stop()
        try:
            await self._surface.show(page)
        except ScreenError as error:
            log.warning("a job's end can't be shown: %s", error)
