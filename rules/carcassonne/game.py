"""The whole game as a value to play with.

>>> game = Game(players=2)
>>> game.push(Draw("BA/CRRR"))
>>> print(game.why_illegal(Place(0, 1, 0)))
rules 2.2.2 (edges): the north side of BA/CRRR is a city, the tile at (0, 0) has a field there
>>> game.push(Place(0, -1, 180))
>>> game.push(Put("City", "S"))
>>> game.scores, game.supply
({1: 4, 2: 0}, {1: 7, 2: 7})
>>> game.explain()[1][0].cells
((0, -1), (0, 0))
>>> game.pop()
Put(feature='City', location='S')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from rules.carcassonne.board import Feature, Meeple
from rules.carcassonne.house_rules import HouseRuleError, HouseRules
from rules.carcassonne.legal import legal
from rules.carcassonne.moves import Draw, Land, Move, Place, Put, Recall, Roll, Skip
from rules.carcassonne.play import apply, final_lines
from rules.carcassonne.refusals import why_illegal
from rules.carcassonne.scoring import Line
from rules.carcassonne.show import show
from rules.carcassonne.state import PLAYERS, Setup, State, start
from rules.carcassonne.tiles import START_TILE, TILE_SETS, TILES, TileSet, counts
from rules.engine import IllegalMoveError, Refusal, SavedGameError

__all__ = ["Draw", "Game", "IllegalMoveError", "Land", "Place", "Put", "Recall", "Roll", "Skip"]


class _Saved(msgspec.Struct, forbid_unknown_fields=True):
    """A game as JSON: what was agreed, and every move."""

    players: int
    tiles: dict[str, int]
    first_player: int
    house_rules: HouseRules
    moves: list[Move]


class Game:
    """A game of 2 to 5 players, numbered 1.. in seat order (clockwise).

    `tiles`: the edition whose 80 tiles are played with, or how many there are of each (the start tile among them), as
    when some are lost or left out. Raises ValueError (`HouseRuleError` for a house rule) when there is no such game.
    """

    def __init__(
        self,
        players: int = 2,
        *,
        tiles: TileSet | Mapping[str, int] = "C2",
        house_rules: HouseRules | None = None,
        first_player: int | None = None,
    ) -> None:
        if players not in PLAYERS:
            raise ValueError(f"rules 2.1: 2 to 5 players play, not {players}")
        rules = house_rules or HouseRules()
        first = first_player if first_player is not None else rules.first_player or 1
        if not 1 <= first <= players:
            raise HouseRuleError("first_player", f"there is no player {first}")
        self.setup = Setup(players, _tiles(tiles), rules, first)
        self.state: State = start(self.setup)
        self.moves: list[Move] = []
        self._before: list[State] = []

    # -- playing ------------------------------------------------------------------------------------------------

    def legal(self) -> Iterator[Move]:
        """Every legal move, simplest first (see `legal.legal`)."""
        return legal(self.state, self.setup)

    def why_illegal(self, move: Move) -> Refusal | None:
        """The rule that the move breaks, None when it is legal."""
        return why_illegal(self.state, self.setup, move)

    def push(self, move: Move) -> None:
        """Make a move; raises `IllegalMoveError`, and leaves the game as it was, when the rules forbid it."""
        if refusal := self.why_illegal(move):
            raise IllegalMoveError(refusal)
        before = self.state
        self.state = apply(before, self.setup, move)
        self._before.append(before)
        self.moves.append(move)

    def pop(self) -> Move:
        """Take the last move back and return it; raises IndexError when there is none."""
        if not self.moves:
            raise IndexError("no move to take back")
        self.state = self._before.pop()
        return self.moves.pop()

    # -- asking -------------------------------------------------------------------------------------------------

    @property
    def players(self) -> range:
        """The players' numbers."""
        return range(1, self.setup.players + 1)

    @property
    def is_over(self) -> bool:
        return self.state.phase == "over"

    @property
    def turn(self) -> int | None:
        """Whose turn it is; None when the game is over."""
        return None if self.is_over else self.state.player

    @property
    def scores(self) -> dict[int, int]:
        """Points scored so far; when the game is over, with those of the final scoring."""
        return dict(zip(self.players, self.state.points, strict=True))

    @property
    def supply(self) -> dict[int, int]:
        """Meeples that each player still has to put."""
        return dict(zip(self.players, self.state.supply, strict=True))

    @property
    def winners(self) -> tuple[int, ...]:
        """Most points wins; shared unless `tiebreak` says otherwise. Empty while the game runs."""
        if not self.is_over:
            return ()
        best = [p for p in self.players if self.scores[p] == max(self.state.points)]
        if self.setup.rules.tiebreak == "later_player":
            best = [max(best, key=lambda p: (p - self.setup.first) % self.setup.players)]
        return tuple(best)

    def explain(self) -> dict[int, tuple[Line, ...]]:
        """Which tiles, pennants and cities made which points, for each player; they sum up to `scores`."""
        return _by_player(self.players, self.state.lines)

    def outlook(self) -> dict[int, tuple[Line, ...]]:
        """What each player would get besides if the game ended now; nothing when it is over."""
        return _by_player(self.players, () if self.is_over else final_lines(self.state, self.setup))

    def features(self) -> tuple[Feature, ...]:
        """Every road, city, field and monastery on the table; gardens where abbots are played with."""
        features = self.state.board.features.values()
        return tuple(f for f in features if f.kind != "Garden" or self.setup.rules.abbot)

    def meeples(self) -> tuple[Meeple, ...]:
        """Every figure on the table."""
        return self.state.meeples()

    # -- keeping ------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """What was agreed and every move; `from_json` gives the same game."""
        setup = self.setup
        saved = _Saved(setup.players, dict(setup.tiles), setup.first, setup.rules, self.moves)
        return msgspec.json.encode(saved).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Game:
        """The game that `to_json` wrote; raises `SavedGameError` that says what is wrong and where."""
        try:
            saved = msgspec.json.decode(text, type=_Saved)
        except msgspec.ValidationError as error:
            what, _, where = str(error).partition(" - at `$.")
            raise SavedGameError(where.rstrip("`") or "top level", what) from None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise SavedGameError("text", str(error)) from None
        try:
            game = cls(saved.players, tiles=saved.tiles, house_rules=saved.house_rules, first_player=saved.first_player)
        except ValueError as error:
            raise SavedGameError("setup", str(error)) from None
        for i, move in enumerate(saved.moves):
            try:
                game.push(move)
            except IllegalMoveError as error:
                raise SavedGameError(f"moves[{i}]", str(error)) from error
        return game

    def copy(self) -> Game:
        """An independent game at the same position."""
        other = Game.__new__(Game)
        other.setup, other.state = self.setup, self.state
        other.moves, other._before = list(self.moves), list(self._before)
        return other

    def __repr__(self) -> str:
        return f"<Game of {self.setup.players}, turn {self.state.turn}, {self.state.phase}>"

    def __str__(self) -> str:
        """The table in text (see `show.show`)."""
        return show(self.state, self.setup)


def _tiles(told: TileSet | Mapping[str, int]) -> dict[str, int]:
    """How many there are of each tile."""
    if isinstance(told, str):
        if told not in TILE_SETS:
            raise ValueError(f"rules 2.1: there is no edition {told}; there are {', '.join(TILE_SETS)}")
        return counts(told)
    for tile, count in told.items():
        if tile not in TILES:
            raise ValueError(f"rules 2.6: there is no tile {tile}")
        if count < 1:
            raise ValueError(f"rules 2.1: there cannot be {count} of {tile}")
    if START_TILE not in told:
        raise ValueError(f"rules 2.2.1: the start tile {START_TILE} must be among them")
    return dict(told)


def _by_player(players: range, lines: tuple[Line, ...]) -> dict[int, tuple[Line, ...]]:
    return {player: tuple(line for line in lines if line.player == player) for player in players}
