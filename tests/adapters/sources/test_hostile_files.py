"""Files made to eat the machine: each is named with its reason, none ends the process, and the next one is read."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import time
import zipfile
from pathlib import Path

import pytest
from pypdf import PdfWriter
from pypdf.generic import NameObject, StreamObject

from adapters.sources.limits import MIB, Limits
from adapters.sources.process import ParsingProcess
from crag.errors import SourceError
from tests.adapters.sources.conftest import Shelf
from tests.adapters.sources.test_formats import pdf, word

DEPTH = 10_000


def archive(*entries: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in entries:
            packed.writestr(name, data)
    return file.getvalue()


def word_with_body(body: bytes) -> bytes:
    """A real Word document whose text is replaced."""
    space = b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    changed = b'<w:document xmlns:w="' + space + b'"><w:body>' + body + b"</w:body></w:document>"
    with zipfile.ZipFile(io.BytesIO(word())) as original:
        entries = [(name, original.read(name)) for name in original.namelist() if name != "word/document.xml"]
    return archive(*entries, ("word/document.xml", changed))


def running(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def environment(pid: int | None) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


@pytest.mark.parametrize(
    "name_and_text",
    [
        ("quotes.md", "> " * DEPTH + "deep"),
        ("tight.md", ">" * DEPTH + "deep"),
        ("lists.md", "- " * DEPTH + "deep"),
        ("steps.md", "".join("  " * level + "- step\n" for level in range(1000))),
        ("a.html", "<div>" * DEPTH + "deep"),
        ("b.html", "<blockquote>" * DEPTH + "deep" + "</blockquote>" * DEPTH),
        ("c.html", "<ul><li>" * DEPTH),
        ("d.html", "<b><i>" * DEPTH),
    ],
    ids=lambda pair: pair[0],
)
async def test_deep_nesting_is_named(shelf: Shelf, name_and_text: tuple[str, str]) -> None:
    name, text = name_and_text
    shelf.write(name, text)
    assert "nested more than 100 levels deep" in await shelf.reason(name)


async def test_deep_nesting_in_word_is_named(shelf: Shelf) -> None:
    shelf.write(
        "a.docx", word_with_body(b"<w:p><w:r>" + b"<w:smartTag>" * DEPTH + b"</w:smartTag>" * DEPTH + b"</w:r></w:p>")
    )
    assert "nested too deeply" in await shelf.reason("a.docx")
    shelf.write("b.docx", word())
    assert (await shelf.read("b.docx")).title == "Holiday policy"


async def test_indented_prose_and_rules_are_not_deep(shelf: Shelf) -> None:
    text = " " * 300 + "centred\n" + "-" * 300 + "\n" + "1" * 300 + "\n* * * * *\n"
    shelf.write("a.txt", text)
    assert "centred" in (await shelf.read("a.txt")).text


async def test_a_zip_bomb_is_named(shelf: Shelf) -> None:
    shelf.write("a.docx", archive(("word/document.xml", b"\0" * (20 * MIB))))
    assert "zip bomb" in await shelf.reason("a.docx")


async def test_an_archive_of_too_many_or_too_large_files_is_named(shelf: Shelf) -> None:
    shelf.limits = Limits(max_entries=50, max_unpacked_bytes=MIB)
    shelf.write("many.docx", archive(*((f"{number}.xml", b"x") for number in range(51))))
    shelf.write("large.docx", archive(("a.xml", os.urandom(2 * MIB))))
    assert "more than 50 files" in await shelf.reason("many.docx")
    assert "larger than 1 MiB" in await shelf.reason("large.docx")


async def test_an_xml_bomb_is_named(shelf: Shelf) -> None:
    bomb = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">'
    for before, after in zip(b"abcdefghi", b"bcdefghij", strict=True):
        bomb += b'<!ENTITY %c "%s">' % (after, b"&%c;" % before * 10)
    with zipfile.ZipFile(io.BytesIO(word())) as original:
        entries = [(name, original.read(name)) for name in original.namelist() if name != "word/document.xml"]
    shelf.write("a.docx", archive(*entries, ("word/document.xml", bomb + b"]><d>&j;</d>")))
    assert "damaged" in await shelf.reason("a.docx")


async def test_a_pdf_with_too_many_pages_is_named(shelf: Shelf) -> None:
    shelf.limits = Limits(max_pages=3)
    shelf.write("a.pdf", pdf("One", "Two", "Three", "Four"))
    assert "It has 4 pages; the limit is 3." in await shelf.reason("a.pdf")


async def test_a_pdf_stream_that_inflates_without_end_is_named(shelf: Shelf) -> None:
    paper = PdfWriter(clone_from=io.BytesIO(pdf("A real page, for its font.")))
    page = paper.pages[0]
    stream = StreamObject()
    stream.set_data(b"BT (x) Tj ET " * (10 * MIB))
    page[NameObject("/Contents")] = stream.flate_encode()
    file = io.BytesIO()
    paper.write(file)
    assert len(file.getvalue()) < MIB
    shelf.write("a.pdf", file.getvalue())
    assert "far more than a page needs" in await shelf.reason("a.pdf")


@pytest.mark.parametrize("name", ["a.md", "a.html"])
async def test_too_much_text_is_named(shelf: Shelf, name: str) -> None:
    shelf.limits = Limits(max_characters=1000)
    shelf.write(name, "word " * 1000)
    assert "more than 1,000 characters" in await shelf.reason(name)


async def test_a_file_that_takes_too_long_is_named_and_the_next_is_read() -> None:
    async with ParsingProcess(Limits(seconds=1)) as parsing:
        assert await parsing.parse("html", b"<p>Before.</p>", "a.html") == "Before."
        first = parsing.pid
        began = time.monotonic()
        with pytest.raises(SourceError, match="longer than 1 seconds"):
            await parsing.parse("html", b"<!-" * MIB, "b.html")
        assert time.monotonic() - began < 10
        assert first is not None
        assert not running(first)
        assert await parsing.parse("html", b"<p>After.</p>", "c.html") == "After."


async def test_a_file_that_takes_too_much_memory_is_named_and_the_next_is_read() -> None:
    async with ParsingProcess(Limits(memory_bytes=150 * MIB)) as parsing:
        with pytest.raises(SourceError, match="more memory"):
            await parsing.parse("html", b"<p>a</p>" * MIB, "b.html")
        assert await parsing.parse("html", b"<p>After.</p>", "c.html") == "After."


async def test_a_parser_that_dies_is_replaced() -> None:
    async with ParsingProcess(Limits()) as parsing:
        await parsing.parse("html", b"<p>Before.</p>", "a.html")
        assert parsing.pid is not None
        os.kill(parsing.pid, signal.SIGSTOP)
        pending = asyncio.create_task(parsing.parse("html", b"<p>b</p>", "b.html"))
        await asyncio.sleep(0.05)
        os.kill(parsing.pid, signal.SIGKILL)
        with pytest.raises(SourceError, match="crashed") as error:
            await pending
        assert error.value.path == "b.html"
        assert await parsing.parse("html", b"<p>After.</p>", "c.html") == "After."


async def test_one_process_reads_many_files_at_once_asked_and_ends_with_its_owner() -> None:
    async with ParsingProcess(Limits()) as parsing:
        pages = [f"<p>Page {number}</p>".encode() for number in range(20)]
        texts = await asyncio.gather(*(parsing.parse("html", page, "a.html") for page in pages))
        assert texts == [f"Page {number}" for number in range(20)]
        pid = parsing.pid
    assert pid is not None
    assert not running(pid)


async def test_a_cancelled_read_leaves_no_process() -> None:
    async with ParsingProcess(Limits()) as parsing:
        task = asyncio.create_task(parsing.parse("html", b"<!-" * MIB, "a.html"))
        await asyncio.sleep(0.3)
        pid = parsing.pid
        assert pid is not None
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not running(pid)


async def test_the_event_loop_runs_on_while_a_file_is_parsed() -> None:
    async with ParsingProcess(Limits()) as parsing:
        await parsing.parse("html", b"<p>Warm.</p>", "a.html")
        task = asyncio.create_task(parsing.parse("html", b"<p>word</p>" * 5000, "b.html"))
        beats = 0
        while not task.done():
            await asyncio.sleep(0.005)
            beats += 1
        assert "word" in await task
        assert beats > 10


async def test_the_parsing_process_sees_no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_SECRET", "sk-very-secret")
    async with ParsingProcess(Limits()) as parsing:
        await parsing.parse("html", b"<p>a</p>", "a.html")
        assert b"sk-very-secret" not in environment(parsing.pid)
