"""The layout stage: cards come to lie, are moved, and the twelve are ready for the first throw (rules 1.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.carpets import rounds
from rules.carpets.cards import LAYOUT_SIZE, UNKNOWN
from rules.carpets.moves import Lay, Ready
from rules.carpets.table import Sight
from rules.protocol import Message, Output, Question, Ruling

if TYPE_CHECKING:
    from rules.carpets.referee import CarpetsReferee


def watch(r: CarpetsReferee, sight: Sight) -> list[Output]:
    """What is to be said of a still while cards are laid; a carpet thrown upon the twelve begins the flights."""
    _adopt(r, sight)
    if not _complete(r):
        r.full = False
        early = bool(r.flight.touching(sight))
        r.flight.rest()
        r.early = r.early + 1 if early else 0
        out = r.layout.watch(sight.scene, r.table, r.reach_mm)
        return out + (_ask_ready(r, sight.scene.t) if r.early == 2 else [])
    if not r.full:
        r.full = True
        on_cards = r.flight.touching(sight)
        r.flight.rest()
        for carpet in on_cards:
            carpet.stirred = True  # thrown before a still showed the layout complete
    flown = r.flight.watch(sight, r.card_mm[1], False)
    if not r.flight.begun:
        return r.layout.watch(sight.scene, r.table, r.reach_mm)
    return begin_flights(r, sight.scene.t) + flown + r.after_throw(sight)


def _complete(r: CarpetsReferee) -> bool:
    """Do the twelve lie there? One that a still misses counts when it lay there before, or under a carpet."""
    if len(r.table.seen_slots()) >= LAYOUT_SIZE:
        for slot in [slot for slot in r.table.slots if not slot.seen]:
            r.layout.forget(slot.index)
            r.table.drop(slot)
        for slot in [slot for slot in r.table.slots if slot.index > LAYOUT_SIZE]:
            r.layout.forget(slot.index)
            r.table.number(slot)
        return True
    there = [slot for slot in r.table.slots if slot.seen or slot.missing < 2 or r.table.hidden(slot)]
    return r.full and len(there) == len(r.table.slots) == LAYOUT_SIZE


def _adopt(r: CarpetsReferee, sight: Sight) -> None:
    """New cards enter the layout; a missing one that turns up under another id is the same card, moved."""
    new = [(p, face) for name, (p, face) in sight.cards.items() if name not in r.table.by_piece]
    for piece, face in new:
        if r.table.lies_elsewhere(piece, r.reach_mm / 2):
            r.table.put_elsewhere(piece)
        elif slot := r.table.missing_slot(face, piece):
            r.table.rebind(slot, piece)
        elif len(r.table.seen_slots()) < LAYOUT_SIZE:
            r.table.add(piece, face)


def _ask_ready(r: CarpetsReferee, t: float) -> list[Output]:
    seen = r.table.seen_slots()
    return r.asking.ask(
        ("ready",),
        Question(
            id="",
            t=t,
            rule="carpets.layout.count",
            pieces=tuple(slot.piece for slot in seen),
            options=("yes", "no"),
            default="yes",
            measured=float(len(seen)),
            limit=float(LAYOUT_SIZE),
            message=Message("carpets.ask.ready", {"n": len(seen)}),
        ),
    )


def begin_flights(r: CarpetsReferee, t: float, agreed: bool = False) -> list[Output]:
    """Rules 1.3.3: the layout is ready. `agreed`: with fewer than twelve cards."""
    out = rounds.settle(r, t)
    r.layout.close()
    r.asking.withdraw("ready", "face")
    r.round, r.layouter = r.game.state.round, r.game.state.layouter
    if len(r.table.slots) != LAYOUT_SIZE:
        for slot in [slot for slot in r.table.slots if not slot.seen]:
            r.table.drop(slot)
        r.table.renumber()
    r.full = False
    for slot in r.table.slots:
        slot.home = slot.outline
        if r.game.why_illegal(Lay(slot.face)):
            # More of a kind than the deck has: one of them was misread, nobody knows which.
            slot.face = UNKNOWN
            out += r.unread.ask_misread(t, slot.piece, r.game.state.deck())
        r.lay_moves[r.round, slot.index] = len(r.game.moves)
        r.laid[slot.piece] = r.round, slot
        r.game.push(Lay(slot.face))
    r.game.push(Ready(agreed=agreed or len(r.table.slots) < LAYOUT_SIZE))
    if r.sight:
        r.duel.before(r.sight)
    r.stage = "flight"
    first = r.names[r.flight.sequence[0] - 1]
    message = Message("carpets.layout.ready", {"n": len(r.table.slots), "player": first})
    pieces = tuple(slot.piece for slot in r.table.slots)
    return [*out, Ruling(t=t, rule="carpets.layout.ready", pieces=pieces, message=message)]
