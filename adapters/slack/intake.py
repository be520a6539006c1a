"""All that Slack sends, through slack-bolt: acknowledged at once, then handed to a task of its own. Nothing is left
unacknowledged, known or not, or Slack would send it again."""

from __future__ import annotations

import logging
import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack import ids
from adapters.slack.admin import Admin
from adapters.slack.asking import Asking, Self
from adapters.slack.blocks import Json
from adapters.slack.calls import Calls
from adapters.slack.correcting import faults
from adapters.slack.pressing import Pressing
from adapters.slack.refusals import FAILURES
from adapters.slack.tasks import Tasks
from crag import wording
from crag.platform import Desk

log = logging.getLogger(__name__)

ANY = re.compile(".*")
PROMPTS = (
    ("What can you do?", "What can you do?"),
    ("How do I get started?", "How do I get started?"),
    ("What are our most important rules?", "What are our most important rules?"),
)
"""Suggested in the assistant pane: (title, what is asked)."""

Ack = Callable[..., Awaitable[Any]]


class Intake:
    """Routes Slack's payloads. `ended` is called with a sentence when Slack takes the bot away."""

    def __init__(
        self,
        desk: Desk,
        calls: Calls,
        me: Self,
        tasks: Tasks,
        *,
        asking: Asking,
        pressing: Pressing,
        admin: Admin,
        reactions: bool,
        ended: Callable[[str], None],
    ) -> None:
        self._desk = desk
        self._calls = calls
        self._me = me
        self._tasks = tasks
        self._asking = asking
        self._pressing = pressing
        self._admin = admin
        self._reactions = reactions
        self._ended = ended

    def app(self, *, signing_secret: str) -> AsyncApp:
        """The Bolt app. It authorises without a call to Slack, so that no acknowledgement waits for one."""
        me = self._me
        granted = AuthorizeResult(
            enterprise_id=None, team_id=me.team, bot_id=me.bot_id, bot_user_id=me.user, bot_token=self._calls.sure.token
        )

        async def authorize(**_: Any) -> AuthorizeResult:
            return granted

        app = AsyncApp(
            name="candor",
            logger=log,
            client=AsyncWebClient(base_url=self._calls.sure.base_url),
            authorize=authorize,
            signing_secret=signing_secret or "unused in Socket Mode",
            attaching_conversation_kwargs_enabled=False,
        )
        app.event(ANY)(self._event)
        app.command(ANY)(self._command)
        app.shortcut(ANY)(self._shortcut)
        app.action(ANY)(self._pressed)
        app.view(ANY)(self._submitted)
        app.view_closed(ANY)(self._acknowledged)
        app.options(ANY)(self._acknowledged)
        return app

    async def _event(self, body: Json) -> None:
        event: Json = body["event"]
        match event["type"]:
            case "message" | "app_mention":
                self._start(self._asking.event(body))
            case "assistant_thread_started":
                self._start(self._greet(event["assistant_thread"]))
            case "reaction_added" if self._reactions:
                self._start(self._pressing.reacted(event))
            case "tokens_revoked" if (event.get("tokens") or {}).get("bot"):
                self._ended("Slack revoked the bot's token. Install the app again and set CANDOR_SLACK__BOT_TOKEN.")
            case "app_uninstalled":
                self._ended("The app was uninstalled from the Slack workspace. Install it again.")

    async def _command(self, ack: Ack, body: Json) -> None:
        name, text = str(body["command"]), str(body.get("text") or "").strip()
        if name == ids.ADMIN:
            await ack()
            self._start(self._admin.command(body))
            return
        if name not in (ids.ASK, ids.GRADE):
            await ack(f"I don't know {name}.")
        elif not self._desk.serves(ids.place(self._me.team, str(body["channel_id"]), "")):
            await ack(wording.NOT_HERE)
        elif not text:
            await ack(f"{wording.WHAT_QUESTION} Type `{name} QUESTION`.")
        else:
            await ack()
            self._start(self._asking.command(body) if name == ids.ASK else self._pressing.grade(body))

    async def _shortcut(self, ack: Ack, body: Json) -> None:
        await ack()
        if body.get("callback_id") != ids.SHORTCUT or body.get("type") != "message_action":
            return
        if self._desk.serves(ids.place(self._me.team, str(body["channel"]["id"]), "")):
            self._start(self._asking.shortcut(body))
        else:
            self._start(self._asking.refuse(body, wording.NOT_HERE))

    async def _pressed(self, ack: Ack, body: Json) -> None:
        await ack()
        self._start(self._pressing.pressed(body))

    async def _submitted(self, ack: Ack, body: Json) -> None:
        if missing := faults(body["view"]):
            await ack(response_action="errors", errors=missing)
            return
        await ack()
        self._start(self._pressing.submitted(body))

    async def _acknowledged(self, ack: Ack) -> None:
        await ack()

    async def _greet(self, thread: Json) -> None:
        prompts = [{"title": title, "message": message} for title, message in PROMPTS]
        try:
            await self._calls.loose.assistant_threads_setSuggestedPrompts(
                channel_id=thread["channel_id"], thread_ts=thread["thread_ts"], prompts=prompts
            )
        except FAILURES as error:
            log.warning("no prompts in the assistant pane: %s", error)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.start(work)
