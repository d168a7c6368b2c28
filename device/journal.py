"""The journal: every game's inputs in one SQLite file, each stored before it acts.

One row a game (`session`) and one row an entry (`entry`); rows are only ever added, which the file itself enforces.
What counts of the entries is `rules.history`'s business. A committed entry survives `kill -9` and a power cut: write-
ahead log with `synchronous=FULL`, one transaction an entry. Bodies are JSON, so that any SQLite shell can read them.

Errors are `UserError`s of one line: locked, read-only, of a newer Kibitz, damaged, no journal at all.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

import msgspec

from device.errors import UserError
from rules.history import Entry
from rules.session import Session

FILE_NAME = "journal.sqlite"
APPLICATION_ID = 0x4B42545A  # "KBTZ"
BUSY_S = 3.0
"""How long another process may hold the file before we give up; a commit of ours takes milliseconds."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE session (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            started TEXT NOT NULL,      -- UTC, ISO 8601
            source TEXT NOT NULL,       -- name of the footage or camera
            deck TEXT NOT NULL,         -- folder of the deck, for resuming
            session TEXT NOT NULL       -- rules.session.Session as JSON
        )
        """,
        """
        CREATE TABLE entry (
            session INTEGER NOT NULL REFERENCES session (id),
            number INTEGER NOT NULL,    -- 1, 2, 3 ... within the session
            made TEXT NOT NULL,         -- UTC, ISO 8601
            body TEXT NOT NULL,         -- rules.history.Entry as JSON
            PRIMARY KEY (session, number)
        ) WITHOUT ROWID
        """,
        "CREATE TRIGGER entry_stays BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END",
        "CREATE TRIGGER entry_is_kept BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the journal only grows'); END",
    ),
)
"""Step n takes a file of version n (`PRAGMA user_version`) to version n + 1. Never edit a step; add one."""


class NotNowError(UserError):
    """It cannot be stored now, and may be later: the disk is full or fails, or another program holds the file."""


DAMAGED = "the journal is damaged; restore a copy, or choose another file with --journal"
NOT_NOW = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """One game in the journal."""

    id: int
    started: str
    source: str
    deck: str
    session: Session
    entries: int


def default_place() -> Path:
    """`$KIBITZ_HOME`, or the state folder of the XDG base directory specification."""
    home = os.environ.get("KIBITZ_HOME")
    if home:
        return Path(home) / FILE_NAME
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "kibitz" / FILE_NAME


class Journal:
    """The open file. Use it from one thread at a time (the `Table`'s lock sees to that)."""

    def __init__(self, path: Path, *, busy_s: float | None = None) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as e:
            raise UserError(
                f"{path.parent}: the journal's folder cannot be made: {e.strerror}; choose another with --journal"
            ) from None
        self._db: sqlite3.Connection | None = None
        with self.explained():
            self._db = sqlite3.connect(
                path, timeout=BUSY_S if busy_s is None else busy_s, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise

    @property
    def db(self) -> sqlite3.Connection:
        assert self._db is not None
        return self._db

    def _prepare(self) -> None:
        version = self._pragma("user_version")
        if version > len(MIGRATIONS):
            raise UserError(
                f"{self.path}: this journal was written by a newer Kibitz (format {version}, this one knows"
                f" {len(MIGRATIONS)}); update Kibitz, or choose another file with --journal"
            )
        tables = self.db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if self._pragma("application_id") != APPLICATION_ID and tables:
            raise UserError(f"{self.path}: is another program's database; choose another file with --journal")
        if (found := self.db.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(found)
        self.db.execute("PRAGMA journal_mode=WAL")
        self.db.execute("PRAGMA synchronous=FULL")
        self.db.execute("PRAGMA foreign_keys=ON")
        with self._transaction():  # also finds out now whether the file can be written
            for step in range(self._pragma("user_version"), len(MIGRATIONS)):
                for statement in MIGRATIONS[step]:
                    self.db.execute(statement)
                self.db.execute(f"PRAGMA user_version={step + 1}")
                self.db.execute(f"PRAGMA application_id={APPLICATION_ID}")
            self.db.execute("UPDATE session SET started = started WHERE 0")

    def _pragma(self, name: str) -> int:
        return int(self.db.execute(f"PRAGMA {name}").fetchone()[0])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Puts SQLite's complaints into a line that says what to do."""
        try:
            yield
        except sqlite3.Error as e:
            kind = NotNowError if _code(e) in NOT_NOW else UserError
            raise kind(f"{self.path}: {_explain(e)}") from None
        except UnicodeError:  # SQLite's own complaint quotes what is damaged, and Python cannot read that
            raise UserError(f"{self.path}: {DAMAGED}") from None

    def begin(self, session: Session, *, source: str, deck: str) -> GameLog:
        """A new game."""
        body = msgspec.json.encode(session).decode()
        with self.explained(), self._transaction():
            row = self.db.execute(
                "INSERT INTO session (started, source, deck, session) VALUES (?, ?, ?, ?)", (_now(), source, deck, body)
            )
            return GameLog(self, int(row.lastrowid or 0), 0)

    def resume(self, game: int) -> GameLog:
        """Goes on writing where an earlier sitting stopped."""
        with self.explained():
            found = self.db.execute("SELECT count(*), max(number) FROM entry WHERE session = ?", (game,)).fetchone()
        self.game(game)
        return GameLog(self, game, int(found[1] or 0))

    def games(self) -> tuple[Game, ...]:
        """All games, oldest first."""
        with self.explained():
            rows = self.db.execute(
                "SELECT s.id, s.started, s.source, s.deck, s.session,"
                " (SELECT count(*) FROM entry e WHERE e.session = s.id) FROM session s ORDER BY s.id"
            ).fetchall()
        return tuple(self._game(row) for row in rows)

    def game(self, number: int) -> Game:
        """The game of that number. Raises `UserError` when there is none."""
        found = next((g for g in self.games() if g.id == number), None)
        if found is None:
            raise UserError(f"{self.path}: there is no game {number}; `kibitz games` lists those there are")
        return found

    def last_played(self, game: int) -> datetime | None:
        """When its last entry was made; None while it has none."""
        with self.explained():
            made = self.db.execute("SELECT max(made) FROM entry WHERE session = ?", (game,)).fetchone()[0]
        try:
            return datetime.fromisoformat(made) if made else None
        except ValueError:
            return None

    def entries(self, game: int) -> tuple[Entry, ...]:
        """A game's entries in the order in which they were made."""
        with self.explained():
            rows = self.db.execute(
                "SELECT number, body FROM entry WHERE session = ? ORDER BY number", (game,)
            ).fetchall()
        entries: list[Entry] = []
        decode = msgspec.json.Decoder(Entry).decode
        for expected, (number, body) in enumerate(rows, 1):
            if number != expected:
                raise UserError(f"{self.path}: game {game}: entry {expected} is missing; restore the file from a copy")
            try:
                entries.append(decode(body))
            except (msgspec.DecodeError, TypeError) as e:
                raise UserError(
                    f"{self.path}: game {game}: entry {number} is damaged ({e}); restore the file from a copy"
                ) from None
        return tuple(entries)

    def _game(self, row: tuple[int, str, str, str, str, int]) -> Game:
        number, started, source, deck, body, entries = row
        try:
            session = msgspec.json.decode(body, type=Session)
        except (msgspec.DecodeError, TypeError) as e:
            raise UserError(
                f"{self.path}: game {number}: its session is damaged ({e}); restore the file from a copy"
            ) from None
        return Game(id=number, started=started, source=source, deck=deck, session=session, entries=entries)

    def stills_folder(self, game: int) -> Path:
        """Where that game's evidence pictures are kept."""
        return self.path.parent / f"{self.path.stem}-evidence" / f"{game:05d}"

    def close(self) -> None:
        if self._db is not None:
            self._db.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()


class GameLog:
    """One game's entries being written; a `device.table.Log`."""

    def __init__(self, journal: Journal, game: int, last: int) -> None:
        self._journal = journal
        self._last = last
        self.game = game

    def append(self, entry: Entry) -> int:
        """Stores an entry; when this returns, it is on the disk. Returns its number."""
        body = msgspec.json.encode(entry).decode()
        number = self._last + 1
        with self._journal.explained():
            # One statement outside a transaction is a transaction of its own. Two writers of one game would collide
            # on the number rather than mix their entries.
            self._journal.db.execute(
                "INSERT INTO entry (session, number, made, body) VALUES (?, ?, ?, ?)", (self.game, number, _now(), body)
            )
        self._last = number
        return number


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _explain(error: sqlite3.Error) -> str:
    code = _code(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "the journal is in use by another program; close it, or choose another file with --journal"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return "the journal is read-only; allow writing to the file and its folder, or choose another with --journal"
    if code == sqlite3.SQLITE_CANTOPEN:
        return "the journal cannot be opened; allow writing to its folder, or choose another file with --journal"
    if code == sqlite3.SQLITE_NOTADB:
        return "is no journal, or its beginning is damaged; restore a copy, or choose another file with --journal"
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return f"the journal cannot be written ({error}); make room on the disk"
    if code == sqlite3.SQLITE_CONSTRAINT:
        return "this game is being written by another Kibitz; close the other one"
    return DAMAGED.replace("damaged", f"damaged ({error})")
