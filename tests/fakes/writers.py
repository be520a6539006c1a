"""A writer without a model: it writes what it was told to, fails when it was told to, or never answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from crag.types import Evidence


class ScriptedWriter:
    """Satisfies crag.ports.Writer. Writes `pieces` one by one; with an `error`, raises it after `fail_after` of them;
    with `hang`, waits for ever after them. `asked` records (question, evidence); `closed` counts finished streams;
    `hanging` is set where it waits."""

    def __init__(
        self,
        *pieces: str,
        model: str = "scripted-writer",
        error: Exception | None = None,
        fail_after: int = 0,
        hang: bool = False,
    ) -> None:
        self.model = model
        self.pieces = pieces
        self.error = error
        self.fail_after = fail_after
        self.hang = hang
        self.asked: list[tuple[str, tuple[Evidence, ...]]] = []
        self.hanging = asyncio.Event()
        self.closed = 0

    async def write(self, question: str, evidence: Sequence[Evidence]) -> AsyncIterator[str]:
        self.asked.append((question, tuple(evidence)))
        try:
            for at, piece in enumerate(self.pieces):
                if self.error and at == self.fail_after:
                    break
                await asyncio.sleep(0)
                yield piece
            if self.error:
                raise self.error
            if self.hang:
                self.hanging.set()
                await asyncio.Event().wait()
        finally:
            self.closed += 1
