"""Commands: what they do, in which chat, and what is refused with which reason."""

from dataclasses import replace

import pytest

from adapters.chat.people import Asked, Person, Place
from adapters.chat.replies import Done, Opened, Said
from bot.engine.errors import Ambiguous, Illegal, NotYours, Refusal, Stale, Unreadable
from bot.service.actions import Run, encode
from render.commands import COMMANDS
from tests.adapters.chat.room import Posted, Room

GROUP, OTHER = Place("club", "-1"), Place("club", "-2")


def at_home(person: Person) -> Place:
    return Place("club", person.id, private=True)


async def asked(room: Room, person: Person, place: Place, command: str, **options: str) -> Asked:
    return Asked(command, person, place, room.delivery(), options)


async def against_computer(room: Room, person: Person, place: Place | None = None) -> Posted:
    """A match against the computer, up to where a play is to be made."""
    place = place or at_home(person)
    await room.ask(person, place, "computer", level="easy", length="3")
    while not any("/" in label for label in room.live(place).labels):
        live = room.live(place)
        if "Roll" in live.labels:
            await room.press(person, place, live, "Roll")
        await room.until(lambda: room.live(place).labels[:1] not in ([], ["Roll"]))
    return room.live(place)


# Coming in.


async def test_somebody_new_plays_the_computer_by_buttons_alone(room: Room) -> None:
    ayse = room.person("Ayşe")
    said = await room.ask(ayse, at_home(ayse), "start")
    assert isinstance(said, Said)
    button = said.message.buttons[0]
    opened = await room.desk.press(ayse, at_home(ayse), "7", button.action, room.delivery())
    assert isinstance(opened, Opened)
    await room.stage.open(opened.screen)
    await room.settled()
    choosing = room.live(at_home(ayse))
    await room.press(ayse, at_home(ayse), choosing, "Length…")
    await room.press(ayse, at_home(ayse), choosing, "1")
    assert "· 1 ·" in choosing.labels
    await room.press(ayse, at_home(ayse), choosing, "Back")
    assert "single game" in choosing.message.title
    await room.press(ayse, at_home(ayse), choosing, "Hard")
    assert choosing.labels == []
    assert "Computer (hard)" in room.live(at_home(ayse)).message.title


async def test_every_command_of_the_list_is_answered_or_refused_with_a_reason(room: Room) -> None:
    ayse, refused = room.person("Ayşe"), list[Refusal]()
    for command in COMMANDS:
        try:
            await room.ask(ayse, GROUP, command)
        except Refusal as refusal:
            refused.append(refusal)
    assert [each.reason for each in refused] == ["no_match_here"] * 3
    with pytest.raises(Unreadable):
        await room.ask(ayse, GROUP, "fly")


async def test_rules_and_help_are_said_in_the_language_of_whoever_asks(room: Room) -> None:
    for language, word in (("en", "mars"), ("tr-TR", "mars")):
        said = await room.ask(room.person("Ayşe", language), GROUP, "rules")
        assert isinstance(said, Said)
        assert any(word in line for line in said.message.lines)
    said = await room.ask(room.person("Ayşe", "tr"), GROUP, "help")
    assert isinstance(said, Said)
    assert all(f"/{command}" in " ".join(said.message.lines) for command in COMMANDS)


# Challenges.


async def test_a_challenge_is_shown_with_its_rules_and_accepted_as_it_was_seen(room: Room) -> None:
    ayse, mehmet = room.person("Ayşe"), room.person("Mehmet")
    await room.ask(ayse, GROUP, "challenge", length="7")
    posted = room.live(GROUP)
    assert "match to 7 points" in posted.message.title
    assert any("Whoever starts: rolls both dice afresh" in line for line in posted.message.lines)
    old = posted.data("Accept")
    await room.press(ayse, GROUP, posted, "House rules…")
    await room.press(ayse, GROUP, posted, posted.labels[0])
    await room.press(ayse, GROUP, posted, "Back")
    assert any("plays the two opening dice" in line for line in posted.message.lines)
    with pytest.raises(Stale, match="challenge_changed"):
        await room.press(mehmet, GROUP, posted, "Accept", data=old)
    await room.press(mehmet, GROUP, posted, "Accept")
    assert room.live(GROUP) is not posted


@pytest.mark.parametrize("label", ["Length…", "House rules…", "Withdraw"])
async def test_only_the_challenger_changes_or_withdraws_it(room: Room, label: str) -> None:
    ayse, mehmet = room.person("Ayşe"), room.person("Mehmet")
    await room.ask(ayse, GROUP, "challenge")
    posted = room.live(GROUP)
    with pytest.raises(NotYours):
        await room.press(mehmet, GROUP, posted, label)
    await room.press(ayse, GROUP, posted, label)


async def test_one_cannot_play_oneself(room: Room) -> None:
    ayse = room.person("Ayşe")
    await room.ask(ayse, GROUP, "challenge")
    with pytest.raises(NotYours, match="own_challenge"):
        await room.press(ayse, GROUP, room.live(GROUP), "Accept")
    with pytest.raises(NotYours, match="yourself"):
        await room.deliver(Asked("challenge", ayse, GROUP, room.delivery(), {}, opponent=ayse))


async def test_a_challenge_to_one_is_answered_by_nobody_else(room: Room) -> None:
    ayse, mehmet, eve = room.person("Ayşe"), room.person("Mehmet"), room.person("Eve")
    await room.deliver(Asked("challenge", ayse, GROUP, room.delivery(), {}, opponent=mehmet))
    posted = room.live(GROUP)
    assert "Mehmet" in " ".join(posted.message.lines)
    for label in ("Accept", "Decline"):
        with pytest.raises(NotYours):
            await room.press(eve, GROUP, posted, label)
    await room.press(mehmet, GROUP, posted, "Decline")
    assert posted.labels == []
    assert "Declined." in posted.message.lines


async def test_a_user_name_is_compared_when_somebody_accepts(room: Room) -> None:
    ayse, mehmet, eve = room.person("Ayşe"), room.person("Mehmet"), room.person("Eve")
    await room.deliver(Asked("challenge", ayse, GROUP, room.delivery(), {}, named="MEHMET"))
    posted = room.live(GROUP)
    with pytest.raises(NotYours):
        await room.press(eve, GROUP, posted, "Accept")
    await room.press(mehmet, GROUP, posted, "Accept")
    assert posted.labels == []


async def test_whoever_looks_at_a_challenge_by_its_code_does_not_end_it(room: Room) -> None:
    ayse, mehmet, eve = room.person("Ayşe"), room.person("Mehmet"), room.person("Eve")
    opened = await room.ask(ayse, at_home(ayse), "challenge", length="1")
    assert isinstance(opened, Opened)
    code = opened.screen.watched
    assert any(code in line for line in room.live(at_home(ayse)).message.small)
    for guest in (mehmet, eve):
        await room.ask(guest, at_home(guest), "challenge", code=code)
        assert room.live(at_home(guest)).labels == ["Accept"]
    await room.press(mehmet, at_home(mehmet), room.live(at_home(mehmet)), "Accept")
    assert not any(posted.buttons for posted in room.here(at_home(eve)))
    assert len(room.here(at_home(eve))) == 1
    with pytest.raises(Stale, match="challenge_gone"):
        await room.ask(eve, at_home(eve), "challenge", code=code)
    await room.ask(mehmet, at_home(mehmet), "text", play=code)
    assert room.live(at_home(mehmet)).message.picture


async def test_a_bot_is_not_challenged(room: Room) -> None:
    robot = replace(room.person("Robot"), bot=True)
    with pytest.raises(Illegal, match="bots_do_not_play"):
        await room.deliver(Asked("challenge", room.person("Ayşe"), GROUP, room.delivery(), {}, opponent=robot))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"length": "26"}, "bad_length"),
        ({"length": "0"}, "bad_length"),
        ({"length": "٣"}, "bad_length"),
        ({"game": "chess"}, "unknown_game"),
        ({"clock": "hourglass"}, "unknown_clock"),
        ({"code": "abcdefghij"}, "unknown_challenge"),
    ],
)
async def test_terms_that_cannot_be_are_refused(room: Room, options: dict[str, str], reason: str) -> None:
    with pytest.raises(Refusal) as refused:
        await room.ask(room.person("Ayşe"), GROUP, "challenge", **options)
    assert refused.value.reason == reason
    assert room.here(GROUP) == []


# The same update twice.


@pytest.mark.parametrize(("command", "options"), [("challenge", {}), ("computer", {"level": "hard"}), ("computer", {})])
async def test_a_command_that_comes_twice_is_done_once(room: Room, command: str, options: dict[str, str]) -> None:
    once = Asked(command, room.person("Ayşe"), GROUP, room.delivery(), options)
    first = await room.deliver(once)
    assert isinstance(first, Opened)
    assert await room.deliver(once) == Done()
    assert len(room.here(GROUP)) == 1


async def test_a_command_that_a_crash_left_unanswered_is_answered_when_it_comes_again(room: Room) -> None:
    once = Asked("challenge", room.person("Ayşe"), GROUP, room.delivery())
    first = await room.desk.command(once)
    again = await room.deliver(once)
    assert isinstance(first, Opened)
    assert isinstance(again, Opened)
    assert again.screen.watched == first.screen.watched
    assert len(room.here(GROUP)) == 1


async def test_a_typed_play_that_comes_twice_is_played_once(room: Room) -> None:
    ayse = room.person("Ayşe")
    live = await against_computer(room, ayse)
    typed = await asked(room, ayse, at_home(ayse), "move", play=live.labels[0])
    assert isinstance(await room.deliver(typed), Done)
    lines = live.message.lines
    assert await room.deliver(typed) == Done()
    assert live.message.lines == lines


# Playing.


async def test_a_play_is_typed_as_a_command_or_alone(room: Room) -> None:
    ayse = room.person("Ayşe")
    live = await against_computer(room, ayse)
    plays = await room.desk.plays(ayse, at_home(ayse), "")
    assert plays
    done = await room.ask(ayse, at_home(ayse), "text", play=plays[0])
    assert isinstance(done, Done)
    assert "Confirm" in done.text
    assert "Confirm" in live.labels
    assert await room.desk.plays(ayse, at_home(ayse), "") == []


async def test_completion_offers_legal_plays_that_hold_what_is_typed(room: Room) -> None:
    ayse = room.person("Ayşe")
    await against_computer(room, ayse)
    every = await room.desk.plays(ayse, at_home(ayse), "")
    some = await room.desk.plays(ayse, at_home(ayse), " 13/ ")
    assert 0 < len(some) < len(every) <= 25
    assert all("13/" in play for play in some)
    assert await room.desk.plays(room.person("Eve"), at_home(ayse), "") == ()


async def test_an_impossible_play_is_refused_with_its_rule(room: Room) -> None:
    ayse = room.person("Ayşe")
    await against_computer(room, ayse)
    for play, reason in (("25/1", "no_such_die"), ("13/13", "backwards"), ("hello", "bad_notation")):
        with pytest.raises(Refusal) as refused:
            await room.ask(ayse, at_home(ayse), "move", play=play)
        assert refused.value.reason in (reason, "no_checker", "bar_first")


async def test_a_hint_is_said_and_drawn_and_gone_with_the_next_step(room: Room) -> None:
    ayse = room.person("Ayşe")
    live = await against_computer(room, ayse)
    said = await room.ask(ayse, at_home(ayse), "hint")
    assert isinstance(said, Said)
    assert said.message.lines[0].startswith("Hint 1")
    assert live.message.picture
    assert live.message.picture.hint
    await room.press(ayse, at_home(ayse), live, live.labels[0])
    assert not live.message.picture.hint


async def test_between_people_there_are_no_hints(room: Room) -> None:
    ayse, mehmet = room.person("Ayşe"), room.person("Mehmet")
    await room.ask(ayse, GROUP, "challenge")
    await room.press(mehmet, GROUP, room.live(GROUP), "Accept")
    with pytest.raises(Illegal, match="no_hints_between_people"):
        await room.ask(ayse, GROUP, "hint")


async def test_the_position_is_told_in_words(room: Room) -> None:
    ayse = room.person("Ayşe")
    room.club.describes = False
    live = await against_computer(room, ayse)
    said = await room.desk.press(ayse, at_home(ayse), live.number, live.data("In words"), room.delivery())
    assert isinstance(said, Said)
    assert "pips" in said.message.lines[0]
    match = live.data("In words")[:10]
    assert await room.ask(ayse, at_home(ayse), "start", code=f"w{match}") == said


# Which match is meant.


async def test_games_lists_those_that_wait_first_and_opens_them_here(room: Room) -> None:
    ayse, mehmet = room.person("Ayşe"), room.person("Mehmet")
    said = await room.ask(ayse, GROUP, "games")
    assert isinstance(said, Said)
    assert len(said.message.buttons) == 2
    await room.ask(ayse, GROUP, "challenge")
    await room.press(mehmet, GROUP, room.live(GROUP), "Accept")
    await against_computer(room, ayse)
    said = await room.ask(ayse, OTHER, "games")
    assert isinstance(said, Said)
    assert said.message.lines[0].endswith("your turn")
    assert [button.label for button in said.message.buttons] == ["1", "2"]
    opened = await room.desk.press(ayse, OTHER, "1", said.message.buttons[0].action, room.delivery(), live=False)
    assert isinstance(opened, Opened)
    with pytest.raises(NotYours):
        await room.desk.press(room.person("Eve"), OTHER, "1", said.message.buttons[0].action, room.delivery())


async def test_without_a_match_a_command_says_so(room: Room) -> None:
    for command in ("board", "move", "hint"):
        with pytest.raises(Illegal, match="no_match_here"):
            await room.ask(room.person("Ayşe"), GROUP, command, play="13/8")


async def test_of_two_matches_here_the_one_replied_to_is_meant(room: Room) -> None:
    ayse = room.person("Ayşe")
    first = await against_computer(room, ayse)
    second = await against_computer(room, ayse)
    with pytest.raises(Ambiguous, match="which_match"):
        await room.ask(ayse, at_home(ayse), "move", play=second.labels[0])
    typed = await asked(room, ayse, at_home(ayse), "move", play=first.labels[0])
    assert isinstance(await room.deliver(replace(typed, message=first.number)), Done)
    assert "Undo" in first.labels
    assert "Undo" not in second.labels


async def test_board_shows_the_table_again_below(room: Room) -> None:
    ayse = room.person("Ayşe")
    live = await against_computer(room, ayse)
    await room.ask(ayse, at_home(ayse), "board")
    assert live.retired
    assert room.live(at_home(ayse)).message.picture == live.message.picture


async def test_foreign_button_data_is_refused(room: Room) -> None:
    ayse = room.person("Ayşe")
    for data in ("", "x", "!aaaaaaaaaa.1.a", "aaaaaaaaaa.1.z", "/fly", "💥" * 40, encode(Run("text"))):
        with pytest.raises(Refusal):
            await room.desk.press(ayse, GROUP, "1", data, room.delivery())
