"""A sitting from its `session.toml`: who plays what, where they sit, and with which deck."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from device.errors import UserError
from device.toml_file import read_toml
from rules.session import Player, Session
from vision.deck import Deck

PLAYERS = {"carpets": (2, 4), "carcassonne": (2, 5), "fairplay": (2, 6)}
COLOURS = {
    "carpets": ("red", "blue", "green", "yellow"),
    "carcassonne": ("red", "blue", "green", "yellow", "black"),
    "fairplay": ("red", "blue", "green", "yellow", "black", "white"),
}
"""The board games' pieces are not in the deck, so their colours are listed here; a carpet must also be in the deck."""


SESSION = "session.toml"
"""What the file is called in a folder of footage."""


def session_file(path: Path) -> Path:
    """The file meant by a path that may be the folder it lies in."""
    return path / SESSION if path.is_dir() else path


def load_session(path: Path) -> Session:
    """The session in that file. Raises `UserError`, which names the file and the field."""
    session = read_toml(path, Session)
    for complaint in _complaints(session):
        raise UserError(f"{path}: {complaint}")
    return session


def check_colours(session: Session, deck: Deck, path: Path) -> None:
    """Raises `UserError` when a player's carpet is not in the deck."""
    if session.game != "carpets":
        return
    carpets = sorted(f.kind.removeprefix("carpet.") for f in deck.faces if f.kind.startswith("carpet."))
    for player in session.player:
        for colour in colours(player, session.game):
            if colour not in carpets:
                raise UserError(
                    f"{path}: player {player.name}: the deck {deck.name!r} has no carpet {colour!r}; it has:"
                    f" {', '.join(carpets) or 'none'}"
                )


def colours(player: Player, game: str) -> tuple[str, ...]:
    """The colours a player throws or moves: with two players at Fliegende Teppiche, two."""
    text = player.carpet if game == "carpets" else player.colour
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _complaints(session: Session) -> Iterable[str]:
    """What is wrong, worst first."""
    players = session.player
    least, most = PLAYERS[session.game]
    if not session.deck.strip():
        yield "deck: is empty; give the deck's folder, or the name of a deck that ships with Kibitz"
    if not least <= len(players) <= most:
        yield f"[[player]]: {len(players)} players; {session.game} is played by {least} to {most}"
    for number, times in Counter(p.number for p in players).items():
        if times > 1:
            yield f"[[player]]: two players have the number {number}"
    for name, times in Counter(p.name.strip() for p in players).items():
        if not name:
            yield "[[player]]: a player has no name"
        if times > 1:
            yield f"[[player]]: two players are called {name!r}; the score goes by the name"
    if session.dealer not in {p.number for p in players}:
        yield f"dealer: no player has the number {session.dealer}"
    yield from _colour_complaints(session)
    if session.game == "carpets":
        # A djinn's owner is told by the side it is laid at, so a side belongs to one player.
        for side, times in Counter(p.side for p in players).items():
            if times > 1:
                yield f"[[player]]: two players sit at side {side}; give each a side of his own (S, W, N, E)"


def _colour_complaints(session: Session) -> Iterable[str]:
    field = "carpet" if session.game == "carpets" else "colour"
    taken: dict[str, str] = {}
    for player in session.player:
        own = colours(player, session.game)
        wanted = 2 if session.game == "carpets" and len(session.player) == 2 else 1
        for colour in own:
            if colour not in COLOURS[session.game]:
                known = ", ".join(COLOURS[session.game])
                yield f"player {player.name}, {field}: unknown colour {colour!r}; choose one of: {known}"
            if own.count(colour) > 1:
                yield f"player {player.name}, {field}: {colour!r} is given twice; give different colours"
            if colour in taken:
                yield f"player {player.name}, {field}: {colour!r} is already {taken[colour]}'s; give another colour"
            taken[colour] = player.name
        if len(own) != wanted:
            need = "two colours joined by a comma (two players fly two carpets each)" if wanted == 2 else "one colour"
            other, value = ("colour", player.colour) if field == "carpet" else ("carpet", player.carpet)
            given = repr(player.carpet if field == "carpet" else player.colour) if own else "none"
            hint = f"; {other} = {value!r} is not for {session.game}" if value and not own else ""
            yield f"player {player.name}, {field}: {given} given; give {need}{hint}"
