"""A challenge in a chat: who sees which buttons, how it is changed, what is left when it is over."""

from dataclasses import replace
from itertools import product
from typing import get_args

import pytest

from bot import variants
from bot.engine.match import Shape
from bot.service.actions import MOST_BYTES, Ask, Asking, decode_any
from bot.service.lobby import changed
from bot.service.table import LEVELS, Challenge, Seat, Terms
from render.buttons import Button
from render.invitations import LONGEST_LABEL, STATES, Viewer, invitation
from render.message import Message, rows
from render.terms import OFFERED, RULES, told
from render.words import LONGEST_NAME, languages, words

VIEWERS: tuple[Viewer, ...] = get_args(Viewer)
OPEN = Challenge("abcdefghjk", 3, Terms(), Seat(1, "Ayşe"), None, "telegram:-100", 0.0, 60.0)
TO_MEHMET = replace(OPEN, opponent=2)
TO_NAME = replace(OPEN, named="mehmet")
DRAFT = replace(OPEN, computer=True)
KINDS = {"open": OPEN, "to a player": TO_MEHMET, "to a name": TO_NAME, "computer": DRAFT}
PANELS = ("", "length", "rules")
LINK = "https://t.me/TavlaBot?start=abcdefghjk"
CHANGES = (Ask.CHANGE, Ask.PANEL, Ask.WITHDRAW)


def shown(challenge: Challenge, viewer: Viewer = "all", panel: str = "", language: str = "en") -> Message:
    opponent = "" if challenge.to_anyone or challenge.computer else "Mehmet"
    return invitation(challenge, words(language), viewer, opponent=opponent, link=LINK, panel=panel)


def asking(button: Button) -> Asking:
    action = decode_any(button.action)
    assert isinstance(action, Asking)
    return action


def asked(message: Message) -> list[Asking]:
    return [asking(button) for button in message.buttons]


def labels(message: Message) -> list[str]:
    return [button.label for button in message.buttons]


# Who may press what.


@pytest.mark.parametrize(
    ("kind", "viewer", "expected"),
    [
        ("open", "all", ["Accept", "Length…", "House rules…", "Withdraw"]),
        ("open", "guest", ["Accept"]),
        ("open", "challenger", ["Length…", "House rules…", "Withdraw"]),
        ("to a player", "all", ["Accept", "Decline", "Length…", "House rules…", "Withdraw"]),
        ("to a player", "guest", ["Accept", "Decline"]),
        ("to a name", "guest", ["Accept", "Decline"]),
        ("to a name", "challenger", ["Length…", "House rules…", "Withdraw"]),
        ("computer", "all", ["Easy", "Medium", "Hard", "Length…", "House rules…", "Withdraw"]),
        ("computer", "challenger", ["Easy", "Medium", "Hard", "Length…", "House rules…", "Withdraw"]),
    ],
)
def test_each_viewer_has_the_buttons_that_are_his(kind: str, viewer: Viewer, expected: list[str]) -> None:
    assert labels(shown(KINDS[kind], viewer)) == expected


def test_every_button_carries_the_challenge_as_it_stands() -> None:
    for challenge, viewer, panel in product(KINDS.values(), VIEWERS, PANELS):
        for each in asked(shown(challenge, viewer, panel)):
            assert (each.challenge, each.revision) == (challenge.id, challenge.revision)


def test_the_computer_is_started_at_the_level_pressed() -> None:
    started = [each.value for each in asked(shown(DRAFT, "challenger")) if each.ask is Ask.START]
    assert started == list(LEVELS)


def test_a_guest_never_changes_anything() -> None:
    for challenge in KINDS.values():
        assert not [each for each in asked(shown(challenge, "guest")) if each.ask in CHANGES]


def test_an_answer_and_a_withdrawal_lie_apart() -> None:
    """Whatever cannot be taken back is in another row than the way out of it."""
    for challenge in KINDS.values():
        answers, own = list(rows(shown(challenge).buttons))
        assert {asking(button).ask for button in answers} <= {Ask.ACCEPT, Ask.DECLINE, Ask.START}
        assert {asking(button).ask for button in own} <= set(CHANGES)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("state", STATES)
def test_when_it_is_over_nothing_can_be_pressed_and_it_is_said_how(state: str, language: str) -> None:
    for challenge, viewer, panel in product((OPEN, TO_MEHMET, TO_NAME), VIEWERS, PANELS):
        message = shown(replace(challenge, state=state), viewer, panel, language)
        assert (message.buttons, message.small) == ((), ())
        assert message.lines[-1] == words(language).say(STATES[state])
    for state_of_draft in STATES:
        assert shown(replace(DRAFT, state=state_of_draft), "challenger").buttons == ()


def test_every_end_that_a_challenge_has_is_named() -> None:
    assert set(STATES) == {"accepted", "declined", "withdrawn", "expired"}


# Changing it.


def pressed(challenge: Challenge, label_of: Asking) -> Challenge:
    """The challenge after a change, as the lobby makes it."""
    return replace(challenge, revision=challenge.revision + 1, terms=changed(challenge.terms, label_of.value))


@pytest.mark.parametrize("rule", variants.games()["tavla"].options)
def test_pressing_a_rule_goes_through_all_its_values_and_comes_round(rule: str) -> None:
    values, challenge, seen = variants.games()["tavla"].options[rule], OPEN, []
    for _ in range(2 * len(values)):
        (press,) = [each for each in asked(shown(challenge, panel="rules")) if each.value.startswith(f"{rule}.")]
        assert press.ask is Ask.CHANGE
        challenge = pressed(challenge, press)
        seen.append(challenge.terms.rules.get(rule, values[0]))
    assert seen == [*values[1:], values[0]] * 2
    assert challenge.terms == Terms()


def test_the_panel_of_rules_tells_what_is_chosen_now() -> None:
    terms = Terms(rules={"opening": "play", "closed_out": "roll"})
    for language in languages():
        message = shown(replace(OPEN, terms=terms), panel="rules", language=language)
        assert labels(message)[:-1] == list(told(terms, words(language)))
        assert len(message.buttons) == len(RULES) + 1


def test_the_panel_of_lengths_offers_each_and_marks_the_one_chosen() -> None:
    for target in (*OFFERED, 4):
        challenge = replace(OPEN, terms=Terms(shape=Shape(target=target)))
        message = shown(challenge, panel="length")
        marked = [label for label in labels(message) if label.startswith("·")]
        assert marked == ([f"· {target} ·"] if target in OFFERED else [])
        lengths = [pressed(challenge, each).terms.shape.target for each in asked(message) if each.ask is Ask.CHANGE]
        assert lengths == list(OFFERED)


@pytest.mark.parametrize("panel", ["length", "rules"])
def test_a_panel_has_a_way_back_and_nothing_that_ends_the_challenge(panel: str) -> None:
    for challenge in KINDS.values():
        found = asked(shown(challenge, "challenger", panel))
        assert [(each.ask, each.value) for each in found if each.ask is not Ask.CHANGE] == [(Ask.PANEL, "main")]
        assert found[-1].value == "main"


# What is said.


def test_it_is_said_who_plays_whom_and_under_which_rules() -> None:
    assert shown(OPEN).title == "Tavla · match to 5 points"
    assert shown(OPEN).lines[0] == "Ayşe is looking for an opponent: whoever accepts plays."
    assert shown(TO_MEHMET).lines[0] == "Ayşe challenges Mehmet."
    assert shown(DRAFT).lines[0] == "Ayşe against the computer. How strong shall it play?"
    assert shown(replace(OPEN, terms=Terms(rules={"opening": "play"}))).lines[1:] == (
        "Whoever starts: plays the two opening dice",
        "The next game is started by: a new opening roll",
        "A checker that hits in its home board: may move on in the same turn",
        "A checker on the bar before six closed points: does not roll",
    )


@pytest.mark.parametrize(
    ("kind", "viewer", "told_there"),
    [
        ("open", "all", True),
        ("open", "challenger", True),
        ("open", "guest", False),
        ("to a player", "all", False),
        ("to a player", "challenger", True),
        ("to a name", "all", False),
        ("computer", "challenger", False),
    ],
)
def test_the_way_for_a_friend_is_told_where_it_is_wanted(kind: str, viewer: Viewer, told_there: bool) -> None:
    small = " ".join(shown(KINDS[kind], viewer).small)
    assert (LINK in small) == told_there
    assert (OPEN.id in small) == told_there


@pytest.mark.parametrize("language", languages())
def test_labels_and_data_are_short_enough_and_lie_each_at_its_place(language: str) -> None:
    variant = variants.games()["tavla"]
    challenger = Seat(1, "W" * LONGEST_NAME)
    for values in product(*variant.options.values()):
        rules = dict(zip(variant.options, values, strict=True))
        terms = Terms(rules={rule: value for rule, value in rules.items() if value != variant.options[rule][0]})
        for kind, viewer, panel in product(KINDS.values(), VIEWERS, PANELS):
            challenge = replace(kind, revision=36**6 - 1, terms=terms, challenger=challenger)
            message = shown(challenge, viewer, panel, language)
            places = [button.place for button in message.buttons]
            assert places == sorted(set(places))
            assert set(places) <= set(range(25))
            assert all(len(row) <= 5 for row in rows(message.buttons))
            assert all(0 < len(label) <= LONGEST_LABEL for label in labels(message))
            assert len(set(labels(message))) == len(message.buttons)
            assert all(len(button.action.encode()) <= MOST_BYTES for button in message.buttons)
            assert message.within(1024) == message


def test_no_label_is_cut_off() -> None:
    """The longest rule with its longest value is told in full on its button."""
    for language in languages():
        for rule, values in variants.games()["tavla"].options.items():
            for number in range(len(values)):
                terms = changed(Terms(), f"{rule}.{number}")
                assert all(len(line) <= LONGEST_LABEL for line in told(terms, words(language)))


def test_turkish_and_english_say_different_things() -> None:
    for challenge, viewer, panel in product(KINDS.values(), VIEWERS, PANELS):
        english, turkish = (shown(challenge, viewer, panel, language) for language in ("en", "tr"))
        both = {*english.lines, *english.small, *labels(english)} & {*turkish.lines, *turkish.small, *labels(turkish)}
        assert all(label.strip("· ").isdecimal() for label in both), both
