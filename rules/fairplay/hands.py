"""Cards that may be unseen: a hand and the draw pile, as far as they are known."""

from __future__ import annotations

import msgspec


class Hand(msgspec.Struct, frozen=True):
    """A player's hand: the cards somebody has seen, sorted, and how many nobody has."""

    known: tuple[str, ...] = ()
    hidden: int = 0

    @property
    def size(self) -> int:
        return len(self.known) + self.hidden

    def with_card(self, card: str) -> Hand:
        return Hand(tuple(sorted((*self.known, card))), self.hidden)

    def with_hidden(self) -> Hand:
        return Hand(self.known, self.hidden + 1)

    def shown(self, card: str) -> Hand:
        """Somebody has seen that this card is among them."""
        return self if card in self.known else Hand(tuple(sorted((*self.known, card))), self.hidden - 1)

    def without(self, card: str) -> Hand:
        """The card leaves the hand: a known one, where there is one like it, else one that was hidden."""
        return Hand(without(self.shown(card).known, card), self.shown(card).hidden)

    def without_one_unseen(self) -> Hand:
        """A card leaves that nobody saw: it may be any, so that none is known for certain any more."""
        return Hand((), self.size - 1)


class Pile(msgspec.Struct, frozen=True):
    """The draw pile since it was last shuffled: what went into it, and how many were drawn unseen since.

    A card drawn openly has been taken out of `known`. Of each kind at most `known` + `blank` cards can be left, and at
    least `known` - `unseen`.
    """

    known: tuple[str, ...]
    blank: int = 0
    """Cards shuffled in that nobody had seen."""
    unseen: int = 0

    @property
    def size(self) -> int:
        return len(self.known) + self.blank - self.unseen

    def most(self, kind: str) -> int:
        return self.known.count(kind) + self.blank

    def least(self, kind: str) -> int:
        return max(0, self.known.count(kind) - self.unseen)

    def without(self, card: str) -> Pile:
        if card in self.known:
            return Pile(without(self.known, card), self.blank, self.unseen)
        return Pile(self.known, self.blank - 1, self.unseen)

    def without_one_unseen(self) -> Pile:
        return Pile(self.known, self.blank, self.unseen + 1)


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """The cards less one of this kind; raises ValueError when there is none."""
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]
