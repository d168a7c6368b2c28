"""What cards that nobody sees can be (rules 3.1): no more of a kind than there are, wherever they lie.

What is refused here cannot be. What is not refused may still be impossible for somebody who remembers which shuffle
each hidden card came from; a table that keeps its hands secret does not play by that either.
"""

from __future__ import annotations

from rules.fairplay.hands import Pile
from rules.fairplay.pieces import CARDS
from rules.fairplay.state import State


def seen(state: State, kind: str) -> int:
    """Cards of a kind of which it is known where they are: before players, on the discard pile, in known hands."""
    return (
        sum(cards.count(kind) for cards in state.faceup)
        + sum(hand.known.count(kind) for hand in state.hands)
        + state.discards.count(kind)
    )


def pile_to_draw_from(state: State) -> tuple[Pile, bool]:
    """Rules 3.5: the draw pile, or the discard pile shuffled when there is no card left to draw; and whether it is."""
    if state.pile.size:
        return state.pile, False
    return Pile(state.discards, state.discards_unseen), True


def may_draw(state: State, kind: str) -> bool:
    """Can the next card of the pile be of this kind?"""
    pile, shuffled = pile_to_draw_from(state)
    known = seen(state, kind) - (state.discards.count(kind) if shuffled else 0)
    return pile.most(kind) > 0 and CARDS[kind] > known


def may_hold(state: State, player: int, kind: str) -> bool:
    """Can the player have a card of this kind in his hand?"""
    hand = state.hand(player)
    if kind in hand.known:
        return True
    return hand.hidden > 0 and CARDS[kind] - seen(state, kind) - state.pile.least(kind) > 0
