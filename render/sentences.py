"""What is said about a table: the score, what happened, who has to do what, and the position in words."""

from collections.abc import Iterator, Sequence

from bot.engine.board import BAR, POINTS, Side
from bot.engine.dice import Roll
from bot.engine.game import PastTurn, Result
from bot.engine.match import Offer, Phase
from bot.engine.notation import write
from bot.service.ports import Ranked
from bot.service.table import Table, Tally
from render.words import Words


class Teller:
    """Tells one viewer about a table; `seat` None is somebody who watches, or all at a shared table."""

    def __init__(self, table: Table, seat: int | None, words: Words, *, shared: bool = False) -> None:
        self._table = table
        self._match = table.match
        self._game = table.match.game
        self._seat = seat
        self._words = words
        self._shared = shared
        self._names = words.names(table.seats)

    def title(self) -> str:
        """The game, the length and the score."""
        game, length = self._words.game(self._game.variant.id), self._words.length(self._match.shape.target)
        score = self._match.score
        return f"{game} · {length} · {self._names[0]} {score[0]} – {score[1]} {self._names[1]}"

    def lines(self, tally: Tally | None = None) -> tuple[str, ...]:
        """What happened since the viewer last decided something, what is to be done, pips, tally."""
        return (
            *self._opening(),
            *(self._turn(past) for past in self._since() or self._game.recent[-1:]),
            *self._result(),
            *self._to_do(),
            *self._race(),
            *self._running(tally),
        )

    def to_do(self) -> str:
        """The one line that says who has to do what."""
        return " ".join(self._to_do())

    def small(self, seed: bytes | None = None) -> tuple[str, ...]:
        """The proof of the dice, as fine print; the seed once the match is over."""
        proof = self._words.say("All dice of this match were fixed before its first roll. Their fingerprint (SHA-256):")
        fingerprint = f"{proof} {self._table.commitment}"
        if seed is None:
            return (fingerprint, self._words.say("The seed behind it is shown here when the match is over."))
        revealed = self._words.say("The seed that they all follow from (the README tells how to check it):")
        return (fingerprint, f"{revealed} {seed.hex()}")

    def hint(self, ranked: Sequence[Ranked]) -> Iterator[str]:
        """The best plays with their chances in words."""
        for number, entry in enumerate(ranked, 1):
            yield self._words.say(
                "Hint %(number)d: %(play)s wins about %(win)d %% of the games, %(gammon)d %% by mars.",
                number=number,
                play=write(entry.play.steps),
                win=round(100 * entry.win),
                gammon=round(100 * entry.win_gammon),
            )

    def position(self) -> str:
        """The whole position in words, for the alt text of the picture: points by the numbers printed there."""
        first = self._seat or 0
        sides = [self._side(seat) for seat in (first, 1 - first)]
        return " ".join([self._numbering(), *sides, *self._dice()])

    # The turns that are over.

    def _since(self) -> tuple[PastTurn, ...]:
        """The turns after the viewer's own last decision; whoever only watches is told the last decision too."""
        recent = self._game.recent
        decided = [place for place, past in enumerate(recent) if past.decided and self._seat in (None, past.seat)]
        if not decided:
            return recent
        return recent[decided[-1] + (self._seat is not None) :]

    def _opening(self) -> Iterator[str]:
        """Who starts and why, until the viewer has played."""
        game = self._game
        if game.starter is None or game.turns > len(self._since()) or self._ended:
            return
        if game.before:
            yield self._won_before(game.before)
        yield self._starts(game.starter, game.opening)
        if game.turns == 0 and game.opening and game.variant.rules.get("opening") == "play":
            yield self._words.say("These two dice are played.")

    def _won_before(self, result: Result) -> str:
        say, worth = self._words.say, self._words.worth(result.points, result.kind)
        if result.winner == self._seat:
            return say("The game before: you won, %(worth)s.", worth=worth)
        return say("The game before: %(name)s won, %(worth)s.", name=self._names[result.winner], worth=worth)

    def _starts(self, starter: int, opening: Roll | None) -> str:
        say, own, name = self._words.say, starter == self._seat, self._names[starter]
        if opening is None:
            return say("You start this game.") if own else say("%(name)s starts this game.", name=name)
        high, low = max(opening), min(opening)
        if own:
            return say("You start: %(high)d against %(low)d.", high=high, low=low)
        return say("%(name)s starts: %(high)d against %(low)d.", name=name, high=high, low=low)

    def _turn(self, past: PastTurn) -> str:
        roll = self._words.roll(past.roll) if past.roll else ""
        if past.seat == self._seat:
            return self._own_turn(past, roll)
        say, name, play = self._words.say, self._names[past.seat], write(past.steps)
        if past.passed == "closed_out":
            return say("%(name)s cannot enter from the bar and does not roll: the turn passes.", name=name)
        if past.passed:
            return say("%(name)s, %(roll)s: no legal move, the turn passes.", name=name, roll=roll)
        if past.forced:
            return say("%(name)s, %(roll)s: %(play)s (the only legal play)", name=name, roll=roll, play=play)
        return say("%(name)s, %(roll)s: %(play)s", name=name, roll=roll, play=play)

    def _own_turn(self, past: PastTurn, roll: str) -> str:
        say, play = self._words.say, write(past.steps)
        if past.passed == "closed_out":
            return say("Your checker on the bar cannot enter — your turn passes.")
        if past.passed:
            return say("You rolled %(roll)s. No legal move with these dice — your turn passes.", roll=roll)
        if past.forced:
            return say("You rolled %(roll)s: %(play)s, the only legal play, was made for you.", roll=roll, play=play)
        return say("You played %(roll)s: %(play)s", roll=roll, play=play)

    # How it ended.

    @property
    def _ended(self) -> bool:
        return self._game.result is not None or self._match.end is not None

    def _result(self) -> Iterator[str]:
        result, end = self._game.result, self._match.end
        if result:
            yield self._won(result.winner, self._words.worth(result.points, result.kind), result.by)
        if end and end.winner is None:
            yield self._words.say("The match was aborted. It does not count.")
        elif end and end.winner is not None and self._match.shape.target > 1:
            yield self._match_won(end.winner, end.reason)

    def _won(self, winner: int, worth: str, by: str) -> str:
        say, name = self._words.say, self._names[winner]
        if by == "concession":
            if winner == self._seat:
                return say("You win this game by concession: %(worth)s.", worth=worth)
            return say("%(name)s wins this game by concession: %(worth)s.", name=name, worth=worth)
        if winner == self._seat:
            return say("You win this game: %(worth)s.", worth=worth)
        return say("%(name)s wins this game: %(worth)s.", name=name, worth=worth)

    def _match_won(self, winner: int, reason: str) -> str:
        say, name = self._words.say, self._names[winner]
        won, lost = self._match.score[winner], self._match.score[1 - winner]
        if reason == "concession":
            if winner == self._seat:
                return say("You win the match by concession.")
            return say("%(name)s wins the match by concession.", name=name)
        if winner == self._seat:
            return say("You win the match %(won)d – %(lost)d!", won=won, lost=lost)
        return say("%(name)s wins the match %(won)d – %(lost)d.", name=name, won=won, lost=lost)

    # What is to be done.

    def _to_do(self) -> Iterator[str]:
        phase = self._match.phase
        if self._match.offer:
            yield self._offer(self._match.offer)
        elif phase is Phase.BETWEEN:
            yield self._between()
        elif phase is Phase.OVER:
            yield from self._rematch()
        elif phase in (Phase.ROLL, Phase.PLAY):
            yield from self._declined()
            yield self._rolling() if phase is Phase.ROLL else self._playing()

    def _rolling(self) -> str:
        on_roll = self._game.on_roll or 0
        if on_roll == self._seat:
            return self._words.say("Your turn: roll both dice afresh for the first play.")
        return self._words.say("%(name)s rolls both dice afresh for the first play.", name=self._names[on_roll])

    def _playing(self) -> str:
        say, game, on_roll = self._words.say, self._game, self._game.on_roll or 0
        roll = self._words.roll(game.roll) if game.roll else ""
        if on_roll == self._seat:
            return self._my_play(roll)
        if self._table.seats[on_roll].computer:
            return say("The computer has %(roll)s and is thinking…", roll=roll)
        if self._shared:
            return self._their_play(self._names[on_roll], roll)
        return say("%(name)s has %(roll)s to play.", name=self._names[on_roll], roll=roll)

    def _their_play(self, name: str, roll: str) -> str:
        say, turn = self._words.say, self._game.turn()
        play = write(turn.done)
        if not play:
            return say("%(name)s has %(roll)s to play.", name=name, roll=roll)
        if turn.steps():
            return say("%(name)s, %(roll)s: %(play)s so far.", name=name, roll=roll, play=play)
        return say("%(name)s, %(roll)s: %(play)s. To be confirmed.", name=name, roll=roll, play=play)

    def _my_play(self, roll: str) -> str:
        say, turn = self._words.say, self._game.turn()
        play = write(turn.done)
        if not play:
            return say("Your move: %(roll)s.", roll=roll)
        if turn.steps():
            return say("Your move, %(roll)s: %(play)s so far.", roll=roll, play=play)
        if turn.left:
            return say("Your move, %(roll)s: %(play)s. No more can be played. Confirm?", roll=roll, play=play)
        return say("Your move, %(roll)s: %(play)s. Confirm?", roll=roll, play=play)

    def _offer(self, offer: Offer) -> str:
        say, name, other = self._words.say, self._names[offer.seat], self._names[1 - offer.seat]
        worth = self._words.worth(offer.points, self._game.variant.kind(offer.points))
        if offer.seat == self._seat:
            if offer.scope == "match":
                return say("You offer to concede the match. %(name)s answers.", name=other)
            return say("You offer to concede this game: %(worth)s. %(name)s answers.", worth=worth, name=other)
        if offer.scope == "match":
            return say("%(name)s offers to concede the match.", name=name)
        return say("%(name)s offers to concede this game: %(worth)s.", name=name, worth=worth)

    def _declined(self) -> Iterator[str]:
        """Tells whoever offered that it was to no avail, as long as he may not offer again."""
        if self._seat is not None and self._match.declined[self._seat] == self._game.turns:
            yield self._words.say("Your offer to concede was declined: the game goes on.")
        if self._shared and self._game.turns in self._match.declined:
            yield self._words.say("The offer to concede was declined: the game goes on.")

    def _between(self) -> str:
        say = self._words.say
        if self._seat is None and not self._shared:
            return say("The next game has not begun yet.")
        return say("Press “%(button)s” to go on.", button=say("Next game"))

    def _rematch(self) -> Iterator[str]:
        say = self._words.say
        if self._table.successor or all(self._match.rematch):
            yield say("The rematch has begun.")
            return
        for seat, asked in enumerate(self._match.rematch):
            if asked and seat == self._seat:
                yield say("You have asked for a rematch; your opponent has to agree.")
            elif asked and self._seat is None and not self._shared:
                yield say("%(name)s asks for a rematch.", name=self._names[seat])
            elif asked:
                yield say(
                    "%(name)s asks for a rematch: press “%(button)s” to agree.",
                    name=self._names[seat],
                    button=say("Rematch"),
                )

    # How it stands.

    def _race(self) -> Iterator[str]:
        first = self._seat or 0
        yield " · ".join(self._standing(seat, self._game.now()[seat]) for seat in (first, 1 - first))

    def _standing(self, seat: int, side: Side) -> str:
        pips = self._words.count("%(number)d pip to go", "%(number)d pips to go", side.pips)
        return self._words.say("%(who)s: %(pips)s, %(off)d off", who=self._who(seat), pips=pips, off=side.off)

    def _who(self, seat: int) -> str:
        return self._words.say("You") if seat == self._seat else self._names[seat]

    def _running(self, tally: Tally | None) -> Iterator[str]:
        if tally is not None:
            yield self._words.say("Points won in all games: %(tally)s", tally=self._tally(tally))

    def _tally(self, tally: Tally) -> str:
        say, points = self._words.say, {"mine": tally.mine, "computer": tally.computer}
        if not self._shared:
            return say("You %(mine)d · Computer %(computer)d", **points)
        (name,) = (name for name, seat in zip(self._names, self._table.seats, strict=True) if not seat.computer)
        return say("%(name)s %(mine)d · Computer %(computer)d", name=name, **points)

    def _numbering(self) -> str:
        if self._seat is not None:
            return self._words.say("Points by your own numbers, your home board is 6 to 1.")
        return self._words.say("Points by the numbers of %(name)s.", name=self._names[self._numbered])

    @property
    def _numbered(self) -> int:
        """The seat whose numbers are printed on the picture."""
        if self._seat is not None:
            return self._seat
        on_roll = self._game.on_roll if self._match.stage in (Phase.ROLL, Phase.PLAY) else None
        return on_roll or 0

    def _side(self, seat: int) -> str:
        side, faces = self._game.now()[seat], self._game.variant.faces
        own = {point if seat == self._numbered else faces[point]: side.points[point] for point in POINTS}
        told = [
            self._words.say("%(count)d on %(point)d", count=own[point], point=point)
            for point in reversed(POINTS)
            if own[point]
        ]
        return self._words.say(
            "%(who)s, %(colour)s: %(points)s; on the bar %(bar)d, off %(off)d, pips %(pips)d.",
            who=self._who(seat),
            colour=self._words.colour(seat),
            points=", ".join(told) or "–",
            bar=side.points[BAR],
            off=side.off,
            pips=side.pips,
        )

    def _dice(self) -> Iterator[str]:
        if self._game.roll:
            yield self._words.say("Dice: %(roll)s.", roll=self._words.roll(self._game.roll))
