"""What went wrong at a language model's server, in words for the person who reads it. Adapters map their vendor's
errors to these; no key, no address with credentials and no raw page gets into a message."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from crag.errors import LanguageModelError

_SECRET = re.compile(r"\b(?:sk|xox[a-z]|xapp|pk|gh[a-z]|hf)[-_][\w*.-]{4,}|\bBearer\s+\S+", re.IGNORECASE)
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
_CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x1f\x7f]+")
_MARKUP = re.compile(r"<[^>]*>")


def place(url: str) -> str:
    """The address of a server as it may be shown: scheme, host and port, without credentials, path or query."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or "?"
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")


def redacted(text: str, *secrets: str) -> str:
    """A server's own words, fit to be shown: one line, at most 200 characters, no key, no credentials, no markup."""
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    text = _CREDENTIALS.sub("***@", _SECRET.sub("***", text))
    text = " ".join(_MARKUP.sub(" ", _CONTROL.sub(" ", text)).split())
    return text if len(text) <= 200 else text[:199].rstrip() + "…"


def refused(status: int, *, model: str, at: str, key_setting: str, detail: str = "") -> LanguageModelError:
    """An HTTP status of 400 or more. `detail` is the server's own reason, already redacted; `key_setting` is the name
    of the setting that holds the key."""
    because = f": {detail}" if detail else ""
    if status in (401, 403):
        return LanguageModelError(
            f"The language model's server at {at} refused the key (HTTP {status}).", advice=f"Check {key_setting}."
        )
    if status == 404:
        return LanguageModelError(
            f"The server at {at} doesn't know the model “{model}” (HTTP 404).",
            advice=f"Check the model's name and the server's address; on Ollama, `ollama pull {model}` gets it.",
        )
    if status == 429:
        return LanguageModelError(
            f"The language model's server at {at} turns requests away: too many, or the quota is used up (HTTP 429).",
            advice="Wait a moment, or check the account's quota.",
        )
    if status >= 500:
        return LanguageModelError(
            f"The language model's server at {at} failed (HTTP {status}{because}).",
            advice="Its log says why; try again in a moment.",
        )
    return LanguageModelError(
        f"The language model's server at {at} refused the request (HTTP {status}{because}).",
        advice="Check the model and its settings.",
    )


def failed(detail: str, *, at: str) -> LanguageModelError:
    """The server reported an error in mid-stream."""
    return LanguageModelError(f"The language model's server at {at} failed: {detail or 'it gave no reason'}.")


def unreachable(at: str) -> LanguageModelError:
    return LanguageModelError(
        f"The language model's server at {at} can't be reached.", advice="Is it running, and is the address right?"
    )


def broke_off(at: str) -> LanguageModelError:
    return LanguageModelError(
        f"The language model's server at {at} broke off in mid-answer.", advice="Try again in a moment."
    )


def unreadable(at: str, protocol: str) -> LanguageModelError:
    return LanguageModelError(
        f"What the server at {at} answered can't be read as {protocol}.", advice="Check the server's address."
    )


def blocked() -> LanguageModelError:
    return LanguageModelError("The language model's provider withheld the answer (content filter).")


def empty() -> LanguageModelError:
    return LanguageModelError("The language model answered nothing.", advice="Try again, or try another model.")


def cut(max_tokens: int) -> LanguageModelError:
    return LanguageModelError(
        f"The language model's answer was cut off at {max_tokens} tokens.", advice="Ask for less, or allow more tokens."
    )


def endless(max_tokens: int) -> LanguageModelError:
    return LanguageModelError(f"The language model went on long after the {max_tokens} tokens it was allowed.")


def thought_aloud() -> LanguageModelError:
    return LanguageModelError(
        "The language model mixed its thinking into its answer.",
        advice="Switch the model's thinking off, or its server's reasoning parser on.",
    )
