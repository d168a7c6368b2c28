"""The points the rulebook leaves open, as named options that a table agrees on (rules 1.8).

FT1 to FT15 are the numbers of those points in that table; behind each stands the clause that leaves it open.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from rules.carpets.cards import CARD_MM
from rules.options import HouseRuleError, Options

__all__ = ["HouseRuleError", "HouseRules"]


class HouseRules(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every option of table 1.8, and the two that the text names besides (1.4.3, 1.5). Defaults are the table's.

    >>> HouseRules.of({"duel_ordr": "layout_index"})
    Traceback (most recent call last):
    ...
    rules.options.HouseRuleError: house rule `duel_ordr`: no such option; did you mean `duel_order`?
    """

    bazaar_values: dict[str, int] = msgspec.field(default_factory=lambda: {"spice": 5, "carpet": 6, "camel": 7})
    """FT1 (1.7, 1.9): points of a pair."""
    adventure_ladder: tuple[int, ...] = (1, 3, 6, 10, 15)
    """FT2 (1.7): points of a set of 1 to 5 different adventures."""
    throw_distance_cm: float = 30.0
    """FT3 (1.4.2): told to the players; a camera above the layout does not see hands well enough to rule on it."""
    rearrange_limit: int | None = None
    """FT4 (1.3.3): how many cards may be touched after the twelfth; None: any number."""
    duel_order: Literal["layout_index", "layouter_chooses", "first_thrower_chooses"] = "layout_index"
    """FT5 (1.5.4)."""
    carpet_over_carpet: Literal["counts", "top_only", "bottom_only"] = "counts"
    """FT6 (1.5): does a carpet lie on a card when another carpet is between them."""
    pushed_cards: Literal["stay", "put_back"] = "stay"
    """FT7 (1.4.5)."""
    two_player_throw_order: Literal["alternate", "both_at_once"] = "alternate"
    """FT8 (1.4.4)."""
    palace_all_equal: Literal["both", "none"] = "both"
    """FT9 (1.6.3): both lines apply and cancel, or none does. The points are the same; the rulings differ."""
    leftovers: Literal["remove", "under_deck"] = "remove"
    """FT10 (1.6.6)."""
    lamp_as_treasure: bool = True
    """FT11 (1.7)."""
    joker_only_sets: bool = False
    """FT11 (1.7): may a pair or set consist of lamps alone."""
    lamp_decision: Literal["clockwise", "secret"] = "clockwise"
    """FT12 (1.6.4)."""
    first_player: int | None = None
    """FT13 (1.2.4): number of the first layouter; None: drawn, and told as the session's dealer."""
    tiebreak: Literal["shared", "most_cards"] = "shared"
    """FT13 (1.7)."""
    card_w_mm: float | None = None
    """FT14 (1.1): None: as the deck's cards are, 59 mm where nothing says how wide they are."""
    card_h_mm: float | None = None
    """FT14 (1.1): None: as the deck's cards are, 91 mm where nothing says how high they are."""
    min_overlap_mm2: float = 0.0
    """FT15 (1.5): a carpet that covers no more than this of a card does not lie on it."""
    ask_below_confidence: float = 0.8
    """FT15: faces and stacking less sure than this are asked, not ruled."""
    rethrow_on_fumble: bool = False
    """Rules 1.4.3: a carpet may be thrown again after a bad release."""
    max_throw_turns: int | None = None
    """Rules 1.5: flights in a round at most; None: no limit."""

    def __post_init__(self) -> None:
        if set(self.bazaar_values) != {"spice", "carpet", "camel"}:
            raise HouseRuleError("bazaar_values", "needs exactly the three bazaars spice, carpet and camel")
        if len(self.adventure_ladder) != 5:
            raise HouseRuleError("adventure_ladder", f"needs 5 numbers, got {len(self.adventure_ladder)}")
        for field, lowest in (("rearrange_limit", 0), ("max_throw_turns", 1)):
            value = getattr(self, field)
            if value is not None and value < lowest:
                raise HouseRuleError(field, f"must be at least {lowest}, got {value}")
        if self.first_player is not None and not 1 <= self.first_player <= 4:
            raise HouseRuleError("first_player", f"must be a player's number from 1 to 4, got {self.first_player}")
        for field in ("card_w_mm", "card_h_mm"):
            size = getattr(self, field)
            if size is not None and not 10 <= size <= 300:
                raise HouseRuleError(field, f"must lie between 10 and 300 mm, got {size:g}")
        for field in ("throw_distance_cm", "min_overlap_mm2"):
            if not 0 <= getattr(self, field) < float("inf"):
                raise HouseRuleError(field, f"must not be negative, got {getattr(self, field):g}")
        if not 0.5 <= self.ask_below_confidence <= 1:
            raise HouseRuleError(
                "ask_below_confidence", f"must lie between 0.5 and 1, got {self.ask_below_confidence:g}"
            )

    @property
    def card_mm(self) -> tuple[float, float]:
        """Width and height of a card where only the house rules are known."""
        return self.card_w_mm or CARD_MM[0], self.card_h_mm or CARD_MM[1]
