"""From a still to moves: what is certain is pushed, what is not is asked, what cannot be is left to `faults`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.asking import Topic
from rules.carcassonne import doubts, faults, flying, revising
from rules.carcassonne.explain import (
    MANY,
    Due,
    Evidence,
    Explainer,
    Plan,
    Step,
    evidence,
    first_difference,
)
from rules.carcassonne.lattice import SeenTile, seen_tiles, starts
from rules.carcassonne.moves import Draw, Land, Put, Skip
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
    """Several tiles lie when the board is first seen: which of those like the start tile is it, if any?"""
    frames = starts(tiles_of(scene))
    if not frames:
        return []
    pieces = [p.id for f in frames for p in scene.pieces if p.cell == f.origin and p.lattice == f.lattice]
    question = Question(
        id="",
        t=scene.t,
        rule="carcassonne.start",
        pieces=tuple(pieces),
        options=(*pieces, doubts.NOT_SEEN),
        default=pieces[0],
        message=Message("carcassonne.ask.start"),
    )
    r.start_scene = scene
    return r.asking.ask(("start",), question)


def settle(r: CarcassonneReferee, t: float, *, fresh: bool) -> list[Output]:
    """Accounts for the last still, as far as it can be; `fresh`: it was not looked at before."""
    if not fresh:
        r.sight = r.eye.again(r.game.state.board.tiles, r.told.tiles, r.told.turns)
    sight = r.sight
    if sight is None:
        return []
    if fresh:
        r.heard.clear()
    r.told.forget(sight)
    out: list[Output] = []
    wanted: dict[Topic, Question] = {}
    if not r.over:
        sight = as_told(r, sight)
        doubts.discards(r, t, sight, wanted)
        doubtful = doubts.tiles(r, t, sight, wanted, fresh)
        changed = doubts.changed(r, t, sight, wanted, fresh)
        usable = replace(sight, tiles={cell: tile for cell, tile in sight.tiles.items() if tile.piece not in doubtful})
        seen = _evidence(r, usable)
        stuck = doubtful or changed or any(flag.blocks(usable) for flag in r.flags)
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
        _remember_spots(r, sight, seen)
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


def _evidence(r: CarcassonneReferee, sight: Sight) -> Evidence:
    return evidence(r.game.state, sight, [due for due, _ in r.due], r.colours, r.spots)


def _explain(
    r: CarcassonneReferee, t: float, sight: Sight, seen: Evidence, wanted: dict[Topic, Question]
) -> list[Output]:
    if len(seen.tiles) > MANY:
        doubts.many(r, t, seen, wanted)
        return []
    # A tile may be laid, a meeple put and the die thrown between two stills: the throw then counts from before them.
    baseline = r.baseline
    if seen.tiles and r.game.state.phase == "draw":
        r.baseline = r.throws_before
    die = flying.thrown(r, sight, seen)
    r.baseline = baseline
    plans = Explainer(r.game.setup, r.colours, die, r.told).plans(r.game.state, seen)
    otherwise = revising.lies_otherwise(r, sight)
    if plans[0].left != (0, 0) or otherwise:
        revised = revising.revise(r, t, sight, die)
        if revised is not None:
            return revised
    if otherwise:
        return []  # it is no new tile, and where it lies now is for `faults` to say
    return _adopt(r, t, plans, wanted)


def _adopt(r: CarcassonneReferee, t: float, plans: list[Plan], wanted: dict[Topic, Question]) -> list[Output]:
    """Pushes what is certain, and asks at the first step that is not."""
    best = plans[0]
    sure = best.weight >= r.rules.ask_below_confidence
    if any(faults.never_fits(r, best, tile) for tile in best.tiles):
        # Whose tile is it? What came after it is not decided before it lies right.
        certain = _before_draw(best.steps) if sure else ()
    else:
        certain = best.steps if sure else _shared(plans)
    out = [output for step in certain for output in r.push(t, step)]
    if not sure:
        doubts.choose(r, t, plans, len(certain), wanted)
    return out


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


# -- meeples --------------------------------------------------------------------------------------------------------


def _reminders(r: CarcassonneReferee, sight: Sight, seen: Evidence) -> None:
    """Which meeples still have to come back; one that was only hidden has to come back after all."""
    for due, number in list(r.returned):
        if _still_there(r, seen, due):
            r.returned.remove((due, number))
            r.due.append((due, number))
    for due in seen.back:
        entry = next(entry for entry in r.due if entry[0] == due)
        r.due.remove(entry)
        r.returned.append(entry)


def _remember_spots(r: CarcassonneReferee, sight: Sight, seen: Evidence) -> None:
    """Where each meeple of the game is on its tile: so it is known again, whatever it is nearest to."""
    by_piece = {meeple.piece: meeple for meeple in sight.meeples}
    for place, piece in seen.stays.items():
        meeple = by_piece[piece]
        if meeple.colour in r.colours:
            r.spots[r.colours.index(meeple.colour) + 1, place] = meeple.cell, meeple.at


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
