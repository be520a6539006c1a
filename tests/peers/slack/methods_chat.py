"""chat.*: posting, changing, deleting, for one person only."""

from __future__ import annotations

from typing import Any

from tests.peers.slack import limits
from tests.peers.slack.faults import Refusal
from tests.peers.slack.state import Ephemeral, State
from tests.peers.slack.web_api import Context, Method, flag, need
from tests.peers.slack.workspace import Message, Version

Json = dict[str, Any]


def content(arguments: Json, *, cut: int | None = limits.TEXT_CUT) -> tuple[str, list[Json]]:
    """Text and blocks of a message, checked. `cut` is where a longer text is cut; None refuses one instead."""
    text = str(arguments.get("text") or "")
    markdown = arguments.get("markdown_text")
    if markdown:
        if text or arguments.get("blocks"):
            raise Refusal("markdown_text_conflict")
        limits.check_markdown(markdown)
        return markdown, [{"type": "markdown", "text": markdown}]
    if cut is None and len(text) > limits.UPDATE_TEXT:
        raise Refusal("msg_too_long")
    blocks = limits.parsed_list(arguments["blocks"], "invalid_blocks_format") if arguments.get("blocks") else []
    limits.check_message(blocks)
    return text[:cut], blocks


def numbered(state: State, blocks: list[Json]) -> list[Json]:
    """Blocks as Slack keeps them: each has an id."""
    return [block if block.get("block_id") else block | {"block_id": state.workspace.minted("b")} for block in blocks]


def thread_of(state: State, channel: str, thread_ts: Any) -> str | None:
    """Where a reply lands: in the thread of a living parent (or of the reply that was named); at the root, without a
    word, if there is none."""
    if not thread_ts:
        return None
    parent = state.workspace.find(channel, str(thread_ts))
    return parent.root if parent else None


def add(context: Context, message: Message, by: str) -> None:
    state = context.state
    message.changed(state.now(), by)
    state.workspace.messages.append(message)
    state.clear_status(message.channel, message.thread_ts, "reply")
    context.events.posted(message)
    state.changed()


def bot_message(state: State, channel: str, text: str, blocks: list[Json], arguments: Json) -> Message:
    bot = state.workspace.bot
    return Message(
        channel=channel,
        ts=state.workspace.ts(state.now()),
        user=bot.id,
        text=text,
        blocks=numbered(state, blocks),
        thread_ts=thread_of(state, channel, arguments.get("thread_ts")),
        bot_id=bot.bot_id,
        app_id=state.app.id,
        metadata=arguments.get("metadata"),
        arguments=arguments,
        broadcast=flag(arguments.get("reply_broadcast")),
    )


def post_message(context: Context, arguments: Json) -> Json:
    state = context.state
    channel = state.channel(arguments.get("channel"), member="chat:write.public" not in _scopes(state))
    text, blocks = content(arguments)
    if not text and not blocks and not arguments.get("attachments"):
        raise Refusal("no_text")
    message = bot_message(state, channel.id, text, blocks, arguments)
    add(context, message, "chat.postMessage")
    return {"channel": channel.id, "ts": message.ts, "message": message.as_json()}


def _scopes(state: State) -> set[str]:
    return state.tokens[state.app.bot_token].scopes


def own(context: Context, arguments: Json, refusal: str) -> Message:
    channel_id, ts = need(arguments, "channel", "ts")
    channel = context.state.channel(channel_id)
    message = context.state.workspace.find(channel.id, ts)
    if message is None:
        raise Refusal("message_not_found")
    if message.user != context.state.workspace.bot.id:
        raise Refusal(refusal)
    return message


def update(context: Context, arguments: Json) -> Json:
    """Blocks that aren't sent stay; an empty list takes them away."""
    state = context.state
    message = own(context, arguments, "cant_update_message")
    if message.streaming and not expired(state, message):
        raise Refusal("streaming_state_conflict")
    text, blocks = content(arguments, cut=None)
    if not any(key in arguments for key in ("text", "blocks", "attachments", "markdown_text")):
        raise Refusal("no_text")
    before = message.as_json()
    if "text" in arguments or "markdown_text" in arguments:
        message.text = text
    if "blocks" in arguments or "markdown_text" in arguments:
        message.blocks = numbered(state, blocks)
    message.metadata = arguments.get("metadata", message.metadata)
    message.edited = {"user": message.user, "ts": state.workspace.ts(state.now())}
    message.changed(state.now(), "chat.update")
    context.events.edited(message, before)
    state.changed()
    return {"channel": message.channel, "ts": message.ts, "text": message.text, "message": message.as_json()}


def expired(state: State, message: Message) -> bool:
    """Ends the stream of a message whose time is over."""
    stream = state.streams.get(message.ts)
    if message.streaming and stream is not None and stream.over(state):
        message.streaming = False
    return not message.streaming


def delete(context: Context, arguments: Json) -> Json:
    message = own(context, arguments, "cant_delete_message")
    if message.streaming and not expired(context.state, message):
        raise Refusal("cant_delete_message")
    erase(context, message, "chat.delete")
    return {"channel": message.channel, "ts": message.ts}


def erase(context: Context, message: Message, by: str) -> None:
    """Takes a message away. A parent with replies leaves a tombstone, to which one can still reply."""
    state, before = context.state, message.as_json()
    replies = [m for m in state.workspace.thread(message.channel, message.ts) if m is not message]
    message.text, message.blocks = "This message was deleted.", []
    if replies:
        message.subtype, message.user, message.bot_id = "tombstone", "USLACKBOT", None
        context.events.edited(message, before, content=False)
    else:
        message.deleted = True
        context.events.deleted(message, before)
    message.changed(state.now(), by)
    state.changed()


def post_ephemeral(context: Context, arguments: Json) -> Json:
    state = context.state
    channel_id, user = need(arguments, "channel", "user")
    channel = state.channel(channel_id, member=True)
    if user not in channel.members:
        raise Refusal("user_not_in_channel")
    text, blocks = content(arguments)
    if not text and not blocks:
        raise Refusal("no_text")
    thread = thread_of(state, channel.id, arguments.get("thread_ts"))
    shown = ephemeral(state, channel.id, user, text, blocks, "chat.postEphemeral", thread)
    return {"message_ts": shown.ts}


def ephemeral(
    state: State, channel: str, user: str, text: str, blocks: list[Json], source: str, thread_ts: str | None = None
) -> Ephemeral:
    ts = state.workspace.ts(state.now())
    shown = Ephemeral(channel, user, ts, text, numbered(state, blocks), source, thread_ts)
    note_version(state, shown, source)
    state.ephemerals.append(shown)
    state.changed()
    return shown


def note_version(state: State, shown: Ephemeral, by: str) -> None:
    shown.versions.append(Version(state.now(), by, shown.text, tuple(shown.blocks)))


def permalink(context: Context, arguments: Json) -> Json:
    channel_id, ts = need(arguments, "channel", "message_ts")
    channel = context.state.channel(channel_id)
    message = context.state.workspace.find(channel.id, ts)
    if message is None:
        raise Refusal("message_not_found")
    link = f"https://candor-tests.slack.com/archives/{channel.id}/p{ts.replace('.', '')}"
    if message.in_thread:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


METHODS = {
    "chat.postMessage": Method(post_message, ("chat:write",)),
    "chat.update": Method(update, ("chat:write",)),
    "chat.delete": Method(delete, ("chat:write",)),
    "chat.postEphemeral": Method(post_ephemeral, ("chat:write",)),
    "chat.getPermalink": Method(permalink),
}
