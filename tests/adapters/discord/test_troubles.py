"""What Discord answers, and what it means for a message."""

from types import SimpleNamespace
from typing import Any

import aiohttp
import discord
import pytest

from adapters.chat.ports import Closed, Gone, Held, Trouble
from adapters.discord.permissions import INVITED, NAMES
from adapters.discord.troubles import translated


def _answer(kind: type[discord.HTTPException], status: int, code: int, **headers: str) -> discord.HTTPException:
    response: Any = SimpleNamespace(status=status, reason="made up", headers=headers)
    return kind(response, {"code": code, "message": "words of somebody"})


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (_answer(discord.NotFound, 404, 10008), Gone),
        (_answer(discord.HTTPException, 429, 30046), Gone),
        (_answer(discord.Forbidden, 403, 50005), Gone),
        (_answer(discord.NotFound, 404, 10003), Closed),
        (_answer(discord.Forbidden, 403, 50001), Closed),
        (_answer(discord.Forbidden, 403, 50013), Closed),
        (_answer(discord.Forbidden, 403, 50007), Closed),
        (_answer(discord.HTTPException, 400, 50083), Closed),
        (_answer(discord.HTTPException, 400, 40094), Closed),
        (_answer(discord.HTTPException, 401, 50027), Closed),
        (_answer(discord.HTTPException, 429, 0), Held),
        (discord.RateLimited(40.0), Held),
        (_answer(discord.DiscordServerError, 503, 0), Trouble),
        (_answer(discord.HTTPException, 400, 50035), Trouble),
        (aiohttp.ServerDisconnectedError(), Trouble),
        (ConnectionResetError(), Trouble),
        (TimeoutError(), Trouble),
        (RuntimeError("Session is closed"), Trouble),
    ],
)
def test_every_failure_is_a_trouble_that_the_stage_knows(error: Exception, trouble: type[Trouble]) -> None:
    with pytest.raises(Trouble) as caught, translated():
        raise error
    assert type(caught.value) is trouble
    assert "words of somebody" not in str(caught.value)


def test_a_ban_is_as_long_as_it_says_or_a_minute() -> None:
    with pytest.raises(Held) as caught, translated():
        raise _answer(discord.HTTPException, 429, 0, **{"Retry-After": "17"})
    assert caught.value.seconds == 17
    with pytest.raises(Held) as caught, translated():
        raise _answer(discord.HTTPException, 429, 0)
    assert caught.value.seconds == 60


def test_a_refusal_names_the_missing_permission() -> None:
    with pytest.raises(Closed, match="Attach Files"), translated(lambda: "Attach Files"):
        raise _answer(discord.Forbidden, 403, 50013)


def test_the_invitation_asks_for_what_is_needed_and_no_more() -> None:
    assert [name for name in NAMES if getattr(INVITED, name)] == list(NAMES)
    assert INVITED.value.bit_count() == len(NAMES)
