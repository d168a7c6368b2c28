"""Rulings of Carcassonne, put together from the moves that were made (rules.protocol.Ruling)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rules.carcassonne.geometry import Cell
from rules.carcassonne.lattice import PREFIX, Frame
from rules.carcassonne.moves import Land, Move, Place, Put, Roll, Skip
from rules.carcassonne.scoring import Line
from rules.carcassonne.state import State
from rules.protocol import Message, Param, Ruling

PLACE = "carcassonne.place"
MEEPLE = "carcassonne.meeple"
ROLL = "carcassonne.roll"
FLIGHT = "carcassonne.flight"
SCORE = "carcassonne.score"
DISCARD = "carcassonne.discard"
FINAL = "carcassonne.final"

FEATURES: Mapping[str, str] = {
    "road": "Road",
    "city": "City",
    "monastery": "Monastery",
    "garden": "Garden",
    "field": "Field",
}
"""First word of a line's rule to the feature it is about."""


class Words:
    """Puts moves into rulings: names of players, cells as people count them, pieces of cells."""

    def __init__(self, names: Sequence[str], frame: Frame, pieces: Mapping[Cell, str]) -> None:
        self.names, self.frame, self.pieces = names, frame, pieces

    def cell(self, cell: Cell) -> list[int]:
        """As the report has it."""
        return list(self.frame.shown(cell))

    def lying(self, cells: Iterable[Cell]) -> tuple[str, ...]:
        """The pieces on these cells."""
        return tuple(self.pieces[cell] for cell in cells if cell in self.pieces)

    def told(
        self, t: float, move: Move, before: State, after: State, piece: str, inferred: bool, again: bool
    ) -> list[Ruling]:
        """What is to be said of a move: `again` when it takes the place of another."""
        match move:
            case Place():
                return [self._place(t, move, before, piece, again)]
            case Put():
                return [self._put(t, move, before, piece, inferred)]
            case Roll():
                return self._roll(t, move, before, after, inferred)
            case Land():
                return [self._landed(t, move, before, piece, inferred)]
            case Skip() if before.phase == "land":
                return [self._flight(t, before, None, "crashed", inferred)]
        return []

    def score(self, t: float, line: Line, final: bool) -> Ruling:
        """Who gets what for which feature."""
        player = self.names[line.player - 1]
        feature = FEATURES[line.rule.partition(".")[0]]
        params: dict[str, Param] = {
            "player": player,
            "points": line.points,
            "n": len(line.cells),
            "pennants": line.pennants,
            "cities": len(line.cities),
        }
        data: dict[str, Any] = {
            "points": line.points,
            "feature": feature,
            "cells": [self.cell(cell) for cell in line.cells],
        }
        if line.cities:
            data["cities"] = [[self.cell(cell) for cell in city] for city in line.cities]
        return Ruling(
            t=t,
            rule=SCORE,
            pieces=self.lying(line.cells),
            player=player,
            reason=line.rule + (".final" if final else ""),
            message=Message(score_key(line), params),
            data=data,
        )

    def final(self, t: float, scores: Mapping[str, int], winners: Sequence[str]) -> Ruling:
        """Rules 2.2: the end."""
        return Ruling(
            t=t,
            rule=FINAL,
            player=winners[0] if len(winners) == 1 else None,
            message=Message(
                "carcassonne.final.one" if len(winners) == 1 else "carcassonne.final.shared",
                {"players": ", ".join(winners), "points": scores[winners[0]]},
            ),
            data={"scores": dict(scores), "winners": list(winners)},
        )

    def discard(self, t: float, player: int, tile: str, piece: str) -> Ruling:
        """Rules 2.2.2: a tile that fits nowhere is out of the game."""
        name = self.names[player - 1]
        return Ruling(
            t=t,
            rule=DISCARD,
            pieces=(piece,) if piece else (),
            player=name,
            message=Message(DISCARD, {"player": name, "tile": PREFIX + tile}),
            data={"tile": tile},
        )

    # -- moves --------------------------------------------------------------------------------------------------

    def _place(self, t: float, move: Place, before: State, piece: str, again: bool) -> Ruling:
        assert before.tile is not None
        player, cell = self.names[before.player - 1], (move.x, move.y)
        params: dict[str, Param] = {"player": player, "tile": PREFIX + before.tile}
        return Ruling(
            t=t,
            rule=PLACE,
            pieces=(piece,) if piece else (),
            player=player,
            reason="moved" if again else "",
            message=Message("carcassonne.place.moved" if again else PLACE, params),
            data={"tile": before.tile, "cell": self.cell(cell), "rotation": self.frame.shown_rotation(move.rotation)},
        )

    def _put(self, t: float, move: Put, before: State, piece: str, inferred: bool) -> Ruling:
        assert before.cell is not None
        player = self.names[before.player - 1]
        flies = move.feature == "FlyingMachine"
        params: dict[str, Param] = {"player": player, "feature": move.feature}
        return Ruling(
            t=t,
            rule=MEEPLE,
            pieces=(*self.lying([before.cell]), *((piece,) if piece else ())),
            player=player,
            inferred=inferred,
            message=Message("carcassonne.meeple.machine" if flies else MEEPLE, params),
            data={"cell": self.cell(before.cell), "feature": move.feature},
        )

    def _roll(self, t: float, move: Roll, before: State, after: State, inferred: bool) -> list[Ruling]:
        """Rules 2.3.4, 2.3.8: where the flight goes, and that it ends in the supply when nobody can land there."""
        assert before.cell is not None
        step = before.board.tiles[before.cell].flight
        assert step is not None
        goal = before.cell[0] + move.die * step[0], before.cell[1] + move.die * step[1]
        player = self.names[before.player - 1]
        params: dict[str, Param] = {"player": player, "die": move.die}
        roll = Ruling(
            t=t,
            rule=ROLL,
            pieces=self.lying([goal]),
            player=player,
            inferred=inferred,
            message=Message("carcassonne.roll.lands" if after.phase == "land" else "carcassonne.roll.nowhere", params),
            data={"die": move.die, "target": self.cell(goal)},
        )
        if after.phase == "land":
            return [roll]
        return [roll, self._flight(t, before, move.die, "crashed", inferred)]

    def _landed(self, t: float, move: Land, before: State, piece: str, inferred: bool) -> Ruling:
        assert before.cell is not None
        assert before.die is not None
        step = before.board.tiles[before.cell].flight
        assert step is not None
        goal = before.cell[0] + before.die * step[0], before.cell[1] + before.die * step[1]
        player = self.names[before.player - 1]
        params: dict[str, Param] = {"player": player, "feature": move.feature}
        return Ruling(
            t=t,
            rule=FLIGHT,
            pieces=(*self.lying([goal]), *((piece,) if piece else ())),
            player=player,
            reason="landed",
            inferred=inferred,
            message=Message("carcassonne.flight.landed", params),
            data={"die": before.die, "landed": {"cell": self.cell(goal), "feature": move.feature}},
        )

    def _flight(self, t: float, before: State, die: int | None, reason: str, inferred: bool) -> Ruling:
        assert before.cell is not None
        player = self.names[before.player - 1]
        return Ruling(
            t=t,
            rule=FLIGHT,
            pieces=self.lying([before.cell]),
            player=player,
            reason=reason,
            inferred=inferred,
            message=Message(f"carcassonne.flight.{reason}", {"player": player}),
            data={"die": before.die if die is None else die, "landed": None},
        )


def score_key(line: Line) -> str:
    """The words for what made points."""
    key = line.rule.replace(".", "_")
    if key in ("city", "city_tiny", "city_incomplete") and line.pennants:
        key += "_pennants"
    return f"{SCORE}.{key}"
