"""People (and other bots) at work in the workspace: each method does what a person does in Slack's client, and sends
the app what Slack would send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.peers.slack.delivery import Delivery
from tests.peers.slack.events import person, typed
from tests.peers.slack.forms import choice, element_called, state_of
from tests.peers.slack.methods_chat import erase
from tests.peers.slack.methods_read import react
from tests.peers.slack.methods_surfaces import as_json, change, shown
from tests.peers.slack.response_urls import respond
from tests.peers.slack.state import Ephemeral, ResponseUrl, View
from tests.peers.slack.web_api import Context
from tests.peers.slack.workspace import Channel, Message, User

Json = dict[str, Any]


class Actor:
    """One person or bot. Messages return at once (`peer.settled()` waits for the acks); commands, shortcuts, buttons
    and submissions return when the app has acknowledged them, or hasn't in time: see Delivery."""

    def __init__(self, context: Context, user: User) -> None:
        self._context = context
        self._state = context.state
        self.user = user

    async def says(
        self,
        channel: str,
        text: str,
        *,
        thread_ts: str | None = None,
        broadcast: bool = False,
        first: str = "message",
        classic: bool = False,
        subtype: str | None = None,
    ) -> Message:
        """Posts. `broadcast` is "also send to channel"; `classic` is an old integration: bot_message, no user."""
        where = self._channel(channel)
        author = "" if classic else self.user.id
        message = Message(
            channel=where.id,
            ts=self._state.workspace.ts(self._state.now()),
            user=author,
            text=text,
            blocks=[] if classic else typed(text),
            thread_ts=thread_ts,
            bot_id=self.user.bot_id,
            app_id=self.user.app_id,
            subtype="bot_message" if classic else subtype,
            team=self.user.team,
            broadcast=broadcast,
        )
        message.changed(self._state.now(), "person")
        self._state.workspace.messages.append(message)
        self._context.events.posted(message, first=first)
        self._state.changed()
        return message

    async def mentions(self, channel: str, text: str, *, thread_ts: str | None = None, **how: Any) -> Message:
        """Says `@candor text`: the app gets `message` and `app_mention`, one ts, two event_ids. `how` as in says()."""
        return await self.says(channel, f"<@{self._state.workspace.bot.id}> {text}", thread_ts=thread_ts, **how)

    async def dm(self, text: str, *, thread_ts: str | None = None) -> Message:
        """Writes to the app in private; in the assistant pane with the pane's `thread_ts`."""
        return await self.says(self._state.workspace.dm(self.user.id).id, text, thread_ts=thread_ts)

    async def edits(self, message: Message, text: str) -> None:
        before = message.as_json()
        message.text, message.blocks = text, typed(text)
        message.edited = {"user": self.user.id, "ts": self._state.workspace.ts(self._state.now())}
        message.changed(self._state.now(), "person")
        self._context.events.edited(message, before)
        self._state.changed()

    async def deletes(self, message: Message) -> None:
        erase(self._context, message, "person")

    async def reacts(self, message: Message, name: str) -> None:
        react(self._context, self.user.id, message, name, added=True)

    async def unreacts(self, message: Message, name: str) -> None:
        react(self._context, self.user.id, message, name, added=False)

    async def joins(self, channel: str) -> None:
        """Two events: member_joined_channel, and the message that Slack writes about it."""
        where = self._state.workspace.channels[channel]
        where.members.add(self.user.id)
        event = {"user": self.user.id, "channel": channel, "channel_type": "C", "team": self.user.team}
        self._context.events.send({"type": "member_joined_channel", **event}, channel)
        await self.says(channel, f"<@{self.user.id}> has joined the channel", subtype="channel_join")

    async def leaves(self, channel: str) -> None:
        event = {"user": self.user.id, "channel": channel, "channel_type": "C", "team": self.user.team}
        self._context.events.send({"type": "member_left_channel", **event}, channel)
        self._state.workspace.channels[channel].members.discard(self.user.id)

    async def slash(self, command: str, text: str = "", *, channel: str) -> Delivery:
        """Types `/command text`. What the app sends with its ack is shown, as Slack does."""
        if self._state.app.commands is not None and command not in self._state.app.commands:
            raise AssertionError(f"the app has no command {command}: {sorted(self._state.app.commands)}")
        where = self._state.workspace.channels[channel]
        names = {"im": "directmessage", "group": "privategroup"}
        payload = {
            "token": self._state.app.verification_token,
            "team_id": self._state.workspace.team,
            "team_domain": "candor-tests",
            "channel_id": where.id,
            "channel_name": names.get(where.kind, where.name),
            "user_id": self.user.id,
            "user_name": self.user.name,
            "command": command,
            "text": text,
            "api_app_id": self._state.app.id,
            "is_enterprise_install": "false",
            "response_url": self._state.response_url(where.id, self.user.id),
            "trigger_id": self._state.trigger(self.user.id),
        }
        delivery = await self._sent("slash_commands", payload)
        if delivery.response:
            url = ResponseUrl(where.id, self.user.id, self._state.now())
            respond(self._context, url, delivery.response)
        return delivery

    async def shortcut(self, callback_id: str, message: Message) -> Delivery:
        """Uses a message shortcut ("Ask Candor about this")."""
        if self._state.app.shortcuts is not None and callback_id not in self._state.app.shortcuts:
            raise AssertionError(f"the app has no shortcut {callback_id}: {sorted(self._state.app.shortcuts)}")
        payload = self._base("message_action") | {
            "callback_id": callback_id,
            "action_ts": self._state.workspace.ts(self._state.now()),
            "response_url": self._state.response_url(message.channel, self.user.id),
            "channel": self._named(message.channel),
            "message_ts": message.ts,
            "message": message.as_json(),
        }
        return await self._sent("interactive", payload)

    async def global_shortcut(self, callback_id: str) -> Delivery:
        stamp = {"callback_id": callback_id, "action_ts": self._state.workspace.ts(self._state.now())}
        return await self._sent("interactive", self._base("shortcut") | stamp)

    async def presses(self, where: Message | Ephemeral | View, action_id: str, *, value: str | None = None) -> Delivery:
        """Presses a button, or chooses `value` in a menu or of feedback buttons. Where several elements have one
        `action_id`, `value` picks the button. AssertionError if no such element is there."""
        blocks = where.body["blocks"] if isinstance(where, View) else where.blocks
        element, block_id = element_called(blocks, action_id, value)
        action = {
            "action_id": action_id,
            "block_id": block_id,
            "type": element["type"],
            "action_ts": self._state.workspace.ts(self._state.now()),
        } | choice(element, value)
        payload = self._base("block_actions") | {"actions": [action], "state": {"values": {}}} | self._place(where)
        return await self._sent("interactive", payload)

    async def submits(self, view: View, values: Mapping[str, str | list[str]] | None = None) -> Delivery:
        """Fills a modal in (action_id -> value) and submits it; the app's response_action takes effect."""
        payload = self._base("view_submission") | {
            "view": as_json(self._state, view, state_of(view, values or {})),
            "response_urls": [],
        }
        delivery = await self._sent("interactive", payload)
        if delivery.acked:
            self._after(view, delivery.response or {})
        return delivery

    async def closes(self, view: View) -> Delivery | None:
        """Closes a modal; the app hears of it if the view has `notify_on_close`."""
        view.open = False
        if not view.body.get("notify_on_close"):
            return None
        body = self._base("view_closed") | {"view": as_json(self._state, view), "is_cleared": False}
        return await self._sent("interactive", body)

    async def opens_assistant(self, looking_at: str | None = None) -> Message:
        """Opens the assistant pane, with a channel in sight or not. What it gives is the thread's first message; write
        there with dm(text, thread_ts=it.ts)."""
        channel = self._state.workspace.dm(self.user.id)
        bot = self._state.workspace.bot
        ts = self._state.workspace.ts(self._state.now())
        root = Message(channel.id, ts, bot.id, "New Assistant Thread", bot_id=bot.bot_id, app_id=self._state.app.id)
        root.subtype, root.thread_ts = "assistant_app_thread", ts
        root.changed(self._state.now(), "assistant")
        self._state.workspace.messages.append(root)
        seen = {"channel_id": looking_at, "team_id": self._state.workspace.team, "enterprise_id": None}
        thread = {
            "user_id": self.user.id,
            "context": seen if looking_at else {},
            "channel_id": channel.id,
            "thread_ts": ts,
        }
        event = {"type": "assistant_thread_started", "assistant_thread": thread, "event_ts": ts}
        self._context.events.send(event, channel.id)
        return root

    async def opens_home(self) -> None:
        ts = self._state.workspace.ts(self._state.now())
        channel = self._state.workspace.dm(self.user.id).id
        event = {"type": "app_home_opened", "user": self.user.id, "channel": channel, "tab": "home", "event_ts": ts}
        self._context.events.send(event, channel)

    def _channel(self, name: str) -> Channel:
        where = self._state.workspace.channels[name]
        if self.user.id not in where.members and where.kind != "im":
            raise AssertionError(f"{self.user.name} isn't in #{where.name}")
        return where

    def _base(self, kind: str) -> Json:
        space = self._state.workspace
        return {
            "type": kind,
            "team": {"id": space.team, "domain": "candor-tests"},
            "user": person(self.user),
            "api_app_id": self._state.app.id,
            "token": self._state.app.verification_token,
            "trigger_id": self._state.trigger(self.user.id),
            "enterprise": None,
            "is_enterprise_install": False,
        }

    def _named(self, channel: str) -> Json:
        where = self._state.workspace.channels[channel]
        return {"id": where.id, "name": {"im": "directmessage", "group": "privategroup"}.get(where.kind, where.name)}

    def _place(self, where: Message | Ephemeral | View) -> Json:
        """Where the pressed thing is. Of an ephemeral message Slack sends no content."""
        if isinstance(where, View):
            return {"container": {"type": "view", "view_id": where.id}, "view": as_json(self._state, where)}
        container = {"type": "message", "message_ts": where.ts, "channel_id": where.channel}
        container["is_ephemeral"] = isinstance(where, Ephemeral)  # type: ignore[assignment]
        if where.thread_ts:
            container["thread_ts"] = where.thread_ts
        place: Json = {
            "container": container,
            "channel": self._named(where.channel),
            "response_url": self._state.response_url(where.channel, self.user.id, where),
        }
        return place | ({"message": where.as_json()} if isinstance(where, Message) else {})

    async def _sent(self, kind: str, payload: Json) -> Delivery:
        if kind == "interactive" and not self._state.app.interactive:
            raise AssertionError("the app's manifest doesn't enable interactivity")
        delivery = self._state.post.send(kind, payload)
        await delivery.done.wait()
        return delivery

    def _after(self, view: View, response: Json) -> None:
        match response.get("response_action"):
            case "errors":
                return
            case "update":
                change(self._state, view, response["view"])
            case "push":
                shown(self._state, self.user.id, response["view"], view.stack)
            case "clear":
                for other in self._state.views:
                    other.open = other.open and other.stack != view.stack
            case _:
                view.open = False
        self._state.changed()
