"""The room of Ollama: language models."""

from adapters.ollama.language_model import OllamaLanguageModel

__all__ = ["OllamaLanguageModel"]
