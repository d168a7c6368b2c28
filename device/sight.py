"""Whether a camera's picture is good enough to referee by: light, noise, flicker, glare, focus, scale, coverage.

Pure: small luma pictures and a scene's camera in, the names of what is wrong out. The same names are used by
`kibitz doctor`, by the health endpoint and by the line of notices on the screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frame import Image
from vision.scene import Scene

DARK_GREY = 40.0
"""Median under which faces are hardly told: the darkest of 80 random tables that were still read wholly had 46."""
CLIPPED_GREY = 250
GLARE_SHARE = 0.02
"""Share of the picture that is washed out. A card that is washed out altogether is 0.7 % of a usual picture."""
BRIGHT_SHARE = 0.15
"""With so much washed out it is no reflection but the exposure."""
NOISY_GREY = 6.0
"""1 sigma of a pixel between two frames."""
FLICKER_GREY = 1.5
"""1 sigma of the picture's median about its running mean: mains light against a short exposure."""
BLURRED = 0.38
"""`sharpness` under this. Five recordings have 0.42 to 0.69 once cards lie there, 0.51 to 0.67 where all do; those
blurred by 1 px (sigma) 0.43 to 0.53, by 2 px 0.34 to 0.38, by 3 px 0.30 to 0.31."""
COARSE_MM_PER_PX = 1.0
"""A corner is placed to 0.8 px, and a gap of 10 mm is to be told to 0.7 mm."""
EDGE_PX = 8
"""No edge is looked for so near to the picture's end."""
LEAST_EDGE = 20.0
BAND_PX = 128
"""Rows of the picture in which edges are looked for together: all of a 1280x720 picture took 30 MB, in the middle of
the game's own looks, and 33 MB of the peak; so it is 6 MB, and the same is found."""
NARROW_MM = 420.0
"""Four cards side by side with a centimetre between them, and a hand's width beside them."""


@dataclass(frozen=True, kw_only=True)
class Light:
    """Figures of a few pictures in a row; grey levels of 255."""

    median: float
    washed_out: float
    """Share of pixels at the upper end, 0 to 1."""
    noise: float
    flicker: float
    sharpness: float
    """0 to 1; 0 where there is nothing to be sharp."""


def sampled(luma: Image) -> Image:
    """Every fourth pixel each way: what is kept of a picture to judge the light by."""
    return np.ascontiguousarray(luma[::4, ::4])


def measure_light(pictures: Sequence[Image]) -> Light:
    """pictures: (h, w) uint8 luma of full size, two or more, in order; nothing should move."""
    return light_of([sampled(p) for p in pictures], pictures[-1])


def light_of(samples: Sequence[Image], last: Image) -> Light:
    """The same of what was kept: samples of pictures, in order, and the last one whole."""
    small = [p.astype(np.float32) for p in samples]
    medians = np.array([np.median(p) for p in small])
    trend = np.convolve(medians, np.ones(5) / 5, mode="valid") if len(medians) >= 10 else medians
    middle = medians[2:-2] if len(medians) >= 10 else medians
    difference = small[-1] - small[-2] if len(small) > 1 else np.zeros_like(small[-1])
    return Light(
        median=float(medians[-1]),
        washed_out=float((small[-1] >= CLIPPED_GREY).mean()),
        noise=float(np.median(np.abs(difference - np.median(difference)))) / 0.6745 / 2**0.5,
        flicker=float((middle - trend).std()),
        sharpness=sharpness(last),
    )


def sharpness(luma: Image) -> float:
    """How much of the contrast of edges is left at the scale of one pixel, 0 to 1; noise of 8 grey changes it by 0.01.

    (h, w) uint8. At the strongest hundredth of edges (of the picture smoothed by 2 px, which noise does not make), the
    step over 2 px is compared with the step over 8 px: 1 for an ideal edge, less the wider it is smeared.
    """
    found = [_edges(luma, first, min(first + BAND_PX, luma.shape[0] - EDGE_PX))
             for first in range(EDGE_PX, luma.shape[0] - EDGE_PX, BAND_PX)]  # fmt: skip
    if not found or luma.shape[1] <= 2 * EDGE_PX:
        return 0.0
    ys, xs, strength, across = (np.concatenate(part) for part in zip(*found, strict=True))
    if len(ys) == 0:
        return 0.0
    most = max(1, (luma.shape[0] - 2 * EDGE_PX) * (luma.shape[1] - 2 * EDGE_PX) // 100)
    if len(ys) > most:
        strongest = strength >= np.partition(strength, -most)[-most]
        ys, xs, across = ys[strongest], xs[strongest], across[strongest]
    every = max(1, len(ys) // 4000)
    ys, xs, across = ys[::every], xs[::every], across[::every]
    dx, dy = across.astype(int), (~across).astype(int)
    step = np.abs(luma[ys + dy, xs + dx].astype(np.float32) - luma[ys - dy, xs - dx])
    whole = np.abs(luma[ys + 4 * dy, xs + 4 * dx].astype(np.float32) - luma[ys - 4 * dy, xs - 4 * dx])
    told = whole > 25
    return float(np.median(step[told] / whole[told])) if told.sum() > 50 else 0.0


def _edges(luma: Image, first: int, last: int) -> tuple[NDArray[Any], ...]:
    """Row, column, strength and whether it runs more down than across, of every edge in the rows `first` to `last`."""
    reach = EDGE_PX + 1  # of the smoothing, and of the derivative
    begin = max(0, first - reach)
    smooth = cv2.GaussianBlur(luma[begin : last + reach].astype(np.float32), (0, 0), 2.0)
    gx, gy = cv2.Sobel(smooth, cv2.CV_32F, 1, 0), cv2.Sobel(smooth, cv2.CV_32F, 0, 1)
    part = slice(first - begin, last - begin), slice(EDGE_PX, luma.shape[1] - EDGE_PX)
    strength = cv2.magnitude(gx, gy)[part]
    ys, xs = np.nonzero(strength >= LEAST_EDGE)
    across = np.abs(gx[part][ys, xs]) >= np.abs(gy[part][ys, xs])
    return ys + first, xs + EDGE_PX, strength[ys, xs], across


def light_warnings(light: Light, *, cards: bool = True) -> tuple[str, ...]:
    """Of `dark`, `bright`, `glare`, `noisy`, `flicker`, `blurred`.

    `cards`: whether cards are known to lie there. An empty cloth may have no sharp edge (0.32 on a recorded one).
    """
    found = []
    if light.median < DARK_GREY:
        found.append("dark")
    if light.washed_out > BRIGHT_SHARE:
        found.append("bright")
    elif light.washed_out > GLARE_SHARE:
        found.append("glare")
    if light.noise > NOISY_GREY:
        found.append("noisy")
    if light.flicker > FLICKER_GREY:
        found.append("flicker")
    if cards and 0 < light.sharpness < BLURRED:
        found.append("blurred")
    return tuple(found)


def table_warnings(scene: Scene | None) -> tuple[str, ...]:
    """Of `coarse`, `narrow`; nothing while the camera is not known."""
    if scene is None or not scene.camera.solved or scene.view_mm is None:
        return ()
    found = []
    if scene.camera.mm_per_px > COARSE_MM_PER_PX:
        found.append("coarse")
    view = np.array(scene.view_mm)
    if min(float(np.linalg.norm(view[1] - view[0])), float(np.linalg.norm(view[2] - view[3]))) < NARROW_MM:
        found.append("narrow")
    return tuple(found)
