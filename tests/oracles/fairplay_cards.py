"""Whether the cards of a Fair Play game can have been as told, exactly: the judge when two sides disagree about it.

Every card drawn gets an unknown for each kind it can be, every card that left a hand one for each draw it can be, and
an integer program is asked whether they fit: each card one kind, each shuffle's cards those that lay in the pile. This
remembers everything, which neither the engine nor the other oracle does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import csr_matrix

from rules.fairplay import Discard, Draw, Mend, Move, Offer, Refuel, Reveal
from tests.oracles.fairplay import CARDS, UNKNOWN

MOST_SECONDS = 1
"""For one question: few are hard, but those take minutes."""


@dataclass
class _Told:
    """The cards' comings and goings. A kind may be unknown; a `player`'s `when` orders what he drew and gave away."""

    drawn: list[tuple[int, int, int, str]] = field(default_factory=list)
    """(player, when, shuffle, kind)"""
    left: list[tuple[int, int, str]] = field(default_factory=list)
    """(player, when, kind) of every card that left a hand."""
    used: list[list[tuple[str, int]]] = field(default_factory=lambda: [[]])
    """Of every shuffle, what was used before the next: (kind, number of the card in `left`, or -1)."""
    truthful: bool = True
    """Whether every card was turned up as what it was told to be."""


def possible(options: dict[str, Any], moves: Iterable[Move]) -> bool | None:
    """Whether there is a deal and a pile with which these moves could be made; None where that is too hard to tell."""
    told = _read(options, moves)
    if not told.truthful:
        return False
    columns: dict[tuple[Any, ...], int] = {}
    rows: list[tuple[dict[int, float], float, float]] = []

    def column(*name: Any) -> int:
        return columns.setdefault(name, len(columns))

    kinds = list(CARDS)
    for d, (_, _, _, known) in enumerate(told.drawn):
        rows.append(({column("drawn", d, kind): 1.0 for kind in kinds if known in (kind, UNKNOWN)}, 1, 1))
    fitting: dict[int, list[int]] = {d: [] for d in range(len(told.drawn))}
    for number, (player, when, known) in enumerate(told.left):
        of = {}
        for d, (owner, then, _, kind) in enumerate(told.drawn):
            if owner == player and then < when and (known == UNKNOWN or kind in (known, UNKNOWN)):
                of[column("same", d, number)] = 1.0
                fitting[d].append(number)
        rows.append((of, 1, 1))
        if known == UNKNOWN:
            rows.append(({column("left", number, kind): 1.0 for kind in kinds}, 1, 1))
    for d, numbers in fitting.items():
        rows.append(({column("same", d, number): 1.0 for number in numbers}, 0, 1))
        for number in numbers:
            known = told.left[number][2]
            for kind in kinds if known == UNKNOWN else [known]:
                drawn = columns.get(("drawn", d, kind))
                same = {column("same", d, number): 1.0}
                if known == UNKNOWN:
                    same[column("left", number, kind)] = 1.0
                # the same card is of the same kind: same + left - drawn <= 1
                rows.append(({**same, **({} if drawn is None else {drawn: -1.0})}, -1, 1.0 * (known == UNKNOWN)))
    last = len(told.used) - 1
    for shuffle in range(last + 1):
        for kind in kinds:
            cards: dict[int, float] = {}
            for d, (_, _, then, _) in enumerate(told.drawn):
                if then == shuffle and ("drawn", d, kind) in columns:
                    cards[columns["drawn", d, kind]] = 1.0
            there = float(CARDS[kind])
            if shuffle:
                used = told.used[shuffle - 1]
                there = float(sum(known == kind for known, _ in used))
                for known, number in used:
                    if known == UNKNOWN:
                        cards[columns["left", number, kind]] = -1.0
            rows.append((cards, -np.inf if shuffle == last else there, there))
    if any(low > 0 and not row for row, low, _ in rows):
        return False
    data = [(i, j, value) for i, (row, _, _) in enumerate(rows) for j, value in row.items()]
    at_row, at_column, values = (np.array(part) for part in zip(*data, strict=True))
    matrix = csr_matrix((values, (at_row, at_column)), shape=(len(rows), len(columns)))
    limits = LinearConstraint(matrix, [low for _, low, _ in rows], [high for _, _, high in rows])
    search = {"time_limit": MOST_SECONDS}
    for whole in (0, 1):  # quick first: what cannot be with halves of cards cannot be at all
        integrality = np.full(len(columns), whole)
        answer = milp(
            np.zeros(len(columns)), constraints=limits, integrality=integrality, bounds=(0, 1), options=search
        )
        if answer.status == 2:
            return False
    return True if answer.status == 0 else None


def _read(options: dict[str, Any], moves: Iterable[Move]) -> _Told:
    told = _Told()
    players = range(1, options["players"] + 1)
    for player in players:
        known = list(options["hands"].get(player, ()))
        told.drawn += [(player, -1, 0, card) for card in (*known, *[UNKNOWN] * (3 - len(known)))]
    pile = sum(CARDS.values()) - 3 * len(players)
    shuffle, panne = 0, dict.fromkeys(players, 0)
    for when, move in enumerate(moves):
        used: list[tuple[str, int]] = []
        match move:
            case Draw():
                if pile == 0:
                    pile = len(told.used[-1])
                    shuffle += 1
                    told.used.append([])
                pile -= 1
                told.drawn.append((move.player, when, shuffle, move.card))
            case Offer():
                told.left.append((move.player, when, move.card))
            case Reveal():
                offerer, then, offered = told.left[-1]
                told.truthful &= offered in (move.card, UNKNOWN)
                told.left[-1] = (offerer, then, move.card)
                if move.card == "card.panne":
                    panne[move.player] += 1
                elif move.card != "card.puncture":
                    used = [(move.card, len(told.left) - 1)]
            case Discard():
                told.left.append((move.player, when, move.card))
                used = [(move.card, len(told.left) - 1)]
            case Mend():
                used = [("card.puncture", -1)]
            case Refuel():
                used = [("card.panne", -1)] * panne[move.player]
                panne[move.player] = 0
        told.used[-1] += used
    return told
