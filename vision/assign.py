"""Who goes with whom at the least cost: the linear assignment problem, for the few dozen pieces of a table.

`scipy.optimize.linear_sum_assignment` gives the same answers, ties included, but importing it takes 47 MB of memory and
half a second on a desktop: that is a sixth of what live play may take. Source: Crouse, On implementing 2D rectangular
assignment algorithms, IEEE Transactions on Aerospace and Electronic Systems 52 (2016), the shortest augmenting path.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


def assign(cost: Floats) -> tuple[Indices, Indices]:
    """Rows, in order, and the column of each, so that the sum of cost[row, column] is least.

    cost: (n, m) finite numbers, or inf for what must not be; the shorter side is assigned wholly. Raises `ValueError`
    where that cannot be done or a number is NaN or -inf.
    """
    cost = np.asarray(cost, np.float64)
    if np.isnan(cost).any() or (cost == -np.inf).any():
        raise ValueError("a cost is no number")
    if cost.shape[0] > cost.shape[1]:
        columns, rows = assign(np.ascontiguousarray(cost.T))
        order = np.argsort(rows, kind="stable")
        return rows[order], columns[order]
    found = _columns(cost)
    return np.arange(len(found)), found


def _columns(cost: Floats) -> Indices:
    """The column of each row; there are at least as many columns as rows."""
    n, m = cost.shape
    u, v = np.zeros(n), np.zeros(m)
    """Prices of rows and columns: what an assigned pair costs, no pair costs less."""
    row_of = np.full(m, -1)
    column_of = np.full(n, -1)
    for row in range(n):
        path = np.full(m, -1)
        length = np.full(m, np.inf)
        left = np.arange(m)[::-1].copy()
        seen_rows, seen_columns = [], []
        least, i, end = 0.0, row, -1
        while end < 0:
            seen_rows.append(i)
            through = least + cost[i, left] - u[i] - v[left]
            better = through < length[left]
            path[left[better]] = i
            length[left[better]] = through[better]
            ends = length[left]
            least = float(ends.min())
            if least == np.inf:
                raise ValueError("not everything can be assigned")
            best = np.flatnonzero(ends == least)
            free = best[row_of[left[best]] < 0]
            at = int(free[-1] if len(free) else best[0])
            j = int(left[at])
            seen_columns.append(j)
            end, i = (j, i) if row_of[j] < 0 else (-1, int(row_of[j]))
            left[at] = left[-1]
            left = left[:-1]
        u[row] += least
        for i in seen_rows[1:]:
            u[i] += least - length[column_of[i]]
        v[seen_columns] -= least - length[seen_columns]
        j = end
        while True:
            i = int(path[j])
            row_of[j] = i
            column_of[i], j = j, int(column_of[i])
            if i == row:
                break
    return column_of
