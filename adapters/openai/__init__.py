"""The room of OpenAI: language models."""

from adapters.openai.language_model import OpenAILanguageModel

__all__ = ["OpenAILanguageModel"]
