"""What Discord answers when something does not work, as the troubles that the chats know."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import aiohttp
import discord

from adapters.chat.ports import Closed, Gone, Held, Trouble

log = logging.getLogger(__name__)

UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, UNKNOWN_WEBHOOK, UNKNOWN_INTERACTION = 10003, 10008, 10015, 10062
OLD_EDITS, ANSWERED, NOT_OURS, TOKEN_EXPIRED, ARCHIVED = 30046, 40060, 50005, 50027, 50083
MOST_FOLLOW_UPS = 40094

LATE = frozenset({UNKNOWN_INTERACTION, UNKNOWN_WEBHOOK, TOKEN_EXPIRED})
"""The interaction is not waiting any more: too late, or never answered."""
BROKEN = (aiohttp.ClientError, OSError, TimeoutError)
"""The connection broke: what was sent may have arrived or not."""
BANNED = 60.0
"""Seconds of silence after a refusal that says no number: Cloudflare's, which looks at whole addresses."""


@contextmanager
def translated(lacking: Callable[[], str] = str) -> Iterator[None]:
    """Around calls of Discord: raises `Trouble` alone. `lacking`: which permission is missing there, if it is known."""
    try:
        yield
    except discord.RateLimited as error:
        raise Held(error.retry_after) from error
    except discord.HTTPException as error:
        raise _trouble(error, lacking) from error
    except BROKEN as error:
        raise Trouble(type(error).__name__) from error
    except RuntimeError as error:  # aiohttp's "Session is closed": the client is being replaced
        raise Trouble(str(error)) from error


def _trouble(error: discord.HTTPException, lacking: Callable[[], str]) -> Trouble:
    if error.status in (401, 403, 429):
        log.warning("Discord refused: status %d, code %d", error.status, error.code)
    if error.code in (UNKNOWN_MESSAGE, OLD_EDITS, NOT_OURS):
        return Gone(f"code {error.code}")
    if error.code in (UNKNOWN_CHANNEL, ARCHIVED, MOST_FOLLOW_UPS) or error.code in LATE:
        return Closed(f"code {error.code}")
    if error.status == 403:
        return Closed(f"code {error.code}, missing permission: {lacking() or 'not known'}")
    if error.status == 429:
        return Held(_seconds(error))
    if error.status < 500:
        log.error("Discord does not take what is sent: status %d, code %d", error.status, error.code)
    return Trouble(f"status {error.status}, code {error.code}")


def _seconds(error: discord.HTTPException) -> float:
    told = error.response.headers.get("Retry-After", "")
    return float(told) if told.isdecimal() else BANNED
