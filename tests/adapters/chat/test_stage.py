"""Live messages: one a match and chat, always as it is now."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.chat import stage
from adapters.chat.people import Asked, Person, Place
from adapters.chat.ports import Closed, Gone, Held, Moved, Trouble
from adapters.chat.replies import Done, Opened, Said
from bot.engine.errors import NotYours, Stale
from bot.service.actions import decode
from bot.service.flow import QUIET
from tests.adapters.chat.room import Club, Room, Tap, opened_room

GROUP = Place("club", "-1")


def at_home(person: Person) -> Place:
    return Place("club", person.id, private=True)


async def begun(room: Room, length: str = "1") -> tuple[Person, Person]:
    """Ayşe has challenged, Mehmet has accepted, in a group."""
    ayse, mehmet = room.person("Ayşe"), room.person("Mehmet")
    await room.ask(ayse, GROUP, "challenge", length=length)
    await room.press(mehmet, GROUP, room.live(GROUP), "Accept")
    return ayse, mehmet


async def step(room: Room, people: tuple[Person, Person], place: Place = GROUP) -> None:
    """Whoever may presses the first button of the live message."""
    live = room.live(place)
    button = live.buttons[0]
    for person in people:
        try:
            await room.press(person, place, live, button.label)
        except NotYours:
            continue
        return
    raise AssertionError(f"nobody may press {button.label}")


async def test_two_people_play_a_whole_match_in_a_group(room: Room) -> None:
    people = await begun(room)
    invitation = room.here(GROUP)[0]
    assert invitation.labels == []
    for _ in range(400):
        if "Rematch" in room.live(GROUP).labels:
            break
        await step(room, people)
    live = room.live(GROUP)
    assert any("wins" in line for line in live.message.lines)
    assert live.png
    assert [posted for posted in room.here(GROUP) if posted.buttons] == [live]


async def test_the_next_game_gets_a_new_message_and_the_old_one_keeps_its_board(room: Room) -> None:
    people = await begun(room, "5")
    first = room.live(GROUP)
    while "Next game" not in room.live(GROUP).labels:
        await step(room, people)
    board = first.message.picture
    await room.press(people[0], GROUP, first, "Next game")
    assert first.retired
    assert first.message.picture == board
    assert room.live(GROUP).number != first.number


# Presses.


async def on_turn(room: Room, people: tuple[Person, Person], place: Place = GROUP) -> tuple[Person, Person]:
    """Who has a play to make, and the other, once steps are offered."""
    while "/" not in room.live(place).labels[0]:
        await step(room, people, place)
    names = room.live(place).message.lines
    told = next(line for line in reversed(names) if " to play" in line or " so far" in line)
    return people if told.startswith(people[0].name) else (people[1], people[0])


async def test_a_press_of_a_stranger_changes_nothing(room: Room) -> None:
    people = await begun(room)
    await on_turn(room, people)
    live = room.live(GROUP)
    before = (live.message, live.edits)
    with pytest.raises(NotYours):
        await room.press(room.person("Eve"), GROUP, live, live.labels[0])
    assert (live.message, live.edits) == before


async def test_a_double_tap_plays_once_and_shows_the_board_again(room: Room) -> None:
    people = await begun(room)
    mover, _ = await on_turn(room, people)
    live = room.live(GROUP)
    data = live.data(live.labels[0])
    taps = [Tap(), Tap()]
    presses = (room.desk.press(mover, GROUP, live.number, data, room.delivery(), tap) for tap in taps)
    came = await asyncio.gather(*presses, return_exceptions=True)
    await room.settled()
    assert sorted(isinstance(each, Stale) for each in came) == [False, True]
    assert all(tap.edited or tap.acknowledged for tap in taps)


async def test_a_press_answers_through_itself(room: Room) -> None:
    people = await begun(room)
    mover, _ = await on_turn(room, people)
    live, tap = room.live(GROUP), Tap()
    await room.press(mover, GROUP, live, live.labels[0], via=tap)
    assert tap.edited == 1


async def test_a_panel_is_shown_until_the_next_change(room: Room) -> None:
    people = await begun(room)
    mover, _ = await on_turn(room, people)
    live = room.live(GROUP)
    await room.press(mover, GROUP, live, "Concede…")
    assert "Back" in live.labels
    await room.press(mover, GROUP, live, "Back")
    assert "Back" not in live.labels


async def test_of_a_panel_in_a_group_each_is_told_whose_it_is_and_the_other_cannot_use_it(room: Room) -> None:
    mover, waiting = await on_turn(room, await begun(room, "3"))
    live = room.live(GROUP)
    before = await room.matches.look(decode(live.data(live.labels[0])).match)
    await room.press(waiting, GROUP, live, "Concede…")
    game, match = (f"{waiting.name} concedes this game (−2 · mars)", f"{waiting.name} concedes the match")
    assert live.labels == ["Back", game, match]
    for label in (game, match):
        with pytest.raises(NotYours, match="not_your_button"):
            await room.press(mover, GROUP, live, label)
    assert await room.matches.look(before.id) == before
    assert live.labels == ["Back", game, match]
    await room.press(mover, GROUP, live, "Back")
    assert any("/" in label for label in live.labels)


async def test_where_one_can_be_answered_alone_a_panel_is_whispered() -> None:
    async with opened_room(Club(whispers=True)) as room:
        people = await begun(room)
        mover, _ = await on_turn(room, people)
        live = room.live(GROUP)
        said = await room.press(mover, GROUP, live, "Concede…")
        assert isinstance(said, Said)
        labels = [button.label for button in said.message.buttons]
        assert "Back" not in labels
        data = said.message.buttons[0].action
        done = await room.desk.press(mover, GROUP, "999", data, room.delivery(), live=False)
        await room.settled()
        assert isinstance(done, Done)
        assert "Accept" in live.labels


async def test_a_press_on_a_newer_message_makes_it_the_live_one(room: Room) -> None:
    """Sent, but a crash came before that was kept."""
    people = await begun(room)
    mover, _ = await on_turn(room, people)
    live = room.live(GROUP)
    orphan = replace(live, number="99")
    room.club.messages["99"] = orphan
    await room.press(mover, GROUP, orphan, orphan.labels[0])
    assert live.retired
    assert orphan.edits == live.edits + 1


async def test_a_press_on_an_older_message_is_done_and_its_buttons_go(room: Room) -> None:
    people = await begun(room)
    mover, _ = await on_turn(room, people)
    old = room.live(GROUP)
    await room.ask(mover, GROUP, "board")
    old.retired = False
    tap = Tap()
    await room.press(mover, GROUP, old, old.labels[0], via=tap)
    assert old.retired
    assert tap.acknowledged >= 1
    assert tap.edited == 0
    assert room.live(GROUP).edits == 1


# What can go wrong with a message.


async def test_a_deleted_message_is_replaced(room: Room) -> None:
    people = await begun(room)
    live = room.live(GROUP)
    room.club.troubles["edit"] = [Gone()]
    await step(room, people)
    assert room.live(GROUP).number != live.number


@pytest.mark.parametrize("trouble", [Trouble("500"), Held(0.01)])
async def test_what_could_not_be_shown_is_shown_later(
    room: Room, trouble: Trouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stage, "FIRST_PAUSE", 0.01)
    people = await begun(room)
    mover, _ = await on_turn(room, people)
    live = room.live(GROUP)
    room.club.troubles["edit"] = [trouble, trouble]
    shown = live.message
    await room.press(mover, GROUP, live, live.labels[0])
    assert live.message != shown
    assert room.club.calls[-3:] == ["edit"] * 3


async def test_one_chat_that_is_held_back_keeps_no_other_waiting(room: Room) -> None:
    people = await begun(room)
    room.club.troubles["edit"] = [Held(3600)]
    live = room.live(GROUP)
    mover = people[0]
    for person in people:
        try:
            await room.desk.press(person, GROUP, live.number, live.data(live.labels[0]), room.delivery())
            mover = person
        except NotYours:
            continue
    elsewhere = Place("club", "-2")
    await room.desk.command(Asked("computer", mover, elsewhere, room.delivery(), {"level": "easy"}))
    reply = await room.desk.command(Asked("board", mover, elsewhere, room.delivery()))
    assert isinstance(reply, Opened)
    await room.stage.open(reply.screen)
    await room.until(lambda: bool(room.here(elsewhere)))


async def test_a_chat_that_has_moved_is_followed(room: Room) -> None:
    people = await begun(room)
    live = room.live(GROUP)
    room.club.troubles["edit"] = [Moved("-2")]
    await step(room, people)
    assert (await room.store.screens_in("club", "-1")) == []
    assert {screen.chat for screen in await room.store.screens_in("club", "-2")} == {"-2"}
    assert live.edits == 1


async def test_where_nothing_can_be_sent_the_match_goes_on(room: Room) -> None:
    """Blocked, or thrown out: and whoever presses or asks again has his board again."""
    people = await begun(room)
    live = room.live(GROUP)
    room.club.troubles["edit"] = [Closed("blocked")]
    await step(room, people)
    assert await room.store.screens_in("club", "-1") == []
    await room.ask(people[0], GROUP, "board")
    assert room.live(GROUP).number != live.number


async def test_while_a_chat_runs_low_a_half_played_turn_costs_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "PICTURE_LATER", 0.05)
    async with opened_room() as room:
        people = await begun(room)
        mover, _ = await on_turn(room, people)
        live = room.live(GROUP)
        room.club.sparing = True
        png, lines = live.png, live.message.lines
        await room.desk.press(mover, GROUP, live.number, live.data(live.labels[0]), room.delivery())
        await room.until(lambda: live.message.lines != lines)
        assert live.png == png
        room.club.sparing = False
        await room.settled()
        assert live.png != png


# Time and crashes.


async def test_whoever_is_to_move_is_called_once_if_he_does_not_come_by_himself(room: Room) -> None:
    people = await begun(room)
    live = room.live(GROUP)
    room.clock.now += QUIET + 1
    await room.until(lambda: any(posted.call for posted in room.here(GROUP)))
    await room.settled()
    (called,) = [posted for posted in room.here(GROUP) if posted.call]
    assert called.call in [person.id for person in people]
    assert live.retired
    room.clock.now += 10 * QUIET
    await asyncio.sleep(1.2)
    assert [posted for posted in room.here(GROUP) if posted.call] == [called]


async def test_a_message_near_the_platforms_limit_is_replaced() -> None:
    async with opened_room(Club(keeps=3000)) as room:
        people = await begun(room)
        live = room.live(GROUP)
        room.clock.now += 2900
        await step(room, people)
        assert room.live(GROUP) is live
        room.clock.now += 200
        await step(room, people)
        assert room.live(GROUP) is not live
        assert live.retired


async def test_what_a_crash_left_behind_is_shown_after_the_restart(tmp_path: Path) -> None:
    club = Club()
    async with opened_room(club, tmp_path) as room:
        people = await begun(room)
        mover, _ = await on_turn(room, people)
        live = room.live(GROUP)
        before = live.message
        held = room.stage._slot((await room.store.screens_in("club", "-1"))[0])
        held.held += 1  # saved, and never shown
        await room.desk.press(mover, GROUP, live.number, live.data(live.labels[0]), room.delivery())
        assert live.message == before
        room.stage._slots.clear()
    async with opened_room(club, tmp_path) as room:
        await room.until(lambda: live.message != before)


# Private chats.


async def test_two_friends_in_their_own_chats_each_see_their_own_board(room: Room) -> None:
    ayse, mehmet = room.person("Ayşe", "tr"), room.person("Mehmet")
    opened = await room.ask(ayse, at_home(ayse), "challenge", length="1")
    assert isinstance(opened, Opened)
    await room.ask(mehmet, at_home(mehmet), "start", code=opened.screen.watched)
    await room.press(mehmet, at_home(mehmet), room.live(at_home(mehmet)), "Accept")
    hers, his = room.live(at_home(ayse)), room.live(at_home(mehmet))
    assert hers.message.picture
    assert his.message.picture
    assert hers.message.picture.bottom.name == "Ayşe"
    assert his.message.picture.bottom.name == "Mehmet"
    assert "Sıra" in " ".join(hers.message.lines) or "Mehmet" in " ".join(hers.message.lines)


async def test_a_challenge_of_a_group_taken_up_elsewhere_is_the_challengers_there(room: Room) -> None:
    ayse, mehmet = room.person("Ayşe"), room.person("Mehmet")
    opened = await room.ask(ayse, GROUP, "challenge", length="1")
    assert isinstance(opened, Opened)
    await room.ask(mehmet, at_home(mehmet), "start", code=opened.screen.watched)
    await room.press(mehmet, at_home(mehmet), room.live(at_home(mehmet)), "Accept")
    here = await room.store.screens_in("club", "-1")
    players = [screen.player for screen in here]
    assert None in players
    assert len(set(players)) == 2


async def test_a_rematch_goes_on_in_the_same_chat(room: Room) -> None:
    people = await begun(room)
    await on_turn(room, people)
    live = room.live(GROUP)
    for person in people:
        try:
            await room.press(person, GROUP, live, "Concede…")
            await room.press(person, GROUP, live, next(each for each in live.labels if "concedes this" in each))
            break
        except NotYours:
            continue
    for person in people:
        try:
            await room.press(person, GROUP, live, "Accept")
            break
        except NotYours:
            continue
    await room.press(people[0], GROUP, live, "Rematch")
    await room.press(people[1], GROUP, live, "Rematch")
    assert live.labels == []
    assert room.live(GROUP) is not live
    assert room.live(GROUP).labels[0] == "Roll"
