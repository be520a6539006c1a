"""The sections of the settings for where people meet the bot: platforms, channels, sources, limits, the journal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, SecretStr

from config.sections import CHECKOUT, Folder, HttpUrl, Labels, Seconds, Section

Choice = Literal["allow", "refuse"]
ChannelKey = Annotated[str, Field(pattern=r"^(default|direct|(slack|discord):[A-Za-z0-9]+:[A-Za-z0-9]+)$")]
"""`slack:T0123:C0123`, `discord:GUILD:CHANNEL`; `default` is every other channel, `direct` every private talk."""
_OF_A_PLATFORM = re.compile(r"(slack|discord):.+", re.IGNORECASE)
SourceName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]


class Platform(Section):
    """What both platforms have."""

    external: Choice = Field(
        default="refuse", description="People of another workspace, or of no guild that is served: answered or refused."
    )
    admins: Labels = Field(
        default=frozenset(), description="Ids of users who may use the admin commands; nobody named is nobody allowed."
    )
    admin_channel: str = Field(default="", description="The id of the channel where the admins are told of trouble.")
    ask_human: str = Field(default="", description='The id of the channel where "Ask a human" posts; else no button.')
    ask_human_mention: str = Field(
        default="", description='The id of the user group or role that "Ask a human" calls there.'
    )
    reactions: bool = Field(default=True, description="Whether a thumb up or down under a reply is a vote.")


class Slack(Platform):
    """The bot in Slack; it starts where its tokens are set. docs/slack.md says where they come from."""

    bot_token: SecretStr | None = Field(default=None, description="The bot's token, `xoxb-…`.")
    mode: Literal["socket", "http"] = Field(
        default="socket", description="`socket`: Candor calls Slack, no address is needed; `http`: Slack calls Candor."
    )
    app_token: SecretStr | None = Field(default=None, description="Mode `socket`: the app's token, `xapp-…`.")
    signing_secret: SecretStr | None = Field(default=None, description="Mode `http`: what Slack signs its calls with.")
    host: str = Field(default="127.0.0.1", min_length=1, description="Mode `http`: the address to listen on.")
    port: int = Field(default=3000, ge=0, le=65535, description="Mode `http`: its port; 0 takes a free one.")
    guests: Choice = Field(default="refuse", description="Guests of the workspace: answered or refused.")
    admin_groups: Labels = Field(default=frozenset(), description="Ids of user groups whose members are admins.")
    api_url: HttpUrl | None = Field(default=None, description="Another address of Slack's API, for tests.")


class Discord(Platform):
    """The bot in Discord; it starts where its token is set. docs/discord.md says where it comes from."""

    token: SecretStr | None = Field(default=None, description="The bot's token.")
    application_id: str = Field(
        default="",
        pattern=r"^\d*$",
        json_schema_extra={"allowed": "a number"},
        description="The application's id, for the invite link.",
    )
    guilds: Labels = Field(default=frozenset(), description="Ids of the guilds that are served; none named is all.")
    admin_roles: Labels = Field(default=frozenset(), description="Ids of roles whose members are admins.")
    api_url: HttpUrl | None = Field(default=None, description="Another address of Discord's API, for tests.")
    gateway_url: str = Field(
        default="",
        pattern=r"^(wss?://\S+)?$",
        json_schema_extra={"allowed": "an address that starts with ws:// or wss://"},
        description="Another gateway, for tests.",
    )


class Channel(Section):
    """A channel, by `slack:TEAM:CHANNEL` or `discord:GUILD:CHANNEL`; `default` is every other channel: without it they
    get no reply. `direct` is every private talk: they get one, unless it says otherwise. In `candor.toml`:
    `[channels."slack:T0123:C0123"]`; in `.env`: `CANDOR_CHANNELS__SLACK:T0123:C0123__SERVED=true` (a shell can't export
    such a name)."""

    served: bool = Field(default=True, description="Whether questions are answered there.")
    corpora: Labels = Field(default=frozenset(), description="What is searched there: corpora; none named is all.")
    access: Labels = Field(
        default=frozenset({"everyone"}), description="Labels of the documents that may be shown there."
    )
    follow_ups: bool = Field(
        default=False, description="Whether the asker's next message in the thread is a question without a mention."
    )


class SourceFolder(Section):
    """A folder or file that admins reindex from chat, by its name: `[sources.handbook]`."""

    path: Folder = Field(description="Where it lies.")
    corpus: str = Field(
        default="default", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$", description="The corpus that it fills."
    )
    access: Labels = Field(
        default=frozenset({"everyone"}), description="Labels of its documents that name none themselves."
    )
    url_base: HttpUrl | None = Field(default=None, description="Put before a document's path to make its link.")


class Limits(Section):
    """How much the bot does at once, and for whom."""

    person_per_minute: int = Field(default=6, ge=1, le=10_000, description="Questions of one person a minute.")
    channel_per_minute: int = Field(default=30, ge=1, le=10_000, description="Questions in one channel a minute.")
    at_once: int = Field(default=4, ge=1, le=256, description="Questions that are answered at the same time.")
    queue: int = Field(default=32, ge=0, le=100_000, description='Questions that may wait; one more is told "busy".')
    llm_calls_per_day: int = Field(
        default=5000, ge=0, le=100_000_000, description="Calls of a language model a day (UTC); then Candor quotes."
    )
    drain_s: Seconds = Field(
        default=20, description="How long running questions may take when Candor stops; the rest waits for its start."
    )


class Journal(Section):
    """Where questions, replies, votes and jobs are kept."""

    url: str = Field(
        default=f"sqlite:///{CHECKOUT}/.candor/journal.db",
        pattern=r"^(sqlite:///|postgresql://)\S.*$",
        json_schema_extra={"allowed": "an address that starts with sqlite:/// or postgresql://"},
        description="`sqlite:///PATH`, or `postgresql://USER:PASSWORD@HOST/DATABASE`, which several bots can share.",
    )
    retention_days: int = Field(default=90, ge=1, le=36_500, description="After how many days a record is deleted.")


def with_ids(values: Mapping[str, object]) -> Mapping[str, object]:
    """What a source says, with the ids of channels as the platforms write them: in capitals. The names of environment
    variables reach us in small letters, and an id that somebody typed so would match no channel."""
    channels = values.get("channels")
    if not isinstance(channels, Mapping):
        return values
    return {**values, "channels": {_as_written(str(key)): value for key, value in channels.items()}}


def _as_written(key: str) -> str:
    platform, *ids = key.split(":")
    return ":".join((platform.lower(), *map(str.upper, ids))) if _OF_A_PLATFORM.fullmatch(key) else key
