"""What people read is whole sentences, whatever the numbers."""

from __future__ import annotations

import pytest

from crag import wording
from crag.types import Reason


@pytest.mark.parametrize(("count", "words"), [(0, "your documents"), (1, "1 document"), (31, "31 documents")])
def test_documents_are_counted_in_words(count: int, words: str) -> None:
    assert wording.documents(count) == words


@pytest.mark.parametrize(
    "sentence",
    [
        wording.EMPTY, wording.INTERNAL, wording.TIMEOUT, wording.UNSUPPORTED, wording.NO_CITATION, wording.UNREADABLE,
        wording.GRADING_OFF, wording.WEAK.format(documents="1 document"), wording.dropped(1), wording.dropped(2),
        wording.gap(("a", "b")), wording.outdated(["A"]), wording.outdated(["A", "B"]), wording.read_as("x"),
        wording.from_elsewhere("[1]", "web"), wording.from_elsewhere("[1][2]", "web"), wording.too_long(10_000, 2_000),
        wording.unreachable("Weaviate"), wording.quoting_instead("It failed."),
    ],
)  # fmt: skip
def test_every_message_is_a_sentence(sentence: str) -> None:
    assert sentence[0].isupper() or sentence[0] in "“["
    assert sentence[-1] in ".?!"
    assert "{" not in sentence


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_has_a_headline(reason: Reason) -> None:
    assert wording.headline(reason)
