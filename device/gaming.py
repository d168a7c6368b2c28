"""`kibitz games`: the journal as lists and JSON."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from device.errors import UserError
from device.journal import Journal
from device.places import check_place, write_whole
from device.sitting import retell
from device.state import Line
from device.table import Table
from device.tell import clock, grid_of, print_grid, print_line, print_scores
from rules.text import say


def list_games(place: Path) -> None:
    """One line a game, oldest first."""
    if not place.exists():
        print_line("No games yet.")
        return
    with Journal(place) as journal:
        rows = [
            (
                str(game.id),
                game.started[:16].replace("T", " "),
                game.session.game,
                ", ".join(p.name for p in game.session.player),
                game.source,
                str(game.entries),
            )
            for game in journal.games()
            if game.entries  # one that stopped before anything was seen was no game
        ]
    if rows:
        print_grid(grid_of(("game", "begun (UTC)", "of", "players", "from", "entries"), rows, right=(0, 5)))
    else:
        print_line("No games yet.")


def show_game(place: Path, number: int) -> None:
    """Every entry and what was ruled from it; what counts no more is marked with x."""
    with open_journal(place) as journal:
        table = retell(journal, number)
    for line in table.state().lines:
        for text in _texts(line, table):
            print_line(f"{line.entry:4} {' ' if line.live else 'x'} {clock(line.t)}  {text}")
    print_scores(table)


def _texts(line: Line, table: Table) -> list[str]:
    language = table.session.language
    said = [say(r.message, language) for r in line.rulings]
    said += ["? " + say(q.message, language) for q in line.questions]
    if line.answer is not None:
        by = " (default)" if line.answer.by == "default" else ""
        return [f"> {line.answer.choice} {line.answer.value}".rstrip() + by, *said]
    if line.kind == "correct":
        return [f"corrects entry {line.corrects}"]
    if line.kind in ("undo", "redo"):
        return [line.kind]
    return said or ["seen"]


def export_game(place: Path, number: int, out: Path | None) -> None:
    """The whole game as JSON: the session, every entry with whether it counts, and the score."""
    if out:
        check_place(out, "the game", "--out", lambda file: bool(re.match(rb'\s*{\s*"game"', file.read(64))))
    with open_journal(place) as journal:
        game, entries, table = journal.game(number), journal.entries(number), retell(journal, number)
    live = {line.entry: line.live for line in table.state().lines}
    exported = {
        "game": game.id,
        "started": game.started,
        "source": game.source,
        "session": game.session,
        "entries": [
            {"number": n, "counts": live[n], **msgspec.to_builtins(entry)} for n, entry in enumerate(entries, 1)
        ],
        "scores": table.referee.scores(),
    }
    data = msgspec.json.format(msgspec.json.encode(exported), indent=1)
    if out:
        write_whole(out, data + b"\n", "the game", "--out")
    else:
        print_line(data.decode())


def open_journal(place: Path) -> Journal:
    """The journal that is there. Raises `UserError` when there is none: looking for a game makes no file."""
    if not place.exists():
        raise UserError(f"{place}: there is no journal yet; play or replay a game first")
    return Journal(place)
