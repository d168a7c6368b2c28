"""What a session of Fair Play must be, and what may be on its table."""

import msgspec
import pytest

from rules.games import make_referee, things
from rules.session import Session
from tests.rules.fairplay.staged import Race, session


@pytest.mark.parametrize("players", range(2, 7))
def test_two_to_six_play(players):
    referee = make_referee(session(players))
    assert len(referee.view().players) == players
    assert set(referee.scores().values()) == {0}


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"house_rules": {"tile_capcity": 2}}, "tile_capacity"),
        ({"house_rules": {"players": "3-6"}}, "players play"),
        ({"house_rules": {"min_die_steps": 9}}, "min_die_steps"),
        ({"dealer": 7}, "dealer"),
    ],
)
def test_what_describes_no_game_is_refused_in_one_line(more, what):
    with pytest.raises(ValueError, match=what) as error:
        make_referee(session(2, **more))
    assert "\n" not in str(error.value)


def test_two_cars_of_one_colour_and_a_colour_that_there_is_not():
    told = session(2)
    for colour, what in (("red", "taken"), ("pink", "pink"), ("", "uncoloured")):
        other = msgspec.structs.replace(told.player[1], colour=colour)
        with pytest.raises(ValueError, match=what):
            make_referee(msgspec.structs.replace(told, player=(told.player[0], other)))


def test_house_rules_are_announced_and_shapes_of_tiles_may_be_told():
    race = Race(3, house_rules={"tile_capacity": 2, "tile_shape": {"road.narrow": "curve"}})
    opening = race.outputs[0]
    assert opening.rule == "fairplay.session"
    assert "tile_capacity = 2" in opening.message.params["rules"]
    assert opening.data["house_rules"]["tile_shape"] == {"road.narrow": "curve"}
    text = msgspec.toml.decode(
        b"game='fairplay'\ndeck='d'\n[[player]]\nnumber=1\nname='A'\nside='S'\ncolour='red'\n"
        b"[house_rules]\ntile_shape={'road.narrow'='curve'}\n",
        type=Session,
    )
    assert text.house_rules["tile_shape"] == {"road.narrow": "curve"}


def test_the_dealer_begins():
    race = Race(3, dealer=2)
    race.roll(2).still()
    assert race.referee.view().board["turn"]["player"] == "Ben"


def test_a_race_die_and_cars_of_the_session_s_colours_may_be_on_the_table():
    found = things(session(3))
    assert [(die.face, die.values) for die in found.dice] == [("die.race", (1, 1, 1, 2, 2, 3))]
    assert [(token.kind, token.colours) for token in found.tokens] == [("car", ("red", "blue", "yellow"))]
    assert (found.tokens[0].length_mm, found.tokens[0].width_mm) == (28.0, 14.0)
