"""Keys, tokens and passwords are blacked out before anything is logged or written down."""

from __future__ import annotations

import re
from collections.abc import Iterable

REDACTED = "[redacted]"


def _shape(kept: str, secret: str, before: str = "") -> tuple[str, re.Pattern[str], str]:
    pattern = re.compile(f"{before}({re.escape(kept)}){secret}", re.ASCII)
    return kept, pattern, rf"\1{REDACTED}"


_SHAPES = (
    _shape("xox", r"[a-z](?:\.xox[a-z])?-[\w-]{8,}"),  # Slack: bot, user and configuration tokens
    _shape("xapp-", r"[\w-]{8,}"),  # Slack: app tokens
    _shape("hooks.slack.com/", r"[\w/-]{20,}"),  # Slack: addresses that let one post
    _shape("/webhooks/", r"\d{15,}/[\w-]{40,}"),  # the same of Discord
    _shape("sk-", r"[\w-]{16,}", before=r"(?<![\w-])"),  # OpenAI, and those that copy it
    _shape("gh", r"[pousr]_\w{20,}"),
    _shape("github_pat_", r"\w{20,}"),
    _shape("glpat-", r"[\w-]{20,}"),
    _shape("AKIA", r"[0-9A-Z]{16}\b"),
    _shape("eyJ", r"[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*"),  # JSON web tokens
    _shape("Bot ", r"(?=[^\s\"]*\d)[\w.~+/-]{16,}=*"),
    _shape("earer ", r"(?=[^\s\"]*\d)[\w.~+/-]{16,}=*"),
    _shape("asic ", r"(?=[^\s\"]*\d)[\w.~+/-]{16,}=*"),
    _shape("://", r"[^\s/@:\"'<>]*:[^\s/@\"'<>]+(?=@)"),  # user and password of an address
    _shape("-----BEGIN ", r"[A-Z ]*PRIVATE KEY-----[^\"]*?(?=-----END|\"|\Z)"),
)
"""What stands before each secret, and stays; the pattern. Most texts have none of these, and so cost little."""

_DISCORD_END = re.compile(r"\.[\w-]{6,7}\.[\w-]{27,}", re.ASCII)
_DISCORD = re.compile(r"[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}", re.ASCII)
"""Discord's bot tokens. They have no word of their own, so that their end is looked for, which is quick."""


def redact(text: str, known: Iterable[str] = ()) -> str:
    """The text without the `known` secrets, and without anything that has the shape of one. Not for JSON, whose escapes
    hide where a word begins: redact what goes in."""
    for secret in known:
        if secret:
            text = text.replace(secret, REDACTED)
    for kept, pattern, replacement in _SHAPES:
        if kept in text:
            text = pattern.sub(replacement, text)
    return _DISCORD.sub(REDACTED, text) if _DISCORD_END.search(text) else text
