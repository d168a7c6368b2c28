"""What the table must be asked when several accounts fit what was seen, and nothing more will tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from rules.asking import Topic
from rules.fairplay.belief import Belief
from rules.fairplay.events import Drove, Event, Offered, Refuelled, Rolled, Skipped, Used
from rules.fairplay.pieces import UNKNOWN
from rules.protocol import Message, Param, Question

NOBODY = "nobody"
UNSEEN = "unknown"


class Doubt(msgspec.Struct, frozen=True):
    """Accounts that differ, first at one event; `choices`: what each account says there, in the order of beliefs."""

    topic: Topic
    player: int
    choices: tuple[str, ...]


def told_alike(beliefs: Sequence[Belief]) -> int:
    """How many events all accounts begin with."""
    logs = [belief.log for belief in beliefs]
    shortest = min(map(len, logs))
    return next((n for n in range(shortest) if any(log[n] != logs[0][n] for log in logs)), shortest)


def doubt(beliefs: Sequence[Belief], names: Sequence[str]) -> Doubt | None:
    """What the accounts disagree about; None when there is one only, or when one goes on where another ends."""
    if len(beliefs) < 2:
        return None
    n = told_alike(beliefs)
    events = _events(beliefs, n)
    while all(
        isinstance(event, Offered) for event in events
    ):  # before whom it lay is no matter, but who used it may be
        n += 1
        events = _events(beliefs, n)
    first = next((event for event in events if event), None)
    if first is None:
        return None
    kinds = {type(event) for event in events if event}
    if kinds == {Rolled} and len({e.player for e in events if e}) == 1 and None not in events:
        return Doubt(("die",), first.player, tuple(str(e.value) for e in events if isinstance(e, Rolled)))
    if kinds == {Used} and None not in events:
        return _about_a_card(events, names)
    if kinds <= {Drove, type(None)} and len({e.player for e in events if e}) == 1:
        return _about_a_place(beliefs, first.player)
    if kinds <= {Rolled, Refuelled} and Refuelled in kinds:
        asked = next(e.player for e in events if isinstance(e, Refuelled))
        return Doubt(("refuel",), asked, tuple("yes" if isinstance(e, Refuelled) else "no" for e in events))
    if kinds & {Skipped} and kinds & {Used, Offered}:
        return Doubt(("offer",), first.player, tuple("no" if isinstance(e, Skipped) else "yes" for e in events))
    if None in events:
        return Doubt(("more",), first.player, tuple("yes" if e else "no" for e in events))
    return Doubt(("story",), first.player, tuple(_word(e, names) for e in events))


def _events(beliefs: Sequence[Belief], n: int) -> list[Event | None]:
    return [belief.log[n] if n < len(belief.log) else None for belief in beliefs]


def _about_a_place(beliefs: Sequence[Belief], player: int) -> Doubt | None:
    places = tuple(str(belief.cars[player - 1]) for belief in beliefs)
    return Doubt(("tile", str(player)), player, places) if len(set(places)) > 1 else None


def _about_a_card(events: Sequence[Event | None], names: Sequence[str]) -> Doubt:
    used = [event for event in events if isinstance(event, Used)]
    if len({event.card for event in used}) > 1:
        return Doubt(("card",), used[0].by, tuple(event.card for event in used))
    if len({event.player for event in used}) > 1:
        return Doubt(("user",), used[0].by, tuple(names[e.player - 1] if e.player else NOBODY for e in used))
    return Doubt(("to",), used[0].by, tuple(names[e.to - 1] if e.to else NOBODY for e in used))


def _word(event: Event | None, names: Sequence[str]) -> str:
    return f"{type(event).__name__.lower()}:{names[event.player - 1]}" if event and event.player else "other"


def question(doubted: Doubt, t: float, names: Sequence[str], pieces: Mapping[int, str]) -> Question:
    """The doubt as a question; its default is what fits best."""
    who = names[doubted.player - 1]
    params: dict[str, Param] = {"player": who}
    options = tuple(dict.fromkeys(sorted(doubted.choices) if doubted.topic[0] in ("die", "tile") else doubted.choices))
    shown = tuple(UNSEEN if option == UNKNOWN else option for option in options)
    kind = doubted.topic[0]
    piece = pieces.get(doubted.player, "") if kind == "tile" else ""
    return Question(
        id="",
        t=t,
        rule=f"fairplay.{kind}",
        pieces=(piece,) if piece else (),
        player=who if kind in ("die", "tile", "user", "offer", "refuel") else None,
        options=shown,
        default=doubted.choices[0],
        message=Message(f"fairplay.ask.{kind}", params),
    )
