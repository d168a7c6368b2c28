"""Coloured pieces are found where they stand, in the colour and pose that they have."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.background import reduce
from vision.camera import Camera, place
from vision.changes import difference, grown
from vision.facebank import log_colour
from vision.scene import TokenKind
from vision.token_backdrop import FlatPiece, lay_backdrop
from vision.token_colours import PAINT, linear, paint, paint_likelihood, tints
from vision.token_light import light_of
from vision.token_shapes import shapes_of, turned, view_at
from vision.token_watch import TokenWatch
from vision.tokens import Token, find_tokens

CAMERA = Camera(1050.0, -0.03, 0.01, 0.08, -0.05, 600.0, 1280, 720)
MEEPLES = TokenKind(kind="meeple", colours=("red", "blue", "yellow"), length_mm=16, width_mm=10, height_mm=16, count=8)
CARS = TokenKind(kind="car", colours=("red", "green"), length_mm=28, width_mm=14, height_mm=11)


def grass(seed: int) -> np.ndarray:
    """A tile's picture, 72 x 72: grass, a road, flecks."""
    rng = np.random.default_rng(seed)
    img = np.empty((72, 72, 3), np.float32)
    img[:] = (50, 120, 70)
    img += cv2.GaussianBlur(rng.normal(0, 60, img.shape).astype(np.float32), (0, 0), 1.5)
    cv2.line(img, (0, 36), (72, 36), (170, 190, 200), 9)
    return np.clip(img, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def tiles():
    return [FlatPiece(np.array([45.5 * k - 60, 10.0, 0.02 * k]), (45.0, 45.0), log_colour(grass(k))) for k in range(3)]


def picture(tiles, pieces, light=(1.0, 1.0, 1.0)) -> np.ndarray:
    """The tiles on a dull table, and pieces (kind, pose, colour, x mm, y mm, degrees), lit as told (BGR factors)."""
    img = np.full((720, 1280, 3), (110, 128, 140), np.uint8)
    for tile in tiles:
        face = np.clip(np.exp(tile.log_bgr) - 12, 0, 255).astype(np.uint8)
        source = np.array([[0, 0], [72, 0], [72, 72], [0, 72]], np.float32) - np.float32(0.5)
        to = CAMERA.project(tile.corners_mm()).astype(np.float32)
        m = cv2.getPerspectiveTransform(source, to)
        cv2.warpPerspective(face, m, (1280, 720), dst=img, borderMode=cv2.BORDER_TRANSPARENT)
    for kind, pose, colour, x, y, degrees in pieces:
        shape = next(s for s in shapes_of(kind) if s.pose == pose)
        for part in shape.parts:
            pose_mm = np.array([x, y, np.radians(degrees)])
            low, high = (CAMERA.project(place(pose_mm, p[:, :2]), p[:, 2]) for p in (part.start, part.end))
            rgb = np.array(PAINT[colour][::-1])
            for share in np.linspace(0, 1, 12):
                tone = rgb * (0.55 if share < 1 else 1.0)
                at = np.round((low + (high - low) * share) * 16).astype(np.int32)
                cv2.fillPoly(img, [at], tone.tolist(), cv2.LINE_AA, 4)
    lit = (img / 255.0) ** 2.2 * np.array(light)
    noise = np.random.default_rng(1).normal(0, 2, img.shape)
    return np.clip(255 * lit ** (1 / 2.2) + noise, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.4, 0.75, 1.1), (1.1, 0.95, 0.8), (0.12, 0.17, 0.2)])
def test_meeples_are_found_with_colour_and_pose_in_any_light(tiles, light):
    pieces = [
        (MEEPLES, "standing", "red", -60, 18, 25), (MEEPLES, "lying", "blue", -12, 4, 200),
        (MEEPLES, "standing", "yellow", 30, 24, 90), (MEEPLES, "lying", "yellow", 140, -60, 10),
        (MEEPLES, "standing", "blue", -180, 80, 60),
    ]  # fmt: skip
    found = find_tokens(picture(tiles, pieces, light), CAMERA, tiles, [MEEPLES])
    assert len(found) == len(pieces)
    for _, pose, colour, x, y, _ in pieces:
        token = min(found, key=lambda t: np.hypot(t.foot_mm[0] - x, t.foot_mm[1] - y))
        assert np.hypot(token.foot_mm[0] - x, token.foot_mm[1] - y) < 3 * token.foot_sigma_mm < 2.1
        assert (token.colour, token.pose) == (colour, pose)
        assert token.confidence > 0.7
        assert (token.on is not None) == (abs(y - 10) < 22 and abs(x + 14.5) < 68)


def test_touching_pieces_are_told_apart(tiles):
    pieces = [(CARS, "", "red", -20, 3, 0), (CARS, "", "green", -20, 17.5, 0)]
    found = find_tokens(picture(tiles, pieces), CAMERA, tiles, [CARS])
    assert {t.colour for t in found} == {"red", "green"}
    for token in found:
        y = 3 if token.colour == "red" else 17.5
        assert np.hypot(token.foot_mm[0] + 20, token.foot_mm[1] - y) < 1.5
        assert abs((token.heading_deg + 90) % 180 - 90) < 6
    pieces = [(MEEPLES, "standing", "red", -20 + 10.3 * k, 12, 90) for k in range(3)]
    found = find_tokens(picture(tiles, pieces), CAMERA, tiles, [MEEPLES])
    assert sorted(round(t.foot_mm[0]) for t in found) == pytest.approx([-20, -9.7, 0.6], abs=1.6)


def test_only_what_changed_is_looked_at(tiles):
    before = [(MEEPLES, "standing", "red", -60, 18, 25), (MEEPLES, "lying", "blue", -12, 4, 200)]
    after = [*before, (MEEPLES, "standing", "yellow", 100, 60, 90)]
    one, two = picture(tiles, before), picture(tiles, after)
    changed = np.abs(two.astype(int) - one).max(2) > 20
    assert {t.colour for t in find_tokens(two, CAMERA, tiles, [MEEPLES], changed=changed)} == {"yellow"}


def told(tokens: list[Token]) -> list[tuple[str, str, int, int]]:
    return [(t.colour, t.pose, round(t.foot_mm[0]), round(t.foot_mm[1])) for t in tokens]


def test_still_after_still_the_same_is_found_as_in_each_alone(tiles):
    stay = [
        (MEEPLES, "standing", "red", -60, 18, 25),
        *((MEEPLES, "standing", "blue", 90 + 11 * k, 80, 90) for k in range(3)),
    ]
    stills = [
        stay, [*stay, (MEEPLES, "lying", "yellow", -12, 4, 200)], [*stay[:-1], (MEEPLES, "lying", "yellow", 33, 4, 20)],
    ]  # fmt: skip
    watch, last = TokenWatch([MEEPLES]), None
    for pieces in stills:
        now = picture(tiles, pieces)
        small = reduce(now)
        found = watch.see(now, CAMERA, tiles, [], grown(difference(small, last), 1))
        assert told(sorted(found, key=lambda t: (t.colour, t.foot_mm))) == told(
            find_tokens(now, CAMERA, tiles, [MEEPLES])
        )
        last = small


def test_a_piece_is_looked_for_anew_on_a_tile_that_was_not_known(tiles):
    """In a light in which the table's colours tell nothing."""
    pieces = [(MEEPLES, "standing", "red", -60, 18, 25), (MEEPLES, "lying", "blue", 30, 4, 200)]
    now = picture(tiles, pieces)
    small = reduce(now)
    watch = TokenWatch([MEEPLES])
    watch.see(now, CAMERA, tiles[:2], [], difference(small, None))
    found = watch.see(now, CAMERA, tiles, [], difference(small, small))
    assert {t.colour: t.on for t in found} == {"red": 0, "blue": 2}


def test_a_camera_that_is_known_better_moves_where_pieces_stand(tiles):
    pieces = [(MEEPLES, "standing", "red", -60, 18, 25)]
    now = picture(tiles, pieces)
    watch = TokenWatch([MEEPLES])
    first = watch.see(now, CAMERA, tiles, [], np.full((180, 320), 255, np.uint8))[0]
    better = replace(CAMERA, distance=1.01 * CAMERA.distance)
    then = watch.see(now, better, tiles, [], np.zeros((180, 320), np.uint8))[0]
    assert then.centre_px == first.centre_px
    assert np.hypot(*then.foot_mm) == pytest.approx(1.01 * np.hypot(*first.foot_mm), rel=2e-3)


def test_nothing_is_found_on_bare_tiles_nor_in_a_shadow(tiles):
    img = picture(tiles, [])
    shade = np.ones(img.shape[:2], np.float32)
    cv2.ellipse(shade, (640, 380), (60, 25), 0, 0, 360, 0.55, -1)
    img = (img * cv2.GaussianBlur(shade, (0, 0), 3)[..., None]).astype(np.uint8)
    assert find_tokens(img, CAMERA, tiles, [MEEPLES]) == []
    assert find_tokens(img, CAMERA, [], [MEEPLES]) == []


def test_a_large_thing_of_a_colour_is_no_piece(tiles):
    img = picture(tiles, [])
    cv2.rectangle(img, (900, 500), (1050, 640), (35, 25, 185), -1)
    assert find_tokens(img, CAMERA, tiles, [MEEPLES]) == []


def test_other_solid_things_are_left_to_others(tiles):
    piece = (MEEPLES, "standing", "red", 100.0, 100.0, 0.0)
    img = picture(tiles, [piece])
    at = CAMERA.project(np.array([[100.0, 100.0]]), 8.0)[0]
    outline = at + np.array([[-30, -30], [30, -30], [30, 30], [-30, 30]])
    assert len(find_tokens(img, CAMERA, tiles, [MEEPLES])) == 1
    assert find_tokens(img, CAMERA, tiles, [MEEPLES], solids_px=[outline]) == []


def test_the_light_is_told_by_the_tiles_beneath_the_pieces(tiles):
    pieces = [(MEEPLES, "lying", "red", -60, 10, 0), (MEEPLES, "lying", "red", 30, 10, 0)]
    light = light_of(lay_backdrop(picture(tiles, pieces, (0.4, 0.8, 1.0)), CAMERA, tiles))
    assert np.exp(light.coef[:, 0] * 2.2) == pytest.approx([0.4, 0.8, 1.0], rel=0.15)


def test_gloss_and_shade_leave_the_paint():
    red = np.array(PAINT["red"][::-1], np.float32)
    base = linear(log_colour(red.reshape(1, 1, 3)))
    for colour in (base, 0.3 * base, base + 0.08):
        look = tints(colour)
        words = {name: float(paint_likelihood(look, paint(name))[0, 0]) for name in ("red", "blue", "yellow", "green")}
        assert max(words, key=words.get) == "red"
        assert words["red"] > -1.0


def test_a_colour_without_a_name_is_refused():
    with pytest.raises(ValueError, match="no piece can be 'beige'"):
        paint("beige")
    assert paint("beige", (200, 190, 150)).name == "beige"


def test_a_standing_piece_leans_outward_by_its_height():
    view = view_at(CAMERA, np.array([100.0, 100.0]), 1.0, 0.0)
    height, foot = CAMERA.height_mm, view.xy_mm - CAMERA.foot_mm
    shift = view.j @ (foot * 16 / (height - 16))
    assert view.up * 16 == pytest.approx(shift, rel=0.05)
    assert turned(np.array([[1.0, 0.0]]), np.radians(90))[0] == pytest.approx([0, 1])
