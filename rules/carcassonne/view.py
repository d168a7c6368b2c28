"""What a screen shows of the game (rules.protocol.View), and the board as plain data.

`View.board` holds, with cells `[x, y]` as people count them (the start tile `[0, 0]`, x right, y towards the viewer),
rotations clockwise in degrees, and points `[u, v]` on a tile as it lies (0 to 1 from left to right, top to bottom):

| field | what |
| --- | --- |
| `tiles` | each laid tile: `cell`, `tile` (`tile.BA/L`), `rotation`, `piece`; in the order in which they were laid |
| `meeples` | each meeple of the game: `cell`, `feature`, `point`, `player`, `colour`, `piece` |
| `last` | the cell of the tile that was laid last |
| `lit` | what was scored last: `player`, `points`, `feature`, `cells` |
| `flight` | a flight that is going on: `player`, `from`, `die` and `to` (None before the die is read), `options` |
| `flight.options` | where the meeple may land: `cell`, `feature`, `point` |
| `to_return` | meeples that must come back: `player`, `colour`, `cell`, `feature`, `point` |
| `places` | where a meeple may be put on the tile just laid: `feature`, `cell`, `point` |
| `supply` | meeples that each player can put, by name |
| `left` | tiles that are not drawn yet |
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rules.carcassonne import doubts
from rules.carcassonne.explain import machine_of
from rules.carcassonne.geometry import Cell
from rules.carcassonne.lattice import PREFIX
from rules.carcassonne.legal import landings, target
from rules.carcassonne.moves import Land, Place, Put
from rules.carcassonne.rulings import FEATURES, score_key
from rules.carcassonne.scoring import Line
from rules.carcassonne.sight import Place as Where
from rules.protocol import Mark, Message, Offer, PlayerView, ScoreLine, View

if TYPE_CHECKING:
    from rules.carcassonne.referee import CarcassonneReferee


def view_of(r: CarcassonneReferee) -> View:
    """The position, told for a screen."""
    scores = r.scores()
    active = None if r.over else r.turn_name
    best = max(scores.values())
    winners = [r.names[p - 1] for p in r.game.winners] if not r.closed else [n for n in r.names if scores[n] == best]
    return View(
        game="carcassonne",
        phase=_phase(r),
        players=tuple(
            PlayerView(
                name=player.name,
                colour=player.colour,
                side=player.side,
                score=scores[player.name],
                active=player.name == active,
                lines=_lines(r, number),
            )
            for number, player in enumerate(r.session.player, 1)
        ),
        round=(len(r.game.state.board.tiles) - 2) // len(r.names) + 1 if len(r.game.state.board.tiles) > 1 else 0,
        marks=tuple(_marks(r)),
        questions=r.asking.questions,
        offers=_offers(r),
        over=r.over,
        winners=tuple(winners) if r.over else (),
        board=board_of(r) if r.eye.frame is not None else {},
    )


def _phase(r: CarcassonneReferee) -> Message:
    if r.eye.frame is None:
        return Message("carcassonne.phase.start")
    if r.over:
        return Message("carcassonne.phase.over")
    left = sum(r.game.state.stock.values())
    return Message(f"carcassonne.phase.{r.game.state.phase}", {"player": r.turn_name, "left": left})


def _offers(r: CarcassonneReferee) -> tuple[Offer, ...]:
    if r.eye.frame is None or r.over or r.game.state.phase not in ("draw", "meeple"):
        return ()
    phases = ("no_meeple", "end") if r.game.state.phase == "meeple" else ("end",)
    return tuple(Offer(choice="phase", value=p, message=Message(f"carcassonne.offer.{p}")) for p in phases)


def _marks(r: CarcassonneReferee) -> Iterable[Mark]:
    if r.eye.frame is None:
        return
    yield from (flag.mark for flag in r.flags)
    for question in r.asking.questions:
        if question.pieces:
            yield Mark(kind="doubt", pieces=question.pieces, message=question.message)
    for due, _ in r.due:
        feature = _kind(r, due.place)
        message = Message("carcassonne.mark.return", {"player": r.names[due.player - 1], "feature": feature})
        yield Mark(kind="take_back", pieces=_standing(r, due.place, due.player), message=message)
    for line in r.lit:
        params = {"player": r.names[line.player - 1], "points": line.points, "feature": _feature(line)}
        message = Message("carcassonne.mark.scored", params)  # type: ignore[arg-type]
        yield Mark(kind="claimed", pieces=r.words.lying(line.cells), message=message)
    state = r.game.state
    if state.phase == "land" and (goal := target(state, r.game.setup)) is not None:
        message = Message("carcassonne.mark.lands", {"player": r.turn_name})
        yield Mark(kind="target", pieces=r.words.lying([goal]), message=message)


def _standing(r: CarcassonneReferee, place: Where, player: int) -> tuple[str, ...]:
    """The meeple that stands on a place, if it is seen; else its tile."""
    if r.sight is not None:
        colour = r.colours[player - 1]
        seen = [m for m in r.sight.meeples if m.colour == colour and m.weight(place) > 0]
        if seen:
            return (max(seen, key=lambda m: m.weight(place)).piece,)
    return r.words.lying([place[0]])


def _kind(r: CarcassonneReferee, place: Where) -> str:
    return r.game.state.board.tiles[place[0]].parts[place[1]].kind


def _feature(line: Line) -> str:
    return FEATURES[line.rule.partition(".")[0]]


def _lines(r: CarcassonneReferee, player: int) -> tuple[ScoreLine, ...]:
    own = [*r.game.explain()[player], *(line for line in r.settled_lines() if line.player == player)]
    lines = [
        ScoreLine(
            points=line.points,
            rule="2.2",
            message=Message(
                score_key(line).replace("carcassonne.score.", "carcassonne.line."),
                {"n": len(line.cells), "pennants": line.pennants, "cities": len(line.cities)},
            ),
        )
        for line in own
    ]
    if agreed := r.agreed[r.names[player - 1]]:
        lines.append(ScoreLine(points=agreed, rule="", message=Message("carcassonne.line.agreed")))
    return tuple(lines)


# -- the board --------------------------------------------------------------------------------------------------------


def board_of(r: CarcassonneReferee) -> dict[str, Any]:
    """The board as plain data: see the table above."""
    state, words = r.game.state, r.words
    pieces = {cell: piece for piece, cell in r.eye.pieces.items()}
    order = [(0, 0), *((m.x, m.y) for m in r.game.moves if isinstance(m, Place))]
    last = doubts.last_cell(r)
    return {
        "tiles": [
            {
                "cell": words.cell(cell),
                "tile": PREFIX + state.board.tiles[cell].tile.id,
                "rotation": words.frame.shown_rotation(state.board.tiles[cell].rotation),
                "piece": pieces.get(cell),
            }
            for cell in order
        ],
        "meeples": _board_meeples(r),
        "last": None if last is None else words.cell(last),
        "lit": [
            {
                "player": r.names[line.player - 1],
                "points": line.points,
                "feature": _feature(line),
                "cells": [words.cell(cell) for cell in line.cells],
            }
            for line in r.lit
        ],
        "flight": _flight(r),
        "to_return": [
            {"player": r.names[due.player - 1], "colour": r.colours[due.player - 1], **_at(r, due.place)}
            for due, _ in r.due
        ],
        "places": [_at(r, place) for place in doubts.place_options(r).values()] if state.phase == "meeple" else [],
        "supply": {r.names[number - 1]: left for number, left in r.game.supply.items()},
        "left": sum(state.stock.values()),
    }


def _at(r: CarcassonneReferee, place: Where) -> dict[str, Any]:
    u, v = doubts.spot_on(r, place)
    return {"cell": r.words.cell(place[0]), "feature": _kind(r, place), "point": [round(u, 3), round(v, 3)]}


def _board_meeples(r: CarcassonneReferee) -> list[dict[str, Any]]:
    shows: dict[tuple[Cell | None, str], str] = {}
    cell: Cell | None = None
    for step in r.steps:
        if isinstance(step.move, Place):
            cell = (step.move.x, step.move.y)
        elif isinstance(step.move, Put | Land) and step.piece:
            shows[cell, step.move.feature] = step.piece
    standing: list[tuple[int, Where]] = [(m.player, ((m.spot.x, m.spot.y), m.spot.part)) for m in r.game.meeples()]
    state = r.game.state
    if state.flyer is not None and state.cell is not None:
        standing.append((state.player, (state.cell, machine_of(state, state.cell))))
    return [
        {
            "player": r.names[player - 1],
            "colour": r.colours[player - 1],
            "piece": shows.get((place[0], _kind(r, place))),
            **_at(r, place),
        }
        for player, place in standing
    ]


def _flight(r: CarcassonneReferee) -> dict[str, Any] | None:
    state = r.game.state
    if state.phase not in ("roll", "land") or state.cell is None:
        return None
    goal = target(state, r.game.setup) if state.phase == "land" else None
    options = landings(state, r.game.setup) if state.phase == "land" else []
    return {
        "player": r.turn_name,
        "from": r.words.cell(state.cell),
        "die": state.die,
        "to": None if goal is None else r.words.cell(goal),
        "options": [_at(r, ((spot.x, spot.y), spot.part)) for spot, _ in options],
    }
