"""After the evaluation: claimed cards and all carpets leave the table, nothing else does (rules 1.5.2)."""

from __future__ import annotations

from collections.abc import Sequence, Set

from rules.carpets.geometry import apart, centre
from rules.carpets.table import Carpet, Sight, Slot, Table, moved
from rules.protocol import Mark, Message, Output, Ruling
from vision.scene import Quad

WRONG_CARD = "carpets.illegal.wrong_card"
PUT_BACK = "carpets.collect.cleared"
LIFTED_MM = 20.0
"""A carpet that lies this far from where it landed was taken up."""


class CollectWatch:
    """One clearing of the table after a flight."""

    def __init__(self, table: Table, names: Sequence[str], card_w: float) -> None:
        self._table, self._names, self._card_w = table, names, card_w
        self.claims: dict[int, int] = {}
        """Card number to the player who takes it."""
        self.taken: set[int] = set()
        self._wrong: set[int] = set()
        """Cards that were ruled to be taken wrongly and are not back."""
        self._landings: dict[str, Quad] = {c.colour: c.landing for c in table.carpets.values() if c.landing}
        for slot in table.slots:
            slot.home = slot.outline

    def watch(self, sight: Sight, disputed: Set[int], sweeping: bool) -> list[Output]:
        """`disputed`: cards a duel is still due for; `sweeping`: the round is over, all may go."""
        out: list[Output] = []
        for carpet in self._table.carpets.values():
            if self._left(carpet):
                carpet.where = "resting" if carpet.seen else "away"
            elif carpet.seen:
                carpet.where = "landed"  # still there, though a still may have missed it
        for slot in self._table.slots:
            away = self._away(slot)
            if slot.index in self.claims:
                (self.taken.add if away else self.taken.discard)(slot.index)
            elif slot.index not in disputed and not sweeping:
                out += self._check(sight.scene.t, slot, away)
        return out

    def _check(self, t: float, slot: Slot, away: bool) -> list[Output]:
        """An unclaimed card that is gone in two stills running was taken; one still alone may err."""
        if slot.index in self._wrong:
            if away:
                return []
            self._wrong.discard(slot.index)
            return [Ruling(t=t, rule=PUT_BACK, pieces=(slot.piece,), message=Message(PUT_BACK, {"card": slot.face}))]
        if not away or slot.missing == 1:
            return []
        self._wrong.add(slot.index)
        return [Ruling(t=t, rule=WRONG_CARD, pieces=(slot.piece,), message=Message(WRONG_CARD, {"card": slot.face}))]

    def _away(self, slot: Slot) -> bool:
        """The card does not lie at its place any more."""
        if slot.seen:
            return apart(centre(slot.outline), centre(slot.home)) > self._card_w
        return not self._table.hidden(slot)

    def _left(self, carpet: Carpet) -> bool:
        """The carpet does not lie where it landed any more."""
        landing = self._landings.get(carpet.colour)
        if landing is None or carpet.outline is None:
            return True
        return moved(landing, carpet.outline, LIFTED_MM) if carpet.seen else not self._table.hidden(carpet)

    def gone_for(self, index: int) -> int:
        """Scenes in a row in which a card was not at its place; 0 while it lies there."""
        slot = self._table.slot(index)
        if slot is None or not self._away(slot):
            return 0
        return max(1, slot.missing) if not slot.seen else 2

    @property
    def carpets_up(self) -> bool:
        """No carpet lies where it landed."""
        return all(c.where != "landed" for c in self._table.carpets.values())

    @property
    def done(self) -> bool:
        """All carpets are up and every claimed card is taken."""
        return self.carpets_up and set(self.claims) <= self.taken

    def marks(self, disputed: Set[int]) -> list[Mark]:
        """Claimed cards that still lie there, and cards taken that nobody claims."""
        marks = []
        for index, player in self.claims.items():
            slot = self._table.slot(index)
            if slot is not None and index not in self.taken:
                params: dict[str, str | int | float] = {"player": self._names[player - 1], "card": slot.face}
                marks.append(
                    Mark(kind="claimed", pieces=(slot.piece,), message=Message("carpets.mark.claimed", params))
                )
        for slot in self._table.slots:
            if slot.index in self._wrong or (
                slot.index not in disputed | self.claims.keys() and slot.missing and self._away(slot)
            ):
                marks.append(
                    Mark(
                        kind="take_back",
                        pieces=(slot.piece,),
                        message=Message("carpets.mark.take_back", {"card": slot.face}),
                    )
                )
        return marks
