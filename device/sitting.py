"""Putting a game together: session file, deck, referee and observer, and the table that joins them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from device.carry_on import CarryOn
from device.deck_folder import DECKS, check_kinds, find_deck, load_deck
from device.errors import UserError
from device.evidence import Stills, prune
from device.journal import Journal
from device.ledger import Log
from device.lens_file import read_lens
from device.session_file import SESSION, check_colours, load_session, session_file
from device.table import Table
from rules.games import make_referee, things
from rules.history import Entry, effective
from rules.protocol import Referee
from rules.session import Language, Session
from vision.camera import Lens
from vision.deck import Deck
from vision.frame import Frame
from vision.observer import Observer
from vision.scene import Scene

CLIP = "clip.mp4"
GAMES_WITH_EVIDENCE = 20
"""Of older games the journal is kept, but not the pictures: at most 2 GB in all."""
DEMOS = Path(__file__).parents[1] / "models" / "demo"
"""Recorded games that ship with Kibitz."""


@dataclass(frozen=True)
class Sitting:
    """A game that is ready to be refereed: everything about it has been checked."""

    session: Session
    deck: Deck
    deck_folder: Path
    lens: Lens | None = None
    """The camera's, where it was measured."""

    def referee(self) -> Referee:
        return make_referee(self.session)

    def observer(self) -> Observer:
        return Observer(self.deck, things(self.session), self.lens)


@dataclass(frozen=True)
class Recording:
    """Footage and the session that belongs to it."""

    name: str
    clip: Path
    session: Path


def find_recording(path: Path, session: Path | None = None) -> Recording:
    """A folder with `clip.mp4` and `session.toml`, or a bare video with a session of its own."""
    if path.is_dir():
        clip = path / CLIP
        if not clip.is_file():
            raise UserError(
                f"{path}: there is no {CLIP} in this folder; give the folder of a recording, or a video file"
            )
        name, own = path.resolve().name, path / SESSION
    elif path.exists() or session:
        clip, name, own = path, path.stem, path.with_name(SESSION)
    else:
        raise UserError(f"{path}: no such footage; give a folder with {CLIP} and {SESSION}, or a video file")
    found = session_file(session or own)
    if not found.is_file():
        what = "name another with --session" if session else f"write one there ({SESSION}), or name one with --session"
        raise UserError(f"{found}: no such session file; {what}")
    return Recording(name, clip, found)


def find_demo(game: str) -> Path:
    """The folder of the recorded game that ships with Kibitz."""
    folder = DEMOS / game
    if not (folder / CLIP).is_file():
        shipped = ", ".join(sorted(p.parent.name for p in DEMOS.glob(f"*/{CLIP}"))) or "none"
        raise UserError(f"{game!r}: there is no recorded game of that name; choose one of: {shipped}")
    return folder


def open_sitting(path: Path, language: Language | None = None, lens: Path | None = None) -> Sitting:
    """Reads and checks the session file, its deck, and the lens where one is given."""
    path = session_file(path)
    session = load_session(path)
    if language:
        session = msgspec.structs.replace(session, language=language)
    try:
        folder = find_deck(session.deck, path.parent)
    except UserError as e:
        raise UserError(f"{path}: {e}") from None
    deck = load_deck(folder)
    check_colours(session, deck, path)
    measured = read_lens(lens) if lens else None
    return _checked(Sitting(with_tiles(session, deck), deck, folder, measured), path)


def with_tiles(session: Session, deck: Deck) -> Session:
    """The session that also says which tiles are in the deck and what lies where on them, where the game must know it:
    the journal alone can then tell the game again."""
    if session.game != "carcassonne":
        return session
    from device.tile_maps import tile_faces  # only this game needs it

    return msgspec.structs.replace(session, tiles=tile_faces(deck))


def resume_sitting(session: Session, deck_folder: str, where: Path, lens: Path | None = None) -> Sitting:
    """A game of the journal at `where`, to go on with it."""
    folder = find_deck(deck_folder)
    return _checked(Sitting(session, load_deck(folder), folder, read_lens(lens) if lens else None), where)


def _checked(sitting: Sitting, path: Path) -> Sitting:
    try:
        referee = sitting.referee()
    except ValueError as e:  # a house rule that the game does not take, djinns that nobody can have been dealt ...
        raise UserError(f"{path}: {e}") from None
    check_kinds(sitting.deck, referee.role, sitting.deck_folder, sitting.session.game)
    return sitting


def lay_table(
    sitting: Sitting, log: Log, *, stills: Stills, source: str, duration: float | None = None, take_defaults: bool
) -> Table:
    """A new game."""
    return Table(
        sitting.session,
        sitting.deck,
        sitting.observer(),
        sitting.referee,
        log,
        stills=stills,
        source=source,
        duration=duration,
        take_defaults=take_defaults,
    )


def lay_journaled_table(
    sitting: Sitting, journal: Journal, *, source: str, duration: float | None = None, take_defaults: bool
) -> Table:
    """A new game that is kept in the journal."""
    folder = sitting.deck_folder
    # A deck that ships goes by its name, so that the game can be resumed wherever Kibitz is installed by then.
    deck = folder.name if folder.parent == DECKS else str(folder.resolve())
    log = journal.begin(sitting.session, source=source, deck=deck)
    stills = Stills(journal.stills_folder(log.game))
    prune(journal.stills_folder(log.game).parent, keep=GAMES_WITH_EVIDENCE)
    return lay_table(sitting, log, stills=stills, source=source, duration=duration, take_defaults=take_defaults)


class Blind:
    """An observer that sees nothing: for a game that is looked at without a camera."""

    moving = False
    status = "still"

    def look(self, frame: Frame) -> None:
        return None

    def finish(self) -> None:
        return None


class Closed:
    """A log that takes nothing more: for a game that is only being told."""

    def append(self, entry: Entry) -> int:
        raise UserError("this game is only being shown; resume it to change it")


def retell(journal: Journal, game: int) -> Table:
    """A game of the journal to look at: neither deck nor camera is needed."""
    kept = journal.game(game)
    entries = journal.entries(game)
    no_deck = Deck(name="", faces=())
    return Table(kept.session, no_deck, Blind(), lambda: make_referee(kept.session), Closed(), entries=entries)


def resume_table(
    journal: Journal,
    game: int,
    *,
    source: str,
    blind: bool = False,
    take_defaults: bool = False,
    lens: Path | None = None,
) -> Table:
    """A game of the journal as it was left; `blind` when no camera will go on with it."""
    kept = journal.game(game)
    sitting = resume_sitting(kept.session, kept.deck, journal.path, lens)
    entries = journal.entries(game)
    scenes = [given for _, given in effective(entries).inputs if isinstance(given, Scene)]
    return Table(
        sitting.session,
        sitting.deck,
        Blind() if blind else CarryOn(sitting.observer(), sitting.deck, scenes),
        sitting.referee,
        journal.resume(game),
        stills=Stills(journal.stills_folder(game)),
        entries=entries,
        source=source,
        take_defaults=take_defaults,
    )
