"""From stills to sides: everything between a picture of cards and faces that wait for their names."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from vision.cutout import Cutout, cut_size
from vision.frame import Image
from vision.sides import Laid, View, views_of
from vision.unnamed import find_unnamed


def views_in(
    stills: Sequence[Image], times: Sequence[float], sizes: Sequence[tuple[float, float]], origin: int
) -> list[Laid]:
    """What lay there in pictures (h, w, 3) BGR of one camera that did not move; sizes: width, height, mm."""
    seen = find_unnamed(stills, sizes)
    return [] if seen is None else views_of(stills, times, seen, sizes, origin)


def whole_face(picture: Image, shape: int, sizes: Sequence[tuple[float, float]], origin: int) -> Laid:
    """A scan, (h, w, 3) BGR, of one face from edge to edge; lying on its side it is stood up."""
    width, height = sizes[shape]
    if (picture.shape[1] > picture.shape[0]) != (width > height) and width != height:
        picture = np.ascontiguousarray(np.rot90(picture))
    size = cut_size(sizes[shape])
    finer = picture.shape[1] > size[0]
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA if finer else cv2.INTER_CUBIC)
    cutout = Cutout(np.asarray(small, np.uint8), np.ones(small.shape[:2], np.bool_), picture.shape[1] / width)
    return Laid(shape, View(cutout, origin, 0.0), frozenset({0}))
