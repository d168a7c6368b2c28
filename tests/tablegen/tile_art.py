"""Decks of tiles drawn at random from the engines' own tables: grass, roads, cities, villages, signs."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from rules.carcassonne.geometry import sides_of
from rules.carcassonne.tiles import TILES, counts
from rules.fairplay.pieces import CARDS
from rules.fairplay.pieces import TILES as ROADS
from tests.tablegen.cloths import colour
from vision.deck import Deck, Face

PX = 240
"""Side of a tile's picture."""
_EDGE = {"N": (0.5, 0.0), "E": (1.0, 0.5), "S": (0.5, 1.0), "W": (0.0, 0.5)}
_CORNERS = {"N": ((0, 0), (1, 0)), "E": ((1, 0), (1, 1)), "S": ((1, 1), (0, 1)), "W": ((0, 1), (0, 0))}


@lru_cache(maxsize=8)
def draw_tiles(game: str, seed: int) -> Deck:
    """A deck for `carcassonne` (first edition, with the flying machines) or `fairplay`."""
    rng = np.random.default_rng([seed, 80])
    brush = _Brush(rng)
    if game == "carcassonne":
        faces = [
            Face(f"{kind.replace('/', '_')}_a", f"tile.{kind}", brush.land(kind), 45.0, 45.0, count, piece="tile")
            for kind, count in counts("C1").items()
        ]
        faces.append(Face("back", "back", brush.back(), 45.0, 45.0, piece="tile"))
        return Deck(f"drawn {seed}", tuple(faces), 1.9, 0.8)
    faces = [
        Face(f"{kind.replace('.', '_')}_{'abcd'[i]}", kind, brush.road(kind), 60.0, 60.0, -(-count // 4), piece="tile")
        for kind, count in ROADS.items()
        for i in range(min(count, 4))
    ]
    faces += [
        Face(kind.replace(".", "_"), kind, cv2.resize(brush.card(i), (295, 455)), 59.0, 91.0, count)
        for i, (kind, count) in enumerate(CARDS.items())
    ]
    faces.append(Face("back", "back", cv2.resize(brush.back(), (295, 455)), 59.0, 91.0))
    faces.append(Face("tile_back", "back", brush.back(), 60.0, 60.0, piece="tile"))
    return Deck(f"drawn {seed}", tuple(faces), 0.32, 3.0)


class _Brush:
    """What all tiles of a deck share: palette and line."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.grass = colour(rng.uniform(75, 130), rng.uniform(0.35, 0.8), rng.uniform(0.35, 0.7))
        self.city = colour(rng.uniform(15, 45), rng.uniform(0.25, 0.6), rng.uniform(0.45, 0.85))
        self.way = colour(rng.uniform(30, 60), rng.uniform(0.02, 0.2), rng.uniform(0.7, 0.95))
        self.asphalt = colour(rng.uniform(200, 260), rng.uniform(0, 0.15), rng.uniform(0.25, 0.5))
        self.dark = colour(rng.uniform(0, 360), 0.4, 0.2)

    def ground(self) -> np.ndarray:
        rng = self.rng
        small = rng.standard_normal((PX // 12, PX // 12)).astype(np.float32)
        shade = 1 + 0.07 * cv2.resize(small, (PX, PX), interpolation=cv2.INTER_CUBIC)
        img = np.clip(self.grass * shade[..., None], 0, 255).astype(np.uint8)
        for _ in range(26):  # trees and bushes
            at = tuple(int(v) for v in rng.uniform(0.03, 0.97, 2) * PX)
            tone = self.grass * rng.uniform(0.45, 1.3)
            cv2.circle(img, at, int(rng.uniform(2, 6)), np.clip(tone, 0, 255).tolist(), -1, cv2.LINE_AA)
        return img

    def land(self, kind: str) -> np.ndarray:
        img = self.ground()
        tile = TILES[kind]
        for part in tile.parts:
            if part.kind == "City":
                self._town(img, sides_of(part.location), part.pennants)
        for part in tile.parts:
            if part.kind == "Road":
                sides = sorted(sides_of(part.location))
                ends = [np.array(_EDGE[s]) for s in sides]
                path = _path(ends[0], ends[1] if len(ends) > 1 else np.array([0.5, 0.5]))
                self._line(img, path, self.dark, 24)
                self._line(img, path, self.way, 17)
        for part in tile.parts:
            if part.kind in ("Monastery", "Garden"):
                self._house(img, (0.5, 0.5), 30)
            elif part.kind == "FlyingMachine" and tile.flight:
                step = np.array(tile.flight) / np.hypot(*tile.flight)
                wing = np.array([-step[1], step[0]])
                mid = np.array([0.5, 0.5])
                self._line(img, np.array([mid - step * 0.16, mid + step * 0.16]), self.dark, 12)
                self._line(img, np.array([mid - wing * 0.2, mid + wing * 0.2]), self.way, 16)
                nose = np.round((mid + step * 0.19) * PX).astype(int)
                cv2.circle(img, tuple(nose.tolist()), 10, colour(5, 0.8, 0.7).tolist(), -1, cv2.LINE_AA)
        if sum(part.kind == "Road" for part in tile.parts) > 1:
            self._house(img, (0.5, 0.5), 15)
        return cv2.GaussianBlur(img, (0, 0), 0.6)

    def _town(self, img: np.ndarray, sides: frozenset[str], pennants: int) -> None:
        mask = np.zeros((PX, PX), np.uint8)
        if len(sides) == 1:
            (a, b), mid = _CORNERS[next(iter(sides))], np.array([0.5, 0.5])
            edge = (np.array(a) + b) / 2
            bow = [np.array(a) + (np.array(b) - a) * t + (mid - edge) * 2 * 0.55 * t * (1 - t) * 2
                   for t in np.linspace(0, 1, 15)]  # fmt: skip
            cv2.fillPoly(mask, [np.round(np.array(bow) * PX * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
        else:
            free = frozenset("NESW") - sides
            mask[:] = 255
            if sides in (frozenset("NW"), frozenset("NE"), frozenset("SE"), frozenset("SW")):
                away = [np.array(_EDGE[s]) * 2 - [0.5, 0.5] for s in free]
                corner = np.clip(away[0] + away[1] - [0.5, 0.5], 0, 1)
                others = [
                    p for p in ((0, 0), (1, 0), (1, 1), (0, 1)) if abs(p[0] - corner[0]) + abs(p[1] - corner[1]) == 1
                ]
                cv2.fillPoly(mask, [np.round(np.array([corner, *others]) * PX).astype(np.int32)], 0, cv2.LINE_AA)
            else:
                for s in free:
                    (a, b), inward = _CORNERS[s], np.array([0.5, 0.5]) - _EDGE[s]
                    bow = [np.array(a) + (np.array(b) - a) * t + inward * 1.1 * t * (1 - t) * 1.6
                           for t in np.linspace(0, 1, 15)]  # fmt: skip
                    cv2.fillPoly(mask, [np.round(np.array(bow) * PX * 16).astype(np.int32)], 0, cv2.LINE_AA, 4)
        img[mask > 127] = self.city
        for _ in range(60):
            x, y = self.rng.integers(6, PX - 12, 2)
            if mask[y, x] and mask[y - 5, x - 5] and mask[y + 8, x + 8]:
                tone = np.clip(self.city * self.rng.uniform(0.5, 1.25), 0, 255)
                cv2.rectangle(img, (int(x), int(y)), (int(x) + 7, int(y) + 6), tone.tolist(), -1)
        rim = cv2.morphologyEx(mask, cv2.MORPH_GRADIENT, np.ones((5, 5), np.uint8)) > 0
        img[rim] = self.dark
        for _ in range(pennants):
            x, y = (int(v) for v in np.argwhere(cv2.erode(mask, np.ones((41, 41), np.uint8)) > 0).mean(axis=0)[::-1])
            cv2.circle(img, (x + 20, y + 14), 11, colour(215, 0.7, 0.7).tolist(), -1, cv2.LINE_AA)

    def _line(self, img: np.ndarray, path: np.ndarray, tone: np.ndarray, width: int) -> None:
        cv2.polylines(img, [np.round(path * PX * 16).astype(np.int32)], False, tone.tolist(), width, cv2.LINE_AA, 4)

    def _house(self, img: np.ndarray, at: tuple[float, float], size: int) -> None:
        x, y = round(at[0] * PX), round(at[1] * PX)
        cv2.rectangle(img, (x - size, y - size // 2), (x + size, y + size), self.way.tolist(), -1)
        roof = np.array([(x - size - 4, y - size // 2), (x, y - size), (x + size + 4, y - size // 2)])
        cv2.fillPoly(img, [roof], colour(8, 0.6, 0.55).tolist(), cv2.LINE_AA)

    def road(self, kind: str) -> np.ndarray:
        img = self.ground()
        ends = (np.array(_EDGE["W"]), np.array(_EDGE["S" if kind == "road.curve" else "E"]))
        path = _path(*ends)
        red = colour(0, 0.75, 0.75)
        self._line(img, path, red, 102)
        self._line(img, path, self.asphalt, 92)
        for a, b in zip(path[:-1:2], path[1::2], strict=False):
            self._line(img, np.array([a, b]), self.way, 4)
        if kind not in ("road.curve", "road.straight"):
            rng = np.random.default_rng(sum(map(ord, kind)))
            hue = colour(rng.uniform(0, 360), 0.8, 0.8)
            cv2.rectangle(img, (70, 8), (170, 48), hue.tolist(), -1)
            for x in range(80, 165, int(rng.integers(9, 26))):
                cv2.line(img, (x, 10), (x + int(rng.integers(-8, 9)), 46), self.way.tolist(), 4, cv2.LINE_AA)
            cv2.line(img, (120, 74), (120, 166), self.way.tolist(), int(rng.integers(4, 26)))
            cv2.circle(img, (196, 212), 18, hue.tolist(), 5, cv2.LINE_AA)
        return cv2.GaussianBlur(img, (0, 0), 0.6)

    def card(self, i: int) -> np.ndarray:
        rng = self.rng
        img = np.empty((PX, PX, 3), np.uint8)
        img[:] = colour(i * 33.0 + rng.uniform(0, 12), 0.45, rng.uniform(0.45, 0.85))
        for _ in range(12):
            a, b = rng.integers(20, PX - 20, (2, 2))
            cv2.line(img, tuple(map(int, a)), tuple(map(int, b)), colour(rng.uniform(0, 360), 0.5, 0.8).tolist(), 7)
        cv2.rectangle(img, (4, 4), (PX - 5, PX - 5), self.dark.tolist(), 6)
        return img

    def back(self) -> np.ndarray:
        img = np.empty((PX, PX, 3), np.uint8)
        img[:] = self.dark
        for r in range(20, 110, 18):
            cv2.circle(img, (PX // 2, PX // 2), r, self.way.tolist(), 4, cv2.LINE_AA)
        return img


def _path(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(n, 2) from one end to another: straight, or the quarter of a circle where they lie at a corner."""
    t = np.linspace(0, 1, 16)[:, None]
    if abs(a[0] - b[0]) < 1e-6 or abs(a[1] - b[1]) < 1e-6 or (b == 0.5).all():
        return a + (b - a) * t
    corner = np.array([a[0] if a[0] in (0.0, 1.0) else b[0], a[1] if a[1] in (0.0, 1.0) else b[1]])
    x, y = a - corner, b - corner
    return corner + x * np.cos(t * np.pi / 2) + y * np.sin(t * np.pi / 2)
