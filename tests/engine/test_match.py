"""Laws of a match: it is what its events say, it ends, and nobody plays out of turn."""

import contextlib
import random
from dataclasses import replace

import pytest

from bot.engine import commands as ask
from bot.engine import events as told
from bot.engine import match as engine
from bot.engine.board import side
from bot.engine.commands import Command
from bot.engine.dice import Dice, Roll
from bot.engine.errors import Illegal, NotYours, Refusal, Unreadable
from bot.engine.match import Change, Match, Phase, Shape
from bot.engine.variant import Value
from bot.variants import games, variant
from tests.engine.playing import seeded_dice, some_command, whole_match

THREE_ONE = Roll(3, 1)
every_game = pytest.mark.parametrize("game", list(games()))


def fresh(length: int = 3, game: str = "tavla", rules: dict[str, Value] | None = None) -> Match:
    return engine.start(Shape(target=length), (variant(game, rules),))


def scripted(*rolls: tuple[int, int], first: int = 0) -> Dice:
    """Just these rolls from index `first` on; any other is a mistake of the test."""
    return lambda index: Roll(*rolls[index - first])


def proceeded(match: Match, dice: Dice) -> Match:
    """The match once it waits for a person."""
    while not engine.awaited(match):
        match = engine.apply(match, ask.Proceed(), 0, dice).match
    return match


@every_game
@pytest.mark.parametrize("seed", range(6))
def test_a_match_ends_and_its_events_replay_to_it(game: str, seed: int) -> None:
    began = fresh(3, game)
    ended, events = whole_match(began, seed)
    assert engine.replay(began, events) == ended
    assert ended.end is not None
    if ended.end.reason == "score":
        assert max(ended.score) >= 3


@every_game
def test_every_roll_has_its_own_index_in_order(game: str) -> None:
    _, events = whole_match(fresh(5, game), seed=3)
    indexes = [event.index for event in events if isinstance(event, told.Rolled | told.OpeningRolled)]
    assert indexes == list(range(len(indexes)))


def test_a_refused_command_changes_nothing_and_the_other_seat_cannot_play() -> None:
    def check(match: Match, command: Command, change: Change) -> None:
        if match.phase is Phase.PLAY and isinstance(command, ask.TakeSteps | ask.Undo | ask.Confirm):
            with pytest.raises(NotYours, match="not_your_turn"):
                engine.apply(match, replace(command, seat=1 - command.seat), 0, seeded_dice(1))

    whole_match(fresh(1), seed=5, each=check)


@pytest.mark.parametrize("seed", range(3))
def test_nonsense_is_refused_and_never_an_exception_of_another_kind(seed: int) -> None:
    choose, dice = random.Random(seed), seeded_dice(seed)
    match = fresh(2)
    for _ in range(3000):
        command = choose.choice(
            [
                ask.Proceed(),
                ask.Throw(choose.choice((0, 1))),
                ask.TakeSteps(choose.choice((0, 1)), ((choose.randint(0, 25), choose.randint(1, 6)),)),
                ask.TakeSteps(choose.choice((0, 1)), ()),
                ask.Undo(choose.choice((0, 1))),
                ask.Confirm(choose.choice((0, 1))),
                ask.Concede(choose.choice((0, 1)), "game"),
                ask.AnswerConcession(choose.choice((0, 1)), accept=False),
                ask.NextGame(0),
                ask.AskRematch(choose.choice((0, 1))),
                some_command(match, choose) if match.phase is not Phase.OVER else ask.Proceed(),
            ]
        )
        with contextlib.suppress(Refusal):
            match = engine.apply(match, command, 0, dice).match


def test_the_starter_sees_the_opening_and_throws_afresh() -> None:
    dice = scripted((2, 2), (3, 6), (5, 5))
    match = proceeded(fresh(), dice)
    assert (match.phase, match.game.starter, match.game.opening) == (Phase.ROLL, 1, Roll(3, 6))
    assert engine.awaited(match) == (1,)
    with pytest.raises(NotYours):
        engine.apply(match, ask.Throw(0), 0, dice)
    match = engine.apply(match, ask.Throw(1), 0, dice).match
    assert (match.phase, match.game.roll, match.game.rolls) == (Phase.PLAY, Roll(5, 5), (0, 1))
    with pytest.raises(Illegal, match="rolled_already"):
        engine.apply(match, ask.Throw(1), 0, dice)


def test_where_the_house_says_so_the_opening_dice_are_played() -> None:
    match = proceeded(fresh(rules={"opening": "play"}), scripted((3, 6)))
    assert (match.phase, match.game.on_roll, match.game.roll) == (Phase.PLAY, 1, Roll(3, 6))


def playing(roll: Roll = THREE_ONE, *, on_roll: int = 0) -> Match:
    """The start position with a roll to play in the fifth turn."""
    match = fresh()
    game = replace(match.game, on_roll=on_roll, starter=on_roll, opening=Roll(2, 1), roll=roll, turns=4, rolls=(2, 2))
    return replace(match, game=game, stage=Phase.PLAY, next_roll=5)


def test_undo_goes_back_to_before_the_last_choice() -> None:
    match = playing(Roll(6, 5))
    match = engine.apply(match, ask.TakeSteps(0, ((24, 6),)), 0, seeded_dice(1)).match
    match = engine.apply(match, ask.TakeSteps(0, ((13, 5),)), 0, seeded_dice(1)).match
    match = engine.apply(match, ask.Undo(0), 0, seeded_dice(1)).match
    assert [taken[:2] for taken in match.game.so_far] == [(24, 6)]
    match = engine.apply(match, ask.Undo(0), 0, seeded_dice(1)).match
    assert match.game.so_far == ()
    with pytest.raises(Illegal, match="nothing_to_undo"):
        engine.apply(match, ask.Undo(0), 0, seeded_dice(1))


def test_a_shortcut_is_undone_as_one() -> None:
    match = engine.apply(playing(), ask.TakeSteps(0, ((8, 3), (5, 1))), 0, seeded_dice(1)).match
    assert len(match.game.so_far) == 2
    assert engine.apply(match, ask.Undo(0), 0, seeded_dice(1)).match.game.so_far == ()


def test_steps_are_taken_together_or_not_at_all() -> None:
    with pytest.raises(Illegal):
        engine.apply(playing(), ask.TakeSteps(0, ((8, 3), (24, 6))), 0, seeded_dice(1))


def test_a_turn_cannot_be_confirmed_before_its_dice_are_played() -> None:
    match = engine.apply(playing(), ask.TakeSteps(0, ((8, 3),)), 0, seeded_dice(1)).match
    with pytest.raises(Illegal, match="turn_incomplete"):
        engine.apply(match, ask.Confirm(0), 0, seeded_dice(1))


def test_the_rest_of_a_turn_that_leaves_no_choice_is_played_and_waits_for_confirm() -> None:
    match = playing(Roll(6, 5))
    sides = (side([(13, 1), (8, 1), (1, 13)]), side([(24, 2), (20, 13)]))
    match = replace(match, game=replace(match.game, sides=sides))
    first = match.game.turn().steps()[0]
    match = engine.apply(match, ask.TakeSteps(0, ((first.start, first.die),)), 0, seeded_dice(1)).match
    if not match.game.turn().steps():
        assert engine.awaited(match) == (0,)


def test_a_forced_play_is_made_and_the_turn_passes() -> None:
    match = playing(Roll(6, 5))
    sides = (side([(13, 1), (1, 14)]), side([(23, 2), (20, 13)]))
    match = replace(match, game=replace(match.game, sides=sides))
    change = engine.apply(match, ask.Proceed(), 0, seeded_dice(1))
    assert change.events == (told.Stepped(0, 13, 6, chosen=False), told.Played(0, forced=True))
    assert change.match.game.on_roll == 1


def test_no_legal_play_passes_with_the_dice_kept_for_telling() -> None:
    match = playing(Roll(5, 5))
    sides = (side([(25, 1), (6, 14)]), side([(5, 2), (3, 13)]))
    change = engine.apply(replace(match, game=replace(match.game, sides=sides)), ask.Proceed(), 0, seeded_dice(1))
    assert change.events == (told.Passed(0, "no_play"),)
    past = change.match.game.recent[-1]
    assert (past.roll, past.passed, past.steps) == (Roll(5, 5), "no_play", ())


def test_concession_freezes_the_game_until_it_is_answered() -> None:
    match = engine.apply(playing(), ask.Concede(1, "game"), 0, seeded_dice(1)).match
    assert (match.phase, engine.awaited(match)) == (Phase.CONCESSION, (0,))
    for command in (ask.TakeSteps(0, ((8, 3),)), ask.Concede(0, "game")):
        with pytest.raises(Illegal, match="offer_pending"):
            engine.apply(match, command, 0, seeded_dice(1))
    with pytest.raises(NotYours, match="own_offer"):
        engine.apply(match, ask.AnswerConcession(1, accept=True), 0, seeded_dice(1))
    after = engine.apply(match, ask.AnswerConcession(0, accept=False), 0, seeded_dice(1)).match
    assert after.phase is Phase.PLAY
    with pytest.raises(Illegal, match="declined_this_turn"):
        engine.apply(after, ask.Concede(1, "match"), 0, seeded_dice(1))
    assert after.may_concede(0)


def test_a_conceded_game_counts_and_the_match_goes_on() -> None:
    match = engine.apply(playing(), ask.Concede(1, "game"), 0, seeded_dice(1)).match
    after = engine.apply(match, ask.AnswerConcession(0, accept=True), 0, seeded_dice(1)).match
    assert (after.phase, after.score) == (Phase.BETWEEN, (2, 0))
    assert after.game.result is not None
    assert after.game.result.by == "concession"


def test_a_conceded_match_is_over_with_its_score_unchanged() -> None:
    match = engine.apply(playing(), ask.Concede(0, "match"), 0, seeded_dice(1)).match
    after = engine.apply(match, ask.AnswerConcession(1, accept=True), 0, seeded_dice(1)).match
    assert (after.phase, after.score, after.end) == (Phase.OVER, (0, 0), (1, "concession"))


def test_a_match_can_be_aborted_only_before_its_second_roll() -> None:
    dice = scripted((6, 3), (3, 1), (4, 2))
    match = proceeded(fresh(), dice)
    assert engine.apply(match, ask.Abort(1), 0, dice).match.end == (None, "aborted")
    match = engine.apply(match, ask.Throw(0), 0, dice).match
    assert match.may_abort
    match = engine.apply(match, ask.TakeSteps(0, ((8, 3), (6, 1))), 0, dice).match
    match = proceeded(engine.apply(match, ask.Confirm(0), 0, dice).match, dice)
    with pytest.raises(Illegal, match="too_late_to_abort"):
        engine.apply(match, ask.Abort(1), 0, dice)


@pytest.mark.parametrize(("rule", "starter"), [("winner", 1), ("alternate", 1), ("fresh", None)])
def test_who_starts_the_next_game(rule: str, starter: int | None) -> None:
    match = replace(playing(), programme=(variant("tavla", {"next_starter": rule}),))
    match = engine.apply(match, ask.Concede(0, "game"), 0, seeded_dice(1)).match
    match = engine.apply(match, ask.AnswerConcession(1, accept=True), 0, seeded_dice(1)).match
    assert match.game.starter == 0
    match = engine.apply(match, ask.NextGame(0), 0, seeded_dice(1)).match
    assert match.game.starter == starter
    assert match.phase is (Phase.OPENING if starter is None else Phase.ROLL)


@pytest.mark.parametrize("length", [0, -1, 26, 10**9])
def test_absurd_lengths_are_refused(length: int) -> None:
    with pytest.raises(Unreadable, match="bad_length"):
        fresh(length)


def test_a_choice_after_a_forced_first_step_can_be_undone() -> None:
    """One action, two steps: from the bar there is one way in, then there are many."""
    sides = (side([(25, 1), (13, 5), (8, 3), (6, 5)]), side([(3, 2), (13, 5), (8, 3), (6, 5)]))
    match = playing(Roll(5, 3))
    match = replace(match, game=replace(match.game, sides=sides))
    assert [(step.start, step.die) for step in match.game.turn().steps()] == [(25, 5)]
    match = engine.apply(match, ask.TakeSteps(0, ((25, 5), (13, 3))), 0, seeded_dice(1)).match
    match = engine.apply(match, ask.Undo(0), 0, seeded_dice(1)).match
    assert [taken[:2] for taken in match.game.so_far] == [(25, 5)]


def test_aborting_robs_nobody_of_a_concession() -> None:
    dice = scripted((6, 3), (3, 1))
    offered = engine.apply(proceeded(fresh(), dice), ask.Concede(0, "match"), 0, dice).match
    scored = engine.apply(proceeded(fresh(), dice), ask.Concede(0, "game"), 0, dice).match
    scored = engine.apply(scored, ask.AnswerConcession(1, accept=True), 0, dice).match
    assert scored.phase is Phase.BETWEEN
    for match in (offered, scored):
        with pytest.raises(Illegal, match="too_late_to_abort"):
            engine.apply(match, ask.Abort(0), 0, dice)


@pytest.mark.parametrize("start", [-1, 0, 26, 99])
def test_points_that_do_not_exist_are_refused(start: int) -> None:
    with pytest.raises(Illegal, match="no_checker"):
        engine.apply(playing(), ask.TakeSteps(0, ((start, 3),)), 0, seeded_dice(1))
