"""What `/candor` shows: status, sources, a job as it goes on, help."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.slack.blocks import FALLBACK, Json, Post, actions, button, cut_line, section
from adapters.slack.ids import CANCEL
from adapters.slack.mrkdwn import cut, line
from crag import wording
from crag.platform import JobPhase, JobView, SourceView, StatusView
from crag.wording import documents

NAMED = 10
"""How many failed, and how many removed documents are named."""

HELP = """*Ask*
`@Candor QUESTION` in a channel or thread, a direct message, or `/ask QUESTION`
*See how it was judged*
`/grade QUESTION`, or the button under a reply"""
_ARGUMENTS = {"reindex": " [SOURCE] [--full] [--dry-run]"}
ADMIN_HELP = "\n".join(
    ["*For admins*", *(f"`/candor {name}{_ARGUMENTS.get(name, '')}` - {does}" for name, does in wording.ADMIN_COMMANDS)]
)


def help_card(*texts: str) -> Post:
    return Post("How to use Candor", tuple(section(text) for text in texts if text))


def status_card(view: StatusView) -> Post:
    rows = "\n".join(f"*{line(name)}:* {line(value)}" for name, value in view.lines)
    problems = "\n".join(f"⚠️ {line(problem)}" for problem in view.problems) or "✅ No problems."
    return Post("Candor's status", tuple(section(cut_line(text)) for text in (rows, problems) if text))


def sources_card(sources: tuple[SourceView, ...]) -> Post:
    if not sources:
        return Post("No sources", (section(wording.NO_SOURCE),))
    rows = "\n".join(f"• *{line(s.name)}:* {line(s.path)} (corpus {line(s.corpus)})" for s in sources)
    return Post("The configured sources", (section(cut_line(rows)),))


def job_card(view: JobView) -> Post:
    """One job; the same message is edited until it ends."""
    what = ", ".join(view.sources) or "all sources"
    title = f"{'Dry run of reindexing' if view.dry_run else 'Reindexing'} {line(what)}"
    text = "\n".join([f"*{title}*", *_lines(view)])
    blocks: list[Json] = [section(cut_line(text))]
    if view.phase in (JobPhase.QUEUED, JobPhase.RUNNING):
        blocks.append(actions(button("Cancel", CANCEL, view.id, style="danger")))
    return Post(cut(f"{title}: {view.phase}", FALLBACK), tuple(blocks))


def _lines(view: JobView) -> list[str]:
    match view.phase:
        case JobPhase.QUEUED:
            return ["⏳ Waiting to start."]
        case JobPhase.RUNNING:
            return [f"⏳ {view.done:,} of {documents(view.total)}" if view.total else "⏳ Looking for documents."]
        case JobPhase.CANCELLED:
            return [f"⏹️ {line(view.error) or 'It was cancelled.'}", *_answers_on(view)]
        case JobPhase.FAILED:
            return [f"❌ {line(view.error)}", *_answers_on(view)]
    counts = f"{view.added:,} added, {view.changed:,} changed, {view.removed:,} removed, {view.unchanged:,} unchanged"
    done = "Nothing was changed; this is what would be" if view.dry_run else "Done"
    generation = f"Generation {line(view.generation)}\n" if view.generation else ""
    failed = [f"{path}: {why}" for path, why in view.failed]
    return [
        f"✅ {done}: {counts}, {len(view.failed):,} failed.",
        *_named(wording.NOT_READ, failed),
        *_named(wording.WOULD_BE_REMOVED if view.dry_run else wording.REMOVED, view.removed_paths),
        f"\n{generation}Took {view.duration_s:,.1f} s",
    ]


def _answers_on(view: JobView) -> list[str]:
    return [] if "index answers on" in view.error else [wording.INDEX_ANSWERS_ON]


def _named(title: str, told: Sequence[str]) -> list[str]:
    """The first ten; how many more there are is said."""
    more = [f"… and {len(told) - NAMED:,} more; the log names them."] if len(told) > NAMED else []
    return [f"\n*{title}*", *(f"• {line(text)}" for text in told[:NAMED]), *more] if told else []
