"""What is logged holds no secret, however it gets there."""

import io
import logging
from collections.abc import Iterator

import pytest

from bot.redaction import CHATTY, hide

TOKEN = "123456:AAF-token_of_nobody"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the root logger writes, at DEBUG."""
    root = logging.getLogger()
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    before, level = root.handlers[:], root.level
    levels = {name: logging.getLogger(name).level for name in CHATTY}
    root.handlers[:] = [handler]
    root.setLevel(logging.DEBUG)
    hide([TOKEN, "discord.token.of-nobody"])
    yield text
    root.handlers[:] = before
    root.setLevel(level)
    for name, was in levels.items():
        logging.getLogger(name).setLevel(was)


def test_a_token_is_hidden_in_messages_arguments_and_tracebacks(written: io.StringIO) -> None:
    log = logging.getLogger("somewhere")
    log.warning("GET https://api/bot%s/getMe", TOKEN)
    log.info("quoted: %s, half: %s", "123456%3AAAF-token_of_nobody", "AAF-token_of_nobody")
    log.debug("other: %r", {"token": "discord.token.of-nobody"})
    try:
        raise ValueError(f"the token {TOKEN} was rejected")
    except ValueError:
        log.exception("it failed")
    told = written.getvalue()
    assert "of_nobody" not in told
    assert "of-nobody" not in told
    assert "GET https://api/bot…/getMe" in told
    assert "the token … was rejected" in told


def test_libraries_that_tell_whole_requests_are_quiet(written: io.StringIO) -> None:
    for name in CHATTY:
        logging.getLogger(name).info("a request")
    assert written.getvalue() == ""
