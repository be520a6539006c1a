"""Any sentence-transformers embedder or cross-encoder, by name or path. Needs the `sentence-transformers` extra;
nothing on the default path imports this package."""

from adapters.sentence_transformers.embedder import SentenceTransformersEmbedder
from adapters.sentence_transformers.grader import CrossEncoderGrader

__all__ = ["CrossEncoderGrader", "SentenceTransformersEmbedder"]
