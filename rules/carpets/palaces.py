"""Palaces at the end of a round, and the lamps spent on them (rules 1.6.1 to 1.6.4)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from rules.carpets.house_rules import HouseRules

MOST_POINTS = 5
FEWEST_POINTS = -5


def palace_points(counts: Mapping[int, int], lamps: Mapping[int, int], rules: HouseRules) -> dict[int, int]:
    """Points of each player from his palaces and the lamps he spends.

    >>> palace_points({1: 2, 2: 0, 3: 1}, {3: 1}, HouseRules())
    {1: 5, 2: -5, 3: 5}
    """
    totals = {player: n + lamps.get(player, 0) for player, n in counts.items()}
    most, fewest = max(totals.values()), min(totals.values())
    if most == fewest and rules.palace_all_equal == "none":  # 1.6.3
        return dict.fromkeys(totals, 0)
    return {
        player: MOST_POINTS * (n == most) + FEWEST_POINTS * (n == fewest)  # 1.6.2
        for player, n in totals.items()
    }


def lamp_order(players: int, layouter: int) -> tuple[int, ...]:
    """Rules 1.6.4: clockwise from the layouter's left, the layouter last."""
    return tuple((layouter - 1 + step) % players + 1 for step in range(1, players + 1))


def lamps_matter(counts: Mapping[int, int], lamps: Mapping[int, int], player: int, rules: HouseRules) -> bool:
    """Can the lamps of `player` change his own points, whatever the others (still) spend?

    `lamps`: how many each player may still spend; what was spent already is part of `counts`.
    """
    others: Sequence[int] = [p for p in counts if p != player and lamps.get(p)]
    for spent in itertools.product(*(range(lamps[p] + 1) for p in others)):
        known = dict(zip(others, spent, strict=True))
        without = palace_points(counts, known, rules)[player]
        if any(
            palace_points(counts, known | {player: n}, rules)[player] != without
            for n in range(1, lamps.get(player, 0) + 1)
        ):
            return True
    return False
