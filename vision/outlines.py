"""Pieces by their outlines alone: for faces with few features, and for a first camera where features mislead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.birdseye import TableView, table_view
from vision.camera import Array, Camera, box
from vision.coplanar import common_plane
from vision.corners import find_corners, poses_at
from vision.facebank import FaceBank
from vision.finder import MIN_SHARE, Finder
from vision.found import Found, same_place
from vision.rectangles import best_of_each, find_outlines, find_rectangles
from vision.solve import rigid
from vision.still_image import Still

OUTLINE_TOLERANCE = 0.07
"""Outlines whose sides may lie on the printed frame, 3 mm in from the edge, are still good enough to start from."""


AREA_SLACK = 1.6
"""Rough outlines may have that much more or less area than the piece: 25 % either way in its sides."""

ROUGH_TOLERANCE = 0.25
"""How far a rough outline's sides may be from the piece's; measured anew, they move by at most 8 % on either side."""


def check_outlines(
    finder: Finder,
    still: Still,
    camera: Camera,
    mask: NDArray[np.uint8],
    white: NDArray[np.float32] | None,
    known: list[Found],
) -> list[Found]:
    """Pieces that features do not propose: outlines of the right size where `mask` (h, w) is not 0, or a corner of one
    where no more shows, then named.

    Both are looked for from above, where tilt and lens have left every side straight and every size true.
    """
    view = table_view(still.bgr, mask, camera)
    if view is None:
        return []
    out: list[Found] = []
    for shape, pose in [*_whole(view, finder.bank.sizes), *_corners(view, finder.bank.sizes)]:
        if any(same_place(finder.bank, f, pose, finder.namers[shape].index[0]) for f in known + out):
            continue
        named = finder.identify(still, camera, pose, shape, white)
        if named is None or named[0].share < MIN_SHARE:
            continue
        pose = np.array([pose[0], pose[1], pose[2] + named[0].turns * np.pi / 2])
        piece = finder.examine(still, camera, pose, named[0].template, white, levels=1)
        if piece is not None and not any(same_place(finder.bank, f, piece.pose, piece.template) for f in known + out):
            out.append(piece)
    return finder.select(still, camera, white, known, out)


def _whole(view: TableView, sizes: list[tuple[float, float]]) -> list[tuple[int, Array]]:
    """Shape and pose of every outline that is all in view."""
    rows, columns = view.mask.shape

    def worth(quad: Array) -> bool:
        x, y = np.round(quad.mean(0)).astype(int)
        inside = 0 <= x < columns and 0 <= y < rows and view.mask[y, x] > 0
        return bool(inside) and any(
            pose_of_outline(view.to_table(quad), size, ROUGH_TOLERANCE) is not None for size in sizes
        )

    areas = [w * h * view.px_per_mm**2 for w, h in sizes]
    outlines = best_of_each(find_outlines(view.image, worth, (min(areas) / AREA_SLACK, max(areas) * AREA_SLACK)))
    poses = [(k, pose_of_outline(view.to_table(r.corners_px), size)) for k, size in enumerate(sizes) for r in outlines]
    return [(k, pose) for k, pose in poses if pose is not None]


def _corners(view: TableView, sizes: list[tuple[float, float]]) -> list[tuple[int, Array]]:
    """Shape and pose of whatever may have one of the corners in view."""
    return [
        (k, pose) for corner in find_corners(view) for k, size in enumerate(sizes) for pose in poses_at(corner, size)
    ]


def camera_from_outlines(bank: FaceBank, still: Still) -> Camera | None:
    """A first camera from cards as mere rectangles: needs three of one size, and no face."""
    for size in bank.sizes:
        rectangles = find_rectangles(still.bgr, size[0] / size[1])
        if len(rectangles) >= 3:
            plane = common_plane(np.array([r.corners_px for r in rectangles]), still.size, size)
            if plane is not None:
                return plane.camera
    return None


def pose_of_outline(
    corners_mm: Array, size_mm: tuple[float, float], tolerance: float = OUTLINE_TOLERANCE
) -> Array | None:
    """(3,) pose of a piece of that size with those corners (4, 2) mm clockwise; None when they are of another size."""
    sides = np.hypot(*(corners_mm[[1, 2, 3, 0]] - corners_mm).T)
    for first in (0, 1):
        width, height = (sides[first] + sides[first + 2]) / 2, (sides[1 - first] + sides[3 - first]) / 2
        if abs(width / size_mm[0] - 1) < tolerance and abs(height / size_mm[1] - 1) < tolerance:
            return rigid(box(*size_mm), np.roll(corners_mm, -first, axis=0))
    return None
