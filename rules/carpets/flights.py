"""Throw order and who claims what (rules 1.4.1, 1.4.4, 1.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from rules.carpets.cards import FEWEST_FOR_A_FLIGHT
from rules.carpets.house_rules import HouseRules
from rules.carpets.moves import Landing

Reason = Literal["off_table", "only_under", "missed", "covered"]


def throw_sequence(players: int, layouter: int, rules: HouseRules) -> tuple[int, ...]:
    """Who throws, throw by throw: the layouter's left first, clockwise, the layouter last (rules 1.4.1, 1.4.4).

    >>> throw_sequence(3, 1, HouseRules()), throw_sequence(2, 1, HouseRules())
    ((2, 3, 1), (2, 1, 2, 1))
    """
    once = tuple((layouter - 1 + step) % players + 1 for step in range(1, players + 1))
    if players > 2:
        return once
    if rules.two_player_throw_order == "both_at_once":
        return once[0], once[0], once[1], once[1]
    return once * 2


@dataclass(frozen=True)
class Verdict:
    """What a flight brings."""

    claims: dict[int, int]
    """Card number to the player who must take it (rules 1.5.2)."""
    contests: dict[int, tuple[int, ...]]
    """Card number to the players who duel for it, in throw order; in the order of the cards' numbers (1.5.4)."""
    empty: dict[str, Reason]
    """Carpets that lie on no destination card, and why (rules 1.5.1)."""
    carpets: dict[int, tuple[str, ...]]
    """Card number to the carpets that count as lying on it."""


def judge(
    landings: Mapping[str, Landing], owners: Mapping[str, int], order: Iterable[int], rules: HouseRules
) -> Verdict:
    """Rules 1.5, steps 1 to 3. `landings` and `owners` by the carpets' colours, `order` as players throw."""
    on: dict[int, list[str]] = {}
    for carpet, landing in landings.items():
        if not landing.off_table:
            for slot in landing.on:
                on.setdefault(slot, []).append(carpet)
    carpets = {slot: _counting(on[slot], landings, rules) for slot in sorted(on)}
    places = {player: place for place, player in reversed(list(enumerate(order)))}
    claims, contests = {}, {}
    for slot, lying in carpets.items():
        players = sorted({owners[carpet] for carpet in lying}, key=lambda player: places[player])
        if len(players) == 1:
            claims[slot] = players[0]
        else:
            contests[slot] = tuple(players)
    counted = {carpet for lying in carpets.values() for carpet in lying}
    empty = {carpet: _why_empty(landing) for carpet, landing in landings.items() if carpet not in counted}
    return Verdict(claims, contests, empty, carpets)


def _counting(lying: list[str], landings: Mapping[str, Landing], rules: HouseRules) -> tuple[str, ...]:
    """The carpets on one card that count (rules 1.5, carpet on carpet; option `carpet_over_carpet`)."""
    if rules.carpet_over_carpet == "top_only":
        return tuple(c for c in lying if not any(c in landings[other].over for other in lying))
    if rules.carpet_over_carpet == "bottom_only":
        return tuple(c for c in lying if not any(other in landings[c].over for other in lying))
    return tuple(lying)


def _why_empty(landing: Landing) -> Reason:
    """Rules 1.5.1; `covered`: it lies on cards, but the option `carpet_over_carpet` lets another count there."""
    if landing.off_table:
        return "off_table"
    if landing.on:
        return "covered"
    return "only_under" if landing.under else "missed"


def flies_again(kinds: Iterable[str], flights: int, rules: HouseRules) -> bool:
    """Rules 1.5: at least 4 cards lie out and they are not all deserts; option `max_throw_turns`."""
    kinds = list(kinds)
    if rules.max_throw_turns is not None and flights >= rules.max_throw_turns:
        return False
    return len(kinds) >= FEWEST_FOR_A_FLIGHT and any(kind != "desert" for kind in kinds)
