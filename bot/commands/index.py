"""`candor index`: bring the index in step with folders and files."""

from __future__ import annotations

import asyncio
import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from adapters.console.progress import IndexProgress
from adapters.console.safe import safe, safe_line
from adapters.console.structured import Data
from adapters.sources.folder import SUFFIXES, kinds
from bot.app import Library
from bot.context import Context
from bot.exits import Exit
from crag.errors import SourceError
from crag.indexing import IndexReport
from crag.wording import passages

KINDS = ", ".join(SUFFIXES)


async def run(context: Context, arguments: Namespace) -> Exit:
    if not arguments.full:
        _refuse_missing(arguments.paths)
    async with context.library() as library:
        report = await index_paths(context, library, arguments.paths, full=arguments.full, dry_run=arguments.dry_run)
    empty, others = await asyncio.to_thread(_left_over, arguments.paths)
    screen = context.screen
    if screen.json:
        screen.emit("index", {**_data(report), "empty": [safe(str(path)) for path in empty], "other_kinds": others})
    else:
        screen.out.print(Text(summary(report)), soft_wrap=True)
        for path, reason in _failures(report):
            screen.out.print(Text(f"- {safe_line(path)}: {safe_line(reason)}"), soft_wrap=True)
        for folder in map(str, empty):
            told = f"No document that Candor reads ({KINDS}) was found in {safe_line(folder)}."
            screen.out.print(Text(told), soft_wrap=True)
        if others:
            told = f"{others} {'files are' if others != 1 else 'file is'} of other kinds, and left out."
            screen.out.print(Text(told), soft_wrap=True)
    if empty and not report.removed:
        return Exit.FAILED
    return Exit.SOME_FILES_FAILED if report.failed else Exit.OK


def _left_over(paths: Sequence[Path]) -> tuple[list[Path], int]:
    """The folders without a document, and how many files of kinds that Candor doesn't read lie in all of them."""
    found = {path: kinds(path) for path in paths if path.is_dir()}
    return [path for path, (known, _) in found.items() if not known], sum(others for _, others in found.values())


def _refuse_missing(paths: Sequence[Path]) -> None:
    """Before anything is started: a folder that isn't there is indexed with --full only. A file that is gone is not
    refused: it leaves the index. Raises SourceError."""
    for path in paths:
        if not os.path.exists(path) and path.suffix.lower() not in SUFFIXES:
            raise SourceError(
                f"{path} doesn't exist. Nothing was changed.",
                path=str(path),
                advice="Check the path, and that its disk is there. If it is gone for good, --full takes its documents "
                "out of the index.",
            )


async def index_paths(
    context: Context, library: Library, paths: Sequence[Path], *, full: bool = False, dry_run: bool = False
) -> IndexReport:
    """Index, with progress on standard error. Raises CandorError; then the old index stays."""
    async with library.indexer(paths) as indexer:
        with IndexProgress(context.screen.err) as progress:
            return await indexer.run(full=full, dry_run=dry_run, on_progress=progress)


def summary(report: IndexReport) -> str:
    """One sentence."""
    counts = ", ".join(
        f"{len(which)} {name}"
        for name, which in (
            ("new", report.added),
            ("changed", report.changed),
            ("removed", report.removed),
            ("unchanged", report.unchanged),
            ("failed", report.failed),
        )
        if which
    )
    if report.dry_run:
        return f"Would index: {counts or 'nothing'}. Nothing was changed."
    why = f" Anew, because {report.anew}." if report.anew else ""
    cut = f"; {passages(report.chunks)}" if report.chunks else ""
    return f"Indexed in {report.duration_s:.1f} s: {counts or 'nothing'}{cut}.{why}"


def _data(report: IndexReport) -> Data:
    return {
        "dry_run": report.dry_run,
        "added": list(map(safe, report.added)),
        "changed": list(map(safe, report.changed)),
        "removed": list(map(safe, report.removed)),
        "unchanged": len(report.unchanged),
        "failed": [{"path": safe(path), "reason": safe(reason)} for path, reason in _failures(report)],
        "chunks": report.chunks,
        "anew": report.anew,
        "generation": report.generation,
        "duration_s": round(report.duration_s, 2),
    }


def _failures(report: IndexReport) -> list[tuple[str, str]]:
    return [(failure.path, failure.reason) for failure in report.failed]
