"""A message as a person reads it, and whom it would notify."""

from __future__ import annotations

from typing import Any

import pytest

from tests.peers.slack.rendering import pings, rendered


def text(words: str, kind: str = "mrkdwn") -> dict[str, Any]:
    return {"type": kind, "text": words}


def test_blocks_read_like_the_screen() -> None:
    cells = [[text("Rank", "raw_text"), text("Source", "raw_text")], [text("1", "raw_text"), text("Leave", "raw_text")]]
    show = {"type": "button", "action_id": "a", "text": text("Show passage", "plain_text")}
    site = show | {"action_id": "b", "url": "https://example.com/leave#days", "text": text("Open", "plain_text")}
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": text("Days off", "plain_text")},
        {"type": "markdown", "text": "You get **30** days [1].\n\n```\ncode\n```"},
        {"type": "section", "text": text("[1] <https://example.com/leave#days|Leave &amp; absence>")},
        {"type": "divider"},
        {"type": "context", "elements": [text("Well supported"), text("3 documents")]},
        {"type": "table", "rows": cells},
        {"type": "actions", "elements": [show, site]},
    ]
    assert rendered("fallback", blocks) == "\n".join(
        [
            "# Days off",
            "You get **30** days [1].",
            "",
            "```",
            "code",
            "```",
            "[1] Leave & absence <https://example.com/leave#days>",
            "--------------------",
            "| Well supported  3 documents",
            "Rank | Source",
            "1 | Leave",
            "[Show passage] [Open <https://example.com/leave#days>]",
        ]
    )


def test_without_blocks_the_text_is_what_one_reads() -> None:
    assert rendered("see <https://example.com|this> &lt;now&gt;", []) == "see this <https://example.com> <now>"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("hey <!channel> and <!here|here>", ["!channel", "!here"]),
        ("<@U0ADA> look", ["@U0ADA"]),
        ("<!subteam^S0ADMINS>", ["!subteam^S0ADMINS"]),
        ("&lt;!channel&gt; @channel <#C0GENERAL>", []),
    ],
)
def test_live_mentions_are_found_in_every_live_text(words: str, expected: list[str]) -> None:
    assert pings(words, []) == expected
    assert pings("", [{"type": "section", "text": text(words)}]) == expected
    assert pings("", [{"type": "markdown", "text": words}]) == expected
    assert pings("", [{"type": "header", "text": text(words, "plain_text")}]) == []


def test_plain_words_notify_only_where_slack_is_told_to_parse_them() -> None:
    assert pings("@channel hi", []) == []
    assert pings("@channel hi", [], loose=True) == ["!channel"]


def test_rich_text_notifies_too() -> None:
    inner = [{"type": "user", "user_id": "U0ADA"}, {"type": "broadcast", "range": "everyone"}]
    blocks = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": inner}]}]
    assert pings("", blocks) == ["@U0ADA", "!everyone"]
    assert rendered("", blocks) == "<@U0ADA><!everyone>"
