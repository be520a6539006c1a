"""Language models from their settings, and the extra that some models need."""

from __future__ import annotations

import importlib.util
from contextlib import AbstractAsyncContextManager
from typing import Literal

from pydantic import SecretStr

from config.sections import Connection
from crag.errors import SettingsError
from crag.llm.timeouts import Timeouts
from crag.ports import LanguageModel

OLLAMA = "http://127.0.0.1:11434"
OPENAI = "https://api.openai.com/v1"


def language_model(
    server: Literal["ollama", "openai", "extractive"], chosen: Connection, section: str
) -> AbstractAsyncContextManager[LanguageModel]:
    """`section` is the part of the settings that an error names: "CANDOR_WRITER"."""
    timeouts = Timeouts(chosen.first_token_s, chosen.idle_s, chosen.total_s)
    key, key_setting = revealed(chosen.api_key), f"{section}__API_KEY"
    if server == "ollama":
        from adapters.ollama.language_model import OllamaLanguageModel

        return OllamaLanguageModel(
            host=chosen.base_url or OLLAMA,
            model=chosen.model,
            context_window=chosen.context_window,
            timeouts=timeouts,
            api_key=key,
            key_setting=key_setting,
        )
    from adapters.openai.language_model import OpenAILanguageModel

    return OpenAILanguageModel(
        base_url=chosen.base_url or OPENAI,
        model=chosen.model,
        context_window=chosen.context_window,
        timeouts=timeouts,
        api_key=key,
        key_setting=key_setting,
    )


def revealed(secret: SecretStr | None) -> str:
    """The secret itself, "" where there is none: only for the client that sends it."""
    return secret.get_secret_value() if secret else ""


def require_extra(setting: str) -> None:
    """Raises SettingsError where sentence-transformers isn't installed."""
    if importlib.util.find_spec("sentence_transformers") is None:
        raise SettingsError(
            f"{setting} is sentence_transformers, which isn't installed here.",
            advice="Install it: python -m pip install -r requirements/sentence-transformers.txt",
        )
