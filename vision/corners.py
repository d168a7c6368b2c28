"""Propose pieces by one corner: two straight edges that meet squarely tell where a piece of known size must lie.

That is all that can be seen of a card whose other edges are covered or out of the frame, when what shows of its face
has no features (a sky, a carpet's field). Proposals are for `Finder.examine` to accept or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.birdseye import TableView
from vision.camera import Array
from vision.near import near_pairs

SHORTEST_MM = 10.0
"""A shorter piece of edge does not tell its direction to a degree."""

SQUARE_DEG = 4.0
MEET_MM = 7.0
"""How far the end of an edge may be from where both would meet: a corner is rounded off with up to 4 mm."""

MOST_CORNERS = 40
"""The best ones that are tried: on a chequered cloth every square has four."""


@dataclass(frozen=True, eq=False)
class Corner:
    """Two edges that meet."""

    at_mm: Array
    """(2,) where."""
    along: Array
    """(2, 2) unit vectors away from the corner along both edges, the second clockwise from the first."""
    reach_mm: float
    """Length of the shorter of both."""


def find_corners(view: TableView) -> list[Corner]:
    """Corners in a view from above, the ones with the longest edges first."""
    detector = cv2.createLineSegmentDetector(cv2.LSD_REFINE_STD)
    luma = view.image if view.image.ndim == 2 else np.asarray(cv2.cvtColor(view.image, cv2.COLOR_BGR2GRAY), np.uint8)
    lines = detector.detect(luma)[0]
    if lines is None:
        return []
    ends = view.to_table(np.asarray(lines.reshape(-1, 2), float)).reshape(-1, 2, 2)
    middle = np.clip(lines.reshape(-1, 2, 2).mean(1).round().astype(int), 0, np.array(luma.shape)[::-1] - 1)
    length = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
    ok = (length >= SHORTEST_MM) & (view.mask[middle[:, 1], middle[:, 0]] > 0)
    ends, length = ends[ok], length[ok]
    direction = (ends[:, 1] - ends[:, 0]) / length[:, None]
    out: list[Corner] = []
    for i, j in _near(ends):
        cross = direction[i, 0] * direction[j, 1] - direction[i, 1] * direction[j, 0]
        if abs(cross) <= np.cos(np.radians(SQUARE_DEG)):
            continue
        corner = _corner(ends[i], ends[j])
        if corner is not None:
            out.append(corner)
    out.sort(key=lambda c: -c.reach_mm)
    return out[:MOST_CORNERS]


def _near(ends: Array) -> list[tuple[int, int]]:
    """Pairs of segments (n, 2, 2) of which an end of one lies near an end of the other, in order.

    By a grid: a chequered cloth has 2,000 segments, and all their pairs took 14 seconds.
    """
    if len(ends) == 0:
        return []
    # Ends that both lie within MEET_MM of one point are no farther apart than twice that.
    a, b = (k // 2 for k in near_pairs(ends.reshape(-1, 2), 2 * MEET_MM, longest_side=True))
    return sorted({(int(i), int(j)) for i, j in zip(a, b, strict=True) if i < j})


def poses_at(corner: Corner, size_mm: tuple[float, float]) -> list[Array]:
    """(3,) poses of a piece of that size with a corner there: its longer side along either edge."""
    out = []
    for k in (0, 1):
        x, y = corner.along[k], corner.along[1 - k]
        middle = corner.at_mm + x * size_mm[0] / 2 + y * size_mm[1] / 2
        out.append(np.array([middle[0], middle[1], np.arctan2(x[1], x[0])]))
        if size_mm[0] == size_mm[1]:
            break
    return out


def _corner(a: Array, b: Array) -> Corner | None:
    """Two segments (2, 2) mm, square to each other, as a corner; None when neither ends where they meet."""
    u, v = a[1] - a[0], b[1] - b[0]
    det = u[0] * v[1] - u[1] * v[0]
    s = ((b[0] - a[0])[0] * v[1] - (b[0] - a[0])[1] * v[0]) / det
    at = a[0] + s * u
    along, reach = [], []
    for segment in (a, b):
        near, far = sorted(segment, key=lambda p: float(np.hypot(*(p - at))))
        if np.hypot(*(near - at)) > MEET_MM:
            return None
        d = far - at
        reach.append(float(np.hypot(*(far - near))))
        along.append(d / np.hypot(*d))
    if along[0][0] * along[1][1] - along[0][1] * along[1][0] < 0:
        along.reverse()
    return Corner(at, np.array(along), min(reach))
