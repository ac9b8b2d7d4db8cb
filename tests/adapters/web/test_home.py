"""The home page: one press starts, everything typed into it is bounded, and matches are found again."""

import asyncio
from collections.abc import Callable
from http.cookies import SimpleCookie

import pytest

from tests.adapters.web.browser import Browser
from tests.adapters.web.room import Room, titled

Browsers = Callable[[], Browser]

MARKUP = "<b>\"&'</b>"


async def test_one_press_starts_a_match_against_the_computer(browser: Browsers) -> None:
    table = await browser().start(name="Ayşe", opponent="easy", length="5")
    assert table.path.startswith("/t/")
    assert table.path.endswith("/?seat=0")
    assert f"{titled('Ayşe')} 0 – 0 Computer (easy)" in table.text


async def test_what_is_not_filled_in_has_a_sensible_value(browser: Browsers) -> None:
    table = await browser().start()
    assert f"{titled('Player')} 0 – 0 Computer (easy)" in table.text


async def test_the_name_is_remembered(browser: Browsers) -> None:
    visitor = browser()
    await visitor.start(name="Ayşe")
    assert 'name="name" value="Ayşe"' in (await visitor.get("/")).text


@pytest.mark.parametrize("length", ["1", "2", "8", "25", " 7 "])
async def test_any_whole_length_up_to_25(browser: Browsers, length: str) -> None:
    table = await browser().start(length="other", other_length=length)
    assert titled("Player", int(length)) in table.text


@pytest.mark.parametrize("length", ["0", "26", "-1", "5.5", "abc", "", "٥", "9" * 5000, "1e1", "<b>"])
async def test_absurd_lengths_are_refused_in_words(room: Room, browser: Browsers, length: str) -> None:
    visitor = browser()
    answer = await visitor.start(name="Ayşe", length=length, opponent="hard")
    assert answer.status == 400
    assert "A match can go to 1 up to 25 points" in answer.text
    assert 'value="hard" checked' in answer.text, "what was chosen stays chosen"
    assert "Your matches" not in (await visitor.get("/")).text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"opponent": "perfect"}, "There is no level"),
        ({"game": "chess"}, "There is no game"),
        ({"tavla.opening": "<i>"}, "opening cannot be"),
    ],
)
async def test_what_is_not_offered_is_refused(browser: Browsers, fields: dict[str, str], told: str) -> None:
    answer = await browser().start(**fields)
    assert answer.status == 400
    assert told in answer.text
    assert "<i>" not in answer.text


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (MARKUP, "&lt;b&gt;&#34;&amp;&#39;&lt;/b&gt;"),
        ("🎲 Ayşe 🎲", "🎲 Ayşe 🎲"),
        ("\u202egnissergbackwards\u202c", "gnissergbackwards"),
        ("x" * 10_000, "x" * 32 + " 0"),
        ("  a\n\tb\x00 ", "a b"),
        ("\u200b\u200b", "Player"),
        ("{{ 7*7 }} %(x)s", "{{ 7*7 }} %(x)s"),
        ("العربية", "العربية"),
    ],
)
async def test_names_are_text_and_bounded(browser: Browsers, name: str, shown: str) -> None:
    visitor = browser()
    table = await visitor.start(name=name)
    assert titled(shown) in table.text
    assert MARKUP not in table.text
    assert MARKUP not in (await visitor.get("/")).text


async def test_start_pressed_twice_makes_one_match(browser: Browsers) -> None:
    visitor = browser()
    await visitor.get("/")
    both = await asyncio.gather(*(visitor.post("/start", name="Ayşe") for _ in range(2)))
    assert both[0].path == both[1].path
    async with visitor.at(both[0].path) as page:
        assert page.labels
    assert (await visitor.get("/")).text.count(titled("Ayşe")) == 1


async def test_the_next_start_is_another_match(browser: Browsers) -> None:
    visitor = browser()
    first, second = await visitor.start(name="Ayşe"), await visitor.start(name="Ayşe")
    assert first.path != second.path


async def test_an_answer_that_was_lost_costs_no_seat(browser: Browsers) -> None:
    """The server dies between saving and answering: the browser finds its match in the list and can play."""
    visitor = browser()
    await visitor.get("/")
    kept = visitor.cookies("/")
    path = (await visitor.post("/start", name="Ayşe")).path
    visitor.jar.clear()
    visitor.jar.update_cookies(SimpleCookie(kept), visitor.address)
    assert f'href="{path}"' in (await visitor.get("/")).text
    assert "What you can do" in (await visitor.get(path)).text
    async with visitor.at(path) as page:
        assert page.labels


async def test_a_browser_without_cookies_is_told(browser: Browsers) -> None:
    answer = await browser().post("/start", name="Ayşe")
    assert answer.status == 400
    assert "cookie" in answer.text


async def test_matches_that_wait_for_me_come_first(browser: Browsers) -> None:
    ayse, burak = browser(), browser()
    link = await ayse.challenge(name="Ayşe")
    table = await burak.accept(link)
    async with burak.at(table.path) as page:
        burak_first = bool(page.labels and page.view["attention"])
    waiting, other = (burak, ayse) if burak_first else (ayse, burak)
    assert "Your turn" in (await waiting.get("/")).text
    assert "waiting for your opponent" in (await other.get("/")).text


async def test_others_see_none_of_my_matches(browser: Browsers) -> None:
    await browser().start(name="Ayşe")
    assert "Your matches" not in (await browser().get("/")).text


async def test_the_tally_against_the_computer_is_told(browser: Browsers) -> None:
    visitor = browser()
    table = await visitor.start(name="Ayşe", length="2")
    async with visitor.at(table.path) as page:
        await page.my_turn()
        if "Roll" in page.labels:
            await page.press("Roll")
        await page.press("Concede…")
        assert await page.press(page.labels[1]) is None
        await page.see("wins")
        assert await page.see("You 0 · Computer 2")
    assert "Tavla: You 0 · Computer 2" in (await visitor.get("/")).text


async def test_the_language_is_asked_kept_and_goes_back_to_where_it_was(browser: Browsers) -> None:
    visitor = browser()
    await visitor.get("/")
    answer = await visitor.post("/language", language="en", back="/healthz")
    assert answer.path == "/healthz"
    assert visitor.cookies("/")["language"] == "en"
    for foreign in ("//evil.example/", "https://evil.example/", "/\\evil.example", "/\r\nX: y"):
        assert (await visitor.post("/language", language="xx", back=foreign)).path == "/"
    assert visitor.cookies("/")["language"] == "en"


async def test_cookies_are_for_this_place_alone(room: Room, browser: Browsers) -> None:
    visitor = browser()
    async with visitor.session.get(room.address) as home:
        given = list(home.headers.getall("Set-Cookie"))
    async with visitor.session.post(
        f"{room.address}start", headers={"Origin": visitor.origin}, allow_redirects=False
    ) as started:
        given += started.headers.getall("Set-Cookie")
        match = started.headers["Location"].split("?", maxsplit=1)[0]
    assert {line.split("=")[0] for line in given} == {"player", "keyring", "seat0"}
    assert all("HttpOnly" in line and "SameSite=Strict" in line for line in given)
    assert next(line for line in given if line.startswith("seat0")).endswith(f"Path={match}; SameSite=Strict")


async def test_secrets_are_in_no_address_and_no_page(browser: Browsers) -> None:
    visitor = browser()
    table = await visitor.start(name="Ayşe")
    link = await visitor.challenge(name="Ayşe")
    held = {**visitor.cookies("/"), **visitor.cookies(table.path), **visitor.cookies(link)}
    secrets = [part for name in ("player", "keyring", "seat0") for part in held[name].split(".")]
    for page in (table, await visitor.get("/"), await visitor.get(link), await visitor.get(f"{link}waiting")):
        assert not any(secret in page.text + page.path for secret in secrets)
