"""How much of what a model can read a prompt takes. Servers cut what is too long silently, and mostly the rules at the
top, so whoever asks counts first."""

from __future__ import annotations

import re

from crag.errors import LanguageModelError
from crag.ports import LanguageModel
from crag.types import Prompt

FRAME_TOKENS = 64
"""What a chat template adds around two messages, generously."""

_UNITS = re.compile(r"[A-Za-z]+|[^\sA-Za-z]|\n")


def estimate_tokens(text: str) -> int:
    """How many tokens a text has at most with common tokenizers, without one: a token for three letters, for each
    digit, sign and line end, and for two bytes of other scripts. About 1.5 times the truth for English prose."""
    return sum(_estimate(unit) for unit in _UNITS.findall(text))


def _estimate(unit: str) -> int:
    return -(-len(unit) // 3) if unit.isascii() else -(-len(unit.encode()) // 2)


def excess(model: LanguageModel, prompt: Prompt, max_tokens: int) -> int:
    """By how many tokens the prompt, with an answer of `max_tokens`, is too long for the model; 0 or less fits."""
    needed = estimate_tokens(prompt.system) + estimate_tokens(prompt.user) + FRAME_TOKENS + max_tokens
    return needed - model.context_window


def too_long(model: LanguageModel, what: str) -> LanguageModelError:
    return LanguageModelError(
        f"{what} don't fit into the {model.context_window} tokens that the language model “{model.model}” can read.",
        advice="Ask in fewer words, or use a model with a larger context window.",
    )
