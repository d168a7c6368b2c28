"""The points the rulebook leaves open, as named options that a table agrees on (rules 3.7)."""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.fairplay.pieces import CURVE, STRAIGHT, TILES
from rules.options import HouseRuleError, Options

__all__ = ["HouseRuleError", "HouseRules"]


class HouseRules(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every option of table 3.7, and the one that 3.1 names besides. Defaults are the table's.

    >>> HouseRules.of({"order": "never"})
    Traceback (most recent call last):
    ...
    rules.options.HouseRuleError: house rule `order`: Invalid enum value 'never'; there are clockwise, full_lot
    """

    players: Literal["2-6", "3-6"] = "2-6"
    """FP1: how many may play; two are a variant."""
    tile_capacity: int = 4
    """FP2 (3.4.2): cars on an ordinary tile."""
    refuel_timing: Literal["whole_turn", "on_arrival"] = "whole_turn"
    """FP3 (3.3.0'): one fills up instead of a whole turn, or on arrival by the die instead of drawing and offering."""
    refuel_draw: int = 3
    """FP4 (3.3.0'): who fills up draws until he holds this many cards."""
    min_die_steps: int = 0
    """FP5 (3.4.4): steps of a roll that must be taken, as far as the roll and the road allow."""
    peek_then_stop: bool = False
    """FP6 (3.4.5): may a mover turn a tile over and then not enter it."""
    remontee_limits: Literal["obstacles", "laid_track", "none"] = "obstacles"
    """FP7 (3.5): what a catch-up stops at: obstacles; these and the end of the track laid; nothing."""
    jump_can_win: bool = True
    """FP8 (3.5): may a catch-up or a short cut go past the finish; otherwise it ends on the finish tile."""
    reverse_full_tile: Literal["back_one_more", "allow"] = "back_one_more"
    """FP9 (3.5): a car that arrives backwards on a full tile."""
    garage_here: bool = True
    """FP10 (3.5): engine trouble on a garage tile leaves the car there; otherwise it goes to the next garage behind."""
    start_capacity: int | None = None
    """FP11 (3.4.2): cars on the start tile; None: any number. All begin there, so that it cannot be less."""
    finish_capacity: int | None = 4
    """FP11 (3.4.7): cars on the finish tile; None: any number."""
    win_any_time: bool = True
    """FP12 (3.4.7): may a card take a car past the finish in another player's turn; otherwise it ends on the finish."""
    order: Literal["clockwise", "full_lot"] = "clockwise"
    """FP13 (3.2.2): the lot gives the first player, then clockwise; or it gives everybody's place."""
    ranking: Literal["position"] = "position"
    """FP15: the others rank by where they stand; there is no playing on."""
    track_layout: Literal["mover_chooses"] = "mover_chooses"
    """FP16 (3.4): who lays a curve chooses left or right, unless the track would run into itself."""
    tile_shape: dict[str, Literal["straight", "curve"]] = msgspec.field(default_factory=dict)
    """3.1: which special tiles are straight and which bent, where the deck tells; it has no effect but on the lay."""

    def __post_init__(self) -> None:
        for field, lowest, highest in (
            ("tile_capacity", 1, 6),
            ("refuel_draw", 0, 3),
            ("min_die_steps", 0, 3),
            ("start_capacity", 2, 6),
            ("finish_capacity", 1, 6),
        ):
            value = getattr(self, field)
            if value is not None and not lowest <= value <= highest:
                raise HouseRuleError(field, f"must lie between {lowest} and {highest}, got {value}")
        for kind in self.tile_shape:
            if kind not in TILES or kind in (CURVE, STRAIGHT):
                special = ", ".join(tile for tile in TILES if tile not in (CURVE, STRAIGHT))
                raise HouseRuleError("tile_shape", f"there is no special tile {kind}; there are {special}")
