"""How a carpet lies, from what a still measured: on a card, under it, beside it, or in doubt (rules 1.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rules.carpets.geometry import shared
from rules.carpets.house_rules import HouseRules
from rules.carpets.table import Carpet, Table
from vision.scene import Overlap, Quad, Scene


@dataclass(frozen=True)
class Contact:
    """A carpet and a layout card that lie at one another."""

    card: int
    on: bool
    """Likelier than not the carpet lies on the card."""
    under: bool
    """Likelier than not it lies under the card."""
    sure: bool
    """False: not to be ruled alone, whether it lies on the card."""
    measured: float
    """Depth of the overlap in mm; negative: the gap between the two."""
    sigma: float
    lapse: bool = False
    """This still misses the card, though it ought to be in view: the next one may show it."""


def contacts(scene: Scene, table: Table, rules: HouseRules) -> dict[str, dict[int, Contact]]:
    """For every carpet that the scene shows (by colour): the cards it lies at (by number)."""
    index = {slot.piece: slot.index for slot in table.slots}
    colours = {c.piece: colour for colour, c in table.carpets.items() if c.seen}
    found: dict[str, dict[int, Contact]] = {colour: {} for colour in colours.values()}
    for overlap in scene.overlaps:
        if overlap.over in colours and overlap.under in index:
            card = index[overlap.under]
            found[colours[overlap.over]][card] = _over(card, overlap, rules)
        elif overlap.under in colours and overlap.over in index:
            card = index[overlap.over]
            found[colours[overlap.under]][card] = _under(card, overlap, rules)
    for gap in scene.gaps:
        if gap.mm > 2 * gap.sigma_mm:
            continue
        for one, other in ((gap.a, gap.b), (gap.b, gap.a)):
            if one in colours and other in index:
                near = Contact(index[other], False, False, False, -gap.mm, gap.sigma_mm)
                found[colours[one]].setdefault(index[other], near)
    for slot in table.slots:
        if not slot.seen:
            hidden = table.hidden(slot)
            if hidden or slot.missing == 1:
                _unseen(slot.index, slot.outline, table, found, lapse=not hidden)
    return found


def _over(card: int, overlap: Overlap, rules: HouseRules) -> Contact:
    # An area's sigma: the edge that bounds it, about as long as the area's own root times two, moves by the sigma.
    spread = 2 * math.sqrt(max(overlap.area_mm2, 0.0)) * overlap.sigma_mm
    beyond = overlap.area_mm2 - rules.min_overlap_mm2
    enough = rules.min_overlap_mm2 == 0 or abs(beyond) > 2 * spread
    deep = overlap.depth_mm > 2 * overlap.sigma_mm
    clear = overlap.confidence >= rules.ask_below_confidence
    on = beyond > 0 or (rules.min_overlap_mm2 == 0 and overlap.depth_mm > 0)
    sure = (enough and not on) or (enough and deep and clear)
    return Contact(card, on, False, sure, overlap.depth_mm, overlap.sigma_mm)


def _under(card: int, overlap: Overlap, rules: HouseRules) -> Contact:
    clear = overlap.confidence >= rules.ask_below_confidence
    return Contact(card, False, True, clear, overlap.depth_mm, overlap.sigma_mm)


def _unseen(card: int, outline: Quad, table: Table, found: dict[str, dict[int, Contact]], lapse: bool) -> None:
    """A card that is not seen where carpets lie now: likely they lie on it, but nobody saw it."""
    for carpet in table.carpets.values():
        if carpet.colour in found and carpet.outline is not None and shared(outline, carpet.outline):
            found[carpet.colour].setdefault(card, Contact(card, True, False, False, 0.0, 0.0, lapse))


@dataclass(frozen=True)
class Stacked:
    """Carpet `over` lies on carpet `under`."""

    over: str
    under: str
    sure: bool


def stacked(scene: Scene, table: Table, rules: HouseRules) -> list[Stacked]:
    """Carpets that lie on each other above a card that both touch; matters to the option `carpet_over_carpet` only."""
    if rules.carpet_over_carpet == "counts":
        return []
    carpets = {c.piece: c for c in table.carpets.values() if c.seen}
    return [
        Stacked(carpets[o.over].colour, carpets[o.under].colour, o.confidence >= rules.ask_below_confidence)
        for o in scene.overlaps
        if o.over in carpets and o.under in carpets and _above_one_card(carpets[o.over], carpets[o.under], table)
    ]


def _above_one_card(a: Carpet, b: Carpet, table: Table) -> bool:
    if a.outline is None or b.outline is None:
        return False
    both = shared(a.outline, b.outline)
    return len(both) > 2 and any(shared(both, slot.outline) for slot in table.slots)
