"""A question on its way to humans: what is posted for them, and the card it came from afterwards."""

from __future__ import annotations

from adapters.slack import ids
from adapters.slack.blocks import Json, Post, context, section
from adapters.slack.mrkdwn import cut, escape, link
from crag import wording
from crag.platform import Handover


def handover(given: Handover, opens: str, asker: str) -> Post:
    """A question for humans, with whom it calls and the link back."""
    calls = f"<!subteam^{given.mention}> " if given.mention.startswith("S") else f"<@{given.mention}> "
    head = f"{calls if given.mention else ''}<@{asker}> {wording.HAS_A_QUESTION}"
    text = cut(escape(given.text), 2_500)
    quoted = "\n".join(f"> {row}" for row in text.splitlines())
    opened = [section(link(opens, wording.OPEN_QUESTION))] if opens else []
    return Post(f"{wording.FOR_A_HUMAN}: {text}", (section(f"{head}\n{quoted}"), *opened))


def passed_on(message: Json, user: str) -> Post:
    """The card after its question went to humans: it can't be passed on twice."""
    blocks = []
    for block in message.get("blocks") or []:
        if block["type"] == "actions":
            block = {**block, "elements": [e for e in block["elements"] if e.get("action_id") != ids.HUMAN]}
            blocks.append(context(f"✅ Passed on to a human by <@{user}>"))
        blocks.append(block)
    return Post(str(message.get("text") or "…"), tuple(blocks))
