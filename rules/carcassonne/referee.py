"""The referee of Carcassonne: scenes and answers in, rulings and questions out (`rules.protocol.BoardReferee`).

What is decided is pushed into a `Game`, move by move. Every still is compared with the position of the game: `settling`
finds the moves that account for what is new, `faults` says what nothing accounts for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rules.asking import Asking
from rules.carcassonne import settling
from rules.carcassonne.corrections import correct, refused
from rules.carcassonne.explain import Due, Step, Told
from rules.carcassonne.flags import Flag
from rules.carcassonne.game import Game
from rules.carcassonne.geometry import Cell
from rules.carcassonne.house_rules import HouseRuleError, HouseRules
from rules.carcassonne.lattice import PREFIX, Frame, starts
from rules.carcassonne.legal import target
from rules.carcassonne.maps import FeatureMap, common
from rules.carcassonne.moves import Draw, Land, Place, Put, Skip
from rules.carcassonne.play import completed
from rules.carcassonne.rulings import Words
from rules.carcassonne.scoring import Line, lines
from rules.carcassonne.sight import Eye, Sight
from rules.carcassonne.sight import Place as Where
from rules.carcassonne.state import State
from rules.carcassonne.tiles import TILES, counts
from rules.carcassonne.view import view_of
from rules.protocol import Answer, Message, Output, Param, Ruling, View
from rules.session import Session
from vision.scene import BACK, UNKNOWN, Point, Scene


class CarcassonneReferee:
    """Referees one session.

    Raises ValueError (`HouseRuleError` for a house rule) when the session describes no game.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.rules = HouseRules.of(session.house_rules)
        self.names = [player.name for player in session.player]
        self.colours = [player.colour for player in session.player]
        self.game = new_game(session, self.rules)
        self.asking = Asking()
        self.told = Told()
        self.eye = Eye(maps_of(session), self.rules.ask_below_confidence)
        self.sight: Sight | None = None
        self.steps: list[Step] = []
        """What shows each move of the game."""
        self.spots: dict[tuple[int, Where], tuple[Cell, Point]] = {}
        """Where each meeple of the game (by player and place) was last seen: its tile, and the point of its face."""
        self.due: list[tuple[Due, int]] = []
        """Meeples that must come back, and the number of the move that said so."""
        self.returned: list[tuple[Due, int]] = []
        """Those that did; they may turn out to be still there."""
        self.flags: list[Flag] = []
        """What is wrong on the table now."""
        self.flagged: set[tuple[str, ...]] = set()
        """What was ruled to be wrong and is so still."""
        self.lit: list[Line] = []
        """What was scored last."""
        self.agreed = dict.fromkeys(self.names, 0)
        """Points given or taken by the table."""
        self.closed = False
        """The players ended the game before the last tile was laid."""
        self.baseline: int | None = None
        """Throws of the die before the tile of this turn was laid; None when no die had been seen."""
        self.throws_before: int | None = None
        self.throws_now: int | None = None
        self.die_of_turn = self.die_before = self.die_now = ""
        """Which piece was the die when the tile of this turn was laid, in the still before, and in the last still."""
        self.unseen: dict[str, int] = {}
        """Stills in a row in which something was not seen that should be, or not as it was."""
        self.die_doubtful = False
        """It was handled in this turn, and it cannot be told whether it was thrown, or what it shows."""
        self.dismissed: set[tuple[str, ...]] = set()
        """Questions about changed tiles that the players answered."""
        self.heard: set[tuple[str, ...]] = set()
        """Questions that were answered since the last still: not to be asked again about the same."""
        self.start_scene: Scene | None = None
        """A still that shows several tiles which may be the start tile."""
        self._announced = False
        self._frames: dict[float, Mapping[int, Frame]] = {}
        self._on: dict[float, dict[str, Where]] = {}
        """What each meeple stood on, by the time of the scene."""

    # -- the protocol -------------------------------------------------------------------------------------------

    def see(self, scene: Scene) -> tuple[Output, ...]:
        """What is to be said of a still."""
        out: list[Output] = []
        if not self._announced:
            self._announced = True
            out.append(self._opening(scene.t))
        return (*out, *self._look(scene))

    def answer(self, answer: Answer) -> tuple[Output, ...]:
        """What follows from an answer; nothing when its question is not open (any more)."""
        if answer.question is None:
            return tuple(correct(self, answer))
        question = self.asking.get(answer.question)
        if question is None:
            return ()
        if answer.choice not in question.options:
            words: dict[str, Param] = {"value": answer.choice, "options": ", ".join(question.options)}
            return (refused(answer.t, Message("carcassonne.refused.option", words)),)
        taken = self.asking.take(answer.question)
        assert taken is not None
        return tuple(settling.answered(self, answer.t, taken[1], answer.choice))

    def scores(self) -> dict[str, int]:
        """Points scored so far, with those of features that the tile just laid completed: whatever its player does with
        his meeple, they are due. When the game is over, with those of the final scoring."""
        points = dict(self.game.scores)
        for line in self.settled_lines():
            points[line.player] += line.points
        return {name: points[number] + self.agreed[name] for number, name in enumerate(self.names, 1)}

    def view(self) -> View:
        """What a screen needs to know."""
        return view_of(self)

    def role(self, face: str) -> str:
        """What the game calls a face's sort in the report."""
        if face.startswith(PREFIX):
            return "tile" if face.removeprefix(PREFIX) in TILES else UNKNOWN
        return face if face == BACK else UNKNOWN

    def notes(self, scene: Scene) -> dict[str, dict[str, Any]]:
        """The cell and rotation of each tile as people count them, and what each meeple stands on (None: no tile)."""
        frames, on = self._frames.get(scene.t, {}), self._on.get(scene.t, {})
        out: dict[str, dict[str, Any]] = {}
        for piece in scene.pieces:
            if piece.kind == "meeple":
                where = on.get(piece.id)
                out[piece.id] = {"on": None if where is None else self._feature(where)}
            elif piece.kind == "tile" and piece.cell is not None:
                out[piece.id] = _tile_note(frames.get(piece.lattice), piece.cell, piece.rotation)
        return out

    # -- for its helpers ----------------------------------------------------------------------------------------

    @property
    def words(self) -> Words:
        """To put moves into rulings."""
        frame = self.eye.frame
        assert frame is not None
        return Words(self.names, frame, {cell: piece for piece, cell in self.eye.pieces.items()})

    @property
    def over(self) -> bool:
        return self.closed or self.game.is_over

    @property
    def turn_name(self) -> str:
        """Whose turn it is."""
        return self.names[self.game.state.player - 1]

    def settled_lines(self) -> list[Line]:
        """What is due for features that the tile of the running turn completed; with a game that was ended early, what
        the meeples on the table are worth besides."""
        state, setup = self.game.state, self.game.setup
        out: list[Line] = []
        if state.phase in ("meeple", "roll", "land"):
            for spot in completed(state):
                out += lines(state.board, state.board.at(spot), setup.rules, state.turn)
        if self.closed:
            told = {line.spots for line in out}
            out += [line for own in self.game.outlook().values() for line in own if line.spots not in told]
        return out

    def remember_places(self, t: float, on: dict[str, Where]) -> None:
        """What each meeple stands on in the scene of that time."""
        self._on[t] = on

    def push(self, t: float, step: Step, again: bool = False) -> list[Output]:
        """Makes a move and says what is to be said of it."""
        before = self.game.state
        self.game.push(step.move)
        after, number = self.game.state, len(self.game.moves)
        self.steps.append(step)
        out: list[Output] = []
        if isinstance(step.move, Draw) and len(after.discarded) > len(before.discarded):
            out.append(self.words.discard(t, before.player, step.move.tile, step.piece))
        if isinstance(step.move, Put | Land):
            self._spot(before, step)
        if isinstance(step.move, Place):
            self.baseline, self.die_of_turn = self.throws_before, self.die_before
            self.die_doubtful = False
            self.lit.clear()
            if step.piece:
                self.eye.pieces[step.piece] = (step.move.x, step.move.y)
        out += self.words.told(t, step.move, before, after, step.piece, step.inferred, again)
        scored = after.lines[len(before.lines) :]
        out += [self.words.score(t, line, line.turn > before.turn) for line in scored if line.points]
        done = {line.spots: line.meeples for line in scored if line.turn == before.turn}
        for meeples in done.values():
            self.due += [(Due(m.player, ((m.spot.x, m.spot.y), m.spot.part)), number) for m in meeples]
        if scored:
            self.lit = list(scored)
        flyer = before.flyer is not None or (before.phase == "roll")
        if flyer and after.flyer is None and after.supply[before.player - 1] > before.supply[before.player - 1]:
            self._crashed(before.player, before.cell, number)
        if after.phase in ("draw", "over") and before.phase not in ("draw", "over"):
            self.told.die = self.told.landed = None
            self.told.grounded = False
            self.die_doubtful = False
        if after.phase == "over" and before.phase != "over":
            scores = self.scores()
            out.append(self.words.final(t, scores, [self.names[p - 1] for p in self.game.winners]))
        return out

    def cut(self, length: int) -> None:
        """Takes back every move after the first `length`."""
        while len(self.game.moves) > length:
            self.game.pop()
            self.steps.pop()
        self.due = [(due, number) for due, number in self.due + self.returned if number <= length]
        self.returned = []
        self.lit = []

    def close(self, t: float) -> list[Output]:
        """The players end the game: what stands on the table is scored (rules 2.2), also when tiles are left."""
        out: list[Output] = []
        if self.game.state.phase == "meeple":
            out += self.push(t, Step(Skip()))
        if not self.game.is_over:
            self.closed = True
            lit = self.settled_lines()
            out += [self.words.score(t, line, final=True) for line in lit if line.points]
            scores = self.scores()
            best = max(scores.values())
            out.append(self.words.final(t, scores, [name for name in self.names if scores[name] == best]))
        self.flags = []
        return out

    # -- its own ------------------------------------------------------------------------------------------------

    def _spot(self, before: State, step: Step) -> None:
        """Where the meeple that was just put stands."""
        assert isinstance(step.move, Put | Land)
        cell = before.cell if isinstance(step.move, Put) else target(before, self.game.setup)
        assert cell is not None
        parts = self.game.state.board.tiles[cell].parts
        named = (step.move.feature, step.move.location)
        part = next(i for i, part in enumerate(parts) if (part.kind, part.location) == named)
        key = before.player, (cell, part)
        self.spots.pop(key, None)
        for seen in self.sight.meeples if self.sight is not None and step.piece else ():
            if seen.piece == step.piece:
                self.spots[key] = seen.cell, seen.at

    def _crashed(self, player: int, cell: Cell | None, number: int) -> None:
        """Rules 2.3.8: the meeple on the machine returns."""
        assert cell is not None
        parts = self.game.state.board.tiles[cell].parts
        part = next(i for i, part in enumerate(parts) if part.kind == "FlyingMachine")
        self.due.append((Due(player, (cell, part)), number))

    def _feature(self, where: Where) -> dict[str, Any] | None:
        cell, part = where
        laid = self.game.state.board.tiles.get(cell)
        if laid is None:
            return None
        return {"cell": self.words.cell(cell), "feature": laid.parts[part].kind}

    def _opening(self, t: float) -> Ruling:
        """What was agreed, told at the start (rules 2.10)."""
        changed = self.rules.changed()
        words = ", ".join(f"{name} = {value}" for name, value in changed.items())
        message = Message("carcassonne.session.changed" if changed else "carcassonne.session", {"rules": words})
        data = {"house_rules": msgspec.to_builtins(self.rules)}
        return Ruling(t=t, rule="carcassonne.session", message=message, data=data)

    def _start(self, t: float) -> Ruling:
        """Rules 2.2.1: the start tile lies."""
        assert self.sight is not None
        start = self.sight.tiles.get((0, 0))
        if start is not None:
            self.eye.pieces[start.piece] = (0, 0)
        return Ruling(
            t=t,
            rule="carcassonne.start",
            pieces=(start.piece,) if start is not None else (),
            message=Message("carcassonne.start", {"player": self.turn_name}),
        )

    def _look(self, scene: Scene) -> list[Output]:
        known = self.eye.frame is not None
        sight = self.eye.look(scene, self.game.state.board.tiles, self.told.tiles, self.told.turns)
        if sight is None:
            return [] if known else settling.ask_start(self, scene)
        out: list[Output] = []
        self.sight = sight
        if not known or not self.eye.pieces:
            self.asking.withdraw("start")
            out.append(self._start(scene.t))
        self.throws_before = self.throws_now
        self.die_before = self.die_now or self.die_before
        if sight.die is not None:
            self.throws_now, self.die_now = sight.die.throws, sight.die.piece
        out += settling.settle(self, scene.t, fresh=True)
        self._frames[scene.t] = sight.frames
        return out

    def choose_start(self, piece: str) -> list[Output]:
        """The players say which of several is the start tile."""
        scene = self.start_scene
        assert scene is not None
        for frame in starts(settling.tiles_of(scene)):
            if any(p.id == piece and p.cell == frame.origin and p.lattice == frame.lattice for p in scene.pieces):
                self.eye.start_at(frame)
                return self._look(scene)
        return []

    def replay(self, steps: Sequence[Step]) -> None:
        """The game goes so instead; every move must be legal. Meeples that came back are found to be gone again."""
        baseline, throws, spots = self.baseline, self.throws_before, dict(self.spots)
        self.cut(0)
        for step in steps:
            self.push(0.0, step)
        self.baseline, self.throws_before = baseline, throws
        self.spots |= spots  # pieces that are used again stand elsewhere now


def _tile_note(frame: Frame | None, cell: Cell, rotation: int | None) -> dict[str, Any]:
    """Nobody knows the cell of a tile that is not joined to the board."""
    if frame is None:
        return {"cell": None, "rotation": rotation}
    return {"cell": [cell[0] - frame.origin[0], cell[1] - frame.origin[1]], "rotation": rotation}


def maps_of(session: Session) -> dict[str, FeatureMap]:
    """The deck's feature maps: by print; and by kind what all its prints share, for when the print is not known."""
    maps: dict[str, FeatureMap] = {}
    kinds: dict[str, list[FeatureMap]] = {}
    for face in session.tiles:
        if face.map:
            maps[face.id] = FeatureMap(face.map)
            kinds.setdefault(face.kind.removeprefix(PREFIX), []).append(maps[face.id])
    return maps | {tile: common(those) for tile, those in kinds.items()}


def tiles_of_session(session: Session) -> dict[str, int]:
    """How many there are of each tile: as the deck says; where nobody told it, as many as either edition has."""
    number: dict[str, int] = {}
    for face in session.tiles:
        tile = face.kind.removeprefix(PREFIX)
        if tile in TILES:
            number[tile] = number.get(tile, 0) + face.count
    if number:
        return number
    first, second = counts("C1"), counts("C2")
    return {tile: max(first.get(tile, 0), second.get(tile, 0)) for tile in first | second}


def new_game(session: Session, rules: HouseRules) -> Game:
    """The game that the session describes."""
    numbers = [player.number for player in session.player]
    if rules.abbot:
        raise HouseRuleError("abbot", "a camera cannot tell an abbot from a meeple; play without him")
    if rules.first_player is not None and rules.first_player not in numbers:
        raise HouseRuleError("first_player", f"no player has the number {rules.first_player}")
    if session.dealer not in numbers:
        raise ValueError(f"dealer = {session.dealer}: no player has that number")
    taken: dict[str, str] = {}
    for player in session.player:
        if not player.colour:
            raise ValueError(f"player {player.name}: has no colour; give his meeples'")
        if player.colour in taken:
            raise ValueError(
                f"player {player.name}: the colour {player.colour} is {taken[player.colour]}'s; give another"
            )
        taken[player.colour] = player.name
    first = numbers.index(rules.first_player or session.dealer) + 1
    return Game(
        len(session.player),
        tiles=tiles_of_session(session),
        house_rules=msgspec.structs.replace(rules, first_player=None),
        first_player=first,
    )
