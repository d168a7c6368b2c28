"""Counting pips on a face whose place is known, and what the count is worth."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from models.train.dice.faces import pip_places
from vision.dice import SIX
from vision.dice.read import Reading
from vision.dice.shape import upper_face
from vision.dice.spots import pip_counts
from vision.dice.value import value_of
from vision.frame import Image
from vision.scene import DieKind, Quad

FLIGHT = DieKind(face="die.flight", values=(1, 1, 2, 2, 3, 3))
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


def read_as(**values: float) -> Reading:
    each = np.array([values.get(f"v{v}", 0.0) for v in range(1, 7)])
    return Reading(CENTRE, EDGE, 1.0, each, np.zeros(2), 0.0, 0.0, 0.9, None)


def test_how_sure_a_value_must_be_depends_on_the_pips_that_are_counted() -> None:
    three, _ = face(3, 230, 20, (0.0, 0.0), 0.0)
    bare = np.full_like(three, 110)

    def said(picture: Image, reading: Reading) -> int | None:
        return value_of(picture, reading, (SIX,))[1]

    assert said(three, read_as(v3=0.65)) == 3
    assert said(bare, read_as(v3=0.65)) is None
    assert said(bare, read_as(v3=0.96)) == 3
    assert said(three, read_as(v5=0.96)) is None
    assert said(bare, read_as(v6=0.97)) is None


def test_what_a_die_cannot_show_takes_nothing_from_what_it_can() -> None:
    bare = np.full((180, 240, 3), 110, np.uint8)
    assert value_of(bare, read_as(v2=0.8, v5=0.19), (SIX,))[1] is None
    assert value_of(bare, read_as(v2=0.8, v5=0.19), (FLIGHT,))[1] == 2
    # Views that differ leave the same doubt, and what is likeliest must be possible.
    assert value_of(bare, read_as(v2=0.6, v5=0.1), (FLIGHT,))[1] is None
    assert value_of(bare, read_as(v2=0.4, v5=0.6), (FLIGHT,))[1] is None
