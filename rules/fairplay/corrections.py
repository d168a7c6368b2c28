"""Corrections nobody asked for: answers with `question=None` (rules.protocol.Answer).

| choice | value | what it does |
| --- | --- | --- |
| `face:<piece>` | `road.narrow`, `card.plus2` ... | says what a tile or a card is |
| `car:<player>` | a number | his car stands on that tile (start = 0), one beyond the finish's when it has passed it |
| `die` | `1` to `3` | what the die shows that could not be read |
| `turn` | a player's name | it is his turn, from its beginning |
| `before:<player>` | `panne puncture`, or nothing | the cards that lie face up before him |
| `phase` | `counts` | everything counts as it lies |
| `phase` | `next_turn` | the turn is over |

What cannot be is refused by a ruling `fairplay.refused` that says why; nothing is changed then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from rules.fairplay import agree, deeds
from rules.fairplay.pieces import PANNE, PUNCTURE
from rules.impossible import ImpossibleError, number
from rules.protocol import Answer, Message, Output, Param, Ruling

if TYPE_CHECKING:
    from rules.fairplay.referee import FairPlayReferee

CORRECTED = "fairplay.corrected"
REFUSED = "fairplay.refused"
_BEFORE = {"panne": PANNE, "puncture": PUNCTURE}


def correct(r: FairPlayReferee, answer: Answer) -> list[Output]:
    """Carries a correction out, or says why not."""
    what, _, whom = answer.choice.partition(":")
    r.past = ()  # what the table says is not told anew
    try:
        match what:
            case "face":
                if not r.tell_face(whom, answer.value):
                    raise ImpossibleError("face", answer.value)
            case "car":
                _car(r, _player(r, whom), number(answer.value))
            case "die":
                _die(r, answer)
            case "turn":
                player = _player(r, answer.value)
                r.beliefs = (agree.turn_of(r.best, player),)
            case "before":
                _before(r, _player(r, whom), answer.value)
            case "phase":
                return [corrected(answer), *_phase(r, answer)]
            case _:
                raise ImpossibleError("what", what, "face, car, die, turn, before, phase")
    except ImpossibleError as error:
        return [refused(answer.t, error.message(REFUSED))]
    again = r.understand(replace(r.sight, t=answer.t)) if r.sight and what in ("face", "die") else []
    return [corrected(answer), *again]


def refused(t: float, why: Message) -> Ruling:
    """Nothing was changed, and why."""
    return Ruling(t=t, rule=REFUSED, message=why)


def corrected(answer: Answer) -> Ruling:
    """What the players said."""
    params: dict[str, Param] = {"what": answer.choice, "value": answer.value}
    return Ruling(t=answer.t, rule=CORRECTED, message=Message(CORRECTED, params))


def _car(r: FairPlayReferee, player: int, place: int) -> None:
    if not 0 <= place <= len(r.best.road):
        raise ImpossibleError("tile", str(place))
    r.watch.tell_spot(player, place)
    r.beliefs = (agree.moved(r.best, player, place),)


def _die(r: FairPlayReferee, answer: Answer) -> None:
    value = number(answer.value)
    if value not in (1, 2, 3):
        raise ImpossibleError("die", answer.value)
    r.watch.tell_die(value)
    if r.sight:
        r.sight = replace(r.sight, throws=r.watch.throws)


def _before(r: FairPlayReferee, player: int, cards: str) -> None:
    words = cards.replace(",", " ").split()
    for word in words:
        if word not in _BEFORE:
            raise ImpossibleError("before", word, ", ".join(_BEFORE))
    faceup = list(r.best.state.faceup)
    faceup[player - 1] = tuple(_BEFORE[word] for word in words)
    r.beliefs = (replace(r.best, state=replace(r.best.state, faceup=tuple(faceup))),)


def _phase(r: FairPlayReferee, answer: Answer) -> list[Output]:
    match answer.value:
        case "counts":
            return r.count_as_it_lies(answer.t)
        case "next_turn" if r.best.state.phase != "over":
            r.beliefs = (deeds.next_turn(r.setup, r.best),)
            return []
    return [refused(answer.t, Message("fairplay.refused.phase", {"value": answer.value}))]


def _player(r: FairPlayReferee, name: str) -> int:
    if name not in r.names:
        raise ImpossibleError("player", name)
    return r.names.index(name) + 1
