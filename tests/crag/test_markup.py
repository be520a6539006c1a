"""Markdown for a glance, and code blocks that end where they should."""

import pytest

from crag.markup import gist, with_marks_below_code


@pytest.mark.parametrize(
    ("markdown", "told"),
    [
        ("You get **27 days** with `Roost`.", "You get 27 days with Roost."),
        ("- No single stay.\n- You must ask.", "No single stay. · You must ask."),
        ("1. Ask\n2. Go", "1. Ask · 2. Go"),
        (
            "| | Stennick | Altenbrück |\n|---|---|---|\n| a week | £320 | €370 |",
            "Stennick, Altenbrück · a week, £320, €370",
        ),
        ("## Money\n\nIt's paid\nnext month.", "Money It's paid next month."),
        ("> Quoted words\n> go on", "Quoted words go on"),
        ("```sh\nferry back\n```", "ferry back"),
        ("-4 degrees, 2 * 3, __init__", "-4 degrees, 2 * 3, __init__"),
        ("---\n\n", ""),
    ],
)
def test_a_gist_has_no_marks_and_keeps_the_words(markdown: str, told: str) -> None:
    assert gist(markdown) == told


def test_a_citation_behind_a_code_block_lets_the_block_end() -> None:
    assert with_marks_below_code("```\nferry back\n``` [1]\n\nThen wait.") == "```\nferry back\n```\n[1]\n\nThen wait."
    assert with_marks_below_code("Use ``` as a mark [1]") == "Use ``` as a mark [1]"
