"""Slack's markup: written so that it can't command, read as people meant it."""

from __future__ import annotations

import pytest

from adapters.slack.markdown import parts
from adapters.slack.mrkdwn import cut, escape, fenced, heard, is_url, link, sections


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("<@U0CANDOR> how many days?", "how many days?"),
        ("how many days, <@U0CANDOR>?", "how many days, ?"),
        ("ask <@U0ADA|ada> in <#C1|general>", "ask @ada in #general"),
        ("<!here> <!subteam^S1|@people>", "@here @people"),
        ("see <https://example.com/a|the page> or <https://example.com>", "see the page or https://example.com"),
        ("a &lt; b &amp;&amp; c", "a < b && c"),
        ("a <b> c", "a <b> c"),
        ("two\n\n  lines  ", "two\n\nlines"),
    ],
)
def test_what_people_typed_is_read_as_words(typed: str, words: str) -> None:
    assert heard(typed, "U0CANDOR") == words


def test_text_can_command_nothing() -> None:
    assert escape("<!channel> & \x1b[31m\u202eabc") == "&lt;!channel&gt; &amp; [31mabc"


def test_a_links_label_and_address_cannot_break_out() -> None:
    assert link("https://x.example/a b|c>d", "Title (a|b) <c>") == (
        "<https://x.example/a%20b%7Cc%3Ed|Title (a｜b) &lt;c&gt;>"
    )


@pytest.mark.parametrize(
    ("address", "opens"),
    [("https://x.example/a", True), ("people/leave.md#x", False), ("javascript:alert(1)", False), ("http://[", False)],
)
def test_only_addresses_of_the_web_are_links(address: str, opens: bool) -> None:
    assert is_url(address) is opens


def test_no_entity_is_cut_in_two() -> None:
    assert cut("a &amp; b", 5) == "a …"


def test_code_cannot_end_its_block() -> None:
    assert fenced("a ``` b").count("```") == 2


@pytest.mark.parametrize(
    ("markdown", "mrkdwn"),
    [
        ("**bold** *slanted* ~~gone~~ `a < b`", "*bold* _slanted_ ~gone~ `a &lt; b`"),
        ("# A **title**\n\ntext", "*A title*\n\ntext"),
        ("[words](https://evil.example) ![picture](https://evil.example/p)", "words picture"),
        ("[1] is a mark\n\n[1]: https://evil.example", "[1] is a mark\n\n[1]: https://evil.example"),
        ("1. one\n2. two\n   - deep", "1. one\n2. two\n    • deep"),
        ("3. three\n4. four", "3. three\n4. four"),
        ("> said\n> so", "> said\n> so"),
        ("a\\*b\n***\n<b>x</b>", "a*b\n\n———\n\n&lt;b&gt;x&lt;/b&gt;"),
        ("", ""),
    ],
)
def test_markdown_becomes_slacks_markup(markdown: str, mrkdwn: str) -> None:
    assert "\n\n".join(sections(parts(markdown), 3_000)) == mrkdwn


def test_a_split_falls_between_sentences_and_outside_of_bold() -> None:
    text = "First sentence. **Bold one. With two sentences.** Last."
    assert sections(parts(text), 40) == ["First sentence.", "*Bold one. With two sentences.* Last."]
