"""Corrections nobody asked for: answers with `question=None` (rules.protocol.Answer).

| choice | value | what it does |
| --- | --- | --- |
| `face:<piece>` | a kind, or `not_in_play` | says what a piece is; points follow, also for a card won long ago |
| `owner:<piece>` | a player's name, or `table` | gives a card to that player, or puts it back on the table |
| `score:<player>` | `+3`, `-5` | gives or takes points |
| `lamps:<player>` | a number | lamps spent as palaces in the round that ended last (or is just ending) |
| `duel` | a player's name | who won the duel that is due |
| `djinn:<player>` | `1` to `8` | what he revealed in the duel that is due; it counts once everybody's is told |
| `phase` | `ready` | the layout is finished, with however many cards |
| `phase` | `evaluate` | all carpets have flown, also those nobody saw |
| `phase` | `next_flight` | the table is cleared |
| `phase` | `end_round` | no more flights in this round |

What cannot be is refused by a ruling `carpets.refused` that says why; nothing is changed then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.carpets import disputes, laying, rounds
from rules.carpets.cards import DESTINATIONS, DJINNS, KINDS
from rules.carpets.legal import IllegalMoveError
from rules.carpets.moves import TABLE, Adjust, EndRound, Lamps, Lay, Transfer
from rules.carpets.unread import NOT_IN_PLAY
from rules.impossible import ImpossibleError, number
from rules.protocol import Answer, Message, Output, Param, Ruling

if TYPE_CHECKING:
    from rules.carpets.referee import CarpetsReferee

CORRECTED = "carpets.corrected"
REFUSED = "carpets.refused"


def correct(r: CarpetsReferee, answer: Answer) -> list[Output]:
    """Carries a correction out, or says why not."""
    what, _, whom = answer.choice.partition(":")
    before = r.scores()
    try:
        match what:
            case "face":
                out = set_face(r, answer.t, whom, answer.value)
            case "owner":
                out = _owner(r, whom, answer.value)
            case "score":
                r.game.push(Adjust(_player(r, whom), number(answer.value)))
                out = []
            case "lamps":
                out = _lamps(r, answer.t, _player(r, whom), number(answer.value))
            case "duel":
                out = _duel(r, answer.t, _player(r, answer.value))
            case "djinn":
                out = _djinn(r, answer.t, _player(r, whom), number(answer.value))
            case "phase":
                out = _phase(r, answer.t, answer.value)
            case _:
                raise ImpossibleError("what", what, "face, owner, score, lamps, duel, djinn, phase")
    except ImpossibleError as error:
        return [refused(answer.t, error.message(REFUSED))]
    except IllegalMoveError as error:
        return [refused(answer.t, Message("carpets.refused.rule", {"rule": error.rule}), error.reason)]
    return [corrected(answer, before, r.scores()), *out]


def refused(t: float, why: Message, reason: str = "") -> Ruling:
    """Nothing was changed, and why."""
    return Ruling(t=t, rule=REFUSED, reason=reason, message=why)


def corrected(answer: Answer, before: dict[str, int], after: dict[str, int]) -> Ruling:
    """What the players said, and whose points it changed."""
    changes = ", ".join(f"{name} {points} → {after[name]}" for name, points in before.items() if points != after[name])
    params: dict[str, Param] = {"what": answer.choice, "value": answer.value, "changes": changes}
    key = "carpets.corrected.points" if changes else CORRECTED
    return Ruling(t=answer.t, rule=CORRECTED, message=Message(key, params), data={"scores": after})


def set_face(r: CarpetsReferee, t: float, piece: str, face: str) -> list[Output]:
    """Says what a piece is, wherever it is by now. Raises when no such card can be there."""
    if face != NOT_IN_PLAY and face not in KINDS:
        raise ImpossibleError("face", face)
    if piece in r.laid:
        round_, slot = r.laid[piece]
        if face not in DESTINATIONS:
            raise ImpossibleError("destination", piece)
        r.game.amend(r.lay_moves[round_, slot.index], Lay(face))
        slot.face = face
    r.asking.withdraw_topic(("face", piece))
    if face == NOT_IN_PLAY:
        r.table.aside.add(piece)
        r.table.told[piece] = "unknown"
        if (lying := r.table.by_piece.get(piece)) and r.stage == "layout":
            r.layout.forget(lying.index)
            r.table.drop(lying)
        return []
    r.table.tell(piece, face)
    if (lying := r.table.by_piece.get(piece)) and face in DESTINATIONS:
        lying.face = face
    return []


def answer_face(r: CarpetsReferee, t: float, piece: str, face: str) -> list[Output]:
    """The answer to a question what a piece is; refused, as a correction is, where no such card can be there."""
    try:
        return set_face(r, t, piece, face)
    except ImpossibleError as error:
        return [refused(t, error.message(REFUSED))]
    except IllegalMoveError as error:
        return [refused(t, Message("carpets.refused.rule", {"rule": error.rule}), error.reason)]


def _owner(r: CarpetsReferee, piece: str, owner: str) -> list[Output]:
    if piece not in r.laid:
        raise ImpossibleError("card", piece)
    round_, slot = r.laid[piece]
    to = TABLE if owner in ("", "table") else _player(r, owner)
    r.game.push(Transfer(round_, slot.index, to))
    if round_ != r.round:
        return []
    lying = r.table.slot(slot.index) is slot
    if to == TABLE:
        r.collect.claims.pop(slot.index, None)
        if not lying:
            r.table.restore(slot)
    elif r.stage == "collect":
        r.collect.claims[slot.index] = to
    elif lying:
        r.table.drop(slot)
    return []


def _lamps(r: CarpetsReferee, t: float, player: int, spent: int) -> list[Output]:
    if r.game.state.phase == "lamps":
        out = rounds.spend(r, t, player, spent)
        r.asking.withdraw_topic(("lamps", str(player)))
        return out
    for index in range(len(r.game.moves) - 1, -1, -1):
        move = r.game.moves[index]
        if isinstance(move, Lamps) and move.player == player:
            r.game.amend(index, Lamps(player, spent))
            return []
    raise ImpossibleError("lamps", r.names[player - 1])


def _duel(r: CarpetsReferee, t: float, winner: int) -> list[Output]:
    contest = disputes.current(r)
    if contest is None or winner not in contest.players:
        raise ImpossibleError("duel", r.names[winner - 1])
    return disputes.told_winner(r, t, contest, winner)


def _djinn(r: CarpetsReferee, t: float, player: int, djinn: int) -> list[Output]:
    contest = disputes.current(r)
    if contest is None or player not in contest.players:
        raise ImpossibleError("duel", r.names[player - 1])
    if djinn not in DJINNS:
        raise ImpossibleError("djinn", str(djinn))
    told = r.told_djinns | {player: djinn}
    if not r.game.state.djinns.allow(told):
        raise ImpossibleError("djinn", str(djinn))
    r.told_djinns = told
    if set(told) == set(contest.players):
        return disputes.settle(r, t, contest, told, None, ())
    return []


def _phase(r: CarpetsReferee, t: float, phase: str) -> list[Output]:
    match phase:
        case "ready":
            if r.stage != "layout" or not r.table.seen_slots():
                raise ImpossibleError("phase", phase)
            return laying.begin_flights(r, t, agreed=True)
        case "evaluate":
            if r.stage not in ("flight", "evaluation"):
                raise ImpossibleError("phase", phase)
            r.flight.over = True
            return r.decide(t)
        case "next_flight":
            if r.stage != "collect":
                raise ImpossibleError("phase", phase)
            return r.next_flight(t)
        case "end_round":
            if r.stage == "collect" or (r.stage == "flight" and not r.flight.begun):
                if r.game.state.phase == "throwing":
                    r.game.push(EndRound())
                return rounds.end(r, t)
            raise ImpossibleError("phase", phase)
    raise ImpossibleError("phase", phase)


def _player(r: CarpetsReferee, name: str) -> int:
    if name not in r.names:
        raise ImpossibleError("player", name)
    return r.names.index(name) + 1
