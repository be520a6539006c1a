"""What people read is whole sentences, whatever the numbers."""

from __future__ import annotations

import pytest

from crag import wording
from crag.types import Generation, Grade, Reason, Shelf, Verdict
from tests.crag.scenes import chunk


@pytest.mark.parametrize(("count", "words"), [(0, "your documents"), (1, "1 document"), (31, "31 documents")])
def test_documents_are_counted_in_words(count: int, words: str) -> None:
    assert wording.documents(count) == words


@pytest.mark.parametrize(
    ("shelves", "told"),
    [
        ((Shelf(documents=31),), "31 documents, 213 passages"),
        (
            (Shelf(documents=30), Shelf(access=frozenset({"hr"}), documents=1)),
            "31 documents (30 for everyone), 213 passages",
        ),
        ((Shelf(access=frozenset({"hr"}), documents=31),), "31 documents (0 for everyone), 213 passages"),
        ((), "31 documents, 213 passages"),
    ],
)
def test_what_is_indexed_is_told_with_what_everyone_may_see(shelves: tuple[Shelf, ...], told: str) -> None:
    assert wording.indexed(Generation("g", "e", 3, "c", "2026", 31, 213, shelves)) == told


def test_only_what_was_not_graded_is_counted_as_such() -> None:
    read = Grade(chunk("a"), 0.9, Verdict.CORRECT, raw=0.9)
    far = Grade(chunk("b"), 0.0, Verdict.INCORRECT, reason="not graded: time ran out", graded=False)
    assert wording.graded_share([read, far, far]) == "1 of 3 passages"
    assert wording.graded_share([read]) == wording.graded_share([]) == ""
    assert (wording.standing(far, 0.7, 0.3), wording.fate(far)) == ("not graded", "Dropped, not graded: time ran out")
    assert wording.standing(read, 0.7, 0.3).startswith("0.900, at or above")


@pytest.mark.parametrize(
    "sentence",
    [
        wording.EMPTY, wording.INTERNAL, wording.TIMEOUT, wording.UNSUPPORTED, wording.NO_CITATION, wording.UNREADABLE,
        wording.GRADING_OFF, wording.WEAK.format(documents="1 document"), wording.dropped(1), wording.dropped(2),
        wording.gap(("a", "b")), wording.outdated(["A"]), wording.outdated(["A", "B"]), wording.read_as("x"),
        wording.from_elsewhere("[1]", "web"), wording.from_elsewhere("[1][2]", "web"), wording.too_long(10_000, 2_000),
        wording.disagreeing("[1]", "£120", "[2]", "£135"), wording.unreachable("Weaviate"),
        wording.quoting_instead("It failed."),
    ],
)  # fmt: skip
def test_every_message_is_a_sentence(sentence: str) -> None:
    assert sentence[0].isupper() or sentence[0] in "“["
    assert sentence[-1] in ".?!"
    assert "{" not in sentence


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_headline(reason: Reason) -> None:
    assert wording.headline(reason)
