"""What Candor remembers beside the chunks, as small JSON objects in a collection of their own.

For each generation: which tenants it has and which generation was live before it. For each tenant in it a head: who
built it, how many documents and chunks it has, and where its manifest and glossary are. Those two are written in
pieces under a fresh version; the head that names the version is replaced last, in one step, so that a reader never
sees half of them. And the lease.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter
from weaviate.exceptions import WeaviateQueryError

from adapters.weaviate.connection import Connection, refusal
from adapters.weaviate.schema import Names, create_ledger, object_id
from crag.errors import SearchError
from crag.types import DocumentRecord, Generation, Glossary, Shelf

PIECE = 200_000
"""Characters an object: a message stays far below gRPC's 10 MB."""


@dataclass(frozen=True, slots=True)
class Blob:
    """A long text in pieces."""

    version: str
    pieces: int


@dataclass(frozen=True, slots=True)
class Head:
    """One tenant's part of one generation. `shelves` are (corpus, access labels, documents), none where an older
    version wrote it."""

    embedder: str
    dimension: int
    chunker: str
    created: str
    documents: int
    chunks: int
    manifest: Blob
    glossary: Blob
    shelves: Sequence[tuple[str, Sequence[str], int]] = ()

    def generation(self, name: str) -> Generation:
        shelves = tuple(Shelf(corpus, frozenset(access), *count) for corpus, access, *count in self.shelves)
        counts = self.documents, self.chunks
        return Generation(name, self.embedder, self.dimension, self.chunker, self.created, *counts, shelves)


@dataclass(frozen=True, slots=True)
class GenerationRecord:
    """`previous` is the generation that was live before this one, "" for the first."""

    previous: str
    tenants: Sequence[str]


class Ledger:
    """Reads and writes it; every call has the connection's deadline and raises SearchError."""

    def __init__(self, connection: Connection, names: Names) -> None:
        self._connection = connection
        self._names = names

    async def ensure(self) -> None:
        """Create the collection at the first use; two at once is no error."""
        name = self._names.ledger
        if await self._connection.call("look for its records", lambda client: client.collections.exists(name)):
            return
        try:
            await self._connection.call("create its records", lambda client: create_ledger(client, name))
        except SearchError as error:
            if "already exists" not in str(error):
                raise

    async def get(self, id_: str) -> dict[str, Any] | None:
        """None where there is no such object, or no ledger yet."""
        try:
            found = await self._connection.call(
                "read its records",
                lambda client: client.collections.use(self._names.ledger).query.fetch_object_by_id(id_),
            )
        except SearchError as error:
            if _no_such_collection(error):
                return None
            raise
        return dict(json.loads(str(found.properties["value"]))) if found else None

    async def put(self, id_: str, kind: str, value: Mapping[str, Any], generation: str = "") -> None:
        await self._write([(id_, json.dumps(value))], kind, generation)

    async def create(self, id_: str, kind: str, value: Mapping[str, Any]) -> bool:
        """Write it only if it isn't there yet."""
        properties = {"kind": kind, "generation": "", "value": json.dumps(value)}
        try:
            await self._connection.call(
                "write its records",
                lambda client: client.collections.use(self._names.ledger).data.insert(properties, uuid=id_),
            )
        except SearchError as error:
            if "already exists" in str(error):
                return False
            raise
        return True

    async def delete(self, id_: str) -> None:
        await self._connection.call(
            "delete its records", lambda client: client.collections.use(self._names.ledger).data.delete_by_id(id_)
        )

    async def head(self, generation: str, tenant: str) -> Head | None:
        value = await self.get(object_id("head", generation, tenant))
        if value is None:
            return None
        return Head(**{**value, "manifest": Blob(**value["manifest"]), "glossary": Blob(**value["glossary"])})

    async def put_head(self, generation: str, tenant: str, head: Head) -> None:
        await self.put(object_id("head", generation, tenant), "head", asdict(head), generation)

    async def record(self, generation: str) -> GenerationRecord:
        value = await self.get(object_id("generation", generation))
        return GenerationRecord(**value) if value else GenerationRecord("", [])

    async def put_record(self, generation: str, record: GenerationRecord) -> None:
        await self.put(object_id("generation", generation), "generation", asdict(record), generation)

    async def write_manifest(self, generation: str, documents: Sequence[DocumentRecord]) -> Blob:
        return await self._write_blob(generation, json.dumps([asdict(document) for document in documents]))

    async def manifest(self, generation: str, head: Head) -> dict[str, DocumentRecord]:
        entries = json.loads(await self.read_blob(generation, head.manifest))
        return {entry["id"]: DocumentRecord(**entry) for entry in entries}

    async def write_glossaries(self, generation: str, glossaries: Mapping[Shelf, Glossary]) -> Blob:
        entries = [
            [shelf.corpus, sorted(shelf.access), dict(glossary.abbreviations), dict(glossary.words)]
            for shelf, glossary in glossaries.items()
        ]
        return await self._write_blob(generation, json.dumps(entries))

    async def glossaries(self, generation: str, head: Head) -> dict[Shelf, Glossary]:
        """Empty where an older version wrote one of all documents: nobody can tell whose words those are."""
        entries = json.loads(await self.read_blob(generation, head.glossary))
        if not isinstance(entries, list):
            return {}
        return {Shelf(corpus, frozenset(access)): Glossary(*rest) for corpus, access, *rest in entries}

    async def copy_blob(self, blob: Blob, source: str, target: str) -> Blob:
        return await self._write_blob(target, await self.read_blob(source, blob))

    async def read_blob(self, generation: str, blob: Blob) -> str:
        """Raises SearchError where a piece is missing."""
        pieces: list[str] = []
        for number in range(blob.pieces):
            piece = await self.get(object_id("blob", generation, blob.version, str(number)))
            if piece is None:
                raise SearchError("The records of the index are incomplete.", advice="Run `candor index PATH --full`.")
            pieces.append(piece["text"])
        return "".join(pieces)

    async def drop_blob(self, generation: str, blob: Blob) -> None:
        for number in range(blob.pieces):
            await self.delete(object_id("blob", generation, blob.version, str(number)))

    async def drop(self, generation: str) -> None:
        """Forget everything about a generation."""
        where = Filter.by_property("generation").equal(generation)
        await self._connection.call(
            "delete its records",
            lambda client: client.collections.use(self._names.ledger).data.delete_many(where=where),
        )

    async def _write_blob(self, generation: str, text: str) -> Blob:
        version = secrets.token_hex(8)
        starts = range(0, len(text), PIECE)
        for number, start in enumerate(starts):
            id_ = object_id("blob", generation, version, str(number))
            await self.put(id_, "blob", {"text": text[start : start + PIECE]}, generation)
        return Blob(version, len(starts))

    async def _write(self, entries: Sequence[tuple[str, str]], kind: str, generation: str) -> None:
        objects = [
            DataObject(properties={"kind": kind, "generation": generation, "value": value}, uuid=id_)
            for id_, value in entries
        ]
        done = await self._connection.call(
            "write its records",
            lambda client: client.collections.use(self._names.ledger).data.insert_many(objects),
        )
        if done.has_errors:
            raise refusal("Weaviate could not write its records", next(iter(done.errors.values())).message)


def _no_such_collection(error: SearchError) -> bool:
    return isinstance(error.__cause__, WeaviateQueryError) and "could not find class" in str(error.__cause__)
