"""Pieces by their outlines alone: for faces with few features, and for a first camera where features mislead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.birdseye import table_view
from vision.camera import Array, Camera, box
from vision.coplanar import common_plane
from vision.corners import find_corners, poses_at
from vision.facebank import FaceBank
from vision.finder import MIN_SHARE, Finder, Found, Still, same_place
from vision.rectangles import best_of_each, find_outlines, find_rectangles
from vision.solve import rigid

OUTLINE_TOLERANCE = 0.07
"""Outlines whose sides may lie on the printed frame, 3 mm in from the edge, are still good enough to start from."""


AREA_SLACK = 2.5
"""A card at the edge of a frame tilted by 25 degrees covers 0.55 to 1.9 of the pixels it would in the middle."""

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
    """Pieces that features do not propose: outlines of the right size where `mask` (h, w) is not 0, then named."""
    ys, xs = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    if len(ys) == 0:
        return []
    y0, x0 = int(ys[0]), int(xs[0])
    part = still.bgr[y0 : ys[-1] + 1, x0 : xs[-1] + 1]
    corner = np.array([x0, y0])
    sizes = finder.bank.sizes

    def worth(quad: Array) -> bool:
        x, y = np.round(quad.mean(0)).astype(int) + corner
        return bool(mask[min(max(y, 0), mask.shape[0] - 1), min(max(x, 0), mask.shape[1] - 1)]) and any(
            pose_of_outline(camera, quad + corner, size, ROUGH_TOLERANCE) is not None for size in sizes
        )

    areas = [w * h / camera.mm_per_px**2 for w, h in sizes]
    rectangles = best_of_each(find_outlines(part, worth, (min(areas) / AREA_SLACK, max(areas) * AREA_SLACK)))
    candidates: list[Found] = []
    for shape, size in enumerate(sizes):
        for rectangle in rectangles:
            pose = pose_of_outline(camera, rectangle.corners_px + corner, size)
            if pose is None:
                continue
            named = finder.identify(still, camera, pose, shape, white)
            if named is None or named[0].share < MIN_SHARE:
                continue
            pose = np.array([pose[0], pose[1], pose[2] + named[0].turns * np.pi / 2])
            piece = finder.examine(still, camera, pose, named[0].template, white, levels=1)
            if piece is not None and not any(
                same_place(finder.bank, f, piece.pose, piece.template) for f in known + candidates
            ):
                candidates.append(piece)
    candidates += _by_corners(finder, still, camera, mask, white, known + candidates)
    return finder.select(still, camera, white, known, candidates)


def _by_corners(
    finder: Finder,
    still: Still,
    camera: Camera,
    mask: NDArray[np.uint8],
    white: NDArray[np.float32] | None,
    known: list[Found],
) -> list[Found]:
    """Pieces of which only a corner shows."""
    view = table_view(still.luma, mask, camera)
    out: list[Found] = []
    for corner in [] if view is None else find_corners(view):
        for shape, size in enumerate(finder.bank.sizes):
            for pose in poses_at(corner, size):
                first = finder.namers[shape].index[0]
                if any(same_place(finder.bank, f, pose, first) for f in known + out):
                    continue
                named = finder.identify(still, camera, pose, shape, white)
                if named is None or named[0].share < MIN_SHARE:
                    continue
                pose = np.array([pose[0], pose[1], pose[2] + named[0].turns * np.pi / 2])
                piece = finder.examine(still, camera, pose, named[0].template, white, levels=1)
                if piece is not None and not any(
                    same_place(finder.bank, f, piece.pose, piece.template) for f in known + out
                ):
                    out.append(piece)
    return out


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
    camera: Camera, corners_px: Array, size_mm: tuple[float, float], tolerance: float = OUTLINE_TOLERANCE
) -> Array | None:
    """(3,) pose of a piece of that size with those corners (4, 2) px clockwise; None when they are of another size."""
    table = camera.unproject(corners_px)
    sides = np.hypot(*(np.roll(table, -1, axis=0) - table).T)
    for first in (0, 1):
        turned = np.roll(table, -first, axis=0)
        width, height = np.roll(sides, -first)[::2].mean(), np.roll(sides, -first)[1::2].mean()
        if abs(width / size_mm[0] - 1) < tolerance and abs(height / size_mm[1] - 1) < tolerance:
            return rigid(box(*size_mm), turned)
    return None
