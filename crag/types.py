"""The words of the house: everything that travels from a question to a reply. All frozen, none knows a vendor."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

Vector = Sequence[float]
"""An embedding of unit length, so that the dot product of two is their cosine."""

EVERYONE = "everyone"
"""The access label of a document that names none."""


class Verdict(enum.StrEnum):
    """What a grade says of one chunk, and - as the band - of a whole retrieval."""

    CORRECT = "CORRECT"
    AMBIGUOUS = "AMBIGUOUS"
    INCORRECT = "INCORRECT"


Band = Verdict


class Action(enum.StrEnum):
    """What the engine did about a band."""

    GENERATE = "generate"
    REFINE = "refine"
    WIDEN = "widen"
    REWRITE = "rewrite"
    SECOND_SOURCE = "second_source"
    ABSTAIN = "abstain"


class Support(enum.StrEnum):
    """How much of an answer stands in the evidence it cites."""

    FULL = "FULL"
    PARTIAL = "PARTIAL"
    NONE = "NONE"


class Reason(enum.StrEnum):
    """Why the engine abstained. Stable codes: they stand in `--json`, in the journal and in metrics."""

    EMPTY_QUESTION = "empty_question"
    QUESTION_TOO_LONG = "question_too_long"
    NOTHING_FOUND = "nothing_found"
    WEAK_EVIDENCE = "weak_evidence"
    UNSUPPORTED = "unsupported"
    NO_CITATION = "no_citation"
    MODEL_DECLINED = "model_declined"
    GRADER_FAILED = "grader_failed"
    SEARCH_UNAVAILABLE = "search_unavailable"
    INDEX_MISSING = "index_missing"
    INDEX_MISMATCH = "index_mismatch"
    TIMEOUT = "timeout"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of the conversation. `author` is the platform's id of who wrote it, "" where it isn't known:
    so that a person's words can be deleted from the journal. `unknown` is the bot's "I don't know"."""

    text: str
    by_bot: bool = False
    author: str = ""
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What a person asked, and what they may see. `access` holds labels; a document is visible if it carries one of
    them; an empty set sees nothing. `corpora` narrows the search to these; empty means all of the tenant's."""

    text: str
    conversation: str = ""
    asker: str = ""
    tenant: str = "local"
    corpora: frozenset[str] = frozenset()
    access: frozenset[str] = frozenset({EVERYONE})
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed source document. `id` is stable over edits (its source and its path); `text` is Markdown or plain text;
    `hash` is the SHA-256 of the bytes it came from, and of what else decides its chunks' metadata."""

    id: str
    path: str
    title: str
    text: str
    hash: str
    url: str = ""
    corpus: str = "default"
    access: frozenset[str] = frozenset({EVERYONE})
    updated: str = ""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document, as it is indexed. `span` is [start, end) in characters of the document's text;
    `headings` is the path of headings it stands under, the title first; `anchor` is the slug of the nearest."""

    id: str
    document: str
    path: str
    title: str
    headings: tuple[str, ...]
    text: str
    span: tuple[int, int]
    hash: str
    url: str = ""
    anchor: str = ""
    corpus: str = "default"
    access: frozenset[str] = frozenset({EVERYONE})
    updated: str = ""

    @property
    def link(self) -> str:
        """Where a reader opens the exact place: the URL, else the path, with the anchor."""
        base = self.url or self.path
        return f"{base}#{self.anchor}" if self.anchor and "#" not in base else base

    @property
    def passage(self) -> str:
        """What models read: the heading path, then the text (a chunk alone often doesn't say what it is about)."""
        place = " > ".join(self.headings or (self.title,))
        return f"{place}\n{self.text}" if place else self.text


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One hybrid search. `vector` is the query's embedding; `alpha` weighs vector (1) against keyword (0) search."""

    text: str
    vector: Vector
    limit: int
    alpha: float
    tenant: str
    corpora: frozenset[str]
    access: frozenset[str]


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that a retriever found. `fused` is normalised per query and is never a gate; `cosine` (-1..1) is the
    similarity of the query's and the chunk's vectors, None where the retriever has no vectors."""

    chunk: Chunk
    fused: float
    cosine: float | None = None
    retriever: str = "index"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A grader's raw opinion of one passage: a probability 0..1 that it answers the question, or None where the
    grader's output could not be read."""

    score: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a language model is asked: the rules, then the matter."""

    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What a language model answered. `finished` is False where it was cut (length); `first_token` maps the likeliest
    first tokens to their probabilities, empty where the server gives none."""

    text: str
    finished: bool = True
    first_token: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Another wording of a question, for retrieval. `same_meaning` is True for a mere normalisation (spelling, an
    abbreviation written out): then passages may be graded against it; else they are graded against the question."""

    query: str
    same_meaning: bool = False


@dataclass(frozen=True, slots=True)
class Strip:
    """A few sentences of a chunk; `span` is [start, end) in characters of the chunk's text."""

    text: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Grade:
    """How one chunk was judged. `score` is the calibrated probability that decides; `raw` is the grader's own, None
    where it could not be read; `kept` says whether it reached the writer, `reason` why or why not; `strips` are
    (text, score, kept). Where `graded` is False nobody read it: its score says nothing. `adjudicated` is a language
    model's P(Yes) where that was asked for a second opinion; the verdict then follows from it."""

    chunk: Chunk
    score: float
    verdict: Verdict
    raw: float | None = None
    cosine: float | None = None
    kept: bool = False
    reason: str = ""
    query: str = ""
    retriever: str = "index"
    strips: tuple[tuple[str, float, bool], ...] = ()
    graded: bool = True
    adjudicated: float | None = None

    def explained(self, why: str, *, kept: bool = False) -> Grade:
        """With what became of it; what was said of it before stays in front."""
        return replace(self, kept=kept, reason=f"{self.reason}; {why}" if self.reason else why)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A numbered passage that the writer may cite as [number]. `text` is what is left of the chunk after refining."""

    number: int
    chunk: Chunk
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class Citation:
    """One cited passage of an answer, built from retrieved metadata only."""

    number: int
    chunk: Chunk
    quote: str

    @property
    def label(self) -> str:
        """Title and nearest heading, as a reader knows the place."""
        nearest = self.chunk.headings[-1] if self.chunk.headings else self.chunk.title
        return self.chunk.title if nearest == self.chunk.title else f"{self.chunk.title}, {nearest}"


@dataclass(frozen=True, slots=True)
class SentenceSupport:
    """One sentence of a written answer and whether the evidence it cites bears it."""

    text: str
    cites: tuple[int, ...]
    score: float
    supported: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A grounded answer. `notes` are sentences for the reader (a gap, a service that was down); `text` carries [n].
    `record`: how many of how many answers with the same badge were right on the team's own questions, None where nobody
    measured that."""

    text: str
    citations: tuple[Citation, ...]
    band: Band
    support: Support
    notes: tuple[str, ...] = ()
    record: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Abstention:
    """An honest "I don't know". `detail` is one sentence for people; `nearest` are the best chunks that were found;
    `notes` are more sentences for the reader, as an answer's."""

    reason: Reason
    detail: str
    nearest: tuple[Grade, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Courtesy:
    """A short friendly reply to small talk; it has no sources."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back to the person, with the trace of how it came about."""

    question: Question
    body: Answer | Abstention | Courtesy
    trace: Trace


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that was decided for one question. Times are milliseconds. `states` is the path through the engine;
    `strategy` is how many chunks passed: "all", "some" or "none"; `searched` counts the documents, 0 where
    the question's scope isn't all of them. `caution` says so where the thresholds were measured with other models or
    another index than these."""

    id: str
    states: tuple[str, ...] = ()
    actions: tuple[Action, ...] = ()
    band: Band | None = None
    strategy: str = ""
    grades: tuple[Grade, ...] = ()
    upper: float = 0.0
    lower: float = 0.0
    queries: tuple[str, ...] = ()
    standalone: str = ""
    sentences: tuple[SentenceSupport, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)
    generation: str = ""
    searched: int = 0
    failures: tuple[str, ...] = ()
    caution: str = ""


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """What the index remembers of a document: enough to see that it needs no work, or which of its chunks to drop."""

    id: str
    path: str
    hash: str
    chunks: int


@dataclass(frozen=True, slots=True)
class Glossary:
    """Words the corpus itself knows, for rewriting a query without an LLM: abbreviations with their long forms
    (lower-case keys), and each word (lower-case) with the number of chunks it stands in."""

    abbreviations: Mapping[str, str] = field(default_factory=dict)
    words: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shelf:
    """The documents of one corpus that carry the same access labels: a question sees all of them or none. `documents`
    counted them when the generation was published."""

    corpus: str = "default"
    access: frozenset[str] = frozenset({EVERYONE})
    documents: int = field(default=0, compare=False)

    def seen(self, corpora: frozenset[str], access: frozenset[str]) -> bool:
        """Whether a question with this scope sees it."""
        return bool(self.access & access) and (not corpora or self.corpus in corpora)


@dataclass(frozen=True, slots=True)
class Generation:
    """One complete index of all tenants. `embedder` and `chunker` are fingerprints of what built it; `created` is
    ISO 8601 UTC. `documents`, `chunks` and `shelves` are of one tenant, the one that was asked about; `shelves` is
    empty where an older version built it, and may name one whose documents were removed since."""

    name: str
    embedder: str
    dimension: int
    chunker: str
    created: str
    documents: int
    chunks: int
    shelves: tuple[Shelf, ...] = ()

    def searched(self, corpora: frozenset[str], access: frozenset[str]) -> int:
        """How many documents a question with this scope searches: hidden ones aren't counted. 0, unknown, where an
        older version built the index."""
        seen = [shelf for shelf in self.shelves if shelf.seen(corpora, access)]
        if self.shelves and len(seen) == len(self.shelves):
            return self.documents
        return min(self.documents, sum(shelf.documents for shelf in seen))
