"""What the app asks of a workspace, and why. `slack/manifest.yaml` says the same; a test holds them together."""

from __future__ import annotations

SCOPES = frozenset(
    {
        "app_mentions:read",  # to be asked by a mention
        "assistant:write",  # the assistant pane: prompts, status, title
        "channels:history",  # follow-ups, and the thread that a question stands in
        "channels:read",  # whether people of other workspaces read along
        "chat:write",  # to answer
        "commands",  # /ask, /grade, /candor and the message shortcut
        "groups:history",  # the same in private channels
        "groups:read",
        "im:history",  # to be asked in private
        "usergroups:read",  # who belongs to a group of admins
        "users:read",  # who is a guest
    }
)
REACTIONS = frozenset({"reactions:read"})
"""Only where a thumb under a reply counts as a vote."""
