"""What `/candor` shows: status, sources, a job as it goes on, help."""

from __future__ import annotations

from adapters.slack.blocks import FALLBACK, Json, Post, actions, button, cut_line, section
from adapters.slack.ids import CANCEL
from adapters.slack.mrkdwn import cut, line
from crag import admin_words as words
from crag.platform import JobPhase, JobView, SourceView, StatusView

HELP = "\n".join(words.HELP)
_ARGUMENTS = {"reindex": " [SOURCE] [--full] [--dry-run]"}
ADMIN_HELP = "\n".join(
    [
        f"*{words.FOR_ADMINS}*",
        *(f"`/candor {name}{_ARGUMENTS.get(name, '')}` - {does}" for name, does in words.COMMANDS.items()),
    ]
)
EMBLEMS = {
    JobPhase.QUEUED: "⏳",
    JobPhase.RUNNING: "⏳",
    JobPhase.DONE: "✅",
    JobPhase.FAILED: "❌",
    JobPhase.CANCELLED: "⏹️",
}


def help_card(*texts: str) -> Post:
    return Post(words.HELP_TITLE, tuple(section(text) for text in texts if text))


def status_card(view: StatusView) -> Post:
    rows = "\n".join(f"*{line(name)}:* {line(value)}" for name, value in view.lines)
    wrong = [f"*{words.WRONG}*", *(f"⚠️ {line(problem)}" for problem in view.problems)]
    problems = "\n".join(wrong) if view.problems else f"✅ {words.NOTHING_WRONG}"
    return Post(words.STATUS, tuple(section(cut_line(text)) for text in (rows, problems) if text))


def sources_card(sources: tuple[SourceView, ...]) -> Post:
    if not sources:
        return Post(words.NO_SOURCE, (section(words.NO_SOURCE),))
    rows = [f"*{words.SOURCES}*", *(f"• *{line(s.name)}:* {line(words.source(s))}" for s in sources)]
    return Post(words.SOURCES, (section(cut_line("\n".join(rows))),))


def job_card(view: JobView) -> Post:
    """One job; the same message is edited until it ends."""
    title, going = line(words.title(view)), words.goes_on(view)
    rows = [f"{EMBLEMS[view.phase]} *{title}*"]
    rows += [line(row) for row in ([words.progress(view)] if going else words.result(view)) if row]
    for name, told in [] if going else words.named(view):
        rows += [f"\n*{name}*", *(line(text) if text.startswith("…") else f"• {line(text)}" for text in told)]
    blocks: list[Json] = [section(cut_line("\n".join(rows)))]
    if going:
        blocks.append(actions(button(words.CANCEL, CANCEL, view.id, style="danger")))
    return Post(cut(title, FALLBACK), tuple(blocks))
