"""Questions that a language model proposes of one passage; where it can't be used, the patterns propose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crag.errors import LanguageModelError
from crag.llm import prompts
from crag.llm.suggestion import read
from crag.ports import Grader, LanguageModel
from crag.suggesting.patterns import Patterns
from crag.suggesting.proposals import Proposal
from crag.types import Chunk

MAX_TOKENS = 300
MAX_CHARACTERS = 1500
"""Of a passage, what the model reads."""
FAILURES = 2
"""So many in a row - it can't be reached, it takes too long - and the model isn't asked again; nor after the first
one where it never answered."""
USELESS = 8
"""So many answers in a row that can't be used, and it isn't either."""
ANSWERED = 0.12
"""Below this bare probability the grader is sure enough that the passage doesn't answer. It is low, since a question
that the grader finds hard belongs into the file: without those, its figures look better than life. The shipped grader
gives 14 % of the answering development pairs less, and 78 % of the others."""
WITHOUT = "Going on without it: what follows is made by rules."


class LLMSuggester:
    """Asks about one passage at a time. What it says is only proposed to a person; the grader looks whether the passage
    answers it, and it is checked against the index as the patterns' proposals are. Once the model is given up, `tell`
    gets a sentence."""

    ahead = 0
    """Each passage takes the model seconds: none is read before it is needed."""

    def __init__(self, model: LanguageModel, grader: Grader, patterns: Patterns, tell: Callable[[str], None]) -> None:
        self._model = model
        self._grader = grader
        self._patterns = patterns
        self._tell = tell
        self._failures = FAILURES - 1
        self._useless = 0

    async def propose(self, chunk: Chunk) -> Sequence[Proposal]:
        """An answerable question and its near miss; what the model has not, of the patterns. Raises ModelError."""
        found = await self._written(chunk)
        if len(found) == 2:
            return found
        made = await self._patterns.propose(chunk)
        if not found:
            return made
        return [*found, *(self._patterns.missed(found[0]) or [near for near in made if not near.answerable])]

    async def _written(self, chunk: Chunk) -> Sequence[Proposal]:
        if self._failures == FAILURES or self._useless == USELESS:
            return []
        try:
            prompt = prompts.suggest(chunk, MAX_CHARACTERS)
            said = await self._model.complete(prompt, max_tokens=MAX_TOKENS, schema=prompts.SUGGEST_SCHEMA)
        except LanguageModelError as error:
            self._failures += 1
            if self._failures == FAILURES:
                self._tell(f"{error.message} {WITHOUT}")
            return []
        found = read(said.text, chunk)
        if found and not await self._is_answered(found[0]):
            found = []
        self._failures, self._useless = 0, 0 if found else self._useless + 1
        if self._useless == USELESS:
            self._tell(f"{USELESS} answers in a row of the language model didn't fit their passages. {WITHOUT}")
        return found

    async def _is_answered(self, proposal: Proposal) -> bool:
        (judged,) = await self._grader.grade(proposal.question, [proposal.chunk.passage])
        return judged.score is not None and judged.score >= ANSWERED
