"""How documents are cut, with the shipped embedder's tokenizer."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from adapters.sources.chunker import MarkdownChunker
from crag.types import Chunk, Document

TOKENIZER = Path(__file__).parents[3] / "models" / "embedder" / "tokenizer.json"
COUNTER: Tokenizer = Tokenizer.from_file(str(TOKENIZER))
COUNTER.no_truncation()
COUNTER.no_padding()
MAX = 60


def chunker(*, max_tokens: int = MAX, min_tokens: int = 20) -> MarkdownChunker:
    return MarkdownChunker(TOKENIZER, max_tokens=max_tokens, min_tokens=min_tokens)


def document(text: str, *, title: str = "Leave", path: str = "handbook/leave.md", url: str = "") -> Document:
    return Document("file:/srv/handbook/leave.md", path, title, text, "hash", url=url, access=frozenset({"hr"}))


def cut(text: str, *, max_tokens: int = MAX) -> list[Chunk]:
    return list(chunker(max_tokens=max_tokens).chunk(document(text)))


def tokens(text: str) -> int:
    return len(COUNTER.encode(text, add_special_tokens=False).ids)


def table(rows: int) -> str:
    return "| Years | Days |\n|---|---|\n" + "".join(f"| year {row} | {row + 20} days |\n" for row in range(rows))


LONG = "\n\n".join(f"Paragraph {number} says that day {number} is free. Nobody works then." for number in range(40))


def test_a_chunk_stands_under_one_heading_with_its_path_and_anchor() -> None:
    chunks = cut("Intro.\n# Leave\nAll.\n## Sick *leave*, paid\nSick.\n### Doctor\nNote.\n## Other\nRest.\n")
    assert [(chunk.headings, chunk.anchor, chunk.text) for chunk in chunks] == [
        (("Leave",), "", "Intro."),
        (("Leave",), "leave", "All."),
        (("Leave", "Sick leave, paid"), "sick-leave-paid", "Sick."),
        (("Leave", "Sick leave, paid", "Doctor"), "doctor", "Note."),
        (("Leave", "Other"), "other", "Rest."),
    ]


def test_underlined_headings_count_and_hashes_in_code_do_not() -> None:
    chunks = cut("Rules\n=====\n\n```sh\n# no heading\n```\n")
    assert [(chunk.headings, chunk.text) for chunk in chunks] == [(("Leave", "Rules"), "```sh\n# no heading\n```")]


def test_repeated_headings_get_numbered_anchors() -> None:
    chunks = cut("## FAQ\n\nOne.\n\n## FAQ\n\nTwo.\n\n## FAQ-1\n\nThree.\n\n## FAQ\n\nFour.\n")
    assert [chunk.anchor for chunk in chunks] == ["faq", "faq-1", "faq-1-1", "faq-2"]


def test_a_heading_without_text_gives_no_chunk() -> None:
    assert [chunk.text for chunk in cut("# A\n\n## B\n\n---\n\n## C\n\nText.\n\n## D\n")] == ["Text."]


def test_every_chunk_is_exactly_its_span_and_fits() -> None:
    text = f"# Ü😀 A\n\n{LONG}\n\n## B\n\n- one\n  - two\n    continued\n\n> quoted\n\n{table(3)}\n\n    code\n"
    chunks = cut(text)
    assert len(chunks) > 5
    for chunk in chunks:
        assert text[slice(*chunk.span)] == chunk.text
        assert tokens(chunk.text) <= MAX


def test_no_word_is_lost_or_doubled() -> None:
    chunks = cut(LONG)
    assert " ".join(" ".join(chunk.text for chunk in chunks).split()) == " ".join(LONG.split())
    assert all(before.span[1] <= after.span[0] for before, after in pairwise(chunks))


def test_long_text_is_cut_between_sentences() -> None:
    for chunk in cut("This is one sentence about the days of leave. " * 50):
        assert chunk.text.startswith("This is")
        assert chunk.text.endswith("leave.")


def test_a_short_lead_joins_what_it_leads_to() -> None:
    [chunk] = cut("You get, among others:\n\n- thirty days\n- free trains\n")
    assert chunk.text == "You get, among others:\n\n- thirty days\n- free trains"


def test_a_table_that_fits_stays_whole() -> None:
    whole = table(6).strip()
    assert MAX - 10 < tokens(whole) <= MAX
    assert any(whole in chunk.text for chunk in cut(f"{LONG}\n\n{table(6)}\n\n{LONG}"))


def test_a_fence_that_fits_stays_whole() -> None:
    fence = "```python\nfirst = 1\n\nsecond = 2\n```"
    assert any(fence in chunk.text for chunk in cut(f"{LONG}\n\n{fence}\n\n{LONG}"))


def test_a_table_that_does_not_fit_repeats_its_header_and_its_span_shows_the_rows() -> None:
    text = f"Before.\n\n{table(40)}\nAfter."
    chunks = cut(text)
    parts = [chunk for chunk in chunks if "year" in chunk.text]
    assert len(parts) > 5
    for part in parts:
        assert part.text.removeprefix("Before.\n\n").startswith("| Years | Days |\n|---|---|\n| year")
        assert tokens(part.text) <= MAX
        assert part.text.endswith(text[slice(*part.span)][-20:])
    rows = [line for part in parts for line in part.text.splitlines() if line.startswith("| year")]
    assert rows == table(40).splitlines()[2:]
    assert chunks[-1].text.endswith("After.")


def test_a_row_longer_than_a_chunk_is_cut_all_the_same() -> None:
    text = f"| A |\n|---|\n| short |\n| {'long words here ' * 100} |\n| short again |\n"
    chunks = cut(text)
    assert all(tokens(chunk.text) <= MAX for chunk in chunks)
    assert "short again" in chunks[-1].text


def test_a_chunk_carries_what_its_document_says() -> None:
    [chunk] = chunker().chunk(document("## A b\n\nText.", url="https://x.example/leave"))
    assert (chunk.document, chunk.path, chunk.title) == ("file:/srv/handbook/leave.md", "handbook/leave.md", "Leave")
    assert (chunk.access, chunk.corpus) == (frozenset({"hr"}), "default")
    assert chunk.link == "https://x.example/leave#a-b"


def test_a_pdf_chunk_links_to_its_page() -> None:
    [chunk] = chunker().chunk(document("## Page 3\n\nText.", path="handbook/leave.pdf"))
    assert chunk.link == "handbook/leave.pdf#page=3"
    assert chunk.headings == ("Leave", "Page 3")


def test_an_edit_leaves_the_ids_of_other_chunks() -> None:
    before = cut("# A\n\nFirst.\n\n# B\n\nSecond.\n\n# C\n\nSecond.\n")
    after = cut("# A\n\nFirst, changed and longer.\n\n# B\n\nSecond.\n\n# C\n\nSecond.\n")
    assert [chunk.id for chunk in before][1:] == [chunk.id for chunk in after][1:]
    assert before[0].id != after[0].id


def test_ids_differ_where_the_same_text_stands_twice_or_in_another_document() -> None:
    chunks = cut("# A\n\nSame.\n\n# B\n\nSame.\n")
    other = chunker().chunk(Document("file:/srv/other.md", "other.md", "Leave", "# A\n\nSame.\n", "hash"))
    assert len({chunk.id for chunk in [*chunks, *other]}) == 3
    assert len({chunk.hash for chunk in [*chunks, *other]}) == 1


def test_the_fingerprint_changes_with_the_sizes() -> None:
    assert chunker().fingerprint == chunker().fingerprint
    assert len({chunker().fingerprint, chunker(max_tokens=61).fingerprint, chunker(min_tokens=21).fingerprint}) == 3


@pytest.mark.parametrize(
    "text",
    [
        "> " * 100 + "deep",
        "*" * 8_000 + "a" + "*" * 8_000,
        "[" * 16_000,
        "[a](" * 4_000,
        "a" * 100_000,
        "<!--" * 4_000,
        "|" * 5_000 + "\n" + "|-" * 2_500 + "\n" + "|" * 5_000,
        "- a\n" * 2_000,
        "# a\n" * 3_000,
        "\n" * 50_000 + "end",
        "".join("  " * level + "- step\n" for level in range(100)),
    ],
    ids=lambda text: repr(text[:6]),
)
def test_odd_text_is_cut_in_reasonable_time(text: str) -> None:
    began = time.process_time()
    for chunk in cut(text, max_tokens=160):
        assert text[slice(*chunk.span)] == chunk.text or chunk.text.startswith("|")
    assert time.process_time() - began < 30
