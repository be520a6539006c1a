"""What admins read: the help, a reindex job as it goes on. One place for every platform."""

from __future__ import annotations

from collections.abc import Sequence

from crag.platform import JobPhase, JobView, SourceView
from crag.wording import documents

HELP_TITLE = "What I can do"
HELP = (
    "Mention me with a question, write to me in private, use `/ask`, or choose “Ask Candor about this” in a message's "
    "menu.",
    "`/grade` shows how I judge the passages for a question; so does the button under each reply.",
)
FOR_ADMINS = "For admins"
COMMANDS = {
    "status": "how I am and what is indexed",
    "sources": "what can be reindexed",
    "reindex": "bring the index in step with its sources",
    "cancel": "stop the reindex that is running",
}
"""Each command, and what it does."""

STATUS = "Status"
WRONG = "What is wrong"
NOTHING_WRONG = "Nothing is wrong."
SOURCES = "What can be reindexed"
NO_SOURCE = "No source is configured. Whoever runs Candor can add one."
CANCEL = "Cancel"
ANSWERS_ON = "The old index answers on."
NAMED = 10
"""How many failed, and how many removed documents are named."""

_TITLES = {
    JobPhase.QUEUED: "Waiting to reindex {}",
    JobPhase.RUNNING: "Reindexing {}",
    JobPhase.DONE: "Reindexed {}",
    JobPhase.FAILED: "Reindexing {} failed",
    JobPhase.CANCELLED: "Reindexing {} was cancelled",
}


def source(view: SourceView) -> str:
    """What follows its name."""
    return f"{view.path} (corpus {view.corpus})"


def goes_on(view: JobView) -> bool:
    return view.phase in (JobPhase.QUEUED, JobPhase.RUNNING)


def title(view: JobView) -> str:
    told = _TITLES[view.phase].format(", ".join(view.sources) or "all sources")
    return f"{told} (dry run: nothing is changed)" if view.dry_run else told


def progress(view: JobView) -> str:
    """How far it is, "" before it began."""
    if view.total:
        return f"{view.done:,} of {documents(view.total)}"
    return "Looking for documents." if view.phase is JobPhase.RUNNING else ""


def result(view: JobView) -> list[str]:
    """How it ended, in lines."""
    lines = []
    if view.error:
        lines.append(view.error)
    if view.phase is JobPhase.DONE:
        lines.append(
            f"{view.added:,} added, {view.changed:,} changed, {view.removed:,} removed, {view.unchanged:,} unchanged, "
            f"{len(view.failed):,} failed"
        )
    elif "index answers on" not in view.error:
        lines.append(ANSWERS_ON)
    if view.generation:
        lines.append(f"Generation {view.generation}")
    return [*lines, f"Took {view.duration_s:,.1f} s"]


def named(view: JobView) -> list[tuple[str, list[str]]]:
    """The documents that could not be read, and those that are gone, each list under its title; [] for none. The first
    ten; how many more there are is said."""
    failed = [f"{path}: {why}" for path, why in view.failed]
    gone = "Would be removed" if view.dry_run else "Removed"
    lists = (("Could not be read", failed), (gone, view.removed_paths))
    return [(name, _first(told)) for name, told in lists if told]


def _first(told: Sequence[str]) -> list[str]:
    more = [f"… and {len(told) - NAMED:,} more; the log names them."] if len(told) > NAMED else []
    return [*told[:NAMED], *more]
