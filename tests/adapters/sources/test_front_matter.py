"""Front matter, and that wrong front matter never shows a document to more people."""

from __future__ import annotations

import pytest

from tests.adapters.sources.conftest import Shelf


async def test_front_matter_is_honoured_and_leaves_the_text(shelf: Shelf) -> None:
    shelf.write(
        "a.md",
        "---\ntitle: Pay\nurl: https://x.example/pay\naccess: [hr, board]\nupdated: 2024-05-01\n---\nText.\n",
    )
    document = await shelf.read("a.md")
    assert (document.title, document.url, document.updated) == ("Pay", "https://x.example/pay", "2024-05-01")
    assert document.access == {"hr", "board"}
    assert document.text == "Text.\n"
    assert document.corpus == "hr"


async def test_a_title_is_read_as_a_page_shows_it_and_hides_nothing(shelf: Shelf) -> None:
    shelf.write("a.md", "---\ntitle: Logging in &amp; Net&#8238;works&#10;&#27;[31m\n---\nText.\n")
    assert (await shelf.read("a.md")).title == "Logging in & Networks [31m"


@pytest.mark.parametrize("access", ["hr", "'hr'", "hr,", "\n  - hr"])
async def test_access_may_be_one_label(shelf: Shelf, access: str) -> None:
    shelf.write("a.md", f"---\naccess: {access}\n---\nText.")
    assert (await shelf.read("a.md")).access == {"hr"}


async def test_without_access_the_default_holds(shelf: Shelf) -> None:
    shelf.access = frozenset({"staff"})
    shelf.write("a.md", "---\ntitle: A\n---\nText.")
    assert (await shelf.read("a.md")).access == {"staff"}


@pytest.mark.parametrize(
    "head",
    [
        "---\naccess:\n---\n",
        "---\naccess: []\n---\n",
        "---\naccess: [hr, 3]\n---\n",
        "---\naccess: {group: hr}\n---\n",
        "---\naccess: ','\n---\n",
        "---\naccess: [hr\n---\n",
        "---\naccess hr\n---\n",
        "---\naccess: hr\n",
        "---\ntitle: a: b\naccess: hr\n---\n",
        "+++\naccess = 'hr'\n+++\n",
        "\ufeff---\naccess: 3\n---\n",
        "\u200b---\naccess: 3\n---\n",
        "\n\n---\naccess: 3\n---\n",
    ],
)
async def test_access_that_cannot_be_read_shows_the_file_to_nobody(shelf: Shelf, head: str) -> None:
    shelf.write("a.md", f"{head}Salaries.")
    assert "front matter" in await shelf.reason("a.md")


async def test_access_behind_blank_lines_or_a_mark_is_read(shelf: Shelf) -> None:
    shelf.write("a.md", "\ufeff\r\n---\r\nAccess: hr\r\n---\r\nText.")
    assert (await shelf.read("a.md")).access == {"hr"}


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        ("---\ntitle: [a]\n---\n", "`title` isn't one line"),
        ("---\nurl: javascript:alert(1)\n---\n", "`url` isn't a web address"),
        ("---\n\ttitle: a\n---\n", "isn't valid YAML"),
        ("---\n- a\n- b\n---\n", "isn't a list of `name: value` lines"),
        (f"---\na: {'[' * 5000}\n---\n", "too large"),
        (f"---\n{'- ' * 5000}\n---\n", "can't be read"),
        ("---\na: !!python/object/apply:os.system [ls]\n---\n", "isn't valid YAML"),
        (f"---\na: {'x' * 30000}\n---\n", "too large"),
    ],
)
async def test_wrong_front_matter_is_named(shelf: Shelf, head: str, reason: str) -> None:
    shelf.write("a.md", f"{head}Text.")
    assert reason in await shelf.reason("a.md")


async def test_text_between_rules_is_no_front_matter(shelf: Shelf) -> None:
    shelf.write("a.md", "---\nA motto.\n---\n\nText.")
    assert "A motto." in (await shelf.read("a.md")).text


async def test_html_may_have_front_matter(shelf: Shelf) -> None:
    shelf.write("a.html", "---\naccess: hr\n---\n<p>Text.</p>")
    document = await shelf.read("a.html")
    assert (set(document.access), document.text) == ({"hr"}, "Text.")
