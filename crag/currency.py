"""Whether a document says of itself that it no longer holds. Such a chunk is never CORRECT, stands last in the
evidence, and an answer that cites it says so; it isn't thrown away, because people do ask about old rules."""

from __future__ import annotations

import re

from crag.types import Chunk

_WORD = (
    r"(?:superseded|obsolete|archived?|deprecated|outdated|withdrawn|no longer (?:valid|in force)|replaced by\b.*"
    r"|veraltet|überholt|archiviert|außer kraft|nicht mehr gültig)"
)
_MARKED = re.compile(
    rf"^\W*{_WORD}(?:\W*$|\s*[:\-–—|\]])|[(\[][^)\]]*\b{_WORD}\b[^)\]]*[)\]]|[:\-–—|]\s+{_WORD}\W*$", re.IGNORECASE
)
_FOLDER = re.compile(r"(?:^|/)(?:archived?|obsolete|deprecated|superseded)/", re.IGNORECASE)


def superseded(chunk: Chunk) -> bool:
    """By a marker in its title or a heading - "Holiday 2023 (superseded)", "DRAFT: obsolete", "[Archived] Rota" - or by
    its folder. The word inside of a phrase ("How to read archived channels") marks nothing."""
    return bool(_FOLDER.search(chunk.path)) or any(_MARKED.search(line) for line in (chunk.title, *chunk.headings))
