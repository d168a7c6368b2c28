"""Events and faults put into rulings (rules.protocol.Ruling)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rules.fairplay.events import Drove, Event, Mended, Offered, Refuelled, Rolled, Skipped, Used, Won
from rules.fairplay.faults import Fault
from rules.fairplay.house_rules import HouseRules
from rules.fairplay.pieces import UNKNOWN
from rules.protocol import Message, Param, Ruling

ROLL = "fairplay.roll"
MOVE = "fairplay.move"
CARD = "fairplay.card"
OFFER = "fairplay.offer"
WIN = "fairplay.win"
ILLEGAL = "fairplay.illegal."

WORDED = frozenset(
    {
        "step.count", "step.narrow", "step.full", "step.roadworks", "step.finish", "step.back", "step.unlaid",
        "stop.turned", "stop.least", "lay.needless", "turn.roll", "turn.player", "turn.move", "turn.reveal",
        "turn.lay", "turn.puncture", "turn.offer", "offer.puncture", "tile.finish", "tile.count",
        "track.run_in", "over",
    }
)  # fmt: skip
"""Rules that have words of their own when they are broken."""


def opening(t: float, rules: HouseRules) -> Ruling:
    """What was agreed, told at the start (rules 3.7)."""
    changed = rules.changed()
    words = ", ".join(f"{name} = {value}" for name, value in changed.items())
    message = Message("fairplay.session.changed" if changed else "fairplay.session", {"rules": words})
    return Ruling(t=t, rule="fairplay.session", message=message, data={"house_rules": msgspec.to_builtins(rules)})


def ruling(t: float, event: Event, names: Sequence[str], pieces: Mapping[int, str]) -> Ruling:
    """What is said of an event. `pieces`: the cars that were seen, by player."""
    who = names[event.player - 1] if event.player else ""
    cars = (pieces[event.player],) if event.player in pieces else ()
    match event:
        case Rolled():
            key = "fairplay.roll.again" if event.again else "fairplay.roll.inferred" if event.inferred else ROLL
            return _said(t, ROLL, who, Message(key, {"player": who, "value": event.value}), event.inferred, (), event)
        case Drove():
            key = f"fairplay.move.{_by(event)}" + (".back" if event.end < event.start else "")
            params: dict[str, Param] = {"player": who, "start": event.start, "end": event.end, "card": event.by}
            return _said(t, MOVE, who, Message(key, params), event.inferred, cars, event)
        case Offered():
            to = names[event.to - 1] if event.to else ""
            offered = Message(OFFER if to else "fairplay.offer.somebody", {"player": who, "to": to})
            return _said(t, OFFER, who, offered, False, (), event, to=to)
        case Used():
            return _used(t, event, names)
        case Mended():
            return _said(t, "fairplay.mend", who, Message("fairplay.mend", {"player": who}), True, (), event)
        case Refuelled():
            return _said(t, "fairplay.refuel", who, Message("fairplay.refuel", {"player": who}), True, (), event)
        case Skipped():
            return _said(t, "fairplay.skip", who, Message("fairplay.skip", {"player": who}), True, (), event)
        case Won():
            return _said(t, WIN, who, Message(WIN, {"player": who}), False, cars, event)


def _used(t: float, event: Used, names: Sequence[str]) -> Ruling:
    """Rules 3.3.4: nobody sees who says yes; it follows from where the card lies and whose car moves."""
    user = names[event.player - 1] if event.player else None
    by, to = names[event.by - 1], names[event.to - 1] if event.to else None
    if event.unseen:
        how = "unseen"
    elif user is None:
        how = "either"
    else:
        how = "refused" if event.player == event.by else "accepted"
    if how == "refused" and to is None:
        how = "refused_by_somebody"
    params: dict[str, Param] = {"player": user or "", "card": event.card, "by": by, "to": to or ""}
    data = {"card": None if event.card == UNKNOWN else event.card, "offered_by": by, "offered_to": to}
    return Ruling(
        t=t, rule=CARD, player=user, reason=how, inferred=True, message=Message(f"{CARD}.{how}", params), data=data
    )


def _said(
    t: float,
    rule: str,
    player: str,
    message: Message,
    inferred: bool,
    pieces: tuple[str, ...],
    event: Event,
    to: str = "",
) -> Ruling:
    data: dict[str, Any] = {}
    match event:
        case Rolled():
            data = {"value": event.value}
        case Drove():
            data = {"from": event.start, "to": event.end, "by": _by(event)}
            if _by(event) == "card":
                data["card"] = event.by
        case Offered():
            data = {"offered_by": player, "offered_to": to or None}
    return Ruling(t=t, rule=rule, player=player, pieces=pieces, inferred=inferred, message=message, data=data)


def _by(event: Drove) -> str:
    """`die`, `card`, or `table` when the players agreed to it."""
    return event.by if event.by in ("die", "table") else "card"


def illegal(t: float, fault: Fault, names: Sequence[str]) -> Ruling:
    """A rule that is broken; it stays so until it is put right."""
    who = names[fault.player - 1]
    pieces = (fault.piece,) if fault.piece else ()
    message = fault_message(fault, names)
    data: dict[str, Any] = {"clause": fault.clause}
    if fault.tile >= 0:
        data["tile"] = fault.tile
    return Ruling(t=t, rule=ILLEGAL + fault.rule, player=who, pieces=pieces, message=message, data=data)


def fault_message(fault: Fault, names: Sequence[str]) -> Message:
    """The fault in words."""
    params: dict[str, Param] = {"player": names[fault.player - 1], "tile": fault.tile}
    if fault.rule == "turn.draw":
        return Message("fairplay.illegal.turn.offer", params)
    if fault.rule in WORDED:
        return Message(ILLEGAL + fault.rule, params)
    return Message("fairplay.illegal.other", params | {"rule": fault.clause or fault.rule})


def cleared(t: float, fault: Fault, names: Sequence[str]) -> Ruling:
    """What was wrong has been put right."""
    who = names[fault.player - 1]
    pieces = (fault.piece,) if fault.piece else ()
    return Ruling(
        t=t,
        rule="fairplay.cleared",
        player=who,
        pieces=pieces,
        reason=fault.rule,
        message=Message("fairplay.cleared", {"player": who}),
    )


def withdrawn(t: float, events: Sequence[Event], names: Sequence[str]) -> Ruling:
    """What was ruled and does not hold."""
    told = [ruling(t, event, names, {}) for event in events]
    data = {"withdrawn": [{"rule": r.rule, "player": r.player, **r.data} for r in told]}
    return Ruling(t=t, rule="fairplay.retold", message=Message("fairplay.retold", {}), data=data)
