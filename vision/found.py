"""One piece as it was found in one still: which face, where, and how well the picture agrees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.camera import Array, box, place
from vision.facebank import FaceBank, Float
from vision.naming import Match
from vision.solve import Sighting

LEAST_OF_VISIBLE = 0.38
"""Share of a face that agrees, as part of what should be in view. On 60 random tables the worst of 780 true pieces has
0.49; false ones that nothing covers have up to 0.33 (a checked cloth)."""

LEAST_DIM, LEAST_FOLLOWED = 0.28, 0.35
"""In a dim room noise takes agreement away: three cards all in view had 0.35 to 0.37. There it also counts that their
points could be followed: of these 0.42 to 0.52 of all, of false pieces on 80 tables at most 0.22."""


@dataclass(frozen=True, eq=False)
class Found:
    """One piece in one still."""

    template: int
    pose: Array
    """(3,) x mm, y mm, angle rad on the table."""
    cov: Array
    """(3, 3) of the pose from the fit alone."""
    sighting: Sighting
    residual_px: float
    match: Match
    evidence: float
    """Log likelihood ratio of its kind against the nearest rival, at most `MOST_EVIDENCE`."""
    followed_share: float
    agree: Float
    """(rows, columns) of the face's blocks, 0 to 1: where the picture shows this face."""
    faceless: bool = False
    """A tile lies there, but neither which nor which way up can be told: its template stands for the size alone."""


LEAST_OF_DOUBLE = 0.25
"""A round print, turned, agrees with itself. A square turned by 45 degrees shows 0.17 beside the upright one: what
shows less than this beside another of the same face, around the same middle, is that one again."""


def same_place(bank: FaceBank, f: Found, pose: Array, template: int) -> bool:
    """Whether a pose is the same piece again: same middle within a quarter of its width, and parallel."""
    size = bank.templates[template].size_mm
    if bank.templates[f.template].size_mm != size:
        return False
    near = float(np.hypot(*(f.pose[:2] - pose[:2]))) < min(size) / 4
    step = np.pi / 2 if size[0] == size[1] else np.pi
    turn = abs((f.pose[2] - pose[2] + step / 2) % step - step / 2)
    return near and turn < np.radians(20)


def doubled(f: Found, other: Found, bank: FaceBank) -> bool:
    """Whether two pieces are of one face and have one middle, within a quarter of the width, turned as they may be."""
    near = min(bank.templates[f.template].size_mm) / 4
    return f.template == other.template and float(np.hypot(*(f.pose[:2] - other.pose[:2]))) < near


def corners_mm(bank: FaceBank, f: Found) -> Array:
    """(4, 2) outline on the table."""
    return place(f.pose, box(*bank.templates[f.template].size_mm))


def agrees_enough(f: Found, visible: float) -> bool:
    """Whether the picture agrees with as much of a face as must be in view of it."""
    if f.match.share >= LEAST_OF_VISIBLE * visible:
        return True
    return f.match.share >= LEAST_DIM * visible and f.followed_share >= LEAST_FOLLOWED * visible
