"""Whether `rules.carpets` scores as the naive scorer does: `python -m tests.oracles.carpets_agree 10000 [first seed]`.

Each seed gives a hand out of the real deck, some options that differ from the defaults, and the palaces and lamps of
some players at the end of a round.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable
from typing import Any

from rules.carpets.cards import DESTINATIONS
from rules.carpets.house_rules import HouseRules
from rules.carpets.palaces import palace_points
from rules.carpets.scoring import breakdown, final_score
from tests.oracles import carpets_score as oracle

LADDERS = ((1, 3, 6, 10, 15), (1, 3, 6, 10, 15), (1, 4, 5, 6, 7), (2, 2, 2, 9, 9), (0, 0, 10, 10, 30), (5, 6, 7, 8, 9))
"""As printed, and some that make small sets better, or middle ones."""


def compare(seeds: Iterable[int]) -> list[str]:
    """What the two sides differ in, a line each."""
    return [f"seed {seed}, {found}" for seed in seeds for found in _compare(random.Random(seed))]


def _compare(dice: random.Random) -> list[str]:
    rules: dict[str, Any] = {
        "lamp_as_treasure": dice.random() < 0.5,
        "joker_only_sets": dice.random() < 0.5,
        "adventure_ladder": dice.choice(LADDERS),
        "palace_all_equal": dice.choice(("both", "none")),
    }
    if dice.random() < 0.5:
        rules["bazaar_values"] = {kind: dice.randint(0, 12) for kind in oracle.BAZAAR_VALUES}
    house_rules = HouseRules.of(rules)
    deck = [kind for kind, count in DESTINATIONS.items() for _ in range(count)]
    hand = dice.sample(deck, dice.randint(0, 16))
    # lamps make the sum hard: often more of them than chance would give
    hand += ["lamp"] * dice.choice((0, 0, DESTINATIONS["lamp"] - hand.count("lamp")))

    found = []
    want, got = oracle.final_score(hand, rules), final_score(hand, house_rules)
    told = sum(line.points for line in breakdown(hand, house_rules))
    if not want == got == told:
        found.append(f"{sorted(hand)} with {rules}: oracle {want}, engine {got}, its lines {told}")

    palaces = {player: dice.randint(0, 3) for player in range(1, dice.randint(2, 4) + 1)}
    lamps = {player: dice.choice((0, 0, 1, 2)) for player in palaces}
    due = oracle.palace_points(
        {str(player): count for player, count in palaces.items()},
        {str(player): count for player, count in lamps.items()},
        rules,
    )
    paid = palace_points(palaces, lamps, house_rules)
    if due != {str(player): points for player, points in paid.items()}:
        found.append(f"palaces {palaces}, lamps {lamps} with {rules}: oracle {due}, engine {paid}")
    return found


def main(arguments: list[str]) -> int:
    count = int(arguments[0]) if arguments else 10_000
    first = int(arguments[1]) if len(arguments) > 1 else 0
    found = compare(range(first, first + count))
    for line in found[:20]:
        print(line)
    print(f"{count} hands; {len(found)} disagreements")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
