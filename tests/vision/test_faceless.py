"""Tiles whose faces cannot be told: that they lie there is seen all the same, and nothing else is taken for one."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from tests.figures.boards import average, matched
from tests.tablegen import BoardGame, make_board
from tests.tablegen.board import GeneratedBoard
from vision.faceless import TableColours, is_edge, lies
from vision.scene import UNKNOWN, Piece, Scene
from vision.seer import Seer
from vision.still import StillPicture
from vision.still_image import Still

EASY: dict[str, Any] = {
    "frames": 2, "table": "laminate", "light": "daylight", "height_mm": 560.0, "hfov_deg": 62.0, "tilt_deg": 6.0,
    "k1": -0.1,
}  # fmt: skip
CHEQUERED = 16011
"""Of the chequered cloths the one with most empty places whose sides look like a tile's."""


@pytest.fixture(scope="module")
def board() -> GeneratedBoard:
    game = BoardGame(61, game="carcassonne", tiles=7, restyled=False, colours=("red", "blue"), **EASY)
    return game.still(len(game.positions) - 1)


def wiped(board: GeneratedBoard, number: int) -> np.ndarray:
    """The picture with nothing to be read on one of its tiles."""
    picture = average(board)
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(board.truth["tiles"][number]["corners_px"]).astype(np.int32), 255)
    plain = picture[mask > 0].mean(0) + np.random.default_rng(1).normal(0, 2, (int((mask > 0).sum()), 3))
    picture[mask > 0] = np.clip(plain, 0, 255).astype(np.uint8)
    return picture


def at(scene: Scene | None, board: GeneratedBoard, number: int) -> Piece:
    assert scene is not None
    tiles = [p for p in scene.pieces if p.kind == "tile"]
    return tiles[matched(tiles, board.truth["tiles"])[number]]


def test_a_tile_that_shows_nothing_is_unknown_in_its_cell_until_it_shows_its_face(board: GeneratedBoard) -> None:
    seer, number = Seer(board.deck), 4
    scene = seer.see(StillPicture(0.0, wiped(board, number), 2, 1.0))
    blind, start = at(scene, board, number), at(scene, board, 0)
    assert (blind.face, blind.print, blind.rotation) == (UNKNOWN, "", None)
    assert np.subtract(blind.cell, start.cell).tolist() == board.truth["tiles"][number]["cell"]
    # Its corners begin at the top left, whichever way up it lies.
    assert np.argmin(np.sum(blind.corners_px, axis=1)) == 0
    off = [np.abs(np.subtract(c, blind.corners_px)).sum(1).min() for c in board.truth["tiles"][number]["corners_px"]]
    assert max(off) < 4
    assert scene is not None
    assert [p.id for p in scene.pieces if p.kind == "tile" and p.face == UNKNOWN] == [blind.id]
    assert seer.unfinished  # it is worth another look
    again = at(seer.see(StillPicture(3.0, wiped(board, number), 2, 1.0, again=True)), board, number)
    assert (again.id, again.face) == (blind.id, UNKNOWN)
    assert not seer.unfinished
    shown = at(seer.see(StillPicture(6.0, average(board), 2, 1.0)), board, number)
    assert (shown.id, shown.face) == (blind.id, board.truth["tiles"][number]["kind"])
    assert shown.cell == blind.cell
    assert shown.rotation is not None


def test_a_tile_that_shows_nothing_any_more_is_what_it_was(board: GeneratedBoard) -> None:
    seer, number = Seer(board.deck), 4
    first = seer.see(StillPicture(0.0, average(board), 2, 1.0))
    assert first is not None
    lay = {p.id: (p.face, p.cell, p.rotation) for p in first.pieces}
    for t in (3.0, 6.0):
        scene = seer.see(StillPicture(t, wiped(board, number), 2, 1.0))
        assert scene is not None
        assert {p.id: (p.face, p.cell, p.rotation) for p in scene.pieces} == lay


def test_an_empty_place_on_a_chequered_cloth_is_none() -> None:
    board = make_board(CHEQUERED, table="checks", game="carcassonne")
    seer = Seer(board.deck)
    scene = seer.see(StillPicture(0.0, average(board), 2, 1.0))
    assert scene is not None
    assert [p.face for p in scene.pieces if p.kind == "tile" and p.face == UNKNOWN] == []


def test_a_side_is_an_edge_only_where_the_colour_steps(board: GeneratedBoard) -> None:
    seer = Seer(board.deck)
    scene = seer.see(StillPicture(0.0, average(board), 2, 1.0))
    camera, still = seer.calibration.camera, Still(average(board))
    assert scene is not None
    assert camera is not None
    tiles = [t.found for t in seer.tracker.live if t.found.template in seer.board.laid]
    last = max(tiles, key=lambda f: f.pose[0])  # nothing lies to its right
    right = int(round(-last.pose[2] / (np.pi / 2)) + 1) % 4
    assert is_edge(still, camera, last.pose, 45.0, right)
    beyond = last.pose + np.array([60.0, 0.0, 0.0])
    assert not any(is_edge(still, camera, beyond, 45.0, quarter) for quarter in range(4))
    table = TableColours(still, [np.array(p.corners_px) for p in scene.pieces])
    assert table.share > 0.5
    assert table.foreign(camera, beyond, 45.0) < 0.1 < 0.7 < table.foreign(camera, last.pose, 45.0)
    assert not lies(still, camera, beyond, 45.0, [0, 1, 2, 3], 0.9)
