"""HTTP mode: signed requests to the app's own address, redelivery by header, and the requests of someone hostile."""

from __future__ import annotations

import enum
import hashlib
import hmac
import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import aiohttp

from tests.peers.slack.delivery import Attempt, Delivery

if TYPE_CHECKING:
    from tests.peers.slack.state import State

Json = dict[str, Any]

JSON_TYPE = "application/json"
FORM_TYPE = "application/x-www-form-urlencoded"


class Hostile(enum.StrEnum):
    """A request that isn't Slack's, or isn't sane."""

    NO_SIGNATURE = "no signature"
    BAD_SIGNATURE = "a wrong signature"
    OTHER_BODY = "a signature of another body"
    OLD_TIMESTAMP = "a timestamp of six minutes ago"
    FUTURE_TIMESTAMP = "a timestamp six minutes ahead"
    NO_TIMESTAMP = "no timestamp"
    TEXT_TIMESTAMP = "a timestamp that isn't a number"
    NOT_UTF8 = "a body that isn't UTF-8, well signed"
    MALFORMED_JSON = "half a JSON, well signed"
    JSON_ARRAY = "a JSON array, well signed"
    JSON_STRING = "a JSON string, well signed"
    EMPTY_BODY = "an empty body, well signed"
    BAD_FORM_PAYLOAD = "a form whose payload isn't JSON, well signed"


_BODIES = {
    Hostile.NOT_UTF8: b'{"type": "event_callback", "text": "\xff\xfe"}',
    Hostile.MALFORMED_JSON: b'{"type": "event_callback", "event": {',
    Hostile.JSON_ARRAY: b'[{"type": "event_callback"}]',
    Hostile.JSON_STRING: b'"event_callback"',
    Hostile.EMPTY_BODY: b"",
    Hostile.BAD_FORM_PAYLOAD: b"payload=%7Bhalf",
}


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Slack's v0 signature of a request."""
    digest = hmac.new(secret.encode(), b"v0:" + timestamp.encode() + b":" + body, hashlib.sha256)
    return "v0=" + digest.hexdigest()


class HttpMode:
    """The transport of HTTP mode: all three kinds of request go to `url`."""

    def __init__(self, state: State, url: str) -> None:
        self._state = state
        self.url = url
        self._session = aiohttp.ClientSession()

    async def close(self) -> None:
        await self._session.close()

    async def attempt(self, delivery: Delivery, attempt: Attempt, within_s: float) -> None:
        body, content_type = _body(delivery)
        headers = self._signed(body, content_type)
        if attempt.number:
            headers |= {"X-Slack-Retry-Num": str(attempt.number), "X-Slack-Retry-Reason": _reason(attempt.reason)}
        attempt.carrier = "http"
        try:
            timeout = aiohttp.ClientTimeout(total=within_s)
            async with self._session.post(self.url, data=body, headers=headers, timeout=timeout) as response:
                text = await response.text()
                attempt.status = response.status
                attempt.refuses_retry = response.headers.get("X-Slack-No-Retry") == "1"
                if response.status != 200:
                    attempt.failure = "http_error"
                    return
                attempt.acked_at = time.monotonic()
                attempt.response = _answer(text, response.content_type)
        except TimeoutError:
            attempt.failure = "timeout"
        except aiohttp.ClientError:
            attempt.failure = "connection_failed"

    async def verify(self) -> str:
        """Slack's check of a new address: what the app answers to the challenge."""
        payload = {"token": self._state.app.verification_token, "challenge": "3eZbrw1aB10", "type": "url_verification"}
        body = json.dumps(payload).encode()
        async with self._session.post(self.url, data=body, headers=self._signed(body, JSON_TYPE)) as response:
            text = await response.text()
            return str(json.loads(text)["challenge"]) if text.startswith("{") else text

    async def hostile(self, kind: Hostile, payload: Json) -> tuple[int, str]:
        """The status and body that the app answers with. `payload` is the event a well-meant request would carry."""
        body = _BODIES.get(kind, json.dumps(payload).encode())
        content_type = FORM_TYPE if kind is Hostile.BAD_FORM_PAYLOAD else JSON_TYPE
        drift = {Hostile.OLD_TIMESTAMP: -360, Hostile.FUTURE_TIMESTAMP: 360}.get(kind, 0)
        stamp = "yesterday" if kind is Hostile.TEXT_TIMESTAMP else str(int(time.time()) + drift)
        headers = self._signed(body, content_type, stamp)
        if kind is Hostile.BAD_SIGNATURE:
            headers["X-Slack-Signature"] = "v0=" + "0" * 64
        elif kind is Hostile.OTHER_BODY:
            headers["X-Slack-Signature"] = signature(self._state.app.signing_secret, stamp, body + b" ")
        elif kind is Hostile.NO_SIGNATURE:
            del headers["X-Slack-Signature"]
        elif kind is Hostile.NO_TIMESTAMP:
            del headers["X-Slack-Request-Timestamp"]
        async with self._session.post(self.url, data=body, headers=headers) as response:
            return response.status, await response.text()

    def _signed(self, body: bytes, content_type: str, stamp: str = "") -> dict[str, str]:
        stamp = stamp or str(int(time.time()))
        return {
            "Content-Type": content_type,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": signature(self._state.app.signing_secret, stamp, body),
        }


def _body(delivery: Delivery) -> tuple[bytes, str]:
    if delivery.kind == "events_api":
        return json.dumps(delivery.payload).encode(), JSON_TYPE
    if delivery.kind == "slash_commands":
        return urlencode(delivery.payload).encode(), FORM_TYPE
    return urlencode({"payload": json.dumps(delivery.payload)}).encode(), FORM_TYPE


def _reason(failure: str) -> str:
    return "http_timeout" if failure == "timeout" else failure


def _answer(text: str, content_type: str) -> Json | None:
    if not text.strip():
        return None
    if content_type == JSON_TYPE:
        parsed = json.loads(text)
        return parsed if isinstance(parsed, dict) else None
    return {"text": text}
