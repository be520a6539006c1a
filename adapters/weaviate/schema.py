"""What Candor keeps in Weaviate: the names of its collections, their properties, and a chunk as an object."""

from __future__ import annotations

import hashlib
import re
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from weaviate import WeaviateAsyncClient
from weaviate.classes.config import (
    Configure,
    DataType,
    Property,
    StopwordsPreset,
    Tokenization,
    VectorDistances,
)

from crag.errors import SettingsError
from crag.types import Chunk

VECTOR = "default"
KEYWORD_FIELDS = ["title^2", "headings^1.5", "text"]
"""Where BM25 looks, with its weights: a word in a title says more of a chunk than one in its text."""
_NAMESPACE = uuid.UUID("6f1f3c1e-6a52-5b0e-9d1c-6a0d1f3e7c11")


@dataclass(frozen=True, slots=True)
class Names:
    """`collection` is the alias that points at the live generation; the others derive from it."""

    collection: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Z][A-Za-z0-9_]{0,62}", self.collection):
            raise SettingsError(
                f"The Weaviate collection can't be named {self.collection!r}.",
                advice="Use letters, digits and _, at most 63, beginning with a capital letter.",
            )

    @property
    def ledger(self) -> str:
        return f"{self.collection}_Ledger"

    def new_generation(self) -> str:
        return f"{self.collection}_{datetime.now(UTC):%Y%m%dT%H%M%S}_{secrets.token_hex(4)}"

    def is_generation(self, name: str) -> bool:
        return re.fullmatch(rf"{self.collection}_\d{{8}}T\d{{6}}_[0-9a-f]{{8}}", name) is not None


def tenant_key(tenant: str) -> str:
    """Weaviate allows letters, digits, - and _ in a tenant's name, at most 64; what has others goes by its digest."""
    if re.fullmatch(r"[A-Za-z0-9-]{1,64}", tenant):
        return tenant
    return "_" + hashlib.sha256(tenant.encode("utf-8", "replace")).hexdigest()[:40]


def object_id(*parts: str) -> str:
    """The same parts always give the same id: writing twice leaves one object."""
    return str(uuid.uuid5(_NAMESPACE, "\0".join(parts).encode("utf-8", "replace").decode()))


def _exact(name: str, data_type: DataType = DataType.TEXT) -> Property:
    """A text that filters compare as a whole."""
    return Property(
        name=name,
        data_type=data_type,
        tokenization=Tokenization.FIELD,
        index_filterable=True,
        index_searchable=False,
    )


def _stored(name: str, data_type: DataType = DataType.TEXT) -> Property:
    """A value that is only read back."""
    tokenization = Tokenization.FIELD if data_type == DataType.TEXT else None
    return Property(
        name=name, data_type=data_type, tokenization=tokenization, index_filterable=False, index_searchable=False
    )


def _words(name: str, data_type: DataType = DataType.TEXT) -> Property:
    """A text that BM25 searches word by word."""
    return Property(
        name=name,
        data_type=data_type,
        tokenization=Tokenization.WORD,
        index_filterable=False,
        index_searchable=True,
    )


CHUNK_PROPERTIES = [
    _words("title"),
    _words("headings", DataType.TEXT_ARRAY),
    _words("text"),
    _exact("document"),
    _exact("corpus"),
    _exact("access", DataType.TEXT_ARRAY),
    *(_stored(name) for name in ("chunk", "path", "hash", "url", "anchor", "updated")),
    _stored("start", DataType.INT),
    _stored("end", DataType.INT),
]


async def create_generation(client: WeaviateAsyncClient, name: str) -> None:
    """Vectors are brought by us; each tenant has a shard, and a vector index, of its own."""
    await client.collections.create(
        name,
        properties=CHUNK_PROPERTIES,
        vector_config=Configure.Vectors.self_provided(
            vector_index_config=Configure.VectorIndex.hnsw(distance_metric=VectorDistances.COSINE)
        ),
        inverted_index_config=Configure.inverted_index(stopwords_preset=StopwordsPreset.EN),
        multi_tenancy_config=Configure.multi_tenancy(
            enabled=True, auto_tenant_creation=False, auto_tenant_activation=True
        ),
    )


async def create_ledger(client: WeaviateAsyncClient, name: str) -> None:
    await client.collections.create(
        name,
        properties=[_exact("kind"), _exact("generation"), _stored("value")],
        vector_config=Configure.Vectors.self_provided(vector_index_config=Configure.VectorIndex.flat()),
    )


def sendable(text: str) -> str:
    """Half a surrogate pair can't be sent as UTF-8."""
    return text.encode("utf-8", "replace").decode()


def to_properties(chunk: Chunk) -> dict[str, Any]:
    return {
        "title": sendable(chunk.title),
        "headings": [sendable(heading) for heading in chunk.headings],
        "text": sendable(chunk.text),
        "document": sendable(chunk.document),
        "corpus": sendable(chunk.corpus),
        "access": sorted(sendable(label) for label in chunk.access),
        "chunk": sendable(chunk.id),
        "path": sendable(chunk.path),
        "hash": sendable(chunk.hash),
        "url": sendable(chunk.url),
        "anchor": sendable(chunk.anchor),
        "updated": sendable(chunk.updated),
        "start": chunk.span[0],
        "end": chunk.span[1],
    }


def to_chunk(properties: Mapping[str, Any]) -> Chunk:
    """Back again; an empty list comes back as nothing."""

    def text(name: str) -> str:
        return str(properties.get(name) or "")

    return Chunk(
        id=text("chunk"),
        document=text("document"),
        path=text("path"),
        title=text("title"),
        headings=tuple(properties.get("headings") or ()),
        text=text("text"),
        span=(int(properties["start"]), int(properties["end"])),
        hash=text("hash"),
        url=text("url"),
        anchor=text("anchor"),
        corpus=text("corpus"),
        access=frozenset(properties.get("access") or ()),
        updated=text("updated"),
    )
