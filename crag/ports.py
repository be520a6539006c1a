"""The ports: what the engine and the indexer need of the world. Each is satisfied by a file in `adapters/`, and every
implementation, fakes included, passes the same contract tests (`tests/contracts/`)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from crag.types import (
    Chunk,
    Completion,
    Document,
    DocumentRecord,
    Evidence,
    Generation,
    Glossary,
    Hit,
    Judgement,
    Prompt,
    Rewrite,
    SearchRequest,
    Shelf,
    Turn,
    Vector,
)


class Embedder(Protocol):
    """Texts -> vectors of unit length. `model` is a fingerprint: it changes whenever the vectors would."""

    @property
    def model(self) -> str: ...
    @property
    def dimension(self) -> int: ...

    async def embed_query(self, text: str) -> Vector:
        """Raises ModelError."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        """One vector a text, in order; [] for []. Raises ModelError."""
        ...


class Grader(Protocol):
    """Judges each passage on its own: does it answer the question?"""

    @property
    def model(self) -> str: ...

    async def grade(self, question: str, passages: Sequence[str]) -> Sequence[Judgement]:
        """One judgement a passage, in order: a probability in 0..1, or None where it can't be read; [] for [].
        Safe to call concurrently. Raises ModelError or LanguageModelError where nothing could be graded at all."""
        ...


class Retriever(Protocol):
    """Finds chunks. Access, corpora and tenant are filters inside the query; an empty access set finds nothing."""

    @property
    def name(self) -> str: ...

    async def search(self, request: SearchRequest) -> Sequence[Hit]:
        """Best first, at most `request.limit`, no chunk twice. Raises SearchError (IndexMissing, IndexMismatch)."""
        ...


class Index(Retriever, Protocol):
    """A retriever over Candor's own store, which knows what it holds."""

    async def live(self, tenant: str) -> Generation | None:
        """The generation that queries see, None where nothing is indexed. Raises SearchError."""
        ...

    async def glossary(self, tenant: str, corpora: frozenset[str], access: frozenset[str]) -> Glossary:
        """The words of what a question with this scope sees in the live generation, and no other; empty where nothing
        is indexed, or an older version indexed it. Raises SearchError."""
        ...

    async def passages(
        self, tenant: str, corpora: frozenset[str], access: frozenset[str], *, limit: int
    ) -> Sequence[Chunk]:
        """What a question with this scope sees in the live generation, to be read through: at most `limit` passages,
        drawn from all documents alike. Raises SearchError (IndexMissing)."""
        ...


class Draft(Protocol):
    """A new generation under construction. Queries don't see it before `publish`."""

    async def keep(self, documents: Collection[str]) -> Sequence[Chunk]:
        """Copy these documents' chunks of the tenant, vectors and all, from the live generation. Returns the chunks."""
        ...

    async def add(self, chunks: Sequence[Chunk], vectors: Sequence[Vector]) -> None:
        """Insert chunks with their vectors. Raises SearchError if any failed after a retry."""
        ...

    async def publish(self, documents: Sequence[DocumentRecord], glossaries: Mapping[Shelf, Glossary]) -> Generation:
        """Verify that each document has its chunks, record the manifest and the glossaries, switch the alias and read
        it back. Raises SearchError, and then the old generation stays live."""
        ...


class Store(Protocol):
    """The writing side of the index, for one tenant. Other tenants' chunks move along unchanged."""

    async def manifest(self) -> Mapping[str, DocumentRecord]:
        """The live generation's documents of this tenant by id; {} where nothing is indexed. Raises SearchError."""
        ...

    async def live(self) -> Generation | None: ...

    async def remove(self, documents: Collection[str]) -> None:
        """Drop these documents from the live generation at once, chunks and manifest. Raises SearchError."""
        ...

    def draft(self, *, embedder: str, dimension: int, chunker: str) -> AbstractAsyncContextManager[Draft]:
        """Open a new generation; if it isn't published it is dropped on exit. Raises SearchError."""
        ...

    def lease(self) -> AbstractAsyncContextManager[None]:
        """The right to write; held for a whole run. Raises IndexBusy, naming who holds it, where another run has it."""
        ...


class Source(Protocol):
    """Where documents come from. Listing is cheap; reading parses."""

    @property
    def roots(self) -> Sequence[str]:
        """Prefixes of document ids that this source speaks for: a known document under one of them that the source no
        longer lists was deleted. A root matches the id that equals it and those that go on after a "/"."""
        ...

    @property
    def missing(self) -> Sequence[str]:
        """Roots that can't be found now: a folder or file that was given and isn't there."""
        ...

    def list(self) -> Iterable[SourceItem]:
        """Every document there is, with its hash, unparsed. Raises SourceError where a root can't be read."""
        ...

    async def read(self, item: SourceItem) -> Document:
        """Parse one. Raises SourceError (unreadable, over a limit, not text)."""
        ...


class SourceItem(Protocol):
    """One document of a source before it is parsed."""

    @property
    def id(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def hash(self) -> str: ...


class Chunker(Protocol):
    """Cuts a document. `fingerprint` changes whenever the chunks would."""

    @property
    def fingerprint(self) -> str: ...

    def chunk(self, document: Document) -> Sequence[Chunk]: ...


class LanguageModel(Protocol):
    """One chat model on a server. Every call has limits for the first token, for the pause between two tokens and for
    the whole; crossing one raises LanguageModelError. `context_window` is in tokens."""

    @property
    def model(self) -> str: ...
    @property
    def context_window(self) -> int: ...

    async def complete(
        self,
        prompt: Prompt,
        *,
        max_tokens: int,
        schema: Mapping[str, object] | None = None,
        first_token: bool = False,
    ) -> Completion:
        """One completion at temperature 0. `schema` constrains it to JSON where the server can; `first_token` asks for
        the probabilities of the first token. Raises LanguageModelError."""
        ...

    def stream(self, prompt: Prompt, *, max_tokens: int) -> AsyncIterator[str]:
        """The completion in pieces. Raises LanguageModelError, also in mid-stream."""
        ...


class Writer(Protocol):
    """Writes an answer with [n] marks from numbered evidence."""

    @property
    def model(self) -> str: ...

    def write(self, question: str, evidence: Sequence[Evidence]) -> AsyncIterator[str]:
        """The answer in pieces. Raises LanguageModelError, also in mid-stream."""
        ...


class Rewriter(Protocol):
    """Rephrases for retrieval only; the answer always addresses what was asked."""

    @property
    def model(self) -> str: ...

    async def rewrite(self, question: str, near: Sequence[Chunk], glossary: Glossary) -> Rewrite | None:
        """Another query in the question's language, or None where it has no better idea. Raises LanguageModelError."""
        ...

    async def standalone(self, question: str, history: Sequence[Turn]) -> str:
        """The question with what the history gives it to be understood alone. Raises LanguageModelError."""
        ...
