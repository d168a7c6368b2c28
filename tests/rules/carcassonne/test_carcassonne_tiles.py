"""The tile tables 2.6 and 2.7: counts, geometry, rotation, the directions of flight."""

import pytest

from rules.carcassonne.geometry import HALVES, ROTATIONS, SIDES, sides_of, turn_halves, turn_sides
from rules.carcassonne.tiles import START_TILE, TILE_SETS, TILES, counts, turned


@pytest.mark.parametrize("tile_set", TILE_SETS)
def test_2_1_seventy_two_base_tiles_and_eight_flying_machines(tile_set):
    number = counts(tile_set)
    assert sum(n for tile, n in number.items() if tile.startswith("BA/")) == 72
    assert sum(n for tile, n in number.items() if tile.startswith("FL/")) == 8
    assert {TILES[tile].flight is not None for tile in number if tile.startswith("FL/")} == {True}
    assert number[START_TILE] == 4


def test_2_6_counts_by_letter():
    number = counts("C1")
    by_letter = {TILES[tile].letter: n for tile, n in number.items() if TILES[tile].letter}
    assert "".join(by_letter) == "ABCDEFGHIJKLMNOPQRSTUVWX"
    assert list(by_letter.values()) == [2, 4, 1, 4, 5, 2, 1, 3, 2, 3, 3, 3, 2, 3, 2, 3, 1, 3, 2, 1, 8, 9, 4, 1]


def test_2_6_the_second_edition_has_a_garden_on_one_of_nine_kinds():
    first, second = counts("C1"), counts("C2")
    gardens = {tile for tile in second if any(part.kind == "Garden" for part in TILES[tile].parts)}
    assert len(gardens) == 9
    for tile in gardens:
        plain = TILES[tile].garden_of
        assert second[tile] == 1
        assert second.get(plain, 0) == first[plain] - 1
        assert [part for part in TILES[tile].parts if part.kind != "Garden"] == list(TILES[plain].parts)


def test_2_6_ten_pennants():
    pennants = sum(n * part.pennants for tile, n in counts("C1").items() for part in TILES[tile].parts)
    assert pennants == 10
    assert all(not part.pennants for tile in TILES.values() for part in tile.parts if part.kind != "City")


@pytest.mark.parametrize("tile", TILES.values(), ids=lambda tile: tile.id)
@pytest.mark.parametrize("rotation", ROTATIONS)
def test_parts_reach_each_side_just_as_its_edge_says(tile, rotation):
    lying = turned(tile.id, rotation)
    halves = [half for part in lying.parts if part.kind == "Field" for half in part.location.split(".")]
    ways = {"R": [], "C": []}
    for part in lying.parts:
        if part.kind in ("Road", "City"):
            ways[part.kind[0]] += sides_of(part.location)
    for kind, sides in ways.items():
        assert sorted(sides) == sorted(side for side, edge in zip(SIDES, lying.edges, strict=True) if edge == kind)
    land = [side for side, edge in zip(SIDES, lying.edges, strict=True) if edge != "C"]
    assert sorted(halves) == sorted(side + half for side in land for half in "LR")
    for side, edge, (left, middle, right) in zip(SIDES, lying.edges, lying.sides, strict=True):
        kinds = [lying.parts[i].kind if i is not None else None for i in (left, middle, right)]
        assert (
            kinds
            == {
                "F": ["Field", None, "Field"],
                "R": ["Field", "Road", "Field"],
                "C": [None, "City", None],
            }[edge]
        )
        assert edge != "F" or left == right, f"the field on {side} is one"
        assert edge != "R" or left != right or tile.letter == "A", f"the road on {side} parts the field"


@pytest.mark.parametrize("tile", TILES.values(), ids=lambda tile: tile.id)
def test_fields_touch_cities_of_their_own_tile(tile):
    for rotation in ROTATIONS:
        parts = turned(tile.id, rotation).parts
        cities = {part.location for part in parts if part.kind == "City"}
        touched = {city for part in parts for city in part.touches}
        assert touched <= cities
        assert touched == cities or tile.letter == "C"


def test_locations_turn_with_the_tile():
    assert [turn_sides("NW", r) for r in ROTATIONS] == ["NW", "NE", "SE", "SW"]
    assert [turn_sides("WE", r) for r in ROTATIONS] == ["WE", "NS", "WE", "NS"]
    assert [turn_sides("_S", r) for r in ROTATIONS] == ["_S", "_W", "_N", "_E"]
    assert turn_sides("NWSE", 90) == "NWSE"
    assert [turn_halves("EL.WR", r) for r in ROTATIONS] == ["EL.WR", "NR.SL", "ER.WL", "NL.SR"]
    assert turn_halves(".".join(HALVES), 180) == ".".join(HALVES)


@pytest.mark.parametrize(
    ("tile", "flights"),
    [
        ("FL/F.d", [(-1, -1), (1, -1), (1, 1), (-1, 1)]),
        ("FL/F.dG", [(-1, -1), (1, -1), (1, 1), (-1, 1)]),
        ("FL/RFr.d", [(-1, -1), (1, -1), (1, 1), (-1, 1)]),
        ("FL/Rr.d", [(-1, -1), (1, -1), (1, 1), (-1, 1)]),
        ("FL/F.o", [(-1, 0), (0, -1), (1, 0), (0, 1)]),
        ("FL/RFr.NS.o", [(-1, 0), (0, -1), (1, 0), (0, 1)]),
        ("FL/RFr.WE.o", [(-1, 0), (0, -1), (1, 0), (0, 1)]),
        ("FL/Rr.NW.o", [(-1, 0), (0, -1), (1, 0), (0, 1)]),
        ("FL/Rr.SW.o", [(-1, 0), (0, -1), (1, 0), (0, 1)]),
    ],
)
def test_2_7_the_flight_turns_with_the_tile(tile, flights):
    assert [turned(tile, rotation).flight for rotation in ROTATIONS] == flights


def test_2_7_nine_kinds_fly_and_no_other():
    assert sorted(tile.id for tile in TILES.values() if tile.flight) == sorted(
        tile for tile in TILES if tile.startswith("FL/")
    )
