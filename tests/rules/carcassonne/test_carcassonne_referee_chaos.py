"""Whatever lies on the table, the referee goes on: no still, no answer and no correction breaks it."""

from __future__ import annotations

import random

import pytest

from rules.carcassonne.tiles import TILES
from rules.history import fold
from rules.protocol import Question, Ruling
from rules.text import say
from tests.rules.carcassonne.board_tables import COLOURS, BoardMatch, BoardTable, Die

NAMES = sorted(name for name in TILES if not name.endswith("G"))


def disturb(table: BoardTable, dice: random.Random) -> None:
    """Something that children, cats or people who do not know the rules do."""
    tiles, meeples = list(table.tiles), list(table.meeples)
    match dice.randrange(9):
        case 0 | 1 | 2:
            x, y = dice.choice([tile.cell for tile in table.tiles.values() if tile.cell] or [(0, 0)])
            cell = dice.choice([(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)])
            if all(tile.cell != cell for tile in table.tiles.values()):
                sure = dice.choice([0.99, 0.99, 0.99, 0.6])
                table.lay(dice.choice(NAMES), cell, dice.choice([0, 90, 180, 270]), confidence=sure)
        case 3 | 4:
            tile = table.tiles[dice.choice(tiles)]
            colour = dice.choice(COLOURS[:3])
            if tile.cell is not None and sum(m.colour == colour for m in table.meeples.values()) < 8:
                number = dice.randrange(len(TILES[tile.name].parts))
                if TILES[tile.name].parts[number].kind != "Garden":
                    table.put(colour, tile.cell, number, at=(dice.random(), dice.random()))
        case 5 if meeples:
            table.take(dice.choice(meeples))
        case 6 if len(tiles) > 1:
            piece = dice.choice(tiles[1:])
            if dice.random() < 0.5:
                table.take(piece)
            else:
                table.tiles[piece].rotation = dice.choice([0, 90, 180, 270])
        case 7:
            old = table.die
            table.die = Die(dice.choice([1, 2, 3, None]), (old.throws if old else 0) + dice.choice([0, 1, 1]))
            table.die.doubtful, table.die.pose = dice.random() < 0.3, dice.choice(["rest", "rest", "cocked", "moving"])
        case 8:
            table.lay(dice.choice(NAMES), None)


@pytest.mark.parametrize("seed", range(12))
def test_chaos_is_borne(seed):
    dice = random.Random(seed)
    match = BoardMatch(BoardTable(seed=seed), players=dice.choice((2, 3)))
    choose = lambda question: dice.choice(question.options)  # noqa: E731
    for rule in (
        "face",
        "turn",
        "order",
        "many",
        "meeple",
        "colour",
        "whose",
        "late",
        "die",
        "landed",
        "changed",
        "moved",
    ):
        match.answers[f"carcassonne.{rule}"] = choose
    match.still()
    for _ in range(40):
        for _ in range(dice.randint(1, 3)):
            disturb(match.table, dice)
        before = len(match.outputs)
        match.still([piece for piece in match.table.tiles if dice.random() < 0.05])
        assert len(match.outputs) - before < 60, "the same is said again and again"
        match.referee.view()
        if dice.random() < 0.2:
            piece = dice.choice([*match.table.tiles, *match.table.meeples])
            what, value = dice.choice(
                [
                    (f"face:{piece}", f"tile.{dice.choice(NAMES)}"),
                    (f"meeple:{piece}", "Road"),
                    (f"colour:{piece}", "blue"),
                    ("die", "2"),
                    ("phase", "no_meeple"),
                ]
            )
            match.correct(what, value)
    rules = [o.message for o in match.outputs if isinstance(o, Ruling | Question)]
    assert all("carcassonne." not in say(message) for message in rules)
    again = BoardMatch(match.table, players=len(match.referee.names))
    _, said = fold(again.referee, enumerate(match.inputs, 1))
    assert [o for outputs in said.values() for o in outputs] == match.outputs
