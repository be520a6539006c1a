"""bench/RESULTS.md has several writers."""

from __future__ import annotations

from bench.results import RESULTS, merged, with_section

OLD = "# Results\n\nyesterday\n\n## Speed\n\nslow\n\n## Slack\n\n| a |\n\n## Discord\n\nb\n"


def test_a_new_page_keeps_the_sections_that_it_does_not_have() -> None:
    new = "# Results\n\ntoday\n\n## Speed\n\nfast"
    page = merged(OLD, new)
    assert page == "# Results\n\ntoday\n\n## Speed\n\nfast\n\n## Slack\n\n| a |\n\n## Discord\n\nb\n"
    assert merged(page, new) == page


def test_a_section_takes_the_place_of_the_one_of_its_name() -> None:
    page = with_section(OLD, "Slack", "new\n")
    assert page == OLD.replace("| a |", "new")
    assert with_section(page, "Slack", "| a |") == OLD
    assert with_section("# Results\n", "Slack", "x") == "# Results\n\n## Slack\n\nx\n"


def test_the_page_survives_both() -> None:
    page = RESULTS.read_text(encoding="utf-8")
    titles = [line for line in page.splitlines() if line.startswith("## ")]
    assert "## Slack" in titles
    kept = merged(page, "# Results\n\n## Indexing\n\nx\n")
    assert {line for line in kept.splitlines() if line.startswith("## ")} == set(titles)
