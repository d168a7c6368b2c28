"""Layout rules, live: gaps and reach while the cards are laid (rules 1.3.2, 1.3.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rules.asking import Asking
from rules.carpets.cards import LAYOUT_SIZE, MIN_GAP_MM
from rules.carpets.geometry import distance
from rules.carpets.spacing import linked
from rules.carpets.table import LAPSE, Slot, Table
from rules.protocol import Mark, Message, Output, Question, Ruling
from vision.scene import Scene

GAP = "carpets.layout.gap"
REACH = "carpets.layout.reach"
CLEARED = "carpets.layout.cleared"

Key = tuple[str, ...]
"""`("gap", "3", "5")` or `("reach", "9")`: the rule and the numbers of the cards."""


@dataclass
class Measure:
    """A distance that may break a rule."""

    mm: float
    sigma: float
    limit: float
    pieces: tuple[str, ...]
    cards: tuple[str, ...]

    def broken(self, rule: str) -> bool:
        return self.mm < self.limit if rule == "gap" else self.mm > self.limit

    @property
    def doubtful(self) -> bool:
        """Within 2 sigma of the limit: not to be ruled alone."""
        return abs(self.mm - self.limit) <= 2 * self.sigma

    def like(self, other: Measure) -> bool:
        """Is this the same distance, measured again?"""
        return abs(self.mm - other.mm) <= max(0.3, 2 * math.hypot(self.sigma, other.sigma))


@dataclass
class Judged:
    """What came of a measure."""

    measure: Measure
    verdict: str
    """`legal`, `illegal`, or `asked`."""
    wrong: bool = False
    """A ruling says that it lies wrong, and none that this is cleared."""
    by_players: bool = False


Pairs = dict[tuple[int, int], tuple[float, float]]
"""Numbers of two cards, the smaller first, to their gap and its sigma."""

KEPT_IN_MIND_MM = 3.0
"""Gaps up to this much above the limit are remembered: a card that lies still is not asked about by noise alone."""


class LayoutWatch:
    """Judges the layout scene by scene; remembers what was ruled, asked and answered."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._judged: dict[Key, Judged] = {}
        self._linked: dict[tuple[int, int], Measure] = {}
        """Links found to be within reach."""

    # -- looking ------------------------------------------------------------------------------------------------

    def watch(self, scene: Scene, table: Table, reach_mm: float) -> list[Output]:
        """What is to be said of the layout as it lies now; nothing while millimetres are not to be trusted."""
        slots = {slot.index: slot for slot in table.slots if slot.seen}
        if not scene.camera.solved or not slots:
            return []
        pairs = _pairs(scene, table)
        measures: dict[Key, Measure] = {}
        for (a, b), (mm, sigma) in pairs.items():
            if mm - 2 * sigma < MIN_GAP_MM + KEPT_IN_MIND_MM:
                measures["gap", str(a), str(b)] = _measure(mm, sigma, MIN_GAP_MM, slots[a], slots[b])
        complete = len(slots) >= LAYOUT_SIZE and len(slots) == len(table.slots)
        lapsed = [slot for slot in table.slots if 0 < slot.missing <= LAPSE]
        far, waiting = self._unreached(slots, pairs, reach_mm, complete, lapsed)
        measures |= far
        out: list[Output] = []
        for key, judged in list(self._judged.items()):
            # A card in somebody's hand is waited for.
            if key not in measures and all(int(index) in slots for index in key[1:]):
                out += self._no_longer(scene.t, key, judged)
        for key, measure in measures.items():
            out += self._judge(scene.t, key, measure)
        for slot in slots.values():
            slot.moved = slot.index in waiting
        return out

    def _unreached(
        self, slots: dict[int, Slot], pairs: Pairs, reach_mm: float, complete: bool, lapsed: Sequence[Slot]
    ) -> tuple[dict[Key, Measure], set[int]]:
        """Cards or groups of cards without a sure link to the rest, by the card that is at fault.

        Which group is at fault: the one that holds a card already found too far; else not the largest.
        A card that lies still is not found too far because its neighbour is being moved: only new and moved cards are,
        and all of them once the twelve lie there. A new card beside one that this still misses waits for the next
        still: such cards come back as the second value.
        """
        links = []
        for pair, (mm, sigma) in pairs.items():
            link = Measure(mm, sigma, reach_mm, (), ())
            before = self._linked.get(pair)
            if mm + 2 * sigma < reach_mm:
                links.append(pair)
                self._linked.setdefault(pair, link)
            elif before and link.doubtful and link.like(before):
                links.append(pair)
            elif before:
                del self._linked[pair]
        groups = linked(sorted(slots), links)
        far: dict[Key, Measure] = {}
        waiting: set[int] = set()
        if len(groups) < 2:
            return far, waiting
        reach = {int(key[1]): judged for key, judged in self._judged.items() if key[0] == "reach"}
        at_fault = {index for index, judged in reach.items() if judged.verdict != "legal"}
        main = max(groups, key=lambda group: (not at_fault & set(group), len(group)))
        for group in groups:
            to_judge = [i for i in group if i in reach] or [i for i in group if complete or slots[i].moved]
            if group is main or not to_judge:
                continue
            if any(distance(slots[i].outline, slot.outline) <= reach_mm for i in group for slot in lapsed):
                waiting |= {i for i in to_judge if i not in reach}
                far |= {("reach", str(i)): reach[i].measure for i in to_judge if i in reach}
            else:
                anchor = next((i for i in to_judge if i in at_fault), to_judge[-1])
                far["reach", str(anchor)] = _nearest(group, slots, pairs, reach_mm, anchor)
        return far, waiting

    # -- judging ------------------------------------------------------------------------------------------------

    def _judge(self, t: float, key: Key, measure: Measure) -> list[Output]:
        before = self._judged.get(key)
        wrong = before is not None and before.wrong
        if before and measure.like(before.measure) and (before.by_players or measure.doubtful):
            return []
        verdict = "asked" if measure.doubtful else "illegal" if measure.broken(key[0]) else "legal"
        if before and verdict == before.verdict and verdict != "asked":
            before.measure = measure
            return []
        self._asking.withdraw_topic(key)
        self._judged[key] = Judged(measure, verdict, wrong)
        if verdict == "asked":
            return self._asking.ask(key, _question(t, key, measure))
        return self._rule(t, key, self._judged[key])

    def _rule(self, t: float, key: Key, judged: Judged) -> list[Output]:
        """Each fault is ruled once until it is cleared."""
        wrong, judged.wrong = judged.wrong, judged.verdict == "illegal"
        if wrong == judged.wrong:
            return []
        return [_ruling(t, key, judged.measure) if judged.wrong else _cleared(t, key, judged.measure)]

    def _no_longer(self, t: float, key: Key, judged: Judged) -> list[Output]:
        """The measure is nowhere near its limit any more."""
        del self._judged[key]
        self._asking.withdraw_topic(key)
        return [_cleared(t, key, judged.measure)] if judged.wrong else []

    def answered(self, t: float, key: Key, choice: str) -> list[Output]:
        """The players decided a doubtful measure."""
        judged = self._judged.get(key)
        if judged is None:
            return []
        judged.verdict, judged.by_players = choice, True
        return self._rule(t, key, judged)

    def forget(self, index: int) -> None:
        """The card is no longer part of the layout."""
        for key in [key for key in self._judged if str(index) in key[1:]]:
            del self._judged[key]
            self._asking.withdraw_topic(key)
        self._linked = {pair: link for pair, link in self._linked.items() if index not in pair}

    def close(self) -> None:
        """The layout is ready: nothing is judged or asked any more."""
        self._judged, self._linked = {}, {}
        self._asking.withdraw("gap", "reach")

    def marks(self) -> list[Mark]:
        """What lies wrong now, and what is in doubt."""
        return [
            Mark(
                kind="violation" if judged.verdict == "illegal" else "doubt",
                pieces=judged.measure.pieces,
                message=_message(key, judged.measure),
                measured=judged.measure.mm,
                limit=judged.measure.limit,
            )
            for key, judged in self._judged.items()
            if judged.verdict != "legal"
        ]


def _pairs(scene: Scene, table: Table) -> Pairs:
    """Gap and sigma of every pair of layout cards that the scene measured."""
    index = {slot.piece: slot.index for slot in table.slots if slot.seen}
    pairs: Pairs = {}
    for gap in scene.gaps:
        a, b = index.get(gap.a), index.get(gap.b)
        if a is not None and b is not None:
            pairs[(a, b) if a < b else (b, a)] = gap.mm, gap.sigma_mm
    for overlap in scene.overlaps:
        a, b = index.get(overlap.over), index.get(overlap.under)
        if a is not None and b is not None:
            pairs.setdefault((a, b) if a < b else (b, a), (0.0, overlap.sigma_mm))
    return pairs


def _nearest(group: Sequence[int], slots: dict[int, Slot], pairs: Pairs, reach_mm: float, anchor: int) -> Measure:
    """The shortest way from a group to any other card."""
    out_of_group = [pair for pair in pairs if (pair[0] in group) != (pair[1] in group)]
    if out_of_group:
        best = min(pairs[pair] for pair in out_of_group)
    else:  # farther than any measured gap: the outlines tell it well enough
        best = min(
            (distance(slots[i].outline, slot.outline), math.hypot(slots[i].sigma, slot.sigma))
            for i in group
            for slot in slots.values()
            if slot.index not in group
        )
    return _measure(*best, reach_mm, slots[anchor], *(slots[i] for i in group if i != anchor))


def _measure(mm: float, sigma: float, limit: float, *slots: Slot) -> Measure:
    return Measure(mm, sigma, limit, tuple(s.piece for s in slots), tuple(s.face for s in slots))


def _message(key: Key, m: Measure) -> Message:
    params: dict[str, str | int | float] = {"card": m.cards[0], "mm": round(m.mm, 1), "limit": round(m.limit, 1)}
    if key[0] == "gap":
        params["other"] = m.cards[1]
    return Message(f"carpets.layout.{key[0]}", params)


def _ruling(t: float, key: Key, m: Measure) -> Ruling:
    return Ruling(
        t=t,
        rule=GAP if key[0] == "gap" else REACH,
        pieces=m.pieces,
        measured=round(m.mm, 2),
        sigma=round(m.sigma, 2),
        limit=m.limit,
        unit="mm",
        message=_message(key, m),
    )


def _cleared(t: float, key: Key, m: Measure) -> Ruling:
    params: dict[str, str | int | float] = {"card": m.cards[0]}
    if key[0] == "gap":
        params["other"] = m.cards[1]
    return Ruling(
        t=t, rule=CLEARED, pieces=m.pieces, reason=key[0], message=Message(f"carpets.layout.cleared_{key[0]}", params)
    )


def _question(t: float, key: Key, m: Measure) -> Question:
    return Question(
        id="",
        t=t,
        rule=GAP if key[0] == "gap" else REACH,
        pieces=m.pieces,
        options=("legal", "illegal"),
        default="illegal" if m.broken(key[0]) else "legal",
        measured=round(m.mm, 2),
        sigma=round(m.sigma, 2),
        limit=m.limit,
        unit="mm",
        message=Message(f"carpets.ask.{key[0]}", dict(_message(key, m).params)),
    )
