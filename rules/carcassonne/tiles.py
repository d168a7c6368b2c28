"""The tiles: 72 of the base game and 8 with a flying machine, and what lies on each (rules 2.6, 2.7).

Ids are those of the open-source engine JCloisterZone, letters those of the rule book. Everything is as at rotation 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal, get_args

from rules.carcassonne.geometry import (
    HALVES,
    INSIDE,
    ROTATIONS,
    SIDES,
    Cell,
    sides_of,
    turn_halves,
    turn_sides,
    turn_step,
)

Kind = Literal["Road", "City", "Field", "Monastery", "Garden", "FlyingMachine"]
TileSet = Literal["C1", "C2"]
"""Graphics of the first edition, and of the second, which has gardens on nine tiles."""

TILE_SETS: Final[tuple[TileSet, ...]] = get_args(TileSet)
START_TILE: Final = "BA/RCr"


@dataclass(frozen=True)
class Part:
    """What a tile shows of a feature."""

    kind: Kind
    location: str
    """Sides (`NW`, `_N`), half-sides of a field (`EL.WR`), or `I`; see `geometry`."""
    pennants: int = 0
    touches: tuple[str, ...] = ()
    """A field: locations of the cities of this tile that it feeds."""


@dataclass(frozen=True)
class Tile:
    """One kind of tile."""

    id: str
    letter: str
    """The rule book's letter; none on flying machine tiles."""
    edges: str
    """F field, R road or C city on N, E, S, W."""
    parts: tuple[Part, ...]
    flight: Cell | None = None
    """Where its flying machine flies to: one step."""
    garden_of: str = ""
    """The tile that is the same but for the garden."""


@dataclass(frozen=True)
class Turned:
    """A tile as it lies: everything turned clockwise by `rotation`."""

    tile: Tile
    rotation: int
    edges: str
    parts: tuple[Part, ...]
    """In the order of `tile.parts`."""
    sides: tuple[tuple[int | None, int | None, int | None], ...]
    """For N, E, S, W: the parts (by index) that reach the side's left half, its middle, its right half."""
    flight: Cell | None


def _city(location: str, pennants: int = 0) -> Part:
    return Part("City", location, pennants)


def _road(location: str) -> Part:
    return Part("Road", location)


def _ends(sides: str) -> tuple[Part, ...]:
    """Roads that end on the tile, at a crossing or village."""
    return tuple(_road(side) for side in sides)


def _field(location: str, *touches: str) -> Part:
    return Part("Field", location.replace(" ", "."), touches=touches)


_MONASTERY: Final = Part("Monastery", INSIDE)
_GARDEN: Final = Part("Garden", INSIDE)
_MACHINE: Final = Part("FlyingMachine", INSIDE)
_ALL: Final = " ".join(HALVES)
_W: Final = (-1, 0)
_NW: Final = (-1, -1)


def _base(letter: str, name: str, edges: str, *parts: Part) -> Tile:
    return Tile(f"BA/{name}", letter, edges, parts)


def _flier(name: str, edges: str, flight: Cell, *parts: Part) -> Tile:
    return Tile(f"FL/{name}", "", edges, (*parts, _MACHINE), flight)


_TABLE: Final = (
    (2, _base("A", "LR", "FFRF", _MONASTERY, *_ends("S"), _field(_ALL))),
    (4, _base("B", "L", "FFFF", _MONASTERY, _field(_ALL))),
    (1, _base("C", "Cccc+", "CCCC", _city("NWSE", 1))),
    (4, _base("D", "RCr", "CRFR", _city("N"), _road("WE"), _field("EL WR", "N"), _field("ER SL SR WL"))),
    (5, _base("E", "C", "CFFF", _city("N"), _field("EL ER SL SR WL WR", "N"))),
    (2, _base("F", "CFc+", "FCFC", _city("WE", 1), _field("NL NR", "WE"), _field("SL SR", "WE"))),
    (1, _base("G", "CFc.1", "FCFC", _city("WE"), _field("NL NR", "WE"), _field("SL SR", "WE"))),
    (3, _base("H", "CFC.2", "CFCF", _city("N"), _city("S"), _field("EL ER WL WR", "N", "S"))),
    (2, _base("I", "CC.2", "CFFC", _city("N"), _city("W"), _field("EL ER SL SR", "N", "W"))),
    (3, _base("J", "CRr", "CRRF", _city("N"), _road("SE"), _field("EL SR WL WR", "N"), _field("ER SL"))),
    (3, _base("K", "RrC", "CFRR", _city("N"), _road("SW"), _field("EL ER SL WR", "N"), _field("SR WL"))),
    (3, _base("L", "CRRR", "CRRR", _city("N"), *_ends("ESW"), _field("EL WR", "N"), _field("ER SL"), _field("SR WL"))),
    (2, _base("M", "Cc+", "CFFC", _city("NW", 1), _field("EL ER SL SR", "NW"))),
    (3, _base("N", "Cc.1", "CFFC", _city("NW"), _field("EL ER SL SR", "NW"))),
    (2, _base("O", "CcRr+", "CRRC", _city("NW", 1), _road("SE"), _field("EL SR", "NW"), _field("ER SL"))),
    (3, _base("P", "CcRr", "CRRC", _city("NW"), _road("SE"), _field("EL SR", "NW"), _field("ER SL"))),
    (1, _base("Q", "Ccc+", "CCFC", _city("_S", 1), _field("SL SR", "_S"))),
    (3, _base("R", "Ccc", "CCFC", _city("_S"), _field("SL SR", "_S"))),
    (2, _base("S", "CccR+", "CCRC", _city("_S", 1), *_ends("S"), _field("SL", "_S"), _field("SR", "_S"))),
    (1, _base("T", "CccR", "CCRC", _city("_S"), *_ends("S"), _field("SL", "_S"), _field("SR", "_S"))),
    (8, _base("U", "RFr", "FRFR", _road("WE"), _field("NL NR EL WR"), _field("ER SL SR WL"))),
    (9, _base("V", "Rr", "FFRR", _road("SW"), _field("NL NR EL ER SL WR"), _field("SR WL"))),
    (4, _base("W", "RRR", "FRRR", *_ends("ESW"), _field("NL NR EL WR"), _field("ER SL"), _field("SR WL"))),
    (1, _base("X", "RRRR", "RRRR", *_ends("NESW"), *map(_field, ("NL WR", "NR EL", "ER SL", "SR WL")))),
    (1, _flier("F.d", "FFFF", _NW, _field(_ALL))),
    (1, _flier("F.o", "FFFF", _W, _field(_ALL))),
    (1, _flier("RFr.d", "FRFR", _NW, _road("WE"), _field("NL NR EL WR"), _field("ER SL SR WL"))),
    (1, _flier("RFr.NS.o", "RFRF", _W, _road("NS"), _field("NL SR WL WR"), _field("NR EL ER SL"))),
    (1, _flier("RFr.WE.o", "FRFR", _W, _road("WE"), _field("NL NR EL WR"), _field("ER SL SR WL"))),
    (1, _flier("Rr.d", "FRRF", _NW, _road("SE"), _field("NL NR EL SR WL WR"), _field("ER SL"))),
    (1, _flier("Rr.NW.o", "RFFR", _W, _road("NW"), _field("NL WR"), _field("NR EL ER SL SR WL"))),
    (1, _flier("Rr.SW.o", "FFRR", _W, _road("SW"), _field("SR WL"), _field("NL NR EL ER SL WR"))),
)
"""How many there are in the first edition, and what they show."""

_GARDENS: Final = {
    "BA/CG": "BA/C",
    "BA/CFCG": "BA/CFC.2",
    "BA/CCG": "BA/CC.2",
    "BA/Cc+G": "BA/Cc+",
    "BA/CcG": "BA/Cc.1",
    "BA/CccG": "BA/Ccc",
    "BA/RFrG": "BA/RFr",
    "BA/RrG": "BA/Rr",
    "FL/F.dG": "FL/F.d",
}
"""Tiles that have a garden in the second edition: one of each of these."""


def _with_gardens() -> dict[str, Tile]:
    tiles = {tile.id: tile for _, tile in _TABLE}
    for name, plain in _GARDENS.items():
        tiles[name] = replace(tiles[plain], id=name, parts=(*tiles[plain].parts, _GARDEN), garden_of=plain)
    return tiles


TILES: Final[Mapping[str, Tile]] = MappingProxyType(_with_gardens())
"""Every kind of tile, by its id."""


def counts(tile_set: TileSet) -> dict[str, int]:
    """How many there are of each kind, the start tile among them: 80 in all (rules 2.1)."""
    number = {tile.id: count for count, tile in _TABLE}
    if tile_set == "C2":
        for name, plain in _GARDENS.items():
            number[name] = 1
            number[plain] -= 1
    return {tile: count for tile, count in number.items() if count}


def _turn(part: Part, rotation: int) -> Part:
    if part.location == INSIDE:
        return part
    turn = turn_halves if part.kind == "Field" else turn_sides
    touches = tuple(turn_sides(city, rotation) for city in part.touches)
    return replace(part, location=turn(part.location, rotation), touches=touches)


def _reach(parts: tuple[Part, ...], side: str) -> tuple[int | None, int | None, int | None]:
    """Which parts reach a side's left half, its middle, its right half."""

    def at(half: str) -> int | None:
        fields = (i for i, part in enumerate(parts) if part.kind == "Field" and half in part.location.split("."))
        return next(fields, None)

    ways = (i for i, part in enumerate(parts) if part.kind in ("Road", "City") and side in sides_of(part.location))
    return at(f"{side}L"), next(ways, None), at(f"{side}R")


def _turned(tile: Tile, rotation: int) -> Turned:
    parts = tuple(_turn(part, rotation) for part in tile.parts)
    shift = rotation // 90
    edges = tile.edges[-shift:] + tile.edges[:-shift] if shift else tile.edges
    flight = turn_step(tile.flight, rotation) if tile.flight else None
    return Turned(tile, rotation, edges, parts, tuple(_reach(parts, side) for side in SIDES), flight)


_TURNED: Final = {(tile.id, rotation): _turned(tile, rotation) for tile in TILES.values() for rotation in ROTATIONS}


def turned(tile: str, rotation: int) -> Turned:
    """A tile as it lies; KeyError when there is no such tile or it does not lie square."""
    return _TURNED[tile, rotation]
