"""What people are told: what has happened since they last decided, what is to be done, how it stands."""

import re
from dataclasses import replace

import pytest

from bot.engine import events as told_events
from bot.engine.board import BAR, POINTS
from bot.engine.events import Event
from bot.engine.game import RECENT
from bot.engine.match import Phase, Shape
from bot.service.actions import Verb
from bot.service.ports import Ranked
from bot.service.table import Seat, Table, Tally
from bot.variants.tavla import Tavla
from render.sentences import Teller
from render.words import words
from tests.render.tables import COMPUTER, PEOPLE, STORIES, VIEWERS, at, did, moments, told, took

NAME, ROLL = "(?P<name>.+)", r"(?P<roll>\d-\d)"
TURNS = {
    "forced": rf"{NAME}, {ROLL}: .+ \(the only legal play\)",
    "no_play": rf"{NAME}, {ROLL}: no legal move, the turn passes\.",
    "closed_out": rf"{NAME} cannot enter from the bar and does not roll: the turn passes\.",
    "played": rf"{NAME}, {ROLL}: .+",
}
OWN_TURNS = {
    "forced": rf"You rolled {ROLL}: .+, the only legal play, was made for you\.",
    "no_play": rf"You rolled {ROLL}\. No legal move with these dice — your turn passes\.",
    "closed_out": r"Your checker on the bar cannot enter — your turn passes\.",
    "played": rf"You played {ROLL}: .+",
}
Turn = tuple[int, str | None, str]
"""Whose it was, the roll, what it was."""


def lines(table: Table, seat: int | None = 0, tally: Tally | None = None) -> list[str]:
    return list(Teller(table, seat, words("en")).lines(tally))


def alt(table: Table, seat: int | None = 0, language: str = "en") -> str:
    return Teller(table, seat, words(language)).position()


# The turns that are over.


def turn_of(line: str, seat: int | None, names: tuple[str, str]) -> Turn | None:
    """The turn that a line tells, if it tells one."""
    for kind, form in OWN_TURNS.items():
        if seat is not None and (found := re.fullmatch(form, line)):
            return seat, found.groupdict().get("roll"), kind
    for kind, form in TURNS.items():
        found = re.fullmatch(form, line)
        if found and found["name"] in names:
            return names.index(found["name"]), found.groupdict().get("roll"), kind
    return None


class Log:
    """What a viewer has to be told, kept from what happened alone."""

    def __init__(self, seat: int | None) -> None:
        self._seat = seat
        self._roll = ""
        self.turns: list[Turn] = []
        self._own: list[Turn] = []

    def hear(self, event: Event) -> None:
        match event:
            case told_events.GameBegan():
                self.turns, self._own = [], []
            case told_events.OpeningRolled(_, roll) | told_events.Rolled(_, _, roll):
                self._roll = f"{max(roll)}-{min(roll)}"
            case told_events.Passed(seat, reason):
                self.turns.append((seat, self._roll if reason == "no_play" else None, reason))
            case told_events.Played(seat, True):
                self.turns.append((seat, self._roll, "forced"))
            case told_events.Played(seat, False):
                self._decided((seat, self._roll, "played"))

    def _decided(self, turn: Turn) -> None:
        if self._seat is None:
            self.turns = [turn]
        elif self._seat == turn[0]:
            self.turns, self._own = [], [turn]
        else:
            self.turns.append(turn)

    def expected(self) -> list[Turn]:
        return (self.turns or self._own)[-RECENT:]


@pytest.mark.parametrize("seat", VIEWERS)
@pytest.mark.parametrize("number", range(len(STORIES)))
def test_the_turns_since_ones_own_last_decision_are_told_once_and_nothing_older(number: int, seat: int | None) -> None:
    log, kinds = Log(seat), set()
    for table, events in told(number):
        for event in events:
            log.hear(event)
        names = words("en").names(table.seats)
        found = [turn for line in lines(table, seat) if (turn := turn_of(line, seat, names))]
        assert found == log.expected(), lines(table, seat)
        kinds |= {kind for _, _, kind in found}
    assert "played" in kinds


def test_passes_and_forced_plays_are_among_them() -> None:
    kinds = {
        turn[2]
        for seat in (0, 1)
        for table, _ in moments()
        for line in lines(table, seat)
        if (turn := turn_of(line, seat, words("en").names(table.seats)))
    }
    assert {"played", "forced", "no_play"} <= kinds


SIX_POINTS = "24:1 8:2 6:2 5:2 4:2 3:2 2:2 1:2"
FIVE_POINTS = "24:1 8:2 6:3 5:3 4:2 3:2 2:2"
ON_BAR = "25:1 13:14"


def test_no_legal_move_is_said_to_both() -> None:
    table = did(took(at(FIVE_POINTS, ON_BAR, roll=(2, 1)), 0, (8, 2), (8, 1)), 0, Verb.CONFIRM, (5, 5), (4, 3))
    assert lines(table, 0)[:2] == ["Mehmet, 5-5: no legal move, the turn passes.", "Your move: 4-3."]
    assert lines(table, 1)[:3] == [
        "Ayşe, 2-1: 8/6 8/7",
        "You rolled 5-5. No legal move with these dice — your turn passes.",
        "Ayşe has 4-3 to play.",
    ]


def test_being_closed_out_is_said_to_both() -> None:
    table = did(took(at(SIX_POINTS, ON_BAR, roll=(2, 1)), 0, (8, 2), (8, 1)), 0, Verb.CONFIRM, (4, 3))
    assert lines(table, 0)[0] == "Mehmet cannot enter from the bar and does not roll: the turn passes."
    assert lines(table, 1)[1] == "Your checker on the bar cannot enter — your turn passes."


def test_a_play_without_a_choice_is_made_and_said_to_both() -> None:
    table = at("8:2 6:3 5:3 4:3 3:2 2:2", "25:1 1:14", roll=(2, 1))
    after = did(took(table, 0, (8, 2), (8, 1)), 0, Verb.CONFIRM, (2, 1), (4, 3))
    assert lines(after, 0)[0] == "Mehmet, 2-1: bar/24 (the only legal play)"
    assert lines(after, 1)[1] == "You rolled 2-1: bar/24, the only legal play, was made for you."


# The opening.


def opened(rules: dict[str, str] | None = None, seats: tuple[Seat, Seat] = PEOPLE, starter: int = 0) -> Table:
    table = at(variant=Tavla(rules), on_roll=starter, seats=seats)
    game = replace(table.match.game, turns=0, rolls=(0, 0), starter=starter)
    if starter == 1:
        game = replace(game, opening=game.opening and game.opening._replace(first=3, second=6))
    return replace(table, match=replace(table.match, game=game))


def test_the_opening_roll_says_who_starts_and_what_is_played() -> None:
    table = opened()
    assert lines(table, 0)[:2] == [
        "You start: 6 against 3.",
        "Your turn: roll both dice afresh for the first play.",
    ]
    assert lines(table, 1)[:2] == [
        "Ayşe starts: 6 against 3.",
        "Ayşe rolls both dice afresh for the first play.",
    ]
    rolled = did(table, 0, Verb.ROLL, (5, 4))
    assert lines(rolled, 0)[:2] == ["You start: 6 against 3.", "Your move: 5-4."]


def test_the_opening_is_told_until_one_has_played() -> None:
    played = did(took(did(opened(), 0, Verb.ROLL, (5, 4)), 0, (24, 4), (13, 5)), 0, Verb.CONFIRM, (2, 1))
    assert lines(played, 1)[:3] == ["Ayşe starts: 6 against 3.", "Ayşe, 5-4: 24/20 13/8", "Your move: 2-1."]
    assert lines(played, 0)[:2] == ["You played 5-4: 24/20 13/8", "Mehmet has 2-1 to play."]


def test_where_the_opening_dice_are_played_it_is_said() -> None:
    table = opened({"opening": "play"}, starter=1)
    game = replace(table.match.game, roll=table.match.game.opening)
    table = replace(table, match=replace(table.match, game=game, stage=Phase.PLAY))
    assert lines(table, 1)[:3] == ["You start: 6 against 3.", "These two dice are played.", "Your move: 6-3."]


def test_a_starter_by_house_rule_is_named() -> None:
    table = opened({"next_starter": "winner"})
    game = replace(table.match.game, opening=None, roll=None)
    table = did(replace(table, match=replace(table.match, game=game)), 0, Verb.ROLL, (5, 4))
    assert lines(table, 0)[:2] == ["You start this game.", "Your move: 5-4."]
    assert lines(table, 1)[0] == "Ayşe starts this game."


def test_the_result_of_the_game_before_is_told_until_one_has_played() -> None:
    """Either player goes on to the next game: the other one may not have looked yet."""
    table = did(did(at(roll=(6, 3)), 0, Verb.CONCEDE_GAME), 1, Verb.ACCEPT)
    table = did(table, 0, Verb.NEXT_GAME, (6, 3))
    assert lines(table, 0)[:2] == ["The game before: Mehmet won, 2 points (mars).", "You start: 6 against 3."]
    assert lines(table, 1)[:2] == ["The game before: you won, 2 points (mars).", "Ayşe starts: 6 against 3."]


# What is to be done.


def test_in_ones_turn_it_is_said_how_far_it_has_been_played() -> None:
    table = at(roll=(6, 3))
    assert "Your move: 6-3." in lines(table)
    half = took(table, 0, (24, 6))
    assert "Your move, 6-3: 24/18 so far." in lines(half)
    whole = took(half, 0, (18, 3))
    assert "Your move, 6-3: 24/15. Confirm?" in lines(whole)
    assert "Ayşe has 6-3 to play." in lines(whole, 1)
    assert "Ayşe has 6-3 to play." in lines(whole, None)


def test_a_rest_that_cannot_be_played_is_said() -> None:
    whole = took(at("20:1 18:1 1:13", "18:2 16:2 12:2 10:2 6:7", roll=(6, 5)), 0, (20, 6))
    assert "Your move, 6-5: 20/14. No more can be played. Confirm?" in lines(whole)


def test_the_computer_thinks() -> None:
    table = at(roll=(6, 3), on_roll=1, seats=COMPUTER)
    assert "The computer has 6-3 and is thinking…" in lines(table)


@pytest.mark.parametrize("seat", VIEWERS)
def test_somebody_is_always_named_or_addressed(seat: int | None) -> None:
    for table, _ in moments():
        if table.match.phase not in (Phase.ROLL, Phase.PLAY):
            continue
        on_roll = table.match.game.on_roll or 0
        said = lines(table, seat)
        mine = [line for line in said if line.startswith(("Your move", "Your turn"))]
        if on_roll == seat:
            assert len(mine) == 1
        else:
            name = "The computer" if table.seats[on_roll].computer else words("en").names(table.seats)[on_roll]
            assert not mine
            assert any(line.startswith(name) and re.search("to play|thinking|rolls both", line) for line in said), said


# Concessions and ends.


def test_a_concession_shows_its_worth() -> None:
    offered = did(at(roll=(6, 3)), 0, Verb.CONCEDE_GAME)
    assert "You offer to concede this game: 2 points (mars). Mehmet answers." in lines(offered, 0)
    for other in (1, None):
        assert "Ayşe offers to concede this game: 2 points (mars)." in lines(offered, other)
    late = did(at("6:2", "6:2", roll=(6, 3)), 1, Verb.CONCEDE_GAME)
    assert "Mehmet offers to concede this game: 1 point." in lines(late, 0)


def test_a_whole_match_can_be_conceded() -> None:
    offered = did(at(roll=(6, 3)), 0, Verb.CONCEDE_MATCH)
    assert "You offer to concede the match. Mehmet answers." in lines(offered, 0)
    assert "Ayşe offers to concede the match." in lines(offered, 1)
    over = did(offered, 1, Verb.ACCEPT)
    assert "You win the match by concession." in lines(over, 1)
    assert "Mehmet wins the match by concession." in lines(over, 0)


def test_a_declined_offer_is_said_to_whoever_made_it() -> None:
    declined = did(did(at(roll=(6, 3)), 0, Verb.CONCEDE_GAME), 1, Verb.DECLINE)
    assert "Your offer to concede was declined: the game goes on." in lines(declined, 0)
    assert not any("declined" in line for line in lines(declined, 1))
    assert "Your move: 6-3." in lines(declined, 0)


def ended(score: tuple[int, int] = (0, 0), opponent: str = "6:2") -> Table:
    return did(took(at("6:1 1:1", opponent, roll=(6, 1), score=score), 0, (6, 6), (1, 1)), 0, Verb.CONFIRM)


def test_a_won_game_is_told_with_its_worth() -> None:
    table = ended()
    assert lines(table, 0)[:3] == [
        "You played 6-1: 6/off 1/off",
        "You win this game: 1 point.",
        "Press “Next game” to go on.",
    ]
    assert lines(table, 1)[:2] == ["Ayşe, 6-1: 6/off 1/off", "Ayşe wins this game: 1 point."]
    assert "The next game has not begun yet." in lines(table, None)
    assert "You win this game: 2 points (mars)." in lines(ended(opponent="6:15"), 0)


def test_a_conceded_game_is_told_as_one() -> None:
    table = did(did(at(roll=(6, 3)), 0, Verb.CONCEDE_GAME), 1, Verb.ACCEPT)
    assert "Mehmet wins this game by concession: 2 points (mars)." in lines(table, 0)
    assert "You win this game by concession: 2 points (mars)." in lines(table, 1)


def test_a_won_match_is_told_with_its_score() -> None:
    table = ended((4, 2))
    assert lines(table, 0)[1:3] == ["You win this game: 1 point.", "You win the match 5 – 2!"]
    assert "Ayşe wins the match 5 – 2." in lines(table, 1)


def test_a_match_of_one_game_is_told_once() -> None:
    table = at("6:1 1:1", "6:2", roll=(6, 1))
    table = replace(table, match=replace(table.match, shape=Shape(target=1)))
    over = did(took(table, 0, (6, 6), (1, 1)), 0, Verb.CONFIRM)
    assert "You win this game: 1 point." in lines(over)
    assert not any("match" in line for line in lines(over))
    assert Teller(over, 0, words("en")).title() == "Tavla · single game · Ayşe 1 – 0 Mehmet"


def test_an_aborted_match_is_told() -> None:
    table = did(opened(), 1, Verb.ABORT)
    for seat in VIEWERS:
        assert "The match was aborted. It does not count." in lines(table, seat)
        assert not any("start" in line for line in lines(table, seat))


def test_a_rematch_is_asked_for_and_begins() -> None:
    asked = did(ended((4, 2)), 0, Verb.REMATCH)
    assert "You have asked for a rematch; your opponent has to agree." in lines(asked, 0)
    assert "Ayşe asks for a rematch: press “Rematch” to agree." in lines(asked, 1)
    assert "Ayşe asks for a rematch." in lines(asked, None)
    agreed = did(asked, 1, Verb.REMATCH)
    for table in (agreed, replace(agreed, successor="kbcdefghjk")):
        assert [line for line in lines(table, 1) if "rematch" in line] == ["The rematch has begun."]


def test_of_the_last_game_a_new_one_tells_the_result_alone() -> None:
    table = did(ended(), 1, Verb.NEXT_GAME, (3, 1))
    assert lines(table, 0)[:3] == [
        "The game before: you won, 1 point.",
        "You start: 3 against 1.",
        "Your turn: roll both dice afresh for the first play.",
    ]


# How it stands.


def test_the_title_has_game_length_and_score() -> None:
    assert Teller(ended(), 1, words("en")).title() == "Tavla · match to 5 points · Ayşe 1 – 0 Mehmet"
    assert Teller(ended(), 1, words("tr")).title() == "Tavla · 5 puanlık maç · Ayşe 1 – 0 Mehmet"


def test_pips_and_checkers_off_are_told_ones_own_first() -> None:
    table = at("6:1", "6:2", roll=(6, 1))
    assert "You: 6 pips to go, 14 off · Mehmet: 12 pips to go, 13 off" in lines(table, 0)
    assert "You: 12 pips to go, 13 off · Ayşe: 6 pips to go, 14 off" in lines(table, 1)
    assert "Ayşe: 6 pips to go, 14 off · Mehmet: 12 pips to go, 13 off" in lines(table, None)


def test_the_tally_against_the_computer_is_kept_in_view() -> None:
    assert lines(at(roll=(6, 3)), 0, Tally(12, 9))[-1] == "Points won in all games: You 12 · Computer 9"


def test_hints_are_told_with_their_chances() -> None:
    best = at(roll=(3, 1)).match.game.turn().plays()[0]
    hints = list(Teller(at(), 0, words("en")).hint([Ranked(best, 0.2, 0.554, 0.171, 0.0, 0.1, 0.0)]))
    assert hints == ["Hint 1: 24/21 24/23 wins about 55 % of the games, 17 % by mars."]
    turkish = list(Teller(at(), 0, words("tr")).hint([Ranked(best, 0.2, 0.554, 0.171, 0.0, 0.1, 0.0)]))
    assert turkish == ["İpucu 1: 24/21 24/23, kazanma olasılığı yaklaşık %55, marsla %17."]


def test_the_proof_of_the_dice_is_in_small_print() -> None:
    assert Teller(at(), None, words("en")).small()[0].endswith(": " + "0" * 64)


# The position in words.


def test_the_alt_text_of_the_beginning() -> None:
    assert alt(at(roll=(6, 5)), 1) == (
        "Points by your own numbers, your home board is 6 to 1. "
        "You, dark: 2 on 24, 5 on 13, 3 on 8, 5 on 6; on the bar 0, off 0, pips 167. "
        "Ayşe, light: 5 on 19, 3 on 17, 5 on 12, 2 on 1; on the bar 0, off 0, pips 167. "
        "Dice: 6-5."
    )


ON_POINT = {"en": r"(?P<count>\d+) on (?P<point>\d+)", "tr": r"(?P<point>\d+)\. hanede (?P<count>\d+)"}


@pytest.mark.parametrize("language", ["en", "tr"])
@pytest.mark.parametrize("seat", VIEWERS)
def test_the_alt_text_has_every_checker(seat: int | None, language: str) -> None:
    for table, _ in moments():
        match, bottom = table.match, seat or 0
        numbered = 1 if seat is None and match.stage in (Phase.ROLL, Phase.PLAY) and match.game.on_roll == 1 else bottom
        first, second, last = alt(table, seat, language).split(";")
        for number, text, rest in ((bottom, first, second), (1 - bottom, second, last)):
            side = match.game.now()[number]
            written = {int(found["point"]): int(found["count"]) for found in re.finditer(ON_POINT[language], text)}
            assert written == {
                point if number == numbered else 25 - point: side.points[point]
                for point in POINTS
                if side.points[point]
            }
            assert [int(figure) for figure in re.findall(r"\d+", rest)[:3]] == [side.points[BAR], side.off, side.pips]


def test_whoever_watches_is_told_whose_numbers_they_are() -> None:
    assert alt(at(roll=(6, 5), on_roll=1), None).startswith("Points by the numbers of Mehmet. Ayşe, light: 5 on 19,")
    assert alt(at(roll=(6, 5), on_roll=0), None).startswith("Points by the numbers of Ayşe. Ayşe, light: 2 on 24,")
