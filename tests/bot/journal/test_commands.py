"""`candor journal`, as it is typed."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.bot.conftest import CommandLine
from tests.bot.journal.test_people import ANN, fill


@pytest.fixture
def journal(place: Path, setting: Callable[[str, str], None]) -> Path:
    """One with records of two people."""
    file = place / "a folder" / "journal.db"
    setting("JOURNAL__URL", f"sqlite:///{file}")
    asyncio.run(fill(f"sqlite:///{file}"))
    return file


@pytest.mark.usefixtures("journal")
def test_export_prints_what_is_kept_of_a_person(candor: CommandLine) -> None:
    run = candor("journal", "export", "--user", f"slack:{ANN}")
    assert run.code == 0
    assert "asked Am I in the Zanzibar programme?" in run.out
    assert "was told You may carry over five days [1]." in run.out
    assert "voted not helpful Zanzibar is missing. (r5)" in run.out
    assert "not answered yet" in run.out
    assert "started a reindex job" in run.out
    data = candor("journal", "export", "--user", f"slack:{ANN}", "--json").json
    assert (data["kind"], data["user"], len(data["questions"])) == ("journal_export", f"slack:{ANN}", 1)
    assert data["questions"][0]["reply"]["trace"]["id"] == "r1"


def test_delete_says_what_went_and_where_more_may_be(candor: CommandLine, journal: Path) -> None:
    damaged = journal.with_name("journal.db.damaged-20270101-000000-000000")
    damaged.write_bytes(b"who knows")
    run = candor("journal", "delete", "--user", f"slack:{ANN}")
    assert run.code == 0
    assert "Deleted: 1 question with its reply, 2 votes, 3 questions of others" in run.out
    assert str(damaged) in run.err
    again = candor("journal", "delete", "--user", f"slack:{ANN}", "--json").json
    assert (again["questions"], again["others"], again["votes"], again["jobs"]) == (0, 0, 0, 0)
    assert again["damaged_copies"] == [str(damaged)]
    assert "There is nothing of slack:U0ANN" in candor("journal", "export", "--user", f"slack:{ANN}").err


@pytest.mark.usefixtures("journal")
def test_stats_count(candor: CommandLine) -> None:
    run = candor("journal", "stats")
    assert run.code == 0
    assert "questions 5" in run.out
    assert "by platform slack 5" in run.out
    data = candor("journal", "stats", "--json").json
    found = {name: data[name] for name in ("questions", "by_outcome", "helpful", "not_helpful", "unanswered", "jobs")}
    assert found == {
        "questions": 5,
        "by_outcome": {"answered": 5},
        "helpful": 2,
        "not_helpful": 1,
        "unanswered": 3,
        "jobs": 1,
    }


@pytest.mark.parametrize(
    "arguments", [["export"], ["delete"], ["export", "--user", "ann"], ["delete", "--user", ":U1"], ["forget"], []]
)
def test_an_action_or_a_person_that_is_not_understood_ends_with_2(candor: CommandLine, arguments: list[str]) -> None:
    assert candor("journal", *arguments).code == 2


def test_a_journal_that_cannot_be_opened_is_named(
    candor: CommandLine, place: Path, setting: Callable[[str, str], None]
) -> None:
    (place / "file").write_text("in the way")
    setting("JOURNAL__URL", f"sqlite:///{place}/file/journal.db")
    run = candor("journal", "stats")
    assert run.code == 1
    assert f"{place}/file/journal.db can't be used" in run.err.replace("\n", " ")
    assert candor("journal", "stats", "--json").json["code"] == "service"
