"""What people read in Discord: answers, cards, grades - as golden files, and within every limit."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from adapters.discord import replies
from adapters.discord.desk_views import job_page, status_page
from adapters.discord.grades import gauge, grade_pages
from adapters.discord.pages import Act, Colour, Page
from crag.events import State
from crag.platform import JobPhase, JobView, StatusView
from crag.types import Answer, Citation, Reason, Reply
from tests.adapters.console import samples as plain
from tests.adapters.discord import samples
from tests.adapters.discord.screens import golden, read


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("answer", samples.answer()),
        ("partly_supported", samples.partly()),
        ("abstention", samples.abstention()),
        ("abstention_on_a_follow_up", samples.abstention_on_a_follow_up()),
        ("error", samples.failure()),
        ("no_question", samples.abstention(Reason.EMPTY_QUESTION)),
        ("courtesy", plain.courtesy()),
        ("answer_of_9000_characters", samples.long_answer(9_000)),
        ("answer_of_14000_characters", samples.long_answer(14_000)),
        ("code_of_5000_characters", samples.code_answer()),
        ("hostile", plain.hostile()),
    ],
)
async def test_a_reply_looks_as_its_golden_file(name: str, reply: Reply) -> None:
    found, wanted = golden(name, replies.pages(reply))
    assert found == wanted


async def test_only_a_reply_that_something_works_for_can_be_voted_on() -> None:
    assert "[Helpful]" in read(replies.pages(samples.abstention())[0])
    assert "elpful]" not in read(replies.pages(samples.failure())[0])


async def test_a_withdrawn_sentence_is_struck_out_where_people_saw_it() -> None:
    found, wanted = golden("withdrawn", replies.pages(samples.partly(), shown="Five days. Interns get\nsix. And"))
    assert found == wanted
    assert "Interns" not in read(replies.pages(samples.partly())[0]).replace("“interns”", "")


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("grades", samples.answer()),
        ("grades_of_an_abstention", samples.abstention()),
        ("grades_hostile", plain.hostile()),
    ],
)
async def test_the_grades_look_as_their_golden_file(name: str, reply: Reply) -> None:
    found, wanted = golden(name, grade_pages(reply))
    assert found == wanted


async def test_a_passage_that_nobody_graded_has_no_score_and_says_why() -> None:
    made = samples.answer()
    first, second, *_ = (
        read(page)
        for page in grade_pages(replace(made, trace=replace(made.trace, grades=(*samples.GRADES, plain.UNGRADED))))
    )
    assert "**Graded:** 3 of 4 passages" in first
    assert "**4.** not graded, dropped" in first
    passage = second.partition("4. 🔴 INCORRECT, dropped")[2]
    assert "Dropped, not graded: ranked below the best 3 by similarity" in passage
    assert "Score" not in passage
    assert "|-------|" not in passage


async def test_twenty_graded_passages_with_many_strips_fit_their_pages() -> None:
    strip = ("A strip_of *words* that go on and on. " * 8, 0.5, True)
    grades = tuple(replace(samples.GRADES[1], strips=(strip,) * 30) for _ in range(20))
    made = samples.answer()
    pages = [read(page) for page in grade_pages(replace(made, trace=replace(made.trace, grades=grades)))]
    assert len(pages) == 8
    assert "20." in pages[5]
    assert "more strips" in pages[1]
    assert "Page 8 of 8" in pages[-1]


@pytest.mark.parametrize("length", [9_000, 14_000])
async def test_a_long_answer_loses_nothing_and_cuts_no_fence_no_table_no_link(length: int) -> None:
    reply = samples.long_answer(length)
    assert isinstance(reply.body, Answer)
    texts = [page.embeds[0].description or "" for page in replies.pages(reply)]
    whole = "\n".join(texts)
    for text in texts:
        assert text.count("```") % 2 == 0
        assert text.count("**") % 2 == 0
        assert len(re.findall(r"\[\[1\]\]\(", text)) == text.count(
            "[[1]](<https://docs.example.com/leave#carrying-over>)"
        )
    headings = len(re.findall("^## Part", reply.body.text, re.M))
    assert whole.count("## Part") == headings
    assert whole.count("Days | Who") == reply.body.text.count("| Days | Who |")
    assert "Well supported" in read(replies.pages(reply)[0])
    assert "**Sources**" in read(replies.pages(reply)[-1])


async def test_a_code_block_that_needs_two_messages_is_code_in_both() -> None:
    pages = replies.pages(samples.code_answer())
    texts = [page.embeds[0].description or "" for page in pages]
    assert len(texts) == 2
    assert texts[0].startswith("Run this [[1]](<")
    assert texts[0].endswith("\n```")
    assert texts[1].startswith("```python\nstep_")
    lines = re.findall(r"^step_(\d+)", "\n".join(texts), re.M)
    assert lines == [f"{n:04d}" for n in range(1, len(lines) + 1)]


async def test_a_table_that_is_split_repeats_its_header() -> None:
    rows = "\n".join(f"| {n} | person {n} |" for n in range(1, 400))
    pages = replies.pages(samples.answer(f"| Days | Who |\n|---|---|\n{rows}"))
    for page in pages:
        assert "Days | Who" in (page.embeds[0].description or "")
    assert "399  | person 399" in read(pages[-1])


async def test_a_wide_table_is_told_row_by_row() -> None:
    wide = "a rather long cell that no phone shows beside another"
    text = read(replies.pages(samples.answer(f"| Plan | Price |\n|---|---|\n| {wide} | 12 EUR [1] |"))[0])
    assert f"- **Plan:** {wide}; **Price:** 12 EUR [[1]](<https://docs" in text


async def test_an_endless_word_and_an_endless_line_of_code_are_broken() -> None:
    for text in ("x" * 9_000, "```\n" + "y" * 9_000 + "\n```", "**" + "bold words " * 900 + "**"):
        pages = replies.pages(samples.answer(text))
        assert sum(len(re.sub("[^xyw]", "", page.embeds[0].description or "")) for page in pages) == len(
            re.sub("[^xyw]", "", text)
        )
        for page in pages:
            read(page)


@pytest.mark.parametrize(
    "title", ["a|b", "<script>", "f(x) [y]", "`tick` *star* _under_", "@everyone", "](http://evil"]
)
async def test_an_odd_title_breaks_no_link(title: str) -> None:
    text = read(replies.pages(samples.titled(title))[0])
    assert "](<https://docs.example.com/a(b)%7C%3Cc%3E#carrying-over>)" in text.replace("%28", "(").replace("%29", ")")
    label = text.split("[1] [")[1].split("](<")[0]
    assert re.sub(r"\\(.)", "", label).count("[") == 0
    assert re.sub(r"\\(.)", "", label).count("]") == 0


@pytest.mark.parametrize(
    "text",
    [
        "@everyone",
        "@here",
        "<@1>",
        "<@&1>",
        "<#1>",
        "</ask:1>",
        "<t:1>",
        "||spoiler||",
        "__init__",
        "https://a.example",
    ],
)
async def test_what_a_document_says_mentions_hides_and_links_nothing(text: str) -> None:
    shown = replies.pages(samples.answer(f"It says {text} there."))[0].embeds[0].description or ""
    assert text not in shown
    assert replies.pages(samples.answer(f"`{text}`"))[0].embeds[0].description == f"`{text}`"


@pytest.mark.parametrize(
    ("line", "shown"),
    [("#### Deep", "**Deep**"), ("-# small", "\\-# small"), (">>> all below", "\\>>> all below"), ("# Big", "# Big")],
)
async def test_marks_of_discords_own_are_shown_as_written(line: str, shown: str) -> None:
    assert replies.pages(samples.answer(line))[0].embeds[0].description == shown


async def test_many_long_links_stand_in_as_many_messages_as_they_need() -> None:
    chunks = [replace(samples.LINKED, url=f"https://docs.example.com/{'x' * 500}/{n}") for n in range(20)]
    made = samples.answer("All of it [1].")
    assert isinstance(made.body, Answer)
    body = replace(made.body, citations=tuple(Citation(n, chunk, "q") for n, chunk in enumerate(chunks, 1)))
    texts = [read(page) for page in replies.pages(replace(made, body=body))]
    assert len(texts) > 1
    assert all(f"/{n}#carrying-over>)" in "\n".join(texts) for n in range(20))


async def test_a_passage_without_an_address_is_shown_by_a_button() -> None:
    reply = samples.answer()
    buttons = [press for press in replies.pages(reply)[0].buttons if press.act is Act.PASSAGE]
    assert [press.number for press in buttons] == [2]
    page = replies.passage(reply, Act.PASSAGE, 2)
    assert page is not None
    assert "Five days." in read(page)
    assert replies.passage(reply, Act.PASSAGE, 9) is None
    assert replies.passage(samples.abstention(), Act.NEAREST, 9) is None
    assert replies.passage(samples.abstention(), Act.NEAREST, 1) is not None


async def test_the_badge_has_a_colour_for_each_word() -> None:
    colours = [replies.pages(reply)[0].embeds[0].colour for reply in (samples.answer(), samples.partly())]
    assert [colour and colour.value for colour in colours] == [Colour.SUPPORTED, Colour.PARTLY]


async def test_what_is_being_written_shows_its_end() -> None:
    text = read(replies.working(State.WRITE, "".join(f"Sentence {n} is here.\n" for n in range(300))))
    assert text.startswith("| # Writing the answer…\n| …\n")
    assert "Sentence 299" in text
    assert "Sentence 1 " not in text


async def test_a_job_shows_its_progress_and_its_end() -> None:
    going = JobView("j", JobPhase.RUNNING, ("handbook",), done=45, total=100)
    assert read(job_page(going)) == ("| # Reindexing handbook\n| `█████████░░░░░░░░░░░` 45 of 100 documents\n[Cancel]")
    failed = tuple((f"bad_{n}.pdf", "it is | broken") for n in range(12))
    ended = replace(going, phase=JobPhase.DONE, added=3, failed=failed, generation="Candor_2", duration_s=12.3)
    text = read(job_page(ended))
    assert "3 added, 0 changed, 0 removed, 0 unchanged, 12 failed" in text
    assert "… and 2 more; the log names them." in text
    assert "[Cancel]" not in text
    assert "The old index answers on." in read(job_page(replace(ended, phase=JobPhase.FAILED, error="No disk.")))
    told = "It was cancelled. The old index answers on."
    assert read(job_page(replace(going, phase=JobPhase.CANCELLED, error=told))).count("The old index answers on") == 1
    assert "Would be removed" in read(job_page(replace(ended, dry_run=True, removed_paths=("old.md",))))


async def test_the_status_names_what_is_wrong() -> None:
    page: Page = status_page(StatusView((("index", "31 documents"),), ("Slack is not connected.",)))
    assert read(page) == "| # Status\n| **index:** 31 documents\n| **What is wrong** ⚠️ Slack is not connected."
    assert "Nothing is wrong." in read(status_page(StatusView((("index", "31 documents"),))))


async def test_a_citation_behind_a_code_block_stays_out_of_it() -> None:
    text = replies.pages(samples.answer("```\nferry back\n``` [2]\n\nThen wait."))[0].embeds[0].description
    assert text == "```\nferry back\n```\n[2]\n\nThen wait."


async def test_list_items_stand_close_together_and_paragraphs_apart() -> None:
    text = replies.pages(samples.answer("One:\n\n- a\n\n- b\n\nTwo."))[0].embeds[0].description
    assert text == "One:\n\n- a\n- b\n\nTwo."


async def test_stars_within_a_word_are_stars() -> None:
    assert replies.pages(samples.answer("2*3*4 and **bold**"))[0].embeds[0].description == r"2\*3\*4 and **bold**"


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (0.272, "-----|o--------|----"),
        (0.251, "----o|---------|----"),
        (0.80, "-----|---------|o---"),
        (0.0, "o----|---------|----"),
    ],
)
async def test_the_gauge_shows_a_score_on_its_side_of_a_threshold(score: float, shown: str) -> None:
    assert gauge(score, 0.775, 0.252) == shown
