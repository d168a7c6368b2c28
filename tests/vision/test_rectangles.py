"""Rectangles drawn and computed, so that every corner is known exactly."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.camera import Camera, box, place
from vision.coplanar import any_view, common_plane
from vision.rectangles import find_rectangles

POKER, SMALL = (63.5, 88.9), (50.0, 70.0)
W, H = 1280, 720


def some_camera(rng: np.random.Generator) -> Camera:
    tilt, turn = np.radians(rng.uniform(0, 45)), rng.uniform(0, 2 * np.pi)
    n = np.array([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)])
    f = W * np.exp(rng.uniform(np.log(0.62), np.log(1.5)))
    k1 = float(rng.choice([0.0, -0.3, 0.08]))
    return Camera(f, k1, 0.0, float(-np.arcsin(n[1])), float(np.arctan2(n[0], n[2])), 0.75 * f, W, H)


def some_cards(
    camera: Camera, sizes: list[tuple[float, float]], rng: np.random.Generator, apart_mm: float = 75.0
) -> NDArray[np.float64]:
    """(n, 4, 2) px of cards that lie anywhere in the picture, their middles at least so far apart."""
    poses: list[NDArray[np.float64]] = []
    out: list[NDArray[np.float64]] = []
    while len(out) < len(sizes):
        xy = camera.unproject(np.array([[rng.uniform(80, W - 80), rng.uniform(80, H - 80)]]))[0]
        pose = np.array([*xy, rng.uniform(0, 2 * np.pi)])
        quad = camera.project(place(pose, box(*sizes[len(out)])))
        apart = all(np.hypot(*(p - pose)[:2]) > apart_mm for p in poses)
        if apart and (quad > 0).all() and (quad < [W - 1, H - 1]).all():
            poses.append(pose)
            out.append(quad)
    return np.array(out)


@pytest.mark.parametrize("seed", range(10))
def test_common_plane_keeps_the_cards_of_one_size_on_any_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    camera = some_camera(rng)
    # Four smaller ones of nearly the same proportion lie on the same table, and two frames have another one.
    quads = some_cards(camera, [POKER] * 7 + [SMALL] * 4 + [(40.0, 90.0)] * 2, rng)
    quads = quads + rng.normal(0, 0.1, quads.shape)
    quads = np.array([np.roll(q, rng.integers(4), 0) for q in quads])
    order = rng.permutation(len(quads))
    found = common_plane(quads[order], (W, H), POKER)
    assert found is not None
    assert sorted(order[list(found.kept)]) == list(range(7))
    assert found.rms_px < 0.3
    assert found.camera.tilt_deg == pytest.approx(camera.tilt_deg, abs=4)


def test_a_card_that_leans_is_not_kept_as_lying_on_the_table() -> None:
    rng = np.random.default_rng(3)
    camera = Camera(1000.0, 0.0, 0.0, -0.5, 0.1, 700.0, W, H)
    quads = some_cards(camera, [POKER] * 6, rng)
    lift = np.array([0.0, 0.0, 25.0, 25.0])
    leaning = camera.project(place(np.array([0.0, 0.0, 0.4]), box(*POKER)), lift)
    found = common_plane(np.concatenate([quads, leaning[None]]), (W, H), POKER)
    assert found is not None
    assert found.kept == (0, 1, 2, 3, 4, 5)


def test_any_view_refuses_what_no_camera_shows_as_such_a_rectangle() -> None:
    card = np.array([[500, 300], [600, 300], [600, 440], [500, 440]], float)
    strip = np.array([[500, 300], [540, 300], [540, 500], [500, 500]], float)
    kite = np.array([[500, 300], [600, 300], [560, 440], [540, 440]], float)
    assert any_view(np.array([card, strip, kite]), (W, H), 1 / 1.4, 45.0).tolist() == [True, False, False]


def drawn(quads: list[NDArray[np.float64]], card: tuple[int, int, int], cloth: tuple[int, int, int], radius: float):
    """A picture of cards with rounded corners, drawn eight times larger and averaged, with noise."""
    big = np.full((H * 8, W * 8, 3), cloth, np.uint8)
    r = radius / POKER[0]
    flat = []
    for cx, cy, a in ((1 - r, r / 1.4, -90), (1 - r, 1 - r / 1.4, 0), (r, 1 - r / 1.4, 90), (r, r / 1.4, 180)):
        for t in np.radians(np.linspace(a, a + 90, 12)):
            flat.append([cx + r * np.cos(t), cy + r / 1.4 * np.sin(t)])
    for quad in quads:
        unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
        m = cv2.getPerspectiveTransform(unit, quad.astype(np.float32))
        outline = cv2.perspectiveTransform(np.array([flat], np.float32), m)[0]
        # Pixel centres at integers: x of the picture lies at 8 x + 3.5 of the large one; 4 fractional bits.
        cv2.fillPoly(big, [np.round((outline * 8 + 3.5) * 16).astype(np.int32)], card, cv2.LINE_8, 4)
    small = cv2.GaussianBlur(cv2.resize(big, (W, H), interpolation=cv2.INTER_AREA), (0, 0), 0.7).astype(float)
    return np.clip(small + np.random.default_rng(0).normal(0, 2, small.shape), 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("card", "cloth"),
    [
        ((235, 238, 240), (45, 60, 30)),
        ((30, 40, 60), (200, 205, 210)),
        ((70, 70, 190), (170, 88, 60)),  # as bright as the cloth, of another colour
    ],
    ids=["light on dark", "dark on light", "colour alone"],
)
def test_corners_of_rounded_cards_are_where_the_sides_would_meet(
    card: tuple[int, int, int], cloth: tuple[int, int, int]
) -> None:
    camera = Camera(1100.0, 0.0, 0.0, -0.6, 0.1, 800.0, W, H)
    quads = some_cards(camera, [POKER] * 6, np.random.default_rng(8), apart_mm=115.0)  # none touches another
    found = find_rectangles(drawn(list(quads), card, cloth, 3.5), POKER[0] / POKER[1])
    assert len(found) == 6
    for quad in quads:
        errors = [np.hypot(*(np.roll(r.corners_px, k, 0) - quad).T) for r in found for k in range(4)]
        assert min(e.max() for e in errors) < 0.25


def test_an_empty_noisy_cloth_and_a_round_coaster_hold_no_rectangle() -> None:
    image = np.full((H, W, 3), (60, 90, 60), np.uint8)
    cv2.circle(image, (600, 350), 90, (220, 220, 220), -1, cv2.LINE_AA)
    noise = np.random.default_rng(1).normal(0, 8, image.shape)
    assert find_rectangles(np.clip(image + noise, 0, 255).astype(np.uint8), POKER[0] / POKER[1]) == []
