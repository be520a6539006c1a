"""`candor index` over the real source and chunker, into an index in memory."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crag.errors import ModelError
from tests.bot.conftest import CommandLine
from tests.bot.house import Parts

if TYPE_CHECKING:
    pass


@pytest.fixture
def candor(candor: CommandLine) -> CommandLine:
    candor.parts = Parts()
    return candor


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "leave.md").write_text("# Leave\n\nFive vacation days carry over into the next year.\n")
    (folder / "travel.md").write_text("# Travel\n\nHotels cost at most 140 euros a night.\n")
    return folder


def test_a_folder_is_indexed_and_can_be_asked(candor: CommandLine, folder: Path) -> None:
    run = candor("index", str(folder))
    assert run.code == 0
    assert run.out.endswith(": 2 new; 2 passages.\n")
    assert "Indexing: 100 % (2 of 2)" in run.err
    assert "Five vacation days" in candor("ask", "How many vacation days carry over?").out


def test_what_changed_is_counted_and_unchanged_files_cost_nothing(candor: CommandLine, folder: Path) -> None:
    candor("index", str(folder))
    candor.parts.embedder.texts.clear()
    assert ": 2 unchanged." in candor("index", str(folder)).out
    assert candor.parts.embedder.texts == []
    (folder / "leave.md").unlink()
    (folder / "travel.md").write_text("# Travel\n\nHotels cost at most 150 euros a night.\n")
    assert ": 1 changed, 1 removed; 1 passage." in candor("index", str(folder)).out
    assert candor("ask", "How many vacation days carry over?").code == 3


def test_full_indexes_everything_anew_and_says_why(candor: CommandLine, folder: Path) -> None:
    candor("index", str(folder))
    run = candor("index", str(folder), "--full")
    assert "2 unchanged; 2 passages. Anew, because everything was asked for." in run.out


def test_a_dry_run_changes_nothing(candor: CommandLine, folder: Path) -> None:
    run = candor("index", str(folder), "--dry-run")
    assert (run.code, run.out) == (0, "Would index: 2 new. Nothing was changed.\n")
    assert candor("status").code == 1


def test_json_lists_what_was_done(candor: CommandLine, folder: Path) -> None:
    found = candor("index", str(folder), "--json").json
    assert (found["kind"], found["added"], found["chunks"]) == ("index", ["docs/leave.md", "docs/travel.md"], 2)
    assert found["generation"]


def test_a_file_that_cannot_be_read_is_named_and_ends_with_4(candor: CommandLine, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing more")
    run = candor("index", str(folder))
    assert run.code == 4
    assert "- docs/broken.pdf: " in run.out
    assert "2 new, 1 failed" in run.out
    assert candor("index", str(folder), "--json").json["failed"][0]["path"] == "docs/broken.pdf"


def test_a_file_name_that_commands_the_terminal_is_neutralised(candor: CommandLine, folder: Path) -> None:
    (folder / "\x1b]0;owned\x07.pdf").write_bytes(b"nothing")
    run = candor("index", str(folder))
    assert "\x1b" not in run.out + run.err


def test_a_path_that_does_not_exist_is_named(candor: CommandLine, folder: Path) -> None:
    run = candor("index", str(folder / "nowhere"))
    assert run.code == 1
    assert "nowhere doesn't exist." in run.err


def test_an_embedder_that_dies_is_a_sentence_and_the_old_index_answers_on(candor: CommandLine, folder: Path) -> None:
    candor("index", str(folder))
    (folder / "more.md").write_text("# More\n\nThe canteen opens at noon.\n")
    candor.parts.embedder.fail_after = 0
    candor.parts.embedder.error = ModelError("The embedding model is broken.")
    run = candor("index", str(folder))
    assert run.code == 1
    assert "the old index answers on" in run.err
    candor.parts.embedder.error, candor.parts.embedder.fail_after = None, None
    assert candor("ask", "How many vacation days carry over?").code == 0


def test_another_run_that_is_indexing_is_named(candor: CommandLine, folder: Path) -> None:
    candor.parts.database.holder = "Another process"
    run = candor("index", str(folder), "--json")
    assert (run.code, run.json["message"]) == (1, "Another process is indexing right now.")


def test_a_folder_that_is_not_there_is_refused_before_anything_is_started(candor: CommandLine, tmp_path: Path) -> None:
    run = candor("index", str(tmp_path / "nowhere"), "--json")
    assert (run.code, run.json["code"]) == (1, "service")
    assert "nowhere doesn't exist. Nothing was changed." in run.json["message"]
    assert "--full" in run.json["advice"]
    assert candor.parts.events == []


def test_a_file_that_is_gone_leaves_the_index(candor: CommandLine, folder: Path) -> None:
    file = folder / "leave.md"
    candor("index", str(file))
    file.unlink()
    assert ": 1 removed." in candor("index", str(file)).out


def test_a_folder_that_is_gone_for_good_leaves_the_index_with_full(candor: CommandLine, folder: Path) -> None:
    candor("index", str(folder))
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    assert candor("index", str(folder)).code == 1
    assert "2 removed" in candor("index", str(folder), "--full").out


@pytest.mark.parametrize("others", [0, 1, 2])
def test_a_folder_without_a_document_is_told(candor: CommandLine, folder: Path, tmp_path: Path, others: int) -> None:
    candor("index", str(folder))
    empty = tmp_path / "tables"
    empty.mkdir()
    for at in range(others):
        (empty / f"{at}.csv").write_text("a,b")
    run = candor("index", str(empty))
    assert run.code == 1
    assert (
        f"No document that Candor reads (.md, .markdown, .txt, .html, .htm, .pdf, .docx) was found in {empty}."
        in run.out
    )
    told = ["", "1 file is of other kinds, and left out.", "2 files are of other kinds, and left out."][others]
    assert told in run.out
    assert ("of other kinds" in run.out) is bool(others)
    found = candor("index", str(empty), "--json")
    assert (found.code, found.json["empty"], found.json["other_kinds"]) == (1, [str(empty)], others)


def test_an_empty_folder_is_told_where_nothing_is_indexed_yet(candor: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    run = candor("index", str(tmp_path / "empty"))
    assert run.code == 1
    assert "No document that Candor reads" in run.out


def test_files_of_other_kinds_beside_documents_are_counted(candor: CommandLine, folder: Path) -> None:
    (folder / "plan.xlsx").write_bytes(b"PK")
    run = candor("index", str(folder))
    assert run.code == 0
    assert run.out.endswith("2 new; 2 passages.\n1 file is of other kinds, and left out.\n")


def test_a_folder_that_was_emptied_leaves_the_index_and_is_told(candor: CommandLine, folder: Path) -> None:
    candor("index", str(folder))
    for file in folder.iterdir():
        file.unlink()
    run = candor("index", str(folder), "--full")
    assert run.code == 0
    assert "2 removed." in run.out
    assert "No document that Candor reads" in run.out
