"""Tiles edge to edge, the figures on them and what is beside the board, seen on drawn tables."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

from tests.figures.boards import BoardFigures, average, judge_scene
from tests.tablegen import BoardGame, make_board
from tests.tablegen.board import GeneratedBoard
from tests.tablegen.tile_art import draw_tiles
from vision.board import Board
from vision.camera import guess_camera
from vision.facebank import FaceBank
from vision.finder import Finder
from vision.scene import BACK, Scene, Things, TokenKind
from vision.seer import Seer
from vision.still import StillPicture
from vision.token_watch import outlines_differ

EASY: dict[str, Any] = {
    "frames": 2, "table": "laminate", "light": "daylight", "height_mm": 560.0, "hfov_deg": 62.0, "tilt_deg": 6.0,
    "k1": -0.1,
}  # fmt: skip
MEEPLES = Things(
    tokens=(TokenKind(kind="meeple", colours=("red", "blue"), length_mm=16, width_mm=10, height_mm=16, count=8),)
)


@pytest.fixture(scope="module")
def game() -> BoardGame:
    return BoardGame(61, game="carcassonne", tiles=12, restyled=False, colours=("red", "blue"), **EASY)


@pytest.fixture(scope="module")
def scenes(game: BoardGame) -> list[tuple[Scene, GeneratedBoard]]:
    """A game from its start tile on, one still for each tile laid."""
    seer = Seer(game.deck, MEEPLES)
    out = []
    for t, k in enumerate(k for _, k in sorted({len(p.tiles): k for k, p in enumerate(game.positions)}.items())):
        board = game.still(k)
        scene = seer.see(StillPicture(3.0 * t, average(board), 2, 1.0))
        assert scene is not None
        out.append((scene, board))
    return out


def judged(scene: Scene, board: GeneratedBoard) -> BoardFigures:
    out = BoardFigures(board.seed, board.game)
    judge_scene(out, scene, board.truth, board.game)
    return out


def test_a_lone_start_tile_is_found(scenes: list[tuple[Scene, GeneratedBoard]]) -> None:
    scene, board = scenes[0]
    assert len(board.truth["tiles"]) == 1
    assert judged(scene, board).placed == 1


def test_every_tile_is_found_as_it_is_laid(scenes: list[tuple[Scene, GeneratedBoard]]) -> None:
    assert len(scenes[-1][1].truth["tiles"]) == 12
    for scene, board in scenes:
        figures = judged(scene, board)
        assert figures.told == []
        assert figures.placed == figures.tiles
        if scene.camera.solved:
            assert max(figures.corner_px) < 1.0


def test_tiles_keep_their_ids_and_cells(scenes: list[tuple[Scene, GeneratedBoard]]) -> None:
    for (before, _), (after, _) in itertools.pairwise(scenes):
        lay = {p.id: (p.face, p.cell, p.rotation) for p in before.pieces if p.cell is not None}
        lie = {p.id: (p.face, p.cell, p.rotation) for p in after.pieces if p.cell is not None}
        assert lay.items() <= lie.items()


def test_a_first_look_at_the_whole_board_sees_the_same(
    game: BoardGame, scenes: list[tuple[Scene, GeneratedBoard]]
) -> None:
    _, board = scenes[-1]
    scene = Seer(game.deck).see(StillPicture(0.0, average(board), 2, 1.0))
    assert scene is not None
    assert judged(scene, board).told == []


def test_meeples_have_ids_of_their_own_that_stay(scenes: list[tuple[Scene, GeneratedBoard]]) -> None:
    for scene, _ in scenes:
        assert len({p.id for p in scene.pieces}) == len(scene.pieces)
    for (before, _), (after, _) in itertools.pairwise(scenes):
        stood = {p.id: p for p in before.pieces if p.kind == "meeple"}
        stand = {p.id: p for p in after.pieces if p.kind == "meeple"}
        assert len(stood) > 10
        assert len(stood.keys() & stand.keys()) > 10
        for name in stood.keys() & stand.keys():
            assert stood[name].face == stand[name].face


def test_tiles_side_by_side_are_not_measured_against_each_other(scenes: list[tuple[Scene, GeneratedBoard]]) -> None:
    scene, _ = scenes[-1]
    tiles = {p.id for p in scene.pieces if p.cell is not None}
    assert not [g for g in scene.gaps if {g.a, g.b} <= tiles]
    assert not scene.overlaps


def test_where_tiles_are_laid_only_they_are_the_ruler() -> None:
    """A pile of backs looks 10 % larger than it is."""
    deck = draw_tiles("fairplay", 3)
    board = Board(Finder(FaceBank(deck)))
    laid = {deck.faces[k].kind for k in board.laid}
    assert {"road.start", "road.curve"} <= laid
    assert not [kind for kind in laid if kind == "back" or kind.startswith("card.")]
    cards = replace(deck, faces=tuple(f for f in deck.faces if f.piece == "card"))
    assert Board(Finder(FaceBank(cards))).laid == set()


def test_cameras_are_compared_by_the_outlines_they_show() -> None:
    camera = guess_camera(1280, 720, 1.6)
    assert outlines_differ(camera, replace(camera, axis_x=3.0)) < 0.1
    assert outlines_differ(camera, replace(camera, distance=1.1 * camera.distance)) == pytest.approx(2.0, abs=0.4)
    assert outlines_differ(camera, replace(camera, tilt_x=0.2)) > 2.0


def test_cards_beyond_all_tiles_tell_the_lens_too() -> None:
    """Without them those at the rim of a wide lens are drawn 10 % too large, and two of five are not found."""
    board = make_board(14016)
    cards = [c for c in board.truth["cards"] if c["face_up"]]
    scene = Seer(board.deck).see(StillPicture(0.0, average(board), 2, 1.0))
    assert scene is not None
    assert [p.face for p in scene.pieces if p.kind == "card" and p.face != BACK] == [c["kind"] for c in cards]
