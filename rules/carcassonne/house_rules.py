"""The points the rulebook leaves open, as named options that a table agrees on (rules 2.10)."""

from __future__ import annotations

from typing import Literal

from rules.options import HouseRuleError, Options

__all__ = ["HouseRuleError", "HouseRules"]


class HouseRules(Options, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every option of table 2.10. Defaults are the table's.

    >>> HouseRules.of({"tiny_city_points": 3})
    Traceback (most recent call last):
    ...
    rules.options.HouseRuleError: house rule `tiny_city_points`: Invalid enum value 3; there are 4, 2
    """

    flight_over_gaps: bool = True
    """C1 (2.3.5): the flight counts cells, even empty ones; False: the meeple returns when it meets one."""
    landing_mandatory: bool = True
    """C2 (2.3.7): who can land must; False: he may take the meeple back."""
    farmers: bool = True
    """C3: meeples may lie on fields."""
    tiny_city_points: Literal[4, 2] = 4
    """C4: a completed city of two tiles; 2: one point for each of its tiles and pennants."""
    abbot: bool = False
    """C5: everybody has an abbot besides, for monasteries and gardens, who may be called back and scored."""
    unplaceable: Literal["discard", "put_back"] = "discard"
    """C6 (2.2.2): a tile that fits nowhere leaves the game, or goes back among the others; another one is drawn."""
    tiebreak: Literal["shared", "later_player"] = "shared"
    """C7: equal points share the win, or whoever of them came later in the first round wins."""
    first_player: int | None = None
    """C8 (2.2.1): number of the player who starts; None: as the players say."""
    die_cocked: Literal["reroll", "as_it_lies"] = "reroll"
    """C9: a flight die that leans or fell off the table does not count, or counts."""
    ask_below_confidence: float = 0.8
    """C10: meeples (on the machine or beside it), faces and dice read less surely than this are asked, not ruled."""

    def __post_init__(self) -> None:
        if self.first_player is not None and not 1 <= self.first_player <= 5:
            raise HouseRuleError("first_player", f"must be a player's number from 1 to 5, got {self.first_player}")
        if not 0.5 <= self.ask_below_confidence <= 1:
            raise HouseRuleError(
                "ask_below_confidence", f"must lie between 0.5 and 1, got {self.ask_below_confidence:g}"
            )
