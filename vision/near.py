"""Which points lie near each other, by a grid: what a k-d tree gives, without the 37 MB that scipy.spatial takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

AT_ONCE = 100_000
"""Pairs that are looked at together: some 10 MB."""


def near_pairs(points: Floats, reach: float, longest_side: bool = False) -> tuple[Indices, Indices]:
    """All pairs (i, j) of points (n, d >= 2) no farther apart than `reach`, every point with itself and every pair both
    ways, ordered by i and then j. Distances are Euclidean or, with `longest_side`, the largest along any axis.

    The grid is over the first two coordinates.
    """
    if len(points) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    cell = np.floor((points[:, :2] - points[:, :2].min(0)) / reach).astype(np.int64)
    rows = int(cell[:, 1].max()) + 3  # with an empty cell at either end of a column
    key = cell[:, 0] * rows + cell[:, 1] + 1
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    # The three cells of a neighbouring column follow each other.
    columns = key[:, None] + np.array([-rows, 0, rows])
    first = np.searchsorted(ordered, columns - 1, "left")
    count = np.searchsorted(ordered, columns + 1, "right") - first
    upto = np.cumsum(count.sum(1))
    found_i, found_j = [], []
    begin = 0
    while begin < len(points):
        before = int(upto[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(upto, before + AT_ONCE, "right")))
        n, start = count[begin:end].ravel(), first[begin:end].ravel()
        i = np.repeat(np.repeat(np.arange(begin, end), 3), n)
        j = order[np.arange(len(i)) + np.repeat(start - np.cumsum(n) + n, n)]
        away = points[i] - points[j]
        close = np.abs(away).max(1) <= reach if longest_side else (away**2).sum(1) <= reach**2
        i, j = i[close], j[close]
        by = np.lexsort((j, i))
        found_i.append(i[by])
        found_j.append(j[by])
        begin = end
    return np.concatenate(found_i), np.concatenate(found_j)
