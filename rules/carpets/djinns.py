"""Who may hold which djinn: dealt sets, reveals and swaps (rules 1.2.2, 1.5 djinn duel).

The sets lie face down. What the table shows of them is kept as the set of all worlds (one set of djinns for each
player) that agree with everything revealed so far.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rules.carpets.cards import DJINN_SETS, DJINNS

World = tuple[frozenset[int], ...]
"""The djinns of players 1, 2, ... in this order."""


@dataclass(frozen=True)
class Djinns:
    """What is known of the players' djinns. `worlds` None: nothing at all, they did not keep to the dealt sets."""

    worlds: frozenset[World] | None

    @classmethod
    def dealt(cls, players: int, told: Mapping[int, Iterable[int]] | None = None) -> Djinns:
        """Rules 1.2.2: the sets are dealt at random as sets; `told`: the sets some players named.

        Raises ValueError when what was told is no dealing of this number of players.
        """
        known = {player: frozenset(djinns) for player, djinns in (told or {}).items() if djinns}
        worlds = frozenset(
            world
            for world in itertools.permutations(DJINN_SETS[players])
            if all(world[player - 1] == djinns for player, djinns in known.items())
        )
        if not worlds:
            sets = ", ".join("+".join(map(str, sorted(s, reverse=True))) for s in DJINN_SETS[players])
            raise ValueError(f"no dealing of {players} players gives those djinns; the sets are {sets}")
        return cls(worlds)

    def of(self, player: int) -> frozenset[int]:
        """Every djinn the player may hold."""
        if self.worlds is None:
            return frozenset(DJINNS)
        return frozenset(djinn for world in self.worlds for djinn in world[player - 1])

    def certain(self, player: int) -> frozenset[int]:
        """The djinns the player holds in every world."""
        if not self.worlds:
            return frozenset()
        return frozenset.intersection(*(world[player - 1] for world in self.worlds))

    def allow(self, reveals: Mapping[int, int]) -> bool:
        """Can these players (number to djinn) hold these djinns all at once?"""
        if len(set(reveals.values())) != len(reveals):
            return False
        if self.worlds is None:
            return True
        return any(all(d in world[p - 1] for p, d in reveals.items()) for world in self.worlds)

    def duels(self, involved: Sequence[int]) -> list[dict[int, int]]:
        """Every set of djinns that these players may reveal together."""
        choices: set[tuple[int, ...]]
        if self.worlds is None:
            choices = set(itertools.permutations(DJINNS, len(involved)))
        else:
            choices = {c for world in self.worlds for c in itertools.product(*(world[p - 1] for p in involved))}
        return [dict(zip(involved, choice, strict=True)) for choice in sorted(choices)]

    def chance(self, involved: Sequence[int], reveals: Mapping[int, int]) -> dict[int, float]:
        """Chance of each involved player to win when the rest of the djinns is picked blindly."""
        fitting = [d for d in self.duels(involved) if all(d[p] == n for p, n in reveals.items() if p in d)]
        wins = dict.fromkeys(involved, 0.0)
        for duel in fitting:
            wins[max(duel, key=lambda p: duel[p])] += 1 / len(fitting)
        return wins

    def after(self, involved: Sequence[int], winner: int, reveals: Mapping[int, int]) -> Djinns:
        """Rules 1.5, duel 2 and 3: the highest won; his djinn and the lowest change owners.

        `reveals` may be partial or empty (only the winner is known). When no world agrees, nothing is known any more.
        """
        if self.worlds is None:
            return self
        worlds: set[World] = set()
        for world in self.worlds:
            for choice in itertools.product(*(world[p - 1] for p in involved)):
                shown = dict(zip(involved, choice, strict=True))
                if max(shown, key=lambda p: shown[p]) == winner and all(shown.get(p) == d for p, d in reveals.items()):
                    worlds.add(_swap(world, shown, winner))
        return Djinns(frozenset(worlds) or None)


def winner_of(reveals: Mapping[int, int]) -> int:
    """Rules 1.5, duel 2: highest takes the card; numbers are unique."""
    return max(reveals, key=lambda player: reveals[player])


def _swap(world: World, shown: Mapping[int, int], winner: int) -> World:
    """Rules 1.5, duel 3 and 4: the winner's and the lowest djinn change owners; sets keep their sizes."""
    loser = min(shown, key=lambda player: shown[player])
    high, low = shown[winner], shown[loser]
    hands = list(world)
    hands[winner - 1] = hands[winner - 1] - {high} | {low}
    hands[loser - 1] = hands[loser - 1] - {low} | {high}
    return tuple(hands)
