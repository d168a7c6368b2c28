"""The engine and the referee of each game."""

from __future__ import annotations

from typing import Any, Final

from rules.engine import Engine
from rules.protocol import Referee
from rules.session import Session
from vision.scene import DieKind, Things, TokenKind

MEEPLES: Final = 8
"""Of each colour: seven to play with and one on the score track (rules of Carcassonne, 2.1)."""
GAMES: Final = ("carpets", "carcassonne", "fairplay")


def engine(game: str) -> type[Engine[Any]]:
    """The rules of a game, as a class whose values are played with; raises ValueError when there is no such game."""
    if game == "carpets":
        from rules.carpets.game import Game as Carpets

        return Carpets
    if game == "carcassonne":
        from rules.carcassonne.game import Game as Carcassonne

        return Carcassonne
    if game == "fairplay":
        from rules.fairplay.game import Game as FairPlay

        return FairPlay
    raise ValueError(f'game = "{game}": there is no such game; there are {", ".join(GAMES)}')


def make_referee(session: Session, card_mm: tuple[float, float] | None = None) -> Referee:
    """The referee of a session's game. `card_mm`: width and height of the deck's cards, where they are known.

    Raises ValueError with one line for a person when the session describes no game (a house rule that cannot be played
    by, five players, two with one carpet ...).
    """
    # Imported when needed: a table plays one game, and need not load the others.
    if session.game == "carpets":
        from rules.carpets.referee import CarpetsReferee

        return CarpetsReferee(session, card_mm)
    if session.game == "carcassonne":
        from rules.carcassonne.referee import CarcassonneReferee

        return CarcassonneReferee(session)
    if session.game == "fairplay":
        from rules.fairplay.referee import FairPlayReferee

        return FairPlayReferee(session)
    raise ValueError(f'game = "{session.game}": there is no such game; there are {", ".join(GAMES)}')


def things(session: Session) -> Things:
    """What may lie on the table of a session's game beside the deck's flat pieces: dice, and tokens in its colours."""
    colours = tuple(player.colour for player in session.player if player.colour)
    if session.game == "carcassonne":
        return Things(
            dice=(DieKind(face="die.flight", values=(1, 1, 2, 2, 3, 3)),),
            tokens=(
                TokenKind(kind="meeple", colours=colours, length_mm=16.0, width_mm=10.0, height_mm=16.0, count=MEEPLES),
            ),
        )
    if session.game == "fairplay":
        return Things(
            dice=(DieKind(face="die.race", values=(1, 1, 1, 2, 2, 3)),),
            tokens=(TokenKind(kind="car", colours=colours, length_mm=28.0, width_mm=14.0, height_mm=10.0),),
        )
    return Things()
