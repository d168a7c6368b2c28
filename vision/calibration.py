"""The camera model as it grows: refined as pieces appear, kept while the camera stands still, begun anew if bumped."""

from __future__ import annotations

from copy import copy

import numpy as np
from numpy.typing import NDArray

from vision.camera import N_PARAMS, Array, Camera, Lens, guess_camera
from vision.solve import PRIOR_SIGMA, Sighting, solve

MOST_SAMPLES = 20
"""Placements kept for the joint fit; with twenty spread over the table more change nothing measurable."""

POINTS_PER_SAMPLE = 24

SAMPLE_SIGMA_PX = 1.0
"""Sigma of a point in the joint fit. A card is never quite flat: its points err together by about 0.2 px, which 24
points of 1 px each amount to. With the 0.25 px of a single point one bent card outweighed all that is known of lenses
(focal length 2.3 times too long on the bundled footage, tilted table)."""

TYPICAL_RMS_PX = 0.25
"""Residual of the joint fit in good light, px. In the dark, where it is twice that, the model errs twice as far."""

NEW_PLACE_MM = 25.0
"""A piece laid this far from all kept samples tells something new."""

FAR_MM, MOST_FAR = 100.0, 6
"""Beyond twenty, so many more are taken in that lie so far from all others: there the model was a guess."""

SOLVED_FROM = 3
"""With three cards the gap error on the bundled footage is already under 0.2 mm; with fewer all rests on priors."""

LENS_FLOOR, AXIS_FLOOR_PX = 0.005, 0.7
"""A measured lens is not believed more closely: focus moves it, and cards bend. On 21 random tables with two cards and
lenses measured that well the gap between them was off by 0.11 mm (median; 0.24 in nine of ten), with the lens by 0.05
(0.17)."""


class Calibration:
    """Collects sightings and solves the camera from them."""

    def __init__(self, lens: Lens | None = None) -> None:
        """lens: the camera's, where it was measured."""
        self._lens = lens
        self.camera: Camera | None = None
        self.cov: NDArray[np.float64] = np.zeros((N_PARAMS, N_PARAMS))
        self.rms_px = 0.0
        self.epoch = 0
        self._prior: Camera | None = None
        self._sigma = PRIOR_SIGMA
        self._samples: list[Sighting] = []
        self._poses: list[Array] = []

    @property
    def solved(self) -> bool:
        return len(self._samples) >= SOLVED_FROM

    @property
    def scale_sigma(self) -> float:
        """1 sigma of the scale at the middle of the picture, as part of it: of distance / f. Each of both alone is
        known far worse, since from straight above a longer lens farther off sees the same."""
        var = self.cov[0, 0] + self.cov[5, 5] - 2 * self.cov[0, 5]
        return float(np.sqrt(max(var, 0.0)))

    @property
    def samples(self) -> int:
        """Placements that the model rests on."""
        return len(self._samples)

    @property
    def started(self) -> bool:
        """Whether any piece stands behind the camera."""
        return bool(self._samples)

    def start(self, camera: Camera) -> None:
        """Begin from a first solution. The priors stay those of any lens: a first card says little of the lens."""
        self.camera = camera
        self._prior = guess_camera(camera.width, camera.height, 1 / camera.mm_per_px)
        if self._lens is not None and self._lens.fits(camera.width, camera.height):
            self.camera, self._prior = self._lens.before(camera), self._lens.before(self._prior)
            self._sigma = lens_sigma(self._lens, camera.width / self._lens.width)
        self._samples, self._poses = [], []

    def copy(self) -> Calibration:
        """As it is now, to go back to."""
        other = copy(self)
        other._samples, other._poses = list(self._samples), list(self._poses)
        return other

    def bumped(self) -> None:
        """The camera was moved: its lens is as before, where it stands is not."""
        self.epoch += 1
        self._prior = self.camera
        self._samples, self._poses = [], []

    def refine(self, seen: list[tuple[Array, Sighting]]) -> bool:
        """Take in poses and sightings of one still; solve again when they are new. True when the model moved."""
        assert self.camera is not None
        fresh = [(pose, thin(s)) for pose, s in seen if len(s.px) >= 8 and self._is_new(pose)]
        room = MOST_SAMPLES - len(self._samples)
        far = [(pose, s) for pose, s in fresh[max(room, 0) :] if self._is_new(pose, FAR_MM)]
        fresh = fresh[: max(room, 0)] + far[: MOST_SAMPLES + MOST_FAR - max(len(self._samples), MOST_SAMPLES)]
        if not fresh:
            return False
        self._samples += [s for _, s in fresh]
        self._poses += [p for p, _ in fresh]
        solution = solve(self.camera, self._samples, self._prior, self._sigma)
        self.camera = solution.camera
        self.cov = solution.camera_cov * max(1.0, solution.rms_px / TYPICAL_RMS_PX) ** 2
        self.rms_px = solution.rms_px
        self._poses = list(solution.poses)
        return True

    def _is_new(self, pose: Array, mm: float = NEW_PLACE_MM) -> bool:
        return all(float(np.hypot(*(p[:2] - pose[:2]))) > mm for p in self._poses)


def lens_sigma(lens: Lens, zoom: float) -> Array:
    """(8,) of the priors of a camera whose lens is known; how it stands over the table is not."""
    f, k1, k2, axis_x, axis_y = lens.sigma
    out = PRIOR_SIGMA.copy()
    out[[0, 1, 2]] = np.minimum(out[[0, 1, 2]], np.maximum([f, k1, k2], LENS_FLOOR))
    out[[6, 7]] = np.minimum(out[[6, 7]], np.maximum([axis_x * zoom, axis_y * zoom], AXIS_FLOOR_PX))
    return out


def thin(s: Sighting) -> Sighting:
    """At most `POINTS_PER_SAMPLE` of a sighting's points, evenly taken, weighted for the joint fit."""
    n = len(s.px)
    pick = np.linspace(0, n - 1, min(n, POINTS_PER_SAMPLE)).round().astype(int)
    return Sighting(s.local_mm[pick], s.px[pick], np.full(len(pick), 1 / SAMPLE_SIGMA_PX), s.height_mm)
