"""Every setting of Candor, read once at start. Only this package reads the environment.

A setting's first source wins: the environment (`CANDOR_CRAG__ALPHA`), `.env`, `candor.toml`, the default. Both files
are looked for in the working directory, else in the checkout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from config.chat import Channel, ChannelKey, Discord, Journal, Limits, Slack, SourceFolder, SourceName, with_ids
from config.errors import MASK, InvalidSettings, Problem, explain, hidden
from config.names import Path as Place
from config.names import dig, general, leaves, present
from config.sections import (
    CHECKOUT,
    Crag,
    Embedder,
    Folder,
    Grader,
    Ingest,
    Labels,
    Name,
    Serve,
    Weaviate,
    Writer,
)
from config.sources import PREFIX, merged_values, read_layers

SECRET_LENGTH = 8


class Settings(BaseSettings):
    """All sections. Frozen: what was read at start holds until the end. Made by `load`, which knows the sources."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        frozen=True,
        extra="ignore",
        hide_input_in_errors=True,
    )

    tenant: Name = Field(default="local", description="Whose documents these are; tenants never see each other's.")
    tenants: Literal["one", "each"] = Field(
        default="one",
        description="In chat: all share the tenant above, or `each` workspace and guild has its own: `slack-TEAM`.",
    )
    corpus: Name = Field(default="default", description="The name under which `candor index` files what it reads.")
    access: Labels = Field(
        default=frozenset({"everyone"}), description="What the person at the terminal may see: labels, with commas."
    )
    cache_directory: Folder | None = Field(
        default=None, description="For downloads and builds; by default the user's cache."
    )
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(
        default="WARNING", description="How much is logged, on standard error."
    )
    weaviate: Weaviate = Field(default_factory=Weaviate)
    embedder: Embedder = Field(default_factory=Embedder)
    grader: Grader = Field(default_factory=Grader)
    crag: Crag = Field(default_factory=Crag)
    writer: Writer = Field(default_factory=Writer)
    ingest: Ingest = Field(default_factory=Ingest)
    serve: Serve = Field(default_factory=Serve)
    slack: Slack = Field(default_factory=Slack)
    discord: Discord = Field(default_factory=Discord)
    channels: dict[ChannelKey, Channel] = Field(default_factory=dict)
    sources: dict[SourceName, SourceFolder] = Field(default_factory=dict)
    limits: Limits = Field(default_factory=Limits)
    journal: Journal = Field(default_factory=Journal)

    @property
    def uses_language_model(self) -> bool:
        """Whether anything is asked of a language model."""
        return self.writer.kind != "extractive" or self.asks_grader_model

    @property
    def asks_grader_model(self) -> bool:
        """Whether a language model of the grader's own is asked; where it has none, the writer's adjudicates."""
        return self.grader.kind == "llm" or (self.grader.adjudicate and bool(self.grader.llm.model))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """`load` has read the sources already and hands over what they say."""
        return (init_settings,)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings, and for each that isn't a default where it came from ("crag", "alpha") -> "candor.toml"."""

    settings: Settings
    origins: Mapping[Place, str]
    files: tuple[Path, ...]


def load(directory: Path | None = None) -> Loaded:
    """Read all sources. Raises InvalidSettings, which names every wrong setting."""
    places = [directory or Path.cwd(), CHECKOUT]
    dotenv = next((place / ".env" for place in places if (place / ".env").is_file()), None)
    toml = next((place / "candor.toml" for place in places if (place / "candor.toml").is_file()), None)
    known = dict(leaves(Settings))
    layers, problems = read_layers(Settings, dotenv, toml, known)
    if problems:
        raise InvalidSettings(problems)
    layers = [replace(layer, values=with_ids(layer.values)) for layer in layers]
    values = merged_values(layers)
    try:
        settings = Settings(**values)
    except ValidationError as error:
        raise InvalidSettings(explain(error.errors(), layers, known)) from None
    if problems := list(_contradictions(settings)):
        raise InvalidSettings(problems)
    origins = {
        path: layer.origin
        for layer in reversed(layers)
        for path in present(known, layer.values)
        if dig(layer.values, path) is not None
    }
    return Loaded(settings, origins, tuple(file for file in (dotenv, toml) if file))


def _contradictions(settings: Settings) -> Iterator[Problem]:
    """What each setting allows by itself, but not together with another."""
    crag, writer, llm = settings.crag, settings.writer, settings.grader.llm
    if writer.kind != "extractive" and not writer.model:
        yield Problem("CANDOR_WRITER__MODEL", f"is not set, but the writer {writer.kind} needs a model's name.")
    if settings.grader.kind == "llm" and not llm.model:
        yield Problem("CANDOR_GRADER__LLM__MODEL", "is not set, but the grader llm needs a model's name.")
    if settings.grader.adjudicate and settings.grader.kind == "llm":
        yield Problem(
            "CANDOR_GRADER__ADJUDICATE", "is true, but the grader llm asks the language model about every passage."
        )
    if settings.grader.adjudicate and not settings.uses_language_model:
        yield Problem(
            "CANDOR_GRADER__ADJUDICATE",
            "is true, but there is no language model to ask. Set CANDOR_GRADER__LLM__MODEL, or a writer's.",
        )
    if llm.lower >= llm.upper:
        yield Problem("CANDOR_GRADER__LLM__LOWER", f"is {llm.lower:g}, but must be below the upper, {llm.upper:g}.")
    if crag.second_retriever == "web" and not crag.web_url:
        yield Problem("CANDOR_CRAG__WEB_URL", "is not set, but the second retriever web needs a SearXNG's address.")
    if crag.second_retriever == "corpus" and not crag.second_corpora:
        yield Problem("CANDOR_CRAG__SECOND_CORPORA", "is empty, but the second retriever corpus needs a name.")
    yield from _chat_contradictions(settings)
    if settings.ingest.min_tokens >= settings.ingest.max_tokens:
        yield Problem(
            "CANDOR_INGEST__MIN_TOKENS", f"must be below CANDOR_INGEST__MAX_TOKENS, {settings.ingest.max_tokens}."
        )


def _chat_contradictions(settings: Settings) -> Iterator[Problem]:
    slack = settings.slack
    for name, token, start in (("BOT_TOKEN", slack.bot_token, "xoxb-"), ("APP_TOKEN", slack.app_token, "xapp-")):
        if token and start not in token.get_secret_value():
            yield Problem(f"CANDOR_SLACK__{name}", f"is {MASK}, but such a token starts with {start}.")
    needed = ("APP_TOKEN", slack.app_token) if slack.mode == "socket" else ("SIGNING_SECRET", slack.signing_secret)
    if slack.bot_token and not needed[1]:
        yield Problem(f"CANDOR_SLACK__{needed[0]}", f"is not set, but Slack's mode {slack.mode} needs it.")
    elif needed[1] and not slack.bot_token:
        yield Problem("CANDOR_SLACK__BOT_TOKEN", f"is not set, but CANDOR_SLACK__{needed[0]} is; both are needed.")
    roots = {name: source.path.absolute() for name, source in settings.sources.items()}
    for name, root in roots.items():
        for other, inside in roots.items():
            if name != other and inside.is_relative_to(root) and (inside != root or name < other):
                yield Problem(f"sources.{other}.path", f"lies in that of the source {name}, which has it already.")


def masked(settings: Settings) -> Iterator[tuple[Place, str]]:
    """Every setting's value as text, secrets hidden."""
    values = settings.model_dump(mode="json")
    known = dict(leaves(Settings))
    for path in present(known, values):
        value = dig(values, path)
        yield path, MASK if known[general(path, known)].secret and value else text_of(value)


def secrets(settings: Settings) -> frozenset[str]:
    """Every secret that is set, so that the log can black it out; too short ones would black out words."""
    found = set()
    for path, leaf in leaves(Settings):
        if leaf.secret:
            value: object = settings
            for part in path:
                value = getattr(value, part)
            if isinstance(value, SecretStr) and len(value.get_secret_value()) >= SECRET_LENGTH:
                found.add(value.get_secret_value())
    return frozenset(found)


def text_of(value: object) -> str:
    """A value as it is written in the environment; a password inside an address is hidden."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case list() | frozenset():
            return ",".join(sorted(map(str, value)))
        case float():
            return f"{value:g}"
        case _:
            return hidden(str(value))
