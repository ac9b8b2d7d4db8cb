"""The rules of each game in a page, in our own words, with three tips."""

from collections.abc import Mapping

from render.words import N_

RULES: Mapping[str, tuple[str, ...]] = {
    "tavla": (
        N_("Each side takes its 15 checkers home, to its points 6 to 1, and then off. Who is done first wins."),
        N_("At the start each side throws one die; the higher one begins, and throws both dice afresh."),
        N_("The two dice are played one after the other, by one checker or by two; a double is played four times."),
        N_("As many dice as possible must be played; if only one of two can be, the larger one."),
        N_("A point with two or more checkers of the other side is closed. A single checker there is hit."),
        N_("A checker that was hit is on the bar and enters on the points 24 to 19 before anything else moves."),
        N_("Bearing off begins when all 15 are home. A die that is too large takes the rearmost checker."),
        N_("A win counts one point; a mars (the loser has borne nothing off) counts two. There is no cube."),
    ),
}
TIPS: Mapping[str, tuple[str, ...]] = {
    "tavla": (
        N_("Make your points 5 and 7 early: they block, and they give shelter."),
        N_("A checker alone is safest where few dice hit it: far away, or within few pips behind a closed point."),
        N_("Ahead in the race, run; behind, hold a point in the other side's home board and wait for a shot."),
    ),
}
