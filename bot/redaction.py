"""Secrets stay out of the log: whatever is written there passes through here."""

import logging
from collections.abc import Iterable
from urllib.parse import quote

HIDDEN = "…"
CHATTY = ("aiosqlite", "httpx", "httpcore", "telegram", "discord")
"""Loggers that tell whole requests, values or tokens below WARNING, whatever level is asked for."""
_LEAST = 8
"""Characters: what is shorter would blot out ordinary words, and is no secret."""


class Redacting(logging.Formatter):
    """Another formatter's text, tracebacks included, without the secrets."""

    def __init__(self, formatter: logging.Formatter, secrets: Iterable[str]) -> None:
        super().__init__()
        self._formatter = formatter
        self._secrets = sorted({form for secret in secrets for form in _forms(secret)}, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        text = self._formatter.format(record)
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text


def hide(secrets: Iterable[str]) -> None:
    """Keeps secrets out of what every handler of the root logger writes from now on."""
    secrets = list(secrets)
    for handler in logging.getLogger().handlers:
        handler.setFormatter(Redacting(handler.formatter or logging.Formatter(), secrets))
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)


def _forms(secret: str) -> set[str]:
    """A secret as it may be written: as it is, as part of an address, and the half that opens doors by itself."""
    half = secret.rpartition(":")[2]
    return {form for form in (secret, quote(secret, safe=""), half) if len(form) >= _LEAST}
