"""A race as it was recorded at a table: ten turns of three players, hands unseen.

Tiles, rolls, cards and positions are the truth of the project's own footage `f01` (licence: the project's), typed off.
"""

import pytest

from rules.fairplay import Draw, Game, IllegalMoveError, Lay, Mend, Offer, Reply, Reveal, Roll, Step, summary

ROAD = [
    ("road.straight", "straight"),
    ("road.straight", "straight"),
    ("road.straight", "straight"),
    ("road.curve", "left"),
    ("road.straight", "straight"),
    ("road.straight", "straight"),
    ("road.curve", "left"),
    ("road.station", "straight"),
    ("road.curve", "left"),
    ("road.curve", "right"),
    ("road.roadworks", "straight"),
]
"""Tiles 1 to 11, and how each leads on."""

TURNS = [
    # player, die, card, offered to, accepted, positions after the turn
    (1, 3, "card.plus2", 3, True, [3, 0, 2]),
    (2, 1, "card.minus1", 3, True, [3, 1, 1]),
    (3, 2, "card.plus1", 1, True, [4, 1, 3]),
    (1, 2, "card.puncture", 3, False, [6, 1, 3]),
    (2, 2, "card.plus3", 3, True, [6, 3, 6]),
    (3, 3, "card.minus2", 2, True, [6, 1, 9]),
    (1, None, None, None, None, [6, 1, 9]),
    (2, 1, "card.plus1", 3, False, [6, 3, 9]),
    (3, 1, "card.trouble", 2, True, [6, 0, 10]),
    (1, 2, "card.catchup", 3, False, [11, 0, 10]),
]


def drive(game: Game) -> None:
    """Everybody in this race took all his steps."""
    while game.state.phase in ("move", "jump"):
        player = game.actor
        laid = len(game.state.track)
        if game.state.phase == "jump" or game.state.position(player) == laid - 1:
            game.push(Lay(player, *ROAD[laid - 1]))
        else:
            game.push(Step(player))


def test_the_race_is_played_as_it_was():
    game = Game(3)
    for player, die, card, to, accepted, positions in TURNS:
        assert game.turn == player
        if die is None:
            game.push(Mend(player))
        else:
            game.push(Roll(player, die))
            drive(game)
            game.push(Draw(player))
            game.push(Offer(player, to))
            game.push(Reply(to, accepted))
            game.push(Reveal(to if accepted else player, card))
            drive(game)
        assert summary(game)["positions"] == positions
        assert summary(game)["hands"] == [3, 3, 3]
    assert game.state.track == ("road.start", *(kind for kind, _ in ROAD))
    assert game.ranking == ((1,), (3,), (2,))
    legs = [(leg.start, leg.end, leg.by) for leg in game.explain()[2]]
    assert legs == [
        (0, 1, "die"),
        (1, 3, "die"),
        (3, 1, "card.minus2"),
        (1, 2, "die"),
        (2, 3, "card.plus1"),
        (3, 0, "card.trouble"),
    ]


def test_had_it_been_played_otherwise_the_engine_would_have_said_so():
    game = Game(3)
    game.push(Roll(1, 3))
    drive(game)
    with pytest.raises(IllegalMoveError, match="no steps left"):
        game.push(Step(1))
    game.push(Draw(1))
    game.push(Offer(1, 3))
    with pytest.raises(IllegalMoveError, match=r"rules 3.3 \(turn.player\)"):
        game.push(Reply(2, True))
