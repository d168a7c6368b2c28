"""What lies where on the tiles of a deck, by its pictures."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from device.tile_maps import tile_faces
from rules.carcassonne.maps import SIZE, FeatureMap, centre_of, common, middle_of, plain, sketches, weigh
from rules.carcassonne.tiles import TILES
from tests.tablegen.tile_art import draw_tiles
from vision.deck import Deck, Face


@pytest.fixture(scope="module")
def faces():
    return {face.kind: face for face in tile_faces(draw_tiles("carcassonne", 3))}


def kind_at(face, x: float, y: float) -> str | None:
    part = FeatureMap(face.map).at(x, y)
    return None if part is None else TILES[face.kind.removeprefix("tile.")].parts[part].kind


def test_every_tile_of_the_deck_has_a_map_and_its_number(faces):
    assert sum(face.count for face in faces.values()) == 80
    for face in faces.values():
        assert len(face.map) == SIZE
        assert {len(row) for row in face.map} == {SIZE}


def test_every_part_of_every_tile_is_somewhere(faces):
    for face in faces.values():
        parts = TILES[face.kind.removeprefix("tile.")].parts
        seen = set("".join(face.map)) - {"."}
        assert seen == {str(i) for i in range(len(parts))}, face.kind


def test_features_lie_where_they_are_drawn(faces):
    assert kind_at(faces["tile.BA/C"], 22, 5) == "City"
    assert kind_at(faces["tile.BA/C"], 22, 20) == "Field"
    assert kind_at(faces["tile.BA/L"], 22, 22) == "Monastery"
    assert kind_at(faces["tile.BA/RFr"], 8, 22.5) == "Road"
    assert kind_at(faces["tile.BA/RFr"], 8, 12) == "Field"
    assert kind_at(faces["tile.FL/RFr.WE.o"], 22, 22) == "FlyingMachine"
    assert kind_at(faces["tile.FL/RFr.WE.o"], 3, 22.5) == "Road"


def test_fields_on_both_sides_of_a_road_are_told_apart(faces):
    rows = FeatureMap(faces["tile.BA/RFr"].map)
    assert rows.at(22, 10) != rows.at(22, 35)
    assert [rows.at(x, 10) for x in (2, 22, 42)] == [rows.at(22, 10)] * 3


def test_a_road_that_swerves_is_followed():
    """Drawn 3 mm off the curve that such tiles usually have."""
    deck = draw_tiles("carcassonne", 3)
    face = next(f for f in deck.faces if f.kind == "tile.BA/RFr")
    shifted = np.roll(face.picture, round(3 / 45 * face.picture.shape[0]), axis=0)
    blend = np.clip((np.abs(np.arange(shifted.shape[1]) / shifted.shape[1] - 0.5) - 0.3) * 10, 0, 1)[None, :, None]
    picture = (shifted * (1 - blend) + face.picture * blend).astype(np.uint8)
    other = Face(face.id, face.kind, picture, face.width_mm, face.height_mm, face.count, piece="tile")
    (found,) = [f for f in tile_faces(Deck("d", (*(f for f in deck.faces if f is not face), other))) if f.id == face.id]
    rows = FeatureMap(found.map)
    road = next(i for i, part in enumerate(TILES["BA/RFr"].parts) if part.kind == "Road")
    middle = [y for y in range(SIZE) if rows.at(22, y) == road]
    assert abs(np.mean(middle) - 25) < 1


def test_other_colours_give_the_same_maps():
    deck = draw_tiles("carcassonne", 4)
    turned = tuple(
        Face(f.id, f.kind, cv2.cvtColor(_hue(f.picture, 70), cv2.COLOR_HSV2BGR), 45.0, 45.0, f.count, piece="tile")
        for f in deck.faces
    )
    pairs = zip(tile_faces(deck), tile_faces(Deck("turned", turned)), strict=True)
    for one, other in pairs:
        same = sum(a == b for x, y in zip(one.map, other.map, strict=True) for a, b in zip(x, y, strict=True))
        assert same > 0.96 * SIZE * SIZE, one.kind


def _hue(picture: np.ndarray, turn: int) -> np.ndarray:
    hsv = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
    hsv[..., 0] = (hsv[..., 0].astype(int) + turn) % 180
    return hsv


# -- maps by the table alone ------------------------------------------------------------------------------------------


def test_a_plain_map_has_every_part_but_gardens():
    for name, tile in TILES.items():
        labels = set("".join(plain(name).rows)) - {"."}
        assert labels == {str(i) for i, part in enumerate(tile.parts) if part.kind != "Garden"}, name


def test_sketches_agree_on_what_is_sure():
    sure = common(sketches("BA/RFr"))
    assert sure.at(22, 22) == 0
    assert sure.at(22, 19) is None
    assert sure.at(22, 5) == 1


def test_a_meeple_is_weighed_by_what_lies_around_its_foot():
    features = plain("BA/RFr")
    assert max(weigh(features, 22.5, 22.5, 1.5).items(), key=lambda item: item[1])[0] == 0
    astride = weigh(features, 22.5, 20.2, 1.5)
    assert 0.3 < astride[0] < 0.7
    assert sum(weigh(features, 44.5, 22.5, 3.0).values()) < 0.7
    assert weigh(features, -40, -40, 1.0) == {}


def test_the_middle_of_a_part_lies_in_it():
    for name, tile in TILES.items():
        for number, part in enumerate(tile.parts):
            if part.kind != "Garden":
                u, v = middle_of(plain(name), number)
                assert plain(name).at(u * SIZE, v * SIZE) == number
    assert centre_of(plain("BA/L"), 0) == (0.5, 0.5)
