"""A board seen for the first time where features mislead: the camera comes from one tile at the scale that fits."""

from dataclasses import replace

import numpy as np
import pytest

from tests.figures.boards import BoardFigures, average, judge_scene
from tests.tablegen import make_board
from vision.scene import BACK
from vision.seer import Seer
from vision.still import StillPicture
from vision.still_image import Still

DRAWN_AND_DIM = 8051
"""Two tiles of a drawn deck in a dim room, which features take for 1.25 times their size; a pile beside them."""


@pytest.fixture(scope="module")
def board():
    return make_board(DRAWN_AND_DIM)


def test_tiles_that_features_take_for_larger_ones_are_found(board):
    scene = Seer(board.deck).see(StillPicture(0.0, average(board), 1, 1.0))
    seen = BoardFigures(DRAWN_AND_DIM, "")
    judge_scene(seen, scene, board.truth, board.game)
    assert (seen.found, seen.named, seen.false) == (2, 2, 0)


def test_a_tile_that_a_flowered_cloth_outvotes_is_found():
    """The first proposal that is true is the 22nd of 44, and three plain tiles lie beside it."""
    board = make_board(16205, table="flowers", game="carcassonne")
    scene = Seer(board.deck).see(StillPicture(0.0, average(board), 1, 1.0))
    seen = BoardFigures(16205, "")
    judge_scene(seen, scene, board.truth, board.game)
    assert (seen.tiles, seen.placed, seen.false) == (4, 4, 0)


def test_two_tiles_in_one_place_are_no_first_look_at_a_board(board):
    seer, still = Seer(board.deck), Still(average(board))
    _, tile = next(iter(seer.board.lone_tiles(still, seer.finder.propose(still, None, None))))
    assert not seer.board.crowded([tile, replace(tile, pose=tile.pose + np.array([45.4, 0.6, 0.0]))])
    assert seer.board.crowded([tile, replace(tile, pose=tile.pose + np.array([20.0, 0.0, 0.0]))])


def test_the_scale_is_told_by_a_tile_and_never_by_a_back_whose_pile_is_nearer(board):
    seer, still = Seer(board.deck), Still(average(board))
    found = list(seer.board.lone_tiles(still, seer.finder.propose(still, None, None)))
    assert found
    assert all(seer.finder.template(tile.template).face.kind != BACK for _, tile in found)
    corners = np.array(board.truth["tiles"][0]["corners_px"])
    side = float(np.hypot(*(np.roll(corners, -1, 0) - corners).T).mean())
    assert found[0][0].mm_per_px == pytest.approx(45 / side, rel=0.05)
