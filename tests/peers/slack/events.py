"""What happens in the workspace, told to the app: Events API payloads, and which of them the app gets."""

from __future__ import annotations

import re
from typing import Any

from tests.peers.slack.delivery import Delivery
from tests.peers.slack.state import State
from tests.peers.slack.workspace import TEAM, Channel, Message, User

Json = dict[str, Any]

_MESSAGE_EVENTS = {"channel": "message.channels", "group": "message.groups", "im": "message.im", "mpim": "message.mpim"}
_MARKUP = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^>]*)?>")


class Events:
    """Sends the app the events it has subscribed to, from conversations it is in."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._space = state.workspace

    def posted(self, message: Message, *, first: str = "message") -> list[Delivery]:
        """A new message: a `message` event, and `app_mention` where it names the app outside a direct message - one
        ts, two event_ids. `first` is which of the two is sent first; a broadcast reply is told twice as `message`."""
        event = self._message_event(message)
        pending = [event]
        if message.broadcast:
            parent = self._space.find(message.channel, message.root)
            root = parent.as_json() if parent else {}
            pending.append(event | {"subtype": "thread_broadcast", "root": root})
        if mention := self._mention(message):
            pending.insert(0 if first == "app_mention" else len(pending), mention)
        return [sent for item in pending if (sent := self.send(item, message.channel))]

    def edited(self, message: Message, before: Json, *, content: bool = True) -> list[Delivery]:
        """A changed message. `content` is false for what changes around it (an unfurl): no app_mention then."""
        changed = self._around(message, "message_changed") | {
            "message": message.as_json() | {"channel": message.channel},
            "previous_message": before,
        }
        mention = self._mention(message) if content else None
        return [sent for item in (changed, mention) if item and (sent := self.send(item, message.channel))]

    def deleted(self, message: Message, before: Json) -> list[Delivery]:
        gone = self._around(message, "message_deleted") | {"previous_message": before, "deleted_ts": message.ts}
        return [sent] if (sent := self.send(gone, message.channel)) else []

    def send(self, event: Json, channel: str = "") -> Delivery | None:
        """Delivers an event, if the app has subscribed to it and is in the channel."""
        state, name = self._state, event["type"]
        where = self._space.channels.get(channel)
        if name == "message" and where is not None:
            name = _MESSAGE_EVENTS[where.kind]
        if name not in state.app.events:
            return None
        if where is not None and not self._space.has_bot(where) and name != "member_left_channel":
            return None
        payload = {
            "token": state.app.verification_token,
            "team_id": TEAM,
            "context_team_id": TEAM,
            "context_enterprise_id": None,
            "api_app_id": state.app.id,
            "event": event,
            "type": "event_callback",
            "event_id": self._space.minted("Ev"),
            "event_time": int(state.now()),
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": TEAM,
                    "user_id": self._space.bot.id,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": bool(where and where.ext_shared),
            "event_context": "4-eyJldCI6Im1lc3NhZ2UifQ",
        }
        return state.post.send("events_api", payload)

    def _message_event(self, message: Message) -> Json:
        channel = self._space.channels[message.channel]
        event = message.as_json() | {
            "channel": message.channel,
            "event_ts": message.ts,
            "channel_type": channel.kind,
        }
        if message.in_thread and (parent := self._space.find(message.channel, message.root)):
            event["parent_user_id"] = parent.user
        return event | self._origin(message, channel)

    def _origin(self, message: Message, channel: Channel) -> Json:
        """What stands on the messages of a shared channel: whose they are."""
        author = self._space.users.get(message.user)
        if not channel.ext_shared or author is None:
            return {}
        profile = {"name": author.name, "real_name": author.name.title(), "team": author.team}
        return {"user_team": author.team, "source_team": author.team, "user_profile": profile}

    def _mention(self, message: Message) -> Json | None:
        channel = self._space.channels[message.channel]
        if channel.kind == "im" or message.user == self._space.bot.id or message.subtype == "channel_join":
            return None
        if self._space.bot.id not in _MARKUP.findall(message.text):
            return None
        event = self._message_event(message) | {"type": "app_mention"}
        event.pop("channel_type")
        event.pop("subtype", None)
        return event

    def _around(self, message: Message, subtype: str) -> Json:
        ts = self._space.ts(self._state.now())
        return {
            "type": "message",
            "subtype": subtype,
            "channel": message.channel,
            "hidden": True,
            "ts": ts,
            "event_ts": ts,
            "channel_type": self._space.channels[message.channel].kind,
        }


def typed(text: str) -> list[Json]:
    """The rich_text block that Slack's own editor makes of what a person types."""
    elements: list[Json] = []
    rest = 0
    for match in _MARKUP.finditer(text):
        if match.start() > rest:
            elements.append({"type": "text", "text": text[rest : match.start()]})
        elements.append({"type": "user", "user_id": match[1]})
        rest = match.end()
    if text[rest:]:
        elements.append({"type": "text", "text": text[rest:]})
    section = {"type": "rich_text_section", "elements": elements}
    return [{"type": "rich_text", "block_id": "typed", "elements": [section]}]


def person(user: User) -> Json:
    """A user as interactive payloads name them."""
    return {"id": user.id, "username": user.name, "name": user.name, "team_id": user.team}
