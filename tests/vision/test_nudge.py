"""A dotted back that was fitted one dot off is put in its place; what lies in its place is left alone."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.camera import Array, guess_camera, place
from vision.deck import Face
from vision.facebank import Template, make_template
from vision.nudge import beside

CAMERA = guess_camera(1280, 720, 1.6)
DOT_MM = 4.0


@pytest.fixture(scope="module")
def back() -> Template:
    """Dots all over and something in the middle, 5 px to the mm."""
    picture = np.full((455, 295, 3), 60, np.uint8)
    for y in range(10, 455, int(DOT_MM * 5)):
        for x in range(10, 295, int(DOT_MM * 5)):
            cv2.circle(picture, (x, y), 5, (200, 200, 200), -1)
    cv2.ellipse(picture, (147, 227), (70, 100), 0, 0, 360, (160, 120, 90), -1)
    cv2.ellipse(picture, (150, 200), (20, 40), 30, 0, 360, (30, 30, 30), -1)
    return make_template(Face("back", "back", picture, 59.0, 91.0), 0)


def photograph(face: Template, pose: Array) -> np.ndarray:
    w, h = face.size_mm
    rows, cols = face.face.picture.shape[:2]
    corners = CAMERA.project(place(pose, np.array([[-w, -h], [w, -h], [w, h], [-w, h]]) / 2)).astype(np.float32)
    source = np.array([[0, 0], [cols, 0], [cols, rows], [0, rows]], np.float32) - 0.5
    m = cv2.getPerspectiveTransform(source, corners)
    table = np.full((720, 1280, 3), 110, np.uint8)
    return np.asarray(
        cv2.warpPerspective(face.face.picture, m, (1280, 720), table, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)
    )


TRUE = np.array([40.0, -30.0, 0.7])


@pytest.mark.parametrize("off", [(DOT_MM, 0, 0), (0, -DOT_MM, 0), (1.0, DOT_MM, 0.05), (0, 0, 0.05)])
def test_a_back_one_dot_off_may_lie_in_its_place(back: Template, off: tuple[float, float, float]) -> None:
    places = beside(photograph(back, TRUE), CAMERA, TRUE + np.array(off), back)
    assert min(float(np.hypot(*(p - TRUE)[:2])) for p in places) < 1.3
    assert min(abs(float(p[2] - TRUE[2])) for p in places) < np.radians(1.6)


def test_a_face_without_a_pattern_lies_in_one_place_only() -> None:
    picture = np.random.default_rng(4).integers(0, 255, (13, 9, 3)).astype(np.uint8)
    face = make_template(
        Face("sky", "sky", cv2.resize(picture, (295, 455), interpolation=cv2.INTER_CUBIC), 59.0, 91.0), 0
    )
    assert beside(photograph(face, TRUE), CAMERA, TRUE, face) == []
