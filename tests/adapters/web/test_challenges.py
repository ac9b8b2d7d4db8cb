"""A challenge by link: both come to the table, once, and whoever comes late is told."""

import asyncio
import json
from collections.abc import Callable
from http.cookies import SimpleCookie

import pytest

from bot.service.lobby import LASTS
from tests.adapters.web.browser import Browser
from tests.adapters.web.room import Room, titled

Browsers = Callable[[], Browser]


async def test_the_challenger_gets_a_link_to_send(browser: Browsers) -> None:
    visitor = browser()
    link = await visitor.challenge(name="Ayşe", length="7")
    page = await visitor.get(f"{link}waiting")
    assert f'value="{visitor.origin}{link}"' in page.text
    assert "Withdraw" in page.text


async def test_the_friend_sees_who_challenges_to_what_under_which_rules(browser: Browsers) -> None:
    link = await browser().challenge(name="Ayşe", length="7", **{"tavla.hit_and_run": "forbid_home"})
    page = await browser().get(link)
    assert "Ayşe challenges you" in page.text
    assert "match to 7" in page.text
    assert "stays there for this turn" in page.text
    assert "rolls both dice afresh" in page.text


async def test_both_come_to_the_table(browser: Browsers) -> None:
    ayse, burak = browser(), browser()
    link = await ayse.challenge(name="Ayşe")
    async with ayse.at(f"{link}waiting") as waiting, burak.at(link) as asked:
        table = await burak.accept(link)
        assert (await waiting.hear())["state"] == "accepted"
        assert (await asked.hear())["state"] == "accepted"
    assert table.path.endswith("?seat=1")
    mine = await ayse.get(f"{link}table")
    assert mine.path == table.path.replace("seat=1", "seat=0")
    async with ayse.at(mine.path) as one, burak.at(table.path) as other:
        assert one.labels or other.labels
        assert one.view["title"].startswith(f"{titled('Ayşe')} 0 – 0 Burak")


async def test_one_browser_may_play_both_sides_in_two_tabs(browser: Browsers) -> None:
    visitor = browser()
    link = await visitor.challenge(name="Ayşe")
    asked = await visitor.get(link)
    assert "This is your own challenge" in asked.text
    table = await visitor.accept(link, "Burak")
    mine = await visitor.get(f"{link}table")
    async with visitor.at(mine.path) as first, visitor.at(table.path) as second:
        assert first.view["attention"] != second.view["attention"]
        assert first.view["spots"]
        assert second.view["spots"]
    home = (await visitor.get("/")).text
    assert f'href="{mine.path}"' in home
    assert f'href="{table.path}"' in home


async def test_of_two_who_accept_at_once_one_plays_and_the_other_may_watch(browser: Browsers) -> None:
    ayse, *others = browser(), browser(), browser()
    link = await ayse.challenge(name="Ayşe")
    for other in others:
        await other.get(link)
    answers = await asyncio.gather(*(other.post(f"{link}accept", name="B") for other in others))
    late, seated = sorted(answers, key=lambda answer: answer.path.endswith("?seat=1"))
    assert seated.path.startswith("/t/")
    assert (late.status, late.path) == (409, f"{link}accept")
    assert "no longer open" in late.text
    assert f'href="{seated.path.removesuffix("?seat=1")}"' in late.text


async def test_accept_pressed_twice_sits_down_once(browser: Browsers) -> None:
    ayse, burak = browser(), browser()
    link = await ayse.challenge(name="Ayşe")
    await burak.get(link)
    both = await asyncio.gather(*(burak.post(f"{link}accept", name="Burak") for _ in range(2)))
    assert both[0].path == both[1].path
    assert both[0].path.endswith("?seat=1")
    async with burak.at(both[0].path) as page:
        assert page.view["spots"], "the seat is his"


async def test_an_accept_whose_answer_was_lost_costs_no_seat(browser: Browsers) -> None:
    ayse, burak = browser(), browser()
    link = await ayse.challenge(name="Ayşe")
    await burak.get(link)
    kept = burak.cookies("/")
    table = await burak.post(f"{link}accept", name="Burak")
    burak.jar.clear()
    burak.jar.update_cookies(SimpleCookie(kept), burak.address)
    watch = (await burak.get(link)).text
    assert f'href="{table.path.removesuffix("?seat=1")}"' in watch
    assert "Sit down as Burak" in (await burak.get(table.path.removesuffix("?seat=1"))).text
    async with burak.at(table.path) as page:
        assert page.view["spots"]


async def test_a_challenger_who_was_away_finds_the_table_on_the_home_page(browser: Browsers) -> None:
    ayse = browser()
    link = await ayse.challenge(name="Ayşe")
    table = await browser().accept(link)
    mine = table.path.replace("seat=1", "seat=0")
    assert f'href="{mine}"' in (await ayse.get("/")).text
    async with ayse.at(mine) as page:
        assert page.view["spots"]
    assert (await ayse.get(f"{link}waiting")).path == mine


async def test_decline_and_withdraw_are_told_to_both(browser: Browsers) -> None:
    ayse, burak = browser(), browser()
    for verb, who, told in (("decline", burak, "declined"), ("withdraw", ayse, "withdrawn")):
        link = await ayse.challenge(name="Ayşe")
        await burak.get(link)
        async with ayse.at(f"{link}waiting") as waiting, burak.at(link) as asked:
            await who.post(f"{link}{verb}")
            assert (await waiting.hear())["state"] == told
            assert (await asked.hear())["state"] == told
        assert f"was {told}" in (await burak.get(link)).text
        assert "Withdraw<" not in (await ayse.get(f"{link}waiting")).text
        late = await burak.post(f"{link}accept", name="B")
        assert late.status == 409
        assert "no longer open" in late.text


async def test_nobody_but_the_challenger_withdraws(room: Room, browser: Browsers) -> None:
    ayse, burak = browser(), browser()
    link = await ayse.challenge(name="Ayşe")
    await burak.get(link)
    burak.jar.update_cookies({"seat0": "x" * 43}, burak.address)
    answer = await burak.post(f"{link}withdraw")
    assert answer.status == 409
    assert (await room.lobby.look(link.split("/")[2])).state == "open"
    assert (await burak.get(f"{link}waiting")).path == link


async def test_a_challenge_lasts_a_week(room: Room, browser: Browsers) -> None:
    ayse, burak = browser(), browser()
    link = await ayse.challenge(name="Ayşe")
    room.clock.now += LASTS
    assert "has expired" in (await burak.get(link)).text
    assert "has expired" in (await ayse.get(f"{link}waiting")).text
    assert (await burak.post(f"{link}accept", name="B")).status == 409


async def test_a_taken_link_offers_to_watch(browser: Browsers) -> None:
    ayse, watcher = browser(), browser()
    link = await ayse.challenge(name="Ayşe")
    table = (await browser().accept(link)).path.removesuffix("?seat=1")
    page = await watcher.get(link)
    assert "Watch the match" in page.text
    assert f'href="{table}"' in page.text
    assert (await watcher.get(f"{link}table")).path == table


async def test_a_way_to_a_table_that_is_not_there_leads_back(browser: Browsers) -> None:
    ayse = browser()
    link = await ayse.challenge(name="Ayşe")
    assert (await ayse.get(f"{link}table")).path == link
    assert (await ayse.get(link.removesuffix("/"))).path == link


async def test_names_on_the_challenge_are_text(browser: Browsers) -> None:
    link = await browser().challenge(name="<img src=x onerror=alert(1)>")
    page = (await browser().get(link)).text
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


@pytest.mark.parametrize("verb", ["accept", "decline"])
async def test_without_cookies_nothing_is_answered(browser: Browsers, verb: str) -> None:
    link = await browser().challenge(name="Ayşe")
    answer = await browser().post(f"{link}{verb}")
    assert answer.status == 400
    assert "cookie" in answer.text


async def test_the_page_is_told_only_the_state(browser: Browsers) -> None:
    ayse = browser()
    link = await ayse.challenge(name="Ayşe")
    async with ayse.session.ws_connect(f"{ayse.origin}{link}live", headers={"Origin": ayse.origin}) as socket:
        assert json.loads(await socket.receive_str(timeout=5)) == {"state": "open"}
