import pytest

from bot.redaction import redact

SECRETS = [
    "xoxb-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx",
    "xoxe.xoxp-1-Mi0yLTEyMzQ1Njc4OTAxMi0x",
    "xapp-1-A012345-1234567890-abcdef0123456789",
    "sk-proj-AbCdEfGhIjKlMnOp0123456789",
    "MTA4NzY1NDMyMTA5ODc2NTQzMg.GaBcDe.abcdefghijklmnopqrstuvwxyz0123456789-_",
    "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.dozjgNryP4J3jVmNHl0w5N",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_what_has_the_shape_of_a_secret_is_blacked_out(secret: str) -> None:
    for text in (secret, f"Use {secret}.", f"({secret})", f"a\n{secret}\nb", f'token="{secret}" stays'):
        told = redact(text)
        assert secret[8:24] not in told
        assert "[redacted]" in told
        assert text == secret or (told[0], told[-1]) == (text[0], text[-1])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Authorization: Bearer abcdefgh12345678=", "Authorization: Bearer [redacted]"),
        ("authorization: Bot abcdefgh.12345678.x", "authorization: Bot [redacted]"),
        ("postgresql://ann:pass@word@host/db", "postgresql://[redacted]@word@host/db"),
        ("https://hooks.slack.com/services/T0/B0/XXXXXXXXXXXXXXXX", "https://hooks.slack.com/[redacted]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", None),
    ],
)
def test_what_stands_around_a_secret_stays(text: str, told: str | None) -> None:
    assert redact(text) == (told or "-----BEGIN [redacted]-----END RSA PRIVATE KEY-----")


@pytest.mark.parametrize(
    "text",
    [
        "The bearer of good news, and the Bot configuration-settings page.",
        "task-sk-abcdefghijklmnop1234 and desk-abcdefghijklmnopqrst",
        "https://wiki.example/a/b?c=d#e, mailto:ann@example.com, https://a.example/x@y",
        "example.module.name.with.dots, 3.14159, 2027-01-15",
        "Candor_1f3a9c0e5b7d42",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


def test_a_secret_that_is_known_goes_whatever_its_shape() -> None:
    assert redact("The key is hunter2, twice hunter2.", ["", "hunter2"]) == "The key is [redacted], twice [redacted]."
