"""Which moves a position allows (rules 2.2, 2.3)."""

from __future__ import annotations

from collections.abc import Iterator

from rules.carcassonne.board import Meeple, Spot
from rules.carcassonne.geometry import INSIDE, Cell
from rules.carcassonne.moves import Draw, Figure, Land, Move, Place, Put, Recall, Roll, Skip
from rules.carcassonne.state import Setup, State
from rules.carcassonne.tiles import Kind, Part

DIE = (1, 2, 3)
"""Rules 2.1: the flight die shows each of them twice."""
FIGURES: tuple[Figure, ...] = ("meeple", "abbot")


def legal(state: State, setup: Setup) -> Iterator[Move]:
    """Every legal move, simplest first; the moves name no player, and no die is cocked."""
    if state.phase == "draw":
        yield from (Draw(tile) for tile in state.stock)
    elif state.phase == "place":
        yield from (Place(*cell, rotation) for cell, rotation in placements(state))
    elif state.phase == "meeple":
        yield Skip()
        for figure in FIGURES:
            if state.has(state.player, figure):
                yield from (Put(part.kind, part.location, figure) for part in places(state, setup, figure))
        if abbot_on_table(state) is not None:
            yield Recall()
    elif state.phase == "roll":
        yield from (Roll(die) for die in DIE)
    elif state.phase == "land":
        yield from (Land(part.kind, part.location) for _, part in landings(state, setup))
        if not setup.rules.landing_mandatory:
            yield Skip()


def placements(state: State) -> list[tuple[Cell, int]]:
    """Where the drawn tile fits, and how it may be turned there (rules 2.2.2)."""
    assert state.tile is not None
    return sorted((cell, rotation) for cell, turns in state.board.fits(state.tile) for rotation in turns)


def places(state: State, setup: Setup, figure: Figure) -> Iterator[Part]:
    """Where such a figure may be put on the tile just laid (rules 2.2.3, 2.3.2)."""
    assert state.cell is not None
    for spot, part in state.board.spots(state.cell):
        if takes(part.kind, figure, setup) and not state.board.at(spot).meeples:
            yield part
    yield from (part for part in state.board.tiles[state.cell].parts if part.kind == "FlyingMachine")


def takes(kind: Kind, figure: Figure, setup: Setup) -> bool:
    """Whether such a figure may stand on such a feature."""
    if figure == "abbot":
        return setup.rules.abbot and kind in ("Monastery", "Garden")
    return kind in ("Road", "City", "Monastery") or (kind == "Field" and setup.rules.farmers)


def target(state: State, setup: Setup) -> Cell | None:
    """The cell that the flight reaches (rules 2.3.4, 2.3.5); None when it ends on the way there."""
    assert state.cell is not None
    assert state.die is not None
    step = state.board.tiles[state.cell].flight
    assert step is not None
    x, y = state.cell
    way = [(x + d * step[0], y + d * step[1]) for d in range(1, state.die + 1)]
    if not setup.rules.flight_over_gaps and any(cell not in state.board.tiles for cell in way):
        return None
    return way[-1]


def landings(state: State, setup: Setup) -> list[tuple[Spot, Part]]:
    """Incomplete roads, cities and monasteries (for abbots, gardens) that it reaches, taken or not (rules 2.3.6)."""
    cell = target(state, setup)
    if cell is None or cell not in state.board.tiles or state.flyer is None:
        return []
    return [
        (spot, part)
        for spot, part in state.board.spots(cell)
        if part.kind != "Field" and takes(part.kind, state.flyer, setup) and not state.board.at(spot).complete
    ]


def abbot_on_table(state: State) -> Meeple | None:
    """The abbot of the player whose turn it is."""
    own = (m for m in state.meeples() if m.figure == "abbot" and m.player == state.player)
    return next(own, None)


def spot_of(state: State, cell: Cell, feature: Kind, location: str) -> Spot | None:
    """The part of that name of a laid tile."""
    found = (spot for spot, part in state.board.spots(cell) if (part.kind, part.location) == (feature, location))
    return next(found, None)


def on_machine(move: Put) -> bool:
    """Whether the meeple is to fly."""
    return move.feature == "FlyingMachine" and move.location == INSIDE
