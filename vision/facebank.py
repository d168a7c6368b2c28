"""The deck's faces prepared for comparison: at one resolution, free of light, with the points that can be followed.

A face on the table differs from its scan by light, print, lens and sensor. What survives is local structure: the luma
minus its local mean, divided by its local spread (Jahne, Digital Image Processing, on local normalisation), and hue up
to one white balance for the whole still.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.deck import Deck, Face

Float = NDArray[np.float32]

PX_PER_MM = 1.6
"""Resolution of rectified faces: what 1280x720 over a table of 80 cm gives. More would only show the camera's blur."""

NORM_SIGMA_PX = 7.0
"""Radius of the local normalisation, 4.4 mm: larger than print strokes, smaller than gradients of light."""

POINTS_PER_FACE = 60
EDGE_MARGIN_MM = 4.0
"""Followed points keep this far inside the outline: their window must not reach over the edge to the table."""

DEFAULT_BLUR_PX = 0.8
"""Blur of a rectified photograph at `PX_PER_MM`, applied to the scans so that both have the same sharpness."""


def normalise(luma: cv2.typing.MatLike) -> Float:
    """Local normalisation: (h, w) luma of any type to (h, w) float32 with local mean 0 and local spread about 1."""
    f = luma.astype(np.float32)
    k = 2 * round(NORM_SIGMA_PX * 1.5) + 1
    mean = cv2.blur(f, (k, k), borderType=cv2.BORDER_REFLECT)
    mean = cv2.blur(mean, (k // 2 | 1, k // 2 | 1), borderType=cv2.BORDER_REFLECT)
    d = f - mean
    var = cv2.blur(d * d, (k, k), borderType=cv2.BORDER_REFLECT)
    # 4 grey levels: below this spread there is nothing but noise, which must not be blown up into structure.
    return np.asarray(d / np.sqrt(var + 16.0), np.float32)


def chroma(bgr: cv2.typing.MatLike) -> Float:
    """(h, w, 3) BGR to (h, w, 2) log(R/G), log(B/G): a change of white balance only adds a constant to each.

    Sensor values are gamma-coded; the log ratio of coded values is that of linear ones divided by gamma, which is fine
    for comparison with a scan coded alike. The offset of 12 keeps dark pixels, where hue is noise, near zero.
    """
    f = log_colour(bgr)
    return np.dstack([f[..., 2] - f[..., 1], f[..., 0] - f[..., 1]])


def log_colour(bgr: cv2.typing.MatLike) -> Float:
    """(h, w, 3) log of colour: light, which multiplies, becomes something to subtract. 12 keeps dark noise small."""
    return np.asarray(np.log(bgr.astype(np.float32) + 12.0), np.float32)


@dataclass(frozen=True, eq=False)
class Template:
    """One face at `PX_PER_MM`."""

    face: Face
    luma: Float
    """(h, w) normalised."""
    coarse: Float
    """(h/2, w/2) normalised, half resolution, for naming."""
    hue: Float
    """(h/4, w/4, 2) chroma, quarter resolution."""
    guide: NDArray[np.uint8]
    """(h, w) uint8 of `luma` for optical flow."""
    log_bgr: Float
    """(h, w, 3) log of the colour, for predicting what a lit patch looks like."""
    points: Float
    """(n, 2) px at this resolution: corners worth following."""
    shape_id: int
    """Templates with the same number have the same physical size."""

    @property
    def size_mm(self) -> tuple[float, float]:
        return self.face.width_mm, self.face.height_mm


def as_guide(luma: Float) -> NDArray[np.uint8]:
    """Normalised luma to the 8 bits that OpenCV's optical flow wants."""
    return np.asarray(np.clip(luma * 40.0 + 128.0, 0, 255), np.uint8)


def rect_size(width_mm: float, height_mm: float) -> tuple[int, int]:
    """(w, h) px of a rectified face; multiples of 4, so that the coarser levels divide."""
    return 4 * round(width_mm * PX_PER_MM / 4), 4 * round(height_mm * PX_PER_MM / 4)


def make_template(face: Face, shape_id: int, blur_px: float = DEFAULT_BLUR_PX) -> Template:
    w, h = rect_size(face.width_mm, face.height_mm)
    small = cv2.resize(face.picture, (w, h), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), blur_px)
    luma = normalise(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY))
    guide = as_guide(luma)
    mask = np.zeros((h, w), np.uint8)
    m = round(EDGE_MARGIN_MM * PX_PER_MM)
    mask[m : h - m, m : w - m] = 255
    corners = cv2.goodFeaturesToTrack(guide, POINTS_PER_FACE, 0.02, 6, mask=mask, blockSize=7)
    # OpenCV's stubs do not know that it may find none.
    points = np.zeros((0, 2), np.float32) if corners is None else np.asarray(corners.reshape(-1, 2), np.float32)
    return Template(
        face=face,
        luma=luma,
        coarse=np.asarray(cv2.resize(luma, (w // 2, h // 2), interpolation=cv2.INTER_AREA), np.float32),
        hue=np.asarray(cv2.resize(chroma(small), (w // 4, h // 4), interpolation=cv2.INTER_AREA), np.float32),
        guide=guide,
        log_bgr=log_colour(small),
        points=points,
        shape_id=shape_id,
    )


class FaceBank:
    """All templates of a deck, and stacks of them by physical size for comparing a patch with every face at once."""

    def __init__(self, deck: Deck) -> None:
        self.deck = deck
        sizes: list[tuple[float, float]] = []
        self.templates: list[Template] = []
        for face in deck.faces:
            size = (face.width_mm, face.height_mm)
            if size not in sizes:
                sizes.append(size)
            self.templates.append(make_template(face, sizes.index(size)))
        self.sizes = sizes
        self.by_size: list[list[int]] = [
            [i for i, t in enumerate(self.templates) if t.shape_id == k] for k in range(len(sizes))
        ]
