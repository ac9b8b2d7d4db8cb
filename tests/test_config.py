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
