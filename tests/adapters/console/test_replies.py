from dataclasses import replace

import pytest

from adapters.console.replies import inline, print_reply
from crag.types import Abstention, Answer, Band, Reason, Reply, Support
from tests.adapters.console import samples


def shown(reply: Reply, width: int = 80, *, terminal: bool = False) -> str:
    out, file = samples.screen(width, terminal=terminal)
    print_reply(out, reply)
    return file.getvalue()


def test_an_answer_shows_its_badge_and_its_numbered_sources() -> None:
    assert shown(samples.answered()) == (
        "You may carry over five days [1]. They lapse at the end of March [2].\n"
        "\n"
        "Well supported\n"
        "[1] Leave, Carrying over\n"
        "    people/leave-1.md#carrying-over\n"
        "[2] Leave\n"
        "    people/leave-2.md#carrying-over\n"
    )


def test_a_partly_supported_answer_says_so_and_names_its_gap() -> None:
    text = shown(samples.partly())
    assert "\nPartly supported\nWhat I found doesn't mention “interns”.\n[1]" in text


def test_a_partial_support_never_looks_well_supported() -> None:
    reply = samples.partly()
    assert isinstance(reply.body, Answer)
    body = replace(reply.body, band=Band.CORRECT, support=Support.PARTIAL)
    assert "Partly supported" in shown(replace(reply, body=body))


def test_an_abstention_is_a_card_with_why_how_much_was_searched_and_the_nearest() -> None:
    assert shown(samples.abstained()) == (
        "I don't know\n"
        "Nothing I found answers this.\n"
        "I searched 31 documents.\n"
        "\n"
        "The nearest passages:\n"
        "- Leave > Carrying over\n"
        "  people/leave-2.md#carrying-over\n"
        "- Leave > Carrying over\n"
        "  people/leave-3.md#carrying-over\n"
    )


def test_an_abstention_says_only_once_how_much_was_searched() -> None:
    text = shown(samples.abstained(detail="I searched 31 documents, but nothing I found answers this."))
    assert text.count("31 documents") == 1


@pytest.mark.parametrize("terminal", [False, True])
def test_an_abstention_says_how_a_follow_up_was_read(terminal: bool) -> None:
    text = shown(samples.abstained_on_a_follow_up(), 120, terminal=terminal)
    assert samples.READ_AS in text
    assert text.index("Nothing I found") < text.index(samples.READ_AS) < text.index("The nearest passages")


def test_on_a_terminal_an_abstention_has_a_frame() -> None:
    text = shown(samples.abstained(), 60, terminal=True)
    assert "I don't know" in text.splitlines()[0]
    assert "╭" in text


def test_a_service_that_is_down_is_not_called_ignorance() -> None:
    text = shown(samples.abstained(Reason.SEARCH_UNAVAILABLE, "I can't reach Weaviate right now."))
    assert text.startswith("I can't search right now\n")


def test_small_talk_is_only_its_sentence() -> None:
    assert shown(samples.courtesy()) == "You're welcome!\n"


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("width", [60, 120])
def test_nothing_of_a_document_commands_the_terminal(width: int, terminal: bool) -> None:
    text = shown(samples.hostile(), width, terminal=terminal)
    for forbidden in ("\x07", "\x08", "\x9b", "\u202e", "\x1b]", "\x1b[2J", "evil.example", "owned"):
        assert forbidden not in text
    assert terminal or "\x1b" not in text


def test_piped_output_wraps_at_the_width_and_leaves_links_whole() -> None:
    reply = samples.answered()
    assert isinstance(reply.body, Answer)
    long = "https://docs.example/" + "a-very-long-path/" * 10
    citation = replace(reply.body.citations[0], chunk=replace(samples.chunk(), url=long, anchor=""))
    body = replace(reply.body, text="word " * 60 + "[1].", citations=(citation,))
    lines = shown(replace(reply, body=body), 60).splitlines()
    assert f"    {long}" in lines
    assert all(len(line) <= 60 for line in lines if long not in line)


def test_bold_and_code_of_markdown_are_shown_and_all_else_stands() -> None:
    text = "Get **27 days** with `leave --all`: 2 * 3 ** 4, a*b*c, <name> and ** or ` alone."
    assert inline(text).plain == "Get 27 days with leave --all: 2 * 3 ** 4, a*b*c, <name> and ** or ` alone."


LONG = "https://wiki.example.com/handbook/" + "travel-and-expenses/" * 8


@pytest.mark.parametrize("terminal", [False, True])
def test_a_link_stays_in_one_piece(terminal: bool) -> None:
    linked = replace(samples.chunk(), url=LONG, anchor="")
    answered = samples.answered()
    assert isinstance(answered.body, Answer)
    sources = (replace(answered.body.citations[0], chunk=linked),)
    told = f"{'Words are broken between words. ' * 4}See {LONG} [1]."
    answered = replace(answered, body=replace(answered.body, text=told, citations=sources))
    text = shown(answered, terminal=terminal)
    assert text.count(LONG) == 2
    assert all(len(line) <= 80 for line in text.splitlines() if LONG not in line and "\x1b" not in line)
    abstained = samples.abstained()
    assert isinstance(abstained.body, Abstention)
    nearest = (replace(abstained.body.nearest[0], chunk=linked),)
    assert LONG in shown(replace(abstained, body=replace(abstained.body, nearest=nearest)), terminal=terminal)
