"""chat.startStream, appendStream, stopStream. Slack ends a stream by itself, about five minutes after it began or when
it is idle: both calls then say message_not_in_streaming_state, and the message can be updated again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.peers.slack import limits
from tests.peers.slack.faults import Refusal
from tests.peers.slack.methods_chat import add, bot_message, expired, numbered, own
from tests.peers.slack.state import State
from tests.peers.slack.web_api import Context, Method, need
from tests.peers.slack.workspace import Message

Json = dict[str, Any]

_CHUNKS = ("markdown_text", "task_update", "plan_update", "blocks")


@dataclass
class Stream:
    """A stream is bound to the shape of its first content: `mode` is text or chunks."""

    began: float
    touched: float
    mode: str = ""
    tasks: dict[str, Json] = field(default_factory=dict)

    def over(self, state: State) -> bool:
        timing = state.timing
        return state.now() - self.touched > timing.stream_idle_s or state.now() - self.began > timing.stream_lifetime_s


def start(context: Context, arguments: Json) -> Json:
    state = context.state
    channel_id, _ = need(arguments, "channel", "thread_ts")
    channel = state.channel(channel_id, member=True)
    if channel.kind != "im":
        for name in ("recipient_user_id", "recipient_team_id"):
            if not arguments.get(name):
                raise Refusal(f"missing_{name}")
    now = state.now()
    stream = Stream(now, now)
    pieces = _pieces(stream, arguments)
    message = bot_message(state, channel.id, "", [], arguments)
    message.streaming = True
    _write(state, message, stream, pieces)
    state.streams[message.ts] = stream
    add(context, message, "chat.startStream")
    return {"channel": channel.id, "ts": message.ts}


def append(context: Context, arguments: Json) -> Json:
    state = context.state
    message, stream = _live(context, arguments)
    if not arguments.get("markdown_text") and not arguments.get("chunks"):
        raise Refusal("no_text")
    _write(state, message, stream, _pieces(stream, arguments))
    stream.touched = state.now()
    message.changed(state.now(), "chat.appendStream")
    state.changed()
    return {"channel": message.channel, "ts": message.ts}


def stop(context: Context, arguments: Json) -> Json:
    state = context.state
    message, stream = _live(context, arguments)
    pieces = _pieces(stream, arguments)
    blocks = limits.parsed_list(arguments["blocks"], "invalid_blocks_format") if arguments.get("blocks") else []
    limits.check_message(blocks)
    before = message.as_json()
    _write(state, message, stream, pieces)
    message.blocks = message.blocks + numbered(state, blocks)
    message.metadata = arguments.get("metadata", message.metadata)
    message.streaming = False
    message.changed(state.now(), "chat.stopStream")
    context.events.edited(message, before)
    state.changed()
    return {"channel": message.channel, "ts": message.ts, "message": message.as_json()}


def _live(context: Context, arguments: Json) -> tuple[Message, Stream]:
    message = own(context, arguments, "message_not_owned_by_app")
    stream = context.state.streams.get(message.ts)
    if not isinstance(stream, Stream) or expired(context.state, message):
        context.state.changed()
        raise Refusal("message_not_in_streaming_state")
    return message, stream


def _pieces(stream: Stream, arguments: Json) -> list[Json]:
    """The new content as chunks, checked: each at most 12,000 characters (the sum isn't limited)."""
    text, sent = arguments.get("markdown_text"), arguments.get("chunks")
    if text and sent:
        raise Refusal("cannot_provide_both_markdown_text_and_chunks")
    chunks = limits.parsed_list(sent, "invalid_chunks_format") if sent else []
    if text:
        chunks = [{"type": "markdown_text", "text": str(text)}]
    if not chunks:
        return []
    mode = "text" if text else "chunks"
    if stream.mode not in ("", mode):
        raise Refusal("streaming_mode_mismatch")
    for chunk in chunks:
        if chunk.get("type") not in _CHUNKS:
            raise Refusal("invalid_chunks")
        limits.check_markdown(str(chunk.get("text") or ""))
        if len(str(chunk.get("title") or "")) > 256:
            raise Refusal("msg_too_long")
        limits.check_message(list(chunk.get("blocks") or []))
    stream.mode = mode
    return chunks


def _write(state: State, message: Message, stream: Stream, chunks: list[Json]) -> None:
    message.blocks = [dict(block) for block in message.blocks]  # the versions keep the old ones
    for chunk in chunks:
        match chunk["type"]:
            case "markdown_text":
                message.text += str(chunk["text"])
                _last_markdown(message)["text"] += str(chunk["text"])
            case "blocks":
                message.blocks = message.blocks + numbered(state, chunk["blocks"])
            case "plan_update":
                _shown(message, "plan")["title"] = chunk.get("title", "")
            case "task_update":
                task = stream.tasks.setdefault(str(chunk.get("id")), {})
                details = str(task.get("details", "")) + str(chunk.get("details", ""))
                task |= {key: value for key, value in chunk.items() if key != "type"} | {"details": details}
                _shown(message, "plan")["tasks"] = [
                    {"type": "task_card", "title": t.get("title", ""), "status": t.get("status", "")}
                    for t in stream.tasks.values()
                ]
    message.blocks = numbered(state, message.blocks)


def _last_markdown(message: Message) -> Json:
    if not message.blocks or message.blocks[-1]["type"] != "markdown":
        message.blocks.append({"type": "markdown", "text": ""})
    return message.blocks[-1]


def _shown(message: Message, kind: str) -> Json:
    found = next((block for block in message.blocks if block["type"] == kind), None)
    if found is None:
        found = {"type": kind, "title": "", "tasks": []}
        message.blocks.insert(0, found)
    return found


METHODS = {
    "chat.startStream": Method(start, ("chat:write",)),
    "chat.appendStream": Method(append, ("chat:write",)),
    "chat.stopStream": Method(stop, ("chat:write",)),
}
