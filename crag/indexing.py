"""From a source to a live index: only what changed is parsed and embedded, and queries see all of it or nothing."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field
from typing import NamedTuple

from crag.errors import CandorError, ServiceError, SourceError
from crag.glossary import Glossaries
from crag.ports import Chunker, Draft, Embedder, Source, SourceItem, Store
from crag.types import Chunk, Document, DocumentRecord, Generation

_BATCH = 64
"""Chunks that are embedded and stored at once: bounds memory, and lets the embedder sort by length."""
_KEEP = 100
"""Documents copied from the old generation at once."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run stands: `done` of `total` documents, `path` the last one, `chunks` embedded so far."""

    done: int
    total: int
    path: str
    chunks: int


class Failure(NamedTuple):
    """A file that could not be read. If it was indexed before, the reason says what became of that version."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run did; paths as people know them. `chunks` were cut in this run; `anew` says why unchanged documents
    were embedded again, empty where they weren't; `generation` is the live one, empty where there is none."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    failed: tuple[Failure, ...] = ()
    chunks: int = 0
    generation: str = ""
    duration_s: float = 0.0
    anew: str = ""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a run is to do: `read` these, `keep` and `remove` those (records by id). `known` is the whole manifest."""

    read: Sequence[SourceItem]
    keep: Mapping[str, DocumentRecord]
    remove: Mapping[str, DocumentRecord]
    known: Mapping[str, DocumentRecord]
    live: Generation | None
    anew: str


@dataclass(slots=True)
class _Tally:
    """What has become of the documents so far. `dropped` are ids of known ones that can't be read any more."""

    total: int
    records: dict[str, DocumentRecord] = field(default_factory=dict)
    failed: list[Failure] = field(default_factory=list)
    dropped: set[str] = field(default_factory=set)
    spared: set[str] = field(default_factory=set)
    chunks: int = 0


class Indexer:
    """Brings the store in line with a source."""

    def __init__(self, source: Source, chunker: Chunker, embedder: Embedder, store: Store) -> None:
        self._source = source
        self._chunker = chunker
        self._embedder = embedder
        self._store = store

    async def run(self, *, full: bool, dry_run: bool, on_progress: Callable[[Progress], None]) -> IndexReport:
        """One run under the store's lease; a dry run takes none and writes nothing. `full` embeds everything anew and
        believes a folder that has become empty. Raises SourceError (a root), ModelError, SearchError (IndexBusy), and
        then the old index answers on."""
        began = time.monotonic()
        async with AsyncExitStack() as stack:
            if not dry_run:
                await stack.enter_async_context(self._store.lease())
            plan = await self._plan(full=full)
            tally = _Tally(len(plan.read))
            live = plan.live
            if dry_run:
                async with aclosing(self._documents(plan, tally, on_progress)) as documents:
                    async for _ in documents:
                        pass
            else:
                await self._remove(plan.remove)
                try:
                    live = await self._build(plan, tally, on_progress) or live
                except ServiceError as error:
                    raise _nothing_changed(error, plan) from error
        return _report(plan, tally, live, time.monotonic() - began, dry_run=dry_run)

    async def _plan(self, *, full: bool) -> _Plan:
        items = {item.id: item for item in await asyncio.to_thread(lambda: [*self._source.list()])}
        known = await self._store.manifest()
        live = await self._store.live()
        self._refuse_empty_roots(items, known, full=full)
        gone = {id: known[id] for id in known if id not in items and _under(id, self._source.roots)}
        rest = {id: known[id] for id in known if id not in items and id not in gone}
        anew = self._anew(live, full=full)
        if rest and (differs := self._anew(live, full=False)):
            raise _others_needed(differs, rest.values())
        same = {} if anew else {id: known[id] for id in items if id in known and known[id].hash == items[id].hash}
        return _Plan([items[id] for id in items if id not in same], {**same, **rest}, gone, known, live, anew)

    def _refuse_empty_roots(
        self, items: Mapping[str, SourceItem], known: Mapping[str, DocumentRecord], *, full: bool
    ) -> None:
        """A folder without a single document is more often a disk that isn't mounted than a team without papers."""
        for root in self._source.roots:
            if any(_under(id, [root]) for id in items):
                continue
            lost = [id for id in known if _under(id, [root])]
            missing = root in self._source.missing
            if not lost and missing:
                raise SourceError(f"{_name(root)} doesn't exist.", path=_name(root), advice="Check the path.")
            if lost and lost != [root] and not full:
                raise SourceError(
                    f"{_name(root)} {'is missing' if missing else 'is empty'}, but the index knows {len(lost)} "
                    f"document{'s' * (len(lost) > 1)} from there. Nothing was changed.",
                    path=_name(root),
                    advice="If they are really gone, index it again with --full; else check that its disk is there.",
                )

    def _anew(self, live: Generation | None, *, full: bool) -> str:
        if live is None:
            return ""
        if live.embedder != self._embedder.model or live.dimension != self._embedder.dimension:
            return "the embedding model is another one"
        if live.chunker != self._chunker.fingerprint:
            return "documents are cut differently now"
        return "everything was asked for" if full else ""

    async def _remove(self, records: Mapping[str, DocumentRecord]) -> None:
        if records:
            await self._store.remove(tuple(records))

    async def _build(self, plan: _Plan, tally: _Tally, on_progress: Callable[[Progress], None]) -> Generation | None:
        """A new generation, None where nothing was there to put in it: the draft opens with the first document."""
        draft: Draft | None = None
        glossaries = Glossaries()
        waiting: list[Chunk] = []
        async with AsyncExitStack() as stack:
            documents = await stack.enter_async_context(aclosing(self._documents(plan, tally, on_progress)))
            async for _, chunks in documents:
                if draft is None:
                    draft = await stack.enter_async_context(
                        self._store.draft(
                            embedder=self._embedder.model,
                            dimension=self._embedder.dimension,
                            chunker=self._chunker.fingerprint,
                        )
                    )
                glossaries.add(chunks)
                waiting.extend(chunks)
                while len(waiting) >= _BATCH:
                    await self._add(draft, waiting[:_BATCH])
                    del waiting[:_BATCH]
            if draft is None:
                await self._remove({id: plan.known[id] for id in tally.dropped})
                return None
            if waiting:
                await self._add(draft, waiting)
            kept = {**plan.keep, **{id: plan.known[id] for id in tally.spared}}
            await self._keep(draft, tuple(kept), glossaries)
            return await draft.publish([*kept.values(), *tally.records.values()], glossaries.build())

    async def _add(self, draft: Draft, chunks: Sequence[Chunk]) -> None:
        vectors = await self._embedder.embed_passages([chunk.passage for chunk in chunks])
        await draft.add(chunks, vectors)

    async def _keep(self, draft: Draft, documents: Sequence[str], glossaries: Glossaries) -> None:
        for start in range(0, len(documents), _KEEP):
            glossaries.add(await draft.keep(documents[start : start + _KEEP]))

    async def _documents(
        self, plan: _Plan, tally: _Tally, on_progress: Callable[[Progress], None]
    ) -> AsyncGenerator[tuple[Document, Sequence[Chunk]], None]:
        """Each document that can be read, with its chunks; those that can't are named in the tally."""
        for done, item in enumerate(plan.read, 1):
            try:
                document = await self._source.read(item)
                chunks = await asyncio.to_thread(self._chunker.chunk, document)
            except SourceError as error:
                _failed(plan, tally, item, str(error), transient=error.transient)
            except Exception as error:  # one odd file must not end the run
                _failed(plan, tally, item, f"It can't be read ({type(error).__name__}).", transient=False)
            else:
                tally.chunks += len(chunks)
                tally.records[document.id] = DocumentRecord(document.id, document.path, document.hash, len(chunks))
                yield document, chunks
            on_progress(Progress(done, tally.total, item.path, tally.chunks))


def _failed(plan: _Plan, tally: _Tally, item: SourceItem, reason: str, *, transient: bool) -> None:
    """A stale answer is a wrong answer: the old version goes, unless the file will be readable again as it is."""
    if item.id in plan.known:
        if transient and not plan.anew:
            tally.spared.add(item.id)
            reason += " Its last version stays in the index."
        else:
            tally.dropped.add(item.id)
            reason += " Its old version was taken out of the index."
    tally.failed.append(Failure(item.path, reason))


def _report(plan: _Plan, tally: _Tally, live: Generation | None, seconds: float, *, dry_run: bool) -> IndexReport:
    read = tally.records.values()
    same = {id: None for id in tally.records if id in plan.known and plan.known[id].hash == tally.records[id].hash}
    return IndexReport(
        added=tuple(record.path for record in read if record.id not in plan.known),
        changed=tuple(record.path for record in read if record.id in plan.known and record.id not in same),
        removed=tuple(record.path for record in plan.remove.values()),
        unchanged=tuple(record.path for record in (*plan.keep.values(), *(plan.known[id] for id in same))),
        failed=tuple(tally.failed),
        chunks=tally.chunks,
        generation=live.name if live else "",
        duration_s=seconds,
        anew=plan.anew,
        dry_run=dry_run,
    )


def _under(id: str, roots: Iterable[str]) -> bool:
    return any(id == root or id.startswith(root.rstrip("/") + "/") for root in roots)


def _name(root: str) -> str:
    """A root without its scheme, as it was given."""
    return root.removeprefix("file:")


def _others_needed(anew: str, records: Iterable[DocumentRecord]) -> CandorError:
    """The folders of these documents: the id ends with the path, and the path begins with the folder's name."""
    roots = sorted({_folder(record) for record in records})
    return CandorError(
        f"All documents must be indexed again ({anew}), also those from {', '.join(roots)}. Nothing was changed.",
        advice="Name these folders as well.",
    )


def _folder(record: DocumentRecord) -> str:
    if not record.id.endswith(record.path):
        return record.path
    return _name(record.id.removesuffix(record.path) + record.path.partition("/")[0])


def _nothing_changed(error: ServiceError, plan: _Plan) -> ServiceError:
    told = copy.copy(error)
    if plan.live is None:
        left = "Nothing was indexed."
    elif plan.remove:
        left = "Deleted files were taken out; nothing else was changed: the old index answers on."
    else:
        left = "Nothing was changed: the old index answers on."
    told.message = f"{error.message} {left}"
    return told
