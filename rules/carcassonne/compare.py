"""Whether this engine agrees with a recorded game, at every step and at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from rules.carcassonne.board import Spot
from rules.carcassonne.game import Game
from rules.carcassonne.legal import target
from rules.carcassonne.moves import Draw, Land, Move, Place, Put, Roll, Skip
from rules.carcassonne.recording import EndStep, Final, MeepleStep, Points, Recording, TileStep, Where
from rules.carcassonne.scoring import Line, owners
from rules.carcassonne.tiles import Kind
from rules.engine import IllegalMoveError

Places = frozenset[tuple[int, int, str]]
"""All parts of a feature: x, y, location."""


@dataclass(frozen=True)
class Disagreement:
    """Where a recording and this engine part."""

    step: int | None
    """Index in `steps`; None at the end of the game."""
    what: str
    recorded: str
    here: str
    table: str
    """The table in text at that moment."""

    def __str__(self) -> str:
        where = "at the end" if self.step is None else f"at step {self.step}"
        return f"{where}, {self.what}\n  recorded: {self.recorded}\n  here:     {self.here}\n{self.table}"


@dataclass(frozen=True)
class Comparison:
    """How often what was compared and agreed, by name; and the first disagreement."""

    agreed: Counter[str]
    disagreement: Disagreement | None = None


def compare(recording: Recording) -> Comparison:
    """Replay a recording and compare all that it holds, up to the first disagreement.

    Raises ValueError when there is no such game: seven players.
    """
    replay = _Replay(recording)
    try:
        replay.run()
    except _PartedError as parted:
        return Comparison(replay.agreed, parted.disagreement)
    return Comparison(replay.agreed)


class _PartedError(Exception):
    def __init__(self, disagreement: Disagreement) -> None:
        self.disagreement = disagreement
        super().__init__(str(disagreement))


class _Replay:
    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.game = Game(recording.players, tiles="C1" if recording.edition == 1 else "C2")
        self.agreed: Counter[str] = Counter()
        self.step: int | None = None
        self.discards: Counter[str] = Counter()
        """What the next end of a turn lists as discarded, and was not yet."""

    def run(self) -> None:
        for i, step in enumerate(self.recording.steps):
            self.step = i
            match step:
                case TileStep():
                    self._tile(step, i)
                case MeepleStep():
                    self._meeple(step, i)
                case EndStep():
                    self._end(step)
        self.step = None
        self._final(self.recording.final)

    # -- steps --------------------------------------------------------------------------------------------------

    def _tile(self, step: TileStep, i: int) -> None:
        self._look_ahead(i)
        for tile in self._discards_here():
            self._discard(tile)
        self._same("player", step.player + 1, self.game.turn)
        self._push(Draw(step.tile))
        places = [(m.x, m.y, m.rotation) for m in self.game.legal() if isinstance(m, Place)]
        self._same_sets("placements", step.legal, places)
        self._push(Place(*step.choice))
        if not self._meeple_follows(i):
            self._same_sets("meeple places", [], self._places())
            self._push(Skip())

    def _meeple(self, step: MeepleStep, i: int) -> None:
        self._same("player", step.player + 1, self.game.turn)
        landing = self.game.state.phase == "land"
        self._same_sets("landings" if landing else "meeple places", step.legal, self._places())
        self._same("may pass", step.can_pass, any(isinstance(move, Skip) for move in self.game.legal()))
        if step.choice is None:
            self._push(Skip())
        else:
            _, _, feature, location = step.choice
            self._push(Land(feature, location) if landing else Put(feature, location))
        if step.die is not None:
            self._push(Roll(step.die))
            if not self._meeple_follows(i):
                self._same_sets("landings", [], self._places())

    def _end(self, step: EndStep) -> None:
        for tile in list(self.discards.elements()):
            self._discard(tile)
        state = self.game.state
        self._same("points", tuple(step.points), state.points)
        self._same("supplies", tuple(step.supply), state.supply)
        told, out = Counter(step.discarded), Counter(state.discarded)
        self._same("discarded", sorted(told.elements()), sorted((told & out).elements()))

    def _meeple_follows(self, i: int) -> bool:
        steps = self.recording.steps
        return i + 1 < len(steps) and isinstance(steps[i + 1], MeepleStep)

    def _places(self) -> list[Where]:
        """Where a meeple may be put or land now."""
        state = self.game.state
        cell = target(state, self.game.setup) if state.phase == "land" else state.cell
        moves = [move for move in self.game.legal() if isinstance(move, Put | Land)]
        return [(*cell, move.feature, move.location) for move in moves] if cell else []

    # -- tiles that fit nowhere ---------------------------------------------------------------------------------

    def _look_ahead(self, i: int) -> None:
        """Tiles are discarded before a turn's tile is drawn or after its end; both are told at its end.

        Recordings list all discarded tiles so far; a list that lacks earlier ones holds those of the turn alone.
        """
        ends = (step for step in self.recording.steps[i:] if isinstance(step, EndStep))
        told = Counter(end.discarded) if (end := next(ends, None)) else Counter()
        before = Counter(self.game.state.discarded)
        self.discards = told - before if before <= told else told

    def _discards_here(self) -> list[str]:
        fits = self.game.state.board.fits
        return [tile for tile in self.discards.elements() if self.game.state.stock.get(tile) and not any(fits(tile))]

    def _discard(self, tile: str) -> None:
        self._push(Draw(tile))
        self.discards -= Counter([tile])
        if self.game.state.phase == "place":
            where = [(m.x, m.y, m.rotation) for m in self.game.legal() if isinstance(m, Place)]
            self._part("a tile that fits nowhere", f"{tile} was discarded", f"it can be laid at {where}")

    # -- the end ------------------------------------------------------------------------------------------------

    def _final(self, final: Final) -> None:
        for tile in list(Counter(self.game.state.stock).elements()):
            if not self.game.is_over:
                self._discard(tile)
        self._same("end of the game", True, self.game.is_over)
        self._same("totals", tuple(final.points), self.game.state.points)
        here: dict[tuple[Kind, Places], tuple[list[int], int | None]] = {}
        for feature in self.game.features():
            cities = len(set(feature.cities)) if feature.kind == "Field" else None
            here[feature.kind, self._at(feature.spots)] = ([owner - 1 for owner in owners(feature)], cities)
        recorded = {(f.type, frozenset(f.places)): (sorted(f.owners), f.cities) for f in final.features}
        self._same_sets("features", list(recorded), list(here))
        for (kind, places), (who, cities) in recorded.items():
            name = f"{kind} at {sorted(places)[0]}"
            self._same("owners", f"{name}: {who}", f"{name}: {here[kind, places][0]}")
            if kind == "Field":
                self._same("city parts beside a field", f"{name}: {cities}", f"{name}: {here[kind, places][1]}")
        left = [(m.player, *m.position, m.feature, m.location) for m in final.meeples]
        self._same("meeples left", sorted(left), sorted(self._left()))
        if final.final_events is not None:
            told = [points for event in final.final_events for points in event.points]
            self._same_counts("final scoring", map(self._told, told), map(self._scored, self._last_lines()))

    def _left(self) -> list[tuple[int, int, int, Kind, str]]:
        board = self.game.state.board
        parts = [(meeple, board.part(meeple.spot)) for meeple in self.game.meeples()]
        return [(m.player - 1, m.spot.x, m.spot.y, part.kind, part.location) for m, part in parts]

    def _at(self, spots: Iterable[Spot]) -> Places:
        return frozenset((spot.x, spot.y, self.game.state.board.part(spot).location) for spot in spots)

    def _last_lines(self) -> list[Line]:
        return [line for line in self.game.state.lines if line.turn > self.game.state.turn]

    def _told(self, points: Points) -> Hashable:
        part = (*points.ptr.position, points.ptr.location)
        features = (f for f in self.recording.final.features if f.type == points.ptr.feature and part in f.places)
        places = frozenset(next(features).places)
        items = frozenset((item.name, item.count) for item in points.items)
        return points.player, points.points, points.name, items, places

    def _scored(self, line: Line) -> Hashable:
        items = {"pennants": line.pennants, "cities": len(line.cities)}
        if line.rule != "field":
            items["tiles"] = len(line.cells)
        counted = frozenset((name, count) for name, count in items.items() if count)
        return line.player - 1, line.points, line.rule, counted, self._at(line.spots)

    # -- comparing ----------------------------------------------------------------------------------------------

    def _push(self, move: Move) -> None:
        try:
            self.game.push(move)
        except IllegalMoveError as error:
            self._part("a move that is refused here", str(move), str(error))

    def _same(self, what: str, recorded: object, here: object) -> None:
        if recorded != here:
            self._part(what, str(recorded), str(here))
        self.agreed[what] += 1

    def _same_sets(self, what: str, recorded: Sequence[Hashable], here: Sequence[Hashable]) -> None:
        self._same_counts(what, set(recorded), here)

    def _same_counts(self, what: str, recorded: Iterable[Hashable], here: Iterable[Hashable]) -> None:
        theirs, mine = Counter(recorded), Counter(here)
        if theirs != mine:
            self._part(what, _difference(theirs, mine), _difference(mine, theirs))
        self.agreed[what] += 1

    def _part(self, what: str, recorded: str, here: str) -> None:
        raise _PartedError(Disagreement(self.step, what, recorded, here, str(self.game)))


def _difference(one: Counter[Hashable], other: Counter[Hashable]) -> str:
    """All of the one, and what of it the other lacks."""
    only = sorted(map(_words, (one - other).elements()))
    return f"{len(list(one.elements()))}, of them only here: {'; '.join(only) or 'none'}"


def _words(thing: object) -> str:
    if isinstance(thing, frozenset):
        return "{" + ", ".join(sorted(map(str, thing))) + "}"
    return "(" + ", ".join(map(_words, thing)) + ")" if isinstance(thing, tuple) else str(thing)
