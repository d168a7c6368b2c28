"""The camera model as it grows: refined as pieces appear, kept while the camera stands still, begun anew when bumped."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.camera import Array, Camera
from vision.solve import Sighting, solve

MOST_SAMPLES = 20
"""Placements kept for the joint fit; with twenty spread over the table more change nothing measurable."""

POINTS_PER_SAMPLE = 24

NEW_PLACE_MM = 25.0
"""A piece laid this far from all kept samples tells something new."""

SOLVED_FROM = 3
"""With three cards the gap error on the bundled footage is already under 0.2 mm; with fewer the model rests on priors."""


class Calibration:
    """Collects sightings and solves the camera from them."""

    def __init__(self) -> None:
        self.camera: Camera | None = None
        self.cov: NDArray[np.float64] = np.zeros((6, 6))
        self.rms_px = 0.0
        self.epoch = 0
        self._prior: Camera | None = None
        self._samples: list[Sighting] = []
        self._poses: list[Array] = []

    @property
    def solved(self) -> bool:
        return len(self._samples) >= SOLVED_FROM

    def start(self, camera: Camera) -> None:
        """Begin from a guess."""
        self.camera = self._prior = camera
        self._samples, self._poses = [], []

    def bumped(self) -> None:
        """The camera was moved: its lens is as before, where it stands is not."""
        self.epoch += 1
        self._prior = self.camera
        self._samples, self._poses = [], []

    def refine(self, seen: list[tuple[Array, Sighting]]) -> bool:
        """Take in poses and sightings of one still; solve again when they tell something new. True when the model moved."""
        assert self.camera is not None
        fresh = [(pose, thin(s)) for pose, s in seen if len(s.px) >= 8 and self._is_new(pose)]
        fresh = fresh[: MOST_SAMPLES - len(self._samples)]
        if not fresh:
            return False
        self._samples += [s for _, s in fresh]
        self._poses += [p for p, _ in fresh]
        solution = solve(self.camera, np.array(self._poses), self._samples, self._prior)
        self.camera = solution.camera
        self.cov = solution.camera_cov
        self.rms_px = solution.rms_px
        self._poses = list(solution.poses)
        return True

    def _is_new(self, pose: Array) -> bool:
        return all(float(np.hypot(*(p[:2] - pose[:2]))) > NEW_PLACE_MM for p in self._poses)


def thin(s: Sighting) -> Sighting:
    """At most `POINTS_PER_SAMPLE` of a sighting's points, evenly taken."""
    n = len(s.px)
    if n <= POINTS_PER_SAMPLE:
        return s
    pick = np.linspace(0, n - 1, POINTS_PER_SAMPLE).round().astype(int)
    return Sighting(s.local_mm[pick], s.px[pick], s.weight[pick])
