"""The assignment of pieces: what scipy's says, ties included."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from vision.assign import assign


def test_it_is_what_scipy_says() -> None:
    rng = np.random.default_rng(5)
    for trial in range(600):
        n, m = rng.integers(0, 12, 2)
        cost = rng.random((n, m)) if trial % 2 else rng.integers(0, 4, (n, m)).astype(float)
        if trial % 3 == 0:
            cost[rng.random((n, m)) < 0.4] = 1e6
        if trial % 5 == 0:
            cost[rng.random((n, m)) < 0.2] = np.inf
        try:
            rows, columns = linear_sum_assignment(cost)
        except ValueError:
            with pytest.raises(ValueError, match="not everything"):
                assign(cost)
            continue
        found = assign(cost)
        assert (found[0].tolist(), found[1].tolist()) == (rows.tolist(), columns.tolist())


def test_what_is_no_number_is_refused() -> None:
    for wrong in (np.nan, -np.inf):
        with pytest.raises(ValueError, match="no number"):
            assign(np.array([[0.0, wrong]]))
