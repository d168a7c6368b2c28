"""Duels read from the table: each involved player lays a djinn at his side (rules 1.5, djinn duel)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rules.carpets.djinns import Djinns
from rules.carpets.geometry import apart, centre
from rules.carpets.table import Sight
from rules.session import Side
from vision.scene import Point, Quad, Scene

STIRRED_MM = 20.0
"""A djinn that lay there before counts as revealed when it was moved by more than this."""

CLEARLY_NEARER = 0.75
"""A side is clear when it is nearer than this share of the distance to the next player's side."""


@dataclass(frozen=True)
class Shown:
    """A djinn that was laid for this duel."""

    djinn: int
    piece: str
    player: int | None
    """Whose side it lies at; None when that is not clear."""


@dataclass(frozen=True)
class Reading:
    """What the table says of a duel."""

    shown: tuple[Shown, ...]
    reveals: dict[int, int] | None
    """Player to djinn, when sides and dealt sets leave no doubt."""
    guess: dict[int, int]
    """Player to djinn at its likeliest."""
    missed: bool = False
    """Djinns were laid and taken up again, and not all of them were read."""


class DuelWatch:
    """Follows djinns on the table; which of them are laid for the duel that is being waited for."""

    def __init__(self, sides: Sequence[Side]) -> None:
        self._sides = sides
        self._stale: dict[int, Point | None] = {}
        """Djinns that do not count, and where they lie; None: wherever, until they have left the table once."""
        self._shown: dict[int, Shown] = {}
        """Player to the djinn last seen laid for this duel; it counts even when it was taken up again."""
        self._last: tuple[tuple[int, str], ...] = ()
        self.steady = 0
        """Scenes in a row that showed the same djinns for this duel."""
        self._foreign: set[str] = set()
        """Unread pieces that lay there before any duel."""
        self._everybody = False
        """Each involved player was seen to lay something, read or not."""
        self._empty = 0
        """Scenes in a row without a djinn, since one was laid."""

    def before(self, sight: Sight) -> None:
        """No duel is on: what lies there now was not laid for one."""
        self._stale = {n: centre(piece.outline_mm) for n, piece in sight.djinns.items()}
        self._foreign = {piece.id for piece in sight.unknowns}
        self._begin()

    def settled(self, shown: Sequence[Shown]) -> None:
        """A duel was decided: its djinns change owners, and must be taken up before they count again."""
        self._stale.update({s.djinn: None for s in shown})
        self._begin()

    def _begin(self) -> None:
        self._shown, self._last, self.steady = {}, (), 0
        self._everybody, self._empty = False, 0

    def fresh(self, sight: Sight) -> list[Shown]:
        """Djinns laid since, with the player whose side they lie at."""
        for n in list(self._stale):
            if n not in sight.djinns:
                del self._stale[n]
        found = []
        for n, piece in sorted(sight.djinns.items()):
            here = centre(piece.outline_mm)
            if n in self._stale:
                there = self._stale[n]
                if there is None or apart(here, there) <= STIRRED_MM:
                    continue
                del self._stale[n]
            found.append(Shown(n, piece.id, side_owner(here, sight.scene, self._sides)))
        return found

    def read(self, sight: Sight, involved: Sequence[int], held: Djinns) -> Reading:
        """The reveals as far as the table shows them, checked against what each player may hold."""
        fresh = self.fresh(sight)
        missed = self._missed(sight, fresh, involved)
        shown = self._with_taken_up(fresh)
        now = tuple((s.djinn, s.piece) for s in shown)
        self.steady = self.steady + 1 if now == self._last else 1
        self._last = now
        mine = [s for s in shown if s.player in involved] if len(shown) > len(involved) else shown
        if len(mine) < len(involved):
            guess = {s.player: s.djinn for s in mine if s.player and s.player in involved}
            return Reading(tuple(shown), None, guess, missed)
        ways = _ways(mine, involved)
        fitting = [way for way in ways if held.allow(way)]
        clear = [way for way in fitting if all(s.player is None or way.get(s.player) == s.djinn for s in mine)]
        best = max(ways, key=lambda way: (sum(way.get(s.player or 0) == s.djinn for s in mine), held.allow(way)))
        sure = len(clear) == 1 and len(mine) == len(involved)
        return Reading(tuple(shown), clear[0] if sure else None, best, missed)

    def _missed(self, sight: Sight, fresh: list[Shown], involved: Sequence[int]) -> bool:
        """Was a duel fought that could not be read? Djinns lay there, some unread or missed, and are gone."""
        owners = {s.player for s in fresh}
        for piece in sight.unknowns:
            if piece.id not in self._foreign:
                owners.add(side_owner(centre(piece.outline_mm), sight.scene, self._sides))
        if owners:
            self._everybody = self._everybody or set(involved) <= owners | self._shown.keys()
            self._empty = 0
            return False
        if self._shown or self._everybody:
            self._empty += 1
        return self._empty >= (1 if self._everybody else 2)

    def _with_taken_up(self, fresh: list[Shown]) -> list[Shown]:
        """Adds djinns that were revealed before and are not seen now; a player's newest counts."""
        now = {s.djinn for s in fresh}
        if all(s.player is not None for s in fresh):
            players = {s.player for s in fresh}
            fresh = fresh + [s for p, s in self._shown.items() if p not in players and s.djinn not in now]
        self._shown |= {s.player: s for s in fresh if s.player is not None}
        return sorted(fresh, key=lambda s: s.djinn)


def _ways(shown: Sequence[Shown], involved: Sequence[int]) -> list[dict[int, int]]:
    """Every way to give each involved player one of the djinns."""
    return [
        {player: s.djinn for player, s in zip(involved, chosen, strict=True)}
        for chosen in itertools.permutations(shown, len(involved))
    ]


def side_owner(point: Point, scene: Scene, sides: Sequence[Side]) -> int | None:
    """The player whose side of the table the point lies at; None when that is not clear.

    The sides are those of the picture: the distance to each edge of the view, seen on the table, decides.
    """
    view = scene.view_mm or _bounds(scene)
    away = sorted((_to_edge(point, view, side), player) for player, side in enumerate(sides, 1))
    if len(away) > 1 and away[0][0] > CLEARLY_NEARER * away[1][0]:
        return None
    return away[0][1]


def _bounds(scene: Scene) -> Quad:
    """Where no view is told: the rectangle around all pieces."""
    xs = [x for piece in scene.pieces for x, _ in piece.outline_mm]
    ys = [y for piece in scene.pieces for _, y in piece.outline_mm]
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
    return (left, top), (right, top), (right, bottom), (left, bottom)


_EDGES: Mapping[Side, tuple[int, int]] = {"N": (0, 1), "E": (1, 2), "S": (2, 3), "W": (3, 0)}


def _to_edge(point: Point, view: Quad, side: Side) -> float:
    """Distance to the line along one edge of the view; 0 beyond it."""
    p, q = (view[i] for i in _EDGES[side])
    length = apart(p, q)
    if not length:
        return 0.0
    inside = ((q[0] - p[0]) * (point[1] - p[1]) - (q[1] - p[1]) * (point[0] - p[0])) / length
    return max(0.0, inside)
