"""Gaps and depths between rounded cards, and their sigmas, from poses alone."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
import shapely.affinity
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.camera import N_PARAMS, Camera, guess_camera
from vision.deck import Deck, Face
from vision.facebank import FaceBank
from vision.found import Found, corners_mm
from vision.measure import is_flat, measure, point_sigma
from vision.naming import Match
from vision.scene import GAP_REACH_MM
from vision.solve import Sighting

RADIUS = 3.0
CAMERA: Camera = guess_camera(1280, 720, 1.6)
NO_COV = np.zeros((N_PARAMS, N_PARAMS))


@pytest.fixture(scope="module")
def bank() -> FaceBank:
    picture = np.random.default_rng(0).integers(0, 255, (182, 118, 3)).astype(np.uint8)
    return FaceBank(Deck("one", (Face("a", "a", picture, 59.0, 91.0),), corner_radius_mm=RADIUS))


def lying(x: float, y: float, angle_deg: float = 0.0, fit_mm: float = 0.05, residual: float = 0.2) -> Found:
    none = np.zeros((0, 2))
    return Found(
        0, np.array([x, y, np.radians(angle_deg)]), np.diag([fit_mm**2, fit_mm**2, (fit_mm / 40) ** 2]),
        Sighting(none, none, np.zeros(0)), residual, Match(0, 0, 1.0, 0.0, 1.0), 20.0, 1.0, np.ones((8, 5), np.float32),
    )  # fmt: skip


def rounded(bank: FaceBank, f: Found) -> shapely.Polygon:
    return shapely.Polygon(corners_mm(bank, f)).buffer(-RADIUS).buffer(RADIUS, quad_segs=64)


def only(bank: FaceBank, *found: Found):
    (got,) = measure(bank, CAMERA, NO_COV, list(found), RADIUS)
    return got


def test_side_by_side_and_corner_to_corner(bank: FaceBank) -> None:
    assert only(bank, lying(0, 0), lying(71.5, 0)).gap_mm == pytest.approx(12.5)
    diagonal = only(bank, lying(0, 0), lying(69, 101)).gap_mm
    assert diagonal == pytest.approx(np.hypot(16, 16) - 6)  # the rounding of both corners widens it
    assert only(bank, lying(0, 0), lying(59, 0)).gap_mm == pytest.approx(0, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.floats(-120, 120), st.floats(-130, 130), st.floats(0, 360), st.floats(0, 360))
def test_gap_and_depth_are_those_of_the_rounded_outlines(
    bank: FaceBank, x: float, y: float, a: float, b: float
) -> None:
    one, two = lying(0, 0, a), lying(x, y, b)
    got = only(bank, one, two)
    p, q = rounded(bank, one), rounded(bank, two)
    assert got.gap_mm == pytest.approx(p.distance(q), abs=0.01)
    if p.intersection(q).area > 1e-3:
        assert got.gap_mm == 0
        assert got.depth_mm > 0
        # Pushed that far one way or another they overlap no more; pushed by less they still do, whatever the way.
        for share, apart in ((0.97, False), (1.03, True)):
            ways = np.linspace(0, 2 * np.pi, 181)
            free = [
                shapely.affinity.translate(q, got.depth_mm * share * np.cos(w), got.depth_mm * share * np.sin(w))
                .intersection(p)
                .area
                < 0.02
                for w in ways
            ]
            assert any(free) == apart or got.depth_mm < 2 * RADIUS
    else:
        assert got.depth_mm == pytest.approx(0, abs=0.01)


def test_pairs_that_no_rule_looks_at_are_left_out(bank: FaceBank) -> None:
    far = lying(GAP_REACH_MM + 59 + 1, 0)
    assert measure(bank, CAMERA, NO_COV, [lying(0, 0), far], RADIUS) == []
    assert measure(bank, CAMERA, NO_COV, [lying(0, 0)], RADIUS) == []


def test_a_looser_fit_and_a_camera_less_known_make_the_sigma_grow(bank: FaceBank) -> None:
    pair = [lying(-40, 0), lying(40, 0)]
    plain = only(bank, *pair).sigma_mm
    assert only(bank, lying(-40, 0, fit_mm=0.4), pair[1]).sigma_mm > plain + 0.1
    loose = NO_COV.copy()
    loose[5, 5] = 0.02**2  # two per cent in scale
    (got,) = measure(bank, CAMERA, loose, pair, RADIUS)
    assert np.hypot(plain, 0.02 * 20) < got.sigma_mm < np.hypot(plain, 0.02 * 80)


def test_what_is_curled_is_less_sure_of_far_from_the_cameras_foot_than_below_it(bank: FaceBank) -> None:
    flat, bent = lying(250, 0), lying(250, 0, residual=0.9)
    assert is_flat(flat)
    assert not is_flat(bent)
    edge, outwards = np.array([279.5, 0]), np.array([1.0, 0])
    assert point_sigma(CAMERA, bent, edge, outwards) > 2 * point_sigma(CAMERA, flat, edge, outwards)
    below = lying(-29.5, 0, residual=0.9)
    assert point_sigma(CAMERA, below, np.array([0.0, 0]), outwards) < 0.2
    # across the line of sight nothing shifts
    assert point_sigma(CAMERA, bent, edge, np.array([0, 1.0])) == pytest.approx(
        point_sigma(CAMERA, flat, edge, np.array([0, 1.0]))
    )
