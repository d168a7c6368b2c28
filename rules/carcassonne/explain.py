"""How the table came to look as it does: the legal moves that account for everything new in a still.

Between two stills several things may have happened, and some of them cannot be seen (that nobody put a meeple). From
the position before, every sequence of legal moves is tried that uses up the new tiles, the new meeples and the throw of
the die. One that leaves nothing unaccounted for is better than one that does; of those that are left, each has a weight
from where the meeples stand. When one of them has nearly all of the weight it is what happened; else it must be asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rules.carcassonne.board import Meeple
from rules.carcassonne.geometry import Cell
from rules.carcassonne.lattice import SeenTile, same
from rules.carcassonne.legal import landings, target
from rules.carcassonne.moves import Draw, Land, Move, Place, Put, Roll, Skip
from rules.carcassonne.play import apply, completed
from rules.carcassonne.refusals import why_illegal
from rules.carcassonne.sight import Place as Where
from rules.carcassonne.sight import SeenMeeple, Sight
from rules.carcassonne.state import Setup, State
from rules.carcassonne.tiles import TILES, Part
from vision.scene import Point

STANDS = 0.15
"""A meeple that stood somewhere is still taken to stand there while that is at least so likely: it may be pushed."""
SAME_SPOT = 6.0
"""A meeple no farther than this (map units) from where it was when it was put has not been moved. A meeple covers 10 to
16 of them."""
POSSIBLE = 0.1
"""A place less likely than this is not considered for a meeple."""
ILLEGAL = 0.2
"""Before anything is known of where it stands, how much less likely than a legal place each illegal one is. People do
put meeples on occupied fields, but not often; a prior."""
MANY = 4
"""More new tiles than these are not explained one by one: their orders are too many (4 have 24)."""


@dataclass(frozen=True)
class Due:
    """A meeple that must come back to its player's supply."""

    player: int
    place: Where


@dataclass
class Told:
    """What the players answered."""

    places: dict[str, Where | None] = field(default_factory=dict)
    """What a meeple (by piece) stands on; None: it does not count and is taken away again."""
    colours: dict[str, str] = field(default_factory=dict)
    """The colour of a meeple (by piece)."""
    where: dict[str, tuple[Cell, Point]] = field(default_factory=dict)
    """Where a meeple (by piece) stood when that was said of it: it holds while it stands there."""
    first: list[str] = field(default_factory=list)
    """Tiles (by piece) that were laid before others that turned up with them."""
    tiles: dict[str, str] = field(default_factory=dict)
    """What a tile (by piece) is; `not_in_play` when it is none of the game's."""
    turns: dict[str, int] = field(default_factory=dict)
    """How a tile (by piece) is turned: the engine's rotation."""
    die: int | None = None
    """What was rolled in this turn."""
    grounded: bool = False
    """The die was not thrown in this turn: nobody took the machine."""
    landed: Where | None = None
    """Where the flyer of this turn landed."""

    def forget(self, sight: Sight) -> None:
        """What was said of meeples that do not stand there any more is no longer so: they may be used again."""
        standing = {seen.piece: (seen.cell, seen.at) for seen in sight.meeples}
        for piece in list(self.places.keys() | self.colours.keys()):
            now, then = standing.get(piece), self.where.get(piece)
            if now is None or (then is not None and (now[0] != then[0] or math.dist(now[1], then[1]) > SAME_SPOT)):
                self.places.pop(piece, None)
                self.colours.pop(piece, None)
                self.where.pop(piece, None)
            elif then is None:
                self.where[piece] = now


@dataclass(frozen=True)
class Step:
    """One move, and the piece that shows it."""

    move: Move
    piece: str = ""
    inferred: bool = False


@dataclass(frozen=True)
class Plan:
    """One way in which it may have happened."""

    steps: tuple[Step, ...]
    state: State
    weight: float
    tiles: tuple[SeenTile, ...]
    """Not accounted for."""
    meeples: tuple[SeenMeeple, ...]
    """Not accounted for."""
    unexplained: int = 0
    """Meeples that are gone though nothing says that they had to go."""

    @property
    def left(self) -> tuple[int, int]:
        return len(self.tiles) + len(self.meeples), self.unexplained


@dataclass(frozen=True)
class Evidence:
    """What is new in a still, against a position."""

    tiles: tuple[SeenTile, ...]
    meeples: tuple[SeenMeeple, ...]
    gone: frozenset[Meeple]
    """Meeples of the board that are not seen, though their tile is."""
    stays: Mapping[Where, str]
    """What stands where it stood: place to piece."""
    back: tuple[Due, ...]
    """Meeples that had to come back, and are not seen any more."""


Spots = Mapping[tuple[int, Where], tuple[Cell, Point]]
"""Player and place of a meeple to the tile and the point of its face where it was last seen."""


def evidence(state: State, sight: Sight, due: Sequence[Due], colours: Sequence[str], spots: Spots) -> Evidence:
    """Compares a still with a position. `colours`: of player 1, 2 ..."""
    board = state.board.tiles
    tiles = tuple(tile for cell, tile in sorted(sight.tiles.items()) if cell not in board)
    standing: list[tuple[int, Where, Meeple | Due | None]] = [
        (m.player, ((m.spot.x, m.spot.y), m.spot.part), m) for m in state.meeples()
    ]
    standing += [(d.player, d.place, d) for d in due]
    if state.flyer is not None and state.cell is not None:
        standing.append((state.player, (state.cell, machine_of(state, state.cell)), None))
    pairs = sorted(
        (
            (weight, i, k)
            for i, (player, place, _) in enumerate(standing)
            for k, seen in enumerate(sight.meeples)
            if seen.colour == colours[player - 1]
            and (weight := _still(seen, place, spots.get((player, place)))) >= STANDS
        ),
        reverse=True,
    )
    taken: dict[int, int] = {}
    used: set[int] = set()
    for _, i, k in pairs:
        if i not in taken and k not in used:
            taken[i] = k
            used.add(k)
    gone, back = set(), []
    for i, (_, place, what) in enumerate(standing):
        if i not in taken and place[0] in sight.tiles:
            if isinstance(what, Meeple):
                gone.add(what)
            elif isinstance(what, Due):
                back.append(what)
    return Evidence(
        tiles=tiles,
        meeples=tuple(seen for k, seen in enumerate(sight.meeples) if k not in used),
        gone=frozenset(gone),
        stays={standing[i][1]: sight.meeples[k].piece for i, k in taken.items()},
        back=tuple(back),
    )


def _still(seen: SeenMeeple, place: Where, spot: tuple[Cell, Point] | None) -> float:
    """How likely a meeple is the one that stood on a place: 1 to 2 when it is where that one was seen."""
    if spot is not None and spot[0] == seen.cell and (apart := math.dist(spot[1], seen.at)) <= SAME_SPOT:
        return 2 - apart / SAME_SPOT
    return seen.weight(place)


def machines(state: State) -> frozenset[Where]:
    """The flying machines on the board: a meeple that lands cannot be meant to stand on one."""
    return frozenset(
        (cell, number)
        for cell, laid in state.board.tiles.items()
        if laid.flight is not None
        for number, part in enumerate(laid.parts)
        if part.kind == "FlyingMachine"
    )


def machine_of(state: State, cell: Cell) -> int:
    """The number of the flying machine among a tile's parts."""
    return next(i for i, part in enumerate(state.board.tiles[cell].parts) if part.kind == "FlyingMachine")


class Explainer:
    """Looks for the ways from a position to a still. `thrown`: what the die shows when it was thrown in this turn."""

    def __init__(self, setup: Setup, colours: Sequence[str], thrown: int | None, told: Told) -> None:
        self.setup, self.colours, self.thrown, self.told = setup, colours, thrown, told

    def plans(self, state: State, seen: Evidence) -> list[Plan]:
        """The best ways, heaviest first: at least one, if only one that explains nothing. Their weights sum up to 1 at
        most; what is missing goes to what the rules forbid."""
        tiles = seen.tiles if len(seen.tiles) <= MANY else ()
        found: dict[tuple[Step, ...], Plan] = {}
        for plan in self._from(state, (), 1.0, tiles, seen.meeples, seen.gone):
            if plan.steps not in found or found[plan.steps].left > plan.left:
                found[plan.steps] = plan
        least = min(plan.left for plan in found.values())
        best = [plan for plan in found.values() if plan.left == least]
        if least != (0, 0):  # what does not account for everything need not account for more than is seen
            shortest = min(len(plan.steps) for plan in best)
            best = [plan for plan in best if len(plan.steps) == shortest]
        total = max(sum(plan.weight for plan in best), 1.0)
        best = [replace(plan, weight=plan.weight / total) for plan in best]
        return sorted(best, key=lambda plan: (-plan.weight, len(plan.steps)))

    def _from(
        self,
        state: State,
        steps: tuple[Step, ...],
        weight: float,
        tiles: tuple[SeenTile, ...],
        meeples: tuple[SeenMeeple, ...],
        gone: frozenset[Meeple],
    ) -> Iterator[Plan]:
        unexplained = 0
        if state.phase == "meeple":
            unexplained = len(gone & _returning(state))
        if state.phase != "roll" or self.thrown is None:
            yield Plan(steps, state, weight, tiles, meeples, unexplained)
        for step, left, share, used in self._next(state, tiles, meeples, gone):
            if why_illegal(state, self.setup, step.move) is None:
                rest = tuple(t for t in tiles if t.piece != step.piece) if used else tiles
                if steps and steps[-1].inferred and isinstance(step.move, Roll):
                    step = replace(step, inferred=True)
                after = apply(state, self.setup, step.move)
                yield from self._from(after, (*steps, step), weight * share, rest, left, gone)

    def _next(
        self,
        state: State,
        tiles: tuple[SeenTile, ...],
        meeples: tuple[SeenMeeple, ...],
        gone: frozenset[Meeple],
    ) -> Iterator[tuple[Step, tuple[SeenMeeple, ...], float, bool]]:
        """Each possible next step, what is left of the meeples, its share of the weight, and whether it uses a tile."""
        match state.phase:
            case "draw":
                for tile in self._order(tiles):
                    if any(tile.rotation in turns and cell == tile.cell for cell, turns in _fits(state, tile.tile)):
                        yield Step(Draw(tile.tile), ""), meeples, 1.0, False
            case "place":
                for tile in self._order(tiles):
                    if tile.tile == state.tile and tile.cell is not None and tile.rotation is not None:
                        yield Step(Place(*tile.cell, tile.rotation), tile.piece), meeples, 1.0, True
            case "meeple":
                yield from ((step, left, share, False) for step, left, share in self._puts(state, meeples))
                yield from ((step, meeples, 1.0, False) for step in self._unseen(state, tiles, meeples, gone))
            case "roll" if self.thrown is not None:
                yield Step(Roll(self.thrown)), meeples, 1.0, False
            case "land":
                yield from ((step, left, share, False) for step, left, share in self._landings(state, meeples))
                if self.told.landed is not None:
                    (x, y), number = self.told.landed
                    part = state.board.tiles[x, y].parts[number]
                    yield Step(Land(part.kind, part.location)), meeples, 1.0, False
                elif tiles and not self.setup.rules.landing_mandatory:
                    yield Step(Skip(), inferred=True), meeples, 1.0, False

    def _order(self, tiles: tuple[SeenTile, ...]) -> Sequence[SeenTile]:
        """Which tiles may come next: those that the players say came before others come before them."""
        early = [tile for tile in tiles if tile.piece in self.told.first]
        if early:
            return [min(early, key=lambda tile: self.told.first.index(tile.piece))]
        return tiles

    def _mine(self, state: State, seen: SeenMeeple) -> bool:
        """Whether a meeple may be of the player whose turn it is."""
        colour = self.told.colours.get(seen.piece, seen.colour)
        return colour == self.colours[state.player - 1]

    def _shares(
        self, seen: SeenMeeple, allowed: Mapping[Where, Part], nowhere: frozenset[Where] = frozenset()
    ) -> Iterator[tuple[Part, float]]:
        """The allowed parts that a meeple may stand on, and how likely each is. `nowhere`: parts nobody can mean."""
        if seen.piece in self.told.places:
            place = self.told.places[seen.piece]
            if place is not None and place in allowed:
                yield allowed[place], 1.0
            return
        legal = {place: weight for place, weight in seen.weights.items() if place in allowed}
        total = sum(legal.values())
        total += ILLEGAL * (sum(weight for place, weight in seen.weights.items() if place not in nowhere) - total)
        for place, weight in legal.items():
            if weight / total >= POSSIBLE:
                yield allowed[place], weight / total

    def _puts(
        self, state: State, meeples: tuple[SeenMeeple, ...]
    ) -> Iterator[tuple[Step, tuple[SeenMeeple, ...], float]]:
        assert state.cell is not None
        allowed = {
            (state.cell, number): part
            for number, part in enumerate(state.board.tiles[state.cell].parts)
            if why_illegal(state, self.setup, Put(part.kind, part.location)) is None
            and not (part.kind == "FlyingMachine" and self.told.grounded)
        }
        for seen in meeples:
            if self._mine(state, seen):
                left = tuple(other for other in meeples if other is not seen)
                for part, share in self._shares(seen, allowed):
                    yield Step(Put(part.kind, part.location), seen.piece), left, share

    def _landings(
        self, state: State, meeples: tuple[SeenMeeple, ...]
    ) -> Iterator[tuple[Step, tuple[SeenMeeple, ...], float]]:
        allowed = {((spot.x, spot.y), spot.part): part for spot, part in landings(state, self.setup)}
        for seen in meeples:
            if self._mine(state, seen):
                left = tuple(other for other in meeples if other is not seen)
                for part, share in self._shares(seen, allowed, machines(state)):
                    yield Step(Land(part.kind, part.location), seen.piece), left, share

    def _unseen(
        self, state: State, tiles: tuple[SeenTile, ...], meeples: tuple[SeenMeeple, ...], gone: frozenset[Meeple]
    ) -> Iterator[Step]:
        """How the turn may have gone on without a new meeple on the tile that was laid."""
        assert state.cell is not None
        flies = TILES[state.board.tiles[state.cell].tile.id].flight is not None
        if flies and self.thrown is not None and state.has(state.player, "meeple"):
            assert self.thrown is not None
            rolled = replace(state, phase="land", flyer="meeple", die=self.thrown)
            cell = target(rolled, self.setup)
            landed = any(self._mine(state, seen) and seen.cell == cell for seen in meeples)
            if landings(rolled, self.setup) and landed:
                yield Step(Put("FlyingMachine"), inferred=True)
                return
            if not landings(rolled, self.setup) and tiles:
                yield Step(Put("FlyingMachine"), inferred=True)
                return
        forced = not state.has(state.player, "meeple") and not state.has(state.player, "abbot")
        if tiles or gone & _returning(state) or forced:
            yield Step(Skip(), inferred=not forced)


def _fits(state: State, tile: str) -> Iterator[tuple[Cell, tuple[int, ...]]]:
    if tile in TILES:
        yield from state.board.fits(tile)


def _returning(state: State) -> frozenset[Meeple]:
    """Meeples that come back when the turn is over, whatever else happens in it."""
    return frozenset(m for spot in completed(state) for m in state.board.at(spot).meeples)


def first_difference(plans: Sequence[Plan]) -> int:
    """How many steps all plans begin with alike."""
    shared = 0
    for steps in zip(*(plan.steps for plan in plans), strict=False):
        if any(step.move != steps[0].move for step in steps):
            break
        shared += 1
    return shared


def unchanged(tile: SeenTile, name: str, rotation: int) -> bool:
    """Whether a tile that is seen may be the one that lies there."""
    if tile.tile not in TILES:
        return True
    return tile.tile == name and (tile.rotation is None or same(name, tile.rotation, rotation))
