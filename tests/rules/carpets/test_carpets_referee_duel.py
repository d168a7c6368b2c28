"""The referee over duels: djinns laid at the players' sides (rules 1.5, djinn duel)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rules.carpets.duel import side_owner
from rules.carpets.referee import CarpetsReferee
from rules.session import Player
from tests.rules.tables import GRID, Match, Tabletop, lay_out, session

SIDE = {"S": (-60.0, 198.0), "W": (-345.0, 0.0), "E": (345.0, 0.0), "N": (-60.0, -198.0)}
FAR = (300.0, -140.0)


def disputed(
    cards: Sequence[str] = ("c6",), carpets: Sequence[str] = ("blue", "green"), players: int = 3, **more: object
) -> Match:
    """All carpets are down; those named lie on each of the cards (one card, or two neighbours)."""
    m = Match(CarpetsReferee(session(players, **more)), Tabletop())  # type: ignore[arg-type]
    lay_out(m.table)
    m.still()
    x = sum(GRID[int(c[1:]) - 1][0] for c in cards) / len(cards)
    y = sum(GRID[int(c[1:]) - 1][1] for c in cards) / len(cards)
    order = {2: ("blue", "red", "yellow", "green"), 3: ("blue", "green", "red"), 4: ("blue", "green", "yellow", "red")}
    for i, colour in enumerate(order[players]):
        at = (x + 3 * i, y) if colour in carpets else (FAR[0], FAR[1] + 95 * i)
        m.table.put(f"carpet.{colour}", *at, 90 if len(cards) > 1 else 15 * i, id=colour)
        m.still()
    return m


def reveal(m: Match, **djinns: int) -> None:
    """Each player (by side) lays a djinn; then a still."""
    for side, n in djinns.items():
        m.table.put(f"djinn.{n}", *SIDE[side], 90, id=f"d{n}")
    m.still()


def duels(m: Match) -> list[tuple[str | None, tuple[str, ...]]]:
    return [(r.player, r.pieces) for r in m.rulings("carpets.duel")]


def test_the_highest_djinn_wins_and_the_card_is_claimed() -> None:
    m = disputed()
    assert m.referee.view().phase.params == {"card": "adventure.2", "players": "Ben, Clara"}
    assert {p.name for p in m.referee.view().players if p.active} == {"Ben", "Clara"}
    reveal(m, W=3, E=6)
    assert duels(m) == [("Clara", ("c6", "d3", "d6"))]
    (ruling,) = m.rulings("carpets.duel")
    assert ruling.data["djinns"] == {"Ben": 3, "Clara": 6}
    assert [(r.player, r.pieces) for r in m.rulings("carpets.claim")] == [("Clara", ("c6", "green"))]
    assert [(r.player, r.reason) for r in m.rulings("carpets.no_claim")] == [("Anna", "missed"), ("Ben", "lost_duel")]
    assert m.questions() == []


def test_nothing_is_decided_until_everybody_has_revealed() -> None:
    m = disputed()
    reveal(m, W=3)
    m.still()
    assert duels(m) == []
    reveal(m, E=6)
    assert len(duels(m)) == 1


def test_a_djinn_taken_up_again_at_once_was_revealed_all_the_same() -> None:
    m = disputed()
    reveal(m, W=3)
    m.table.take("d3")
    reveal(m, E=6)
    assert [r.data["djinns"] for r in m.rulings("carpets.duel")] == [{"Ben": 3, "Clara": 6}]
    other = disputed()
    reveal(other, W=3)
    other.table.take("d3")
    reveal(other, W=8)  # he thought better of it
    reveal(other, E=6)
    assert [r.data["djinns"] for r in other.rulings("carpets.duel")] == [{"Ben": 8, "Clara": 6}]


def test_three_players_and_what_changes_owners() -> None:
    m = disputed(carpets=("blue", "green", "red"))
    reveal(m, S=3, W=7, E=6)
    assert duels(m) == [("Ben", ("c6", "d7", "d6", "d3"))]
    djinns = m.referee.game.state.djinns  # type: ignore[attr-defined]
    assert [djinns.of(p) for p in (1, 2, 3)] == [{8, 7}, {3, 4}, {6, 5}]


def test_a_duel_may_be_fought_after_the_carpets_were_taken_up() -> None:
    m = disputed()
    m.table.take_kind("carpet")
    m.still()
    assert m.questions() == []
    reveal(m, W=3, E=6)
    assert [(r.player, r.pieces) for r in m.rulings("carpets.claim")] == [("Clara", ("c6", "green"))]


def test_a_djinn_that_lay_there_before_was_not_laid_for_this_duel() -> None:
    m = Match(CarpetsReferee(session()), Tabletop())
    m.table.put("djinn.8", *SIDE["W"], id="d8")
    lay_out(m.table)
    m.still()
    for colour in ("blue", "green"):
        m.table.put(f"carpet.{colour}", *GRID[5], id=colour)
        m.still()
    m.table.put("carpet.red", *FAR, id="red")
    m.still()
    reveal(m, E=6)
    assert duels(m) == []
    m.table.move("d8", SIDE["W"][0] + 30, 0)
    m.still()
    assert duels(m) == [("Ben", ("c6", "d8", "d6"))]


def test_djinns_laid_tell_that_the_flight_is_over() -> None:
    m = Match(CarpetsReferee(session()), Tabletop())
    lay_out(m.table)
    m.still()
    for colour in ("blue", "green"):
        m.table.put(f"carpet.{colour}", *GRID[5], id=colour)
        m.still()
    reveal(m, W=3, E=6)  # the red carpet flew off the table
    assert [(r.player, r.reason) for r in m.rulings("carpets.no_claim")] == [
        ("Anna", "off_table"),
        ("Ben", "lost_duel"),
    ]
    assert duels(m) == [("Clara", ("c6", "d3", "d6"))]


class TestSeveralDuels:
    def two(self, **rules: object) -> Match:
        return disputed(("c6", "c7"), **({"house_rules": rules} if rules else {}))

    def test_one_after_the_other_in_the_order_of_laying(self) -> None:
        m = self.two()
        assert [r.pieces[0] for r in m.rulings("carpets.contested")] == ["c6", "c7"]
        reveal(m, W=8, E=6)
        assert duels(m) == [("Ben", ("c6", "d8", "d6"))]
        m.table.take("d8", "d6")
        m.still()
        reveal(m, W=6, E=8)  # the very djinns that were swapped
        assert duels(m)[1:] == [("Clara", ("c7", "d6", "d8"))]
        assert m.referee.view().phase.key == "carpets.phase.collect"

    def test_djinns_swapped_on_the_table_are_no_second_duel(self) -> None:
        m = self.two()
        reveal(m, W=8, E=6)
        m.table.move("d8", *SIDE["E"])
        m.table.move("d6", *SIDE["W"])
        for _ in range(3):
            m.still()
        assert len(duels(m)) == 1
        assert m.referee.view().phase.key == "carpets.phase.duel"

    def test_with_the_house_rule_the_layouter_chooses_which_comes_first(self) -> None:
        m = disputed(("c6", "c7"), house_rules={"duel_order": "layouter_chooses"})
        (question,) = m.questions("carpets.duel_order")
        assert (question.player, question.options) == ("Anna", ("adventure.2", "bazaar.spice"))
        other = disputed(("c6", "c7"), house_rules={"duel_order": "first_thrower_chooses"})
        assert other.questions("carpets.duel_order")[0].player == "Ben"
        m = Match(CarpetsReferee(session(house_rules={"duel_order": "layouter_chooses"})), Tabletop())
        m.answers["carpets.duel_order"] = "bazaar.spice"
        lay_out(m.table)
        m.still()
        for colour in ("blue", "green"):
            m.table.put(f"carpet.{colour}", (GRID[5][0] + GRID[6][0]) / 2, 0, 90, id=colour)
            m.still()
        m.table.put("carpet.red", *FAR, id="red")
        m.still()
        reveal(m, W=8, E=6)
        assert duels(m) == [("Ben", ("c7", "d8", "d6"))]


class TestInDoubt:
    def test_both_djinns_at_one_side_are_asked_about_once_they_stay(self) -> None:
        m = disputed()
        m.table.put("djinn.3", *SIDE["W"], 90, id="d3")
        m.table.put("djinn.6", SIDE["W"][0], 70, 90, id="d6")
        m.still()
        assert m.questions() == []
        m.still()
        (question,) = m.questions("carpets.duel")
        assert (question.options, question.pieces) == (("Ben", "Clara"), ("c6", "d3", "d6"))
        assert len(duels(m)) == 1
        assert m.rulings("carpets.duel")[0].inferred

    def test_djinns_that_the_dealt_sets_do_not_allow_are_asked_about(self) -> None:
        m = disputed()
        reveal(m, W=8, E=3)  # one set: nobody else can hold its other half
        m.still()
        (question,) = m.questions("carpets.duel")
        assert question.default == "Ben"
        assert duels(m) == [("Ben", ("c6",))]

    def test_told_sets_speak_against_the_side(self) -> None:
        people = session().player
        told = tuple(
            Player(number=p.number, name=p.name, side=p.side, carpet=p.carpet, djinns=d)
            for p, d in zip(people, ((8, 3), (7, 4), (6, 5)), strict=True)
        )
        m = Match(CarpetsReferee(type(session())(game="carpets", deck="deck", player=told)), Tabletop())
        m.answers["carpets.duel"] = "Clara"
        lay_out(m.table)
        m.still()
        for colour in ("blue", "green"):
            m.table.put(f"carpet.{colour}", *GRID[5], id=colour)
            m.still()
        m.table.put("carpet.red", *FAR, id="red")
        m.still()
        reveal(m, W=6, E=4)  # each lies at the other's side
        assert duels(m) == []
        m.still()
        assert len(m.questions("carpets.duel")) == 1
        assert m.rulings("carpets.duel")[0].data["djinns"] == {"Ben": 4, "Clara": 6}

    def test_the_dealt_sets_settle_a_side_that_is_not_clear(self) -> None:
        people = session().player
        told = tuple(
            Player(number=p.number, name=p.name, side=p.side, carpet=p.carpet, djinns=d)
            for p, d in zip(people, ((8, 3), (7, 4), (6, 5)), strict=True)
        )
        m = Match(CarpetsReferee(type(session())(game="carpets", deck="deck", player=told)), Tabletop())
        lay_out(m.table)
        m.still()
        for colour in ("blue", "red"):
            m.table.put(f"carpet.{colour}", *GRID[5], id=colour)
            m.still()
        m.table.put("carpet.green", *FAR, id="green")
        m.still()
        m.table.put("djinn.7", -340, 165, id="d7")  # in the corner between Ben and Anna
        m.table.put("djinn.3", *SIDE["S"], id="d3")
        m.still()
        assert duels(m) == [("Ben", ("c6", "d7", "d3"))]
        assert m.questions() == []

    def test_a_disputed_card_taken_without_a_duel_is_asked_about(self) -> None:
        m = disputed()
        m.table.take("c6", "blue", "green")
        m.still()
        assert m.questions() == []
        m.still()
        (question,) = m.questions("carpets.duel")
        assert question.options == ("Ben", "Clara")
        assert [r.player for r in m.rulings("carpets.claim")] == [question.default]

    def test_one_djinn_seen_makes_its_owner_the_likelier_winner(self) -> None:
        for djinn, likelier in ((8, "Clara"), (3, "Ben")):
            m = disputed()
            reveal(m, E=djinn)
            m.table.take("c6", "blue", "green")
            m.still()
            m.still()
            assert m.questions("carpets.duel")[0].default == likelier

    def test_a_djinn_that_could_not_be_read_is_asked_about_when_it_is_taken_up(self) -> None:
        m = disputed(("c6", "c7"))
        m.table.put("unknown", *SIDE["W"], id="unread")
        reveal(m, E=3)
        assert m.questions() == []
        m.table.take("unread", "d3")
        m.still()
        (question,) = m.questions("carpets.duel")
        assert (question.pieces[0], question.default) == ("c6", "Ben")
        reveal(m, W=4, E=6)  # for the second card, not for the first
        assert duels(m)[1:] == [("Clara", ("c7", "d4", "d6"))]

    def test_a_lone_djinn_taken_up_again_is_asked_about_after_two_stills(self) -> None:
        m = disputed()
        reveal(m, E=3)
        m.table.take("d3")
        m.still()
        assert m.questions() == []
        m.still()
        assert len(m.questions("carpets.duel")) == 1

    def test_an_unread_thing_that_lay_there_before_is_no_djinn(self) -> None:
        m = Match(CarpetsReferee(session()), Tabletop())
        coaster = m.table.put("unknown", *SIDE["W"])
        lay_out(m.table)
        m.still()
        for colour in ("blue", "green"):
            m.table.put(f"carpet.{colour}", *GRID[5], id=colour)
            m.still()
        m.table.put("carpet.red", *FAR, id="red")
        m.still()
        m.table.take(coaster)
        for _ in range(3):
            m.still()
        assert m.questions() == []

    def test_players_may_say_it_themselves(self) -> None:
        m = disputed()
        assert [(o.choice, o.value) for o in m.referee.view().offers] == [("duel", "Ben"), ("duel", "Clara")]
        m.correct("duel", "Anna")
        assert [r.message.key for r in m.rulings("carpets.refused")] == ["carpets.refused.duel"]
        m.correct("djinn:Ben", "8")
        m.correct("djinn:Clara", "3")
        assert [r.message.key for r in m.rulings("carpets.refused")][1:] == ["carpets.refused.djinn"]
        m.correct("djinn:Clara", "6")
        assert m.rulings("carpets.duel")[0].data["djinns"] == {"Ben": 8, "Clara": 6}
        other = disputed()
        other.correct("duel", "Clara")
        assert duels(other) == [("Clara", ("c6",))]


@pytest.mark.parametrize(
    ("point", "owner"), [((-350, 0), 2), ((350, 10), 4), ((0, 200), 1), ((0, -200), 3), ((-370, 200), None)]
)
def test_the_side_of_the_table_tells_the_owner(point: tuple[float, float], owner: int | None) -> None:
    assert side_owner(point, Tabletop().scene(), ("S", "W", "N", "E")) == owner
