"""The table: what its players press is done once, what others press is refused, and it is there again at any time."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from adapters.web.bucket import BURST, Bucket
from bot.engine.match import Phase
from tests.adapters.web.browser import Browser, Page
from tests.adapters.web.room import Clock, Room, opened_room, titled

Browsers = Callable[[], Browser]

YOUR_TURN = "It is not your turn."
MOVED_ON = "The board has moved on"
WATCHING = "You are only watching"


@asynccontextmanager
async def two_at_a_table(browser: Browsers, **fields: str) -> AsyncIterator[tuple[Page, Page, str]]:
    """Two players: the one whose turn it is, the other, and the address for watching."""
    ayse, burak = browser(), browser()
    link = await ayse.challenge(name="Ayşe", **fields)
    other = (await burak.accept(link)).path
    mine = (await ayse.get(f"{link}table")).path
    async with ayse.at(mine) as first, burak.at(other) as second:
        pages = (first, second) if first.view["attention"] else (second, first)
        yield *pages, mine.split("?", maxsplit=1)[0]


async def test_a_press_is_shown_to_both(browser: Browsers) -> None:
    async with two_at_a_table(browser) as (first, second, _):
        before = second.view["revision"]
        assert await first.press("Roll") is None
        assert first.steps
        while second.view["revision"] == before:
            await second.hear()
        assert second.view["revision"] == first.view["revision"]
        assert not second.steps


async def test_a_whole_match_against_the_computer(room: Room, browser: Browsers) -> None:
    visitor = browser()
    table = await visitor.start(name="Ayşe", length="1")
    async with visitor.at(table.path) as page:
        async with asyncio.timeout(60):
            while "Rematch" not in page.labels:
                room.clock.now += 1
                wanted = [button for button in page.view["buttons"] if button["kind"] in ("main", "step")]
                if wanted:
                    assert await page.ask(press=wanted[0]["action"]) is None
                else:
                    await page.hear()
        assert await page.see("this game")


async def test_a_press_of_the_wrong_player_is_refused_to_him_alone(browser: Browsers) -> None:
    async with two_at_a_table(browser) as (first, second, _):
        refusal = await second.ask(press=first.action("Roll"))
        assert refusal == YOUR_TURN
        assert await first.press("Roll") is None, "the other one's press has changed nothing"


async def test_a_stranger_watches_and_presses_nothing(browser: Browsers) -> None:
    async with two_at_a_table(browser) as (first, _, path):
        stranger = browser()
        page = await stranger.get(path)
        assert "You are watching this match." in page.text
        assert "data-place" not in page.text
        async with stranger.at(path) as watching:
            assert not watching.labels
            assert not watching.view["spots"]
            assert WATCHING in str(await watching.ask(press=first.action("Roll")))
            assert WATCHING in str(await watching.ask(type="13/8 6/5"))
        assert await first.press("Roll") is None


@pytest.mark.parametrize("cookie", ["", "x" * 43, "0" * 64, "' OR 1=1", "🎲"])
async def test_a_forged_seat_is_a_stranger(browser: Browsers, cookie: str) -> None:
    async with two_at_a_table(browser) as (first, _, path):
        forger = browser()
        for seat in ("0", "1"):
            forger.jar.update_cookies({f"seat{seat}": cookie, "keyring": cookie, "player": cookie}, forger.address)
            assert "data-place" not in (await forger.get(f"{path}?seat={seat}")).text
            async with forger.at(f"{path}?seat={seat}") as page:
                assert WATCHING in str(await page.ask(press=first.action("Roll")))


async def test_a_seat_is_chosen_by_the_address_and_proved_by_its_own_secret(browser: Browsers) -> None:
    """Whoever holds seat 0 does not hold seat 1, and there is no seat 2."""
    ayse = browser()
    link = await ayse.challenge(name="Ayşe")
    await browser().accept(link)
    mine = (await ayse.get(f"{link}table")).path
    for other in ("seat=1", "seat=2", "seat=-1", "seat=%00", "seat=00"):
        async with ayse.at(mine.replace("seat=0", other)) as page:
            assert not page.view["spots"]


async def test_the_computers_seat_is_nobodys(browser: Browsers) -> None:
    visitor = browser()
    table = await visitor.start(name="Ayşe")
    async with visitor.at(table.path.replace("seat=0", "seat=1")) as page:
        assert not page.view["spots"]


async def test_the_same_press_twice_at_once_makes_one_move(room: Room, browser: Browsers) -> None:
    async with two_at_a_table(browser) as (first, _, path):
        await first.press("Roll")
        action, revision = first.steps[0]["action"], first.view["revision"]
        for _ in range(2):
            await first.socket.send_json({"press": action})
        refusals: list[str | None] = []
        while len(refusals) < 2:
            heard = await first.hear()
            refusals += [heard["answer"]["refusal"]] if "answer" in heard else []
        assert refusals[0] is None
        assert MOVED_ON in str(refusals[1])
        table = await room.matches.look(path.split("/")[2])
        assert table.revision == revision + 1


async def test_the_same_press_from_two_tabs_at_once_makes_one_move(browser: Browsers) -> None:
    visitor = browser()
    path = (await visitor.start(name="Ayşe")).path
    async with visitor.at(path) as one, visitor.at(path) as other:
        await one.my_turn()
        action = one.view["buttons"][0]["action"]
        refusals = await asyncio.gather(one.ask(press=action), other.ask(press=action))
        assert sorted(bool(refusal) for refusal in refusals) == [False, True]


async def test_an_old_press_is_told_and_the_board_is_painted_again(browser: Browsers) -> None:
    async with two_at_a_table(browser) as (first, _, _path):
        old = first.action("Roll")
        await first.press("Roll")
        await first.socket.send_json({"press": old})
        heard = [await first.hear(), await first.hear()]
        assert heard[0]["view"]["revision"] == first.view["revision"]
        assert MOVED_ON in heard[1]["answer"]["refusal"]


async def test_a_typed_play_goes_to_the_board_and_its_refusal_back(browser: Browsers) -> None:
    async with two_at_a_table(browser) as (first, second, _):
        await first.press("Roll")
        assert "I cannot read" in str(await first.ask(type="<b>13/8</b>"))
        assert await first.ask(type="1/off")
        assert await second.ask(type="13/8") == YOUR_TURN
        assert await first.ask(type=first.steps[0]["label"].rstrip("*")) is None


async def test_a_hint_is_private_and_goes_when_the_board_moves_on(browser: Browsers) -> None:
    visitor = browser()
    path = (await visitor.start(name="Ayşe")).path
    async with visitor.at(path) as page, visitor.at(path) as other:
        await page.my_turn()
        if "Roll" in page.labels:
            await page.press("Roll")
        picture = page.view["picture"]
        assert await page.press("Hint") is None
        assert page.view["picture"] != picture
        assert "Hint 1" in str(page.view["lines"])
        await other.ask(look="again")
        assert "Hint 1" not in str(other.view["lines"])
        await page.ask(press=page.steps[0]["action"])
        assert "Hint 1" not in str(page.view["lines"])


async def test_the_panel_of_conceding_opens_and_closes_for_this_page_alone(browser: Browsers) -> None:
    async with two_at_a_table(browser) as (first, second, _):
        main, others = first.labels, second.labels
        await first.press("Concede…")
        assert "Concede the match (you lose it)" in first.labels
        await second.ask(look="again")
        assert second.labels == others
        await first.press("Back")
        assert first.labels == main


async def test_accept_and_decline_never_lie_where_something_else_was(browser: Browsers) -> None:
    async with two_at_a_table(browser) as (first, second, _):
        await first.press("Concede…")
        await first.press(first.labels[1])
        await second.see_button("Accept")
        places = {button["label"]: button["place"] for button in second.view["buttons"]}
        assert places["Accept"] == 24
        assert await second.press("Decline, play on") is None


async def test_a_rematch_takes_both_along_with_their_seats(room: Room, browser: Browsers) -> None:
    visitor = browser()
    link = await visitor.challenge(name="Ayşe", length="1")
    seat1 = (await visitor.accept(link)).path
    seat0 = (await visitor.get(f"{link}table")).path
    async with visitor.at(seat0) as first, visitor.at(seat1) as second:
        player, other = (first, second) if first.view["attention"] else (second, first)
        await player.press("Concede…")
        await player.press(player.labels[1])
        await other.see_button("Accept")
        await other.press("Accept")
        await player.see_button("Rematch")
        await player.press("Rematch")
        await other.see("asks for a rematch")
        assert await other.press("Rematch") is None
        assert other.view["successor"]
        while not player.view["successor"]:
            await player.hear()
        ways = [first.view["successor"], second.view["successor"]]
    tables = [await visitor.get(way) for way in ways]
    assert [table.path[-7:] for table in tables] == ["?seat=0", "?seat=1"]
    assert tables[0].path[:-1] == tables[1].path[:-1] != seat0[:-1]
    for table in tables:
        async with visitor.at(table.path) as page:
            assert page.view["spots"], "the seat came along"
    stranger = await browser().get(ways[0])
    assert "You are watching" in stranger.text
    assert stranger.path == tables[0].path
    home = await visitor.get("/")
    assert f'href="{ways[0]}"' in home.text


async def test_a_rematch_that_was_not_made_leads_back(browser: Browsers) -> None:
    visitor = browser()
    path = (await visitor.start(name="Ayşe")).path
    assert (await visitor.get(path.replace("?", "rematch?"))).path == path


async def test_pictures_are_served_to_whoever_has_the_link_and_kept_for_ever(browser: Browsers) -> None:
    visitor = browser()
    path = (await visitor.start(name="Ayşe")).path
    async with visitor.at(path) as page:
        picture = page.view["picture"]
    async with browser().session.get(f"{visitor.origin}{picture}") as response:
        assert response.content_type == "image/png"
        assert "immutable" in response.headers["Cache-Control"]
        assert (await response.read()).startswith(b"\x89PNG")
    assert (await visitor.get(picture.replace("test000001", "test000002"))).status == 404
    assert (await visitor.get(f"{picture[:-8]}0000.png")).status == 404


async def test_a_message_that_is_too_long_ends_the_connection_and_nothing_else(browser: Browsers) -> None:
    visitor = browser()
    path = (await visitor.start(name="Ayşe")).path
    async with visitor.at(path) as page:
        await page.socket.send_str(json.dumps({"type": "x" * 2000}))
        while (message := await page.socket.receive(timeout=5)).type is aiohttp.WSMsgType.TEXT:
            pass
        assert page.socket.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG, message
    async with visitor.at(path) as page:
        assert page.labels


@pytest.mark.parametrize(
    "message",
    [
        "",
        "{",
        "null",
        "[]",
        "7",
        '{"press": 7}',
        '{"press": null}',
        '{"x": "y"}',
        '{"press": "a", "type": "b"}',
        "[" * 900,
    ],
)
async def test_messages_that_make_no_sense_are_refused(browser: Browsers, message: str) -> None:
    visitor = browser()
    async with visitor.at((await visitor.start(name="Ayşe")).path) as page:
        await page.socket.send_str(message)
        while "answer" not in (heard := await page.hear()):
            pass
        assert "not known here" in heard["answer"]["refusal"]


@pytest.mark.parametrize("action", ["", "x", "test000002.1.z", "test000001.1.q", "a" * 500, "test000001.1.s.99-9"])
async def test_buttons_that_are_not_of_this_table_are_refused(browser: Browsers, action: str) -> None:
    visitor = browser()
    async with visitor.at((await visitor.start(name="Ayşe")).path) as page:
        assert await page.ask(press=action)


async def test_presses_that_come_too_fast_are_refused(room: Room, browser: Browsers) -> None:
    visitor = browser()
    async with visitor.at((await visitor.start(name="Ayşe")).path) as page:
        refusals = [await page.ask(type="?") for _ in range(int(BURST) + 1)]
        assert "Slowly" in str(refusals[-1])
        assert "Slowly" not in str(refusals[:-1])
        await page.socket.send_json({"type": "?"})
        assert list(await page.hear()) == ["answer"], "who floods is not even shown the table"
        room.clock.now += 1
        assert "Slowly" not in str(await page.ask(type="?"))


def test_a_bucket_fills_up_and_no_further() -> None:
    clock = Clock()
    bucket = Bucket(clock)
    clock.now += 1000
    assert [bucket.take() for _ in range(22)] == [True] * 20 + [False] * 2
    clock.now -= 5
    assert not bucket.take(), "a clock that is set back gives nothing"
    clock.now += 0.2
    assert bucket.take()


async def test_places_on_the_board_are_told_in_words(browser: Browsers) -> None:
    visitor = browser()
    async with visitor.at((await visitor.start(name="Ayşe")).path) as page:
        labels = {spot["point"]: spot["label"] for spot in page.view["spots"]}
    assert labels[13] == "Point 13, 5 light checkers"
    assert labels[25] == "Your bar, 0 checkers"
    assert labels[0] == "Borne off, 0 checkers"
    assert "dark" in labels[12] or "empty" in labels[12]
    assert len(labels) == 26


async def test_a_fault_behind_a_press_is_told_and_the_page_lives_on(
    room: Room, browser: Browsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = browser()
    async with visitor.at((await visitor.start(name="Ayşe")).path) as page:
        await page.my_turn()
        with monkeypatch.context() as broken:
            broken.setattr(room.matches, "press", lambda *_: 1 / 0)
            assert "went wrong" in str(await page.ask(press=page.view["buttons"][0]["action"]))
        assert await page.ask(press=page.view["buttons"][0]["action"]) is None


async def test_after_a_restart_the_same_table_is_there_for_the_same_browser(tmp_path: Path) -> None:
    async with opened_room(tmp_path) as room:
        port = room.server.port
        visitor = Browser(room.address)
        path = (await visitor.start(name="Ayşe")).path
        async with visitor.at(path) as page:
            await page.my_turn()
            if "Roll" in page.labels:
                await page.press("Roll")
            await page.ask(press=page.steps[0]["action"])
            before = page.view
    async with opened_room(tmp_path, port) as room, visitor.at(path) as page:
        assert page.view == before
        async with visitor.session.get(f"{visitor.origin}{page.view['picture']}") as response:
            assert response.status == 200
        finished = (await room.matches.look(path.split("/")[2])).match.phase
        assert finished is not Phase.OVER
    await visitor.close()


async def test_a_closing_server_says_goodbye_to_its_pages(tmp_path: Path) -> None:
    async with opened_room(tmp_path) as room:
        visitor = Browser(room.address)
        path = (await visitor.start(name="Ayşe")).path
        socket = await visitor.session.ws_connect(
            f"{visitor.origin}{path.replace('?', 'live?')}", headers={"Origin": visitor.origin}
        )
        reading = asyncio.create_task(_until_closed(socket))
        await asyncio.sleep(0)
    assert await reading == aiohttp.WSCloseCode.GOING_AWAY
    await visitor.close()


async def _until_closed(socket: aiohttp.ClientWebSocketResponse) -> int | None:
    async for _ in socket:
        pass
    return socket.close_code


async def test_an_address_without_its_slash_is_known_too(browser: Browsers) -> None:
    path = (await browser().start(name="Ayşe")).path.split("?")[0]
    page = await browser().get(path.removesuffix("/"))
    assert page.path == path
    assert titled("Ayşe") in page.text
