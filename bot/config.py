"""Settings, read once from the environment."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import platformdirs

HOST, PORT = "127.0.0.1", 8080
_PORTS = range(65536)


class BadSetting(ValueError):
    """A setting that cannot be used; the message is one line that names it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`port` is None where nobody has told one: then 8080 if it is free, or another."""

    database: Path
    host: str = HOST
    port: int | None = None
    log: int = logging.WARNING


def settings(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment; raises `BadSetting`."""
    return Settings(
        database=database_path(environment.get("DATABASE_URL", "")),
        host=environment.get("TAVLA_HOST") or HOST,
        port=port(environment.get("TAVLA_PORT", "")),
        log=log_level(environment.get("TAVLA_LOG", "")),
    )


def database_path(url: str) -> Path:
    """The file of a URL like sqlite:////data/tavla.db (absolute) or sqlite:///tavla.db (in this folder)."""
    if not url:
        return Path(platformdirs.user_data_dir("tavla", appauthor=False)) / "tavla.db"
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise BadSetting(f"DATABASE_URL: {error}") from error
    if parts.scheme != "sqlite":
        raise BadSetting(f"DATABASE_URL: sqlite:///FILE is possible, not {parts.scheme or 'a name without scheme'}")
    name = unquote(parts.path.removeprefix("/"))
    if parts.netloc or not name.isprintable() or not name or name.endswith("/") or parts.query or parts.fragment:
        raise BadSetting("DATABASE_URL: write sqlite:///FILE, or sqlite:////FOLDER/FILE with the whole path")
    return Path(name)


def port(text: str) -> int | None:
    """A port number; 0 lets the system choose."""
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= len("65535") and int(text) in _PORTS):
        raise BadSetting(f"port: {text[:20]!r} is not a number from 0 to 65535")
    return int(text)


def log_level(text: str) -> int:
    """The level of a name such as "info"."""
    levels = logging.getLevelNamesMapping()
    if not text:
        return logging.WARNING
    if text.upper() not in levels:
        raise BadSetting(f"TAVLA_LOG: {text!r} is not one of {', '.join(name.lower() for name in levels)}")
    return levels[text.upper()]
