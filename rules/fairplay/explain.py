"""What must have happened for the table to look as it does: the shortest legal deeds that explain a still.

A best-first search over `rules.fairplay.deeds` from what was believed before. Every deed costs 1; what is unlikely
costs more. All beliefs that explain the still within `MARGIN` of the cheapest are kept, so that what cannot be told yet
(who took the card?) is told by what happens next. It is directed by the still: only tiles that lie there are laid, only
cards that lie there are turned up; stills may be missed, so that several deeds may lie between two.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final

import msgspec
from msgspec.structs import replace

from rules.engine import Refusal
from rules.fairplay import deeds
from rules.fairplay.belief import Belief
from rules.fairplay.deeds import Deed
from rules.fairplay.events import Drove, Event, Mended, Offered, Rolled, Used
from rules.fairplay.lapses import suppose
from rules.fairplay.pieces import PANNE, PUNCTURE, UNKNOWN
from rules.fairplay.refusals import refuse
from rules.fairplay.sight import Card, Sight
from rules.fairplay.state import Setup

MARGIN: Final = 2.0
"""Beliefs that cost so much more than the cheapest are kept while a turn lasts."""
MARGIN_OLD: Final = 0.9
"""... and when the next turn has begun, so that nothing more can tell."""
SLACK: Final = 9.0
"""Explanations that cost so much more than what is seen to have changed are not looked for."""
MISSING: Final = 1.2
"""What it costs that a panne or a puncture is not seen before a player: it may be covered, but once only."""
MISPLACED: Final = 0.8
"""What it costs that one more lies before a player than should: it may be turned up where it was offered, and ..."""
MISPLACED_FOR_GOOD: Final = 3.0
"""... still lie there when the next turn has begun. One that was turned up elsewhere and put there by hand ..."""
PUT_THERE: Final = 4.0
"""... lies before who used it: if it is covered at the very still in which the next die is thrown, this is all that
tells. With 0.8 for it, 3 of 70 games with 5 % of the pieces covered went on with the wrong driver's turn lost."""
EQUALLY: Final = 0.05
"""Accounts that expect the same and differ by less are equally likely."""
WHOEVER: Final = 1.0
"""A card that was turned up where it was offered, and moved nobody, may have been refused as well: who used it is not
told. In 30 random races with 871 cards the wrong one of the two was named 13 times."""
MOST_KEPT: Final = 60
"""Beliefs that are kept: three for each throw that nobody reads or tells add up."""
MOST_BELIEFS: Final = 500
MOST_LAPSED: Final = 250
"""The search gives up here (with lapses, of which there are many ways each, sooner)."""

Aspect = tuple[str, int | str]
"""Something that a belief leaves unexplained: `("throw", 3)`, `("road", 7)`, `("car", 2)`, `("card", "c4")`."""


class Explained(msgspec.Struct, frozen=True):
    beliefs: tuple[Belief, ...]
    """Those that explain the still, cheapest first; none when it breaks the rules or something was misread."""
    nearest: Belief
    """The belief that leaves least unexplained."""
    left: tuple[Aspect, ...]
    """What that one leaves unexplained."""


def explain(
    setup: Setup, beliefs: Iterable[Belief], sight: Sight, lapses: bool = False, tired: bool = False
) -> Explained:
    """`lapses`: also try what can only have happened unseen: a throw, a card, a turn without an offer. `tired`: search
    less, since the last stills could not be explained either."""
    order = count()
    least = min(belief.cost for belief in beliefs)
    queue: list[tuple[float, int, Belief, tuple[Aspect, ...]]] = []
    seen: dict[object, float] = {}
    found: dict[object, list[Belief]] = {}
    best = math.inf
    nearest: tuple[int, float, Belief, tuple[Aspect, ...]] | None = None

    def consider(belief: Belief) -> None:
        mark = (belief.key, belief.log)
        if belief.cost < seen.get(mark, math.inf):
            seen[mark] = belief.cost
            left = unexplained(belief, sight)
            heapq.heappush(queue, (belief.cost + _at_least(left), next(order), belief, left))

    for belief in beliefs:
        consider(replace(belief, cost=belief.cost - least))
    most = queue[0][0] + SLACK
    looked = 0
    while queue and looked < (MOST_LAPSED if lapses or tired else MOST_BELIEFS):
        looked += 1
        bound, _, belief, left = heapq.heappop(queue)
        if bound > min(best + MARGIN, most):
            break
        if nearest is None or (len(left), belief.cost) < nearest[:2]:
            nearest = len(left), belief.cost, belief, left
        if not left:
            fitting = replace(belief, cost=belief.cost + _unlikely(belief, sight))
            best = min(best, fitting.cost)
            found.setdefault(belief.key, []).append(fitting)
        for deed in _possible(setup, belief, sight, lapses):
            after = deed(setup, belief)
            if isinstance(after, Belief) and after.cost <= min(best + MARGIN, most):
                consider(after)
    assert nearest is not None
    kept = [_one_of(same) for same in found.values()]
    return Explained(tuple(pruned(kept)), nearest[2], nearest[3])


def read_later(beliefs: Iterable[Belief], sight: Sight) -> list[Belief]:
    """The beliefs less those that took a throw for another number than it turned out to be."""
    throws = sight.throws
    right = [b for b in beliefs if all(throws[n].value in (None, value) for n, value in b.guesses)]
    return [replace(b, guesses=tuple(g for g in b.guesses if throws[g[0]].value is None)) for b in right]


def pruned(beliefs: Iterable[Belief]) -> list[Belief]:
    """The beliefs that are worth keeping, cheapest first; the cheapest costs nothing from now on."""
    kept = sorted(beliefs, key=lambda belief: belief.cost)
    if not kept:
        return []
    rolled = all(_begun_after_a_doubt(belief) for belief in kept)
    margin = MARGIN_OLD if rolled else MARGIN
    return [replace(b, cost=b.cost - kept[0].cost) for b in kept if b.cost <= kept[0].cost + margin][:MOST_KEPT]


def unexplained(belief: Belief, sight: Sight) -> tuple[Aspect, ...]:
    """What a belief does not explain of a still. What is not seen needs no explanation: it may be covered."""
    left: list[Aspect] = [("throw", n) for n in range(belief.thrown, len(sight.throws)) if sight.throws[n].sure]
    road = read(sight)
    if belief.road != road:
        left += [("road", n) for n in range(min(len(belief.road), len(road)), max(len(belief.road), len(road)))]
    left += [("car", p) for p, spot in sight.cars.items() if belief.cars[p - 1] not in spot.tiles]
    left += [("card", card.key) for card in _fresh(belief, sight)]
    return tuple(left)


def _at_least(left: tuple[Aspect, ...]) -> float:
    """What the deeds that are still missing cost at least: one for each throw, tile and car."""
    return sum({"throw": 1.0, "road": 0.5, "car": 1.0, "card": 0.1}[kind] for kind, _ in left)


def read(sight: Sight) -> tuple[str, ...]:
    """The road as far as its tiles could be read."""
    known = next((n for n, kind in enumerate(sight.road) if kind == UNKNOWN), len(sight.road))
    return sight.road[:known]


def _fresh(belief: Belief, sight: Sight) -> list[Card]:
    return [
        card for card in (*sight.backs, *sight.faces) if card.key not in belief.used and not card.spare and card.players
    ]


def _lies_before(sight: Sight, player: int, face: str) -> bool:
    return any(card.face == face and player in card.players for card in sight.faces)


def _gone(belief: Belief, sight: Sight, player: int, face: str) -> bool:
    """So many cards of this kind as lay before the player are missing at his side."""
    side = next((card.players for card in sight.cards if player in card.players), (player,))
    due = sum(belief.state.faceup[p - 1].count(face) for p in side)
    own = belief.state.faceup[player - 1].count(face)
    return own > 0 and sum(c.face == face and c.players == side and not c.by_pile for c in sight.faces) <= due - own


def _unlikely(belief: Belief, sight: Sight) -> float:
    """How little what is seen speaks for a belief: a car more on the next tile, a card before somebody else."""
    cost = 0.3 * sum(belief.cars[p - 1] != spot.tiles[0] for p, spot in sight.cars.items())
    misplaced = MISPLACED_FOR_GOOD if _begun_after_a_doubt(belief) else MISPLACED
    for before, lie, put in _before(belief, sight):
        extra, missing = max(0, lie - before), max(0, before - lie)
        cost += extra * (PUT_THERE if put else misplaced) + missing * MISSING
    return cost


def _before(belief: Belief, sight: Sight) -> Iterator[tuple[int, int, bool]]:
    """For each side of the table: how many panne and puncture cards should lie there, how many do, and whether one of
    them was put there. One that lies at a wrong side is missing nowhere."""
    sides = {card.players for card in sight.cards if card.players}
    seated = {p for players in sides for p in players}
    sides |= {(p,) for p in range(1, len(belief.cars) + 1) if p not in seated}
    for face in (PANNE, PUNCTURE):
        counts = []
        for players in sides:
            due = sum(belief.state.faceup[p - 1].count(face) for p in players)
            lying = [
                c for c in sight.faces
                if c.face == face and c.key in belief.used and not c.by_pile and c.players == players
            ]  # fmt: skip
            counts.append((due, len(lying), any(c.moved for c in lying)))
        extra = sum(max(0, lie - due) for due, lie, _ in counts)
        for due, lie, put in counts:
            away = min(extra, max(0, due - lie))
            extra -= away
            yield due - away, lie, put


def _one_of(same: list[Belief]) -> Belief:
    """Beliefs that expect the same: the cheapest; what several equally cheap ones tell differently is not known."""
    first, *others = sorted(same, key=lambda belief: belief.cost)
    for other in others:
        near = WHOEVER if _same_but_user(first, other) else EQUALLY
        if other.cost < first.cost + near and len(other.log) == len(first.log):
            first = replace(first, log=tuple(map(_either, first.log, other.log)))
    return first


def _same_but_user(one: Belief, other: Belief) -> bool:
    """Two accounts that differ only in who used a card that moved nobody."""
    pairs = list(zip(one.log, other.log, strict=False))
    return len(one.log) == len(other.log) and all(
        a == b or (isinstance(a, Used) and isinstance(b, Used) and (a.card, a.by, a.to) == (b.card, b.by, b.to))
        for a, b in pairs
    )


def _either(one: Event, other: Event) -> Event:
    """What two accounts have in common."""
    if isinstance(one, Used) and isinstance(other, Used) and one != other:
        return Used(
            one.player if one.player == other.player else 0,
            one.card if one.card == other.card else UNKNOWN,
            one.by,
            one.to if one.to == other.to else 0,
            one.unseen or other.unseen,
        )
    if isinstance(one, Offered) and one != other:
        return replace(one, to=0)
    if isinstance(one, Drove) and one != other:
        return replace(one, inferred=True)
    return one


def _begun_after_a_doubt(belief: Belief) -> bool:
    """The next turn has begun since what is not told yet."""
    return any(isinstance(event, Rolled) for event in belief.log[1:])


# -- what may have happened next ----------------------------------------------------------------------------------


def _possible(setup: Setup, belief: Belief, sight: Sight, lapses: bool) -> Iterator[Deed]:
    yield from _throws(belief, sight, lapses)
    yield from _lays(belief, sight)
    yield from _drives(belief)
    yield from _cards(setup, belief, sight, lapses)
    if deeds.must_mend(belief.state) and not _lies_before(sight, belief.state.player, PUNCTURE):
        yield deeds.mend
    if any(_gone(belief, sight, player, PANNE) for player in setup.order):
        yield _refuel(sight)
    if lapses and not belief.lapses:
        yield from suppose(setup, belief, sight)


def _refuel(sight: Sight) -> Deed:
    """Somebody fills up whose panne cards have gone."""

    def deed(setup: Setup, belief: Belief) -> Belief | Refusal:
        after = deeds.refuel(setup, belief)
        if isinstance(after, Belief):
            who = after.log[-1].player
            if not _gone(belief, sight, who, PANNE):
                return refuse("refuel.place", f"player {who}'s panne cards still lie before him")
        return after

    return deed


def _throws(belief: Belief, sight: Sight, lapses: bool) -> Iterator[Deed]:
    if belief.thrown == len(sight.throws):
        return
    thrown = sight.throws[belief.thrown]
    values = (1, 2, 3) if thrown.value is None else (thrown.value,)
    for value in values:
        yield _counted(sight, deeds.throw(value), 0 if thrown.value else 0.5, value)
    if not thrown.sure:
        yield _counted(sight, None, 0.1)
    elif lapses:
        yield from (_counted(sight, deeds.throw_again(value), 0, value) for value in values)


def _counted(sight: Sight, deed: Deed | None, cost: float, value: int = 0) -> Deed:
    """The next throw of the die is accounted for; who has a puncture must have discarded it before."""

    def counted(setup: Setup, belief: Belief) -> Belief | Refusal:
        after = deed(setup, belief) if deed else belief
        if isinstance(after, Refusal):
            return after
        for event in after.log[len(belief.log) :]:
            if isinstance(event, Mended) and _lies_before(sight, event.player, PUNCTURE):
                return refuse("turn.puncture", f"player {event.player} discards his puncture first")
        guessed = value and sight.throws[belief.thrown].value is None
        guesses = (*after.guesses, (belief.thrown, value)) if guessed else after.guesses
        return replace(after, thrown=belief.thrown + 1, guesses=guesses, cost=after.cost + cost)

    return counted


def _lays(belief: Belief, sight: Sight) -> Iterator[Deed]:
    road = read(sight)
    if len(belief.road) < len(road):
        if road[: len(belief.road)] == belief.road:
            yield deeds.lay(road[len(belief.road)])
    elif len(road) < len(belief.road) and len(belief.state.track) <= len(road):
        yield deeds.take_back(len(belief.road) - len(road))


def _drives(belief: Belief) -> Iterator[Deed]:
    if belief.owed:
        yield deeds.drive(belief.owed.player, belief.owed.end)
    elif motion := belief.state.motion:
        start = belief.cars[motion.player - 1]
        for end in range(start + 1, min(start + motion.size - motion.taken, len(belief.road)) + 1):
            yield deeds.drive(motion.player, end)


def _cards(setup: Setup, belief: Belief, sight: Sight, lapses: bool) -> Iterator[Deed]:
    state = belief.state
    for card in _fresh(belief, sight):
        others = [p for p in card.players if p != state.player]
        if card.face == "back":
            yield from (deeds.offer(to, card.key, card.players) for to in others)
            if not others or lapses or not _may_offer(belief, sight):
                yield deeds.ignore(card.key, 3.5 if others else 0.5)
            continue
        if state.phase == "discard":
            yield deeds.discard(card.face, card.key)
        yield from _turned_up(setup, belief, card)
        moved = _moved_there(belief, sight, card)
        yield deeds.ignore(card.key, (0.1 if card.by_pile else 0.7) if moved else 0.6 if card.by_pile else 4.0)


def _may_offer(belief: Belief, sight: Sight) -> bool:
    """A card that is laid down now is on offer, whether it may be or not."""
    motion = belief.state.motion
    may = belief.state.phase in ("draw", "arrive", "offer") or (motion is not None and motion.by == "die")
    return may or belief.thrown < len(sight.throws)


def _turned_up(setup: Setup, belief: Belief, card: Card) -> Iterator[Deed]:
    """The card is the one that was offered; or one was offered and turned up since the last still."""
    state = belief.state
    if state.phase == "reply" and state.offered:
        for accepted in (True, False):
            cost = _out_of_place(card, state.player, state.offered.to, accepted)
            yield deeds.dearer(deeds.turn_up(card.face, accepted, card.key), cost)
        return
    asked = [p for p in setup.order if p != state.player]
    for to in asked:
        cost = 1 + _out_of_place(card, state.player, to, True)
        yield deeds.dearer(deeds.both(deeds.offer(to), deeds.turn_up(card.face, True, card.key, True)), cost)
        cost = 1 + _out_of_place(card, state.player, to, False)
        yield deeds.dearer(deeds.both(deeds.offer(to), deeds.turn_up(card.face, False, card.key, True)), cost)


def _out_of_place(card: Card, by: int, to: int, accepted: bool) -> float:
    """By how much dearer it is that a card was turned up there.

    It is turned up before who uses it, as a rule; it may also be turned up where it was offered, but who takes
    one does not give it back first. By the pile lie the discards.
    """
    if card.by_pile:
        return 2.5
    user, other = (to, by) if accepted else (by, to)
    if user in card.players:
        return 0.0
    if other in card.players:
        return 2.5 if accepted else 0.9
    return 0.8


def _moved_there(belief: Belief, sight: Sight, card: Card) -> bool:
    """A card of its kind that has been used lay elsewhere just now: it was moved, or laid on the discard pile."""
    return any(gone.face == card.face and gone.key in belief.used for gone in sight.gone)
