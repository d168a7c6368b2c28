"""How much two cut-outs differ: whether they show one face, faces that are hard to tell apart, or plainly two.

Blocks of 10 mm are compared as in naming, on luma freed from light and on hue freed from white balance. What tells a
+1 from a +2 fills one or two blocks, so that the worst block decides and not the mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.cutout import FINE, Cutout
from vision.facebank import Float
from vision.naming import BLOCK, Look, look

SAME_BLOCK, SAME_HUE = 0.15, 0.12
"""Under these, two cut-outs of one camera show the same face. The nearest of 2600 pairs of different scans that are not
of one kind has 0.25 in its worst block or 0.3 in hue; the same face seen twice by one camera has 0.01 to 0.13. Seen by
two cameras, in other light, it may have 1.0: such views are brought together by their name."""

ALIKE_MEAN, ALIKE_HUE = 0.2, 0.5
"""Mean over all blocks and hue under which two views look alike: a person should look whether they are of one face.
The same face in three recordings has up to 0.17 and 0.44; carpets that differ in colour alone have 0.68 and more."""


@dataclass(frozen=True)
class Difference:
    mean: float
    """Of the squared difference of normalised luma."""
    worst: float
    """The same, in the worst block."""
    hue: float
    """Largest difference of hue over 10 mm, log units."""
    turns: int
    """Quarter turns by which the second is to be turned anticlockwise to lie as the first."""

    @property
    def same(self) -> bool:
        return self.worst < SAME_BLOCK and self.hue < SAME_HUE

    @property
    def alike(self) -> bool:
        return self.mean < ALIKE_MEAN and self.hue < ALIKE_HUE


def prepare(cutout: Cutout) -> Look:
    """A cut-out as naming looks at it."""
    height, width = cutout.picture.shape[:2]
    size = round(width / FINE), round(height / FINE)
    picture = cv2.resize(cutout.picture, size, interpolation=cv2.INTER_AREA)
    clear = cv2.resize(cutout.clear.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST) > 0
    return look(np.asarray(picture, np.uint8), clear)


def compare(first: Look, second: Look) -> Difference:
    """Two looks of one size, in whichever way up they are most alike."""
    step = 1 if first.coarse.shape[0] == first.coarse.shape[1] else 2
    return min((_upright(first, second.turned(t), t) for t in range(0, 4, step)), key=lambda d: d.mean)


def _upright(first: Look, second: Look, turns: int) -> Difference:
    usable = first.usable & second.usable
    if usable.mean() < 0.5:
        return Difference(np.inf, np.inf, np.inf, turns)
    a, b = first.coarse, np.ascontiguousarray(second.coarse)
    shift, _ = cv2.phaseCorrelate(a.astype(np.float64), b.astype(np.float64))
    x, y = np.clip(shift, -1, 1)  # half a millimetre either way: outlines are no better known
    moved = cv2.warpAffine(b, np.array([[1, 0, -x], [0, 1, -y]]), a.shape[::-1], borderMode=cv2.BORDER_REPLICATE)
    blocks = _blocks((a - moved - (_smooth(a) - _smooth(np.asarray(moved, np.float32)))) ** 2)
    seen = _blocks(usable.astype(np.float32)) > 0.8
    hue = first.hue - second.hue
    hue = hue - np.median(hue.reshape(-1, 2), axis=0)
    far = np.abs(cv2.blur(hue, (BLOCK // 2, BLOCK // 2))[2:-2, 2:-2])
    return Difference(float(blocks[seen].mean()), float(blocks[seen].max()), float(far.max()), turns)


def _smooth(image: Float) -> Float:
    """Each block's mean at every of its pixels, nearly."""
    return np.asarray(cv2.blur(image, (BLOCK, BLOCK), borderType=cv2.BORDER_REPLICATE), np.float32)


def _blocks(image: Float) -> Float:
    """Means of the blocks of an image, those at the rim left out where they are cut."""
    h, w = image.shape
    rows, cols = h // BLOCK, w // BLOCK
    y, x = (h - rows * BLOCK) // 2, (w - cols * BLOCK) // 2
    part = image[y : y + rows * BLOCK, x : x + cols * BLOCK].reshape(rows, BLOCK, cols, BLOCK)
    return np.asarray(part.mean((1, 3)), np.float32)
