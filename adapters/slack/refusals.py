"""Slack's refusals, translated once. What Slack may have done all the same (5xx, a lost answer) is told apart from what
it refused for good."""

from __future__ import annotations

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from crag.errors import CandorError, ScreenError, ScreenUnreachable, SettingsError

FAILURES = (SlackClientError, aiohttp.ClientError, OSError)
"""All that a call may raise."""

TOKEN_DEAD = frozenset({"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"})
NO_MESSAGE = frozenset({"message_not_found", "thread_not_found", "channel_not_found"})
TOO_MUCH = frozenset({"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"})
_UNCLEAR = frozenset({"", "internal_error", "fatal_error", "service_unavailable", "request_timeout"})
_WORDS = {
    "channel_not_found": "I can't see that Slack channel; invite me there with /invite.",
    "not_in_channel": "I'm not in that Slack channel; invite me there with /invite.",
    "is_archived": "That Slack channel is archived.",
    "message_not_found": "The Slack message is gone.",
    "thread_not_found": "The Slack thread is gone.",
    "restricted_action": "Slack doesn't let me write in that channel: its posting permissions exclude apps.",
    "restricted_action_thread_locked": "That Slack thread is locked.",
    "ratelimited": "Slack takes no more messages from me right now.",
}


def code_of(error: BaseException) -> str:
    """Slack's error code, "" where it gave none (5xx, no answer)."""
    return _field(error, "error")


def is_unclear(error: BaseException) -> bool:
    """Whether Slack may have done what was asked, or may do it if asked again."""
    return not isinstance(error, SlackApiError) or code_of(error) in _UNCLEAR


def retry_after(error: BaseException) -> float:
    """Seconds that Slack wants to be left alone with this method; 0 if it doesn't say."""
    response = getattr(error, "response", None)
    if isinstance(response, AsyncSlackResponse) and response.status_code == 429:
        return float(response.headers.get("Retry-After", 1))
    return 0.0


def screen_error(error: BaseException) -> ScreenError:
    """Why a message can't be shown, in words."""
    code = code_of(error)
    if code == "missing_scope":
        return ScreenError(_scope_words(_field(error, "needed")))
    if code in TOKEN_DEAD:
        return ScreenError(f"Slack no longer accepts the bot token ({code}).")
    if code == "ratelimited" or is_unclear(error):
        return ScreenUnreachable(_WORDS.get(code, "Slack can't be reached, or doesn't answer."))
    return ScreenError(_WORDS.get(code, f"Slack refused the message: {code}."))


def start_error(error: BaseException, setting: str, *, scope: str = "") -> CandorError:
    """Why the bot can't start: one sentence that names the setting or the scope."""
    code = code_of(error)
    if code == "missing_scope":
        return SettingsError(_scope_words(scope or _field(error, "needed")))
    if code == "not_allowed_token_type":
        return SettingsError(f"{setting} is a Slack token of another kind.", advice="docs/slack.md says which it is.")
    if code in TOKEN_DEAD:
        return SettingsError(f"Slack refuses {setting} ({code}).", advice="Copy it again from api.slack.com/apps.")
    if code:
        return SettingsError(f"Slack refuses to let the bot start: {code}.")
    return CandorError("Slack can't be reached.", advice="Check the network, or CANDOR_SLACK__API_URL if it is set.")


def missing_scopes(scopes: list[str]) -> SettingsError:
    return SettingsError(_scope_words(", ".join(scopes)))


def _field(error: BaseException, name: str) -> str:
    """A field of Slack's answer. A proxy's answer has none, and may be no JSON at all."""
    response = getattr(error, "response", None)
    data = response.data if isinstance(response, AsyncSlackResponse) else None
    return str(data.get(name) or "") if isinstance(data, dict) else ""


def _scope_words(scopes: str) -> str:
    several = "s" if "," in scopes else ""
    return (
        f"The Slack app lacks the scope{several} {scopes}: "
        "update it from slack/manifest.yaml at api.slack.com/apps and reinstall it."
    )
