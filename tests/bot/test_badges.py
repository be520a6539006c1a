"""One badge for every platform, and the record on it only where it was measured."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from adapters.console.replies import print_reply
from adapters.discord.replies import pages
from adapters.slack.replies import posts
from crag import wording
from crag.types import Answer, Band, Reply, Support
from tests.adapters.console import samples

RECORD = "Well supported - right 57 of 58 times on your questions"


def reply(record: tuple[int, int] | None) -> Reply:
    found = samples.answered()
    assert isinstance(found.body, Answer)
    return replace(found, body=replace(found.body, band=Band.CORRECT, support=Support.FULL, record=record))


def shown(given: Reply) -> list[str]:
    """What people see of it in the terminal, in Slack and in Discord."""
    out = Console(file=io.StringIO(), width=200)
    print_reply(out, given)
    assert isinstance(out.file, io.StringIO)
    return [out.file.getvalue(), str(posts(given)), str([page.embeds[0].title for page in pages(given)])]


def test_the_badge_says_how_often_it_was_right() -> None:
    assert all(RECORD in text for text in shown(reply((57, 58))))


def test_without_a_measurement_the_badge_says_nothing_more() -> None:
    for text in shown(reply(None)):
        assert "Well supported" in text
        assert "on your questions" not in text


@pytest.mark.parametrize(
    ("support", "band", "words"),
    [
        (Support.FULL, Band.CORRECT, "Well supported"),
        (Support.FULL, Band.AMBIGUOUS, "Probably supported"),
        (Support.PARTIAL, Band.AMBIGUOUS, "Partly supported"),
        (Support.PARTIAL, Band.CORRECT, "Partly supported"),
    ],
)
def test_only_an_answer_that_lacks_something_is_partly_supported(support: Support, band: Band, words: str) -> None:
    found = reply((57, 58))
    assert isinstance(found.body, Answer)
    answer = replace(found.body, support=support, band=band)
    for text in shown(replace(found, body=answer)):
        assert f"{words} - right 57 of 58 times on your questions" in text


@pytest.mark.parametrize(
    ("support", "band", "shown"),
    [
        (Support.FULL, Band.CORRECT, Band.CORRECT),
        (Support.PARTIAL, Band.CORRECT, Band.AMBIGUOUS),
        (Support.FULL, Band.AMBIGUOUS, Band.AMBIGUOUS),
    ],
)
def test_an_answer_borne_out_in_part_is_no_better_than_partly_supported(
    support: Support, band: Band, shown: Band
) -> None:
    assert wording.shown_band(Answer("Yes.", (), band, support)) is shown
