"""Stands between a platform and the engine: one deadline over everything, and never silence."""

from __future__ import annotations

import asyncio
import logging
import uuid
from typing import Protocol

from crag import wording
from crag.events import Listener
from crag.types import Abstention, Question, Reason, Reply, Trace

log = logging.getLogger(__name__)

GRACE_S = 2.0
"""How much longer than the engine's own deadline the assistant waits before it answers in its place."""


class Answering(Protocol):
    """What the assistant needs of the engine."""

    async def answer(self, question: Question, on_event: Listener | None = None) -> Reply: ...


class Assistant:
    """`deadline_s` is the engine's. A reply comes, whatever happens; only cancellation passes."""

    def __init__(self, engine: Answering, *, deadline_s: float, grace_s: float = GRACE_S) -> None:
        self._engine = engine
        self._limit_s = deadline_s + grace_s

    async def answer(self, question: Question, on_event: Listener | None = None) -> Reply:
        try:
            async with asyncio.timeout(self._limit_s):
                return await self._engine.answer(question, on_event)
        except TimeoutError:
            return _apology(question, Reason.TIMEOUT, wording.TIMEOUT)
        except Exception:
            log.exception("a question failed outside the engine")
            return _apology(question, Reason.INTERNAL, wording.INTERNAL)


def _apology(question: Question, reason: Reason, detail: str) -> Reply:
    return Reply(question, Abstention(reason, detail), Trace(id=uuid.uuid4().hex[:12]))
