"""What Kibitz takes to lie where on a tile of Carcassonne, as a picture to lay over the tile's own."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from rules.carcassonne.lattice import PREFIX
from rules.carcassonne.maps import LABELS, NOTHING, SIZE, FeatureMap, plain
from rules.carcassonne.tiles import TILES
from rules.session import TileFace

SCALE = 6
"""Pixels to a cell of the map."""
COLOURS = {
    "Field": (96, 214, 122),
    "Road": (245, 245, 255),
    "City": (60, 120, 232),
    "Monastery": (196, 92, 178),
    "Garden": (190, 200, 80),
    "FlyingMachine": (232, 164, 64),
}
"""BGR by kind of feature; `board.css` has the same for the legend."""
OPACITY, LINE_OPACITY = 120, 230
LINE = (20, 14, 10)
"""Between parts, also of one kind: two fields that a road parts are two."""


def feature_picture(tiles: Sequence[TileFace], name: str) -> bytes | None:
    """PNG with transparency, upright as the deck's own picture of the face `name` (an id or a kind); None when the
    deck has no such tile."""
    face = next((t for t in tiles if t.id == name), None) or next((t for t in tiles if t.kind == name), None)
    if face is None or face.kind.removeprefix(PREFIX) not in TILES:
        return None
    tile = face.kind.removeprefix(PREFIX)
    rows = (FeatureMap(face.map) if face.map else plain(tile)).rows
    parts = np.array([[-1 if label == NOTHING else LABELS.index(label) for label in row] for row in rows])
    colours = np.zeros((len(TILES[tile].parts) + 1, 4), np.uint8)  # the last, -1: nothing
    for number, part in enumerate(TILES[tile].parts):
        colours[number] = (*COLOURS[part.kind], OPACITY)
    picture = cv2.resize(colours[parts], (SIZE * SCALE, SIZE * SCALE), interpolation=cv2.INTER_NEAREST)
    large = np.kron(parts, np.ones((SCALE, SCALE), int))
    edge = np.zeros(large.shape, bool)
    edge[:, 1:] |= large[:, 1:] != large[:, :-1]
    edge[1:] |= large[1:] != large[:-1]
    picture[edge] = (*LINE, LINE_OPACITY)
    done, data = cv2.imencode(".png", picture)
    return data.tobytes() if done else None
