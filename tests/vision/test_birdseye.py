"""Seen from above: no tilt and no lens are left, and a corner of a card tells where the whole of it lies."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from vision.birdseye import TableView, table_view
from vision.camera import Array, Camera, box, guess_camera, place
from vision.corners import find_corners, poses_at

CARD = (59.0, 91.0)
POSE = np.array([120.0, -60.0, 0.5])


@pytest.fixture
def camera() -> Camera:
    return replace(guess_camera(1280, 720, 1.6), tilt_x=0.35, tilt_y=0.2, k1=-0.2)


def everywhere() -> np.ndarray:
    return np.full((720, 1280), 255, np.uint8)


def photograph(camera: Camera, pose: Array, cover: Array | None = None) -> np.ndarray:
    """A white card on a grey table, mayhap with something of the table's grey on it."""
    picture = np.full((720, 1280), 90, np.uint8)
    for shape, grey in ((place(pose, box(*CARD)), 200), (cover, 90)):
        if shape is not None:
            # Sides of a card are bent by the lens: drawn from many points.
            along = [
                a + (b - a) * s
                for a, b in zip(shape, np.roll(shape, -1, 0), strict=True)
                for s in np.linspace(0, 1, 40)
            ]
            px = camera.project(np.array(along))
            cv2.fillPoly(picture, [np.round(px * 16).astype(np.int32)], grey, cv2.LINE_AA, shift=4)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8))


def test_a_card_seen_from_above_is_a_rectangle_of_its_size(camera: Camera) -> None:
    view = table_view(photograph(camera, POSE), everywhere(), camera)
    assert view is not None
    white = (view.image > 145) & (view.mask > 0)
    # An outline as drawn is a pixel wide.
    assert white.sum() / view.px_per_mm**2 == pytest.approx(CARD[0] * CARD[1], rel=0.03)
    y, x = np.nonzero(white)
    assert view.to_table(np.array([[x.mean(), y.mean()]]))[0] == pytest.approx(POSE[:2], abs=0.3)


def test_only_what_is_asked_for_is_seen(camera: Camera) -> None:
    mask = np.zeros((720, 1280), np.uint8)
    assert table_view(mask, mask, camera) is None
    mask[300:400, 500:700] = 255
    part, whole = (table_view(mask, m, camera) for m in (mask, everywhere()))
    assert part is not None and whole is not None
    assert part.image.size < whole.image.size / 10
    assert (part.mask > 0).any()


def nearest_pose(view: TableView) -> float:
    """How far the best proposal is from the card's true pose, mm of the worst corner."""
    true = place(POSE, box(*CARD))
    away = [
        min(float(np.hypot(*(np.roll(place(p, box(*CARD)), k, 0) - true).T).max()) for k in (0, 2))
        for corner in find_corners(view)
        for p in poses_at(corner, CARD)
    ]
    return min(away, default=float("inf"))


def test_a_card_is_proposed_from_the_one_corner_that_shows(camera: Camera) -> None:
    lid = place(POSE, np.array([[-40.0, 10.0], [40.0, -20.0], [40.0, 60.0], [-40.0, 60.0]]))  # leaves two upper corners
    lid2 = place(POSE, np.array([[5.0, -60.0], [60.0, -60.0], [60.0, 60.0], [5.0, 60.0]]))  # and now one
    picture = photograph(camera, POSE, lid)
    for shape in (lid2,):
        cv2.fillPoly(picture, [np.round(camera.project(shape)).astype(np.int32)], 90)
    view = table_view(picture, everywhere(), camera)
    assert view is not None
    assert nearest_pose(view) < 3


def test_no_corner_is_made_up_on_a_bare_table(camera: Camera) -> None:
    noise = np.random.default_rng(1).normal(90, 4, (720, 1280)).clip(0, 255).astype(np.uint8)
    view = table_view(noise, everywhere(), camera)
    assert view is not None
    assert find_corners(view) == []
