"""Of the points that were followed, those that one rigid card explains."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from vision.camera import Camera
from vision.follow import Followed
from vision.solve import Sighting

MIN_POINTS = 6
"""A pose has three unknowns; six points leave the fit something to contradict."""

AGREE_MM = 2.0
"""Points of one card lie this near to one rigid motion, even bent and under a camera model not yet right."""


def agreeing(camera: Camera, followed: Followed) -> Followed:
    """Without the points that no one rigid motion explains together with most others (RANSAC, Fischler & Bolles 1981).

    Carpets share their ornament: where one covers another, points of the lower are found again on the upper.
    """
    s = followed.sighting
    if len(s.px) < MIN_POINTS:
        return followed
    table = camera.unproject(s.px)
    motion, inliers = cv2.estimateAffinePartial2D(
        s.local_mm, table, method=cv2.RANSAC, ransacReprojThreshold=AGREE_MM, maxIters=200
    )
    if motion is None or not 0.9 < float(np.hypot(motion[0, 0], motion[1, 0])) < 1.1:
        return replace(followed, sighting=Sighting(s.local_mm[:0], s.px[:0], s.weight[:0]), share=0.0)
    ok = inliers.ravel() > 0
    kept = Sighting(s.local_mm[ok], s.px[ok], s.weight[ok])
    return replace(followed, sighting=kept, share=followed.share * float(ok.mean()))
