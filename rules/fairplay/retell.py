"""The last stills told anew: what only fits when a tile, a car or a card was covered where it was not missed.

A hand rests over the end of the road while a tile is laid and a car moved; the card that is offered next is seen, and
the referee takes it that the driver did not move. When the hand goes, no play from there explains the table, but one
from before the hand does. So before a rule is said to be broken, the last stills are tried again: from what was
believed before each of them to what lies there now, in agreement with everything that was seen between. With it none of
40 random races is said to be against the rules that has a hand resting, unnoticed, at 5 % of the stills; without 3 are.

If what was ruled since is part of that account, something was merely left out, and is told now. If not, the table is
asked: a broken rule and an earlier mistake look alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from rules.fairplay.belief import Belief
from rules.fairplay.events import Drove, Event, Offered, Used
from rules.fairplay.explain import explain
from rules.fairplay.sight import Sight
from rules.fairplay.state import Setup

REMEMBERED: Final = 6
"""Stills that may be told anew: a hand rests for two or three, and a car may be offered a card and move after that."""


class Past(msgspec.Struct, frozen=True):
    """What was believed before a still."""

    beliefs: tuple[Belief, ...]
    said: int
    """How many events had been ruled on."""
    sight: Sight
    """What the still showed."""


class Retold(msgspec.Struct, frozen=True):
    """Accounts of the last stills that explain the present one. Their logs hold what is not said yet."""

    beliefs: tuple[Belief, ...]
    withdrawn: tuple[Event, ...] = ()
    """What was ruled and cannot be: empty when nothing was."""


def retell(setup: Setup, past: Sequence[Past], said: Sequence[Event], sight: Sight, tired: bool) -> Retold | None:
    """The shortest way back to an account of the present still; one that contradicts nothing that was said, if there is
    any. past: the last one is the present still. said: all events that were ruled on."""
    wrong: Retold | None = None
    for k in range(len(past) - 2, -1, -1):
        then, since = past[k], tuple(said[past[k].said :])
        between = [other.sight for other in past[k:-1]]
        found = explain(setup, then.beliefs, sight, tired=tired).beliefs
        found = tuple(b for b in found if _was_seen(b, between) and _in_place(b, (*between, sight)))
        right = tuple(replace(b, log=left) for b in found if (left := _unsaid(b.log, since)) is not None)
        if right:
            return Retold(right)
        if found and wrong is None:
            wrong = _corrected(found, since)
    return wrong


# -- what was said already ------------------------------------------------------------------------------------------


def _unsaid(log: Sequence[Event], said: Sequence[Event]) -> tuple[Event, ...] | None:
    """What an account tells beyond what was said; None when it leaves out something that was said."""
    left: list[Event] = []
    waiting = [event for event in _steps(said) if not isinstance(event, Offered)]
    for event in _steps(log):
        if waiting and _alike(event, waiting[0]):
            waiting.pop(0)
        elif not isinstance(event, Offered):
            left.append(event)
    return None if waiting else tuple(_ways(left))


def _corrected(found: Sequence[Belief], said: Sequence[Event]) -> Retold:
    """The likeliest account, with what it says otherwise."""
    best = found[0]
    log, before = list(_steps(best.log)), list(_steps(said))
    same = 0
    while same < min(len(log), len(before)) and _alike(log[same], before[same]):
        same += 1
    return Retold((replace(best, log=tuple(_ways(log[same:])), cost=0.0),), tuple(_ways(before[same:])))


def _alike(one: Event, other: Event) -> bool:
    if isinstance(one, Used) and isinstance(other, Used):
        return (one.player, one.card) == (other.player, other.card)
    if isinstance(one, Drove) and isinstance(other, Drove):
        return replace(one, inferred=False) == replace(other, inferred=False)
    return one == other


def _steps(events: Sequence[Event]) -> Iterator[Event]:
    """Each way of a car tile by tile: it may have been seen in parts."""
    for event in events:
        if isinstance(event, Drove):
            way = 1 if event.end > event.start else -1
            yield from (replace(event, start=at, end=at + way) for at in range(event.start, event.end, way))
        else:
            yield event


def _ways(events: Sequence[Event]) -> Iterator[Event]:
    """Steps put together again."""
    last: Event | None = None
    for event in events:
        if isinstance(event, Drove) and isinstance(last, Drove) and _goes_on(last, event):
            last = replace(last, end=event.end)
            continue
        if last is not None:
            yield last
        last = event
    if last is not None:
        yield last


def _goes_on(last: Drove, event: Drove) -> bool:
    way = 1 if last.end > last.start else -1
    return (last.player, last.by, last.end) == (event.player, event.by, event.start) and event.end - event.start == way


# -- what was seen between ------------------------------------------------------------------------------------------


def _was_seen(belief: Belief, between: Sequence[Sight]) -> bool:
    """Whether the stills between show no car and no card where this account has none: each must fit some moment of it,
    one after the other."""
    steps = list(_steps(belief.log))
    at = list(belief.cars)
    for event in reversed(steps):
        if isinstance(event, Drove):
            at[event.player - 1] = event.start
    moments = [(tuple(at), _next(steps, 0))]
    for n, event in enumerate(steps):
        if isinstance(event, Drove):
            at[event.player - 1] = event.end
        moments.append((tuple(at), _next(steps, n + 1)))
    now = 0
    for sight in between:
        fresh = any(not card.spare and card.players and card.key not in belief.used for card in sight.backs)
        while now < len(moments) and not _shows(sight, *moments[now], fresh):
            now += 1
        if now == len(moments):
            return False
    return True


def _in_place(belief: Belief, sights: Sequence[Sight]) -> bool:
    """Whether no card was taken that lay open before who offered it: nobody gives back what he takes."""
    for event in belief.log:
        if isinstance(event, Used) and event.player != event.by:
            before = [c.players for sight in sights for c in sight.faces if c.face == event.card and not c.by_pile]
            if any(event.by in who for who in before) and not any(event.player in who for who in before):
                return False
    return True


def _next(steps: Sequence[Event], n: int) -> Event | None:
    return next((event for event in steps[n:] if not isinstance(event, Offered)), None)


def _shows(sight: Sight, cars: tuple[int, ...], following: Event | None, fresh: bool) -> bool:
    """Whether a still may be of the moment at which the cars stand so and that event follows. A card that has been laid
    face down since (`fresh`) is on offer until it is turned up."""
    if fresh and not (following is None or isinstance(following, Used)):
        return False
    return all(cars[player - 1] in spot.tiles for player, spot in sight.cars.items())
