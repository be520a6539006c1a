"""What the pictures show, had once from the real engine, models and index on the example handbook; then kept."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ConfigDict, TypeAdapter

from bot.app import Wiring
from bot.jobs.reindexing import Order, Reindexing
from bot.journal import Job
from config.chat import SourceFolder
from config.sections import CHECKOUT
from config.settings import Settings, load
from crag.platform import JobView, Person, Place
from crag.types import Question, Reply

HANDBOOK = CHECKOUT / "examples" / "handbook"
KEPT = CHECKOUT / ".cache" / "pictures" / "replies.json"
ANSWERED = "how many days of holiday do I get?"
PARTLY = "how much is the referral bonus for engineers?"
UNKNOWN = "do we have a pension scheme?"


@dataclass(frozen=True, slots=True)
class Asked:
    """`trouble` was asked when the index was gone; `job` brought it in step with a handbook that had been edited."""

    answered: Reply
    partly: Reply
    unknown: Reply
    trouble: Reply
    job: JobView


_ASKED = TypeAdapter(tuple[Asked], config=ConfigDict(ser_json_inf_nan="constants"))


async def asked(*, anew: bool = False) -> Asked:
    """From the last time, or asked now (about a minute)."""
    if KEPT.is_file() and not anew:
        return _ASKED.validate_json(KEPT.read_bytes())[0]
    with TemporaryDirectory() as folder:
        found = await _asked_in(Path(folder))
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.write_bytes(_ASKED.dump_json((found,)))
    return found


async def _asked_in(work: Path) -> Asked:
    handbook = shutil.copytree(HANDBOOK, work / "handbook")
    settings = _settings(work, handbook)
    async with Wiring(settings, lambda text: print(text, file=sys.stderr)).app() as app:
        jobs = Reindexing(app.library.sources_indexer, _Unkept())
        await _reindexed(jobs, settings.tenant)
        questions = [Question(text, tenant=settings.tenant) for text in (ANSWERED, PARTLY, UNKNOWN)]
        answered, partly, unknown = [await app.engine.answer(question) for question in questions]
        _edit(handbook)
        job = await _reindexed(jobs, settings.tenant)
        with _index_hangs(settings.weaviate.data_directory):
            trouble = await app.engine.answer(questions[0])
    return Asked(answered, partly, unknown, trouble, job)


def _settings(work: Path, handbook: Path) -> Settings:
    chosen = load().settings
    weaviate = chosen.weaviate.model_copy(update={"data_directory": work / "data", "deadline_s": 3.0})
    sources = {"handbook": SourceFolder(path=handbook)}
    return chosen.model_copy(update={"weaviate": weaviate, "sources": sources})


def _edit(handbook: Path) -> None:
    """A week of a company: a page is gone, two are new, one says something else, one can't be read."""
    (handbook / "leave" / "holiday-2023.md").unlink()
    (handbook / "office" / "parking.md").write_text("# Parking\n\nThere are twelve places behind Kiln House.\n")
    (handbook / "people" / "mentors.md").write_text("# Mentors\n\nEverybody gets a mentor for the first year.\n")
    (handbook / "company" / "org-chart.pdf").write_bytes(b"%PDF-1.7 and then the upload broke off")
    travel = handbook / "money" / "travel.md"
    travel.write_text(travel.read_text().replace("14 days ahead", "10 days ahead"))


@contextmanager
def _index_hangs(data: Path) -> Iterator[None]:
    """The server that this run started answers nothing. (Killed, it would be started again, and the answer only come
    a few seconds later.)"""
    server = json.loads((data / "server.json").read_text())["server"]
    os.kill(server, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server, signal.SIGCONT)


async def _reindexed(jobs: Reindexing, tenant: str) -> JobView:
    """How it ended."""
    shown: list[JobView] = []

    async def show(view: JobView) -> None:
        shown.append(view)

    place = Place("slack", tenant, "C1")
    jobs.start(Order(("handbook",), tenant, full=False, dry_run=False, person=Person("U1"), place=place), show)
    await jobs.idle()
    return shown[-1]


class _Unkept:
    """A journal of jobs that keeps nothing."""

    async def start_job(self, view: JobView, person: str, place: Place) -> None: ...

    async def update_job(self, view: JobView) -> None: ...

    async def unfinished_jobs(self) -> list[Job]:
        return []
