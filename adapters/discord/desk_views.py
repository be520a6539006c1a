"""What the Desk tells the admins, as pages: status, sources, a reindex job; and the help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adapters.discord.escaping import defused, literal
from adapters.discord.limits import FIELD, cut, one_line
from adapters.discord.pages import Act, Colour, Page, Press, card, listed
from crag.platform import Handover, JobPhase, JobView, SourceView, StatusView

FAILURES = 10
"""How many of the documents that failed, and of those removed, are named."""
BAR = 20
_TITLES = {
    JobPhase.QUEUED: "Waiting to reindex",
    JobPhase.RUNNING: "Reindexing",
    JobPhase.DONE: "Reindexed",
    JobPhase.FAILED: "Reindexing failed",
    JobPhase.CANCELLED: "Reindexing was cancelled",
}
_COLOURS = {JobPhase.DONE: Colour.SUPPORTED, JobPhase.FAILED: Colour.TROUBLE, JobPhase.CANCELLED: Colour.UNKNOWN}
HELP = """Mention me with a question, use `/ask`, write to me in private, or choose Apps, Ask Candor about this \
on a message.
`/grade` shows how I judge the passages for a question.

**For admins**
`/candor status` how I am and what is indexed
`/candor sources` what can be reindexed
`/candor reindex` bring the index in step; `full` does all anew, `dry_run` only says what would be done
`/candor cancel` stop the running job"""


def status_page(status: StatusView) -> Page:
    lines = [f"**{defused(name)}:** {literal(value, FIELD // 3)}" for name, value in status.lines]
    problems = [f"⚠️ {defused(problem)}" for problem in status.problems]
    colour = Colour.TROUBLE if problems else Colour.SUPPORTED
    return Page((card("Status", "\n".join(lines), colour, listed("What is wrong", problems)),))


def sources_page(sources: Sequence[SourceView]) -> Page:
    if not sources:
        return Page((card("Sources", "No source is configured. Whoever runs Candor can add one.", Colour.NOTICE),))
    lines = [f"**{literal(s.name, 60)}** · {literal(s.path, 200)} · corpus {literal(s.corpus, 60)}" for s in sources]
    return Page((card("Sources", "", Colour.NOTICE, listed("What can be reindexed", lines)),))


def help_page() -> Page:
    return Page((card("What I can do", HELP, Colour.NOTICE),))


def job_page(job: JobView) -> Page:
    """A job as it is now; while it goes on, with a button that stops it."""
    title = _TITLES[job.phase] + (" (dry run: nothing is changed)" if job.dry_run else "")
    going = job.phase in (JobPhase.QUEUED, JobPhase.RUNNING)
    text = "\n".join(_told(job, going=going))
    gone = "Would be removed" if job.dry_run else "Removed"
    fields = [] if going else [*listed("Could not be read", _failures(job)), *listed(gone, _removed(job))]
    buttons = (Press(Act.CANCEL, "Cancel", job.id),) if going else ()
    return Page((card(title, text, _COLOURS.get(job.phase, Colour.WORKING), fields),), buttons)


def _told(job: JobView, *, going: bool) -> Iterator[str]:
    if job.sources:
        yield f"Sources: {', '.join(literal(source, 60) for source in job.sources)}"
    if going and job.total:
        full = min(BAR, job.done * BAR // job.total)
        yield f"`{'█' * full}{'░' * (BAR - full)}` {job.done:,} of {job.total:,} documents"
    if going:
        return
    if job.error:
        yield defused(cut(job.error, FIELD))
        if "index answers on" not in job.error:
            yield "The old index answers on."
    if job.phase is JobPhase.DONE:
        counts = f"{job.added:,} added, {job.changed:,} changed, {job.removed:,} removed, {job.unchanged:,} unchanged"
        yield f"{counts}, {len(job.failed):,} failed"
    if job.generation:
        yield f"Generation {literal(job.generation, 100)}"
    yield f"Took {job.duration_s:,.1f} s"


def _failures(job: JobView) -> Iterator[str]:
    for path, reason in job.failed[:FAILURES]:
        yield f"- {literal(path, 150)}: {defused(one_line(reason, 300))}"
    if len(job.failed) > FAILURES:
        yield f"… and {len(job.failed) - FAILURES:,} more"


def _removed(job: JobView) -> Iterator[str]:
    yield from (f"- {literal(path, 150)}" for path in job.removed_paths[:FAILURES])
    if len(job.removed_paths) > FAILURES:
        yield f"… and {len(job.removed_paths) - FAILURES:,} more"


def handover_page(handover: Handover, asker: str) -> Page:
    """What "Ask a human" posts. `asker` is a user's id."""
    text = f"> {literal(handover.text, 1500)}\n\n<@{asker}> would like to know; my documents don't tell."
    where = f"\n[Open the question](<{handover.link}>)" if handover.link.startswith("https://") else ""
    calling = f"<@&{handover.mention}>" if handover.mention else None
    return Page((card("A question for a human", text + where, Colour.WORKING),), content=calling)
