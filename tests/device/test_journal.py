"""The journal: what is acknowledged is never lost, and whatever is wrong with the file is said in one line."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from device.errors import UserError
from device.journal import APPLICATION_ID, MIGRATIONS, Journal, default_place
from device.table import Table
from rules.history import Answered, Corrected, Entry, Redone, Seen, Undone, effective, fold
from rules.protocol import Answer
from tests.device import write_entries
from tests.device.fakes import GAME, SESSION, FakeObserver, FakeReferee, MemoryLog, deck

ENTRIES: list[Entry] = [
    *map(Seen, GAME),
    Answered(Answer(t=2.5, question="q-p2", choice="yes")),
    Undone(5),
    Redone(),
    Corrected(5, answer=Answer(t=2.5, question="q-p2", choice="no")),
    Corrected(2),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "home" / "journal.sqlite"


def written(place: Path) -> Path:
    with Journal(place) as journal:
        log = journal.begin(SESSION, source="c01", deck="carpets")
        for entry in ENTRIES:
            log.append(entry)
    return place


def test_entries_come_back_as_they_went_in(place: Path) -> None:
    with Journal(written(place)) as journal:
        assert list(journal.entries(1)) == ENTRIES
        (game,) = journal.games()
        assert (game.id, game.source, game.entries, game.session) == (1, "c01", len(ENTRIES), SESSION)


def test_games_are_kept_apart_and_numbered(place: Path) -> None:
    with Journal(place) as journal:
        first, second = (journal.begin(SESSION, source=name, deck="d") for name in ("a", "b"))
        assert first.append(ENTRIES[0]) == 1
        assert second.append(ENTRIES[1]) == 1
        assert first.append(ENTRIES[2]) == 2
        assert list(journal.entries(first.game)) == [ENTRIES[0], ENTRIES[2]]
        assert journal.stills_folder(first.game) != journal.stills_folder(second.game)
        with pytest.raises(UserError, match="there is no game 7"):
            journal.game(7)


def test_a_resumed_game_goes_on_with_the_next_number(place: Path) -> None:
    written(place)
    with Journal(place) as journal:
        assert journal.resume(1).append(ENTRIES[0]) == len(ENTRIES) + 1
        with pytest.raises(UserError, match="there is no game 2"):
            journal.resume(2)


def test_the_file_itself_refuses_changes(place: Path) -> None:
    with closing(sqlite3.connect(written(place))) as db:
        for change in ("UPDATE entry SET body = '{}'", "DELETE FROM entry"):
            with pytest.raises(sqlite3.IntegrityError, match="the journal only grows"):
                db.execute(change)


def test_a_commit_waits_for_the_disk(place: Path) -> None:
    with Journal(place) as journal:
        assert journal.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert journal.db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_two_writers_of_one_game_do_not_mix_their_entries(place: Path) -> None:
    written(place)
    with Journal(place) as one, Journal(place) as two:
        first, second = one.resume(1), two.resume(1)
        first.append(ENTRIES[0])
        with pytest.raises(UserError, match="being written by another Kibitz"):
            second.append(ENTRIES[0])
        assert len(one.entries(1)) == len(ENTRIES) + 1


def test_the_place_follows_kibitz_home_then_xdg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_HOME", "/k")
    monkeypatch.setenv("XDG_STATE_HOME", "/x")
    assert default_place() == Path("/k/journal.sqlite")
    monkeypatch.delenv("KIBITZ_HOME")
    assert default_place() == Path("/x/kibitz/journal.sqlite")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", "/h")
    assert default_place() == Path("/h/.local/state/kibitz/journal.sqlite")


# ---- killed ------------------------------------------------------------------------------------------------------


def reference() -> list[Entry]:
    """All the entries of the scripted game, from a table that nobody kills."""
    log = MemoryLog()
    write_entries.play(Table(SESSION, deck(), FakeObserver(*write_entries.SCENES), FakeReferee, log))
    return log.entries


REFERENCE = reference()


def test_the_scripted_game_has_every_kind_of_entry() -> None:
    assert {type(e) for e in REFERENCE} == {Seen, Answered, Undone, Redone, Corrected}


@pytest.mark.parametrize("acknowledged", range(1, len(REFERENCE) + 1))
def test_kill_9_loses_nothing_that_was_acknowledged(place: Path, acknowledged: int) -> None:
    with Journal(place) as journal:
        game = journal.begin(SESSION, source="script", deck="fake").game
    writer = subprocess.Popen(
        [sys.executable, "-m", "tests.device.write_entries", str(place), str(game)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout is not None
    for expected in range(1, acknowledged + 1):
        assert writer.stdout.readline() == f"{expected}\n"
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert writer.returncode == -signal.SIGKILL

    with Journal(place) as journal:
        kept = list(journal.entries(game))
        assert len(kept) >= acknowledged
        assert kept == REFERENCE[: len(kept)]
        resumed = Table(SESSION, deck(), FakeObserver(), FakeReferee, journal.resume(game), entries=tuple(kept))
    expected_referee, _ = fold(FakeReferee(), effective(REFERENCE[: len(kept)]).inputs)
    assert resumed.state().view == expected_referee.view()


# ---- what is wrong with the file ---------------------------------------------------------------------------------


def complaint(place: Path, **options: float) -> str:
    with pytest.raises(UserError) as caught, Journal(place, **options) as journal:
        for game in journal.games():
            journal.entries(game.id)
    text = str(caught.value)
    assert "\n" not in text
    assert str(place.name) in text
    return text


def test_a_locked_journal(place: Path) -> None:
    written(place)
    with closing(sqlite3.connect(place, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert "in use by another program" in complaint(place, busy_s=0.01)
        other.execute("ROLLBACK")
    with Journal(place) as journal:
        assert list(journal.entries(1)) == ENTRIES


def test_a_journal_of_a_newer_kibitz(place: Path) -> None:
    with closing(sqlite3.connect(written(place))) as db:
        db.execute(f"PRAGMA user_version={len(MIGRATIONS) + 1}")
    before = place.read_bytes()
    assert "newer Kibitz (format 2, this one knows 1); update Kibitz" in complaint(place)
    assert place.read_bytes() == before


def test_a_damaged_journal(place: Path) -> None:
    whole = written(place).read_bytes()
    place.write_bytes(whole[:1024] + b"\xa5" * 3000 + whole[4024:])
    assert "damaged" in complaint(place)


def test_a_journal_whose_tables_are_damaged(place: Path) -> None:
    whole = written(place).read_bytes()
    begin = whole.index(b"CREATE TABLE session")
    for at in range(begin, begin + 80, 8):
        place.write_bytes(whole[:at] + b"\xff" + whole[at + 1 :])
        assert "the journal is damaged" in complaint(place)


def test_a_cut_off_journal(place: Path) -> None:
    whole = written(place).read_bytes()
    place.write_bytes(whole[: len(whole) // 2])
    assert "damaged" in complaint(place)


def test_a_file_that_is_no_journal(place: Path) -> None:
    place.parent.mkdir()
    place.write_text("Dear diary, today we played with carpets. " * 50)
    assert "is no journal" in complaint(place)


def test_another_programs_database(place: Path) -> None:
    place.parent.mkdir()
    with closing(sqlite3.connect(place)) as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    assert "another program's database" in complaint(place)
    with closing(sqlite3.connect(place)) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (0,)


@pytest.mark.parametrize(
    ("number", "body", "says"), [(10, "{]", "entry 10 is damaged"), (11, "{}", "entry 10 is missing")]
)
def test_an_entry_that_is_damaged_or_missing(place: Path, number: int, body: str, says: str) -> None:
    with closing(sqlite3.connect(written(place))) as db, db:
        db.execute("INSERT INTO entry VALUES (1, ?, '', ?)", (number, body))
    assert says in complaint(place)


def test_a_place_that_is_a_folder(place: Path) -> None:
    place.mkdir(parents=True)
    assert "cannot be opened" in complaint(place)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="folder cannot be made"):
        Journal(tmp_path / "file" / "below" / "journal.sqlite")


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder that an ordinary user may read; root, who may write everywhere, becomes that user meanwhile."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    was = os.geteuid()
    yield folder
    if was == 0:
        os.seteuid(0)
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_read_only_journal(unprivileged: Path) -> None:
    place = written(unprivileged / "journal.sqlite")
    place.chmod(0o444)
    unprivileged.chmod(0o555)
    before = place.read_bytes()
    if os.geteuid() == 0:
        os.seteuid(65534)
    assert "read-only" in complaint(place) or "cannot be opened" in complaint(place)
    assert place.read_bytes() == before


# ---- growing up --------------------------------------------------------------------------------------------------


def test_a_journal_of_an_older_format_is_brought_up_to_date(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(place)
    newer = (*MIGRATIONS, ("ALTER TABLE session ADD COLUMN place TEXT", "CREATE TABLE later (x)"))
    monkeypatch.setattr("device.journal.MIGRATIONS", newer)
    with Journal(place) as journal:
        assert journal.db.execute("PRAGMA user_version").fetchone() == (2,)
        assert journal.db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert journal.db.execute("SELECT place FROM session").fetchone() == (None,)
        assert list(journal.entries(1)) == ENTRIES


def test_a_migration_that_fails_changes_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(place)
    broken = (*MIGRATIONS, ("CREATE TABLE later (x)", "CREATE TABLE later (x)"))
    with monkeypatch.context() as m:
        m.setattr("device.journal.MIGRATIONS", broken)
        assert "already exists" in complaint(place)
    with Journal(place) as journal:
        assert journal.db.execute("PRAGMA user_version").fetchone() == (1,)
        assert journal.db.execute("SELECT name FROM sqlite_schema WHERE name = 'later'").fetchone() is None
