"""The worked cases of the rules: each is a test by its id. Games that are not built yet wait in the file."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.engine import commands as ask
from bot.engine import events as told
from bot.engine import match as engine
from bot.engine.board import Position, Side, side
from bot.engine.clock import Clock
from bot.engine.dice import Roll
from bot.engine.errors import Illegal
from bot.engine.match import Match, Phase, Shape
from bot.engine.plays import Turn
from bot.variants import games, variant

Case = dict[str, Any]
CASES: list[Case] = json.loads((Path(__file__).parents[1] / "games" / "rule_cases.json").read_text())["cases"]
PLAYABLE = [case for case in CASES if case["game"] in games()]
SEATS = {"A": 0, "B": 1}


def of_kind(*kinds: str) -> pytest.MarkDecorator:
    chosen = [case for case in PLAYABLE if case["expected"]["kind"] in kinds]
    return pytest.mark.parametrize("case", chosen, ids=[case["id"] for case in chosen])


def side_of(points: dict[str, int], bar: int) -> Side:
    return side([*((int(point), count) for point, count in points.items()), (25, bar)])


def board(fields: Case) -> Position:
    return Position(side_of(fields["me"], fields["me_bar"]), side_of(fields["opp"], fields["opp_bar"]))


def turn(case: Case) -> Turn:
    rules = variant(case["game"], case["options"])
    return Turn.begin(rules, board(case["position"]), rules.dice(Roll(*case["dice"])))


def test_every_kind_of_case_of_the_games_built_is_tried() -> None:
    tried = {"final_positions", "pass", "opening", "score", "match", "turn_flow", "clock"}
    tried |= {"concession_value", "concession_menu", "concession_protocol"}
    assert {case["expected"]["kind"] for case in PLAYABLE} <= tried
    assert len([case for case in PLAYABLE if case["game"] == "tavla"]) == 38


@of_kind("final_positions")
def test_final_positions(case: Case) -> None:
    played, expected = turn(case), case["expected"]
    plays = played.plays()
    assert played.most() == expected["dice_used"]
    assert len(plays) == expected["count"] == len({play.position for play in plays})
    if expected["final"] is not None:
        assert {play.position for play in plays} == {board(final) for final in expected["final"]}
    for play in plays:
        again = played
        for step in play.steps:
            again = again.take(step.start, step.die)
        assert again.position == play.position


@of_kind("pass")
def test_passes(case: Case) -> None:
    assert [play.steps for play in turn(case).plays()] == [()]
    assert turn(case).most() == 0


def fresh(case: Case, length: int = 5) -> Match:
    return engine.start(Shape(target=length), (variant(case["game"], case["options"]),))


@of_kind("opening")
def test_openings(case: Case) -> None:
    roll, expected = Roll(*case["context"]["dice"]), case["expected"]
    after = engine.apply(fresh(case), ask.Proceed(), 0, lambda index: roll).match
    if expected["starter"] is None:
        assert expected["action"] == "reroll_both"
        assert (after.phase, after.next_roll, after.game.starter) == (Phase.OPENING, 1, None)
        return
    assert after.game.starter == {"first": 0, "second": 1}[expected["starter"]]
    assert expected["plays"] == "fresh_roll"
    assert (after.phase, after.game.roll) == (Phase.ROLL, None)


def bearing_off(case: Case, loser: Side, *, length: int = 5, score: tuple[int, int] = (0, 0), winner: int = 0) -> Match:
    """A match in which `winner` has one checker left on the ace point and has thrown 2-1."""
    match = fresh(case, length)
    sides = (side([(1, 1)]), loser) if winner == 0 else (loser, side([(1, 1)]))
    game = replace(match.game, sides=sides, on_roll=winner, roll=Roll(2, 1), turns=9)
    return replace(match, game=game, stage=Phase.PLAY, score=score)


def no_dice(index: int) -> Roll:
    raise AssertionError(f"nobody should roll, but roll {index} was asked for")


@of_kind("score")
def test_scores(case: Case) -> None:
    context, expected = case["context"], case["expected"]
    bar = context.get("loser_bar", 0)
    loser = side([(1, 15 - context["loser_off"] - bar), (25, bar)])
    change = engine.apply(bearing_off(case, loser), ask.Proceed(), 0, no_dice)
    ended = next(event for event in change.events if isinstance(event, told.GameEnded))
    assert (ended.winner, ended.points, ended.kind) == (0, expected["points"], expected["label"])


@of_kind("match")
def test_match_scores(case: Case) -> None:
    context, expected = case["context"], case["expected"]
    winner = context["winner"]
    loser = side([(1, 15 if context["points"] == 2 else 14)])
    score = (context["score"][0], context["score"][1])
    match = bearing_off(case, loser, length=context["length"], score=score, winner=winner)
    after = engine.apply(match, ask.Proceed(), 0, no_dice).match
    assert list(after.score) == expected["score"]
    assert (after.phase is Phase.OVER) == expected["match_over"]
    assert after.end is not None
    assert after.end.winner == expected["winner"]


@of_kind("turn_flow")
def test_closed_out(case: Case) -> None:
    context, expected = case["context"], case["expected"]
    me = side([(25, context["me_bar"]), (6, 14)])
    opponent = side([(25 - point, 2) for point in context["opp_holds"]])
    match = fresh(case)
    game = replace(match.game, sides=(me, opponent), on_roll=0, turns=9)
    match = replace(match, game=game, stage=Phase.ROLL)
    assert (expected["rolls"], expected["turn"]) == (False, "passes")
    change = engine.apply(match, ask.Proceed(), 0, no_dice)
    assert change.events == (told.Passed(0, "closed_out"),)
    assert change.match.game.on_roll == 1


def in_play(case: Case, me: Side | None = None, length: int = 5) -> Match:
    match = fresh(case, length)
    sides = (me or match.game.variant.start, match.game.variant.start)
    return replace(match, game=replace(match.game, sides=sides, on_roll=0, roll=Roll(3, 1), turns=4), stage=Phase.PLAY)


@of_kind("concession_value")
def test_concession_values(case: Case) -> None:
    off = case["context"]["conceder_off"]
    assert in_play(case, side([(6, 15 - off)])).concession(0) == case["expected"]["points"]


@of_kind("concession_menu")
def test_concession_menus(case: Case) -> None:
    match = in_play(case, length=case["context"]["match_length"])
    assert list(match.scopes) == case["expected"]["options"]
    with pytest.raises(Illegal, match="only_one_game"):
        engine.apply(match, ask.Concede(0, "match"), 0, no_dice)


@of_kind("concession_protocol")
def test_concession_protocols(case: Case) -> None:
    match, expected = in_play(case), case["expected"]
    *before, last = [event.split(":") for event in case["context"]["events"]]
    for who, what in before:
        match = engine.apply(match, concession(SEATS[who], what), 0, no_dice).match
    if "third" in expected:
        assert expected["third"] == "rejected_until_turn_passes"
        with pytest.raises(Illegal, match="declined_this_turn"):
            engine.apply(match, concession(SEATS[last[0]], last[1]), 0, no_dice)
        return
    assert expected["result"] == "accepted"  # what an expired answer comes to; the clock itself comes later
    after = engine.apply(match, ask.AnswerConcession(SEATS[last[0]], True), 0, no_dice).match
    assert after.game.result is not None
    assert after.game.result.winner == SEATS[last[0]]


def concession(seat: int, what: str) -> ask.Command:
    return ask.Concede(seat, "game") if what == "offer" else ask.AnswerConcession(seat, what == "accept")


@of_kind("clock")
def test_clocks(case: Case) -> None:
    context, expected = case["context"], case["expected"]
    if "timeouts" in context:
        clock = Clock("live", (90, 90))
        for decision in context["timeouts"]:
            clock = clock.expired(0) if decision.endswith("auto") else clock.completed(0)
        assert clock.loser() == (0 if expected["match"] == "lost" else None)
        return
    clock = Clock("live", (context["bank_before"], 90))
    assert clock.expires(0, context["decision_s"]) == expected["timed_out"]
    assert clock.spent(0, context["decision_s"]).banks == (expected["bank_after"], 90)
