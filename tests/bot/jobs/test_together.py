from typing import Any

import pytest

from bot.jobs.together import Together
from crag.errors import SourceError
from tests.fakes.source import FakeItem, FakeSource


def sources() -> tuple[FakeSource, FakeSource, Together]:
    handbook = FakeSource({"handbook/leave.md": "Five days."}, corpus="people")
    wiki = FakeSource({"wiki/lunch.md": "At noon."}, roots=("file:/srv/wiki",), corpus="wiki")
    return handbook, wiki, Together([handbook, wiki])


async def test_each_document_is_read_by_its_own_source() -> None:
    *_, together = sources()
    documents: list[Any] = [await together.read(item) for item in together.list()]
    assert [(document.path, document.corpus) for document in documents] == [
        ("handbook/leave.md", "people"),
        ("wiki/lunch.md", "wiki"),
    ]


def test_roots_and_what_is_missing_are_those_of_all() -> None:
    _, wiki, together = sources()
    wiki.missing = wiki.roots
    assert together.roots == ("file:/srv/handbook", "file:/srv/wiki")
    assert together.missing == ("file:/srv/wiki",)


async def test_what_was_not_listed_is_not_read() -> None:
    *_, together = sources()
    with pytest.raises(SourceError):
        await together.read(FakeItem("file:/etc/passwd", "passwd", "h"))
