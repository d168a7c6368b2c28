"""What can only have happened unseen: a throw, a card that was offered, used and put away, a turn without an offer."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from rules.engine import Refusal
from rules.fairplay import deeds
from rules.fairplay.belief import Belief
from rules.fairplay.deeds import Deed
from rules.fairplay.events import Skipped
from rules.fairplay.legal import actor
from rules.fairplay.pieces import CARDS, PUNCTURE
from rules.fairplay.refusals import refuse
from rules.fairplay.sight import Sight
from rules.fairplay.state import Setup


def suppose(setup: Setup, belief: Belief, sight: Sight) -> Iterator[Deed]:
    """The lapses that may be supposed of a belief. One thing is supposed that was not seen; to suppose more would be to
    make it up."""
    yield from map(_lapse, _lapses(setup, belief, sight))


def _lapses(setup: Setup, belief: Belief, sight: Sight) -> Iterator[Deed]:
    state = belief.state
    if state.phase == "roll" and belief.thrown == len(sight.throws):
        values = (1, 2, 3) if sight.die is None else (sight.die,)
        yield from (deeds.dearer(deeds.throw(value, inferred=True), 2) for value in values)
    if state.phase == "roll":
        yield deeds.dearer(deeds.refuel, 3)
    if state.phase in ("draw", "move", "arrive") and belief.owed is None:
        yield deeds.dearer(_skip, 4.3)
        for to in setup.order:
            if to != state.player:
                yield from _used_unseen(1.5, deeds.offer(to))
    if state.phase == "reply":
        yield from _used_unseen(2)


def _used_unseen(cost: float, *offered: Deed) -> Iterator[Deed]:
    """A card was turned up, carried out and put away. A puncture that was put away has cost the next player his turn,
    and that is hardly less likely: otherwise the wrong driver rolled."""
    for card in CARDS:
        for accepted in (True, False):
            up = deeds.turn_up(card, accepted, unseen_offer=bool(offered) and not accepted)
            yield deeds.dearer(deeds.both(*offered, up), cost)
            if card == PUNCTURE:
                yield deeds.dearer(deeds.both(*offered, up, deeds.mend), cost - 0.8)


def _lapse(deed: Deed) -> Deed:
    """One thing is supposed that was not seen; to suppose more would be to make it up."""

    def lapse(setup: Setup, belief: Belief) -> Belief | Refusal:
        after = deed(setup, belief)
        return after if isinstance(after, Refusal) else replace(after, lapses=1)

    return lapse


def _skip(setup: Setup, belief: Belief) -> Belief | Refusal:
    """Against the rules (3.3.4), no card was offered."""
    player = belief.state.player
    if actor(belief.state) != player:
        return refuse("turn.offer", "a card is being used")
    ready = deeds.until_offer(setup, belief)
    if isinstance(ready, Refusal):
        return ready
    return deeds.next_turn(setup, deeds.logged(ready, Skipped(player)))
