"""Modals, home tabs and the assistant pane."""

from __future__ import annotations

import json
from typing import Any

from tests.peers.slack import limits
from tests.peers.slack.faults import Refusal
from tests.peers.slack.methods_chat import numbered
from tests.peers.slack.state import State, Status, View
from tests.peers.slack.web_api import Context, Method, need
from tests.peers.slack.workspace import Message

Json = dict[str, Any]


def views_open(context: Context, arguments: Json) -> Json:
    state = context.state
    user = state.exchange(arguments.get("trigger_id"))
    body = _body(arguments)
    view = shown(state, user, body, state.workspace.minted("V"))
    view.stack = view.id
    return {"view": as_json(state, view)}


def views_push(context: Context, arguments: Json) -> Json:
    state = context.state
    user = state.exchange(arguments.get("trigger_id"))
    body = _body(arguments)
    below = [view for view in state.views if view.open and view.user == user and view.body["type"] == "modal"]
    if not below:
        raise Refusal("not_found")
    if len([view for view in below if view.stack == below[-1].stack]) >= 3:
        raise Refusal("push_limit_reached")
    return {"view": as_json(state, shown(state, user, body, below[-1].stack))}


def views_update(context: Context, arguments: Json) -> Json:
    state = context.state
    wanted, external = arguments.get("view_id"), arguments.get("external_id")
    view = next(
        (v for v in state.views if v.open and (v.id == wanted or (external and v.body.get("external_id") == external))),
        None,
    )
    if view is None:
        raise Refusal("not_found")
    if arguments.get("hash") and arguments["hash"] != view.hash:
        raise Refusal("hash_conflict")
    change(state, view, _body(arguments))
    return {"view": as_json(state, view)}


def views_publish(context: Context, arguments: Json) -> Json:
    state = context.state
    (user,) = need(arguments, "user_id")
    body = _body(arguments)
    home = next((v for v in state.views if v.user == user and v.body["type"] == "home"), None)
    if home is None:
        home = shown(state, user, body, "home")
    else:
        change(state, home, body)
    return {"view": as_json(state, home)}


def _body(arguments: Json) -> Json:
    body = arguments.get("view")
    if isinstance(body, str):
        body = json.loads(body)
    limits.check_view(body)
    checked: Json = body or {}
    return checked


def shown(state: State, user: str, body: Json, stack: str) -> View:
    body = body | {"blocks": numbered(state, body.get("blocks", []))}
    view = View(state.workspace.minted("V"), user, body, stack, state.workspace.minted("h"), bodies=[body])
    state.views.append(view)
    state.changed()
    return view


def change(state: State, view: View, body: Json) -> None:
    view.body = body | {"blocks": numbered(state, body.get("blocks", []))}
    view.bodies.append(view.body)
    view.hash = state.workspace.minted("h")
    state.changed()


def as_json(state: State, view: View, values: Json | None = None) -> Json:
    return view.body | {
        "id": view.id,
        "team_id": state.workspace.team,
        "hash": view.hash,
        "root_view_id": view.stack,
        "previous_view_id": None,
        "app_id": state.app.id,
        "app_installed_team_id": state.workspace.team,
        "bot_id": state.workspace.bot.bot_id,
        "private_metadata": view.metadata,
        "callback_id": view.body.get("callback_id", ""),
        "external_id": view.body.get("external_id", ""),
        "state": {"values": values or {}},
    }


def set_status(context: Context, arguments: Json) -> Json:
    """Shows a status under a thread until it is cleared by an empty one, by a reply, or after two minutes."""
    state = context.state
    thread = _thread(context, arguments)
    state.clear_status(thread.channel, thread.root, "call")
    text = str(arguments.get("status") or "")
    messages = [str(message) for message in arguments.get("loading_messages") or []]
    if len(messages) > 10:
        raise Refusal("invalid_arguments")
    if text:
        state.statuses.append(Status(thread.channel, thread.root, text, messages, state.now()))
    state.changed()
    return {}


def set_title(context: Context, arguments: Json) -> Json:
    state = context.state
    thread = _thread(context, arguments)
    (title,) = need(arguments, "title")
    state.titles[thread.channel, thread.root] = title
    before = thread.as_json()
    if thread.subtype == "assistant_app_thread":
        thread.text = title
        context.events.edited(thread, before, content=False)
    state.changed()
    return {}


def set_prompts(context: Context, arguments: Json) -> Json:
    prompts = limits.parsed_list(arguments.get("prompts"), "invalid_arguments")
    if len(prompts) > 4 or not all(prompt.get("title") and prompt.get("message") for prompt in prompts):
        raise Refusal("invalid_arguments")
    context.state.prompts.append(dict(arguments) | {"prompts": prompts})
    context.state.changed()
    return {}


def _thread(context: Context, arguments: Json) -> Message:
    channel_id, ts = need(arguments, "channel_id", "thread_ts")
    channel = context.state.channel(channel_id, member=True)
    message = context.state.workspace.find(channel.id, ts)
    if message is None:
        raise Refusal("invalid_thread_ts")
    return message


METHODS = {
    "views.open": Method(views_open),
    "views.push": Method(views_push),
    "views.update": Method(views_update),
    "views.publish": Method(views_publish),
    "assistant.threads.setStatus": Method(set_status, ("assistant:write", "chat:write")),
    "assistant.threads.setTitle": Method(set_title, ("assistant:write",)),
    "assistant.threads.setSuggestedPrompts": Method(set_prompts, ("assistant:write",)),
}
