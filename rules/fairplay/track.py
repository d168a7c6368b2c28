"""The track: which tile may come next, how it lies, and what stands in a car's way (rules 3.2.1, 3.4, 3.6)."""

from __future__ import annotations

from typing import Literal

from rules.engine import Refusal
from rules.fairplay.house_rules import HouseRules
from rules.fairplay.moves import Way
from rules.fairplay.pieces import CURVE, FINISH, NARROW, START, STRAIGHT, TILES, UPPER_PILE
from rules.fairplay.refusals import refuse
from rules.fairplay.state import State

Cell = tuple[int, int]
Obstacle = Literal["narrow", "full"]

_TURNED: dict[Way, Way] = {"left": "right", "right": "left"}


def last(state: State) -> int:
    """Number of the last tile laid."""
    return len(state.track) - 1


def finish(state: State) -> int | None:
    """Number of the finish tile once it is laid: it is the last one ever laid (rules 3.4.8)."""
    return last(state) if state.track[-1] == FINISH else None


def laid(state: State, place: int) -> bool:
    """Is there a tile, or the land beyond the finish?"""
    return place <= last(state) or finish(state) is not None


def capacity(kind: str, rules: HouseRules) -> int | None:
    """Rules 3.4.2, 3.4.6, 3.4.7: cars that a tile holds; None: any number."""
    if kind == NARROW:
        return 1
    if kind == START:
        return rules.start_capacity
    return rules.finish_capacity if kind == FINISH else rules.tile_capacity


def obstacle(state: State, rules: HouseRules, place: int) -> Obstacle | None:
    """Rules 3.4.2: what keeps a car from entering: a narrow road with a car on it, or a tile that is full."""
    if place > last(state):
        return None
    kind = state.track[place]
    holds = capacity(kind, rules)
    if holds is None or state.cars(place) < holds:
        return None
    return "narrow" if kind == NARROW else "full"


def nearest_behind(state: State, place: int, kinds: frozenset[str]) -> int:
    """The last tile of these kinds before `place`."""
    return next(i for i in range(place - 1, -1, -1) if state.track[i] in kinds)


def why_not_tile(state: State, kind: str) -> Refusal | None:
    """Rules 3.1, 3.2.1: the tile that the next draw cannot turn up."""
    if kind not in TILES:
        return refuse("tile.unknown", f"there is no tile {kind!r}; there are {', '.join(TILES)}")
    if state.track.count(kind) == TILES[kind]:
        return refuse("tile.count", f"there are {TILES[kind]} of {kind}, and they are all laid")
    drawn = last(state)
    if kind == FINISH and drawn < UPPER_PILE:
        reason = f"the finish lies below the first {UPPER_PILE} tiles, and this is tile {drawn + 1}"
        return refuse("tile.finish", reason)
    return None


def why_not_way(state: State, rules: HouseRules, kind: str, way: Way) -> Refusal | None:
    """Rules 3.4 (lay of the land), option `track_layout`: how the next tile may not be laid, where that is told.

    When both sides are taken the tile is laid after a gap, so that any way is right.
    """
    shape = _shape(rules, kind) or ("straight" if way == "straight" else "curve")
    if not way:
        return None
    if (shape == "curve") != (way in _TURNED):
        how = "bent, it leads left or right" if shape == "curve" else "straight, it leads on"
        return refuse("track.shape", f"{kind} is {how}")
    if shape == "straight" or kind == FINISH:
        return None
    taken, here, heading = _map(state, rules)
    if here in taken:
        return None
    if _ahead(here, _turn(heading, way)) in taken and _ahead(here, _turn(heading, _TURNED[way])) not in taken:
        reason = f"to the {way} the track would run into itself; lay the curve to the {_TURNED[way]}"
        return refuse("track.run_in", reason)
    return None


def _map(state: State, rules: HouseRules) -> tuple[list[Cell], Cell, Cell]:
    """Where the tiles lie, the start at (0, 0) leading to (1, 0); the place of the next tile, and where that is headed.

    A tile after a gap, or after one that leads nobody was told where, may lie anywhere to those before it. The map then
    begins anew: the track can still be known to run into what was laid since.
    """
    here, heading = (1, 0), (1, 0)
    taken: list[Cell] = [(0, 0)]
    for kind, told in zip(state.track[1:], state.ways[1:], strict=True):
        if here in taken:
            taken = []
        taken.append(here)
        way: Way = "straight" if _shape(rules, kind) == "straight" else told
        if not way:
            taken = [here]
        heading = _turn(heading, way)
        here = _ahead(here, heading)
    return taken, here, heading


def _shape(rules: HouseRules, kind: str) -> str | None:
    """`curve` or `straight`; None when nobody knows."""
    return {CURVE: "curve", STRAIGHT: "straight", **rules.tile_shape}.get(kind)


def _turn(heading: Cell, way: Way) -> Cell:
    """A new heading, y downwards as on the table."""
    x, y = heading
    return {"left": (y, -x), "right": (-y, x)}.get(way, heading)


def _ahead(cell: Cell, heading: Cell) -> Cell:
    return cell[0] + heading[0], cell[1] + heading[1]
