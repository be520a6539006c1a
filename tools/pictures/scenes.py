"""Which messages the pictures show, rendered by the adapters themselves."""

from __future__ import annotations

from collections.abc import Iterator

from adapters.discord import desk_views, grades, replies
from adapters.discord.buttons import Interaction
from adapters.discord.correcting import CorrectionForm
from adapters.slack import admin_cards
from adapters.slack import correcting as slack_correcting
from adapters.slack import grades as slack_grades
from adapters.slack import replies as slack_replies
from adapters.slack.ids import place
from crag.types import Reply
from tools.pictures import discord, slack
from tools.pictures.asking import Asked
from tools.pictures.shooting import Scene

DESKTOP, MODAL, PHONE = 760, 560, 390
ASKER = "Ines"
WHERE = place("T1", "C1", "1.1")


def scenes(asked: Asked) -> Iterator[Scene]:
    """All of them."""
    yield from _slack(asked)
    yield from _discord(asked)


def _slack(asked: Asked) -> Iterator[Scene]:
    def told(reply: Reply, at: str) -> str:
        question = slack.message(ASKER, at, slack.person(reply.question.text))
        return question + slack.message("Candor", at, slack.posts(slack_replies.posts(reply)), app=True)

    yield Scene("slack-answers", "slack", DESKTOP, told(asked.answered, "9:41") + told(asked.partly, "9:44"))
    yield Scene("slack-cards", "slack", DESKTOP, told(asked.unknown, "10:02") + told(asked.trouble, "10:05"))
    for name, width, reply in (("slack-grade", MODAL, asked.answered), ("slack-grade-phone", PHONE, asked.partly)):
        yield Scene(name, "slack", width, slack.modal(slack_grades.grade_view(reply, WHERE)))
    form = slack_correcting.form(asked.partly.trace.id, WHERE, asked.partly, 1)
    yield Scene("slack-correct-phone", "slack", PHONE, slack.modal(form))
    job = slack.posts([admin_cards.job_card(asked.job)])
    yield Scene("slack-reindex", "slack", DESKTOP, slack.message("Candor", "11:20", job, app=True))


def _discord(asked: Asked) -> Iterator[Scene]:
    def told(reply: Reply, at: str) -> str:
        question = discord.message(ASKER, at, discord.person(reply.question.text))
        return question + discord.message("Candor", at, discord.pages(replies.pages(reply)), app=True)

    yield Scene("discord-answers", "discord", DESKTOP, told(asked.answered, "9:41") + told(asked.partly, "9:44"))
    yield Scene("discord-cards", "discord", DESKTOP, told(asked.unknown, "10:02") + told(asked.trouble, "10:05"))
    first, second = grades.grade_pages(asked.answered)[0], grades.grade_pages(asked.partly)[1]
    for name, width, page in (("discord-grade", DESKTOP, first), ("discord-grade-phone", PHONE, second)):
        shown = discord.message("Candor", "9:45", discord.pages([page], private=True), app=True)
        yield Scene(name, "discord", width, shown)
    form = CorrectionForm(_nothing, asked.partly)
    yield Scene("discord-correct-phone", "discord", PHONE, discord.form(form, opened="truth"))
    job = discord.pages([desk_views.job_page(asked.job)])
    yield Scene("discord-reindex", "discord", DESKTOP, discord.message("Candor", "11:20", job, app=True))


async def _nothing(interaction: Interaction, form: CorrectionForm) -> None:
    """A form in a picture is sent nowhere."""
