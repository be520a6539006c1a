from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import ValidationError

from config import document
from config.errors import InvalidSettings
from config.settings import Loaded, masked

Read = Callable[[], Loaded]


def test_without_any_source_the_defaults_hold(read: Read) -> None:
    loaded = read()
    assert loaded.settings.weaviate.mode == "embedded"
    assert loaded.settings.crag.max_rewrites == 1
    assert loaded.origins == {}
    assert loaded.files == ()


def test_the_environment_wins_over_dotenv_over_toml_over_the_default(
    read: Read, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "candor.toml").write_text("[crag]\nalpha = 0.1\ncandidates = 11\nmax_rewrites = 2\n")
    (place / ".env").write_text("CANDOR_CRAG__ALPHA=0.2\nCANDOR_CRAG__CANDIDATES=12\nOTHER_TOOL=x\n")
    monkeypatch.setenv("CANDOR_CRAG__ALPHA", "0.3")
    loaded = read()
    assert (loaded.settings.crag.alpha, loaded.settings.crag.candidates) == (0.3, 12)
    assert loaded.settings.crag.max_rewrites == 2
    assert loaded.settings.crag.widen is True
    assert loaded.origins["crag", "alpha"] == "the environment"
    assert loaded.origins["crag", "candidates"] == str(place / ".env")
    assert loaded.origins["crag", "max_rewrites"] == str(place / "candor.toml")


def test_the_checkouts_file_is_read_where_the_working_directory_has_none(read: Read, place: Path) -> None:
    (place.parent / "checkout" / "candor.toml").write_text('tenant = "acme"\n')
    assert read().settings.tenant == "acme"
    (place / "candor.toml").write_text('tenant = "here"\n')
    assert read().settings.tenant == "here"


def test_names_are_separated_by_commas(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_ACCESS", "everyone, staff")
    monkeypatch.setenv("CANDOR_INGEST__ACCESS", "staff")
    settings = read().settings
    assert settings.access == {"everyone", "staff"}
    assert settings.ingest.access == {"staff"}


def test_an_empty_variable_counts_as_not_set(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_CRAG__ALPHA", "")
    assert read().settings.crag.alpha == 0.5


def test_settings_do_not_change(read: Read) -> None:
    settings = read().settings
    with pytest.raises(ValidationError):
        settings.crag.alpha = 0.9


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("CANDOR_CRAG__MAX_REWRITES", "5", 'is "5" (from the environment), but must be a whole number from 0 to 2.'),
        ("CANDOR_CRAG__ENABLED", "perhaps", 'is "perhaps" (from the environment), but must be true or false.'),
        ("CANDOR_WEAVIATE__MODE", "cloud", 'is "cloud" (from the environment), but must be one of embedded, server.'),
        (
            "CANDOR_CRAG__DEADLINE_S",
            "inf",
            'is "inf" (from the environment), but must be a number above 0, up to 3600.',
        ),
        (
            "CANDOR_WEAVIATE__URL",
            "weaviate:8080",
            'is "weaviate:8080" (from the environment), but must be an address that starts with http:// or https://.',
        ),
        (
            "CANDOR_WRITER__BASE_URL",
            "http://host:99999",
            'is "http://host:99999" (from the environment), but must be an address that starts with http:// or https://.',
        ),
        ("CANDOR_TENANT", "a/b", 'is "a/b" (from the environment), but must be a name of letters, digits, _, . and -.'),
    ],
)
def test_a_wrong_value_names_its_setting_itself_and_what_is_allowed(
    read: Read, monkeypatch: pytest.MonkeyPatch, name: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(InvalidSettings) as caught:
        read()
    assert str(caught.value) == f"{name} {sentence}"


def test_all_wrong_settings_are_named_at_once(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_CRAG__ALPHA", "7")
    monkeypatch.setenv("CANDOR_GRADER__LLM__METHOD", "dice")
    with pytest.raises(InvalidSettings) as caught:
        read()
    assert {problem.name for problem in caught.value.problems} == {"CANDOR_CRAG__ALPHA", "CANDOR_GRADER__LLM__METHOD"}


def test_a_wrong_value_in_the_file_is_named_as_it_stands_there(read: Read, place: Path) -> None:
    (place / "candor.toml").write_text("[crag]\nalpha = 7\n")
    with pytest.raises(InvalidSettings, match=r"^crag\.alpha is \"7\" \(from .*candor\.toml\), but must be a number"):
        read()


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("CANDOR_CRAG__REWRITES", "CANDOR_CRAG__MAX_REWRITES"),
        ("CANDOR_ACESS", "CANDOR_ACCESS"),
        ("CANDOR_GRADER__API_KEY", "CANDOR_GRADER__LLM__API_KEY"),
        ("CANDOR_TENANT__NAME", "CANDOR_TENANT"),
    ],
)
def test_an_unknown_variable_is_an_error_that_names_the_nearest(
    read: Read, monkeypatch: pytest.MonkeyPatch, name: str, near: str
) -> None:
    monkeypatch.setenv(name, "secret-value")
    with pytest.raises(InvalidSettings) as caught:
        read()
    assert str(caught.value) == f"{name} (from the environment) is not a setting. Did you mean {near}?"


def test_an_unknown_name_in_the_files_is_an_error(read: Read, place: Path) -> None:
    (place / "candor.toml").write_text("[crag]\nalfa = 0.5\n")
    with pytest.raises(InvalidSettings, match=r"crag\.alfa .*Did you mean crag\.alpha\?"):
        read()
    (place / "candor.toml").write_text("")
    (place / ".env").write_text("CANDOR_CRAG__ALFA=0.5")
    with pytest.raises(InvalidSettings, match=r"CANDOR_CRAG__ALFA \(from .*\.env\)"):
        read()


def test_a_file_that_is_no_toml_is_named_with_the_place_of_the_mistake(read: Read, place: Path) -> None:
    (place / "candor.toml").write_text("[crag\n")
    with pytest.raises(InvalidSettings, match=r"candor\.toml is not valid TOML: .*line 1"):
        read()


def test_a_file_that_cannot_be_read_is_named(read: Read, place: Path) -> None:
    (place / "candor.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidSettings, match="can't be read"):
        read()


@pytest.mark.parametrize("value", ["5", "[]", "{"])
def test_a_section_that_is_written_as_one_value_is_an_error(
    read: Read, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("CANDOR_CRAG", value)
    with pytest.raises(InvalidSettings, match=r"CANDOR_CRAG\b|crag"):
        read()


def test_a_secret_is_masked_wherever_it_is_shown(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_WRITER__API_KEY", "sk-very-secret")
    monkeypatch.setenv("CANDOR_CRAG__WEB_URL", "https://me:pass@search.example/")
    loaded = read()
    shown = dict(masked(loaded.settings))
    assert shown["writer", "api_key"] == "********"
    assert shown["crag", "web_url"] == "https://********@search.example/"
    assert "sk-very" not in repr(loaded)


def test_a_secret_is_masked_in_an_error(read: Read, place: Path) -> None:
    (place / "candor.toml").write_text("[writer]\napi_key = 123456\n")
    with pytest.raises(InvalidSettings) as caught:
        read()
    assert "123456" not in str(caught.value)
    assert str(caught.value).startswith("writer.api_key is ********")


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"WRITER__KIND": "ollama"}, "CANDOR_WRITER__MODEL"),
        ({"GRADER__KIND": "llm"}, "CANDOR_GRADER__LLM__MODEL"),
        ({"GRADER__ADJUDICATE": "true"}, "CANDOR_GRADER__ADJUDICATE"),
        ({"GRADER__ADJUDICATE": "true", "GRADER__KIND": "llm", "GRADER__LLM__MODEL": "m"}, "CANDOR_GRADER__ADJUDICATE"),
        ({"GRADER__LLM__LOWER": "0.9"}, "CANDOR_GRADER__LLM__LOWER"),
        ({"GRADER__LLM__LOWER": "0.7"}, "CANDOR_GRADER__LLM__LOWER"),
        ({"GRADER__LLM__UPPER": "1"}, "CANDOR_GRADER__LLM__UPPER"),
        ({"GRADER__LLM__LOWER": "0"}, "CANDOR_GRADER__LLM__LOWER"),
        ({"CRAG__SECOND_RETRIEVER": "web"}, "CANDOR_CRAG__WEB_URL"),
        ({"CRAG__SECOND_RETRIEVER": "corpus"}, "CANDOR_CRAG__SECOND_CORPORA"),
        ({"INGEST__MIN_TOKENS": "200"}, "CANDOR_INGEST__MIN_TOKENS"),
    ],
)
def test_settings_that_contradict_each_other_are_named(
    read: Read, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], named: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"CANDOR_{name}", value)
    with pytest.raises(InvalidSettings) as caught:
        read()
    assert [problem.name for problem in caught.value.problems] == [named]


@pytest.mark.parametrize(
    ("variables", "own"),
    [
        ({"GRADER__LLM__MODEL": "judge"}, True),
        ({"WRITER__KIND": "ollama", "WRITER__MODEL": "writes"}, False),
    ],
)
def test_any_language_model_that_is_configured_may_adjudicate(
    read: Read, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], own: bool
) -> None:
    for name, value in (variables | {"GRADER__ADJUDICATE": "true"}).items():
        monkeypatch.setenv(f"CANDOR_{name}", value)
    settings = read().settings
    assert settings.uses_language_model
    assert settings.asks_grader_model is own


def test_the_page_of_settings_is_in_step_with_the_code() -> None:
    assert document.PAGE.read_text(encoding="utf-8") == document.page(), "run: python -m config.document"
