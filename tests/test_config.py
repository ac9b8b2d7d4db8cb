"""Settings from the environment: what is possible, and one line for what is not."""

import logging
from pathlib import Path

import pytest

from bot.config import BadSetting, database_path, settings


def test_nothing_needs_to_be_set() -> None:
    found = settings({})
    assert (found.host, found.port, found.log) == ("127.0.0.1", None, logging.WARNING)
    assert found.database.name == "tavla.db"
    assert found.database.is_absolute()


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///tavla.db", "tavla.db"),
        ("sqlite:////data/tavla.db", "/data/tavla.db"),
        ("sqlite:////with%20space/t.db", "/with space/t.db"),
    ],
)
def test_database_urls(url: str, path: str) -> None:
    assert database_path(url) == Path(path)


@pytest.mark.parametrize(
    "url",
    [
        "/data/tavla.db",
        "mysql://x/y",
        "postgresql://x/y",
        "sqlite:",
        "sqlite:////",
        "sqlite://host/x",
        "http://[",
        "sqlite:///x?y=1",
    ],
)
def test_other_urls_are_refused_in_one_line(url: str) -> None:
    with pytest.raises(BadSetting) as refused:
        database_path(url)
    assert str(refused.value).startswith("DATABASE_URL: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("port", ["http", "-1", "65536", "80 80", "８０８０", "1e3"])
def test_other_ports_are_refused(port: str) -> None:
    with pytest.raises(BadSetting, match="port"):
        settings({"TAVLA_PORT": port})


def test_log_levels() -> None:
    assert settings({"TAVLA_LOG": "debug"}).log == logging.DEBUG
    with pytest.raises(BadSetting, match="TAVLA_LOG"):
        settings({"TAVLA_LOG": "loud"})


# Tokens and addresses of the platforms.


def test_a_token_is_told_or_stands_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("123:from-a-file\n")
    assert settings({"TELEGRAM_TOKEN": " 123:told "}).telegram_token == "123:told"
    assert settings({"DISCORD_TOKEN_FILE": str(file)}).discord_token == "123:from-a-file"
    assert settings({}).secrets == ()
    assert settings({"TELEGRAM_TOKEN": "123:told"}).secrets == ("123:told",)


@pytest.mark.parametrize(
    "environment",
    [
        {"TELEGRAM_TOKEN": "12 34"},
        {"TELEGRAM_TOKEN": "tökén"},
        {"TELEGRAM_TOKEN": "a", "TELEGRAM_TOKEN_FILE": "b"},
        {"DISCORD_TOKEN_FILE": "/nowhere/token"},
        {"DISCORD_TOKEN_FILE": "/dev/null"},
        {"TELEGRAM_BASE_URL": "api.example.org"},
        {"DISCORD_GATEWAY_URL": "https://gateway.example.org"},
        {"DISCORD_API_URL": "http://[half"},
    ],
)
def test_a_setting_of_a_platform_that_cannot_be_is_named_and_not_told(environment: dict[str, str]) -> None:
    with pytest.raises(BadSetting) as refused:
        settings(environment)
    assert str(refused.value).startswith(next(iter(environment)))
    assert "12 34" not in str(refused.value)


def test_addresses_lose_the_slash_at_their_end() -> None:
    assert settings({"DISCORD_API_URL": "http://proxy:80/api/v10/"}).discord_api_url == "http://proxy:80/api/v10"


def test_settings_never_show_a_token() -> None:
    told = settings({"TELEGRAM_TOKEN": "123:secret-of-ours", "DISCORD_TOKEN": "another.secret.ours"})
    assert "secret" not in repr(told)
