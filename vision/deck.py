"""The deck as seeing needs it: every face's picture and physical size. Reading it from a folder is `device`'s work."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Face:
    """What is printed on one side of a piece."""

    id: str
    """The deck's name of this very picture: `palace_b`."""
    kind: str
    """What the picture stands for: `palace`; several pictures may share a kind."""
    picture: Picture
    """(h, w, 3) uint8, BGR, the whole face edge to edge with sharp corners, upright."""
    width_mm: float
    height_mm: float
    count: int = 1
    """How many such pieces are in the deck."""
    title: str = ""
    piece: str = "card"
    """What bears it: a `card`, or a `tile` that is laid edge to edge with others."""


@dataclass(frozen=True, eq=False)
class Deck:
    """All faces of one game's pieces. The back, where there is one, is the face of kind `back`."""

    name: str
    faces: tuple[Face, ...]
    thickness_mm: float = 0.3
    corner_radius_mm: float = 0.0
    notes: dict[str, str] = field(default_factory=dict)
