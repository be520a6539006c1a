"""The readable text of a message: what a golden file holds."""

from __future__ import annotations

from tests.peers.discord.rendering import rendered, rendered_modal


def test_a_message_is_rendered_top_to_bottom() -> None:
    embed = {
        "title": "Days off",
        "url": "https://example.com/leave",
        "description": "You get **30** days [1].\n\nMore in summer.",
        "fields": [{"name": "Sources", "value": "[1] Leave\n[2] Travel"}],
        "footer": {"text": "Well supported"},
    }
    buttons = [
        {"type": 2, "style": 1, "label": "Show passage", "custom_id": "p"},
        {"type": 2, "style": 5, "label": "Open", "url": "https://example.com"},
        {"type": 2, "style": 2, "emoji": {"name": "👍"}, "custom_id": "up", "disabled": True},
    ]
    menu = {"type": 3, "custom_id": "m", "placeholder": "Which?", "options": [{"label": "A"}, {"label": "B"}]}
    components = [{"type": 1, "components": buttons}, {"type": 1, "components": [menu]}]
    assert rendered("Answer:", [embed], components) == "\n".join(
        [
            "Answer:",
            "| # Days off <https://example.com/leave>",
            "| You get **30** days [1].",
            "|",
            "| More in summer.",
            "| **Sources** [1] Leave",
            "| [2] Travel",
            "| _Well supported_",
            "[Show passage] [Open <https://example.com>] [👍 (off)]",
            "(select: Which?: A / B)",
        ]
    )


def test_new_components_are_rendered_too() -> None:
    show = {"type": 2, "label": "Show", "custom_id": "s"}
    section = {"type": 9, "components": [{"type": 10, "content": "[1] Leave"}], "accessory": show}
    inner = [{"type": 10, "content": "# Days off\n30"}, {"type": 14}, section]
    expected = "| # Days off\n| 30\n| --------------------\n| [1] Leave  [Show]"
    assert rendered("", [], [{"type": 17, "components": inner}]) == expected


def test_a_form_is_rendered_with_what_must_be_filled_in() -> None:
    text = {"type": 4, "custom_id": "r", "label": "Reason", "required": False, "placeholder": "optional"}
    menu = {"type": 3, "custom_id": "m", "options": [{"label": "Wrong"}, {"label": "Old"}]}
    body = {
        "title": "Why?",
        "components": [{"type": 1, "components": [text]}, {"type": 18, "label": "Kind", "component": menu}],
    }
    assert rendered_modal(body) == "== Why? ==\nReason: (text: optional)\nKind*: (select: Wrong / Old)"
