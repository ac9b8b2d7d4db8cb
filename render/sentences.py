"""What is said about a table: the score, what happened, who has to do what, and the position in words."""

from collections.abc import Iterator, Sequence

from bot.engine.board import BAR, Side
from bot.engine.game import PastTurn
from bot.engine.match import Phase
from bot.engine.notation import write
from bot.service.ports import Ranked
from bot.service.table import Table, Tally
from render.words import Words


class Teller:
    """Tells one viewer about a table; `seat` None is somebody who watches."""

    def __init__(self, table: Table, seat: int | None, words: Words) -> None:
        self._table = table
        self._match = table.match
        self._game = table.match.game
        self._seat = seat
        self._words = words
        self._names = tuple(words.seat(each) for each in table.seats)

    def title(self) -> str:
        """The game, the length and the score."""
        game, shape, score = self._words.game(self._game.variant.id), self._match.shape, self._match.score
        length = self._words.count("one game", "match to %(number)d", shape.target)
        return f"{game} · {length} · {self._names[0]} {score[0]} – {score[1]} {self._names[1]}"

    def lines(self, tally: Tally | None = None) -> tuple[str, ...]:
        """What happened since the viewer last decided something, what is to be done, pips, tally."""
        told = [*self._opening(), *self._past(), *self._result(), *self._to_do(), *self._race(), *self._running(tally)]
        return tuple(told)

    def small(self) -> tuple[str, ...]:
        """The proof of the dice, as fine print."""
        proof = self._words.say("All dice of this match were fixed before the first roll. Their SHA-256:")
        return (f"{proof} {self._table.commitment}",)

    def hint(self, ranked: Sequence[Ranked]) -> Iterator[str]:
        """The best plays with their chances in words."""
        for number, entry in enumerate(ranked, 1):
            yield self._words.say(
                "Hint %(number)d: %(play)s wins about %(win)d %%, with mars %(gammon)d %%",
                number=number,
                play=write(entry.play.steps),
                win=round(100 * entry.win),
                gammon=round(100 * entry.win_gammon),
            )

    def position(self) -> str:
        """The whole position in words, for the alt text of the picture."""
        first = self._seat or 0
        sides = [self._side(seat) for seat in (first, 1 - first)]
        dice = [self._words.say("Dice: %(roll)s.", roll=self._words.roll(self._game.roll))] if self._game.roll else []
        return " ".join([*sides, *dice])

    def _side(self, seat: int) -> str:
        side: Side = self._game.now()[seat]
        points = [f"{point}: {side.points[point]}" for point in range(24, 0, -1) if side.points[point]]
        colour = self._words.say("light") if seat == 0 else self._words.say("dark")
        values = {"name": self._names[seat], "colour": colour, "points": ", ".join(points) or "–"}
        return self._words.say(
            "%(name)s (%(colour)s), own points: %(points)s; on the bar %(bar)d, off %(off)d, pips %(pips)d.",
            **values,
            bar=side.points[BAR],
            off=side.off,
            pips=side.pips,
        )

    def _opening(self) -> Iterator[str]:
        game = self._game
        if game.opening is None or game.starter is None or game.turns > 1 or game.result or self._match.end:
            return
        high, low = max(game.opening), min(game.opening)
        if game.starter == self._seat:
            yield self._words.say("You start: %(high)d against %(low)d.", high=high, low=low)
        else:
            name = self._names[game.starter]
            yield self._words.say("%(name)s starts: %(high)d against %(low)d.", name=name, high=high, low=low)
        if game.turns == 0 and game.variant.rules.get("opening") == "play":
            yield self._words.say("These two dice are played.")

    def _past(self) -> Iterator[str]:
        """The turns since the viewer's own last decision, that one left out."""
        told: list[PastTurn] = []
        for past in reversed(self._game.recent):
            if told and past.decided and past.seat == (self._seat if self._seat is not None else told[0].seat):
                break
            if not (past.decided and past.seat == self._seat) or self._match.end or self._game.result:
                told.append(past)
            if past.decided and past.seat == self._seat:
                break
        for past in reversed(told):
            yield self._turn(past)

    def _turn(self, past: PastTurn) -> str:
        say, name, own = self._words.say, self._names[past.seat], past.seat == self._seat
        if past.passed == "closed_out":
            if own:
                return say("Your checker on the bar cannot enter — your turn passes.")
            return say("%(name)s is closed out and does not roll.", name=name)
        roll = self._words.roll(past.roll) if past.roll else ""
        if past.passed is not None:
            if own:
                return say("%(roll)s: no legal move with these dice — your turn passes.", roll=roll)
            return say("%(name)s, %(roll)s: no legal move, the turn passes.", name=name, roll=roll)
        play = write(past.steps)
        if past.forced and own:
            return say("Your %(roll)s, %(play)s: the only legal play, made for you.", roll=roll, play=play)
        if past.forced:
            return say("%(name)s, %(roll)s: %(play)s (the only legal play)", name=name, roll=roll, play=play)
        return say("%(name)s, %(roll)s: %(play)s", name=name, roll=roll, play=play)

    def _result(self) -> Iterator[str]:
        result, end = self._game.result, self._match.end
        if result and self._match.phase in (Phase.BETWEEN, Phase.OVER):
            yield self._won(result.winner, result.points, self._words.win(result.kind), result.by)
        if end and end.reason == "aborted":
            yield self._words.say("The match was aborted. It does not count.")
        elif end and end.winner is not None:
            yield self._match_won(end.winner, end.reason)

    def _won(self, winner: int, points: int, kind: str, by: str) -> str:
        values = {"name": self._names[winner], "kind": kind}
        if by == "concession":
            return self._words.count(
                "%(name)s wins %(number)d point by concession (%(kind)s).",
                "%(name)s wins %(number)d points by concession (%(kind)s).",
                points,
                **values,
            )
        return self._words.count(
            "%(name)s wins %(number)d point (%(kind)s).", "%(name)s wins %(number)d points (%(kind)s).", points, **values
        )

    def _match_won(self, winner: int, reason: str) -> str:
        if reason == "concession":
            return self._words.say("%(name)s wins the match by concession.", name=self._names[winner])
        if winner == self._seat:
            score = self._match.score
            return self._words.say(
                "You win the match %(mine)d – %(other)d!", mine=score[winner], other=score[1 - winner]
            )
        return self._words.say("%(name)s wins the match.", name=self._names[winner])

    def _to_do(self) -> Iterator[str]:
        phase = self._match.phase
        if phase is Phase.CONCESSION:
            yield self._offer()
        elif phase is Phase.BETWEEN:
            yield self._words.say("Press “Next game” to go on.")
        elif phase is Phase.OVER:
            yield from self._rematch()
        elif phase is Phase.ROLL:
            yield self._rolling()
        elif phase is Phase.PLAY:
            yield self._playing()

    def _rolling(self) -> str:
        on_roll = self._game.on_roll or 0
        if on_roll == self._seat:
            return self._words.say("Roll both dice for your first play.")
        return self._words.say("%(name)s rolls for the first play.", name=self._names[on_roll])

    def _playing(self) -> str:
        on_roll, game = self._game.on_roll or 0, self._game
        roll = self._words.roll(game.roll) if game.roll else ""
        if on_roll != self._seat:
            if self._table.seats[on_roll].computer:
                return self._words.say("The computer has %(roll)s and is thinking…", roll=roll)
            return self._words.say("%(name)s has %(roll)s to play.", name=self._names[on_roll], roll=roll)
        if not game.so_far:
            return self._words.say("Your move: %(roll)s.", roll=roll)
        turn = game.turn()
        so_far = write(turn.done)
        if turn.steps():
            return self._words.say("Your move, %(roll)s: %(play)s so far.", roll=roll, play=so_far)
        return self._words.say("Your move, %(roll)s: %(play)s. Confirm it?", roll=roll, play=so_far)

    def _offer(self) -> str:
        offer = self._match.offer
        if offer is None:
            return ""
        say, name = self._words.say, self._names[offer.seat]
        kind = self._words.win(self._game.variant.kind(offer.points))
        if offer.seat == self._seat:
            return say("You have offered to concede. Your opponent answers.")
        if offer.scope == "match":
            return say("%(name)s offers to concede the whole match.", name=name)
        return self._words.count(
            "%(name)s offers to concede this game: %(number)d point (%(kind)s).",
            "%(name)s offers to concede this game: %(number)d points (%(kind)s).",
            offer.points,
            name=name,
            kind=kind,
        )

    def _rematch(self) -> Iterator[str]:
        if self._table.successor:
            yield self._words.say("The rematch has begun.")
            return
        for seat, asked in enumerate(self._match.rematch):
            if asked and seat == self._seat:
                yield self._words.say("You have asked for a rematch.")
            elif asked:
                yield self._words.say("%(name)s asks for a rematch.", name=self._names[seat])

    def _race(self) -> Iterator[str]:
        if self._match.end and self._match.end.reason == "aborted":
            return
        first = self._seat or 0
        told = [
            self._words.say(
                "%(name)s: %(pips)d pips, %(off)d off",
                name=self._names[seat],
                pips=self._game.now()[seat].pips,
                off=self._game.now()[seat].off,
            )
            for seat in (first, 1 - first)
        ]
        yield " · ".join(told)

    def _running(self, tally: Tally | None) -> Iterator[str]:
        if tally is not None:
            yield self._words.say("You %(mine)d · Computer %(computer)d", mine=tally.mine, computer=tally.computer)
