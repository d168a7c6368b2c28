"""One picture of each face, from its views: the best one, what is burnt out there from others, in one white balance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cutout import Cutout
from vision.facebank import log_colour
from vision.sides import View, worth

MARGIN = 0.1
"""Of a face, left out where its colour is measured: the table shines onto its rim."""


def portraits(views: Mapping[str, Sequence[View]]) -> dict[str, Cutout]:
    """The picture of each face. views: by the face's id, all of them upright."""
    white = white_balances(views)
    out = {}
    for face, all_views in views.items():
        best, *others = sorted(all_views, key=worth, reverse=True)
        picture = balanced(best.cutout.picture, white[best.origin])
        clear = best.cutout.clear
        for other in others:
            fill = ~clear & other.cutout.clear
            if fill.any() and other.cutout.picture.shape == picture.shape:
                picture = np.where(fill[..., None], balanced(other.cutout.picture, white[other.origin]), picture)
                clear = clear | fill
        out[face] = Cutout(picture, clear, best.cutout.px_per_mm)
    return out


def white_balances(views: Mapping[str, Sequence[View]]) -> dict[int, NDArray[np.float64]]:
    """(3,) log of what each origin's B, G and R are to be multiplied by, for the same face to have the same hue in all.

    Least squares over the faces that were seen by several; the origin with most views stays as it is, and one that
    shares no face with others, too.
    """
    colours: dict[str, dict[int, NDArray[np.float64]]] = {}
    counts: dict[int, int] = {}
    for face, all_views in views.items():
        for view in all_views:
            counts[view.origin] = counts.get(view.origin, 0) + 1
            colours.setdefault(face, {})[view.origin] = _colour(view.cutout)
    origins = sorted(counts, key=lambda o: -counts[o])
    index = {o: k for k, o in enumerate(origins)}
    rows, values = [], []
    for seen in colours.values():
        for a in seen:
            for b in seen:
                if a < b:
                    row = np.zeros(len(origins))
                    row[index[a]], row[index[b]] = 1.0, -1.0
                    rows.append(row)
                    values.append(seen[b] - seen[a])
    if not rows:
        return {o: np.zeros(3) for o in origins}
    first = np.zeros((1, len(origins)))
    first[0, 0] = 1.0
    gains = np.linalg.lstsq(np.vstack([*rows, first]), np.vstack([*values, np.zeros((1, 3))]), rcond=None)[0]
    return {o: gains[index[o]] for o in origins}


def balanced(picture: NDArray[np.uint8], log_gain: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The picture with its channels multiplied."""
    if not log_gain.any():
        return picture
    return np.asarray(np.clip(np.round(picture * np.exp(log_gain)), 0, 255), np.uint8)


def _colour(cutout: Cutout) -> NDArray[np.float64]:
    """(3,) mean log of B, G and R, less their common brightness."""
    small = cv2.resize(cutout.picture, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    y, x = (round(MARGIN * n) for n in small.shape[:2])
    mean = log_colour(small[y : small.shape[0] - y, x : small.shape[1] - x]).reshape(-1, 3).mean(0).astype(np.float64)
    return np.asarray(mean - mean.mean(), np.float64)
