"""Earlier moves made otherwise: the game is played again from its moves, and it is only changed if all stay legal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rules.carcassonne.explain import Step, evidence
from rules.carcassonne.game import Game
from rules.carcassonne.geometry import Cell
from rules.carcassonne.lattice import SeenTile
from rules.carcassonne.moves import Draw, Place, Put, Roll, Skip
from rules.carcassonne.sight import SeenMeeple
from rules.engine import IllegalMoveError
from rules.protocol import Message, Output, Ruling

if TYPE_CHECKING:
    from rules.carcassonne.referee import CarcassonneReferee

CORRECTED = "carcassonne.corrected"


def legal(r: CarcassonneReferee, steps: Sequence[Step]) -> bool:
    """Whether the game may have gone so."""
    setup = r.game.setup
    trial = Game(setup.players, tiles=setup.tiles, house_rules=setup.rules, first_player=setup.first)
    try:
        for step in steps:
            trial.push(step.move)
    except IllegalMoveError:
        return False
    return True


def amend(r: CarcassonneReferee, t: float, steps: list[Step] | None) -> list[Output]:
    """The game went so instead; nothing when that cannot be."""
    if steps is None or not legal(r, steps):
        return []
    before = r.scores()
    r.replay(steps)
    after = r.scores()
    changes = ", ".join(f"{name} {points} → {after[name]}" for name, points in before.items() if points != after[name])
    message = Message(f"{CORRECTED}.points" if changes else CORRECTED, {"changes": changes})
    return [Ruling(t=t, rule=CORRECTED, message=message, data={"scores": after})]


def moved(r: CarcassonneReferee, home: Cell, tile: SeenTile) -> list[Step] | None:
    """The game with a tile laid where it lies now; None when the rules forbid it."""
    if tile.cell is None or tile.rotation is None:
        return None
    return _laid(r, home, None, Place(*tile.cell, tile.rotation), tile.piece)


def replaced(r: CarcassonneReferee, cell: Cell, tile: SeenTile) -> list[Step] | None:
    """The game with the tile of a cell being what it looks like now; None when the rules forbid it."""
    if tile.rotation is None:
        return None
    return _laid(r, cell, Draw(tile.tile), Place(*cell, tile.rotation), tile.piece)


def _laid(r: CarcassonneReferee, home: Cell, draw: Draw | None, place: Place, piece: str) -> list[Step] | None:
    steps = list(r.steps)
    for number, step in enumerate(steps):
        if isinstance(step.move, Place) and (step.move.x, step.move.y) == home:
            steps[number] = Step(place, piece)
            if draw is not None:
                steps[number - 1] = Step(draw)
            return steps if legal(r, steps) else None
    return None


def rolled(r: CarcassonneReferee, number: int, value: int) -> list[Step] | None:
    """The game with that roll of the die showing something else; None when the rules forbid what followed."""
    steps = list(r.steps)
    steps[number] = Step(Roll(value), steps[number].piece)
    return steps if legal(r, steps) else None


def late(r: CarcassonneReferee, seen: SeenMeeple) -> list[Step] | None:
    """The game with a meeple put in the turn in which its tile was laid, though it was not seen then; None when the
    rules forbid it, or another player laid that tile."""
    turn = next(
        (i for i, s in enumerate(r.steps) if isinstance(s.move, Place) and (s.move.x, s.move.y) == seen.cell), None
    )
    if turn is None or turn + 1 >= len(r.steps) or not isinstance(r.steps[turn + 1].move, Skip):
        return None
    laid = sum(isinstance(step.move, Place) for step in r.steps[:turn])
    if r.colours[(r.game.setup.first - 1 + laid) % len(r.colours)] != seen.colour:
        return None
    parts = r.game.state.board.tiles[seen.cell].parts
    for place in sorted(seen.weights, key=lambda where: -seen.weights[where]):
        part = parts[place[1]] if place[0] == seen.cell else None
        if part is None or part.kind == "FlyingMachine" or seen.weights[place] < 0.2:
            continue
        steps = list(r.steps)
        steps[turn + 1] = Step(Put(part.kind, part.location), seen.piece)
        if legal(r, steps):
            return steps
    return None


def put_late(r: CarcassonneReferee, t: float, piece: str) -> list[Output]:
    """The players say that a meeple was put when its tile was laid."""
    seen = next((m for m in (r.sight.meeples if r.sight else ()) if m.piece == piece), None)
    return [] if seen is None else amend(r, t, late(r, seen))


def catch_up(r: CarcassonneReferee, t: float) -> list[Output]:
    """Many tiles were laid unseen: one after the other by turns, each by whoever has a meeple on it if that can be."""
    out: list[Output] = []
    if r.sight is None:
        return out
    while True:
        seen = evidence(r.game.state, r.sight, [due for due, _ in r.due], r.colours, r.spots)
        if r.game.state.phase == "meeple":
            out += r.push(t, _best_put(r, [m for m in seen.meeples if m.cell == r.game.state.cell]))
            continue
        if r.game.state.phase != "draw":
            return out
        tile = _next_tile(r, seen.tiles, seen.meeples)
        if tile is None:
            return out
        assert tile.cell is not None
        assert tile.rotation is not None
        out += r.push(t, Step(Draw(tile.tile), inferred=True))
        out += r.push(t, Step(Place(*tile.cell, tile.rotation), tile.piece, inferred=True))


def _next_tile(r: CarcassonneReferee, tiles: Sequence[SeenTile], meeples: Sequence[SeenMeeple]) -> SeenTile | None:
    state = r.game.state
    colour = r.colours[state.player - 1]
    owners = {seen.cell: seen.colour for seen in meeples}
    legal_now = [
        tile
        for tile in tiles
        if tile.tile in state.stock
        and any((tile.cell, tile.rotation) == (c, turn) for c, ts in _fits(r, tile) for turn in ts)
    ]
    legal_now.sort(
        key=lambda tile: (owners.get(tile.cell or (0, 0)) != colour, owners.get(tile.cell or (0, 0)) is not None)
    )
    return legal_now[0] if legal_now else None


def _fits(r: CarcassonneReferee, tile: SeenTile) -> list[tuple[Cell, tuple[int, ...]]]:
    return list(r.game.state.board.fits(tile.tile))


def _best_put(r: CarcassonneReferee, meeples: Sequence[SeenMeeple]) -> Step:
    state = r.game.state
    assert state.cell is not None
    colour = r.colours[state.player - 1]
    for seen in meeples:
        if seen.colour != colour:
            continue
        for place in sorted(seen.weights, key=lambda where: -seen.weights[where]):
            part = state.board.tiles[state.cell].parts[place[1]]
            put = Put(part.kind, part.location)
            if place[0] == state.cell and part.kind != "FlyingMachine" and r.game.why_illegal(put) is None:
                return Step(put, seen.piece, inferred=True)
    return Step(Skip(), inferred=True)
