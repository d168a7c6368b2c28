"""What a hand of cards is worth at the end, with the best use of its lamps (rules 1.7), exactly.

The lamps are spread over deserts, treasures, bazaars and adventures in every way there is; each part is then worth its
exact best. No ladder or pair value that a table may agree on breaks this, convex or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from rules.carpets.cards import ADVENTURES, BAZAARS
from rules.carpets.house_rules import HouseRules

TREASURE_POINTS = 3
DESERT_POINTS = -5
LAMP = "lamp"

AdventureSet = tuple[tuple[int, ...], int]
"""Letters (indices into `ADVENTURES`) of the real cards of one set, and its number of lamps."""


@dataclass(frozen=True)
class Line:
    """Cards that made points together; `lamps` of `faces` stand for other cards or cancel one."""

    points: int
    reason: str
    """`bazaar`, `adventures`, `treasure`, `desert`, `desert_cancelled`, `lamp_treasure`, `single`, `lamp`, `other`."""
    faces: tuple[str, ...]


def final_score(cards: Iterable[str], rules: HouseRules) -> int:
    """Rules 1.7: points of these cards at the end of the game.

    >>> final_score(["bazaar.spice", "lamp"], HouseRules())
    5
    """
    return _best(_counts(cards), _Values.of(rules))[0]


def breakdown(cards: Iterable[str], rules: HouseRules) -> tuple[Line, ...]:
    """Which cards make which points; the lines' points sum up to `final_score`, their faces are the cards."""
    cards = tuple(cards)
    counts, values = _counts(cards), _Values.of(rules)
    _, spread = _best(counts, values)
    lines: list[Line] = []
    for kind, lamps in zip(BAZAARS, spread.bazaars, strict=True):
        lines += _bazaar_lines(kind, counts.bazaars[BAZAARS.index(kind)], lamps, values)
    _, sets = _adventures(_sorted(counts.adventures)[0], spread.adventures, values)
    letters = _sorted(counts.adventures)[1]
    for real, lamps in sets:
        faces = tuple(ADVENTURES[letters[i]] for i in real) + (LAMP,) * lamps
        lines.append(Line(values.ladder[len(faces) - 1], "adventures", faces))
    lines += [Line(TREASURE_POINTS, "treasure", ("treasure",))] * counts.treasures
    lines += [Line(TREASURE_POINTS, "lamp_treasure", (LAMP,))] * spread.treasures
    lines += [Line(0, "desert_cancelled", ("desert", LAMP))] * spread.deserts
    lines += [Line(DESERT_POINTS, "desert", ("desert",))] * (counts.deserts - spread.deserts)
    lines += [Line(0, "lamp", (LAMP,))] * (counts.lamps - spread.used)
    lines += [Line(0, "other", (face,)) for face in cards if face not in _COUNTED]
    return tuple(lines)


@dataclass(frozen=True)
class _Counts:
    bazaars: tuple[int, ...]
    adventures: tuple[int, ...]
    treasures: int
    deserts: int
    lamps: int


@dataclass(frozen=True)
class _Values:
    pairs: tuple[int, ...]
    ladder: tuple[int, ...]
    lamp_as_treasure: bool
    joker_only: bool

    @classmethod
    def of(cls, rules: HouseRules) -> _Values:
        pairs = tuple(rules.bazaar_values[kind.partition(".")[2]] for kind in BAZAARS)
        return cls(pairs, tuple(rules.adventure_ladder), rules.lamp_as_treasure, rules.joker_only_sets)


@dataclass(frozen=True)
class _Spread:
    """Lamps used for each purpose."""

    bazaars: tuple[int, ...]
    adventures: int
    treasures: int
    deserts: int

    @property
    def used(self) -> int:
        return sum(self.bazaars) + self.adventures + self.treasures + self.deserts


_COUNTED = frozenset((*BAZAARS, *ADVENTURES, "treasure", "desert", LAMP))


def _counts(cards: Iterable[str]) -> _Counts:
    n = Counter(cards)
    return _Counts(
        tuple(n[kind] for kind in BAZAARS), tuple(n[kind] for kind in ADVENTURES), n["treasure"], n["desert"], n[LAMP]
    )


@lru_cache(maxsize=4096)
def _best(counts: _Counts, values: _Values) -> tuple[int, _Spread]:
    """The most points, and the first of the spreads of lamps (fewest lamps first) that gives them."""
    best: tuple[int, int, _Spread] | None = None
    adventures = _sorted(counts.adventures)[0]
    for spread in _spreads(counts, values):
        points = (
            sum(
                _pairs(real, lamps, values) * value
                for real, lamps, value in zip(counts.bazaars, spread.bazaars, values.pairs, strict=True)
            )
            + _adventures(adventures, spread.adventures, values)[0]
            + TREASURE_POINTS * (counts.treasures + spread.treasures)
            + DESERT_POINTS * (counts.deserts - spread.deserts)
        )
        if best is None or (points, -spread.used) > best[:2]:
            best = points, -spread.used, spread
    assert best is not None
    return best[0], best[2]


def _spreads(counts: _Counts, values: _Values) -> list[_Spread]:
    """Every way to use up to all lamps (rules 1.7): at most 210 for the four of the deck."""
    lamps = counts.lamps
    return [
        _Spread((spice, carpet, camel), adventures, treasures, deserts)
        for deserts in range(min(lamps, counts.deserts) + 1)
        for treasures in range(lamps - deserts + 1 if values.lamp_as_treasure else 1)
        for adventures in range(lamps - deserts - treasures + 1)
        for spice in range(lamps - deserts - treasures - adventures + 1)
        for carpet in range(lamps - deserts - treasures - adventures - spice + 1)
        for camel in range(lamps - deserts - treasures - adventures - spice - carpet + 1)
    ]


def _pairs(real: int, lamps: int, values: _Values) -> int:
    """Pairs of one bazaar; each holds a real card unless `joker_only_sets`."""
    pairs = (real + lamps) // 2
    return pairs if values.joker_only else min(pairs, real)


def _bazaar_lines(kind: str, real: int, lamps: int, values: _Values) -> list[Line]:
    value = values.pairs[BAZAARS.index(kind)]
    pairs = _pairs(real, lamps, values)
    # Lamps stand beside real cards first, so that a pair of lamps only comes about when no real card is left.
    deck = [kind] * real
    jokers = [LAMP] * lamps
    lines = []
    for left in range(pairs, 0, -1):
        mixed = jokers and deck and len(deck) < 2 * left
        pair = [deck.pop(), jokers.pop()] if mixed else [deck.pop(), deck.pop()] if len(deck) > 1 else jokers[:2]
        if pair == [LAMP, LAMP]:
            jokers = jokers[2:]
        lines.append(Line(value, "bazaar", tuple(pair)))
    lines += [Line(0, "single", (kind,)) for _ in deck]
    lines += [Line(0, "lamp", (LAMP,)) for _ in jokers]
    return lines


def _sorted(adventures: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Counts from the most to the fewest, and which letter each belongs to."""
    order = sorted(range(len(adventures)), key=lambda i: (-adventures[i], i))
    return tuple(adventures[i] for i in order), tuple(order)


@lru_cache(maxsize=16384)
def _adventures(counts: tuple[int, ...], lamps: int, values: _Values) -> tuple[int, tuple[AdventureSet, ...]]:
    """Best split of all real adventures and up to `lamps` lamps into sets of different letters (rules 1.7).

    The first letter still there belongs to some set: every such set is tried, then the rest is split at its best.
    """
    first = next((i for i, n in enumerate(counts) if n), None)
    if first is None:
        return _joker_sets(lamps, values)
    best: tuple[int, tuple[AdventureSet, ...]] | None = None
    others = [i for i in range(first + 1, len(counts)) if counts[i]]
    for mask in range(1 << len(others)):
        real = (first, *(i for k, i in enumerate(others) if mask >> k & 1))
        rest = tuple(n - (i in real) for i, n in enumerate(counts))
        for jokers in range(min(lamps, len(counts) - len(real)) + 1):
            points, sets = _adventures(rest, lamps - jokers, values)
            points += values.ladder[len(real) + jokers - 1]
            if best is None or points > best[0]:
                best = points, ((real, jokers), *sets)
    assert best is not None
    return best


def _joker_sets(lamps: int, values: _Values) -> tuple[int, tuple[AdventureSet, ...]]:
    """Sets of lamps alone: none unless `joker_only_sets`; lamps may stay unused."""
    best: tuple[int, tuple[AdventureSet, ...]] = (0, ())
    if values.joker_only:
        for size in range(1, min(lamps, len(values.ladder)) + 1):
            points, sets = _joker_sets(lamps - size, values)
            if points + values.ladder[size - 1] > best[0]:
                best = points + values.ladder[size - 1], (((), size), *sets)
    return best
