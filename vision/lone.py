"""Tiles found where nothing is known of the camera: one that stands out tells the scale, and the rest lie beside it.

Features are sloppy about scale: on drawn decks, in dim rooms or out of focus, they vote for tiles up to 1.4 times as
large as they are, at the right place. And a camera that is guessed to look straight down makes a rhombus of a square
near the rim of a tilted wide lens. So each proposal is tried at several scales; its points are followed into the
picture as those of a plane that may be seen from anywhere, and the camera is solved from them alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from vision.camera import Array, Camera, guess_camera
from vision.features import Proposal
from vision.finder import Finder
from vision.follow import follow
from vision.found import Found
from vision.solve import Sighting, solve
from vision.still_image import Still

LONE_PROPOSALS = 12
"""Proposals that are tried each by itself: a plain start tile on felt came first of sixty, with 7 votes against 6."""

SCALES = (0.85, 1.0, 0.72, 0.6)
"""Of what the features say. On four boards of which nothing was found without, the first true proposals say 1.0, 0.86,
0.80 and 0.74 times their scale; at the nearest of these they are fitted, and mostly at the one beside it, too."""

LEVELS = 3
"""Pyramid levels: a tile that is taken for 1.2 times its size has its corners 6 mm off."""

PLANE_PX = 2.5
"""Points that one plane explains within this are of one tile; what a wide lens bends of one is part of it."""

LEAST_POINTS = 10
"""... and there must be so many: a plane seen from anywhere has eight unknowns. The true ones have 11 to 33."""


def lone_tiles(
    finder: Finder, laid: set[int], still: Still, proposals: list[Proposal]
) -> Iterator[tuple[Camera, Found]]:
    """Tiles, each with the camera that it tells. laid: the templates that are looked for."""
    for proposal in [p for p in proposals if p.faces[0] in laid][:LONE_PROPOSALS]:
        for scale in SCALES:
            camera = guess_camera(*still.size, proposal.px_per_mm * scale)
            seen = _as_a_plane(finder, still, camera, proposal)
            if seen is None:
                continue
            solution = solve(camera, [seen])
            found = finder.examine(still, solution.camera, solution.poses[0], proposal.faces[0], None, levels=1)
            if found is not None and found.template in laid:
                yield solution.camera, found


def _as_a_plane(finder: Finder, still: Still, camera: Camera, proposal: Proposal) -> Sighting | None:
    """The points of the proposed face that lie on one plane, seen from wherever it is."""
    middle = camera.unproject(np.array([proposal.centre_px]))[0]
    pose: Array = np.array([middle[0], middle[1], proposal.angle])
    s = follow(still.luma, camera, pose, finder.template(proposal.faces[0]), levels=LEVELS).sighting
    if len(s.px) < LEAST_POINTS:
        return None
    plane, inliers = cv2.findHomography(s.local_mm, s.px, cv2.RANSAC, PLANE_PX)
    if plane is None or np.count_nonzero(inliers) < LEAST_POINTS:
        return None
    ok = inliers.ravel() > 0
    return Sighting(s.local_mm[ok], s.px[ok], np.ones(int(ok.sum())))
