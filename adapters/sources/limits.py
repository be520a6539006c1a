"""What one file may cost. A file over a limit is named and left out; it never takes the others down with it."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Generous for real documents, far below what hurts a machine with 2 GB of memory."""

    max_bytes: int = 50 * MIB
    """The file on disk."""
    max_characters: int = 2_000_000
    """The text that comes out of it; a 500-page book has about 1,000,000."""
    max_pages: int = 1_000
    """Pages of a PDF."""
    max_nesting: int = 100
    """HTML elements, quotes and list levels inside each other."""
    seconds: float = 60.0
    """CPU time, and wall time too, for one HTML, PDF or DOCX file."""
    memory_bytes: int = 1024 * MIB
    """Address space of the process that parses them."""
    max_entries: int = 5_000
    """Files inside a DOCX archive."""
    max_unpacked_bytes: int = 200 * MIB
    """All of them unpacked."""
    max_ratio: int = 200
    """Unpacked size over packed size of one of them, where it is over 1 MiB (XML packs about 1:20)."""
