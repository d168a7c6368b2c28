"""What lies where on the tiles of a deck: the game says what there is, the deck's pictures say where it ends."""

from __future__ import annotations

from collections.abc import Iterable

import cv2
import numpy as np

from rules.carcassonne.lattice import PREFIX
from rules.carcassonne.maps import LABELS, NOTHING, FeatureMap, sketches
from rules.carcassonne.tiles import TILES
from rules.session import TileFace
from vision.deck import Deck, Face
from vision.growing import Array, grow, learn_looks

MATERIALS = ("Field", "Road", "City", "Monastery", "FlyingMachine", "Garden")
"""Parts of one kind look alike; what belongs to none of them looks like nothing in particular."""
BLUR = 1.5
"""1 sigma, in cells, by which what is sure is softened: roads swerve from the curves that are drawn for them. A road
that swerves by 3 mm is found within 0.5 mm; with 0.8 within 1.5 mm."""


def tile_faces(deck: Deck) -> tuple[TileFace, ...]:
    """The deck's tiles, how many there are of each, and what lies where on them."""
    known = [face for face in deck.faces if face.kind.removeprefix(PREFIX) in TILES]
    priors = {face.kind: _prior(face.kind.removeprefix(PREFIX)) for face in known}
    looks = learn_looks(
        [face.picture for face in known],
        [priors[face.kind] for face in known],
        [_materials(face) for face in known],
    )
    others = (face for face in deck.faces if face.kind.startswith(PREFIX) and face not in known)
    return (
        *(
            TileFace(id=face.id, kind=face.kind, count=face.count, map=_rows(face, priors[face.kind], looks))
            for face in known
        ),
        *(TileFace(id=face.id, kind=face.kind, count=face.count) for face in others),
    )


def _prior(tile: str) -> Array:
    """How likely each part, and last nothing, is at each cell: (parts + 1, n, n)."""
    none = len(TILES[tile].parts)
    drawn = np.array([_numbers(sketch, none) for sketch in sketches(tile)])
    shares = [(drawn == part).mean(axis=0).astype(np.float32) for part in range(none + 1)]
    soft = np.stack([cv2.GaussianBlur(share, (0, 0), BLUR, borderType=cv2.BORDER_REPLICATE) for share in shares])
    prior: Array = soft / soft.sum(axis=0, keepdims=True)
    return prior


def _numbers(sketch: FeatureMap, none: int) -> list[list[int]]:
    return [[none if label == NOTHING else LABELS.index(label) for label in row] for row in sketch.rows]


def _materials(face: Face) -> tuple[int, ...]:
    parts = TILES[face.kind.removeprefix(PREFIX)].parts
    return (*(MATERIALS.index(part.kind) for part in parts), -1)


def _rows(face: Face, prior: Array, looks: Array) -> tuple[str, ...]:
    names = LABELS[: len(prior) - 1] + NOTHING
    labels: Iterable[Iterable[int]] = grow(face.picture, prior, _materials(face), looks).tolist()
    return tuple("".join(names[label] for label in row) for row in labels)
