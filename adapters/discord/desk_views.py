"""What the Desk tells the admins, as pages: status, sources, a reindex job; and the help."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.discord.escaping import defused, literal
from adapters.discord.limits import FIELD, cut
from adapters.discord.pages import Act, Colour, Page, Press, card, listed
from crag import admin_words as words
from crag import wording
from crag.platform import Handover, JobPhase, JobView, SourceView, StatusView

BAR = 20
_COLOURS = {JobPhase.DONE: Colour.SUPPORTED, JobPhase.FAILED: Colour.TROUBLE, JobPhase.CANCELLED: Colour.UNKNOWN}
_OPTIONS = {"reindex": "; `full` does all anew, `dry_run` only says what would be done"}
HELP = "\n".join(
    [
        *words.HELP,
        f"\n**{words.FOR_ADMINS}**",
        *(f"`/candor {name}` - {does}{_OPTIONS.get(name, '')}" for name, does in words.COMMANDS.items()),
    ]
)


def status_page(status: StatusView) -> Page:
    lines = [f"**{defused(name)}:** {literal(value, FIELD // 3)}" for name, value in status.lines]
    problems = [f"⚠️ {defused(problem)}" for problem in status.problems]
    colour = Colour.TROUBLE if problems else Colour.SUPPORTED
    lines += [] if problems else [f"✅ {words.NOTHING_WRONG}"]
    return Page((card(words.STATUS, "\n".join(lines), colour, listed(words.WRONG, problems)),))


def sources_page(sources: Sequence[SourceView]) -> Page:
    if not sources:
        return Page((card("", words.NO_SOURCE, Colour.NOTICE),))
    lines = [f"- **{literal(s.name, 60)}:** {literal(words.source(s), 250)}" for s in sources]
    return Page((card(words.SOURCES, "\n".join(lines), Colour.NOTICE),))


def help_page() -> Page:
    return Page((card(words.HELP_TITLE, HELP, Colour.NOTICE),))


def job_page(job: JobView) -> Page:
    """A job as it is now; while it goes on, with a button that stops it."""
    going, told, fields = words.goes_on(job), words.result(job), []
    if going:
        told = [words.progress(job)]
    else:
        for name, rows in words.named(job):
            fields += listed(
                name, (literal(row, 450) if row.startswith("…") else f"- {literal(row, 450)}" for row in rows)
            )
    text = _bar(job) * going + "\n".join(literal(cut(row, FIELD), FIELD) for row in told if row)
    buttons = (Press(Act.CANCEL, words.CANCEL, job.id),) if going else ()
    colour = _COLOURS.get(job.phase, Colour.WORKING)
    return Page((card(literal(words.title(job), 200), text, colour, fields),), buttons)


def _bar(job: JobView) -> str:
    if not job.total:
        return ""
    full = min(BAR, job.done * BAR // job.total)
    return f"`{'█' * full}{'░' * (BAR - full)}` "


def handover_page(handover: Handover, asker: str) -> Page:
    """What "Ask a human" posts. `asker` is a user's id."""
    text = f"<@{asker}> {wording.HAS_A_QUESTION}\n> {literal(handover.text, 1500)}"
    where = f"\n[{wording.OPEN_QUESTION}](<{handover.link}>)" if handover.link.startswith("https://") else ""
    calling = f"<@&{handover.mention}>" if handover.mention else None
    return Page((card(wording.FOR_A_HUMAN, text + where, Colour.WORKING),), content=calling)
