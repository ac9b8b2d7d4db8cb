"""Settings, read once from the environment."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

import platformdirs

HOST, PORT = "127.0.0.1", 8080
_PORTS = range(65536)


class BadSetting(ValueError):
    """A setting that cannot be used; the message is one line that names it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """`port` is None where nobody has told one: then 8080 if it is free, or another. A platform without a token is
    not served; addresses that are "" are the platform's own. Tokens are never shown."""

    database: Path
    host: str = HOST
    port: int | None = None
    log: int = logging.WARNING
    telegram_token: str = field(default="", repr=False)
    discord_token: str = field(default="", repr=False)
    telegram_base_url: str = ""
    discord_api_url: str = ""
    discord_gateway_url: str = ""
    discord_cdn_url: str = ""

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be told."""
        return tuple(token for token in (self.telegram_token, self.discord_token) if token)


def settings(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment; raises `BadSetting`."""
    return Settings(
        database=database_path(environment.get("DATABASE_URL", "")),
        host=environment.get("TAVLA_HOST") or HOST,
        port=port(environment.get("TAVLA_PORT", "")),
        log=log_level(environment.get("TAVLA_LOG", "")),
        telegram_token=secret(environment, "TELEGRAM_TOKEN"),
        discord_token=secret(environment, "DISCORD_TOKEN"),
        telegram_base_url=address(environment, "TELEGRAM_BASE_URL", "http", "https"),
        discord_api_url=address(environment, "DISCORD_API_URL", "http", "https"),
        discord_gateway_url=address(environment, "DISCORD_GATEWAY_URL", "ws", "wss"),
        discord_cdn_url=address(environment, "DISCORD_CDN_URL", "http", "https"),
    )


def secret(environment: Mapping[str, str], name: str) -> str:
    """A token that is told by itself or, as `name`_FILE, by the file it stands in; "" for none."""
    told, file = environment.get(name, "").strip(), environment.get(f"{name}_FILE", "").strip()
    if told and file:
        raise BadSetting(f"{name} and {name}_FILE: give one of them")
    if file:
        try:
            told = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as error:
            raise BadSetting(f"{name}_FILE: {getattr(error, 'strerror', None) or 'not a text file'}: {file}") from error
        if not told:
            raise BadSetting(f"{name}_FILE: nothing stands in {file}")
    if not (told.isascii() and told.isprintable() and " " not in told):
        raise BadSetting(f"{name}: a token is one word of letters, digits and signs")
    return told


def address(environment: Mapping[str, str], name: str, *schemes: str) -> str:
    """An address of a platform's server, without a slash at its end; "" for the platform's own."""
    told = environment.get(name, "").strip().rstrip("/")
    try:
        parts = urlsplit(told)
    except ValueError as error:
        raise BadSetting(f"{name}: {error}") from error
    if told and (parts.scheme not in schemes or not parts.hostname):
        raise BadSetting(f"{name}: write {schemes[0]}://HOST or {schemes[-1]}://HOST, with the path if there is one")
    return told


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
