"""Random games from the engines, as what one sees of them: positions of tiles, figures, cars, cards and the die."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from rules.carcassonne import Draw, Game, Land, Place, Put, Roll, Skip
from rules.carcassonne.board import Board
from rules.fairplay import Lay, Offer, Reveal, Step
from rules.fairplay import Roll as RaceRoll
from rules.fairplay.track import Cell, _ahead, _turn  # the same turns as the engine's own map
from tests.rules.fairplay.random_games import Table as RaceTable
from tests.rules.fairplay.random_games import game_of

MEEPLES_SHOWN = 7


@dataclass(frozen=True)
class TileAt:
    """A tile of the board, its cell with y towards the viewer. Carcassonne: rotation clockwise. Fair Play: its number
    in the chain and the sides by which it is entered and left."""

    kind: str
    cell: Cell
    rotation: int = 0
    index: int = 0
    entry: str = ""
    exit: str = ""


@dataclass(frozen=True)
class FigureAt:
    """A meeple on the board, or a car."""

    id: str
    player: int
    cell: Cell = (0, 0)
    feature: str = ""
    location: str = ""
    index: int = 0


@dataclass(frozen=True)
class CardAt:
    """A card before a player."""

    id: str
    kind: str
    owner: int
    face_up: bool = True


@dataclass(frozen=True)
class Position:
    """What lies there at one moment, and what has just been done."""

    game: str
    players: int
    note: str
    turn: int
    player: int
    tiles: tuple[TileAt, ...]
    figures: tuple[FigureAt, ...]
    supply: tuple[int, ...] = ()
    """Carcassonne: meeples beside the board, by player."""
    cards: tuple[CardAt, ...] = ()
    die: int | None = None
    points: tuple[int, ...] = ()
    """Carcassonne: points; Fair Play: the car's tile."""
    moves: tuple[dict[str, Any], ...] = field(default=(), compare=False)
    """The turns so far in the words of the footage's truth.json, without times: `at_<what>` is a position's number."""


def carcassonne_positions(seed: int, columns: int, rows: int, tiles: int, players: int) -> Iterator[Position]:
    """A game of up to so many tiles within a box of cells, position by position."""
    dice = random.Random(seed)
    game = Game(players, tiles="C1")
    left, top = -dice.randrange(columns), -dice.randrange(rows)
    kinds = {(0, 0): ("BA/RCr", 0)}
    names: dict[Any, str] = {}
    moves: list[dict[str, Any]] = []
    die = dice.choice((1, 2, 3))
    number = 0

    def figures(board: Board) -> tuple[FigureAt, ...]:
        out = []
        for feature in board.features.values():
            for m in feature.meeples:
                part = board.part(m.spot)
                key = (m.player, m.spot)
                names.setdefault(key, f"m{len(names)}")
                if any(f.id == names[key] for f in out):
                    continue  # two cannot stand in one place: who flew there is left out
                out.append(FigureAt(names[key], m.player, (m.spot.x, m.spot.y), part.kind, part.location))
        return tuple(sorted(out, key=lambda f: f.id))

    def position(note: str, shown: tuple[FigureAt, ...]) -> Position:
        nonlocal number
        number += 1
        laid = tuple(TileAt(k, cell, turn) for cell, (k, turn) in kinds.items())
        on = [sum(f.player == p for f in shown) for p in game.players]
        return Position(
            "carcassonne", players, note, len(moves), moves[-1]["player"] if moves else 1, laid, shown,
            tuple(MEEPLES_SHOWN - n for n in on), die=die, points=tuple(game.scores.values()),
            moves=tuple({**m} for m in moves),
        )  # fmt: skip

    yield position("start", ())
    while not game.is_over and len(kinds) < tiles:
        before = shown = figures(game.state.board)
        options = list(game.legal())
        first = options[0]
        if isinstance(first, Draw):
            inside = [d for d in options if isinstance(d, Draw) and _fits(game, d, left, top, columns, rows)]
            if not inside:
                return
            game.push(dice.choice(inside))
        elif isinstance(first, Place):
            inside = [p for p in options if left <= p.x < left + columns and top <= p.y < top + rows]
            p = dice.choice(inside)
            player, tile = game.turn or 1, game.state.tile or ""
            game.push(p)
            kinds[p.x, p.y] = (tile, p.rotation)
            moves.append({"turn": len(moves) + 1, "player": player, "tile": tile, "cell": [p.x, p.y],
                          "rotation": p.rotation, "at_tile": number, "meeple": None, "flight": None,
                          "points": list(game.scores.values())})  # fmt: skip
            yield position("tile", before)
        elif any(isinstance(m, Put | Skip) for m in options):
            puts = [m for m in options if isinstance(m, Put)]
            cell = tuple(moves[-1]["cell"])
            if not puts or dice.random() < 0.4:
                game.push(next(m for m in options if isinstance(m, Skip)))
            else:
                move = dice.choice(puts)
                shown = (*before, FigureAt(f"m{900 + number}", moves[-1]["player"], cell, move.feature, move.location))
                if move.feature == "FlyingMachine":
                    moves[-1]["flight"] = {"at_meeple": number, "landing": None}
                    yield position("meeple on the machine", shown)
                    game.push(move)
                    die = dice.choice((1, 1, 2, 2, 3, 3))
                    moves[-1]["flight"] |= {"die": die, "at_die": number}
                    yield position("die", shown)
                    game.push(Roll(die))
                else:
                    moves[-1]["meeple"] = {"at": number, "feature": move.feature, "location": move.location}
                    game.push(move)
                    key = next((k for k in _spots(game.state.board) if k not in names and k[1][:2] == cell), None)
                    if key is not None:
                        names[key] = shown[-1].id
                    yield position("meeple", shown)
            moves[-1]["points"] = list(game.scores.values())
            left_there = figures(game.state.board)
            if set(left_there) != set(shown) and game.state.phase != "land":
                yield position("settled", left_there)
        else:
            move = dice.choice(options)
            game.push(move)
            moves[-1]["points"] = list(game.scores.values())
            if isinstance(move, Land):
                new = [f for f in figures(game.state.board) if f not in before]
                if new:
                    moves[-1]["flight"]["landing"] = {"cell": list(new[0].cell), "feature": new[0].feature}
            yield position("landed", figures(game.state.board))


def _spots(board: Board) -> list[tuple[int, Any]]:
    return [(m.player, m.spot) for f in board.features.values() for m in f.meeples]


def _fits(game: Game, draw: Draw, left: int, top: int, columns: int, rows: int) -> bool:
    cells = [cell for cell, _ in game.state.board.fits(draw.tile)]
    return any(left <= x < left + columns and top <= y < top + rows for x, y in cells)


def fairplay_positions(seed: int, columns: int, rows: int, players: int | None = None) -> list[Position]:
    """A race position by position, until the track would leave the box of cells or meet itself: of some races the one
    that goes on longest."""
    races = (list(_race_positions(seed + 100_000 * k, columns, rows, players)) for k in range(RACES))
    return max(races, key=len)


RACES = 8


def _race_positions(seed: int, columns: int, rows: int, seats: int | None) -> Iterator[Position]:
    table = RaceTable(seed)
    least, most = (seats, seats) if seats else (2, 4)
    while "tile_shape" in table.options["house_rules"] or not least <= table.options["players"] <= most:
        seed += 7_000_001
        table = RaceTable(seed)
    table.told_ways = 1.0
    while not table.game.is_over and len(table.game.moves) < 250:
        table.move()
    game = game_of(table.options)
    players = table.options["players"]
    turns: list[dict[str, Any]] = []
    cards: list[CardAt] = []
    die: int | None = random.Random(seed).choice((1, 2, 3))
    offered = 0
    yield _race("start", game.state, players, [], die, turns)
    for number, move in enumerate(table.game.moves):
        game.push(move)
        state = game.state
        note = ""
        match move:
            case RaceRoll(player=player, value=value):
                die, note = value, "die"
                turns.append({"turn": len(turns) + 1, "player": player, "die": value, "at_die": number, "card": None})
            case Lay():
                note = "tile"
            case Step():
                note = "car moved"
            case Offer(player=player, to=to):
                offered += 1
                cards = [*cards, CardAt(f"card{offered:02d}", "back", to, False)]
                turns[-1]["card"] = {"offered_by": player, "offered_to": to}
                note = "card offered"
            case Reveal(player=player, card=card):
                turned = [c for c in cards if not c.face_up]
                cards = [c for c in cards if c.face_up]
                if turned:
                    cards.append(replace(turned[-1], kind=card, owner=player, face_up=True))
                note = "card up"
            case _:
                lying = [k for faceup in state.faceup for k in faceup]
                kept = []
                for c in cards:
                    if not c.face_up or c.kind in lying:
                        kept.append(c)
                        if c.kind in lying:
                            lying.remove(c.kind)
                if kept != cards:
                    cards, note = kept, "card away"
        if turns:
            turns[-1]["positions"] = list(state.positions)
        if note:
            shown = _race(note, state, players, cards, die, turns)
            if not _inside(shown.tiles, columns, rows):
                return
            yield shown


def _race(note: str, state: Any, players: int, cards: list[CardAt], die: int | None, turns: list) -> Position:
    tiles = _chain(state)
    last = len(tiles) - 1
    cars = tuple(FigureAt(f"car_{p}", p, index=at) for p, at in enumerate(state.positions, 1) if at <= last)
    return Position("fairplay", players, note, len(turns), state.player, tiles, cars, cards=tuple(cards), die=die,
                    points=tuple(state.positions), moves=tuple({**t} for t in turns))  # fmt: skip


_SIDE = {(1, 0): "E", (0, 1): "S", (-1, 0): "W", (0, -1): "N"}


def _chain(state: Any) -> tuple[TileAt, ...]:
    here, heading = (0, 0), (1, 0)
    out = []
    for i, kind in enumerate(state.track):
        way = state.ways[i] if kind == "road.curve" else "straight"
        after = _turn(heading, way)
        out.append(TileAt(kind, here, 0, i, _SIDE[-heading[0], -heading[1]], _SIDE[after]))
        here, heading = _ahead(here, after), after
    return tuple(out)


def _inside(tiles: tuple[TileAt, ...], columns: int, rows: int) -> bool:
    cells = [t.cell for t in tiles]
    if len(set(cells)) < len(cells) or any(t.kind == "road.curve" and t.entry == _SIDE_BACK[t.exit] for t in tiles):
        return False
    xs, ys = [c[0] for c in cells], [c[1] for c in cells]
    return max(xs) - min(xs) < columns and max(ys) - min(ys) < rows


_SIDE_BACK = {"N": "S", "S": "N", "E": "W", "W": "E"}
