"""Identities: an id stays with its piece across hands, throws, pushes and cover."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vision.assign import assign
from vision.facebank import FaceBank
from vision.found import Found, same_place

RETURN_S = 8.0
"""A card that comes back within this time is the one that was lifted; later it may be another copy of its picture."""


@dataclass(eq=False)
class Track:
    """One piece as it is followed."""

    id: str
    found: Found
    seen: float
    """Time it was last measured."""
    model: int = 0
    """How many placements the camera model rested on when it was measured."""
    hidden: bool = False
    """It lies under others, out of sight."""


class Tracker:
    """Gives ids. `live` are on the table, `gone` left it."""

    def __init__(self, bank: FaceBank) -> None:
        self.bank = bank
        self.live: list[Track] = []
        self.gone: list[Track] = []
        self._next = 1

    def update(self, kept: list[tuple[Track, Found, bool]], new: list[Found], t: float) -> None:
        """kept: tracks measured again (with what was found, and whether hidden). new: pieces without a track.

        Tracks that are not kept have moved or left: each takes the new piece that fits it best, by face, then place.
        """
        stay = {id(track) for track, _, _ in kept}
        lost = [track for track in self.live if id(track) not in stay]
        for track, found, hidden in kept:
            track.found, track.hidden = found, hidden
            if not hidden:
                track.seen = t
        assigned = self._assign(lost, new, t)
        live = [track for track, _, _ in kept]
        taken = set()
        for track, j in assigned:
            track.found, track.seen, track.hidden = new[j], t, False
            live.append(track)
            taken.add(j)
        reused = {id(track) for track, _ in assigned}
        self.gone = [g for g in self.gone if id(g) not in reused] + [k for k in lost if id(k) not in reused]
        for j, found in enumerate(new):
            if j not in taken:
                live.append(Track(f"p{self._next}", found, t))
                self._next += 1
        self.live = live

    def _assign(self, lost: list[Track], new: list[Found], t: float) -> list[tuple[Track, int]]:
        candidates = lost + [g for g in self.gone if self._may_return(g, t)]
        if not candidates or not new:
            return []
        far = 1e6
        cost = np.full((len(candidates), len(new)), far)
        for i, track in enumerate(candidates):
            for j, found in enumerate(new):
                same_face = track.found.template == found.template
                away = float(np.hypot(*(track.found.pose[:2] - found.pose[:2])))
                if same_face:
                    # The lost come before the long gone, the near before the far.
                    cost[i, j] = away + (0 if i < len(lost) else 1000)
                elif i < len(lost) and same_place(self.bank, track.found, found.pose, found.template):
                    cost[i, j] = 5000 + away  # turned over, or named better now
        rows, cols = assign(cost)
        return [(candidates[i], int(j)) for i, j in zip(rows, cols, strict=True) if cost[i, j] < far]

    def _may_return(self, track: Track, t: float) -> bool:
        face = self.bank.templates[track.found.template].face
        return (face.count == 1 and face.kind != "back") or t - track.seen < RETURN_S
