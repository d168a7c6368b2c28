"""Games recorded from another engine agree at every step; a recording that was tampered with does not."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from rules.carcassonne import Draw, Game, Land, Place, Put, Roll, Skip
from rules.carcassonne.compare import compare
from rules.carcassonne.legal import target
from rules.carcassonne.recording import Recording
from rules.carcassonne.scoring import owners
from rules.carcassonne.verify import main

ROOT = Path(__file__).parents[3]
GAMES = sorted((ROOT / "tests" / "data" / "carcassonne_games").glob("*.json.gz"))


def read(path: Path) -> dict:
    return json.loads(gzip.decompress(path.read_bytes()))


def compared(data: dict):
    return compare(msgspec.convert(data, Recording))


def test_ten_games_are_shipped_of_every_number_of_players_and_both_editions():
    games = [read(path) for path in GAMES]
    assert len(games) == 10
    assert {game["players"] for game in games} == {2, 3, 4, 5}
    assert [game["edition"] for game in games].count(1) == 5


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.name.partition(".")[0])
def test_a_recorded_game_agrees_at_every_step(path):
    data = read(path)
    result = compared(data)
    assert result.disagreement is None
    kinds = [step["op"] for step in data["steps"]]
    assert result.agreed["placements"] == kinds.count("tile") == 79
    assert result.agreed["points"] == result.agreed["supplies"] == kinds.count("end") == 79
    assert result.agreed["landings"] == sum("die" in step for step in data["steps"])
    assert result.agreed["meeple places"] == 79
    assert result.agreed["owners"] == len(data["final"]["features"])
    assert result.agreed["final scoring"] == 1


# -- tampered recordings --------------------------------------------------------------------------------------------

FLIGHTS = next(path for path in GAMES if "2023" in path.name)


def step_of(data: dict, op: str, number: int, wanted=lambda step: True) -> dict:
    return [step for step in data["steps"] if step["op"] == op and wanted(step)][number]


def lose_a_placement(data):
    step_of(data, "tile", 30)["legal"].pop()


def gain_a_placement(data):
    step_of(data, "tile", 30)["legal"].append([90, 90, 0])


def lose_a_place(data):
    step = step_of(data, "meeple", 8, lambda s: s["choice"] is None)
    step["legal"].pop()


def lose_a_landing(data):
    step_of(data, "meeple", 0, lambda s: len(s["legal"]) > 1 and not s["can_pass"])["legal"].pop()


def land_where_none_can(data):
    for before, after in zip(data["steps"], data["steps"][1:], strict=False):
        if before.get("die") and after["op"] == "end":
            before["die"] = before["die"] % 3 + 1  # a tile farther or nearer on which it could have landed


def allow_passing(data):
    step_of(data, "meeple", 0, lambda s: not s["can_pass"])["can_pass"] = True


def other_points(data):
    step_of(data, "end", 50)["points"][0] += 1


def other_supply(data):
    step_of(data, "end", 50)["supply"][1] -= 1


def other_player(data):
    step_of(data, "tile", 20)["player"] = (step_of(data, "tile", 20)["player"] + 1) % data["players"]


def other_discards(data):
    step_of(data, "end", 10)["discarded"].append("BA/L")


def other_tile(data):
    step_of(data, "tile", 1)["tile"] = "BA/Nonsense"


def too_many_of_a_tile(data):
    for step in data["steps"]:
        if step["op"] == "tile":
            step["tile"] = "BA/RRRR"


def other_total(data):
    data["final"]["points"][0] += 3


def other_owner(data):
    feature = next(f for f in data["final"]["features"] if f["owners"])
    feature["owners"] = [(feature["owners"][0] + 1) % data["players"]]


def other_city_parts(data):
    next(f for f in data["final"]["features"] if f["type"] == "Field")["cities"] += 1


def lose_a_feature(data):
    data["final"]["features"].pop(3)


def lose_a_meeple(data):
    data["final"]["meeples"].pop()


def other_final_scoring(data):
    event = next(e for e in data["final"]["final_events"] if e["points"][0]["items"])
    event["points"][0]["items"][0]["count"] += 1


def stop_early(data):
    ends = [i for i, step in enumerate(data["steps"]) if step["op"] == "end"]
    del data["steps"][ends[60] + 1 :]


@pytest.mark.parametrize(
    ("tamper", "what"),
    [
        (lose_a_placement, "placements"),
        (gain_a_placement, "placements"),
        (lose_a_place, "meeple places"),
        (lose_a_landing, "landings"),
        (land_where_none_can, "landings"),
        (allow_passing, "may pass"),
        (other_points, "points"),
        (other_supply, "supplies"),
        (other_player, "player"),
        (other_discards, "a tile that fits nowhere"),
        (other_tile, "a move that is refused here"),
        (too_many_of_a_tile, "placements"),
        (other_total, "totals"),
        (other_owner, "owners"),
        (other_city_parts, "city parts beside a field"),
        (lose_a_feature, "features"),
        (lose_a_meeple, "meeples left"),
        (other_final_scoring, "final scoring"),
        (stop_early, "a tile that fits nowhere"),
    ],
)
def test_a_disagreement_is_found_and_told_in_full(tamper, what):
    data = read(FLIGHTS)
    tamper(data)
    disagreement = compared(data).disagreement
    assert disagreement is not None
    assert disagreement.what == what
    text = str(disagreement)
    assert "  recorded: " in text and "  here:     " in text
    assert "player 1" in text, "with the table as it is here"


# -- recordings of this engine, with tiles that fit nowhere ---------------------------------------------------------


def recorded(game: Game, *, cumulative: bool = True, late: bool = False) -> dict:
    """A finished game of this engine in the format of the recordings.

    `cumulative`: each end of a turn lists all tiles discarded so far, else those of the turn. `late`: a tile that fits
    nowhere is told at the end of the turn that draws another, else at the end of the turn before.
    """
    replay = Game(game.setup.players, tiles=game.setup.tiles, house_rules=game.setup.rules)
    steps: list[dict] = []
    told = 0

    def tell() -> None:
        out = list(replay.state.discarded)
        steps[-1] |= {
            "points": list(replay.state.points),
            "supply": list(replay.state.supply),
            "discarded": out if cumulative else out[told:],
        }

    for move in game.moves:
        state, options = replay.state, list(replay.legal())
        player = state.player - 1
        if isinstance(move, Place):
            choice = [move.x, move.y, move.rotation]
            legal = [[m.x, m.y, m.rotation] for m in options]
            steps.append({"op": "tile", "player": player, "tile": state.tile, "legal": legal, "choice": choice})
        elif state.phase in ("meeple", "land"):
            x, y = state.cell if state.phase == "meeple" else target(state, replay.setup)
            named = [[x, y, m.feature, m.location] for m in options if isinstance(m, Put | Land)]
            choice = None if isinstance(move, Skip) else [x, y, move.feature, move.location]
            if named:
                may_pass = Skip() in options
                steps.append({"op": "meeple", "player": player, "legal": named, "can_pass": may_pass, "choice": choice})
        elif isinstance(move, Roll):
            steps[-1]["die"] = move.die
        replay.push(move)
        if isinstance(move, Draw):
            if replay.is_over or (replay.state.phase == "draw" and not late):
                tell()
                told = len(replay.state.discarded)
        elif replay.state.phase in ("draw", "over"):
            steps.append({"op": "end"})
            tell()
            told = len(replay.state.discarded)
    board, features = replay.state.board, replay.features()
    at = {f: [[s.x, s.y, board.part(s).location] for s in f.spots] for f in features}
    return {
        "players": game.setup.players,
        "edition": 1,
        "steps": steps,
        "final": {
            "points": list(replay.state.points),
            "features": [
                {"type": f.kind, "places": at[f], "owners": [owner - 1 for owner in owners(f)]}
                | ({"cities": len(set(f.cities))} if f.kind == "Field" else {})
                for f in features
            ],
            "meeples": [
                {
                    "player": m.player - 1,
                    "position": [m.spot.x, m.spot.y],
                    "feature": board.part(m.spot).kind,
                    "location": board.part(m.spot).location,
                }
                for m in replay.meeples()
            ],
        },
    }


def with_a_discard(seed: int) -> Game:
    """A random game in which the tile that is city all round is drawn second, when it fits nowhere."""
    dice = random.Random(seed)
    game = Game(3, tiles="C1")
    for move in (Draw("BA/C"), Place(0, -1, 180), Skip(), Draw("BA/Cccc+")):
        game.push(move)
    while not game.is_over:
        game.push(dice.choice(list(game.legal())))
    return game


def with_a_discard_at_the_end(seed: int) -> Game:
    """A game in which cities are closed where they can be, and the tile that is city all round comes last."""
    dice = random.Random(seed)
    game = Game(2, tiles="C1")

    def room_after(move: Place) -> int:
        game.push(move)
        room = sum(1 for _ in game.state.board.fits("BA/Cccc+"))
        game.pop()
        return room

    while not game.is_over:
        moves = list(game.legal())
        if game.state.phase == "draw" and len(moves) > 1:
            moves.remove(Draw("BA/Cccc+"))
        if game.state.phase == "place":
            moves = [min(moves, key=room_after)]
        game.push(dice.choice(moves))
    return game


@pytest.mark.parametrize("cumulative", [True, False])
@pytest.mark.parametrize("late", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_tiles_that_fit_nowhere_are_followed_however_they_are_told(seed, late, cumulative):
    game = with_a_discard(seed)
    assert "BA/Cccc+" in game.state.discarded
    result = compared(recorded(game, cumulative=cumulative, late=late))
    assert result.disagreement is None, str(result.disagreement)


def test_the_last_tile_may_fit_nowhere():
    game = with_a_discard_at_the_end(1)
    assert game.state.discarded == ("BA/Cccc+",)
    assert game.moves[-1] == Draw("BA/Cccc+")
    assert compared(recorded(game)).disagreement is None


def test_a_tile_that_fits_is_not_held_to_be_discarded():
    data = recorded(with_a_discard(1))
    data["steps"][2]["discarded"] = ["BA/Cccc+", "BA/L"]
    assert compared(data).disagreement.what == "a tile that fits nowhere"


# -- the command ----------------------------------------------------------------------------------------------------


def test_the_command_prints_agreements_and_ends_with_0(capsys):
    assert main([str(GAMES[0].parent)]) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[0].startswith(f"{GAMES[0].name}: agrees, ")
    assert f"{790:>7} x placements" in text
    assert text[-1] == "10 of 10 games agree"


def test_the_command_prints_the_first_disagreement_in_full_and_ends_with_1(tmp_path, capsys):
    for name, tamper in (("a", other_points), ("b", lose_a_placement), ("c", None)):
        data = read(FLIGHTS)
        if tamper:
            tamper(data)
        (tmp_path / f"{name}.json").write_text(json.dumps(data))
    assert main([str(tmp_path)]) == 1
    text = capsys.readouterr().out
    assert text.startswith("a.json: at step ")
    assert text.count("  recorded: ") == 1, "the first in full"
    assert re.search(r"^b.json: at step \d+, placements$", text, re.M)
    assert "c.json: agrees" in text
    assert text.splitlines()[-1] == "1 of 3 games agree"


def bad_folder(tmp_path: Path, sort: str) -> Path:
    """A folder of which nothing can be compared."""
    data = read(GAMES[0])
    files: dict[str, bytes] = {
        "no recordings": b"",
        "no gzip": b"plain",
        "half a gzip": GAMES[0].read_bytes()[:900],
        "no json": gzip.compress(b"{steps:"),
        "no text": gzip.compress(b"\xff\xfe{}"),
        "no recording": gzip.compress(b'{"seed": 3}'),
        "no such edition": gzip.compress(json.dumps({**data, "edition": 3}).encode()),
        "seven players": gzip.compress(json.dumps({**data, "players": 7}).encode()),
        "odd step": gzip.compress(json.dumps({**data, "steps": [{"op": "dance"}]}).encode()),
    }
    if sort == "no folder":
        return tmp_path / "nowhere"
    (tmp_path / ("readme.txt" if sort == "no recordings" else "game.json.gz")).write_bytes(files[sort])
    return tmp_path


@pytest.mark.parametrize(
    "sort",
    [
        "no folder",
        "no recordings",
        "no gzip",
        "half a gzip",
        "no json",
        "no text",
        "no recording",
        "no such edition",
        "seven players",
        "odd step",
    ],
)
def test_what_cannot_be_compared_is_told_in_one_line_and_ends_with_2(tmp_path, capsys, sort):
    folder = bad_folder(tmp_path, sort)
    assert main([str(folder)]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == 1
    assert str(folder) in output.err


@pytest.mark.parametrize("arguments", [[], ["one", "two"], ["--fast", "folder"]])
def test_wrong_arguments_end_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as error:
        main(arguments)
    assert error.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_it_runs_as_a_module(tmp_path):
    (tmp_path / GAMES[0].name).write_bytes(GAMES[0].read_bytes())
    command = [sys.executable, "-m", "rules.carcassonne.verify", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=dict(os.environ), check=False)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-1] == "1 of 1 games agree"
