"""What changed between two stills, and how much of the table it is."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.camera import Camera, box, place
from vision.changes import area_mm2

WIDE = Camera(f=1050.0, k1=-0.28, k2=0.0, tilt_x=0.19, tilt_y=0.31, distance=670.0, width=1280, height=720)


def mask_of(camera: Camera, pose: np.ndarray) -> np.ndarray:
    full = np.zeros((720, 1280), np.uint8)
    cv2.fillPoly(full, [np.round(camera.project(place(pose, box(59.0, 91.0)))).astype(np.int32)], 255)
    return np.where(cv2.resize(full, (320, 180), interpolation=cv2.INTER_AREA) > 127, 255, 0).astype(np.uint8)


@pytest.mark.parametrize("px", [(640, 360), (60, 200), (60, 600), (1200, 100)])
def test_a_card_has_a_cards_area_wherever_it_lies(px: tuple[float, float]) -> None:
    (at,) = WIDE.unproject(np.array([px], float))
    area = area_mm2(WIDE, mask_of(WIDE, np.array([*at, 0.4])))
    assert area == pytest.approx(59 * 91, rel=0.1)


def test_nothing_has_no_area_and_the_horizon_none_without_end() -> None:
    assert area_mm2(WIDE, np.zeros((180, 320), np.uint8)) == 0
    grazing = Camera(f=700.0, k1=0.0, k2=0.0, tilt_x=1.2, tilt_y=0.0, distance=700.0, width=1280, height=720)
    assert area_mm2(grazing, np.full((180, 320), 255, np.uint8)) < 17 * 1280 * 720
