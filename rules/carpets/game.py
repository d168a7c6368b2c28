"""The whole game as a value to play with (in the manner of python-chess).

>>> game = Game(players=3)
>>> for kind in ["palace"] * 5 + ["desert"] * 4 + ["lamp"] * 3:
...     game.push(Lay(kind))
>>> game.push(Ready())
>>> print(game.why_illegal(Throw("red")))
rules 1.4.1: player 2 throws now, not player 1
>>> game.push(Throw("blue", Landing(on=(1,))))
>>> game.push(Throw("green", Landing(on=(2, 12))))
>>> game.push(Throw("red"))
>>> game.push(Evaluate())
>>> game.hand(3)
('palace', 'lamp')
>>> game.pop()
Evaluate(landings={})
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from rules.carpets.cards import COLOURS, ROUNDS
from rules.carpets.djinns import Djinns
from rules.carpets.flights import Verdict
from rules.carpets.house_rules import HouseRuleError, HouseRules
from rules.carpets.legal import IllegalMoveError, Refusal, legal, next_thrower, why_illegal
from rules.carpets.moves import Duel, Evaluate, Landing, Lay, Move, Place, Ready, Throw
from rules.carpets.play import apply, verdict
from rules.carpets.scoring import Line, breakdown, final_score
from rules.carpets.state import Setup, State, default_carpets, start

__all__ = ["Duel", "Evaluate", "Game", "IllegalMoveError", "Landing", "Lay", "Place", "Ready", "Throw"]


class _Saved(msgspec.Struct):
    """A game as JSON: what was agreed, and every move."""

    players: int
    carpets: dict[str, int]
    layouter: int
    djinns: dict[int, tuple[int, ...]]
    house_rules: HouseRules
    moves: list[Move]


class Game:
    """A game of 2 to 4 players, numbered 1.. in seat order (clockwise).

    `djinns`: the dealt sets as far as they are told, by player; what is not told follows from what is revealed.
    Raises ValueError (`HouseRuleError` for a house rule) when there is no such game.
    """

    def __init__(
        self,
        players: int = 3,
        *,
        house_rules: HouseRules | None = None,
        layouter: int | None = None,
        carpets: Mapping[str, int] | None = None,
        djinns: Mapping[int, Iterable[int]] | None = None,
    ) -> None:
        if players not in ROUNDS:
            raise ValueError(f"rules 1.2.1: 2 to 4 players play, not {players}")
        rules = house_rules or HouseRules()
        layouter = layouter or rules.first_player or 1
        if not 1 <= layouter <= players:
            raise HouseRuleError("first_player", f"there is no player {layouter}")
        carpets = dict(carpets or default_carpets(players))
        self.setup = Setup(players, carpets, rules, layouter)
        for player in range(1, players + 1):
            if len(self.setup.carpets_of(player)) != (2 if players == 2 else 1):
                raise ValueError(
                    f"rules 1.2.1: player {player} needs {'two carpets' if players == 2 else 'one carpet'}"
                )
        if bad := [colour for colour in carpets if colour not in COLOURS]:
            raise ValueError(f"rules 1.1: there is no carpet {bad[0]}; there are {', '.join(COLOURS)}")
        self._told = {player: tuple(told) for player, told in (djinns or {}).items() if told}
        self.state: State = start(self.setup, Djinns.dealt(players, self._told))
        self.moves: list[Move] = []
        self._before: list[State] = []

    # -- playing ------------------------------------------------------------------------------------------------

    def legal(self) -> Iterator[Move]:
        """Every legal move that the game offers, lazily and simplest first (see `legal.legal`)."""
        return legal(self.state, self.setup)

    def why_illegal(self, move: Move) -> Refusal | None:
        """The clause that the move breaks, None when it is legal."""
        return why_illegal(self.state, self.setup, move)

    def push(self, move: Move) -> None:
        """Make a move; raises `IllegalMoveError`, and leaves the game as it was, when the rules forbid it."""
        if refusal := self.why_illegal(move):
            raise IllegalMoveError(refusal)
        self._before.append(self.state)
        self.state = apply(self.state, self.setup, move)
        self.moves.append(move)

    def pop(self) -> Move:
        """Take the last move back and return it; raises IndexError when there is none."""
        if not self.moves:
            raise IndexError("no move to take back")
        self.state = self._before.pop()
        return self.moves.pop()

    def amend(self, index: int, move: Move) -> None:
        """Put another move in the place of `moves[index]` and play the rest again.

        Raises `IllegalMoveError`, and leaves the game as it was, when that or a later move is then illegal.
        """
        moves, states = list(self.moves), list(self._before)
        state = self.state
        later = moves[index + 1 :]
        while len(self.moves) > index:
            self.pop()
        try:
            for m in (move, *later):
                self.push(m)
        except IllegalMoveError:
            self.moves, self._before, self.state = moves, states, state
            raise

    # -- asking -------------------------------------------------------------------------------------------------

    @property
    def players(self) -> range:
        """The players' numbers."""
        return range(1, self.setup.players + 1)

    @property
    def rounds(self) -> int:
        """Rounds in this game (rules 1.6)."""
        return ROUNDS[self.setup.players]

    @property
    def is_over(self) -> bool:
        return self.state.phase == "over"

    @property
    def turn(self) -> int | None:
        """Whose throw it is; None when nobody throws now."""
        return next_thrower(self.state, self.setup) if self.state.phase == "throwing" else None

    def hand(self, player: int) -> tuple[str, ...]:
        """Kinds of the cards the player has won and still holds, in the order he won them."""
        return tuple(card.kind for card in self.state.hands[player - 1])

    def verdict(self, move: Evaluate | None = None) -> Verdict:
        """Who would claim what if the flight were evaluated like this."""
        return verdict(self.state, self.setup, move or Evaluate())

    def fixed(self, player: int) -> int:
        """Points that cannot change any more: palaces of finished rounds and what the table agreed on."""
        return self.state.palace_points[player - 1] + self.state.adjustments[player - 1]

    @property
    def scores(self) -> dict[int, int]:
        """Points fixed so far, and what the cards held are worth by the rules of the end (1.7).

        Palaces of the running round count when the round is over, not before.
        """
        return {p: self.fixed(p) + final_score(self.hand(p), self.setup.rules) for p in self.players}

    @property
    def winners(self) -> tuple[int, ...]:
        """Rules 1.7: most points wins; shared unless `tiebreak` says otherwise. Empty while the game runs."""
        if not self.is_over:
            return ()
        scores = self.scores
        best = [p for p in self.players if scores[p] == max(scores.values())]
        if self.setup.rules.tiebreak == "most_cards":
            most = max(len(self.hand(p)) for p in best)
            best = [p for p in best if len(self.hand(p)) == most]
        return tuple(best)

    def explain(self) -> dict[int, tuple[Line, ...]]:
        """Which cards make which points, for each player; with `fixed` they sum up to `scores`."""
        return {p: breakdown(self.hand(p), self.setup.rules) for p in self.players}

    # -- keeping ------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """What was agreed and every move; `from_json` gives the same game."""
        saved = _Saved(
            self.setup.players,
            dict(self.setup.carpets),
            self.setup.layouter,
            self._told,
            self.setup.rules,
            self.moves,
        )
        return msgspec.json.encode(saved).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Game:
        """The game that `to_json` wrote; raises ValueError, `IllegalMoveError` when a move is against the rules."""
        saved = msgspec.json.decode(text, type=_Saved)
        game = cls(
            saved.players,
            house_rules=saved.house_rules,
            layouter=saved.layouter,
            carpets=saved.carpets,
            djinns=saved.djinns,
        )
        for move in saved.moves:
            game.push(move)
        return game

    def copy(self) -> Game:
        """An independent game at the same position."""
        other = Game.__new__(Game)
        other.setup, other._told, other.state = self.setup, self._told, self.state
        other.moves, other._before = list(self.moves), list(self._before)
        return other

    def __repr__(self) -> str:
        return f"<Game of {self.setup.players}, round {self.state.round} of {self.rounds}, {self.state.phase}>"

    def __str__(self) -> str:
        """The table in text: the layout by numbers, carpets in the air and down, hands and points."""
        state, scores = self.state, self.scores
        carpets = {slot: carpet for carpet, landing in state.thrown for slot in landing.on}
        cells = [f"{c.slot:>2} {c.kind}" + (f" <{carpets[c.slot]}>" if c.slot in carpets else "") for c in state.table]
        rows = ["  ".join(f"{cell:<26}" for cell in cells[i : i + 4]).rstrip() for i in range(0, len(cells), 4)]
        heading = f"round {state.round} of {self.rounds}, {state.phase}, layouter {state.layouter}"
        if self.turn:
            heading += f", player {self.turn} throws"
        hands = [
            f"player {p} ({'+'.join(self.setup.carpets_of(p))}) {scores[p]:>3}: {' '.join(self.hand(p))}".rstrip()
            for p in self.players
        ]
        return "\n".join([heading, *rows, *hands])
