"""One position of the game, immutable; and what is agreed before the first tile is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rules.carcassonne.board import Board, Meeple, start_board
from rules.carcassonne.geometry import Cell
from rules.carcassonne.house_rules import HouseRules
from rules.carcassonne.moves import Figure
from rules.carcassonne.scoring import Line
from rules.carcassonne.tiles import START_TILE

Phase = Literal["draw", "place", "meeple", "roll", "land", "over"]

MEEPLES = 7
"""Rules 2.1: of the eight of a colour one stands on the score track."""
PLAYERS = range(2, 6)


@dataclass(frozen=True)
class Setup:
    """Rules 2.1, 2.2.1: who plays with which tiles, and the house rules. Players are numbered 1.. in seat order."""

    players: int
    tiles: Mapping[str, int]
    """How many of each tile, the start tile among them."""
    rules: HouseRules = field(default_factory=HouseRules)
    first: int = 1


@dataclass(frozen=True)
class State:
    """A position. Players' entries stand in the order of their numbers."""

    phase: Phase
    turn: int
    """Turns begun, the running one among them."""
    player: int
    """Whose turn it is; when the game is over, whose the last one was."""
    board: Board
    stock: Mapping[str, int]
    """Tiles still to be drawn."""
    points: tuple[int, ...]
    supply: tuple[int, ...]
    """Meeples that each player can put."""
    abbots: tuple[int, ...]
    """Abbots that each player can put: none without the option."""
    lines: tuple[Line, ...] = ()
    """How the points came about, oldest first."""
    discarded: tuple[str, ...] = ()
    """Tiles out of the game because they fitted nowhere (rules 2.2.2)."""
    tile: str | None = None
    """The tile drawn in this turn."""
    cell: Cell | None = None
    """Where it was laid."""
    flyer: Figure | None = None
    """The figure on the flying machine, before it lands."""
    die: int | None = None
    """What was rolled for it."""

    def meeples(self) -> tuple[Meeple, ...]:
        """All figures on the table."""
        return tuple(meeple for feature in self.board.features.values() for meeple in feature.meeples)

    def has(self, player: int, figure: Figure) -> bool:
        """Whether a player has such a figure to put."""
        return (self.supply if figure == "meeple" else self.abbots)[player - 1] > 0


def start(setup: Setup) -> State:
    """Rules 2.2.1: the start tile lies, the rest is shuffled."""
    stock = {tile: count - (tile == START_TILE) for tile, count in setup.tiles.items()}
    stock = {tile: count for tile, count in stock.items() if count}
    return State(
        phase="draw" if stock else "over",
        turn=1,
        player=setup.first,
        board=start_board(),
        stock=stock,
        points=(0,) * setup.players,
        supply=(MEEPLES,) * setup.players,
        abbots=(1 if setup.rules.abbot else 0,) * setup.players,
    )
