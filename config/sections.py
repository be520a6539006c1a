"""The sections of the settings. Every field says what it does; `docs/settings.md` is made from these words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr
from pydantic_settings import NoDecode

CHECKOUT = Path(__file__).resolve().parent.parent
"""Where Candor lies: its models and its calibration are found from here, wherever it is started."""


def _split(value: object) -> object:
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _with_a_real_port(url: str) -> str:
    _ = urlsplit(url).port  # raises ValueError for one that can't be
    return url


Labels = Annotated[frozenset[str], NoDecode, BeforeValidator(_split)]
"""A set of names; in the environment written with commas: `everyone,staff`."""

Folder = Annotated[Path, AfterValidator(Path.expanduser)]
HttpUrl = Annotated[str, Field(pattern=r"^https?://[^/\s]+(/\S*)?$"), AfterValidator(_with_a_real_port)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$")]
Port = Annotated[int, Field(ge=1, le=65535)]
Seconds = Annotated[float, Field(gt=0, le=3600)]
Share = Annotated[float, Field(ge=0, le=1)]
Cut = Annotated[float, Field(gt=0, lt=1)]


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, allow_inf_nan=False)


class Weaviate(Section):
    """The store that holds and searches the documents."""

    mode: Literal["embedded", "server"] = Field(
        default="embedded",
        description="`embedded`: Candor starts and stops a server itself; `server`: one that runs already.",
    )
    url: HttpUrl = Field(default="http://127.0.0.1:8080", description="Mode `server`: where its REST interface is.")
    grpc_port: Port = Field(
        default=50051, description="Mode `server`: the port of its gRPC interface, on the same host."
    )
    api_key: SecretStr | None = Field(default=None, description="Mode `server`: its key, if it wants one.")
    data_directory: Folder = Field(
        default=CHECKOUT / ".candor" / "weaviate",
        description="Mode `embedded`: where the index, and the server's log, lie.",
    )
    binary: Folder | None = Field(
        default=None, description="Mode `embedded`: the server's program; else PATH, the cache, a download or a build."
    )
    collection: str = Field(
        default="Candor",
        pattern=r"^[A-Z][A-Za-z0-9_]{0,62}$",
        description="The name that queries use; generations add to it.",
    )
    deadline_s: Seconds = Field(default=5, description="The longest that one search may take.")
    insert_deadline_s: Seconds = Field(default=60, description="The longest that one batch of inserts may take.")
    start_timeout_s: Seconds = Field(
        default=60, description="Mode `embedded`: how long to wait until the server is ready."
    )


class Embedder(Section):
    """The model that turns texts into vectors. Another one needs `candor index --full`."""

    kind: Literal["onnx", "sentence_transformers"] = Field(
        default="onnx",
        description="`onnx`: a folder with a model as in `models/`; the other needs the extra of that name.",
    )
    model: str = Field(
        default=str(CHECKOUT / "models" / "embedder"),
        min_length=1,
        description="A folder, or a sentence-transformers name.",
    )
    threads: int = Field(default=0, ge=0, le=256, description="Kind `onnx`: CPU threads; 0 is one a core.")
    device: str = Field(default="", description="Kind `sentence_transformers`: `cpu`, `cuda`, `mps`; else the best.")
    query_prefix: str = Field(default="", description="Kind `sentence_transformers`: put before each question.")
    passage_prefix: str = Field(default="", description="Kind `sentence_transformers`: put before each passage.")


class Connection(Section):
    """How to reach a language model, and how long to wait for it."""

    model: str = Field(default="", description="The model's name on its server.")
    base_url: HttpUrl | None = Field(
        default=None, description="The server; by default Ollama on this machine, or api.openai.com."
    )
    api_key: SecretStr | None = Field(default=None, description="The server's key, if it wants one.")
    context_window: int = Field(default=8192, ge=2048, le=2_000_000, description="How many tokens the model can read.")
    first_token_s: Seconds = Field(default=30, description="How long to wait for its first word.")
    idle_s: Seconds = Field(default=15, description="How long it may pause between two words.")
    total_s: Seconds = Field(default=45, description="How long all of its answer may take.")


class Writer(Connection):
    """Who writes the answer."""

    kind: Literal["extractive", "ollama", "openai"] = Field(
        default="extractive",
        description="`extractive` quotes and needs no language model; `openai` is any compatible server.",
    )
    max_tokens: int = Field(default=500, ge=16, le=16_000, description="The longest answer, in tokens.")


class LLMGrader(Connection):
    """The model of the `llm` grader, and of adjudication; it may be another than the writer's."""

    server: Literal["ollama", "openai"] = Field(default="ollama", description="What kind of server it is on.")
    method: Literal["probability", "json"] = Field(
        default="probability", description="The probability of its first word being Yes, or a stated grade as JSON."
    )
    concurrency: int = Field(default=4, ge=1, le=64, description="How many passages it grades at once.")
    max_characters: int = Field(default=800, ge=100, le=20_000, description="How much of each passage it reads.")
    upper: Cut = Field(default=0.7, description="From here a passage is CORRECT.")
    lower: Cut = Field(default=0.3, description="Below this a passage is INCORRECT.")


class Grader(Section):
    """Who judges whether a passage answers the question. The cross-encoder also runs with kind `llm`: it judges strips
    and sentences."""

    kind: Literal["reranker", "llm"] = Field(default="reranker", description="A cross-encoder, or a language model.")
    backend: Literal["onnx", "sentence_transformers"] = Field(
        default="onnx", description="What runs the cross-encoder; the second needs the extra of that name."
    )
    model: str = Field(
        default=str(CHECKOUT / "models" / "grader"),
        min_length=1,
        description="The cross-encoder: a folder, or a model's name.",
    )
    threads: int = Field(default=0, ge=0, le=256, description="Backend `onnx`: CPU threads; 0 is one a core.")
    batch_tokens: int = Field(
        default=1,
        ge=1,
        le=1_000_000,
        description="Backend `onnx`: tokens graded in one go; 1 is one pair, whose score then depends on no other.",
    )
    device: str = Field(default="", description="Backend `sentence_transformers`: `cpu`, `cuda`, `mps`; else the best.")
    adjudicate: bool = Field(
        default=False,
        description="Kind `reranker`: ask a language model about passages between the thresholds; its own one "
        "(`CANDOR_GRADER__LLM__MODEL`), else the writer's.",
    )
    llm: LLMGrader = Field(default_factory=LLMGrader, description="Kind `llm`, and `adjudicate`.")


class Crag(Section):
    """How a question is searched for, graded and corrected."""

    enabled: bool = Field(default=True, description="Off: plain retrieval, nothing is graded or corrected.")
    candidates: int = Field(default=30, ge=1, le=100, description="How many passages a search brings.")
    graded: int = Field(
        default=6,
        ge=1,
        le=200,
        description="How many of them are graded: the nearest by meaning. The others count as INCORRECT.",
    )
    grading_share: Cut = Field(
        default=0.6,
        description="The share of the deadline after which nothing more is graded; what isn't by then is INCORRECT.",
    )
    alpha: Share = Field(default=0.5, description="The weight of meaning (1) against words (0) in the search.")
    max_rewrites: int = Field(
        default=1, ge=0, le=2, description="How often a question that finds nothing good is rephrased."
    )
    widen: bool = Field(default=True, description="On AMBIGUOUS: search once more, and broader.")
    refine: bool = Field(default=True, description="On AMBIGUOUS: keep only those sentences that are graded well.")
    second_retriever: Literal["none", "web", "corpus"] = Field(
        default="none", description="Where else to look on AMBIGUOUS and INCORRECT: the web, or another corpus."
    )
    web_url: HttpUrl | None = Field(default=None, description="Second retriever `web`: the address of a SearXNG.")
    web_deadline_s: Seconds = Field(default=10, description="The longest that one web search may take.")
    second_corpora: Labels = Field(
        default=frozenset(), description="Second retriever `corpus`: which ones, with commas."
    )
    deadline_s: Seconds = Field(default=60, description="The longest that one question may take, all in all.")
    max_question_characters: int = Field(default=2000, ge=10, le=3000, description="A longer question is turned away.")
    calibration: Folder = Field(
        default=CHECKOUT / "config" / "calibration.json", description="The thresholds, and what they were measured on."
    )


class Ingest(Section):
    """How documents are read and cut."""

    max_tokens: int = Field(default=150, ge=32, le=512, description="The longest passage, in the embedder's tokens.")
    min_tokens: int = Field(default=110, ge=0, le=256, description="A shorter passage is joined to its neighbour.")
    url_base: HttpUrl | None = Field(default=None, description="Put before a document's path to make its link.")
    access: Labels = Field(
        default=frozenset({"everyone"}), description="Labels of documents that name none, with commas."
    )
    max_file_mb: float = Field(default=50, gt=0, le=1000, description="A larger file is not read.")
    max_pages: int = Field(default=1000, ge=1, le=100_000, description="A PDF with more pages is not read.")
    max_nesting: int = Field(default=100, ge=1, le=10_000, description="HTML that is nested deeper is not read.")
    timeout_s: Seconds = Field(default=60, description="The longest that the parsing of one file may take.")


class Serve(Section):
    """`candor serve`: where its health and its metrics can be asked."""

    host: str = Field(default="127.0.0.1", min_length=1, description="The address to listen on.")
    port: int = Field(
        default=8090, ge=0, le=65535, description="The port of /healthz, /readyz and /metrics; 0 is a free one."
    )
