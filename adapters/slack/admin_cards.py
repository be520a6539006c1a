"""What `/candor` shows: status, sources, a job as it goes on, help."""

from __future__ import annotations

from adapters.slack.blocks import FALLBACK, Json, Post, actions, button, cut_line, section
from adapters.slack.ids import CANCEL
from adapters.slack.mrkdwn import cut, line
from crag.platform import JobPhase, JobView, SourceView, StatusView
from crag.wording import documents

NAMED = 10
"""How many failed, and how many removed documents are named."""

HELP = """*Ask*
`@Candor QUESTION` in a channel or thread, a direct message, or `/ask QUESTION`
*See how it was judged*
`/grade QUESTION`, or the button under a reply"""
ADMIN_HELP = """*For admins*
`/candor status` - what is indexed, and whether all is well
`/candor sources` - the configured sources
`/candor reindex [SOURCE] [--full] [--dry-run]` - read the documents again
`/candor cancel` - stop the running job"""


def help_card(*texts: str) -> Post:
    return Post("How to use Candor", tuple(section(text) for text in texts if text))


def status_card(view: StatusView) -> Post:
    rows = "\n".join(f"*{line(name)}:* {line(value)}" for name, value in view.lines)
    problems = "\n".join(f"⚠️ {line(problem)}" for problem in view.problems) or "✅ No problems."
    return Post("Candor's status", tuple(section(cut_line(text)) for text in (rows, problems) if text))


def sources_card(sources: tuple[SourceView, ...]) -> Post:
    if not sources:
        return Post("No sources", (section("No source is configured."),))
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
            return ["⏹️ Cancelled. The index is as it was."]
        case JobPhase.FAILED:
            return [f"❌ {line(view.error)}", "The index is as it was, and I go on answering from it."]
    would = "Nothing was changed. It would be " if view.dry_run else ""
    counts = f"{view.added:,} added, {view.changed:,} changed, {view.removed:,} removed, {view.unchanged:,} unchanged"
    lines = [f"✅ {would}{counts}, {len(view.failed):,} failed."]
    lines += [f"• {line(path)}: {line(why)}" for path, why in view.failed[:NAMED]]
    lines += [f"• removed: {line(path)}" for path in view.removed_paths[:NAMED]]
    if len(view.failed) > NAMED or len(view.removed_paths) > NAMED:
        lines.append("… and more; the log names them.")
    facts = [f"index {line(view.generation)}"] if view.generation else []
    return [*lines, ", ".join([*facts, f"{view.duration_s:.1f} s"])]
