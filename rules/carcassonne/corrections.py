"""Corrections nobody asked for: answers with `question=None` (rules.protocol.Answer).

| choice | value | what it does |
| --- | --- | --- |
| `face:<piece>` | a tile (`tile.BA/L`), or `not_in_play` | says what a tile is, also one that was laid long ago |
| `meeple:<piece>` | a feature (`Road`), or `take_back` | says what a meeple on the tile just laid stands on |
| `colour:<piece>` | a colour | says whose a meeple is |
| `die` | `1`, `2`, `3` | what was rolled last, also when the meeple has landed since |
| `score:<player>` | `+3`, `-5` | gives or takes points |
| `discard` | a tile | it was drawn, fits nowhere, and is out of the game |
| `phase` | `no_meeple` | the running turn ends without a meeple |
| `phase` | `end` | the game ends now, though tiles may be left |

What cannot be is refused by a ruling `carcassonne.refused` that says why; nothing is changed then.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.carcassonne import amending, doubts, revising, settling
from rules.carcassonne.explain import Step
from rules.carcassonne.lattice import PREFIX
from rules.carcassonne.moves import Draw, Roll, Skip
from rules.carcassonne.tiles import TILES
from rules.engine import IllegalMoveError
from rules.impossible import ImpossibleError, number
from rules.protocol import Answer, Message, Output, Param, Ruling

if TYPE_CHECKING:
    from rules.carcassonne.referee import CarcassonneReferee

CORRECTED = "carcassonne.corrected"
REFUSED = "carcassonne.refused"


def correct(r: CarcassonneReferee, answer: Answer) -> list[Output]:
    """Carries a correction out, or says why not."""
    what, _, whom = answer.choice.partition(":")
    before = r.scores()
    try:
        match what:
            case "face":
                out = _face(r, answer.t, whom, answer.value)
            case "meeple":
                out = _meeple(r, answer.t, whom, answer.value)
            case "colour":
                if answer.value not in r.colours:
                    raise ImpossibleError("colour", answer.value, ", ".join(r.colours))
                r.told.colours[whom] = answer.value
                out = settling.settle(r, answer.t, fresh=False)
            case "die":
                out = _die(r, answer.t, answer.value)
            case "score":
                if whom not in r.names:
                    raise ImpossibleError("player", whom)
                r.agreed[whom] += number(answer.value)
                out = []
            case "discard":
                out = _discard(r, answer.t, answer.value.removeprefix(PREFIX))
            case "phase":
                out = _phase(r, answer.t, answer.value)
            case _:
                raise ImpossibleError("what", what, "face, meeple, colour, die, score, discard, phase")
    except ImpossibleError as error:
        return [refused(answer.t, error.message(REFUSED))]
    except IllegalMoveError as error:
        return [refused(answer.t, Message(f"{REFUSED}.rule", {"rule": error.rule}), error.reason)]
    return [corrected(answer, before, r.scores()), *out]


def refused(t: float, why: Message, reason: str = "") -> Ruling:
    """Nothing was changed, and why."""
    return Ruling(t=t, rule=REFUSED, reason=reason, message=why)


def corrected(answer: Answer, before: dict[str, int], after: dict[str, int]) -> Ruling:
    """What the players said, and whose points it changed."""
    changes = ", ".join(f"{name} {points} → {after[name]}" for name, points in before.items() if points != after[name])
    params: dict[str, Param] = {"what": answer.choice, "value": answer.value, "changes": changes}
    key = f"{CORRECTED}.told.points" if changes else f"{CORRECTED}.told"
    return Ruling(t=answer.t, rule=CORRECTED, message=Message(key, params), data={"scores": after})


def _face(r: CarcassonneReferee, t: float, piece: str, face: str) -> list[Output]:
    """Rules 2.2.2 hold for what the players say, too."""
    tile = face.removeprefix(PREFIX)
    if tile not in TILES and face != doubts.NOT_IN_PLAY:
        raise ImpossibleError("face", face)
    cell = r.eye.pieces.get(piece)
    if cell is not None and cell in r.game.state.board.tiles and face != doubts.NOT_IN_PLAY:
        laid = r.game.state.board.tiles[cell]
        seen = r.sight.tiles.get(cell) if r.sight is not None else None
        steps = None
        if seen is not None:
            steps = amending.replaced(r, cell, replace(seen, tile=tile))
            steps = steps or amending.replaced(r, cell, replace(seen, tile=tile, rotation=laid.rotation))
        if steps is None:
            raise ImpossibleError("face_does_not_fit", face)
        r.told.tiles[piece] = tile
        return amending.amend(r, t, steps)
    doubts.tell_tile(r, piece, face)
    return settling.settle(r, t, fresh=False)


def _meeple(r: CarcassonneReferee, t: float, piece: str, feature: str) -> list[Output]:
    if feature == doubts.TAKE_BACK:
        r.told.places[piece] = None
        return settling.settle(r, t, fresh=False)
    steps = revising.without_meeple(r, piece)
    options = doubts.place_options(r) if steps is None else {}
    if steps is not None:
        kept = list(r.steps)
        r.cut(steps)
        options = doubts.place_options(r)
        if feature not in options:
            r.replay(kept)
    if feature not in options:
        raise ImpossibleError("feature", feature, ", ".join(options))
    r.told.places[piece] = options[feature]
    return settling.settle(r, t, fresh=False)


def _die(r: CarcassonneReferee, t: float, value: str) -> list[Output]:
    """What was rolled last: in this turn the meeple flies anew, in an earlier one all that followed must stay legal."""
    rolled = max((i for i, step in enumerate(r.steps) if isinstance(step.move, Roll)), default=None)
    waits = r.game.state.phase == "roll"
    if value not in ("1", "2", "3") or (rolled is None and not waits):
        raise ImpossibleError("die", value)
    if rolled is None or waits:
        r.told.die = int(value)
        return settling.settle(r, t, fresh=False)
    if any(isinstance(step.move, Draw) for step in r.steps[rolled:]):
        steps = amending.rolled(r, rolled, int(value))
        if steps is None:
            raise ImpossibleError("die_does_not_fit", value)
        return amending.amend(r, t, steps)
    r.cut(rolled)
    r.told.die = int(value)
    return settling.settle(r, t, fresh=False)


def _discard(r: CarcassonneReferee, t: float, tile: str) -> list[Output]:
    state = r.game.state
    if tile not in TILES:
        raise ImpossibleError("face", tile)
    if state.phase not in ("draw", "meeple") or any(state.board.fits(tile)):
        raise ImpossibleError("discard", PREFIX + tile)
    skip = [Step(Skip(), inferred=True)] if state.phase == "meeple" else []
    return [o for step in (*skip, Step(Draw(tile))) for o in r.push(t, step)]


def _phase(r: CarcassonneReferee, t: float, phase: str) -> list[Output]:
    match phase:
        case "no_meeple" if r.game.state.phase == "meeple":
            return [*r.push(t, Step(Skip())), *settling.settle(r, t, fresh=False)]
        case "end" if r.game.state.phase in ("draw", "meeple") and r.eye.frame is not None and not r.over:
            return r.close(t)
    raise ImpossibleError("phase", phase)
