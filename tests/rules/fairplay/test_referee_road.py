"""The chain of road tiles, found by geometry alone (rules 3.4)."""

import math
import random

import pytest

from rules.fairplay.road import Road
from rules.games import make_referee
from rules.protocol import Ruling
from rules.session import Player, Session
from tests.rules.fairplay.recorded import car, die, flat, scene
from tests.rules.fairplay.tabletop import Tabletop

PEOPLE = (Player(number=1, name="Anna", side="S", colour="red"), Player(number=2, name="Ben", side="N", colour="blue"))


def square(x, y, turn=0.0, size=60.0):
    """A tile whose picture is turned by `turn` degrees."""
    half = size / math.sqrt(2)
    angles = [math.radians(turn + 225 + 90 * k) for k in range(4)]
    return tuple((x + half * math.cos(a), y + half * math.sin(a)) for a in angles)


def tiles(*placed, size=60.5):
    """Tiles by kind and cell."""
    return [flat(f"t{n}", "tile", f"road.{kind}", square(size * x, size * y)) for n, (kind, x, y) in enumerate(placed)]


def looked(road, pieces, firm=0):
    road.look(scene(0.0, pieces), firm)
    return [tile.piece for tile in road.tiles]


BEND = (("start", 0, 0), ("straight", 1, 0), ("curve", 2, 0), ("curve", 2, 1), ("straight", 1, 1), ("garage", 0, 1))
"""A road that turns back beside itself: its last tile lies beside the start."""


@pytest.mark.parametrize("seed", range(20))
def test_the_order_is_found_at_one_look_however_the_pieces_are_listed(seed):
    lot = random.Random(seed)
    pieces = tiles(*BEND)
    assert looked(Road({}), lot.sample(pieces, len(pieces))) == [f"t{n}" for n in range(6)]


def test_a_whole_road_with_slop_and_gaps_is_followed_without_drift():
    for seed in range(8):
        table = Tabletop(seed, most_moves=500)
        road = Road(table.session.house_rules.get("tile_shape", {}))
        for what, seen in table.play():
            if what == "tile laid":
                road.look(seen, 0)
        assert [tile.piece for tile in road.tiles] == [name for name, *_ in table.tiles]
        at_once = Road(table.session.house_rules.get("tile_shape", {}))
        at_once.look(seen, 0)
        found = [tile.piece for tile in at_once.tiles]
        assert found == [name for name, *_ in table.tiles][: len(found)]


def test_three_tiles_of_a_tight_turn_that_appear_together_are_told_by_how_earlier_curves_are_drawn():
    pieces = tiles(("start", 0, 0), ("curve", 1, 0), ("curve", 1, 1), ("curve", 0, 1))
    road = Road({})
    looked(road, pieces[:2])
    assert looked(road, pieces) == ["t0", "t1", "t2", "t3"]


def test_tiles_beside_the_road_and_piles_are_no_part_of_it():
    pieces = tiles(("start", 0, 0), ("straight", 1, 0), ("curve", 1, 1), ("narrow", 0, -2))
    pieces.append(flat("pile", "tile", "back", square(121, 0)))
    pieces.append(flat("near", "tile", "road.curve", square(60.5 * 2 + 40, 0)))
    assert looked(Road({}), pieces) == ["t0", "t1"]


def test_a_tile_under_a_hand_stays_and_one_that_is_not_ruled_on_yet_does_not():
    pieces = tiles(("start", 0, 0), ("straight", 1, 0), ("straight", 2, 0), ("garage", 3, 0))
    road = Road({})
    looked(road, pieces)
    assert looked(road, [pieces[0], pieces[2]], firm=3) == ["t0", "t1", "t2"]
    assert [tile.unseen for tile in road.tiles] == [0, 1, 0]
    assert looked(road, pieces, firm=3) == ["t0", "t1", "t2", "t3"]


def test_pieces_that_get_a_new_id_and_tiles_that_are_nudged_stay_in_their_place():
    pieces = tiles(("start", 0, 0), ("curve", 1, 0), ("straight", 1, 1))
    road = Road({})
    looked(road, pieces)
    moved = [
        flat(f"n{n}", "tile", p.face, square(60.5 * (n > 0) + 4, 60.5 * (n > 1) - 6, 3)) for n, p in enumerate(pieces)
    ]
    assert looked(road, moved, firm=3) == ["n0", "n1", "n2"]


def test_a_tile_laid_after_a_gap_is_linked_when_the_road_has_run_into_itself():
    """Rules 3.4, option `track_layout`: the last straight leads up to a tile of the road."""
    loop = (
        ("start", 0, 0), ("straight", 1, 0), ("straight", 2, 0), ("curve", 3, 0), ("straight", 3, 1), ("curve", 3, 2),
        ("curve", 2, 2), ("straight", 2, 1),
    )  # fmt: skip
    far = flat("far", "tile", "road.narrow", square(400, 300))
    next_one = flat("next", "tile", "road.curve", square(460.5, 300))
    for n in range(len(loop)):
        road = Road({})
        looked(road, tiles(*loop[:3]))
        assert looked(road, [*tiles(*loop[: n + 1]), far])[n + 1 :] == (["far"] if n + 1 == len(loop) else [])
    assert looked(road, [*tiles(*loop), far, next_one], firm=9)[-2:] == ["far", "next"]


def test_a_card_on_a_tile_that_is_read_as_one_adds_nothing():
    pieces = tiles(("start", 0, 0), ("straight", 1, 0))
    road = Road({})
    looked(road, pieces)
    ghost = flat("ghost", "tile", "road.curve", square(62, 3))
    assert looked(road, [*pieces, ghost], firm=2) == ["t0", "t1"]


def curved(*placed):
    """Tiles by kind, cell and the quarter turns of a picture that leads from its left edge to its foot."""
    return [
        flat(f"t{n}", "tile", f"road.{kind}", square(60.5 * x, 60.5 * y, 90 * turns))
        for n, (kind, x, y, turns) in enumerate(placed)
    ]


ROUND = (("start", 0, 0, 0), ("curve", 1, 0, 0), ("curve", 1, 1, 1))
"""To the right and to the right again: the next tile lies below the start."""


@pytest.mark.parametrize(("turns", "runs_in"), ((2, 3), (1, None)))
def test_3_4_a_curve_that_leads_onto_the_road_though_the_other_side_is_free(turns, runs_in):
    # entered from the right, it leads up to the start with two quarter turns, and down with one
    road = Road({})
    for n in range(1, 5):
        looked(road, curved(*ROUND, ("curve", 0, 1, turns))[:n])
    assert [tile.piece for tile in road.tiles] == ["t0", "t1", "t2", "t3"]
    assert road.runs_in() == runs_in


def test_3_4_nobody_can_tell_before_a_curve_was_seen_to_lead_somewhere():
    road = Road({})
    for n in range(1, 3):
        looked(road, curved(*ROUND)[:n])
    assert road.runs_in() is None


def test_3_4_a_curve_that_runs_into_the_road_is_ruled_once_and_cleared_when_it_is_turned():
    race = Session(game="fairplay", deck="deck", player=PEOPLE)
    referee = make_referee(race)
    wrong, right = curved(*ROUND, ("curve", 0, 1, 2)), curved(*ROUND, ("curve", 0, 1, 1))
    said = []
    for t, pieces in enumerate((wrong[:1], wrong[:2], wrong[:3], wrong, wrong, right)):
        cars = [car(person.colour, 0, 8 * n - 8) for n, person in enumerate(PEOPLE)]
        lain = [*pieces, *cars, die(3, 300, 100, int(t > 0))]
        said += [(t, o.rule) for o in referee.see(scene(float(t), lain)) if isinstance(o, Ruling)]
    assert [(t, rule) for t, rule in said if "illegal" in rule or "cleared" in rule] == [
        (3, "fairplay.illegal.track.run_in"),
        (5, "fairplay.cleared"),
    ]
