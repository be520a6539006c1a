"""Puts the desk together from its parts, and takes it apart in the right order."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.app import App
from bot.desk import words
from bot.desk.administration import Administration, Parts
from bot.desk.budget import Budget
from bot.desk.correcting import Correcting
from bot.desk.desk import FrontDesk
from bot.desk.notices import Notices
from bot.desk.pages import Pages
from bot.desk.places import Places
from bot.desk.ports import Journal
from bot.desk.questions import Questions
from bot.desk.replies import Replies
from bot.jobs import Reindexing
from bot.metrics import Metrics
from bot.watched import Watched
from config.settings import Settings
from crag.platform import PlatformBot
from crag.ports import LanguageModel


@dataclass(frozen=True, slots=True)
class Office:
    """What is there before the models are: the journal, the budget that counts their calls, the language models that
    are watched and the platforms that are open (by name; none yet)."""

    journal: Journal
    notices: Notices
    budget: Budget
    metrics: Metrics
    bots: dict[str, PlatformBot]
    models: list[Watched] = field(default_factory=list)

    def watched(self, model: LanguageModel) -> Watched:
        """The same model; how it is stands in the status."""
        self.models.append(Watched(model))
        return self.models[-1]


@asynccontextmanager
async def open_office(settings: Settings, journal: Journal, metrics: Metrics) -> AsyncIterator[Office]:
    """On leaving, what is being told to the admins is finished or given up."""
    bots: dict[str, PlatformBot] = {}
    notices = Notices(settings, journal, bots)
    limit = settings.limits.llm_calls_per_day
    budget = Budget(journal, limit, lambda day: notices.once("llm_calls", str(day), words.spent_notice(limit)))
    metrics.counter("candor_journal_lost", "Records that could not be written", lambda: journal.lost)
    metrics.gauge("candor_journal_waiting", "Records that wait to be written", lambda: journal.waiting)
    try:
        yield Office(journal, notices, budget, metrics, bots)
    finally:
        await notices.close()


@asynccontextmanager
async def open_desk(settings: Settings, app: App, office: Office) -> AsyncIterator[FrontDesk]:
    """The desk; on leaving, running questions have been drained by whoever stops the platforms, and a running job is
    cancelled."""
    places, metrics, journal = Places(settings), office.metrics, office.journal
    questions = Questions(
        places=places,
        journal=journal,
        engines=app.engines,
        budget=office.budget if settings.uses_language_model else None,
        limits=settings.limits,
        metrics=metrics,
        deadline_s=settings.crag.deadline_s,
    )
    metrics.gauge("candor_queue_depth", "Questions that wait", lambda: questions.line.waiting)
    metrics.gauge("candor_in_flight", "Questions that are being answered", lambda: questions.line.running)
    reindexing = Reindexing(app.library.sources_indexer, journal)
    await reindexing.recover()
    parts = Parts(
        index=app.library.index,
        embedder=app.library.embedder.model,
        warning=app.warning,
        line=questions.line,
        budget=office.budget,
        journal=journal,
        reindexing=reindexing,
        bots=office.bots,
        models=office.models,
    )
    per_minute = settings.limits.person_per_minute
    replies = Replies(places, journal, metrics, per_minute=per_minute)
    pages = Pages(app.library.index, app.library.embedder)
    correcting = Correcting(places, journal, replies, pages, per_minute=per_minute)
    try:
        yield FrontDesk(places, questions, replies, correcting, Administration(settings, places, parts))
    finally:
        await reindexing.close()
