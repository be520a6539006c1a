"""Which files a folder has, and what each is called."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from adapters.sources.limits import Limits
from crag.errors import SourceError
from tests.adapters.sources.conftest import Shelf


async def test_files_are_listed_sorted_with_paths_below_the_folder(shelf: Shelf) -> None:
    for name in ("b.md", "leave/holiday.md", "a.txt", "c.HTML", "picture.png", ".hidden.md", "~$open.docx"):
        shelf.write(name, "Some text.")
    shelf.write(".git/x.md", "no")
    shelf.write("node_modules/pkg/readme.md", "no")
    items = list(shelf.source().list())
    assert [item.path for item in items] == [
        "handbook/a.txt",
        "handbook/b.md",
        "handbook/c.HTML",
        "handbook/leave/holiday.md",
    ]
    assert items[0].id == f"file:{shelf.folder.as_posix()}/a.txt"


async def test_an_id_is_the_same_from_the_folder_and_from_the_file(shelf: Shelf) -> None:
    file = shelf.write("leave/holiday.md", "Thirty days.")
    [from_folder] = shelf.source().list()
    [from_file] = shelf.source(file).list()
    assert (from_folder.id, from_folder.hash) == (from_file.id, from_file.hash)
    assert str(shelf.folder) not in from_file.path


async def test_a_relative_path_gives_the_same_id(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.write("a.md", "Text.")
    [absolute] = shelf.source().list()
    monkeypatch.chdir(shelf.folder)
    [relative] = shelf.source(Path(".")).list()
    assert (relative.id, relative.path) == (absolute.id, absolute.path)


async def test_a_file_given_twice_is_listed_once(shelf: Shelf) -> None:
    file = shelf.write("a.md", "Text.")
    assert len(list(shelf.source(shelf.folder, file, shelf.folder).list())) == 1


async def test_an_edit_changes_the_hash_and_not_the_id(shelf: Shelf) -> None:
    shelf.write("a.md", "Text.")
    [before] = shelf.source().list()
    shelf.write("a.md", "Other text.")
    [after] = shelf.source().list()
    assert before.id == after.id
    assert before.hash != after.hash


async def test_what_decides_metadata_decides_the_hash(shelf: Shelf) -> None:
    shelf.write("a.md", "Text.")
    hashes = {item.hash for item in shelf.source().list()}
    shelf.url_base = "https://docs.example"
    hashes |= {item.hash for item in shelf.source().list()}
    shelf.access = frozenset({"board"})
    hashes |= {item.hash for item in shelf.source().list()}
    assert len(hashes) == 3


async def test_the_hash_of_a_document_is_the_one_that_was_listed(shelf: Shelf) -> None:
    shelf.write("a.md", "Text.")
    [item] = shelf.source().list()
    assert (await shelf.read("a.md")).hash == item.hash


async def test_roots_are_the_ids_of_what_was_given(shelf: Shelf) -> None:
    file = shelf.write("a.md", "Text.")
    source = shelf.source(shelf.folder, file, shelf.folder / "gone.md")
    assert source.roots[0] == f"file:{shelf.folder.as_posix()}"
    assert source.missing == (f"file:{shelf.folder.as_posix()}/gone.md",)


async def test_a_link_that_leaves_the_folder_is_refused(shelf: Shelf, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("The password is swordfish.")
    (shelf.folder / "link.md").symlink_to(secret)
    assert "link that leaves its folder" in await shelf.reason("link.md")


async def test_a_linked_folder_is_not_entered(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("The password is swordfish.")
    (shelf.folder / "link").symlink_to(tmp_path / "outside")
    (shelf.folder / "loop").symlink_to(shelf.folder)
    shelf.write("a.md", "Text.")
    assert [item.path for item in shelf.source().list()] == ["handbook/a.md"]


async def test_a_link_inside_the_folder_does_not_double_its_file(shelf: Shelf) -> None:
    (shelf.folder / "again.md").symlink_to(shelf.write("a.md", "Text."))
    (shelf.folder / "self.md").symlink_to(shelf.folder / "self.md")
    assert [item.path for item in shelf.source().list()] == ["handbook/a.md", "handbook/self.md"]
    assert "can't be opened" in await shelf.reason("self.md")


async def test_an_item_outside_the_folders_is_refused(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("The password is swordfish.")
    shelf.write("a.md", "Text.")
    source = shelf.source()
    [item] = source.list()
    outside = type(item)(f"file:{shelf.folder.as_posix()}/../secret.md", "handbook/a.md", "")
    with pytest.raises(Exception, match="isn't in a folder that was given"):
        await source.read(outside)


async def test_a_pipe_does_not_hang(shelf: Shelf) -> None:
    os.mkfifo(shelf.folder / "pipe.md")
    assert "isn't a plain file" in await shelf.reason("pipe.md")


async def test_a_file_that_disappears_is_named(shelf: Shelf) -> None:
    file = shelf.write("a.md", "Text.")
    source = shelf.source()
    [item] = source.list()
    file.unlink()
    with pytest.raises(Exception, match="disappeared"):
        await source.read(item)


async def test_a_file_over_the_size_limit_is_named_with_the_limit(shelf: Shelf) -> None:
    shelf.limits = Limits(max_bytes=1024 * 1024)
    shelf.write("big.md", "x" * (3 * 1024 * 1024))
    assert "3.0 MiB; the limit is 1.0 MiB" in await shelf.reason("big.md")


async def test_a_kind_that_is_not_read_says_which_are(shelf: Shelf) -> None:
    file = shelf.write("a.xlsx", "x")
    source = shelf.source(file)
    [item] = source.list()
    with pytest.raises(Exception, match=r"isn't a kind that Candor reads \(\.md"):
        await source.read(item)


async def test_the_title_is_the_front_matters_else_the_first_heading_else_the_file_name(shelf: Shelf) -> None:
    shelf.write("a.md", "---\ntitle: From the top\n---\n# From the heading\n\nText.")
    shelf.write("b.md", "Intro.\n\n## Second level\n\n# From *the* [heading](x)\n\nText.")
    shelf.write("sick-leave_policy.md", "Text.")
    shelf.write("onboarding/README.md", "Text.")
    assert (await shelf.read("a.md")).title == "From the top"
    assert (await shelf.read("b.md")).title == "From the heading"
    assert (await shelf.read("sick-leave_policy.md")).title == "Sick leave policy"
    assert (await shelf.read("onboarding/README.md")).title == "Onboarding"


async def test_the_url_is_the_front_matters_else_base_and_path_else_empty(shelf: Shelf) -> None:
    shelf.write("leave/long holiday.md", "Text.")
    shelf.write("b.md", "---\nurl: https://wiki.example/b\n---\nText.")
    assert (await shelf.read("leave/long holiday.md")).url == ""
    shelf.url_base = "https://docs.example/hr/"
    assert (await shelf.read("leave/long holiday.md")).url == "https://docs.example/hr/leave/long%20holiday.md"
    assert (await shelf.read("b.md")).url == "https://wiki.example/b"


@pytest.mark.parametrize(("number", "transient"), [(errno.EIO, True), (errno.EACCES, False)])
async def test_a_disk_that_does_not_answer_is_a_passing_failure_a_refusal_is_not(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, number: int, transient: bool
) -> None:
    shelf.write("a.md", "Text.")
    source = shelf.source()

    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("adapters.sources.folder.os.open", fail)
    [item] = source.list()
    with pytest.raises(SourceError, match="can't be opened") as error:
        await source.read(item)
    assert (error.value.transient, error.value.path) == (transient, "handbook/a.md")


async def test_a_name_that_is_no_text_is_shown_and_refused(shelf: Shelf) -> None:
    os.close(os.open(os.fsencode(shelf.folder) + b"/caf\xe9.md", os.O_CREAT | os.O_WRONLY))
    source = shelf.source()
    [item] = source.list()
    assert item.path == "handbook/caf?.md"
    with pytest.raises(SourceError, match="isn't valid UTF-8"):
        await source.read(item)


async def test_a_title_is_no_longer_than_a_line(shelf: Shelf) -> None:
    shelf.write("a.md", "# " + "long " * 1000 + "\n\nText.")
    shelf.write("b.md", "---\ntitle: " + "long " * 1000 + "\n---\nText.")
    assert len((await shelf.read("a.md")).title) <= 150
    assert len((await shelf.read("b.md")).title) <= 150
