"""Checks of everything Candor depends on. Each says in one line how it is, and what to do if it isn't well."""

from __future__ import annotations

import asyncio
import enum
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from bot import platform_checks
from bot.app import Wiring
from bot.hints import index_it
from config.settings import Loaded, Settings
from crag.calibration import Calibration, load_calibration
from crag.errors import CandorError
from crag.ports import Embedder, Grader, LanguageModel
from crag.types import Generation, Prompt, SearchRequest
from crag.wording import indexed

OLDEST_PYTHON = (3, 11)
MIN_FREE = 1_000_000_000
"""Bytes. Below this an index may not fit."""
READ_ONLY_AT = 0.9
"""Weaviate makes its shards read-only where the disk is fuller than this; from 0.8 on it warns."""


class Outcome(enum.StrEnum):
    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """`text` is how it is; `advice` what to do, "" where there is nothing to do."""

    name: str
    outcome: Outcome
    text: str
    advice: str = ""


async def checks(wiring: Wiring, loaded: Loaded) -> AsyncIterator[Check]:
    """One after the other, the quick ones first. A part that fails doesn't keep the others from being checked."""
    settings = loaded.settings
    yield python()
    yield Check("settings", Outcome.OK, ", ".join(map(str, loaded.files)) or "defaults and the environment")
    if settings.weaviate.mode == "embedded":
        yield await asyncio.to_thread(data_directory, settings.weaviate.data_directory)
    calibration, found = _calibration(settings)
    yield found
    async with AsyncExitStack() as stack:
        embedder, found = await _embedder(stack, wiring)
        yield found
        grader, found = await _grader(stack, wiring)
        yield found
        if calibration and embedder and grader:
            yield thresholds(calibration, grader.model, embedder.model)
        if embedder:
            async for found in _search(stack, wiring, embedder, calibration):
                yield found
        async for found in _language_models(stack, wiring):
            yield found
    for finding in await platform_checks.findings(settings):
        outcome = Outcome.OK if finding.ok else Outcome.FAIL
        yield Check(finding.name, outcome, finding.text, finding.advice)


def python() -> Check:
    version = sys.version.split()[0]
    if sys.version_info >= OLDEST_PYTHON:
        return Check("python", Outcome.OK, version)
    return Check("python", Outcome.FAIL, version, "Candor needs Python 3.11 or newer.")


def data_directory(directory: Path) -> Check:
    """Whether it can be written, and whether an index fits."""
    existing = next(place for place in (directory, *directory.parents) if place.exists())
    probe = existing / ".candor-writable"
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        advice = "Set CANDOR_WEAVIATE__DATA_DIRECTORY to a directory that can be written."
        return Check("data", Outcome.FAIL, f"{directory} can't be written: {error.strerror or error}", advice)
    disk = shutil.disk_usage(existing)
    used = 1 - disk.free / disk.total
    text = f"{directory}, {disk.free / 1e9:.0f} GB free"
    advice = "Free some space: Weaviate stops writing where the disk is 90 % full."
    if used >= READ_ONLY_AT:
        return Check("data", Outcome.FAIL, f"{text}, {used:.0%} full", advice)
    if used >= READ_ONLY_AT - 0.1 or disk.free < MIN_FREE:
        return Check("data", Outcome.WARN, f"{text}, {used:.0%} full", advice)
    return Check("data", Outcome.OK, text)


def thresholds(calibration: Calibration, grader: str, embedder: str) -> Check:
    """Whether the thresholds were measured with the models that run."""
    if wrong := calibration.mismatch(grader, embedder):
        return Check("thresholds", Outcome.WARN, wrong, "Measure anew: candor calibrate QUESTIONS.jsonl")
    if not calibration.calibrated:
        return Check("thresholds", Outcome.WARN, "Nobody has measured them yet.", "candor calibrate QUESTIONS.jsonl")
    own = "and on your questions" if calibration.own else "but not calibrated on your questions (candor calibrate)"
    return Check("thresholds", Outcome.OK, f"measured with the models that run, {own}")


def corpus(calibration: Calibration, live: Generation) -> Check:
    """Whether the index is still the one that the thresholds were measured on."""
    if changed := calibration.drift(live.chunker, live.documents):
        return Check("measured on", Outcome.WARN, changed, "Run: candor calibrate QUESTIONS.jsonl")
    return Check("measured on", Outcome.OK, f"your questions, on {calibration.documents} documents")


def _calibration(settings: Settings) -> tuple[Calibration | None, Check]:
    try:
        calibration = load_calibration(settings.crag.calibration)
    except CandorError as error:
        return None, _failed("calibration", error)
    when = f", measured {calibration.date}" if calibration.date else ""
    text = f"upper {calibration.upper:.2f}, lower {calibration.lower:.2f}{when}"
    return calibration, Check("calibration", Outcome.OK, text)


async def _embedder(stack: AsyncExitStack, wiring: Wiring) -> tuple[Embedder | None, Check]:
    start = time.perf_counter()
    try:
        embedder = await stack.enter_async_context(wiring.embedder())
        await embedder.embed_query("Does it work?")
    except CandorError as error:
        return None, _failed("embedder", error)
    return embedder, Check("embedder", Outcome.OK, f"{embedder.model}, {_since(start)}")


async def _grader(stack: AsyncExitStack, wiring: Wiring) -> tuple[Grader | None, Check]:
    start = time.perf_counter()
    try:
        grader = await stack.enter_async_context(wiring.grader())
        await grader.grade("Does it work?", ["It works."])
    except CandorError as error:
        return None, _failed("grader", error)
    return grader, Check("grader", Outcome.OK, f"{grader.model}, {_since(start)}")


async def _search(
    stack: AsyncExitStack, wiring: Wiring, embedder: Embedder, calibration: Calibration | None
) -> AsyncIterator[Check]:
    """The server, then what it holds, then a real search: REST can be well where gRPC isn't."""
    start = time.perf_counter()
    try:
        address = await stack.enter_async_context(wiring.address())
        index = await stack.enter_async_context(wiring.index(address, embedder))
        live = await index.live(wiring.settings.tenant)
    except CandorError as error:
        yield _failed("weaviate", error)
        return
    yield Check("weaviate", Outcome.OK, f"{address}, {_since(start)}")
    if live is None:
        hint = index_it(wiring.settings.weaviate.data_directory).replace("\n", ". ")
        yield Check("index", Outcome.WARN, "Nothing is indexed yet.", hint)
        return
    if calibration and calibration.own:
        yield corpus(calibration, live)
    start = time.perf_counter()
    settings = wiring.settings
    vector = await embedder.embed_query("Does it work?")
    request = SearchRequest("work", vector, 1, settings.crag.alpha, settings.tenant, frozenset(), settings.access)
    try:
        await index.search(request)
    except CandorError as error:
        yield _failed("index", error)
        return
    yield Check("index", Outcome.OK, f"{indexed(live)}, generation {live.name}; a search in {_since(start)}")


async def _language_models(stack: AsyncExitStack, wiring: Wiring) -> AsyncIterator[Check]:
    """Each is asked for one token, which finds a server that is down, a wrong key and an unknown model."""
    settings = wiring.settings
    if settings.writer.kind != "extractive":
        yield await _language_model(stack, "writer", wiring.writer_model)
    if settings.asks_grader_model:
        yield await _language_model(stack, "llm grader", wiring.grader_model)


async def _language_model(
    stack: AsyncExitStack, name: str, opening: Callable[[], AbstractAsyncContextManager[LanguageModel]]
) -> Check:
    start = time.perf_counter()
    try:
        model = await stack.enter_async_context(opening())
        await model.complete(Prompt("Answer with one word.", "Say yes."), max_tokens=1)
    except CandorError as error:
        return _failed(name, error)
    return Check(name, Outcome.OK, f"{model.model} answered in {_since(start)}")


def _failed(name: str, error: CandorError) -> Check:
    return Check(name, Outcome.FAIL, error.message, error.advice)


def _since(start: float) -> str:
    return f"{time.perf_counter() - start:.2f} s"
