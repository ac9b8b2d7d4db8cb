"""Pairs with one entry a seat: 0 the challenger, 1 the other."""

from typing import TypeVar

T = TypeVar("T")


def put(pair: tuple[T, T], seat: int, value: T) -> tuple[T, T]:
    """The pair with the entry of `seat` changed."""
    return (value, pair[1]) if seat == 0 else (pair[0], value)
