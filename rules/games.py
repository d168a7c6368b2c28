"""The referee of each game."""

from __future__ import annotations

from rules.protocol import Referee
from rules.session import Session


def make_referee(session: Session, card_mm: tuple[float, float] | None = None) -> Referee:
    """The referee of a session's game. `card_mm`: width and height of the deck's cards, where they are known.

    Raises ValueError with one line for a person when the session describes no game (a house rule that cannot be played
    by, five players, two with one carpet ...).
    """
    # Imported when needed: a table plays one game, and need not load the others.
    if session.game == "carpets":
        from rules.carpets.referee import CarpetsReferee

        return CarpetsReferee(session, card_mm)
    raise ValueError(f'game = "{session.game}": Kibitz cannot referee this game yet; it can referee carpets')
