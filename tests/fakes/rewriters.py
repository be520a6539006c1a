"""A rewriter without a model: it says what the script says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from crag.types import Chunk, Glossary, Rewrite, Turn

Line = Rewrite | Exception | None


class ScriptedRewriter:
    """Satisfies crag.ports.Rewriter. `rewrites` are given in order, then None; `alone` is the stand-alone question,
    None for the question itself. An exception is raised; `hang` makes every call wait for ever. `asked` records."""

    def __init__(
        self,
        *rewrites: Line,
        alone: str | Exception | None = None,
        model: str = "scripted-rewriter",
        hang: bool = False,
    ) -> None:
        self.model = model
        self.rewrites = list(rewrites)
        self.alone = alone
        self.hang = hang
        self.asked: list[str] = []

    async def rewrite(self, question: str, near: Sequence[Chunk], glossary: Glossary) -> Rewrite | None:
        line = self.rewrites.pop(0) if self.rewrites else None
        await self._called(question, line)
        return line if isinstance(line, Rewrite) else None

    async def standalone(self, question: str, history: Sequence[Turn]) -> str:
        await self._called(question, self.alone)
        return self.alone if isinstance(self.alone, str) and history else question

    async def _called(self, question: str, line: object) -> None:
        self.asked.append(question)
        if self.hang:
            await asyncio.Event().wait()
        if isinstance(line, Exception):
            raise line
