"""Counting pips on a face whose place is known."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.train.dice.faces import pip_places
from vision.dice.shape import upper_face
from vision.dice.spots import pip_counts
from vision.frame import Image
from vision.scene import Quad

CENTRE, EDGE = (120.0, 90.0), 40.0


def face(value: int, body: int, ink: int, lean: tuple[float, float], turn: float) -> tuple[Image, Quad]:
    """A lone upper face on a grey table, as a picture shows it."""
    corners = upper_face(CENTRE, EDGE, np.array(lean), turn)
    flat = np.full((200, 200), body, np.uint8)
    for x, y in pip_places(value, 0.5):
        cv2.circle(flat, (round(100 + 100 * x), round(100 + 100 * y)), 20, ink, -1, cv2.LINE_AA)
    m = cv2.getPerspectiveTransform(
        np.array([[0, 0], [200, 0], [200, 200], [0, 200]], np.float32), np.array(corners, np.float32)
    )
    picture = np.full((180, 240), 110, np.uint8)
    cv2.warpPerspective(flat, m, (240, 180), dst=picture, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_TRANSPARENT)
    return cv2.cvtColor(cv2.GaussianBlur(picture, (0, 0), 0.8), cv2.COLOR_GRAY2BGR), corners


@pytest.mark.parametrize("value", [1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize(("body", "ink"), [(230, 20), (25, 220)])
def test_pips_are_counted_from_above_and_aslant(value: int, body: int, ink: int) -> None:
    for lean, turn in (((0.0, 0.0), 0.0), ((0.1, -0.6), 0.4), ((-0.5, 0.2), 1.2)):
        picture, corners = face(value, body, ink, lean, turn)
        assert pip_counts(picture, CENTRE, EDGE, corners) == {value}


def test_a_bare_face_and_a_numeral_have_none() -> None:
    bare, corners = face(1, 200, 200, (0.0, 0.0), 0.0)
    assert pip_counts(bare, CENTRE, EDGE, corners) == set()
    cv2.putText(bare, "4", (109, 102), cv2.FONT_HERSHEY_SIMPLEX, 1.1, (20, 20, 20), 3, cv2.LINE_AA)
    assert pip_counts(bare, CENTRE, EDGE, corners) == set()
