"""The dice: fixed by the seed, the same for whoever recomputes them, and fair."""

import hashlib
import hmac
from collections import Counter

import pytest

from bot.engine.dice import Roll
from bot.service.fairness import ID_LENGTH, commitment, dice_of, new_id, new_seed

SEED = bytes(range(32))
MATCH = "abcdefghjk"


def by_the_book(seed: bytes, match: str, nonces: tuple[bytes, bytes], index: int) -> Roll:
    """The written scheme, spelled out once more."""
    counter = 0
    while True:
        message = match.encode() + b"".join(hashlib.sha256(nonce).digest() for nonce in nonces)
        message += index.to_bytes(4, "big") + counter.to_bytes(4, "big")
        for value in hmac.new(seed, message, hashlib.sha256).digest():
            if value < 252:
                return Roll(1 + (value % 36) // 6, 1 + (value % 36) % 6)
        counter += 1


def test_rolls_follow_the_written_scheme() -> None:
    hashes = (hashlib.sha256(b"Ayse").hexdigest(), "")
    dice = dice_of(SEED, MATCH, hashes)
    assert [dice(index) for index in range(500)] == [
        by_the_book(SEED, MATCH, (b"Ayse", b""), index) for index in range(500)
    ]


def test_these_rolls_never_change() -> None:
    """Frozen: a match that was begun under this scheme must be provable for ever."""
    dice = dice_of(SEED, MATCH)
    assert [tuple(dice(index)) for index in range(8)] == [
        (5, 2),
        (4, 2),
        (2, 6),
        (3, 4),
        (2, 2),
        (3, 6),
        (3, 5),
        (3, 5),
    ]


def test_everything_that_goes_in_changes_the_rolls() -> None:
    def some(seed: bytes = SEED, match: str = MATCH, nonces: tuple[str, str] = ("", "")) -> list[Roll]:
        return [dice_of(seed, match, nonces)(index) for index in range(20)]

    other = hashlib.sha256(b"x").hexdigest()
    ways = [some(), some(seed=bytes(32)), some(match="abcdefghjm"), some(nonces=(other, "")), some(nonces=("", other))]
    assert len({tuple(way) for way in ways}) == len(ways)


def test_all_36_throws_come_up_alike() -> None:
    dice = dice_of(SEED, MATCH)
    count = Counter(dice(index) for index in range(36_000))
    assert len(count) == 36
    chi_square = sum((seen - 1000) ** 2 / 1000 for seen in count.values())
    assert chi_square < 80  # 35 degrees of freedom: above 74.9 once in ten thousand, and the seed is fixed


def test_the_commitment_is_the_hash_of_the_seed() -> None:
    assert commitment(SEED) == hashlib.sha256(SEED).hexdigest()
    assert len({new_seed() for _ in range(100)}) == 100


def test_ids_have_their_length_and_no_letters_that_look_alike() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(len(id) == ID_LENGTH and not set(id) & set("lo01") for id in ids)


@pytest.mark.parametrize("match", ["", "short", "abcdefghjkm"])
def test_an_id_of_another_length_is_a_fault(match: str) -> None:
    with pytest.raises(ValueError, match="characters"):
        dice_of(SEED, match)
