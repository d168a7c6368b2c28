"""The tests of seeing run on both OpenCV 4 and 5: `KIBITZ_OPENCV` says which one this run is about."""

from __future__ import annotations

import os

import cv2
import pytest


@pytest.mark.skipif("KIBITZ_OPENCV" not in os.environ and "KIBITZ_REQUIRE_ALL" not in os.environ, reason="any will do")
def test_this_is_the_opencv_that_was_asked_for() -> None:
    assert cv2.__version__.startswith(os.environ.get("KIBITZ_OPENCV", cv2.__version__))
