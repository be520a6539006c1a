"""Marks and links in what a writer wrote: only supplied numbers count, and no link of its making is shown."""

from __future__ import annotations

import re

import pytest

from crag.citations import SafePieces, cited, defused_quote, renumbered, with_known_marks, without_links, without_marks

HOST = "evil.example"
LINKS = [
    f"{HOST}/leak/SECRET",
    f"see data.{HOST}/x1 now",
    f"https://{HOST}/?q=x",
    f"HTTP://{HOST}",
    f"//{HOST}/a",
    f"www.{HOST}/a",
    f"[the policy](https://{HOST}/a)",
    f"[the policy](<https://{HOST}/a> 'title')",
    f"[The first. The second](https://{HOST}/a)",
    f"![x](https://{HOST}/i.png)",
    f"![x][1]\n\n[1]: https://{HOST}/i.png",
    f"<https://{HOST}>",
    f"<a href='https://{HOST}'>here</a>",
    f'<img src="//{HOST}/i.png" onerror=1>',
    f"javascript:fetch('{HOST}')",
    f"data:text/html,{HOST}",
    f"mailto:a@{HOST}",
    f"{HOST}/?q=secret",
    f"ftp://{HOST}/a",
    f"https:{HOST}/a",
    f"HTTPS:\\\\{HOST}\\a",
    f"slack://user?team={HOST}",
    f"https:\u200b//{HOST}/a",
    f"[text]\n(https://{HOST}/a)",
]


@pytest.mark.parametrize("link", LINKS)
def test_no_link_survives(link: str) -> None:
    assert HOST not in without_links(f"Before {link} after.")


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("size", [1, 3, 10, 1000])
def test_no_link_survives_in_pieces_of_any_size(link: str, size: int) -> None:
    text = f"Before it. See {link} there.\nAfter it."
    safe = SafePieces({1})
    shown = [safe.feed(text[at : at + size]) for at in range(0, len(text), size)] + [safe.flush()]
    assert HOST not in "".join(shown)
    assert "Before it." in "".join(shown)
    assert "After it." in "".join(shown)


def test_a_links_words_stay() -> None:
    assert without_links("See [the policy](https://a.example).") == "See the policy."


@pytest.mark.parametrize(
    "text",
    [
        "The office opens at 9:00 [1] (see also the FAQ).",
        "Use and/or, 24/7, a // b.",
        "Ask a.b@c.example.",
        "We use Node.js/TypeScript and docs/models.md.",
        "x < y > z",
    ],
)
def test_what_is_no_link_stays(text: str) -> None:
    assert without_links(text) == text


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a [1]", (1,)),
        ("a [1][3], b [2, 1]", (1, 3, 2)),
        ("a [2-4]", (2, 3, 4)),
        ("a [ 2 ; 3 ]", (2, 3)),
        ("a [^1]", (1,)),
        ("a [1](https://x.example)", ()),
        ("a [2024] [x] (1)", ()),
        ("[1-999]", tuple(range(1, 22))),
    ],
)
def test_marks_are_read_in_every_shape(text: str, numbers: tuple[int, ...]) -> None:
    assert cited(text) == numbers


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a [1, 7].", "a [1]."),
        ("a [7].", "a."),
        ("a[2-4].", "a[2]."),
        ("a [^1] b", "a [1] b"),
        ("[9] a", " a"),
    ],
)
def test_unknown_marks_go_and_known_ones_get_one_form(text: str, plain: str) -> None:
    assert with_known_marks(text, {1, 2}) == plain


def test_a_text_reads_without_its_marks() -> None:
    assert without_marks("27 days [1][2], at most [3].") == "27 days, at most."


def test_a_quote_has_no_mark_of_its_own() -> None:
    quote = defused_quote(f"See [1], [2, 3] and [^4] at https://{HOST}. [5-7] Total [12 EUR].")
    assert cited(quote) == ()
    assert re.findall(r"\d+", quote) == ["1", "2", "3", "4", "5", "7", "12"]
    assert HOST not in quote


def test_pieces_come_in_whole_sentences_and_nothing_is_lost() -> None:
    safe = SafePieces({1})
    text = "Ask e.g. Dr. Pell [1]. Then\nwait [1]!"
    shown = [part for c in text if (part := safe.feed(c))]
    assert "".join(shown) + safe.flush() == text
    assert all(part[-1].isspace() for part in shown)


@pytest.mark.parametrize(
    ("text", "new", "told"),
    [
        ("A [3]. B [1].", {3: 1, 1: 2}, "A [1]. B [2]."),
        ("A [1][4]. B\n\nC [4]", {1: 1, 4: 1}, "A [1]. B\n\nC [1]"),
        ("A [2] [5] and B [7]", {2: 1, 5: 1, 7: 2}, "A [1] and B [2]"),
    ],
)
def test_marks_are_counted_anew_and_neighbours_that_became_the_same_are_one(
    text: str, new: dict[int, int], told: str
) -> None:
    assert renumbered(text, new) == told
