"""The recorded race as scenes: every roll, every position, every card, and hardly a question."""

import pytest

from rules.games import make_referee
from rules.protocol import Question, Ruling
from tests.rules.fairplay import recorded


@pytest.fixture(scope="module")
def told():
    return recorded.race()


def outputs(told, scenes):
    referee = make_referee(recorded.session(told))
    return referee, [output for scene in scenes for output in referee.see(scene)]


def rulings(said, rule):
    return [o for o in said if isinstance(o, Ruling) and o.rule == rule]


def test_every_roll_and_every_position_is_told(told):
    referee, said = outputs(told, recorded.scenes(told))
    names = [player["name"] for player in told["players"]]
    played = [move for move in told["moves"] if move["die"]]
    assert [(r.player, r.data["value"]) for r in rulings(said, "fairplay.roll")] == [
        (names[move["player"] - 1], move["die"]) for move in played
    ]
    ends = [*(move["t_die"] for move in played[1:]), 1e9]
    for move, end in zip(played, ends, strict=True):
        at = dict.fromkeys(names, 0)
        for ruling in rulings(said, "fairplay.move"):
            if ruling.t < end:
                assert at[ruling.player] == ruling.data["from"]
                at[ruling.player] = ruling.data["to"]
        assert list(at.values()) == move["positions"]
    assert not [o for o in said if isinstance(o, Question)]
    assert not [o for o in said if isinstance(o, Ruling) and o.rule.startswith("fairplay.illegal")]
    assert referee.scores() == dict(zip(names, told["moves"][-1]["positions"], strict=True))


def test_who_offered_and_who_used_each_card_is_told_as_inferred(told):
    _, said = outputs(told, recorded.scenes(told))
    names = [player["name"] for player in told["players"]]
    used = rulings(said, "fairplay.card")
    assert [
        (r.player, r.data["card"], r.data["offered_by"], r.data["offered_to"], r.reason, r.inferred) for r in used
    ] == [
        (
            names[card["user"] - 1],
            card["kind"],
            names[card["offered_by"] - 1],
            names[card["offered_to"] - 1],
            "accepted" if card["accepted"] else "refused",
            True,
        )
        for card in (move["card"] for move in told["moves"])
        if card
    ]
    assert [r.player for r in rulings(said, "fairplay.mend")] == ["Anna"]


def test_every_car_is_on_its_tile_at_every_still(told):
    referee = make_referee(recorded.session(told))
    for still, scene in zip(told["stills"], recorded.scenes(told), strict=True):
        referee.see(scene)
        notes = referee.notes(scene)
        for colour, *_, tile in still["cars"]:
            assert notes[f"car_{colour}"]["tile_index"] == tile
        board = referee.view().board
        assert [tile["kind"] for tile in board["track"]] == [kind for kind, _ in still["tiles"]]


@pytest.mark.parametrize("missed", range(66))
def test_any_one_still_may_be_missed(told, missed):
    scenes = recorded.scenes(told)
    referee, said = outputs(told, scenes[:missed] + scenes[missed + 1 :])
    whole, all_said = outputs(told, scenes)
    moves = [(r.player, r.data) for r in rulings(all_said, "fairplay.move")]
    assert [(r.player, r.data) for r in rulings(said, "fairplay.move")] == moves
    rolls = [(r.player, r.data) for r in rulings(all_said, "fairplay.roll")]
    assert [(r.player, r.data) for r in rulings(said, "fairplay.roll")] == rolls
    assert not [o for o in said if isinstance(o, Question)]
    assert referee.scores() == whole.scores()
