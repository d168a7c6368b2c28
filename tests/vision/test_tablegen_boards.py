"""The generator of random board games tells the truth about what it draws."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from shapely.geometry import Point, Polygon

from rules.carcassonne.tiles import TILES
from tests.tablegen import BoardGame, make_board
from tests.tablegen.board_play import carcassonne_positions, fairplay_positions
from tests.tablegen.tile_art import draw_tiles

EASY = {"frames": 1, "codec": "none", "jitter_px": 0.0, "table": "plain_pale", "light": "daylight", "noise": 0.0}


@pytest.fixture(scope="module")
def carcassonne():
    return BoardGame(3, draw_tiles("carcassonne", 1), game="carcassonne", tiles=14, restyled=False, **EASY)


@pytest.fixture(scope="module")
def fairplay():
    return BoardGame(4, draw_tiles("fairplay", 1), game="fairplay", restyled=False, **EASY)


def test_the_same_seed_draws_the_same_board(carcassonne):
    again = make_board(3, draw_tiles("carcassonne", 1), at=9, game="carcassonne", tiles=14, restyled=False, **EASY)
    still = carcassonne.still(9)
    assert again.truth == still.truth
    assert np.array_equal(again.frame, still.frame)


def test_tiles_lie_edge_to_edge_with_little_gap_and_slop(carcassonne):
    last = carcassonne.still(len(carcassonne.positions) - 1)
    tiles = {tuple(t["cell"]): t for t in last.truth["tiles"]}
    assert len(tiles) == 14
    for (a, s), (b, t) in itertools.combinations(tiles.items(), 2):
        p, q = Polygon(s["corners_mm"]), Polygon(t["corners_mm"])
        assert p.intersection(q).area < 3.0
        if abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1:
            assert p.distance(q) < 2.5
            assert abs((s["turned_deg"] - t["turned_deg"] + 45) % 90 - 45) < 4
    for t in tiles.values():
        assert abs((t["turned_deg"] + t["rotation"] - carcassonne.angle + 180) % 360 - 180) < 2.5


def test_meeples_stand_on_tiles_that_have_their_feature(carcassonne):
    meeples = [m for p in carcassonne.positions for m in p.figures]
    assert meeples
    kinds = {t.cell: t.kind for t in carcassonne.positions[-1].tiles}
    for m in meeples:
        assert m.feature in {part.kind for part in TILES[kinds[m.cell]].parts}
    k = next(k for k, p in enumerate(carcassonne.positions) if p.figures)
    state = carcassonne.still(k).truth
    for m in state["meeples"]:
        tile = next(t for t in state["tiles"] if t["cell"] == m["cell"])
        assert Polygon(tile["corners_px"]).contains(Point(m["foot_px"]))
        assert m["visible_fraction"] > 0.5
    assert len(state["supply"]) + len(state["meeples"]) == 7 * len(carcassonne.colours)


def test_only_what_was_done_changes_from_one_still_to_the_next(carcassonne):
    k = next(k for k, p in enumerate(carcassonne.positions) if p.note == "tile" and k > 2)
    before, after = carcassonne.still(k - 1), carcassonne.still(k)
    assert [t for t in after.truth["tiles"] if t not in before.truth["tiles"]] == [after.truth["tiles"][-1]]
    changed = np.abs(after.frame.astype(int) - before.frame).max(2) > 20
    corners = np.array(after.truth["tiles"][-1]["corners_px"])
    x0, y0, x1, y1 = *corners.min(0).astype(int), *corners.max(0).astype(int)
    assert changed[y0:y1, x0:x1].mean() > 0.5
    # Besides the tile only the die is thrown anew.
    changed[max(0, y0 - 25) : y1 + 25, max(0, x0 - 25) : x1 + 25] = False
    assert changed.mean() < 0.01


def test_a_lower_piece_is_seen_where_the_truth_says(fairplay):
    still = fairplay.still(len(fairplay.positions) - 1)
    cars = still.truth["cars"]
    assert {c["colour"] for c in cars} <= set(fairplay.colours)
    for c in cars:
        x, y = (round(v) for v in c["centre_px"])
        seen = still.frame[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3).astype(float)
        tile = still.truth["tiles"][c["tile_index"]]
        assert Polygon(tile["corners_px"]).buffer(8).contains(Polygon(c["corners_px"]).centroid)
        if c["colour"] == "red":
            assert seen.mean(0)[2] > seen.mean(0)[0] + 30
    for car, other in itertools.combinations(cars, 2):
        assert Polygon(car["corners_px"]).intersection(Polygon(other["corners_px"])).area < 30


def test_the_games_of_a_seed_are_played_by_the_rules():
    positions = list(carcassonne_positions(5, 6, 5, 20, 3))
    assert all(len(a.tiles) <= len(b.tiles) for a, b in itertools.pairwise(positions))
    cells = [t.cell for t in positions[-1].tiles]
    assert len(set(cells)) == len(cells) == 20
    notes = {p.note for seed in range(8) for p in carcassonne_positions(seed, 6, 5, 20, 3)}
    assert notes >= {"tile", "meeple", "settled", "meeple on the machine", "die"}
    race = fairplay_positions(5, 7, 4)
    assert all(abs(a.cell[0] - b.cell[0]) + abs(a.cell[1] - b.cell[1]) == 1
               for a, b in itertools.pairwise(race[-1].tiles))  # fmt: skip
    assert len(race[-1].tiles) > 4
