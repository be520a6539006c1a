"""The scripted language model keeps the contract of the real ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from crag.types import Completion
from tests.contracts.language_model import LanguageModelContract, Stage
from tests.fakes.language_model import ScriptedLanguageModel, refused_key


class ScriptedStage:
    def __init__(self) -> None:
        self.model = ScriptedLanguageModel()

    def says(self, text: str, *, finished: bool = True, probabilities: Mapping[str, float] | None = None) -> None:
        self.model.script = Completion(text, finished, probabilities or {})

    def fails(self) -> None:
        self.model.script = refused_key()


class TestScriptedLanguageModel(LanguageModelContract):
    @asynccontextmanager
    async def open(self) -> AsyncIterator[Stage]:
        yield ScriptedStage()
