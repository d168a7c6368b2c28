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

LONE_PROPOSALS, LIKELY_PROPOSALS = 40, 12
"""Proposals that are tried each by itself, the first ones at all scales: a plain start tile on felt came first of
sixty, with 7 votes against 6, but on a striped cloth the only true one is the 35th, on a flowered one the 22nd."""
LOOKS, BETTER = 4, 0.02
"""Times that one is looked at, as long as more of its face agrees."""

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
    for rank, proposal in enumerate([p for p in proposals if p.faces[0] in laid][:LONE_PROPOSALS]):
        for scale in SCALES[: None if rank < LIKELY_PROPOSALS else 2]:
            camera = guess_camera(*still.size, proposal.px_per_mm * scale)
            middle = camera.unproject(np.array([proposal.centre_px]))[0]
            pose, template = np.array([middle[0], middle[1], proposal.angle]), proposal.faces[0]
            share = 0.0
            for _ in range(LOOKS):
                # Again with the face that it turned out to have, by the camera that this gave.
                seen = _as_a_plane(finder, still, camera, pose, template)
                if seen is None:
                    break
                solution = solve(camera, [seen])
                found = finder.examine(still, solution.camera, solution.poses[0], template, None, levels=1)
                if found is None or found.template not in laid or found.match.share < share + BETTER:
                    break
                yield solution.camera, found
                camera, pose, template, share = solution.camera, found.pose, found.template, found.match.share


def _as_a_plane(finder: Finder, still: Still, camera: Camera, pose: Array, template: int) -> Sighting | None:
    """The points of a face that lie on one plane, seen from wherever it is."""
    s = follow(still.luma, camera, pose, finder.template(template), levels=LEVELS).sighting
    if len(s.px) < LEAST_POINTS:
        return None
    plane, inliers = cv2.findHomography(s.local_mm, s.px, cv2.RANSAC, PLANE_PX)
    if plane is None or np.count_nonzero(inliers) < LEAST_POINTS:
        return None
    ok = inliers.ravel() > 0
    return Sighting(s.local_mm[ok], s.px[ok], np.ones(int(ok.sum())))
