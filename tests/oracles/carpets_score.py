"""Fliegende Teppiche a second time, naively, from the rules text alone: what `rules.carpets` must agree with.

Nothing here is clever: a lamp's use is found by trying every use of every lamp, adventures by trying every split into
sets. Written without reading `rules/carpets`; the numbers in the docstrings are the clauses of the rules text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations_with_replacement, product
from typing import Any

BAZAARS = ("bazaar.spice", "bazaar.carpet", "bazaar.camel")
ADVENTURES = tuple(f"adventure.{n}" for n in range(1, 6))
BAZAAR_VALUES = {"spice": 5, "carpet": 6, "camel": 7}
ADVENTURE_LADDER = (1, 3, 6, 10, 15)


# 1.7: the end of the game


def final_score(cards: Iterable[str], house_rules: Mapping[str, Any] | None = None) -> int:
    """Points of a player's cards at the end (1.7), palace points not among them.

    Each lamp cancels a desert, is a joker for any bazaar, any adventure or (option) a treasure, or does nothing; the
    best of all combinations counts.
    """
    rules = dict(house_rules or {})
    held = Counter(cards)
    uses = ["nothing", "cancel", *BAZAARS, *ADVENTURES]
    if rules.get("lamp_as_treasure", True):
        uses.append("treasure")
    return max(_points(held, Counter(use), rules) for use in combinations_with_replacement(uses, held["lamp"]))


def _points(held: Counter[str], lamps: Counter[str], rules: Mapping[str, Any]) -> int:
    """Points when the lamps are used in just this way."""
    pair_value = {**BAZAAR_VALUES, **(rules.get("bazaar_values") or {})}
    ladder = tuple(rules.get("adventure_ladder") or ADVENTURE_LADDER)
    joker_only = bool(rules.get("joker_only_sets", False))

    points = 3 * (held["treasure"] + lamps["treasure"])
    points -= 5 * max(0, held["desert"] - lamps["cancel"])
    for bazaar in BAZAARS:
        points += pairs(held[bazaar], lamps[bazaar], joker_only) * pair_value[bazaar.split(".")[1]]
    real = tuple(held[a] for a in ADVENTURES)
    jokers = tuple(lamps[a] for a in ADVENTURES)
    return points + best_split(real, jokers, ladder, joker_only)


def pairs(real: int, jokers: int, joker_only: bool) -> int:
    """The most pairs of one bazaar: take two cards at a time in every possible way."""
    ways = [0]
    if real >= 2:
        ways.append(1 + pairs(real - 2, jokers, joker_only))
    if real >= 1 and jokers >= 1:
        ways.append(1 + pairs(real - 1, jokers - 1, joker_only))
    if joker_only and jokers >= 2:
        ways.append(1 + pairs(real, jokers - 2, joker_only))
    return max(ways)


@lru_cache(maxsize=200_000)
def best_split(real: tuple[int, ...], jokers: tuple[int, ...], ladder: tuple[int, ...], joker_only: bool) -> int:
    """The best split of adventures into sets of different letters: every set the first card left can be in is tried.

    `real[i]` and `jokers[i]` are how many true cards and how many lamps of letter i are still to be put into sets.
    """
    first = next((i for i in range(len(real)) if real[i] + jokers[i]), None)
    if first is None:
        return 0
    best = None
    # of each letter the set holds no card, a true card, or a lamp; of the first letter it holds one
    choices = []
    for i in range(len(real)):
        choice = [] if i == first else ["none"]
        choice += ["real"] if real[i] else []
        choice += ["joker"] if jokers[i] else []
        choices.append(choice)
    for taken in product(*choices):
        size = sum(what != "none" for what in taken)
        valid = joker_only or "real" in taken
        rest = best_split(
            tuple(n - (what == "real") for n, what in zip(real, taken, strict=True)),
            tuple(n - (what == "joker") for n, what in zip(jokers, taken, strict=True)),
            ladder,
            joker_only,
        )
        points = rest + (ladder[size - 1] if valid else 0)
        best = points if best is None else max(best, points)
    assert best is not None
    return best


# 1.6: the end of a round


def palace_points(
    palaces: Mapping[str, int], lamps_spent: Mapping[str, int], house_rules: Mapping[str, Any] | None = None
) -> dict[str, int]:
    """What each player gets for his palaces at the end of a round: +5 for the most, -5 for the fewest (1.6)."""
    total = {player: palaces[player] + lamps_spent.get(player, 0) for player in palaces}
    most, fewest = max(total.values()), min(total.values())
    if most == fewest and (house_rules or {}).get("palace_all_equal", "both") == "none":
        return dict.fromkeys(palaces, 0)
    return {player: 5 * (n == most) - 5 * (n == fewest) for player, n in total.items()}


# 1.5: the evaluation of a throwing turn


@dataclass
class Flight:
    """What a throwing turn comes to."""

    claimed: dict[str, str] = field(default_factory=dict)
    """Destination -> the one player who must take it."""
    contested: dict[str, set[str]] = field(default_factory=dict)
    """Destination -> the players who duel for it."""
    stays: list[str] = field(default_factory=list)
    """Destinations nobody has a carpet on."""
    no_claim: dict[str, str] = field(default_factory=dict)
    """Carpet -> why it gets nothing: `off_table`, `missed`, `only_under`."""


def claims(
    carpets: Iterable[tuple[str, str]],
    destinations: Iterable[str],
    stacking: Iterable[tuple[str, str]],
    off_table: Iterable[str] = (),
    carpet_over_carpet: str = "counts",
) -> Flight:
    """Who must take what (1.5), from (carpet, owner) and the (over, under) pairs of outlines that overlap."""
    owner = dict(carpets)
    cards = list(destinations)
    pile = set(stacking)
    gone = set(off_table)

    def lies_on(carpet: str, card: str) -> bool:
        if carpet in gone or (carpet, card) not in pile:
            return False
        also_there = [c for c in owner if c != carpet and c not in gone and (c, card) in pile]
        if carpet_over_carpet == "top_only":
            return not any((other, carpet) in pile for other in also_there)
        if carpet_over_carpet == "bottom_only":
            return not any((carpet, other) in pile for other in also_there)
        return True

    flight = Flight()
    for card in cards:
        players = {owner[carpet] for carpet in owner if lies_on(carpet, card)}
        if len(players) == 1:
            flight.claimed[card] = players.pop()
        elif players:
            flight.contested[card] = players
        else:
            flight.stays.append(card)
    for carpet in owner:
        if carpet in gone:
            flight.no_claim[carpet] = "off_table"
        elif not any(lies_on(carpet, card) for card in cards):
            under = any((card, carpet) in pile for card in cards)
            flight.no_claim[carpet] = "only_under" if under else "missed"
    return flight


def duel(revealed: Mapping[str, int], sets: Mapping[str, Iterable[int]]) -> tuple[str, dict[str, set[int]]]:
    """Winner of a djinn duel and everybody's djinns after it (1.5, djinn duel 2 and 3)."""
    new = {player: set(djinns) for player, djinns in sets.items()}
    for player, djinn in revealed.items():
        if djinn not in new[player]:
            raise ValueError(f"{player} does not hold djinn {djinn}")
    winner = max(revealed, key=lambda player: revealed[player])
    loser = min(revealed, key=lambda player: revealed[player])
    new[winner].remove(revealed[winner])
    new[loser].remove(revealed[loser])
    new[winner].add(revealed[loser])
    new[loser].add(revealed[winner])
    return winner, new


def throws_again(left: Iterable[str]) -> bool:
    """Whether another flight follows with these destinations left (1.5, end): at least 4, not all deserts."""
    cards = list(left)
    return len(cards) >= 4 and any(card != "desert" for card in cards)
