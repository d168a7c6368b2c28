"""From a still to moves: what is certain is pushed, what is not is asked, what cannot be is left to `faults`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.asking import Topic
from rules.carcassonne import doubts, faults
from rules.carcassonne.explain import (
    MANY,
    Due,
    Evidence,
    Explainer,
    Plan,
    Step,
    evidence,
    first_difference,
    unchanged,
)
from rules.carcassonne.lattice import SeenTile, same, seen_tiles, starts
from rules.carcassonne.moves import Draw, Land, Move, Place, Put, Roll, Skip
from rules.carcassonne.sight import Place as Where
from rules.carcassonne.sight import Sight
from rules.protocol import Message, Output, Question
from vision.scene import Scene

if TYPE_CHECKING:
    from rules.carcassonne.referee import CarcassonneReferee

UNLIKELY = 0.02
"""A way less likely than this is not considered."""


def tiles_of(scene: Scene) -> list[SeenTile]:
    """The tiles of a scene that lie face up."""
    return seen_tiles(scene.pieces)


def ask_start(r: CarcassonneReferee, scene: Scene) -> list[Output]:
    """Several tiles may be the start tile: which one is it?"""
    frames = starts(tiles_of(scene))
    if len(frames) < 2:
        return []
    pieces = [p.id for f in frames for p in scene.pieces if p.cell == f.origin and p.lattice == f.lattice]
    question = Question(
        id="",
        t=scene.t,
        rule="carcassonne.start",
        pieces=tuple(pieces),
        options=tuple(pieces),
        default=pieces[0],
        message=Message("carcassonne.ask.start"),
    )
    r.start_scene = scene
    return r.asking.ask(("start",), question)


def settle(r: CarcassonneReferee, t: float, *, fresh: bool) -> list[Output]:
    """Accounts for the last still, as far as it can be; `fresh`: it was not looked at before."""
    sight = r.sight
    if sight is None:
        return []
    if fresh:
        r.heard.clear()
    out: list[Output] = []
    wanted: dict[Topic, Question] = {}
    if not r.over:
        sight = as_told(r, sight)
        doubts.discards(r, t, sight, wanted)
        doubtful = doubts.tiles(r, t, sight, wanted)
        changed = doubts.changed(r, t, sight, wanted, fresh)
        usable = replace(sight, tiles={cell: tile for cell, tile in sight.tiles.items() if tile.piece not in doubtful})
        seen = _evidence(r, usable)
        stuck = doubtful or changed or any(f.blocks for f in r.flags if f.holds(usable))
        if stuck:
            seen = replace(seen, tiles=())
        out += _explain(r, t, usable, seen, wanted)
    seen = _evidence(r, sight)
    _reminders(r, sight, seen)
    if not r.over:
        out += faults.diagnose(r, t, sight, seen, wanted, fresh)
    else:
        r.flags = []
    if fresh:
        r.eye.know(sight, r.game.state.board.tiles)
        r.remember_places(t, _places(r, sight, seen))
    return out + doubts.sync(r, wanted)


def as_told(r: CarcassonneReferee, sight: Sight) -> Sight:
    """The still with what the players said of its tiles and meeples."""
    told = r.told
    tiles = {}
    for cell, tile in sight.tiles.items():
        if tile.piece in told.tiles:
            if told.tiles[tile.piece] == doubts.NOT_IN_PLAY:
                continue
            tile = replace(tile, tile=told.tiles[tile.piece], confidence=1.0)
        if tile.piece in told.turns:
            tile = replace(tile, rotation=told.turns[tile.piece])
        tiles[cell] = tile
    meeples = tuple(
        replace(seen, colour=told.colours[seen.piece]) if seen.piece in told.colours else seen for seen in sight.meeples
    )
    return replace(sight, tiles=tiles, meeples=meeples)


def thrown(r: CarcassonneReferee, sight: Sight) -> int | None:
    """What the die shows if it was thrown in this turn for certain (rules 2.3.3, 2.10 C9)."""
    if r.told.die is not None:
        return r.told.die
    die = sight.die
    if die is None or die.moving or die.doubtful or r.die_doubtful:
        return None
    if die.cocked and r.rules.die_cocked == "reroll":
        return None
    if r.baseline is not None and die.throws <= r.baseline:
        return None
    return die.value


def _evidence(r: CarcassonneReferee, sight: Sight) -> Evidence:
    return evidence(r.game.state, sight, [due for due, _ in r.due], r.colours)


def _explain(
    r: CarcassonneReferee, t: float, sight: Sight, seen: Evidence, wanted: dict[Topic, Question]
) -> list[Output]:
    if len(seen.tiles) > MANY:
        doubts.many(r, t, seen, wanted)
        return []
    # A tile may be laid, a meeple put and the die thrown between two stills: the throw then counts from before them.
    baseline = r.baseline
    if seen.tiles and r.game.state.phase in ("draw", "meeple"):
        r.baseline = r.throws_before
    plans = _plans(r, sight, seen)
    r.baseline = baseline
    if (plans[0].left != (0, 0) or _turned(r, sight)) and (revised := _revise(r, t, sight)) is not None:
        return revised
    return _adopt(r, t, plans, wanted)


def _plans(r: CarcassonneReferee, sight: Sight, seen: Evidence) -> list[Plan]:
    explainer = Explainer(r.game.setup, r.colours, thrown(r, sight), r.told)
    return explainer.plans(r.game.state, seen)


def _adopt(r: CarcassonneReferee, t: float, plans: list[Plan], wanted: dict[Topic, Question]) -> list[Output]:
    """Pushes what is certain, and asks at the first step that is not."""
    best = plans[0]
    sure = best.weight >= r.rules.ask_below_confidence
    if any(faults.never_fits(r, best, tile) for tile in best.tiles):
        # Whose tile is it? What came after it is not decided before it lies right.
        certain = _before_draw(best.steps) if sure else ()
    elif sure:
        certain = best.steps
    else:
        certain = _shared(plans)
        doubts.choose(r, t, plans, len(certain), wanted)
    return [output for step in certain for output in r.push(t, step)]


def _shared(plans: list[Plan]) -> tuple[Step, ...]:
    """The steps with which every likely plan begins, up to the first meeple when there is only one."""
    likely = [plan for plan in plans if plan.weight >= UNLIKELY]
    steps = likely[0].steps[: first_difference(likely)] if len(likely) > 1 else _before_meeple(plans[0].steps)
    return steps[:-1] if steps and isinstance(steps[-1].move, Draw) else steps


def _before_meeple(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    uncertain = (i for i, step in enumerate(steps) if isinstance(step.move, Put | Land) and step.piece)
    return steps[: next(uncertain, len(steps))]


def _before_draw(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps of the running turn, without a Skip that only the next tile would tell."""
    kept: list[Step] = []
    for step in steps:
        if isinstance(step.move, Draw) or (isinstance(step.move, Skip) and step.inferred):
            break
        kept.append(step)
    return tuple(kept)


# -- taking back ----------------------------------------------------------------------------------------------------


def _turned(r: CarcassonneReferee, sight: Sight) -> bool:
    """Whether the tile that was laid last lies otherwise now."""
    cell = doubts.last_cell(r)
    tile = sight.tiles.get(cell) if cell is not None else None
    if tile is None or cell is None or tile.rotation is None:
        return False
    laid = r.game.state.board.tiles[cell]
    return tile.tile == laid.tile.id and not same(tile.tile, tile.rotation, laid.rotation)


def _revise(r: CarcassonneReferee, t: float, sight: Sight) -> list[Output] | None:
    """The last turn went otherwise than it seemed: a meeple came late, or was put elsewhere; the tile was turned.

    None when that does not account for everything, either.
    """
    moves, whole = r.game.moves, len(r.game.moves)
    begin = next((i for i in range(whole - 1, -1, -1) if isinstance(moves[i], Draw)), None)
    if begin is None or any(isinstance(move, Roll) for move in moves[begin:]):
        return None
    for length in range(whole - 1, begin - 1, -1):
        dropped = moves[length:]
        if length == begin + 1 or not _contradicted(r, sight, dropped, length):
            continue
        trial = r.game.copy()
        while len(trial.moves) > length:
            trial.pop()
        due = [due for due, number in r.due + r.returned if number <= length]
        seen = evidence(trial.state, sight, due, r.colours)
        plans = Explainer(r.game.setup, r.colours, thrown(r, sight), r.told).plans(trial.state, seen)
        best = plans[0]
        if best.left == (0, 0) and best.weight >= r.rules.ask_below_confidence and best.steps:
            told = set(r.game.state.lines)
            r.cut(length)
            out: list[Output] = []
            for step in best.steps:
                out += r.push(
                    t, step, again=isinstance(step.move, Place) and any(isinstance(m, Place) for m in dropped)
                )
            return [o for o in out if not faults.repeats(o, told, r)]
    return None


def _contradicted(r: CarcassonneReferee, sight: Sight, dropped: list[Move], length: int) -> bool:
    """Whether the still shows that these moves were not (or are no longer) so."""
    state = r.game.state
    for number, move in enumerate(dropped, length):
        step = r.steps[number]
        match move:
            case Place():
                cell = (move.x, move.y)
                there = sight.tiles.get(cell)
                laid = state.board.tiles[cell]
                if there is not None and unchanged(there, laid.tile.id, laid.rotation):
                    return False
                elsewhere = [c for c, tile in sight.tiles.items() if tile.piece == step.piece and c != cell]
                if there is None and not elsewhere:
                    return False
            case Put():
                where = _where_put(r, number)
                if any(seen.weight(where) > 0.5 for seen in sight.meeples):
                    return False
            case Land():
                return False
            case Skip() if not step.inferred:
                return False
    return True


def _where_put(r: CarcassonneReferee, number: int) -> Where:
    """The part that a `Put` of the game put its meeple on."""
    place = next(m for m in reversed(r.game.moves[:number]) if isinstance(m, Place))
    put = r.game.moves[number]
    assert isinstance(put, Put)
    cell = (place.x, place.y)
    parts = r.game.state.board.tiles[cell].parts
    return cell, next(i for i, p in enumerate(parts) if (p.kind, p.location) == (put.feature, put.location))


def without_meeple(r: CarcassonneReferee, piece: str) -> int | None:
    """How many moves there were before a meeple was put in the turn that was the last; None when it was not."""
    for number in range(len(r.steps) - 1, -1, -1):
        step = r.steps[number]
        if isinstance(step.move, Draw):
            return None
        if isinstance(step.move, Put) and step.piece == piece and step.move.feature != "FlyingMachine":
            return number
    return None


# -- meeples --------------------------------------------------------------------------------------------------------


def _reminders(r: CarcassonneReferee, sight: Sight, seen: Evidence) -> None:
    """Which meeples still have to come back; one that was only hidden has to come back after all."""
    for due, number in list(r.returned):
        if _still_there(r, seen, due):
            r.returned.remove((due, number))
            r.due.append((due, number))
    for due, number in [entry for entry in r.due if entry[0] in seen.back]:
        r.due.remove((due, number))
        r.returned.append((due, number))


def _still_there(r: CarcassonneReferee, seen: Evidence, due: Due) -> bool:
    colour = r.colours[due.player - 1]
    return any(m.colour == colour and m.weight(due.place) > 0.5 for m in seen.meeples)


def _places(r: CarcassonneReferee, sight: Sight, seen: Evidence) -> dict[str, Where]:
    """What each meeple of the still stands on: as the game has it, else where it most likely stands."""
    on = {piece: place for place, piece in seen.stays.items()}
    for meeple in sight.meeples:
        if meeple.piece not in on and meeple.weights:
            place = max(meeple.weights, key=lambda where: meeple.weights[where])
            if meeple.weights[place] > 0.5:
                on[meeple.piece] = place
    return on


# -- answers --------------------------------------------------------------------------------------------------------


def answered(r: CarcassonneReferee, t: float, topic: Topic, choice: str) -> list[Output]:
    """What follows from the answer to a question that was open."""
    match topic[0]:
        case "start":
            return r.choose_start(choice)
        case _:
            r.heard.add(topic)
            return [*doubts.answered(r, t, topic, choice), *settle(r, t, fresh=False)]
