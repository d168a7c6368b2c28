"""One sitting: the game, who plays, where they sit, what is agreed."""

from __future__ import annotations

from typing import Literal

import msgspec

Side = Literal["N", "E", "S", "W"]
Language = Literal["en", "fr", "de"]


class Player(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    number: int
    name: str
    side: Side
    """The side of the table as seen in the picture."""
    carpet: str = ""
    """Fliegende Teppiche: the carpet's colour; with two players two colours joined by a comma."""
    colour: str = ""
    """The board games: the colour of the meeples or of the car."""
    djinns: tuple[int, ...] = ()
    """Fliegende Teppiche: the dealt set, where the players told it."""


class TileFace(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A face of the deck, for a game that counts its tiles and knows what lies where on them (Carcassonne)."""

    id: str
    """The deck's id of the picture."""
    kind: str
    """`tile.BA/L`."""
    count: int = 1
    map: tuple[str, ...] = ()
    """What lies where on it (`rules.carcassonne.maps.FeatureMap`); empty: as the table of tiles says."""


class Session(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    game: Literal["carpets", "carcassonne", "fairplay"]
    deck: str
    """Folder of the deck, relative to the session file, or the name of a deck that ships with Kibitz."""
    player: tuple[Player, ...]
    """Seat order, clockwise."""
    dealer: int = 1
    """Number of the first layouter (Fliegende Teppiche) or of the first player."""
    name: str = ""
    language: Language = "en"
    house_rules: dict[str, bool | int | float | str | list[int] | dict[str, int | str] | None] = {}
    tiles: tuple[TileFace, ...] = ()
    """Carcassonne: the deck's tiles. Not written by people: Kibitz fills it in from the deck, so that the journal alone
    can tell the game again."""
