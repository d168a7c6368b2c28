"""A game as a value: every rule that can be broken, JSON, copies, text, explained points."""

from __future__ import annotations

from collections import Counter
from dataclasses import FrozenInstanceError, replace

import msgspec
import pytest

from rules.carcassonne import Draw, Game, Land, Place, Put, Recall, Roll, SavedGameError, Skip
from rules.carcassonne.geometry import ROTATIONS
from rules.carcassonne.refusals import RULES
from rules.carcassonne.tiles import TILES
from tests.rules.carcassonne.tables import breaks, fly, lay, play, random_game, start

MONASTERY = ("BA/L", 0, 1, 0)


def drawn(**rules: object) -> Game:
    game = start(**rules)
    game.push(Draw("BA/L"))
    return game


def laid(**rules: object) -> Game:
    return lay(start(**rules), *MONASTERY)


def flying(**rules: object) -> Game:
    game = lay(play(start(**rules), MONASTERY, ("BA/L", 0, 2, 0)), "FL/F.o", 1, 2, 0)
    game.push(Put("FlyingMachine"))
    return game


def landing(**rules: object) -> Game:
    game = flying(**rules)
    game.push(Roll(1))
    return game


def over() -> Game:
    game = start()
    game.state = replace(game.state, stock={"BA/L": 1})
    return play(game, MONASTERY)


def occupied() -> Game:
    return lay(play(start(), ("BA/RFr", 1, 0, 0, "Road", "WE")), "BA/RFr", 2, 0, 0)


def spent() -> Game:
    game = laid()
    game.state = replace(game.state, supply=(0, 7))
    return game


BROKEN = {
    "move": (drawn, Place(0, "below", 0)),
    "over": (over, Draw("BA/L")),
    "phase": (start, Place(0, 1, 0)),
    "player": (start, Draw("BA/L", player=3)),
    "turn": (start, Draw("BA/L", player=2)),
    "tile": (start, Draw("BA/Q")),
    "stock": (lambda: play(start(), ("BA/RRRR", 1, 0, 0)), Draw("BA/RRRR")),
    "must_place": (drawn, Skip()),
    "rotation": (drawn, Place(0, 1, 30)),
    "taken": (drawn, Place(0, 0, 0)),
    "touch": (drawn, Place(5, 5, 0)),
    "edges": (drawn, Place(1, 0, 0)),
    "feature": (laid, Put("Road", "N")),
    "occupied": (occupied, Put("Road", "WE")),
    "supply": (spent, Put("Monastery")),
    "farmers": (lambda: laid(farmers=False), Put("Field", "NL.NR.EL.ER.SL.SR.WL.WR")),
    "abbot": (laid, Put("Monastery", figure="abbot")),
    "recall": (laid, Recall()),
    "die": (flying, Roll(4)),
    "cocked": (flying, Roll(2, cocked=True)),
    "landing": (landing, Land("Road", "N")),
    "must_land": (landing, Skip()),
}


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_broken_by_a_move_that_is_refused_in_its_name(rule):
    make, move = BROKEN[rule]
    game = make()
    assert breaks(game, move) == rule
    refusal = game.why_illegal(move)
    assert str(refusal) == f"rules {RULES[rule][0]} ({rule}): {refusal.reason}"
    assert "\n" not in refusal.reason


@pytest.mark.parametrize(
    ("move", "what"),
    [
        ("Draw", "'Draw' is no move of this game"),
        (None, "None is no move of this game"),
        (Draw(7), "Draw, tile: Expected `str`, got `int`"),
        (Draw(["BA/L"]), "Draw, tile: Expected `str`, got `array`"),
        (Draw("BA/L", player="Ana"), "Draw, player: Expected `int | null`, got `str`"),
        (Put("Castle"), "Put, feature: Invalid enum value 'Castle'"),
        (Put("City", "N", "mayor"), "Put, figure: Invalid enum value 'mayor'"),
        (Roll(1.5), "Roll, die: Expected `int`, got `float`"),
    ],
)
def test_what_is_no_move_is_refused_and_not_stumbled_over(move, what):
    refusal = start().why_illegal(move)
    assert (refusal.rule, refusal.reason) == ("move", what)


def every_move(game: Game) -> list:
    """Moves of every kind, sensible or not."""
    cells = {(x + dx, y + dy) for x, y in game.state.board.tiles for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
    named = {(part.kind, part.location) for t in game.state.board.tiles.values() for part in t.parts}
    named |= {("FlyingMachine", "I"), ("Garden", "I"), ("Monastery", "I"), ("City", "X"), ("FlyingMachine", "N")}
    return [
        *(Draw(tile) for tile in [*TILES, "BA/X"]),
        *(Place(x, y, r) for x, y in cells for r in (*ROTATIONS, 45)),
        *(Put(kind, location, figure) for kind, location in named for figure in ("meeple", "abbot")),
        *(Land(kind, location) for kind, location in named),
        *(Roll(die) for die in range(-1, 6)),
        *(Roll(die, cocked=True) for die in range(1, 4)),
        Skip(),
        Recall(),
    ]


@pytest.mark.parametrize("seed", range(6))
def test_a_move_is_refused_just_when_it_is_not_offered(seed):
    told = {"abbot": seed % 2 == 1, "landing_mandatory": seed % 3 > 0, "farmers": seed != 4}
    whole = random_game(seed, **told)
    game = Game(whole.setup.players, house_rules=whole.setup.rules)
    for i, move in enumerate(whole.moves):
        if i % 11 == 0 or game.state.phase in ("roll", "land"):
            offered = list(game.legal())
            assert len(set(offered)) == len(offered) > 0
            for other in every_move(game):
                refusal = game.why_illegal(other)
                assert (refusal is None) == (other in offered), (other, refusal)
                assert refusal is None or refusal.rule in RULES
        game.push(move)
    assert game.state == whole.state
    assert all(game.why_illegal(move).rule == "over" for move in every_move(game))


def test_a_move_may_name_its_player():
    game = start(3)
    game.push(Draw("BA/L", player=1))
    game.push(Place(0, 1, 0, player=1))
    game.push(Put("Monastery", player=1))
    assert [m.player for m in game.meeples()] == [1]
    assert Game.from_json(game.to_json()).moves == game.moves


# -- points explained ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_lines_sum_up_to_the_scores(seed):
    game = random_game(seed, abbot=seed % 2 == 0)
    lines = game.explain()
    assert {player: sum(line.points for line in lines[player]) for player in game.players} == game.scores
    assert all(not more for more in game.outlook().values())
    for line in game.state.lines:
        assert set(line.cells) <= set(game.state.board.tiles)
        assert {(spot.x, spot.y) for spot in line.spots} <= set(line.cells)
        standing = Counter(meeple.player for meeple in line.meeples)
        assert standing[line.player] == max(standing.values()) or line.rule.endswith("recalled")
        if line.rule == "field":
            assert line.points == 3 * len(set(line.cities))
        if line.rule in ("road", "road.incomplete"):
            assert line.points == len(set(line.cells))
    assert {rule.partition(".")[0] for rule in {line.rule for line in game.state.lines}} <= {
        "road",
        "city",
        "field",
        "monastery",
        "garden",
    }


def test_the_outlook_after_the_last_turn_is_the_final_scoring():
    whole = random_game(5)
    game = whole.copy()
    last = game.pop()
    game.state = replace(game.state, stock={"BA/L": 1})  # one more turn would follow
    game.push(last)
    final = [line for line in whole.state.lines if line.turn > whole.state.turn]
    told = [line for player in game.players for line in game.outlook()[player]]
    assert len(final) > 5
    assert sorted((line.player, line.points, line.spots) for line in told) == sorted(
        (line.player, line.points, line.spots) for line in final
    )


# -- kept and read back -------------------------------------------------------------------------------------------


def saved(game: Game) -> dict:
    return msgspec.json.decode(game.to_json())


def corrupt(where: str, game: Game | None = None, **changes: object) -> SavedGameError:
    text = msgspec.json.encode({**saved(game or play(start(), MONASTERY)), **changes})
    with pytest.raises(SavedGameError) as error:
        Game.from_json(text)
    assert "\n" not in str(error.value)
    assert error.value.where == where, error.value
    return error.value


def test_json_keeps_everything_that_was_agreed():
    game = random_game(7, tiles="C1", abbot=True, tiny_city_points=2, first_player=2)
    again = Game.from_json(game.to_json())
    assert (again.state, again.setup, again.moves) == (game.state, game.setup, game.moves)
    assert again.to_json() == game.to_json()
    while game.moves:
        assert again.pop() == game.pop()
        assert again.state == game.state


@pytest.mark.parametrize("text", ["", "{", "[]", '"game"', b"\xff\xfe", "{}"])
def test_no_json_of_a_game(text):
    with pytest.raises(SavedGameError) as error:
        Game.from_json(text)
    assert error.value.where in ("text", "top level")


def test_a_saved_game_says_what_is_wrong_and_where():
    assert "2 to 5 players" in corrupt("setup", players=9).what
    assert "no player 3" in corrupt("setup", first_player=3).what
    assert "no player 0" in corrupt("setup", first_player=0).what
    corrupt("players", players="two")
    corrupt("house_rules", house_rules={"gardens": True})
    assert "must lie between" in corrupt("house_rules", house_rules={"ask_below_confidence": 7}).what
    corrupt("moves[0].move", moves=[{"move": "teleport"}])
    corrupt("moves[0].rotation", moves=[{"move": "place", "x": 0, "y": 1, "rotation": "left"}])
    corrupt("top level", moods=[])


def test_tile_counts_that_do_not_add_up():
    tiles = saved(start())["tiles"]
    assert "there is no tile BA/Zz" in corrupt("setup", tiles={**tiles, "BA/Zz": 1}).what
    assert "cannot be 0 of BA/L" in corrupt("setup", tiles={**tiles, "BA/L": 0}).what
    assert "start tile" in corrupt("setup", tiles={"BA/L": 3}).what
    error = corrupt(
        "moves[3]", tiles={"BA/RCr": 1, "BA/L": 1, "BA/C": 1}, moves=saved(play(start(), MONASTERY))["moves"] * 2
    )
    assert "every BA/L has been drawn already, there are 1" in error.what


def test_an_illegal_move_in_a_saved_game_is_named():
    moves = saved(play(start(), MONASTERY))["moves"]
    moves[1]["x"] = 4
    error = corrupt("moves[1]", moves=moves)
    assert "rules 2.2.2 (touch)" in error.what
    assert error.__cause__.rule == "touch"


@pytest.mark.parametrize("tiles", [{"BA/RCr": 1}, {"BA/RCr": 1, "BA/L": 2}])
def test_a_game_with_fewer_tiles(tiles):
    game = start(tiles=tiles)
    assert sum(game.state.stock.values()) == sum(tiles.values()) - 1
    assert game.is_over == (len(tiles) == 1)


def test_no_such_edition():
    with pytest.raises(ValueError, match="no edition C3; there are C1, C2"):
        Game(2, tiles="C3")


def test_a_copy_goes_its_own_way():
    game = laid()
    other = game.copy()
    other.push(Skip())
    assert (game.state.phase, other.state.phase) == ("meeple", "draw")
    other.pop()
    assert other.state == game.state
    assert game.to_json() == other.to_json()


def test_positions_are_immutable():
    with pytest.raises(FrozenInstanceError):
        start().state.turn = 2


def test_nothing_to_take_back():
    with pytest.raises(IndexError):
        start().pop()


# -- text ---------------------------------------------------------------------------------------------------------


def test_the_table_in_text():
    game = play(start(abbot=True), ("BA/Cc+G", 0, -1, 180), ("BA/LR", 0, 1, 0, "Monastery", "I", "abbot"))
    fly(lay(game, "FL/F.dG", 1, 1, 90), 1)
    assert str(game).splitlines() == [
        "turn 4, player 2 draws; 76 tiles left",
        "+---+",
        "|c+GC",
        "+-C-+",
        "+-C-+",
        "R   R",
        "+---+",
        "+---++---+",
        "| M ||↗G |",
        "+-R-++---+",
        "player 1   0: 7 meeples, abbot",
        "player 2   0: 7 meeples; abbot (0, 1) I",
    ]
    assert repr(game) == "<Game of 2, turn 4, draw>"
    assert str(over()).splitlines()[0] == "over after 1 turns"


@pytest.mark.parametrize(
    ("make", "heading"),
    [
        (drawn, "turn 1, player 1 lays BA/L; 78 tiles left"),
        (laid, "turn 1, player 1 laid BA/L at (0, 1): a meeple?; 78 tiles left"),
        (flying, "turn 3, player 1 rolls the flight die; 76 tiles left"),
        (landing, "turn 3, player 1 rolled 1 and lands; 76 tiles left"),
    ],
)
def test_the_heading_says_what_is_to_be_done(make, heading):
    assert str(make()).splitlines()[0] == heading
