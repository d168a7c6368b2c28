"""The camera model: table to picture and back, at any tilt and with strong lenses."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from vision.camera import Camera, box, guess_camera, place

WIDTH, HEIGHT = 1280, 720
TILT = st.floats(-0.31, 0.31)
"""Both ways together: 25 degrees."""


@st.composite
def cameras(draw: st.DrawFn) -> Camera:
    camera = Camera(
        f=draw(st.floats(850, 1500)),
        k1=draw(st.floats(-0.35, 0.1)),
        k2=draw(st.floats(-0.02, 0.08)),
        tilt_x=draw(TILT),
        tilt_y=draw(TILT),
        distance=draw(st.floats(400, 1200)),
        width=WIDTH,
        height=HEIGHT,
    )
    # A lens whose model folds the picture over within the frame is none: there the radius grows by less and less.
    r = np.linspace(0, 2, 401)
    slope = 1 + r**2 * (3 * camera.k1 + 5 * camera.k2 * r**2)
    far = r * (1 + r**2 * (camera.k1 + camera.k2 * r**2)) > np.hypot(WIDTH, HEIGHT) / 2 / camera.f
    assume(bool(far.any()) and bool((slope[: int(np.argmax(far)) + 1] > 0.2).all()))
    return camera


def somewhere(seed: int) -> np.ndarray:
    corners = [[0, 0], [WIDTH - 1, 0], [WIDTH - 1, HEIGHT - 1], [0, HEIGHT - 1], [(WIDTH - 1) / 2, (HEIGHT - 1) / 2]]
    return np.vstack([corners, np.random.default_rng(seed).uniform(0, [WIDTH - 1, HEIGHT - 1], (60, 2))])


@settings(max_examples=60, deadline=None)
@given(cameras(), st.floats(0, 40), st.integers(0, 1000))
def test_to_the_table_and_back_ends_where_it_began(camera: Camera, height: float, seed: int) -> None:
    px = somewhere(seed)
    assert np.allclose(camera.project(camera.unproject(px, height), height), px, atol=0.01)


@settings(max_examples=30, deadline=None)
@given(cameras(), st.floats(0, 40), st.integers(0, 1000))
def test_it_projects_as_opencv_does(camera: Camera, height: float, seed: int) -> None:
    xy = camera.unproject(somewhere(seed))
    u0, v0 = camera.centre
    K = np.array([[camera.f, 0, u0], [0, camera.f, v0], [0, 0, 1]])
    xyz = np.column_stack([xy, np.full(len(xy), -height)])  # the third axis points into the table
    turn = cv2.Rodrigues(camera.rotation)[0]
    want, _ = cv2.projectPoints(xyz, turn, np.array([0, 0, camera.distance]), K, np.array([camera.k1, camera.k2, 0, 0]))
    assert np.allclose(camera.project(xy, height), want.reshape(-1, 2), atol=1e-3)


@given(cameras())
def test_what_stands_straight_below_the_camera_does_not_lean(camera: Camera) -> None:
    foot = camera.foot_mm[None]
    assert np.allclose(camera.project(foot, 0), camera.project(foot, camera.height_mm / 3), atol=1e-6)


@given(cameras())
def test_its_numbers_make_it_again(camera: Camera) -> None:
    again = camera.with_params(camera.params())
    assert np.allclose(again.params(), camera.params(), rtol=1e-12)
    assert again.f == pytest.approx(camera.f)
    assert again.distance == pytest.approx(camera.distance)


def test_a_guessed_camera_has_the_scale_it_was_told() -> None:
    camera = guess_camera(WIDTH, HEIGHT, 1.6)
    a, b = camera.project(np.array([[0.0, 0], [100, 0]]))
    assert b - a == pytest.approx([160, 0])
    assert camera.mm_per_px == pytest.approx(1 / 1.6)
    assert camera.tilt_deg == 0


def test_a_point_above_the_table_shifts_outwards_by_what_the_book_says() -> None:
    """z r / (H - z), from DESIGN."""
    camera = guess_camera(WIDTH, HEIGHT, 1.6)
    seen = camera.unproject(camera.project(np.array([[200.0, 0]]), 3.0))
    assert seen[0, 0] - 200 == pytest.approx(3 * 200 / (camera.height_mm - 3), rel=1e-6)


def test_angles_run_clockwise_in_the_picture_and_corners_begin_top_left() -> None:
    corners = place(np.array([10.0, 20.0, np.pi / 2]), box(59, 91))
    # turned by a quarter clockwise, the face's top left lies top right
    assert corners[0] == pytest.approx([10 + 45.5, 20 - 29.5])
    assert corners[1] == pytest.approx([10 + 45.5, 20 + 29.5])
