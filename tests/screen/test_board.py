"""What a page is told of the board games: places on the table from cells and tiles, in the words of the language."""

from __future__ import annotations

import math
from urllib.parse import quote

import cv2
import msgspec
import numpy as np
import pytest
from starlette.testclient import TestClient

from device.screen import shown
from device.screen.app import make_app
from device.screen.board import Lattice, board_of, upright
from device.screen.feature_map import COLOURS
from device.screen.pictures import DeckPictures
from device.screen.state import Teller
from device.table import Table
from rules import text
from rules.carcassonne.maps import SIZE
from rules.protocol import Mark, Message, Question, View
from rules.session import TileFace
from tests.rules.carcassonne.board_tables import BoardTable
from tests.screen import boards
from vision.scene import Piece, Quad

PITCH = 45.0


def tile(name: str, x: float, y: float, rotation: int = 0, kind: str = "tile") -> Piece:
    square: Quad = ((x, y), (x + PITCH, y), (x + PITCH, y + PITCH), (x, y + PITCH))
    turns = rotation // 90
    a, b, c, d = (square[(k + turns) % 4] for k in range(4))
    return Piece(
        id=name,
        kind=kind,
        face="tile.BA/L",
        confidence=1.0,
        visible=1.0,
        corners_px=(a, b, c, d),
        outline_mm=(a, b, c, d),
        sigma_mm=0.2,
    )


def told(table: Table, language: str = "en") -> shown.Shown:
    teller = Teller(text, language, table.deck, DeckPictures(table.deck), "build")  # type: ignore[arg-type]
    return teller.tell(table.state())


def flies(view: View) -> bool:
    return bool((view.board.get("flight") or {}).get("options"))


def scored(view: View) -> bool:
    return bool(view.board.get("to_return"))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_cell_is_upright_however_its_tile_is_turned(rotation: int) -> None:
    lattice = Lattice([{"cell": [2, 1], "rotation": rotation, "piece": "a"}], {"a": tile("a", 90, 45, rotation)})
    assert upright(tile("a", 0, 0, rotation).outline_mm, rotation)[0] == (0, 0)
    assert lattice.at((2, 1), (0.0, 0.0)) == (90, 45)
    assert lattice.at((2, 1), (0.2, 0.9)) == (99.0, 85.5)
    assert (2, 1) in lattice


def test_a_cell_without_a_tile_lies_where_its_neighbours_go_on() -> None:
    tiles = [{"cell": [0, 0], "rotation": 0, "piece": "a"}, {"cell": [3, 0], "rotation": 90, "piece": "b"}]
    lattice = Lattice(tiles, {"a": tile("a", 0, 0), "b": tile("b", 140, 2, 90)})
    assert lattice.at((0, -2)) == (22.5, -67.5)
    assert lattice.at((4, 1)) == (140 + 67.5, 2 + 67.5)  # from the nearer one
    assert not Lattice(tiles, {})


def test_a_game_without_a_board_has_none() -> None:
    assert board_of(View(game="carpets", phase=Message("x"), players=()), None, str) is None


def test_the_edge_that_is_broken_is_between_its_two_tiles() -> None:
    pieces = (tile("a", 0, 0), tile("b", 45.6, 0.2, 270))
    mark = Mark(kind="violation", pieces=("b", "a"), message=Message("m"))
    board = {"tiles": [{"cell": [0, 0], "tile": "tile.BA/L", "rotation": 0, "piece": "a"}]}
    view = View(game="carcassonne", phase=Message("x"), players=(), marks=(mark,), board=board)
    scene = boards.carcassonne(scored).state().scene
    assert scene is not None
    shown_board = board_of(view, msgspec.structs.replace(scene, pieces=pieces), str)
    assert shown_board is not None
    ((start, end),) = shown_board.broken
    assert sorted((start, end), key=lambda p: p[1]) == [(45.3, 0.1), (45.3, 45.1)]


def test_a_flight_is_told_with_its_options() -> None:
    table = boards.carcassonne(flies)
    view, page = table.state().view, told(table)
    assert page.board is not None
    flight = page.board.flight
    assert flight is not None
    assert flight.end is not None
    assert flight.player == view.board["flight"]["player"]
    assert [o.text for o in flight.options] == ["City", "City"]
    assert page.board.die == view.board["flight"]["die"]
    scene = table.state().scene
    assert scene is not None
    goal = next(t for t in view.board["tiles"] if t["cell"] == view.board["flight"]["to"])
    piece = scene.piece(goal["piece"])
    assert piece is not None
    middle = tuple(sum(corner[axis] for corner in piece.outline_mm) / 4 for axis in (0, 1))
    assert math.dist(middle, flight.end) < 0.2
    assert all(math.dist(option.at, middle) < 33 for option in flight.options)
    assert {(p.kind, p.colour) for p in page.table.pieces if p.kind == "meeple"} == {
        ("meeple", "red"),
        ("meeple", "blue"),
    }
    assert next(p.value for p in page.table.pieces if p.kind == "die") == page.board.die
    assert [seat.meeples for seat in page.players] == [view.board["supply"][s.name] for s in page.players]
    words = {told(table, language).board.flight.options[0].text for language in ("en", "fr", "de")}  # type: ignore[union-attr]
    assert words == {"City", "Ville", "Stadt"}


def test_what_made_points_is_lit_and_meeples_to_return_are_pointed_at() -> None:
    table = boards.carcassonne(scored)
    page = told(table)
    assert page.board is not None
    (lit,) = page.board.lit
    assert lit.points > 0
    assert len(lit.cells) == len(table.state().view.board["lit"][0]["cells"])
    assert {m.player for m in page.board.to_return} == {m["player"] for m in table.state().view.board["to_return"]}
    assert page.board.last


def test_a_tile_that_is_hidden_is_drawn_where_it_must_lie() -> None:
    table = boards.carcassonne(scored)
    state = table.state()
    assert state.scene is not None
    gone = state.view.board["tiles"][3]
    lying = state.scene.piece(gone["piece"])
    assert lying is not None
    pieces = tuple(p for p in state.scene.pieces if p.id != gone["piece"])
    board = board_of(state.view, msgspec.structs.replace(state.scene, pieces=pieces), str)
    assert board is not None
    (hidden,) = board.hidden
    assert hidden.face == gone["tile"]
    for drawn, measured in zip(hidden.outline, lying.outline_mm, strict=True):
        assert math.dist(drawn, measured) < 4.0


def test_what_lies_where_on_a_tile_is_drawn_over_it() -> None:
    faces = (
        TileFace(id="a", kind="tile.BA/RFr", map=("0" * SIZE,) * 20 + ("1" * SIZE,) * (SIZE - 20)),
        TileFace(id="b", kind="tile.BA/L"),
    )
    table = boards.carcassonne(scored)
    table.session = msgspec.structs.replace(table.session, tiles=faces)
    client = TestClient(make_app(table), base_url="http://127.0.0.1")
    for name, middle in (("a", "Field"), ("tile.BA/L", "Monastery"), ("b", "Monastery")):
        got = client.get(f"/features/{quote(name, safe='')}.png")
        assert got.headers["content-type"] == "image/png"
        drawn = cv2.imdecode(np.frombuffer(got.content, np.uint8), cv2.IMREAD_UNCHANGED)
        size = drawn.shape[0]
        assert drawn.shape == (size, size, 4)
        assert tuple(drawn[size // 2 + 12, size // 2 + 4, :3]) == COLOURS[middle]
    road = cv2.imdecode(np.frombuffer(client.get("/features/a.png").content, np.uint8), cv2.IMREAD_UNCHANGED)
    assert tuple(road[3, 3, :3]) == COLOURS["Road"]
    assert client.get("/features/tile.BA%2FXX.png").status_code == 404
    assert client.get("/features/palace.png").status_code == 404


def test_options_that_are_pieces_or_faces_are_shown_as_such() -> None:
    def two(table: BoardTable) -> None:
        table.lay("BA/RFr", (1, 0), 0)
        table.lay("BA/Rr", (-1, 0), 270)

    (question,) = told(boards.asks(two)).questions
    assert {(o.piece, o.text) for o in question.options} == {("t1", "Road"), ("t2", "Curve")}

    def misread(table: BoardTable) -> None:
        table.lay("BA/RFr", (1, 0), 0, confidence=0.4)

    (question,) = told(boards.asks(misread)).questions
    faces = [o for o in question.options if o.word.startswith("tile.")]
    assert faces
    assert all(o.picture == o.word for o in faces)


def test_quarter_turns_are_shown_as_the_tile_turned() -> None:
    scene = boards.carcassonne(scored).state().scene
    assert scene is not None
    piece = next(p for p in scene.pieces if p.face == "tile.BA/RFr")
    asked = Question(
        id="q", t=0.0, rule="x.turn", pieces=(piece.id,), options=("0", "90"), default="0", message=Message("x")
    )
    table = boards.carcassonne(scored)
    state = table.state()
    state = msgspec.structs.replace(state, view=msgspec.structs.replace(state.view, questions=(asked,)))
    teller = Teller(text, "en", table.deck, DeckPictures(table.deck), "build")  # type: ignore[arg-type]
    (question,) = teller.tell(state).questions
    assert [(o.picture, o.turn, o.text) for o in question.options] == [("tile.BA/RFr", 0, ""), ("tile.BA/RFr", 90, "")]


def test_a_race_is_told_tile_by_tile() -> None:
    table = boards.fairplay(lambda view: view.board["die"]["left"] > 0 and len(view.board["track"]) > 5)
    page = told(table, "fr")
    assert page.board is not None
    track = page.board.track
    assert track[0].kind == "road.start"
    assert track[0].picture == "road.start"
    assert sorted(c for stop in track for c in stop.cars) == sorted(s.colours[0] for s in page.players)
    assert [s.at is not None for s in track] == [True] * len(track)
    assert page.board.steps > 0
    assert all(seat.hand is not None for seat in page.players)
    cars = [p for p in page.table.pieces if p.kind == "car"]
    assert len(cars) == len(page.players)
    assert page.table.pieces[-len(cars) - 1 :][0].kind in ("die", "car")  # what stands is drawn last
