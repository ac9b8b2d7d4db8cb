"""What a browser holds: who plays, in which language, and the secrets of its seats. Only hashes of them are kept.

A new seat takes the first secret of the browser's key ring, and the answer puts a fresh one before it. So an answer
that is lost on its way costs nobody a seat: the browser holds the secret already, and pressing twice sits down once.
"""

import hashlib
import hmac
import re
import secrets

from aiohttp import web

from bot.service.table import Seat
from render.words import Words, languages, preferred, words

PLAYER, KEYRING, LANGUAGE = "player", "keyring", "language"
KEYS = 12
"""The secrets on a key ring: as many seats can be waiting to be sat down at."""
YEAR = 365 * 24 * 3600
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


def hashed(secret: str) -> str:
    """What is kept of a secret: its SHA-256, hex."""
    return hashlib.sha256(secret.encode()).hexdigest()


def words_of(request: web.Request) -> Words:
    """The words of the language chosen here, else of the one that the browser prefers."""
    chosen = request.cookies.get(LANGUAGE, "")
    return words(chosen if chosen in languages() else preferred(request.headers.get("Accept-Language", "")[:200]))


def account(request: web.Request) -> str | None:
    """The hash under which the player of this browser is known, None for a browser that has no cookies yet."""
    secret = request.cookies.get(PLAYER, "")
    return hashed(secret) if _SECRET.fullmatch(secret) else None


def next_key(request: web.Request) -> str | None:
    """The secret that the next seat of this browser takes."""
    return next(iter(_keyring(request)), None)


def key_of(request: web.Request, number: int, seat: Seat) -> str | None:
    """The secret with which this browser holds a seat, None if it does not."""
    held = [request.cookies.get(_seat_cookie(number), ""), *_keyring(request)]
    secrets_held = (key for key in held if _SECRET.fullmatch(key))
    return next((key for key in secrets_held if hmac.compare_digest(hashed(key), seat.secret)), None)


def admit(request: web.Request, response: web.Response) -> None:
    """Gives a browser that is new here what it needs to sit down."""
    if account(request) is None:
        _give(request, response, PLAYER, secrets.token_urlsafe(32))
    if not _keyring(request):
        _give(request, response, KEYRING, secrets.token_urlsafe(32))


def turn_keyring(request: web.Request, response: web.Response) -> None:
    """The first secret has been used: a fresh one comes before it."""
    keys = [secrets.token_urlsafe(32), *_keyring(request)]
    _give(request, response, KEYRING, ".".join(keys[:KEYS]))


def give_seat(request: web.Request, response: web.StreamResponse, path: str, number: int, key: str) -> None:
    """The secret of a seat for everything below `path`."""
    _give(request, response, _seat_cookie(number), key, path)


def choose_language(request: web.Request, response: web.Response, language: str) -> None:
    """Keeps a language, if it is one that is shipped."""
    if language in languages():
        _give(request, response, LANGUAGE, language)


def _seat_cookie(number: int) -> str:
    return f"seat{number}"


def _keyring(request: web.Request) -> list[str]:
    keys = request.cookies.get(KEYRING, "").split(".")
    return [key for key in keys[:KEYS] if _SECRET.fullmatch(key)]


def _give(request: web.Request, response: web.StreamResponse, name: str, value: str, path: str = "/") -> None:
    response.set_cookie(name, value, path=path, max_age=YEAR, httponly=True, samesite="Strict", secure=request.secure)
