"""Whether to believe what was read: the network's views among each other, and the pips that can be counted."""

from __future__ import annotations

from collections.abc import Sequence

from vision.dice.read import LEAST, Reading
from vision.dice.shape import upper_face
from vision.dice.spots import pip_counts
from vision.frame import Image
from vision.scene import DieKind

SURE_COUNTED = 0.6
"""A value less likely than this is unknown even if as many pips are counted. 0.8 would leave 8 more of 373 dice on
photographs unknown, and spare none there; of 766 rendered ones 12 more, and spare none."""
SURE_ONE = 0.9
"""And a one than this: any blurred thing is a spot."""
SURE = 0.95
"""And any than this if no pips can be counted: numerals, blurred or burnt out faces. From 0.9 to 0.95 misread ones fall
from 18 to 14 of 1751 rendered dice, and 80 more are unknown."""
SURE_SIX = 0.98
"""And a six than this: a blurred numeral five is read as one. Of 974 rendered dice 4 were misread, three of them so."""
SURE_AGAINST = 0.97
"""And than this if another number of pips is counted."""
CERTAIN = 0.985
"""Above this nothing is counted."""


def value_of(bgr: Image, r: Reading, kinds: Sequence[DieKind]) -> tuple[DieKind, int | None, float]:
    """The kind, the value or None where that is in doubt, and how sure that is.

    What no kind has on it is not read as something else: a six on a die that has none is a misread die.
    """
    best = int(r.values.argmax()) + 1
    having = [k for k in kinds if best in k.values]
    # What no die here can show takes nothing from what it does.
    possible = sorted({v for k in kinds for v in k.values})
    share = float(r.values.sum() / max(r.values[[v - 1 for v in possible]].sum(), LEAST))
    sure = min(float(r.values[best - 1]) * share, 1.0)
    if not having or sure < SURE_COUNTED:
        return (having or list(kinds))[0], None, sure
    if sure < CERTAIN:
        counts = pip_counts(bgr, r.centre, r.edge_px, upper_face(r.centre, r.edge_px, r.lean, r.turn))
        if sure < _least(best, counts):
            return having[0], None, sure
    return having[0], best, sure


def _least(value: int, counts: set[int]) -> float:
    if value in counts:
        return SURE_ONE if value == 1 else SURE_COUNTED
    if counts:
        return SURE_AGAINST
    return SURE_SIX if value == 6 else SURE
