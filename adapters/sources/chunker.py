"""Markdown -> chunks: by heading, then by length, so that a citation points to one place."""

from __future__ import annotations

import hashlib
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from semantic_text_splitter import MarkdownSplitter
from tokenizers import Tokenizer

from adapters.sources.sections import Section, line_spans, sections
from crag.types import Chunk, Document

_VERSION = "1"
_NAMESPACE = uuid.UUID("6f0f9f0c-6f5f-5c58-9f0a-0d6f1c6d8a11")
_SEGMENT = 8_000
"""Characters the splitter gets at once: its time grows with the square of odd input (20,000 asterisks: 6 seconds)."""


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    text: str

    @property
    def is_exact(self) -> bool:
        """Whether the text is that of the span; a table's part with a repeated header isn't."""
        return len(self.text) == self.end - self.start


class MarkdownChunker:
    """Cuts at headings, then fills up to between `min_tokens` and `max_tokens` at the best boundary (paragraphs, rows,
    sentences), counted by the embedder's own tokenizer. A table or code fence stays whole where it fits; a longer table
    is cut between rows and each part begins with the header (its span is that of the rows). Everywhere else a chunk's
    text is exactly document.text[start:end]."""

    def __init__(self, tokenizer: Path, *, max_tokens: int, min_tokens: int) -> None:
        definition = tokenizer.read_bytes()
        self._tokenizer: Tokenizer = Tokenizer.from_buffer(definition)
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._max, self._min = max_tokens, min_tokens
        self._splitter = MarkdownSplitter.from_huggingface_tokenizer(self._tokenizer, (min_tokens, max_tokens))
        digest = hashlib.sha256(definition).hexdigest()[:12]
        self.fingerprint = f"markdown-{_VERSION}-{min_tokens}-{max_tokens}-{digest}"

    def chunk(self, document: Document) -> Sequence[Chunk]:
        seen: Counter[str] = Counter()
        chunks: list[Chunk] = []
        for section in sections(document):
            for piece in self._pieces(document.text, section):
                digest = hashlib.sha256(piece.text.encode("utf-8", "replace")).hexdigest()
                seen[digest] += 1
                chunks.append(
                    Chunk(
                        id=str(uuid.uuid5(_NAMESPACE, f"{document.id}\0{digest}\0{seen[digest]}")),
                        document=document.id,
                        path=document.path,
                        title=document.title,
                        headings=section.headings,
                        text=piece.text,
                        span=(piece.start, piece.end),
                        hash=digest,
                        url=document.url,
                        anchor=section.anchor,
                        corpus=document.corpus,
                        access=document.access,
                        updated=document.updated,
                    )
                )
        return chunks

    def _pieces(self, text: str, section: Section) -> Iterator[_Piece]:
        pieces: list[_Piece] = []
        at = section.start
        for start, end, is_table in section.wholes:
            pieces.extend(self._prose(text, at, start))
            body = text[start:end].rstrip()
            if self._tokens(body) <= self._max:
                pieces.append(_Piece(start, start + len(body), body))
            else:
                pieces.extend(self._rows(text, start, end) if is_table else self._prose(text, start, end))
            at = end
        pieces.extend(self._prose(text, at, section.end))
        return self._joined(text, pieces)

    def _prose(self, text: str, start: int, end: int) -> Iterator[_Piece]:
        for first, last in _segments(text, start, end):
            for offset, piece in self._splitter.chunk_indices(text[first:last]):
                if any(character.isalnum() for character in piece):
                    yield _Piece(first + offset, first + offset + len(piece), piece)

    def _joined(self, text: str, pieces: list[_Piece]) -> Iterator[_Piece]:
        """Pieces too short to say much ("including:", one list item) join their neighbour where both fit together."""
        last: _Piece | None = None
        for piece in pieces:
            if last is not None and (both := self._both(text, last, piece)):
                last = both
                continue
            if last is not None:
                yield last
            last = piece
        if last is not None:
            yield last

    def _both(self, text: str, one: _Piece, other: _Piece) -> _Piece | None:
        if not (one.is_exact and other.is_exact) or min(map(self._tokens, (one.text, other.text))) >= self._min:
            return None
        both = text[one.start : other.end]
        return _Piece(one.start, other.end, both) if self._tokens(both) <= self._max else None

    def _rows(self, text: str, start: int, end: int) -> Iterator[_Piece]:
        lines = line_spans(text, start, end)
        header = text[start : lines[1][1]].rstrip("\n")
        rows = lines[2:]
        if self._tokens(header) * 2 > self._max:
            yield from self._prose(text, start, end)
            return
        budget = self._max - self._tokens(header)
        group: list[tuple[int, int]] = []
        used = 0
        for row in rows:
            cost = self._tokens(text[row[0] : row[1]])
            if group and used + cost > budget:
                yield from self._table(text, header, start, group)
                group, used = [], 0
            group.append(row)
            used += cost
        if group:
            yield from self._table(text, header, start, group)

    def _table(self, text: str, header: str, start: int, rows: list[tuple[int, int]]) -> Iterator[_Piece]:
        first, last = rows[0][0], rows[-1][1]
        body = text[first:last].rstrip()
        if self._tokens(f"{header}\n{body}") > self._max:
            yield from self._prose(text, first, last)
        elif text[start:first].rstrip() == header:
            yield _Piece(start, first + len(body), text[start : first + len(body)])
        else:
            yield _Piece(first, first + len(body), f"{header}\n{body}")

    def _tokens(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)


def _segments(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """[start, end) in parts of at most _SEGMENT characters, cut at an empty line, else at a line's end or a space."""
    while end - start > _SEGMENT:
        limit = start + _SEGMENT
        cut = max(text.rfind("\n\n", start, limit) + 2, start + 1)
        if cut == start + 1:
            cut = max(text.rfind("\n", start, limit) + 1, text.rfind(" ", start, limit) + 1)
        cut = cut if cut > start + 1 else limit
        yield start, cut
        start = cut
    if start < end:
        yield start, end
