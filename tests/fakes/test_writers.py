"""The scripted writer and rewriter keep the contracts, and fail as they were told to."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, nullcontext

import pytest

from crag.errors import LanguageModelError
from crag.ports import Rewriter, Writer
from crag.types import Glossary, Rewrite, Turn
from tests.contracts.rewriter import RewriterContract
from tests.contracts.writer import PASSAGES, QUESTION, WriterContract
from tests.fakes.rewriters import ScriptedRewriter
from tests.fakes.writers import ScriptedWriter


class TestScriptedWriter(WriterContract):
    def open(self) -> AbstractAsyncContextManager[Writer]:
        return nullcontext(ScriptedWriter("Up to 8 ", "days [1]."))

    async def test_it_fails_in_mid_stream(self) -> None:
        writer = ScriptedWriter("one", "two", error=LanguageModelError("gone"), fail_after=1)
        pieces = aiter(writer.write(QUESTION, PASSAGES))
        assert await anext(pieces) == "one"
        with pytest.raises(LanguageModelError, match="gone"):
            await anext(pieces)


class TestScriptedRewriter(RewriterContract):
    def open(self) -> AbstractAsyncContextManager[Rewriter]:
        return nullcontext(ScriptedRewriter(Rewrite("paid time off"), alone="How much holiday in Porto?"))

    async def test_it_raises_what_it_was_told(self) -> None:
        rewriter = ScriptedRewriter(LanguageModelError("gone"), alone=LanguageModelError("gone too"))
        with pytest.raises(LanguageModelError, match="gone"):
            await rewriter.rewrite(QUESTION, [], Glossary())
        with pytest.raises(LanguageModelError, match="too"):
            await rewriter.standalone(QUESTION, [Turn("Hello")])
