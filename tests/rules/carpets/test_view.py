"""What a screen is told of the game's progress."""

from __future__ import annotations

from rules.carpets.referee import CarpetsReferee
from tests.rules.tables import GRID, Match, Tabletop, lay_out, session


def fly(m: Match, *cards: str) -> None:
    """One flight: each carpet lands on a card of its own, and all is cleared."""
    for colour, card in zip(("blue", "green", "red"), cards, strict=True):
        m.table.put(f"carpet.{colour}", *GRID[int(card[1:]) - 1], id=colour)
        m.still()
    m.table.take("blue", "green", "red", *cards)
    m.still()


def test_flights_are_counted_anew_in_every_round() -> None:
    m = Match(CarpetsReferee(session()), Tabletop())
    flights = [m.referee.view().flight]
    lay_out(m.table, ("palace",) * 12)
    m.still()
    flights.append(m.referee.view().flight)
    for cards in (("c1", "c2", "c3"), ("c4", "c5", "c6")):
        fly(m, *cards)
        flights.append(m.referee.view().flight)
    fly(m, "c7", "c8", "c9")
    flights.append(m.referee.view().flight)
    assert flights == [0, 0, 2, 3, 0], "none while cards are laid out, and none when too few are left"
