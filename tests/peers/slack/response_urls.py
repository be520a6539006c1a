"""The addresses that come with commands and buttons: five uses in thirty minutes, no token, no membership needed."""

from __future__ import annotations

import json
import time
from typing import Any

from aiohttp import web

from tests.peers.slack.faults import Refusal
from tests.peers.slack.methods_chat import add, bot_message, content, ephemeral, erase, note_version, numbered
from tests.peers.slack.state import ApiCall, Ephemeral, ResponseUrl, State
from tests.peers.slack.web_api import Context
from tests.peers.slack.workspace import Message

Json = dict[str, Any]


async def serve(context: Context, request: web.Request) -> web.Response:
    state = context.state
    try:
        body = json.loads(await request.text())
    except ValueError:
        return web.Response(status=400, text="invalid_payload")
    status, error = _used(context, request.match_info["key"], body)
    call = ApiCall("response_url", body, time.monotonic(), request.method, "json", "", error, {})
    state.calls.append(call)
    state.changed()
    if error is None:
        return web.Response(text="ok")
    if status == 404:
        return web.json_response({"ok": False, "error": error}, status=404)
    return web.Response(status=status, text=error)


def _used(context: Context, key: str, body: Json) -> tuple[int, str | None]:
    state = context.state
    fault = next((f for f in state.faults if f.strikes("response_url", body)), None)
    if fault is not None:
        return fault.status if fault.status != 200 else 500, fault.error or "internal_error"
    url = state.response_urls.get(key)
    if url is None:
        return 404, "no_service"
    if state.now() - url.made_at > state.timing.response_url_life_s:
        return 404, "expired_url"
    if url.uses >= state.timing.response_url_uses:
        return 404, "used_url"
    url.uses += 1
    try:
        respond(context, url, body)
    except Refusal as refusal:
        return 400, refusal.code
    return 200, None


def respond(context: Context, url: ResponseUrl, body: Json) -> None:
    """Deletes or replaces the message behind the address, or says something new: to the person alone unless
    `response_type` is in_channel."""
    state, source = context.state, url.source
    if body.get("delete_original") and source is not None:
        if isinstance(source, Message):
            erase(context, source, "response_url")
        else:
            source.deleted = True
            state.changed()
        return
    text, blocks = content(body)
    if not text and not blocks and not body.get("attachments"):
        raise Refusal("no_text")
    if body.get("replace_original") and source is not None:
        _replace(context, source, text, blocks)
    elif body.get("response_type") == "in_channel":
        add(context, bot_message(state, url.channel, text, blocks, body), "response_url")
    else:
        ephemeral(state, url.channel, url.user, text, blocks, "response_url", body.get("thread_ts"))


def _replace(context: Context, source: Message | Ephemeral, text: str, blocks: list[Json]) -> None:
    state: State = context.state
    before = source.as_json() if isinstance(source, Message) else {}
    source.text, source.blocks = text, numbered(state, blocks)
    if isinstance(source, Message):
        source.edited = {"user": source.user, "ts": state.workspace.ts(state.now())}
        source.changed(state.now(), "response_url")
        context.events.edited(source, before)
    else:
        note_version(state, source, "response_url")
    state.changed()
