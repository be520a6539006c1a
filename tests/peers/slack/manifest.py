"""Installing the app from its manifest: what it may do, hear and offer is what stands there, no more."""

from __future__ import annotations

from typing import Any

from tests.peers.slack.state import State

Json = dict[str, Any]

_EVENT_SCOPES = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
    "assistant_thread_started": "assistant:write",
    "assistant_thread_context_changed": "assistant:write",
    "member_joined_channel": "channels:read",
    "member_left_channel": "channels:read",
    "channel_archive": "channels:read",
}


def install(state: State, manifest: Json) -> None:
    """Takes scopes, events, commands and shortcuts from a manifest (parsed YAML). AssertionError where Slack refuses
    it: an event, a command or the assistant without its scope."""
    scopes = set(manifest["oauth_config"]["scopes"]["bot"])
    settings, features = manifest.get("settings", {}), manifest.get("features", {})
    events = set(settings.get("event_subscriptions", {}).get("bot_events", []))
    commands = {command["command"] for command in features.get("slash_commands", [])}
    shortcuts = {shortcut["callback_id"] for shortcut in features.get("shortcuts", [])}
    needed = {f"event {event}": _EVENT_SCOPES[event] for event in events if event in _EVENT_SCOPES}
    if commands or shortcuts:
        needed["commands and shortcuts"] = "commands"
    if "assistant_view" in features:
        needed["assistant_view"] = "assistant:write"
    for what, scope in needed.items():
        if scope not in scopes:
            raise AssertionError(f"the manifest has {what} but not its scope {scope}")
        state.scopes_used.add(scope)
    if shortcuts and not settings.get("interactivity", {}).get("is_enabled"):
        raise AssertionError("the manifest has shortcuts but no interactivity")
    state.tokens[state.app.bot_token].scopes = scopes
    state.app.events, state.app.commands, state.app.shortcuts = events, commands, shortcuts
    state.app.interactive = bool(settings.get("interactivity", {}).get("is_enabled"))
