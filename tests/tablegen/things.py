"""What else lies on a table: a card of another game, a coaster, a phone, a pen."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from shapely.geometry import Polygon

from tests.tablegen.cloths import colour
from tests.tablegen.decks import make_deck
from tests.tablegen.sheet import Sheet

THINGS = ("card", "coaster", "phone", "pen")
CARD_SIZES = ((63.5, 88.9), (44.0, 68.0), (70.0, 120.0), (59.0, 91.0), (57.0, 87.0))


def make_thing(what: str, name: str, rng: np.random.Generator) -> Sheet:
    """A thing at the origin, flat."""
    base = Sheet(id=name, face=None, width=1, height=1, x=0, y=0, angle=float(rng.uniform(0, 360)), foreign=what)
    if what == "card":
        w, h = CARD_SIZES[int(rng.integers(len(CARD_SIZES)))]
        faces = make_deck(900 + int(rng.integers(4))).faces
        picture = faces[int(rng.integers(len(faces) - 1))].picture
        return replace(base, width=w, height=h, picture=picture, curl=float(rng.uniform(0, 0.6)))
    if what == "coaster":
        d = float(rng.uniform(85, 105))
        img = np.empty((300, 300, 3), np.uint8)
        img[:] = colour(rng.uniform(0, 360), rng.uniform(0.1, 0.7), rng.uniform(0.2, 0.9))
        for r in range(20, 150, int(rng.integers(18, 60))):
            cv2.circle(img, (150, 150), r, colour(rng.uniform(0, 360), 0.5, 0.7).tolist(), 5, cv2.LINE_AA)
        return replace(base, width=d, height=d, radius=d / 2, thickness=3.0, picture=img, gloss=0.05)
    if what == "phone":
        img = np.full((600, 290, 3), 12, np.uint8)
        cv2.rectangle(img, (8, 8), (281, 591), (22, 20, 20), -1)
        return replace(base, width=72.0, height=150.0, radius=9.0, thickness=8.0, picture=img, gloss=1.3)
    if what == "pen":
        img = np.empty((560, 36, 3), np.uint8)
        round_ = np.cos(np.linspace(-1.2, 1.2, 36))[None, :, None]
        img[:] = (colour(rng.uniform(0, 360), 0.7, 0.7) * round_).astype(np.uint8)
        img[:60] = (np.array([200, 200, 205]) * round_).astype(np.uint8)
        return replace(base, width=9.0, height=140.0, radius=4.5, thickness=8.0, picture=img, gloss=0.6)
    raise ValueError(f"no such thing: {what!r}")


def put_somewhere(
    thing: Sheet, stack: list[Sheet], field: Polygon, rng: np.random.Generator, share: float = 0.0
) -> Sheet | None:
    """A free place for it (or one that covers up to `share` of a piece), or None."""
    lo, hi = np.array(field.bounds[:2]), np.array(field.bounds[2:])
    shapes = [s.polygon() for s in stack]
    for _ in range(100):
        at = rng.uniform(lo, hi)
        there = replace(thing, x=float(at[0]), y=float(at[1]), angle=float(rng.uniform(0, 360)))
        shape = there.polygon()
        if not field.buffer(40).contains(shape):
            continue
        if all(shape.intersection(s).area <= share * s.area for s in shapes):
            return there
    return None
