"""Documents that say of themselves that they no longer hold."""

from __future__ import annotations

import pytest

from crag.currency import superseded
from tests.crag.scenes import chunk


@pytest.mark.parametrize(
    "title",
    [
        "Holiday policy 2023 (superseded)", "SUPERSEDED: Holiday", "[Archived] Rota", "Rota - obsolete", "Obsolete",
        "Travel (no longer valid since May)", "Deprecated | API v1", "Urlaub (veraltet)", "Rota (replaced by Roost)",
    ],
)  # fmt: skip
def test_a_marker_in_title_or_heading_counts(title: str) -> None:
    assert superseded(chunk("Text.", title=title))
    assert superseded(chunk("Text.", headings=(title, "Details")))


@pytest.mark.parametrize(
    "title",
    [
        "How to read archived channels",
        "Archiving a project",
        "Holiday",
        "Deprecated features and us",
        "Old Town",
    ],
)
def test_the_word_inside_of_a_phrase_does_not(title: str) -> None:
    assert not superseded(chunk("This page is superseded.", title=title, headings=(title,)))


@pytest.mark.parametrize(
    ("path", "old"),
    [("archive/rota.md", True), ("hr/obsolete/x.md", True), ("archive.md", False), ("my-archive/x.md", False)],
)
def test_a_folder_of_old_documents_counts(path: str, old: bool) -> None:
    assert superseded(chunk("Text.", path=path)) is old
