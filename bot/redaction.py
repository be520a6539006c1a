"""Keys, tokens and passwords are blacked out before anything is logged or written down."""

from __future__ import annotations

import re
from collections.abc import Iterable

REDACTED = "[redacted]"

_SHAPES = re.compile(
    r"""
      xox[a-z](?:\.xox[a-z])?-[\w-]{8,}                                  # Slack: bot, user, configuration tokens
    | xapp-[\w-]{8,}                                                     # Slack: app tokens
    | (?<=hooks\.slack\.com/)[\w/-]{20,}                                 # Slack: addresses that let one post
    | (?<![\w.-])[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}(?![\w.-])          # Discord: bot tokens
    | (?<=/webhooks/)\d{15,}/[\w-]{40,}                                  # Discord: addresses that let one post
    | (?<![\w-])sk-[\w-]{16,}                                            # OpenAI and those that copy it
    | (?<![\w-])(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|AKIA[0-9A-Z]{16})(?![\w-])
    | (?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*                       # JSON web tokens
    | (?:(?<=\bBot\ )|(?<=\b[Bb]earer\ )|(?<=\b[Bb]asic\ ))(?=[^\s"]*\d)[\w.~+/-]{16,}=*
    | (?<=://)[^\s/@:"'<>]*:[^\s/@"'<>]+(?=@)                            # user and password of an address
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)


def redact(text: str, known: Iterable[str] = ()) -> str:
    """The text without anything that has the shape of a secret, and without the `known` ones. JSON stays JSON."""
    for secret in known:
        if secret:
            text = text.replace(secret, REDACTED)
    return _SHAPES.sub(REDACTED, text)
