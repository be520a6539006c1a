"""Real models of a few thousand random weights, built on the spot: there is no hub to take one from."""

from __future__ import annotations

from pathlib import Path

import torch
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

from tests.contracts.embedder import PASSAGES
from tests.contracts.grader import QUESTION

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.?!,-[]"
WORDS = sorted({word.strip(".?") for text in (*PASSAGES, QUESTION) for word in text.lower().split()})
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS, *(f"##{letter}" for letter in LETTERS), *WORDS]


def _bert(folder: Path, kind: type[BertModel] | type[BertForSequenceClassification], **config: object) -> str:
    """Writes network and tokenizer; at most 96 tokens."""
    folder.mkdir()
    words = folder / "vocab.txt"
    words.write_text("\n".join(dict.fromkeys(VOCABULARY)))
    BertTokenizerFast(str(words), model_max_length=96).save_pretrained(folder)
    torch.manual_seed(7)
    shape = BertConfig(
        vocab_size=len(dict.fromkeys(VOCABULARY)),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=96,
        initializer_range=0.5,
        **config,
    )
    kind(shape).save_pretrained(folder)
    return str(folder)


def embedder(folder: Path, prompts: dict[str, str] | None = None) -> str:
    base = Transformer(_bert(folder, BertModel))
    pooling = Pooling(base.get_embedding_dimension(), pooling_mode="mean")
    SentenceTransformer(modules=[base, pooling], prompts=prompts).save(str(folder / "saved"))
    return str(folder / "saved")


def cross_encoder(folder: Path, labels: dict[int, str], activation: torch.nn.Module | None = None) -> str:
    """`activation` is what the saved config tells the library to apply to the head."""
    base = _bert(folder, BertForSequenceClassification, id2label=labels, label2id={v: k for k, v in labels.items()})
    CrossEncoder(base, activation_fn=activation).save(str(folder / "saved"))
    return str(folder / "saved")
