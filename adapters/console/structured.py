"""Replies, grades and reports as plain data for `--json`. See `docs/command-line.md`; fields are only added."""

from __future__ import annotations

import json
import math

from adapters.console.safe import safe
from crag.types import Abstention, Answer, Chunk, Courtesy, Grade, Reply, Trace

SCHEMA = 1
"""Rises when a field changes its meaning or goes."""

Data = dict[str, object]


def dumps(kind: str, data: Data) -> str:
    """One JSON object. ASCII only, so that no terminal finds an escape sequence in it; NaN becomes null."""
    return json.dumps({"schema": SCHEMA, "kind": kind, **data}, ensure_ascii=True, allow_nan=False, indent=2)


def reply_data(reply: Reply) -> Data:
    """A reply and its trace."""
    body: Data
    match reply.body:
        case Answer() as answer:
            body = {
                "outcome": "answered",
                "text": safe(answer.text),
                "band": answer.band,
                "support": answer.support,
                "record": list(answer.record) if answer.record else None,
                "notes": [safe(note) for note in answer.notes],
                "citations": [
                    {"number": c.number, "label": safe(c.label), "quote": safe(c.quote), **chunk_data(c.chunk)}
                    for c in answer.citations
                ],
            }
        case Abstention() as abstention:
            body = {
                "outcome": "abstained",
                "text": safe(abstention.detail),
                "reason": abstention.reason,
                "notes": [safe(note) for note in abstention.notes],
                "nearest": [grade_data(grade) for grade in abstention.nearest],
            }
        case Courtesy(text):
            body = {"outcome": "courtesy", "text": safe(text)}
    return {"question": safe(reply.question.text), **body, "trace": trace_data(reply.trace)}


def trace_data(trace: Trace) -> Data:
    return {
        "id": trace.id,
        "states": list(trace.states),
        "actions": list(trace.actions),
        "band": trace.band,
        "strategy": trace.strategy,
        "upper": trace.upper,
        "lower": trace.lower,
        "queries": [safe(query) for query in trace.queries],
        "standalone": safe(trace.standalone),
        "grades": [grade_data(grade) for grade in trace.grades],
        "sentences": [
            {
                "text": safe(sentence.text),
                "cites": list(sentence.cites),
                "score": _finite(sentence.score),
                "supported": sentence.supported,
                "reason": safe(sentence.reason),
            }
            for sentence in trace.sentences
        ],
        "timings_ms": {stage: round(value, 1) for stage, value in trace.timings.items()},
        "models": {part: safe(model) for part, model in trace.models.items()},
        "generation": trace.generation,
        "searched": trace.searched,
        "failures": [safe(failure) for failure in trace.failures],
        "caution": trace.caution,
    }


def grade_data(grade: Grade) -> Data:
    return {
        "source": safe(grade.chunk.link),
        "score": _finite(grade.score),
        "raw": _finite(grade.raw),
        "cosine": _finite(grade.cosine),
        "verdict": grade.verdict,
        "graded": grade.graded,
        "adjudicated": _finite(grade.adjudicated),
        "kept": grade.kept,
        "reason": safe(grade.reason),
        "query": safe(grade.query),
        "retriever": safe(grade.retriever),
        "strips": [{"text": safe(text), "score": _finite(score), "kept": kept} for text, score, kept in grade.strips],
        "chunk": chunk_data(grade.chunk),
    }


def chunk_data(chunk: Chunk) -> Data:
    return {
        "id": chunk.id,
        "document": chunk.document,
        "path": safe(chunk.path),
        "title": safe(chunk.title),
        "headings": [safe(heading) for heading in chunk.headings],
        "link": safe(chunk.link),
        "corpus": chunk.corpus,
        "updated": chunk.updated,
    }


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(value, 4)
