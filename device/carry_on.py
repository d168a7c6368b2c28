"""Going on with a game after a restart: the new observer's pieces get the ids they had before.

An observer begins with an empty mind and calls the first card it finds `p1`. The referee knows a `p1` already, another
one perhaps. So what is seen is matched with what lay there when the game was left: the same face at the same place is
the same piece, and so is, wherever it lies, a face of which the deck has only one. Everything else gets a new id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from device.table import Observation, Observer
from vision.assign import assign
from vision.deck import Deck, Picture
from vision.frame import Frame
from vision.scene import UNKNOWN, Piece, Scene

SAME_PLACE_MM = 25.0
"""A piece of the same face this near is the one that lay there: a card laid legally beside it would be 10 mm clear of
its edge, so its middle is at least 69 mm away; a nudge moves a card by less than this."""


@dataclass(frozen=True, eq=False)
class Renamed:
    """An observation whose pieces carry the ids of the game."""

    scene: Scene
    picture: Picture


class CarryOn:
    """An observer that goes on where `scenes`, those of the game so far, end."""

    def __init__(self, observer: Observer, deck: Deck, scenes: Sequence[Scene]) -> None:
        self._observer = observer
        kinds = [face.kind for face in deck.faces for _ in range(face.count)]
        self._single = {kind for kind in kinds if kinds.count(kind) == 1 and kind != "back"}
        self._known = {p.id: p for scene in scenes for p in scene.pieces}
        self._lying = {p.id for p in scenes[-1].pieces} if scenes else set()
        self._names: dict[str, str] = {}
        self._next = 1 + max((_number(name) for name in self._known), default=0)

    @property
    def moving(self) -> bool:
        return self._observer.moving

    @property
    def status(self) -> str:
        return self._observer.status

    def look(self, frame: Frame) -> Observation | None:
        return self._renamed(self._observer.look(frame))

    def finish(self) -> Observation | None:
        return self._renamed(self._observer.finish())

    def _renamed(self, seen: Observation | None) -> Observation | None:
        if seen is None:
            return None
        scene = seen.scene
        self._name([p for p in scene.pieces if p.id not in self._names])
        names = self._names
        return Renamed(
            msgspec.structs.replace(
                scene,
                pieces=tuple(msgspec.structs.replace(p, id=names[p.id]) for p in scene.pieces),
                gaps=tuple(msgspec.structs.replace(g, a=names[g.a], b=names[g.b]) for g in scene.gaps),
                overlaps=tuple(
                    msgspec.structs.replace(o, over=names[o.over], under=names[o.under]) for o in scene.overlaps
                ),
            ),
            seen.picture,
        )

    def _name(self, new: list[Piece]) -> None:
        """Gives every new piece the id it had, or one that nothing had."""
        taken = set(self._names.values())
        old = [p for p in self._known.values() if p.id not in taken]
        for i, j in _pairs([[self._cost(a, b) for b in old] for a in new]):
            self._names[new[i].id] = old[j].id
        for piece in new:
            if piece.id not in self._names:
                self._names[piece.id] = f"p{self._next}"
                self._next += 1

    def _cost(self, new: Piece, old: Piece) -> float | None:
        """Millimetres between them if they may be the same piece, those that lay there last before all others."""
        apart = float(np.linalg.norm(np.mean(new.outline_mm, axis=0) - np.mean(old.outline_mm, axis=0)))
        same_face = new.face == old.face and new.face != UNKNOWN
        here = old.id in self._lying and apart < SAME_PLACE_MM and (same_face or UNKNOWN in (new.face, old.face))
        if here:
            return apart
        return 1000.0 + apart if same_face and new.face in self._single else None


def _pairs(costs: Sequence[Sequence[float | None]]) -> Iterable[tuple[int, int]]:
    """The cheapest one-to-one pairing; None forbids a pair."""
    if not costs or not costs[0]:
        return []
    forbidden = 1e9
    table = np.array([[forbidden if c is None else c for c in row] for row in costs])
    rows, columns = assign(table)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if table[i, j] < forbidden]


def _number(name: str) -> int:
    digits = name.removeprefix("p")
    return int(digits) if digits.isdecimal() else 0
