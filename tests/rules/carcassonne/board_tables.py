"""A table to play Carcassonne on, and what a camera would see of it: Scenes with jitter, turned any way."""

from __future__ import annotations

import gzip
import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from rules.carcassonne import Draw, Game, Land, Place, Put, Roll, Skip
from rules.carcassonne.geometry import Cell, turn_step
from rules.carcassonne.legal import target
from rules.carcassonne.maps import middle_of, plain
from rules.carcassonne.moves import Move
from rules.carcassonne.recording import EndStep, MeepleStep, Recording, TileStep
from rules.carcassonne.referee import CarcassonneReferee
from rules.carcassonne.tiles import TILES, counts, turned
from rules.protocol import Answer, Output, Question, Ruling
from rules.session import Player, Session, TileFace
from vision.scene import CameraState, Piece, Point, Quad, Scene

GAMES = sorted((Path(__file__).parents[2] / "data" / "carcassonne_games").glob("*.json.gz"))
PITCH = 45.5
COLOURS = ("red", "blue", "green", "yellow", "black")
NAMES = ("Anna", "Ben", "Clara", "Dora", "Emil")
UNSOLVED: Quad = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


@dataclass
class Tile:
    id: str
    name: str
    cell: Cell | None
    rotation: int
    jitter: tuple[float, float, float]
    confidence: float = 0.99
    seen_as: str = ""
    loose_at: Point = (400.0, -300.0)
    faceless: bool = False
    """Nothing is seen of it but that it lies there."""


@dataclass
class Meeple:
    id: str
    colour: str
    foot: Point
    pose: str
    confidence: float = 0.99


@dataclass
class Die:
    value: int | None = 1
    throws: int = 0
    doubtful: bool = False
    pose: str = "rest"


@dataclass
class BoardTable:
    """Cells and rotations are the engine's; `turn`: how the start tile lies, `origin`: its cell to the camera."""

    seed: int = 0
    origin: Cell = (0, 0)
    turn: int = 0
    spread: float = 1.0
    """1 sigma of where people put a meeple, mm."""
    noise: float = 0.4
    """1 sigma of what the camera measures, mm."""
    misread_poses: float = 0.0
    tiles: dict[str, Tile] = field(default_factory=dict)
    meeples: dict[str, Meeple] = field(default_factory=dict)
    die: Die | None = field(default_factory=Die)
    t: float = 0.0
    laid: int = 0
    apart: int = 0
    """By how much a part of the board that is not joined to the rest counts its cells otherwise."""
    lone: bool = False
    """A tile that lies alone has no cell."""
    meant: dict[str, tuple[Cell, int]] = field(default_factory=dict)
    """What each meeple is meant to stand on."""

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.lay("BA/RCr", (0, 0), 0)

    # -- tiles

    def lay(self, name: str, cell: Cell | None, rotation: int = 0, **more: object) -> str:
        """Lays a tile; gives its id. With `cell=None` it lies loose beside the board."""
        jitter = (self.random.gauss(0, 0.3), self.random.gauss(0, 0.3), self.random.gauss(0, 0.6))
        piece = str(more.pop("id", f"t{self.laid}"))
        self.laid += 1
        self.tiles[piece] = Tile(piece, name, cell, rotation, jitter, **more)  # type: ignore[arg-type]
        return piece

    def at(self, cell: Cell) -> Tile:
        return next(tile for tile in self.tiles.values() if tile.cell == cell)

    def quad(self, tile: Tile) -> Quad:
        """The outline in mm, from the face's own top left."""
        dx, dy, slop = tile.jitter
        if tile.cell is None:
            cx, cy = tile.loose_at
        else:
            x, y = turn_step(tile.cell, self.turn)
            cx, cy = PITCH * x + dx, PITCH * y + dy
        angle = math.radians(tile.rotation + self.turn + slop)
        c, s = math.cos(angle), math.sin(angle)
        a, b, d, e = ((cx + 22.5 * (u * c - v * s), cy + 22.5 * (u * s + v * c)) for u, v in CORNERS)
        return a, b, d, e

    def point(self, cell: Cell, u: float, v: float) -> Point:
        """A point of a tile's face (0 to 1), mm."""
        (ax, ay), (bx, by), _, (dx, dy) = self.quad(self.at(cell))
        return ax + u * (bx - ax) + v * (dx - ax), ay + u * (by - ay) + v * (dy - ay)

    # -- meeples

    def put(self, colour: str, cell: Cell, part: int, pose: str = "", at: tuple[float, float] | None = None) -> str:
        """Puts a meeple on a part of a tile, or at a point of its face."""
        tile = self.at(cell)
        u, v = at or middle_of(plain(tile.name), part)
        x, y = self.point(cell, u, v)
        lies = TILES[tile.name].parts[part].kind == "Field"
        foot = x + self.random.gauss(0, self.spread), y + self.random.gauss(0, self.spread)
        used = {int(m.id.rpartition(".")[2]) for m in self.meeples.values() if m.colour == colour}
        piece = f"{colour}.{min(set(range(1, 9)) - used)}"
        self.meant[piece] = cell, part
        self.meeples[piece] = Meeple(piece, colour, foot, pose or ("lying" if lies else "standing"))
        return piece

    def take(self, *pieces: str) -> None:
        for piece in pieces:
            (self.meeples if piece in self.meeples else self.tiles).pop(piece)  # type: ignore[attr-defined]

    def throw(self, value: int | None) -> None:
        self.die = Die(value, (self.die.throws if self.die else 0) + 1)

    # -- what a camera sees

    def scene(self, hide: Iterable[str] = (), dt: float = 2.0) -> Scene:
        """The next still; `hide`: pieces that this still fails to show."""
        self.t += dt
        hidden = set(hide)
        seen = [tile for tile in self.tiles.values() if tile.id not in hidden]
        lattices = _lattices(seen)
        pieces = [self._tile(tile, lattices[tile.id]) for tile in seen]
        pieces += [self._meeple(m) for m in self.meeples.values() if m.id not in hidden]
        pieces += [self._supply(colour, k) for colour in COLOURS[:2] for k in range(2)]
        if self.die is not None and "die" not in hidden:
            pieces.append(self._die(self.die))
        return Scene(t=self.t, camera=CameraState(solved=True, rms_px=0.2), pieces=tuple(pieces))

    def _tile(self, tile: Tile, lattice: int) -> Piece:
        cell = (0, 0)
        if tile.cell is not None:
            x, y = turn_step(tile.cell, self.turn)
            away = self.apart if lattice else 0
            cell = x + self.origin[0] + away * lattice, y + self.origin[1]
        quad, turned = self.quad(tile), (tile.rotation + self.turn) % 360
        if tile.faceless:
            quad = upright(quad, turned)
        return Piece(
            id=tile.id,
            kind="tile",
            face="unknown" if tile.faceless else tile.seen_as or f"tile.{tile.name}",
            confidence=0.5 if tile.faceless else tile.confidence,
            visible=1.0,
            corners_px=UNSOLVED,
            outline_mm=quad,
            sigma_mm=0.2,
            cell=None if self.lone and len(self.tiles) == 1 else cell,
            lattice=lattice,
            rotation=None if tile.faceless or (self.lone and len(self.tiles) == 1) else turned,
        )

    def _meeple(self, meeple: Meeple) -> Piece:
        x, y = meeple.foot
        pose = meeple.pose
        if self.random.random() < self.misread_poses:
            pose = "standing" if pose == "lying" else "lying"
        return Piece(
            id=meeple.id,
            kind="meeple",
            face=f"meeple.{meeple.colour}",
            confidence=meeple.confidence,
            visible=1.0,
            corners_px=UNSOLVED,
            outline_mm=UNSOLVED,
            sigma_mm=0.5,
            foot_mm=(x + self.random.gauss(0, self.noise), y + self.random.gauss(0, self.noise)),
            foot_sigma_mm=self.noise or 0.3,
            pose=pose,
            centre_px=(0.0, 0.0),
        )

    def _supply(self, colour: str, k: int) -> Piece:
        return Piece(
            id=f"supply.{colour}.{k}",
            kind="meeple",
            face=f"meeple.{colour}",
            confidence=0.99,
            visible=1.0,
            corners_px=UNSOLVED,
            outline_mm=UNSOLVED,
            sigma_mm=0.5,
            foot_mm=(2000.0 + 20 * k, 2000.0),
            pose="standing",
            centre_px=(0.0, 0.0),
        )

    def _die(self, die: Die) -> Piece:
        return Piece(
            id="die",
            kind="die",
            face="die.flight",
            confidence=0.99,
            visible=1.0,
            corners_px=UNSOLVED,
            outline_mm=UNSOLVED,
            sigma_mm=0.5,
            pose=die.pose,
            value=die.value,
            throws=die.throws,
            throw_doubtful=die.doubtful,
            centre_px=(0.0, 0.0),
        )


def upright(face: Quad, rotation: int) -> Quad:
    """The outline from the corner that is at the top left when the face is turned so."""
    first = -rotation // 90 % 4
    a, b, c, d = face[first:] + face[:first]
    return a, b, c, d


def _lattices(tiles: list[Tile]) -> dict[str, int]:
    """Which lattice each tile is on: groups joined edge to edge, the largest first; loose tiles each on its own."""
    groups: list[set[str]] = []
    left = {tile.cell: tile.id for tile in tiles if tile.cell is not None}
    while left:
        cell, first = next(iter(left.items()))
        group, queue = {first}, [cell]
        del left[cell]
        while queue:
            x, y = queue.pop()
            for beside in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if beside in left:
                    group.add(left.pop(beside))
                    queue.append(beside)
        groups.append(group)
    groups += [{tile.id} for tile in tiles if tile.cell is None]
    groups.sort(key=lambda group: -len(group))
    return {piece: number for number, group in enumerate(groups) for piece in group}


CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def session(players: int = 2, tiles: str = "C1", **more: object) -> Session:
    """Anna (red) begins, then Ben (blue) ..."""
    people = tuple(
        Player(number=n + 1, name=NAMES[n], side="SNWEE"[n], colour=COLOURS[n])  # type: ignore[arg-type]
        for n in range(players)
    )
    faces = tuple(TileFace(id=name, kind=f"tile.{name}", count=count) for name, count in counts(tiles).items())  # type: ignore[arg-type]
    return Session(game="carcassonne", deck="deck", player=people, tiles=faces, **more)  # type: ignore[arg-type]


class BoardMatch:
    """A referee and a table: every still is shown, questions are answered as told, by a rule, or by their default."""

    def __init__(
        self, table: BoardTable | None = None, referee: CarcassonneReferee | None = None, **more: object
    ) -> None:
        self.table = table or BoardTable()
        self.referee = referee or CarcassonneReferee(session(**more))  # type: ignore[arg-type]
        self.outputs: list[Output] = []
        self.answers: dict[str, str | Callable[[Question], str]] = {}
        """Rule to the choice that is taken instead of the default; `-`: left open."""
        self.inputs: list[Scene | Answer] = []

    def still(self, hide: Iterable[str] = ()) -> list[Output]:
        """Shows the table as it lies now; gives what was said, answers included."""
        scene = self.table.scene(hide)
        self.inputs.append(scene)
        return self._hear(list(self.referee.see(scene)))

    def _hear(self, said: list[Output]) -> list[Output]:
        self.outputs += said
        heard = list(said)
        for question in [o for o in said if isinstance(o, Question)]:
            told = self.answers.get(question.rule, question.default)
            choice = told if isinstance(told, str) else told(question)
            if choice != "-":
                heard += self.answer(question.id, choice)
        return heard

    def answer(self, question: str, choice: str) -> list[Output]:
        given = Answer(t=self.table.t, question=question, choice=choice)
        self.inputs.append(given)
        return self._hear(list(self.referee.answer(given)))

    def correct(self, choice: str, value: str) -> list[Output]:
        given = Answer(t=self.table.t, question=None, choice=choice, value=value)
        self.inputs.append(given)
        return self._hear(list(self.referee.answer(given)))

    def rulings(self, rule: str) -> list[Ruling]:
        """Every ruling of that rule, or of a rule below it."""
        return [o for o in self.outputs if isinstance(o, Ruling) and (o.rule == rule or o.rule.startswith(rule + "."))]

    def questions(self, rule: str = "carcassonne") -> list[Question]:
        return [o for o in self.outputs if isinstance(o, Question) and o.rule.startswith(rule)]

    @property
    def moves(self) -> list[Move]:
        return self.referee.game.moves


# -- recorded games ---------------------------------------------------------------------------------------------------


def recording(path: Path) -> Recording:
    return msgspec.json.decode(gzip.decompress(path.read_bytes()), type=Recording)


def moves_of(game: Recording) -> list[Move]:
    """A recorded game as the engine's moves; tiles that fitted nowhere are drawn when the recording lists them."""
    engine = Game(game.players, tiles="C1" if game.edition == 1 else "C2")
    for i, step in enumerate(game.steps):
        match step:
            case TileStep():
                _discards(engine, game, i)
                engine.push(Draw(step.tile))
                engine.push(Place(*step.choice))
                if not isinstance(game.steps[i + 1], MeepleStep):
                    engine.push(Skip())
            case MeepleStep():
                landing = engine.state.phase == "land"
                if step.choice is None:
                    engine.push(Skip())
                else:
                    _, _, feature, location = step.choice
                    engine.push(Land(feature, location) if landing else Put(feature, location))
                if step.die is not None:
                    engine.push(Roll(step.die))
    while engine.state.stock and not engine.is_over:
        engine.push(Draw(next(iter(engine.state.stock))))
    return engine.moves


def _discards(engine: Game, game: Recording, i: int) -> None:
    end = next((step for step in game.steps[i:] if isinstance(step, EndStep)), None)
    told = list(end.discarded) if end else []
    for name in engine.state.discarded:
        if name in told:
            told.remove(name)
    for name in told:
        if engine.state.stock.get(name) and not any(engine.state.board.fits(name)):
            engine.push(Draw(name))


@dataclass(frozen=True)
class Happening:
    """Something that people do at the table, and whether a still may be missed after it without losing it."""

    do: Callable[[], object]
    what: str
    may_be_missed: bool


def happenings(table: BoardTable, moves: Iterable[Move], game: Game) -> Iterator[Happening]:
    """What people do for each move. `game` is played on with it. Ask for one, do it, ask for the next."""
    standing: dict[tuple[str, Cell, int], list[str]] = {}

    def put(colour: str, cell: Cell, part: int) -> None:
        standing.setdefault((colour, cell, part), []).append(table.put(colour, cell, part))

    def lift(keys: list[tuple[str, Cell, int]]) -> None:
        for key in keys:
            table.take(*standing.pop(key))

    for move in list(moves):
        state = game.state
        colour = COLOURS[state.player - 1]
        machine = _machine(state.cell and state.board.tiles[state.cell].tile.id)
        game.push(move)
        after = {(COLOURS[m.player - 1], (m.spot.x, m.spot.y), m.spot.part) for m in game.state.meeples()}
        match move:
            case Draw(tile=name) if game.state.phase != "place":
                loose: list[str] = []
                yield Happening(partial(_lay_loose, table, name, loose), "discard", False)
                table.take(*loose)
            case Place(x=x, y=y, rotation=rotation):
                yield Happening(partial(table.lay, str(state.tile), (x, y), rotation), "tile", True)
            case Put(feature="FlyingMachine"):
                assert state.cell is not None
                yield Happening(partial(put, colour, state.cell, machine), "machine", True)
            case Put():
                assert state.cell is not None
                part = _part(state.cell, move, game)
                yield Happening(partial(put, colour, state.cell, part), "meeple", (colour, state.cell, part) in after)
            case Roll(die=die):
                assert state.cell is not None
                crashed = game.state.phase != "land"
                yield Happening(partial(table.throw, die), "die", not crashed)
                if crashed:
                    yield Happening(partial(lift, [(colour, state.cell, machine)]), "crashed", False)
            case Land():
                assert state.cell is not None
                goal = target(state, game.setup)
                assert goal is not None
                part = _part(goal, move, game)
                lift([(colour, state.cell, machine)])
                yield Happening(partial(put, colour, goal, part), "landed", (colour, goal, part) in after)
        over = isinstance(move, Put | Skip | Land | Roll) and game.state.phase in ("draw", "over")
        if over and (gone := [key for key in standing if key not in after]):
            yield Happening(partial(lift, gone), "returned", True)


def _lay_loose(table: BoardTable, name: str, laid: list[str]) -> None:
    laid.append(table.lay(name, None))


def _machine(name: str | None) -> int:
    parts = TILES[name].parts if name else ()
    return next((i for i, part in enumerate(parts) if part.kind == "FlyingMachine"), -1)


def _part(cell: Cell, move: Put | Land, game: Game) -> int:
    laid = game.state.board.tiles[cell]
    parts = turned(laid.tile.id, laid.rotation).parts
    return next(i for i, p in enumerate(parts) if (p.kind, p.location) == (move.feature, move.location))
