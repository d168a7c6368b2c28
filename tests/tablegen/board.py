"""Random board games on random tables: Carcassonne and Fair Play, as stills with the truth of k01 and f01.

>>> board = make_board(2000)                        # one moment of a random game
>>> board.frame.shape
(720, 1280, 3)
>>> game = BoardGame(2001, game="fairplay")         # the same table through a whole game
>>> [game.still(k) for k in range(3)][-1].truth["note"] != ""
True

Tiles of 1.9 mm lie edge to edge with gaps of 0 to 1 mm and up to 2 degrees of slop; meeples stand or lie on features
and in supplies beside the board; cars stand up to four to a tile; a die, cards and piles lie about. Tables, lights,
lenses and tilts are those of `TableSpec`; the deck is the shipped one of that game or one drawn at random, half the
time restyled.

`python -m tests.tablegen board SEED OUT.png [plain] [game=carcassonne] [field=value ...]` draws one;
`python -m tests.figures --tokens 2000:2100` measures coloured pieces on them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from shapely.geometry import Polygon

from tests.tablegen.board_layout import Mosaic, car_places, extent, free_place, on_feature, on_tile, rectangle
from tests.tablegen.board_play import FigureAt, Position, carcassonne_positions, fairplay_positions
from tests.tablegen.board_truth import state_of_board
from tests.tablegen.camera import TableCamera
from tests.tablegen.cloths import colour as hsv
from tests.tablegen.decks import load_deck, restyle_tiles
from tests.tablegen.layout import at_side, field_of, new_sheet
from tests.tablegen.render import linear
from tests.tablegen.sensor import expose, shoot
from tests.tablegen.sheet import Sheet
from tests.tablegen.solids import Solid, draw_solid, draw_solid_shadow, make_car, make_die, make_meeple, make_pile
from tests.tablegen.spec import TableSpec, camera_of, draw_spec
from tests.tablegen.studio import Studio, sensor_of
from tests.tablegen.tile_art import draw_tiles
from vision.deck import Deck
from vision.frame import ArrayFrame

DECKS = Path(__file__).parents[2] / "models" / "decks"
TILE_MM = {"carcassonne": 45.0, "fairplay": 60.0}
DICE = {"carcassonne": ("die.flight", (1, 1, 2, 2, 3, 3)), "fairplay": ("die.race", (1, 1, 1, 2, 2, 3))}
LACQUER = {  # hue, saturation, value
    "red": (358, 0.85, 0.72), "blue": (220, 0.83, 0.62), "green": (140, 0.75, 0.5), "yellow": (45, 0.87, 0.92),
    "black": (240, 0.08, 0.14), "white": (45, 0.06, 0.9),
}  # fmt: skip
COLOURS = {"carcassonne": ("red", "blue", "green", "yellow", "black"),
           "fairplay": ("red", "blue", "green", "yellow", "black", "white")}  # fmt: skip
SIDES = ("S", "N", "W", "E")


@dataclass(frozen=True, eq=False)
class GeneratedBoard:
    """A still of a board game: frames of 1280 x 720 BGR uint8, and one state of truth with its camera."""

    seed: int
    game: str
    spec: TableSpec
    deck: Deck
    camera: TableCamera
    colours: tuple[str, ...]
    """Of the players, in seat order."""
    frames: tuple[np.ndarray, ...]
    truth: dict[str, Any]
    """A state of truth.json of a board game, with `camera`."""

    @property
    def frame(self) -> np.ndarray:
        return self.frames[0]

    def as_frames(self, t0: float = 0.0, fps: float = 10.0) -> list[ArrayFrame]:
        return [ArrayFrame(t0 + i / fps, f) for i, f in enumerate(self.frames)]


def make_board(seed: int, deck: Deck | None = None, at: int | None = None, **overrides: Any) -> GeneratedBoard:
    """A moment of the random game of a seed. `overrides`: those of `BoardGame`."""
    game = BoardGame(seed, deck, **overrides)
    k = int(np.random.default_rng([seed, 31]).integers(len(game.positions))) if at is None else at
    return game.still(min(k, len(game.positions) - 1))


def deck_of(game: str, seed: int) -> Deck:
    """The shipped deck of a game, or, for a third of the seeds and where none ships, one drawn at random."""
    shipped = DECKS / game
    if seed % 3 == 2 or not (shipped / "deck.toml").exists():
        return draw_tiles(game, seed % 40)
    return load_deck(shipped)


class BoardGame:
    """A game on one table, still by still.

    game: `carcassonne` or `fairplay`; tiles: the most that are laid (Carcassonne); colours: the players'; restyled:
    whether the deck is; further overrides are fields of `TableSpec`.
    """

    def __init__(
        self, seed: int, deck: Deck | None = None, *, game: str | None = None, tiles: int | None = None,
        colours: tuple[str, ...] | None = None, restyled: bool | None = None, **overrides: Any,
    ) -> None:  # fmt: skip
        rng = np.random.default_rng([seed, 30])
        self.seed = seed
        self.game = game or str(rng.choice(["carcassonne", "fairplay"]))
        change = bool(rng.random() < 0.5) if restyled is None else restyled
        base = deck or deck_of(self.game, seed)
        self.deck = restyle_tiles(base, seed % 50) if change else base
        spec = draw_spec(seed)
        tilt = float(spec.tilt_deg * rng.uniform(0.2, 1.0))
        self.spec = replace(spec, **{"tilt_deg": tilt, **overrides})
        self.camera = camera_of(self.spec)
        self.studio = Studio.of(self.spec, seed, self.deck, self.camera)
        self.field = field_of(self.camera, 4.0)
        self.angle = float(rng.normal(0, 3))
        size = TILE_MM[self.game] + 0.6
        columns, rows = _box(self.field, size)
        count = tiles or int(min(rng.integers(4, 81), columns * rows - 1, 71))
        seats = int(rng.integers(2, 6 if self.game == "carcassonne" else 5))
        if colours:
            seats = len(colours)
        plays = carcassonne_positions(seed, columns, rows, count, seats) if self.game == "carcassonne" else (
            fairplay_positions(seed, columns, rows, len(colours) if colours else None))  # fmt: skip
        self.positions: list[Position] = list(plays)
        players = self.positions[0].players
        self.colours = (colours or tuple(str(c) for c in rng.permutation(COLOURS[self.game])))[:players]
        self.paints = {c: _lacquer(c, rng) for c in self.colours}
        self.gloss = float(rng.uniform(0.05, 0.5))
        self.sides = [str(s) for s in rng.permutation(SIDES)]
        x0, x1, y0, y1 = extent(self.positions[-1])
        mid = np.array(self.field.centroid.coords[0])
        start = mid - np.array([(x0 + x1) / 2, -(y0 + y1) / 2]) * size
        self.mosaic = Mosaic(self.deck, (float(start[0]), float(start[1])), self.angle, seed)
        self.board = _hull(self.positions[-1], start, size, self.angle)
        self.table_things = self._things()
        self._homes: dict[tuple[int, int], Solid] = {}

    @cached_property
    def _bare(self) -> tuple[np.ndarray, np.ndarray]:
        return self.studio.table(self.camera)

    @cached_property
    def _sensor(self) -> Any:
        picture, lit = (a.copy() for a in self._bare)
        self.studio.lay(picture, lit, self.camera, self._sheets(self.positions[-1]))
        return sensor_of(self.spec, self.studio.light, picture)

    def still(self, k: int) -> GeneratedBoard:
        """The still after the k-th thing done."""
        position = self.positions[k]
        picture, lit = (a.copy() for a in self._bare)
        tiles = [self.mosaic.lay(t) for t in position.tiles]
        sheets = [*tiles, *self._cards(position)]
        self.studio.lay(picture, lit, self.camera, sheets)
        solids = self._solids(position, k)
        lids = self.table_things[1]
        for s in solids:
            draw_solid_shadow(picture, self.camera, self.studio.light, s)
        seen: dict[str, np.ndarray] = {}
        whole: dict[str, int] = {}
        for s in sorted(solids, key=lambda s: -np.hypot(s.x - self.camera.C[0], s.y - self.camera.C[1])):
            mask = draw_solid(picture, self.camera, self.studio.light, s)
            for other in seen.values():
                if mask is not None:
                    other &= ~mask
            if mask is not None:
                seen[s.id] = mask
                whole[s.id] = max(int(mask.sum()), 1)
            if s.id in lids:
                self.studio.lay(picture, lit, self.camera, [lids[s.id]])
        light = expose(picture, self._sensor)
        frames = shoot(light, self._sensor, self.spec.frames, np.random.default_rng([self.seed, 3, k]))
        sort = DICE[self.game][0]
        shares = {s: m.sum() / whole[s] for s, m in seen.items()}
        truth = {
            **state_of_board(self.camera, position, tiles, sheets[len(tiles):], solids, list(lids.values()), sort,
                             shares, self.colours, (0.0, self.spec.frames / 10)),
            "camera": self.camera.as_truth(self.spec.jitter_px),
        }  # fmt: skip
        return GeneratedBoard(
            self.seed, self.game, self.spec, self.deck, self.camera, self.colours, tuple(frames), truth
        )

    def _sheets(self, position: Position) -> list[Sheet]:
        return [*(self.mosaic.lay(t) for t in position.tiles), *self._cards(position)]

    def _things(self) -> tuple[list[Solid], dict[str, Sheet]]:
        """Piles, and the face on top of each."""
        rng = np.random.default_rng([self.seed, 33])
        piles: list[Solid] = []
        lids: dict[str, Sheet] = {}
        backs = [f for f in self.deck.faces if f.kind == "back"]
        for face in backs:
            if rng.random() < 0.3:
                continue
            height = float(rng.uniform(4, 45 if face.width_mm == face.height_mm else 16))
            lean = 2 * height / self.camera.C[2] * 300
            spot = free_place(self.field.buffer(-lean), [self.board, *map(_shape, piles)],
                              (face.width_mm, face.height_mm), rng, gap=12)  # fmt: skip
            if spot is None:
                continue
            name = f"{'tile' if face.width_mm == face.height_mm else 'card'}_pile"
            piles.append(make_pile(name, face.width_mm, face.height_mm, height).at(*spot))
            lid = new_sheet(self.deck, face, name, *spot)
            lids[name] = replace(lid, plane=(height, 0.0, 0.0), radius=0.8)
        return piles, lids

    def _cards(self, position: Position) -> list[Sheet]:
        out: list[Sheet] = []
        for card in position.cards:
            faces = [f for f in self.deck.faces if f.kind == card.kind and f.width_mm != f.height_mm]
            if not faces:
                continue
            rng = np.random.default_rng([self.seed, 34, int(card.id[4:])])
            near = np.array(at_side(self.camera, self.sides[(card.owner - 1) % 4], rng))
            spot = free_place(self.field.buffer(-8), [self.board, *(s.polygon() for s in out), *self._others()],
                              (faces[0].width_mm, faces[0].height_mm), rng, near, gap=4)  # fmt: skip
            if spot is not None:
                out.append(new_sheet(self.deck, faces[0], card.id, *spot))
        return out

    def _others(self) -> list[Polygon]:
        return [_shape(s) for s in self.table_things[0]]

    def _solids(self, position: Position, k: int) -> list[Solid]:
        """Figures on the board, the supplies, the die, the piles."""
        out: list[Solid] = []
        style = lambda: np.random.default_rng([self.seed, 35])  # noqa: E731
        if self.game == "carcassonne":
            for f in position.figures:
                rng = np.random.default_rng([self.seed, 36, int(f.id[1:]), *(v + 500 for v in f.cell)])
                pose = "lying" if rng.random() < (0.9 if f.feature == "Field" else 0.25) else "standing"
                colour = self.colours[f.player - 1]
                solid = make_meeple(f.id, colour, self.paints[colour], pose, style(), self.gloss)
                at = on_tile(self.mosaic.sheets[f.cell], on_feature(f, TILE_MM[self.game], rng))
                out.append(solid.at(float(at[0]), float(at[1]), float(rng.uniform(0, 360)), 1.9))
            out += self._supplies(position, style)
        else:
            out += self._cars(position.figures, position, style)
        things = self.table_things[0]
        cards = [s.polygon() for s in self._cards(position)]
        values = DICE[self.game][1]
        rng = np.random.default_rng([self.seed, 37, position.turn])
        edge = float(np.random.default_rng([self.seed, 38]).uniform(13, 17))
        taken = [self.board, *map(_shape, out), *map(_shape, things), *cards]
        spot = free_place(self.field.buffer(-15), taken, (edge * 1.2, edge * 1.2), rng, gap=8)
        if spot is not None and position.die is not None:
            up = values.index(position.die)
            ivory = bool(self.seed % 3)
            body, pip = np.array([0.55, 0.68, 0.75]), np.array([0.02, 0.02, 0.02])
            die = make_die("die", values, up, body if ivory else pip, pip if ivory else body, edge)
            out.append(die.at(*spot))
        return [*out, *things]

    def _supplies(self, position: Position, style: Any) -> list[Solid]:
        out: list[Solid] = []
        for player, count in enumerate(position.supply, 1):
            colour = self.colours[player - 1]
            for i in range(count):
                home = self._homes.get((player, i))
                if home is None:
                    rng = np.random.default_rng([self.seed, 39, player, i])
                    near = np.array(at_side(self.camera, self.sides[(player - 1) % 4], np.random.default_rng(player)))
                    pose = "lying" if rng.random() < 0.45 else "standing"
                    solid = make_meeple(f"sup_{player - 1}_{i}", colour, self.paints[colour], pose, style(), self.gloss)
                    taken = [self.board, *self._others(), *map(_shape, self._homes.values())]
                    spot = free_place(self.field.buffer(-12), taken, (solid.length, solid.width), rng, near, 22.0, 0.2)
                    if spot is None:
                        continue
                    home = self._homes[player, i] = solid.at(*spot)
                out.append(home)
        return out

    def _cars(self, figures: tuple[FigureAt, ...], position: Position, style: Any) -> list[Solid]:
        out = []
        for index in sorted({f.index for f in figures}):
            here = [f for f in figures if f.index == index]
            tile = position.tiles[index]
            rng = np.random.default_rng([self.seed, 40, index, len(here)])
            for f, (at, heading) in zip(here, car_places(self.mosaic.lay(tile), tile, len(here), rng), strict=True):
                colour = self.colours[f.player - 1]
                car = make_car(f"car_{colour}", colour, self.paints[colour], style(), self.gloss)
                out.append(car.at(float(at[0]), float(at[1]), heading, 1.9))
        return out


def _shape(s: Solid) -> Polygon:
    return Polygon(s.footprint())


def _box(field: Polygon, size: float) -> tuple[int, int]:
    """Columns and rows of cells that surely fit into the view, with room beside for what lies about."""
    lo, hi = np.array(field.bounds[:2]), np.array(field.bounds[2:])
    mid = np.array(field.centroid.coords[0])
    best = (1, 1)
    for columns in range(2, 16):
        for rows in range(2, 10):
            box = rectangle(mid, (columns * size + 30, rows * size + 30), 5.0)
            fits = field.contains(box) and columns * size < 0.78 * (hi - lo)[0]
            if fits and columns * rows > best[0] * best[1]:
                best = columns, rows
    return best


def _hull(position: Position, start: np.ndarray, size: float, angle: float) -> Polygon:
    """What the board covers in the end, and a little more."""
    x0, x1, y0, y1 = extent(position)
    mid = start + np.array([(x0 + x1) / 2, -(y0 + y1) / 2]) * size
    return rectangle(mid, ((x1 - x0 + 1) * size + 12, (y1 - y0 + 1) * size + 12), angle)


def _lacquer(name: str, rng: np.random.Generator) -> np.ndarray:
    """(3,) linear BGR: one maker's paint of that name."""
    h, s, v = LACQUER[name]
    bgr = hsv(h + rng.normal(0, 6), float(np.clip(s * np.exp(rng.normal(0, 0.08)), 0, 1)),
              float(np.clip(v * np.exp(rng.normal(0, 0.12)), 0.05, 1)))  # fmt: skip
    return linear(np.clip(bgr, 0, 255).astype(np.uint8).reshape(1, 1, 3)).reshape(3)
