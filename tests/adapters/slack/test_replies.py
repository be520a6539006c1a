"""What is shown, as golden files that a person can read (`tests/golden/slack`), and within all of Slack's limits.
CANDOR_GOLDEN=write makes the files anew."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.slack.admin_cards import job_card, sources_card, status_card
from adapters.slack.blocks import Json, Post
from adapters.slack.correcting import form
from adapters.slack.grades import grade_view, pages
from adapters.slack.ids import place
from adapters.slack.modals import passage_view, reword_view
from adapters.slack.replies import notice, posts
from crag.platform import JobPhase, JobView, SourceView, StatusView
from crag.types import Answer, Band, Chunk, Citation, Reply, Support
from tests.adapters.console.samples import UNGRADED
from tests.adapters.slack import samples
from tests.peers.slack.limits import check_message, check_view
from tests.peers.slack.rendering import pings, rendered

GOLDEN = Path(__file__).parents[2] / "golden" / "slack"
WHERE = place("T0CANDOR", "C0GENERAL", "1.1")


def golden(name: str, shown: str) -> None:
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("CANDOR_GOLDEN") == "write":
        file.write_text(shown + "\n", encoding="utf-8")
    assert shown + "\n" == file.read_text(encoding="utf-8")


def messages(shown: Sequence[Post]) -> str:
    for post in shown:
        check_message(list(post.blocks))
        assert 0 < len(post.text) <= 4_000
    return "\n\n===== next message =====\n\n".join(rendered(post.text, post.blocks) for post in shown)


def window(view: Json) -> str:
    check_view(view)
    return f"== {view['title']['text']} ==\n{rendered('', view['blocks'])}"


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("answer", samples.answer()),
        ("partly-supported", samples.partly()),
        ("abstention", samples.abstention()),
        ("abstention-on-a-follow-up", samples.abstention_on_a_follow_up()),
        ("error", samples.failure()),
        ("long-answer-9000", samples.long_answer(9_000)),
        ("long-answer-14000", samples.long_answer(14_000)),
        ("code-5000", samples.code_answer()),
    ],
)
def test_a_reply_reads_like_its_golden_file(name: str, reply: Reply) -> None:
    golden(name, messages(posts(reply)))


def test_only_a_reply_that_something_works_for_can_be_voted_on() -> None:
    assert "[Helpful]" in messages(posts(samples.abstention()))
    assert "elpful]" not in messages(posts(samples.failure()))


def test_grades_read_like_their_golden_file() -> None:
    reply = samples.partly()
    views = [grade_view(reply, WHERE, page) for page in range(1, pages(reply.trace) + 1)]
    golden("grades", "\n\n".join(map(window, views)))


def test_many_grades_are_paged() -> None:
    made = samples.answer()
    made = replace(made, trace=replace(made.trace, grades=samples.GRADES * 7))
    assert pages(made.trace) == 6
    for page in range(1, 7):
        check_view(grade_view(made, WHERE, page))
    first, last = window(grade_view(made, WHERE, 1)), window(grade_view(made, WHERE, 99))
    assert "[Next]" in first
    assert "[Previous]" not in first
    assert "[Previous]" in last
    assert "[Next]" not in last
    assert "*21.*" in window(grade_view(made, WHERE, 5))


def test_grades_of_an_abstention_name_its_reason() -> None:
    assert "I don't know: I searched 31 documents" in window(grade_view(samples.abstention(), WHERE))


def test_modals_read_like_their_golden_files() -> None:
    views = [
        passage_view(samples.LINKED),
        form("abc123", WHERE, samples.answer()),
        form("abc123", WHERE, samples.answer(), 1),
        reword_view(samples.QUESTION, WHERE),
    ]
    golden("modals", "\n\n".join(map(window, views)))


def test_admin_cards_read_like_their_golden_file() -> None:
    running = JobView("j1", JobPhase.RUNNING, ("handbook",), done=12, total=31)
    failed = tuple((f"broken-{n}.pdf", "it is encrypted") for n in range(12))
    ended = replace(running, phase=JobPhase.DONE, added=3, changed=2, removed=1, unchanged=25, failed=failed)
    ended = replace(ended, generation="Candor_20261201", duration_s=12.34, removed_paths=("old.md",))
    views = [
        JobView("j1", JobPhase.QUEUED, ()),
        running,
        ended,
        replace(ended, dry_run=True, failed=(), generation=""),
        replace(running, phase=JobPhase.FAILED, error="I can't reach Weaviate."),
        replace(running, phase=JobPhase.CANCELLED),
    ]
    cards = [job_card(view) for view in views]
    cards += [status_card(StatusView((("Index", "31 documents"),), ("The journal is full.",)))]
    cards += [sources_card((SourceView("handbook", "docs", "default"),)), sources_card(())]
    golden("admin", "\n\n".join(messages([card]) for card in cards))


HOSTILE = "a <!channel> | (b) <@U0ADA> *c* `d` > e & <https://evil.example|x>"


def test_hostile_titles_and_texts_break_nothing_and_call_nobody() -> None:
    bad = Chunk("c1", HOSTILE, HOSTILE, HOSTILE, (HOSTILE,), HOSTILE, (0, 1), "h", url="https://x.example/a|b>c d")
    body = Answer(HOSTILE + " [1]", (Citation(1, bad, ""),), Band.CORRECT, Support.FULL, (HOSTILE,))
    made = samples.reply(body, replace(samples.TRACE, grades=(replace(samples.GRADES[0], chunk=bad, reason=HOSTILE),)))
    shown = posts(made)
    text = messages(shown)
    assert [pings(post.text, list(post.blocks)) for post in shown] == [[]]
    assert "<https://x.example/a%7Cb%3Ec%20d>" in text
    assert "a <!channel> ｜ (b) <@U0ADA>" in text
    for view in (grade_view(made, WHERE), passage_view(bad)):
        assert pings("", view["blocks"]) == []
        check_view(view)
    assert pings(notice(HOSTILE).text, list(notice(HOSTILE).blocks)) == []


@pytest.mark.parametrize("unit", ["&", "<", "word ", "`", "**x** ", "long" * 200, "a & b. ", "- item\n", "> quote\n\n"])
def test_any_text_fits(unit: str) -> None:
    text = (unit * 14_000)[:14_000]
    assert messages(posts(samples.answer(text)))


def test_a_giant_code_line_is_cut_and_nothing_of_it_lost() -> None:
    line = "".join(f"{n:05d}<" for n in range(2_000))
    text = messages(posts(samples.answer(f"```\n{line}\n```\n[1]")))
    shown = "".join(row for row in text.splitlines() if row[:1].isdigit() or row[:1] == "<")
    assert shown == line


def test_a_wide_table_is_told_row_by_row() -> None:
    cell = "x" * 50
    text = messages(posts(samples.answer(f"| Name | What |\n|---|---|\n| {cell} | {cell} |\n")))
    assert f"• *Name:* {cell}; *What:* {cell}" in text


def test_a_table_that_is_split_repeats_its_header() -> None:
    rows = "\n".join(f"| {n} | entry {n} |" for n in range(400))
    text = messages(posts(samples.answer(f"| No | Entry |\n|---|---|\n{rows}\n\nDone [1].")))
    assert text.count("No  | Entry") == text.count("```") // 2 > 1
    assert all(f"entry {n}\n" in text for n in range(400))


def test_a_passage_that_nobody_graded_has_no_score_and_says_why() -> None:
    made = samples.answer()
    made = replace(made, trace=replace(made.trace, grades=(*samples.GRADES, UNGRADED)))
    text = window(grade_view(made, WHERE))
    passage = text.partition(f"*{len(samples.GRADES) + 1}.*")[2]
    assert "INCORRECT, dropped" in passage
    assert "Dropped, not graded: ranked below the best 3 by similarity" in passage
    assert "Score" not in passage
    assert f"{len(samples.GRADES)} of {len(samples.GRADES) + 1} passages graded." in text


def test_many_citations_fit() -> None:
    citations = tuple(Citation(n, samples.chunk(n, title="T" * 300), "") for n in range(1, 61))
    body = Answer("All [1].", citations, Band.CORRECT, Support.FULL)
    text = messages(posts(samples.reply(body)))
    assert all(f"[{n}] " in text for n in range(1, 61))


def test_a_citation_behind_a_code_block_stays_out_of_it() -> None:
    text = messages(posts(samples.answer("```\nferry back\n``` [2]\n\nThen wait.")))
    assert text.startswith("```\nferry back\n```\n\n[2]\n\nThen wait.")


def test_stars_within_a_word_are_stars() -> None:
    assert messages(posts(samples.answer("2*3*4, *so* and **bold**"))).startswith("2*3*4, _so_ and *bold*")


def test_strips_and_sentences_are_shown_without_their_markdown() -> None:
    made = samples.partly()
    grade = replace(samples.GRADES[1], strips=(("- **Five days** carry over.", 0.8, True),))
    sentence = replace(samples.TRACE.sentences[0], text="- **Five days** carry over. [1]")
    made = replace(made, trace=replace(made.trace, grades=(grade,), sentences=(sentence,)))
    assert "✓ 0.800 Five days carry over." in window(grade_view(made, WHERE, 1))
    assert "✓ 0.900 Five days carry over. [1]" in window(grade_view(made, WHERE, 2))


def test_a_cancelled_job_says_what_became_of_the_index_once() -> None:
    told = "It was cancelled. The old index answers on; what had been deleted is no longer found."
    shown = messages([job_card(JobView("j1", JobPhase.CANCELLED, (), error=told))])
    assert told in shown
    assert shown.count("The old index answers on") == 1


def test_a_withdrawn_sentence_that_people_saw_is_struck_through() -> None:
    seen = "Five days carry over [1]. Interns\nget **six** [2]."
    took_back = replace(samples.TRACE.sentences[1], text="Interns get **six** [1].")
    made = replace(samples.partly(), trace=replace(samples.TRACE, sentences=(samples.TRACE.sentences[0], took_back)))
    shown = posts(made, shown=seen)
    assert "Withdrawn: the sources don't bear this out:\n~Interns get six [1].~" in messages(shown)
    said = [block for post in shown for block in post.blocks if str(block.get("block_id")).startswith("said:")]
    assert "Interns" not in str(said)
    assert "Interns" not in shown[0].text
    assert "Withdrawn" not in messages(posts(made, shown="Five days carry over [1]."))


def test_many_withdrawn_sentences_fit() -> None:
    took_back = tuple(replace(samples.TRACE.sentences[1], text=f"{n} ~x~ " + "& < " * 200) for n in range(30))
    made = replace(samples.partly(), trace=replace(samples.TRACE, sentences=took_back))
    text = messages(posts(made, shown=" ".join(sentence.text for sentence in took_back)))
    assert text.count("~") == 12
    assert "… and 24 more" in text
