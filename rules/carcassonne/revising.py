"""The last turn went otherwise than it seemed: a meeple came late or stands elsewhere, the tile was turned or moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rules.carcassonne import doubts
from rules.carcassonne.explain import Explainer, Plan, Step, evidence, unchanged
from rules.carcassonne.lattice import same
from rules.carcassonne.moves import Draw, Land, Place, Put, Roll, Skip
from rules.carcassonne.scoring import Line
from rules.carcassonne.sight import Place as Where
from rules.carcassonne.sight import Sight
from rules.protocol import Output, Ruling

if TYPE_CHECKING:
    from rules.carcassonne.referee import CarcassonneReferee


def revise(r: CarcassonneReferee, t: float, sight: Sight, die: int | None) -> list[Output] | None:
    """Takes back what the still contradicts of the last turn, and makes the moves that account for all of it.

    None, and nothing is changed, when no other course of the turn does. `die`: what was thrown in this turn.
    """
    begin = next((i for i in range(len(r.steps) - 1, -1, -1) if isinstance(r.steps[i].move, Draw)), None)
    if begin is None or any(isinstance(step.move, Roll) for step in r.steps[begin:]):
        return None
    for length in range(len(r.steps) - 1, begin - 1, -1):
        if length == begin + 1:
            continue  # a tile that is drawn and not laid
        plan = _course(r, sight, length, die)
        if plan is not None:
            return _remake(r, t, plan, length)
    return None


def lies_otherwise(r: CarcassonneReferee, sight: Sight) -> bool:
    """Whether the tile that was laid last was turned, or lies elsewhere."""
    cell = doubts.last_cell(r)
    if cell is None:
        return False
    tile = sight.tiles.get(cell)
    if tile is None:
        piece = next(step.piece for step in reversed(r.steps) if isinstance(step.move, Place))
        return any(other.piece == piece for other in sight.tiles.values())
    if tile.rotation is None:
        return False
    laid = r.game.state.board.tiles[cell]
    return tile.tile == laid.tile.id and not same(tile.tile, tile.rotation, laid.rotation)


def without_meeple(r: CarcassonneReferee, piece: str) -> int | None:
    """How many moves there were before a meeple was put in the turn that was the last; None when it was not."""
    for number in range(len(r.steps) - 1, -1, -1):
        step = r.steps[number]
        if isinstance(step.move, Draw):
            return None
        if isinstance(step.move, Put) and step.piece == piece and step.move.feature != "FlyingMachine":
            return number
    return None


def _course(r: CarcassonneReferee, sight: Sight, length: int, die: int | None) -> Plan | None:
    """How the game went on after its first moves, if that accounts for everything and denies nothing that is seen."""
    trial = r.game.copy()
    while len(trial.moves) > length:
        trial.pop()
    due = [due for due, number in r.due + r.returned if number <= length]
    seen = evidence(trial.state, sight, due, r.colours, r.spots)
    best = Explainer(r.game.setup, r.colours, die, r.told).plans(trial.state, seen)[0]
    if best.left != (0, 0) or best.weight < r.rules.ask_below_confidence or not best.steps:
        return None
    kept = {(type(step.move), step.move, step.piece) for step in best.steps}
    for number, step in enumerate(r.steps[length:], length):
        if (type(step.move), step.move, step.piece) not in kept and not _denied(r, sight, step, number):
            return None
    return best


def _denied(r: CarcassonneReferee, sight: Sight, step: Step, number: int) -> bool:
    """Whether the still shows that a move was not (or is no longer) so."""
    match step.move:
        case Place(x=x, y=y):
            there = sight.tiles.get((x, y))
            laid = r.game.state.board.tiles[x, y]
            if there is not None:
                return not unchanged(there, laid.tile.id, laid.rotation)
            return any(tile.piece == step.piece for cell, tile in sight.tiles.items() if cell != (x, y))
        case Put():
            where = _where_put(r, number, step.move)
            return not any(seen.weight(where) > 0.5 for seen in sight.meeples)
        case Skip():
            return step.inferred
        case Land():
            return False
    return True


def _where_put(r: CarcassonneReferee, number: int, put: Put) -> Where:
    """The part that a meeple was put on."""
    place = next(step.move for step in reversed(r.steps[:number]) if isinstance(step.move, Place))
    cell = (place.x, place.y)
    parts = r.game.state.board.tiles[cell].parts
    return cell, next(i for i, p in enumerate(parts) if (p.kind, p.location) == (put.feature, put.location))


def _remake(r: CarcassonneReferee, t: float, plan: Plan, length: int) -> list[Output]:
    told, dropped = r.game.state.lines, r.steps[length:]
    r.cut(length)
    known = {(step.move, r.game.state.player) for step in dropped if isinstance(step.move, Place)}
    laid = {step.piece for step in dropped if isinstance(step.move, Place)}
    out: list[Output] = []
    for step in plan.steps:
        as_before = (step.move, r.game.state.player) in known
        said = r.push(t, step, again=isinstance(step.move, Place) and step.piece in laid)
        out += [] if as_before else said
    return [output for output in out if not _repeats(r, output, told)]


def _repeats(r: CarcassonneReferee, output: Output, told: Sequence[Line]) -> bool:
    """Whether a ruling about points was given before."""
    if not isinstance(output, Ruling) or output.rule != "carcassonne.score":
        return False
    old = [
        (r.names[line.player - 1], line.points, line.rule, [r.words.cell(cell) for cell in line.cells]) for line in told
    ]
    return (output.player, output.data["points"], output.reason, output.data["cells"]) in old
