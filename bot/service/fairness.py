"""Where the dice come from: fixed by a seed before the first roll, provable when the seed is revealed.

Scheme 1: roll i = HMAC-SHA256(seed, match | SHA-256(nonce 1) | SHA-256(nonce 2) | i | counter), where `match` is
the ten ASCII characters of its id and i and counter are four bytes each, big-endian. The first byte v of
the digest under 252 gives d1 = 1 + (v mod 36) // 6 and d2 = 1 + (v mod 36) mod 6; a digest without one
raises the counter, which starts at 0. A nonce that was not given counts as the empty string.
"""

import hashlib
import hmac
import secrets

from bot.engine.dice import Dice, Roll

ID_LENGTH = 10
_ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_NO_NONCE = hashlib.sha256(b"").hexdigest()
_FAIR = 252
"""The largest multiple of 36 that a byte can hold: bytes from here on would favour small numbers."""


def new_seed() -> bytes:
    """32 random bytes from the operating system."""
    return secrets.token_bytes(32)


def new_id() -> str:
    """An id of a match or challenge that cannot be guessed: ten letters and digits, 50 bits."""
    return "".join(secrets.choice(_ID_LETTERS) for _ in range(ID_LENGTH))


def commitment(seed: bytes) -> str:
    """What is shown of a seed before it is used: its SHA-256, hex."""
    return hashlib.sha256(seed).hexdigest()


def dice_of(seed: bytes, match: str, nonces: tuple[str, str] = ("", "")) -> Dice:
    """The rolls of a match by their index. `nonces`: SHA-256 (hex) of each player's, "" for none."""
    name = match.encode("ascii")
    if len(name) != ID_LENGTH:
        raise ValueError(f"a match id has {ID_LENGTH} characters, not {len(name)}")
    prefix = name + b"".join(bytes.fromhex(nonce or _NO_NONCE) for nonce in nonces)
    return lambda index: _roll(seed, prefix + index.to_bytes(4, "big"))


def _roll(seed: bytes, message: bytes) -> Roll:
    counter = 0
    while True:
        digest = hmac.digest(seed, message + counter.to_bytes(4, "big"), "sha256")
        fair = next((value for value in digest if value < _FAIR), None)
        if fair is not None:
            return Roll(1 + fair % 36 // 6, 1 + fair % 36 % 6)
        counter += 1
