from collections.abc import Callable
from pathlib import Path

import pytest

from config.errors import InvalidSettings
from config.settings import Loaded, masked

Read = Callable[[], Loaded]


def written(place: Path, text: str) -> None:
    (place / "candor.toml").write_text(text)


def problems(read: Read) -> dict[str, str]:
    with pytest.raises(InvalidSettings) as caught:
        read()
    return {problem.name: problem.message for problem in caught.value.problems}


def test_channels_are_tables_by_their_name(read: Read, place: Path) -> None:
    written(
        place,
        """
        [channels.default]
        [channels."slack:T1:C1"]
        access = ["everyone", "staff"]
        follow_ups = true
        """,
    )
    loaded = read()
    assert loaded.settings.channels["default"].served
    assert loaded.settings.channels["slack:T1:C1"].access == {"everyone", "staff"}
    shown = dict(masked(loaded.settings))
    assert shown["channels", "slack:T1:C1", "follow_ups"] == "true"
    assert loaded.origins["channels", "slack:T1:C1", "access"] == str(place / "candor.toml")


def test_the_environment_serves_a_channel_and_names_a_source(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_CHANNELS__DEFAULT__SERVED", "true")
    monkeypatch.setenv("CANDOR_SOURCES__HANDBOOK__PATH", "/srv/handbook")
    monkeypatch.setenv("CANDOR_SOURCES__HANDBOOK__ACCESS", "everyone,staff")
    monkeypatch.setenv("CANDOR_SLACK__ADMINS", "U1, U2")
    settings = read().settings
    assert settings.channels["default"].served
    assert settings.sources["handbook"].path == Path("/srv/handbook")
    assert settings.sources["handbook"].access == {"everyone", "staff"}
    assert settings.slack.admins == {"U1", "U2"}


@pytest.mark.parametrize("source", ["the environment", ".env"])
def test_a_channels_id_keeps_its_capitals_in_the_environment_and_joins_its_table(
    read: Read, place: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    name = "CANDOR_CHANNELS__SLACK:T0ABC:C0DEF__"
    told = {f"{name}SERVED": "true", f"{name}CORPORA": "people", "CANDOR_CHANNELS__DISCORD:1:2__FOLLOW_UPS": "true"}
    if source == ".env":
        (place / ".env").write_text("".join(f"{key}={value}\n" for key, value in told.items()))
    else:
        for key, value in told.items():
            monkeypatch.setenv(key, value)
    written(place, '[channels."slack:T0ABC:C0DEF"]\nserved = false\nfollow_ups = true\n[channels."slack:t1:c1"]\n')
    loaded = read()
    channels = loaded.settings.channels
    assert channels.keys() == {"slack:T0ABC:C0DEF", "slack:T1:C1", "discord:1:2"}
    one = channels["slack:T0ABC:C0DEF"]
    assert (one.served, one.corpora, one.follow_ups) == (True, frozenset({"people"}), True)
    assert loaded.origins["channels", "slack:T0ABC:C0DEF", "served"].endswith(source)
    assert loaded.origins["channels", "slack:T0ABC:C0DEF", "follow_ups"] == str(place / "candor.toml")


def test_a_wrong_channel_of_the_environment_is_named(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_CHANNELS__SLACK:T1:C1__SERVED", "perhaps")
    monkeypatch.setenv("CANDOR_CHANNELS__SLACK:T1__SERVED", "true")
    found = problems(read)
    assert 'is "perhaps" (from the environment)' in found["CANDOR_CHANNELS__SLACK:T1:C1__SERVED"]
    assert "slack:TEAM:CHANNEL" in found['channels."slack:T1"']


def test_without_settings_nobody_is_an_admin_and_no_channel_is_served(read: Read) -> None:
    settings = read().settings
    assert (settings.slack.admins, settings.discord.admins, settings.channels) == (frozenset(), frozenset(), {})
    assert (settings.slack.guests, settings.slack.external, settings.discord.external) == ("refuse",) * 3


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("[channels.general]\n", "channels.general", "is not a name that can stand there: it must be default, direct"),
        ("[sources.Handbook]\npath='x'\n", "sources.Handbook", "must be of small letters"),
        ("[sources.handbook]\n", "CANDOR_SOURCES__HANDBOOK__PATH", "is not set, but must be a path."),
        (
            '[channels."slack:T1:C1"]\nserved = "perhaps"\n',
            'channels."slack:T1:C1".served',
            'is "perhaps" (from ',
        ),
        (
            '[channels."slack:T1:C1"]\nfollow_up = true\n',
            'channels."slack:T1:C1".follow_up',
            'is not a setting. Did you mean channels."slack:T1:C1".follow_ups?',
        ),
        ("[limits]\nat_once = 0\n", "limits.at_once", "must be a whole number from 1 to 256."),
        ("[journal]\nurl = 'mysql://x'\n", "journal.url", "that starts with sqlite:/// or postgresql://."),
        ("[discord]\ngateway_url = 'http://x'\n", "discord.gateway_url", "starts with ws:// or wss://."),
        ("[slack]\nguests = 'yes'\n", "slack.guests", "must be one of allow, refuse."),
    ],
)
def test_a_wrong_table_is_named(read: Read, place: Path, text: str, name: str, message: str) -> None:
    written(place, text)
    found = problems(read)
    assert list(found) == [name]
    assert message in found[name]


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"SLACK__BOT_TOKEN": "xoxb-1"}, "CANDOR_SLACK__APP_TOKEN"),
        ({"SLACK__APP_TOKEN": "xapp-1"}, "CANDOR_SLACK__BOT_TOKEN"),
        ({"SLACK__BOT_TOKEN": "xoxb-1", "SLACK__MODE": "http"}, "CANDOR_SLACK__SIGNING_SECRET"),
        ({"SLACK__BOT_TOKEN": "xapp-1", "SLACK__APP_TOKEN": "xapp-1"}, "CANDOR_SLACK__BOT_TOKEN"),
        ({"SLACK__BOT_TOKEN": "xoxb-1", "SLACK__APP_TOKEN": "xoxb-1"}, "CANDOR_SLACK__APP_TOKEN"),
        ({"SOURCES__A__PATH": "/srv/docs", "SOURCES__B__PATH": "/srv/docs/hr"}, "sources.b.path"),
        ({"SOURCES__A__PATH": "/srv/docs", "SOURCES__B__PATH": "/srv/docs"}, "sources.b.path"),
    ],
)
def test_what_does_not_fit_together_is_named(
    read: Read, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], named: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"CANDOR_{name}", value)
    found = problems(read)
    assert list(found) == [named]
    assert "xapp-1" not in str(found)


def test_tokens_and_the_journals_password_are_masked(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANDOR_SLACK__BOT_TOKEN", "xoxb-secret")
    monkeypatch.setenv("CANDOR_SLACK__APP_TOKEN", "xapp-secret")
    monkeypatch.setenv("CANDOR_DISCORD__TOKEN", "discord-secret")
    monkeypatch.setenv("CANDOR_JOURNAL__URL", "postgresql://candor:secret@db/candor")
    loaded = read()
    shown = dict(masked(loaded.settings))
    assert "secret" not in "".join(shown.values())
    assert "xoxb-secret" not in repr(loaded)
    assert "discord-secret" not in repr(loaded)
