"""Slack's message events, read: which of them is a question, and whose."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.slack.blocks import Json
from adapters.slack.mrkdwn import heard

BY_PEOPLE = (None, "file_share", "thread_broadcast", "me_message")
"""Subtypes of messages that people write; all others are Slack's own, or another program's."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a person wrote. `thread` is its thread's ts, "" outside; `home` is the person's workspace, "" where the
    event doesn't say."""

    channel: str
    ts: str
    thread: str
    user: str
    text: str
    mentions: bool
    home: str = ""

    @property
    def root(self) -> str:
        """The thread that an answer belongs into."""
        return self.thread or self.ts

    @property
    def direct(self) -> bool:
        return self.channel.startswith("D")


def said(event: Json, bot: str) -> Said | None:
    """The message of a `message` or `app_mention` event, if it may be a question: written by a person, new - or edited
    so that it now mentions the bot."""
    message = event
    if event.get("subtype") == "message_changed":
        message = event.get("message") or {}
        if not _mentions(message, bot) or _mentions(event.get("previous_message") or {}, bot):
            return None
    user = str(message.get("user") or "")
    if message.get("subtype") not in BY_PEOPLE or message.get("bot_id") or user in ("", bot, "USLACKBOT"):
        return None
    ts, thread = str(message.get("ts") or ""), str(message.get("thread_ts") or "")
    text = heard(str(message.get("text") or ""), bot)
    home = str(message.get("user_team") or "")
    return Said(str(event.get("channel") or ""), ts, thread, user, text, _mentions(message, bot), home)


def _mentions(message: Json, bot: str) -> bool:
    return f"<@{bot}>" in str(message.get("text") or "") or f"<@{bot}|" in str(message.get("text") or "")
