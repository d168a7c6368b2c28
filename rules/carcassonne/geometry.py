"""Cells of the table, sides and half-sides of a tile, and how they turn.

x runs to the right, y downwards (towards the viewer), rotations clockwise in degrees. A tile's sides are N E S W; each
side has a left and a right half as seen from the middle of the tile, so that NL is the western half of the northern
side. Roads and cities leave a tile through the middle of a side, fields through halves.
"""

from __future__ import annotations

from typing import Final

Cell = tuple[int, int]
"""Column and row; the start tile lies at (0, 0)."""

SIDES: Final = "NESW"
HALVES: Final = ("NL", "NR", "EL", "ER", "SL", "SR", "WL", "WR")
ROTATIONS: Final = (0, 90, 180, 270)
STEPS: Final[tuple[Cell, ...]] = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""From a cell to its neighbour across each side, in the order of `SIDES`."""
AROUND: Final[tuple[Cell, ...]] = tuple((x, y) for y in (-1, 0, 1) for x in (-1, 0, 1) if (x, y) != (0, 0))
"""From a cell to the eight around it."""
INSIDE: Final = "I"
"""Location of what touches no side: monasteries, gardens, flying machines."""

_SIDE_NAMES: Final = ("N", "E", "S", "W", "NE", "NS", "NW", "SE", "WE", "SW", "_W", "_S", "_E", "_N", "NWSE")


def sides_of(location: str) -> frozenset[str]:
    """The sides that a road or city touches. `_N` is all sides but N.

    >>> sorted(sides_of("_N"))
    ['E', 'S', 'W']
    """
    named = frozenset(location.removeprefix("_"))
    return frozenset(SIDES) - named if location.startswith("_") else named


_SIDE_NAME: Final = {sides_of(name): name for name in _SIDE_NAMES}


def turn_sides(location: str, rotation: int) -> str:
    """Where a road or city lies when its tile is turned clockwise.

    >>> turn_sides("NW", 90), turn_sides("_E", 270)
    ('NE', '_N')
    """
    return _SIDE_NAME[frozenset(SIDES[(SIDES.index(side) + rotation // 90) % 4] for side in sides_of(location))]


def turn_halves(location: str, rotation: int) -> str:
    """Where a field lies when its tile is turned clockwise.

    >>> turn_halves("EL.WR", 90)
    'NR.SL'
    """
    turned = {(HALVES.index(half) + rotation // 45) % 8 for half in location.split(".")}
    return ".".join(HALVES[i] for i in sorted(turned))


def turn_step(step: Cell, rotation: int) -> Cell:
    """A step to a neighbouring cell, turned clockwise.

    >>> turn_step((-1, -1), 90)
    (1, -1)
    """
    x, y = step
    for _ in range(rotation // 90):
        x, y = -y, x
    return x, y
