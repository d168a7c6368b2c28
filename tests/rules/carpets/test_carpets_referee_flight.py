"""The referee over flights: throw order, who claims what and why, what is in doubt (rules 1.4, 1.5)."""

from __future__ import annotations

import pytest

from rules.carpets.referee import CarpetsReferee
from rules.protocol import Ruling
from tests.rules.tables import GRID, HEIGHT, WIDTH, Match, Tabletop, lay_out, session

FAR = (300.0, -150.0)
"""A place in view that is near no card."""


def laid(players: int = 3, **more: object) -> Match:
    """Twelve cards lie, seen once."""
    m = Match(CarpetsReferee(session(players, **more)), Tabletop())  # type: ignore[arg-type]
    lay_out(m.table)
    m.still()
    return m


def throw(m: Match, colour: str, at: tuple[float, float] | str, **more: object) -> list[object]:
    """A carpet lands centred at a place, or upon a card (`c5`); then a still."""
    x, y = GRID[int(at[1:]) - 1] if isinstance(at, str) else at
    m.table.put(f"carpet.{colour}", x, y, 20, id=colour, **more)
    return list(m.still())


def claims(m: Match) -> list[tuple[str | None, str]]:
    return [(r.player, r.pieces[0]) for r in m.rulings("carpets.claim")]


def empty(m: Match) -> dict[str, str]:
    return {str(r.message.params["carpet"]).removeprefix("carpet."): r.reason for r in m.rulings("carpets.no_claim")}


def test_a_flight_is_evaluated_when_all_carpets_lie_there() -> None:
    m = laid()
    throw(m, "blue", "c6")
    throw(m, "green", (GRID[2][0] + 55, GRID[2][1]))  # across c3 and c4
    assert m.rulings("carpets.claim") == []
    throw(m, "red", FAR)
    assert claims(m) == [("Clara", "c3"), ("Clara", "c4"), ("Ben", "c6")]
    assert empty(m) == {"red": "missed"}
    assert m.referee.view().phase.key == "carpets.phase.collect"
    assert m.questions() == []


def test_claims_come_once_however_many_stills_follow() -> None:
    m = laid()
    for colour in ("blue", "green", "red"):
        throw(m, colour, "c1" if colour == "blue" else (FAR[0], 100 if colour == "red" else -150))
    for _ in range(3):
        m.still()
    assert claims(m) == [("Ben", "c1")]


def test_a_carpet_slid_under_a_card_claims_nothing() -> None:
    m = laid()
    throw(m, "blue", (GRID[0][0] - 30, GRID[0][1]), z=0)
    throw(m, "green", FAR)
    throw(m, "red", (FAR[0], 100))
    assert claims(m) == []
    assert empty(m)["blue"] == "only_under"


def test_under_one_card_and_over_another_claims_the_other() -> None:
    m = laid()
    throw(m, "blue", (GRID[0][0] + 55, GRID[0][1]), z=1.5)  # c1 has z 1, c2 has z 2
    throw(m, "green", FAR)
    throw(m, "red", (FAR[0], 100))
    assert claims(m) == [("Ben", "c1")]


def test_what_a_later_carpet_pushes_counts_where_it_lies_in_the_end() -> None:
    m = laid()
    throw(m, "blue", "c1")
    m.table.move("blue", *GRID[5])  # pushed by the next one
    throw(m, "green", FAR)
    m.table.move("c8", GRID[7][0] + 30, GRID[7][1])
    throw(m, "red", (GRID[7][0] + 70, GRID[7][1]))
    assert claims(m) == [("Ben", "c6"), ("Anna", "c8")]
    assert m.rulings("carpets.layout.gap") == []


def test_two_carpets_of_one_player_are_one_claim_of_two_carpets() -> None:
    m = laid(2)
    throw(m, "blue", "c1")
    throw(m, "red", FAR)
    throw(m, "yellow", "c1")
    throw(m, "green", (FAR[0], 100))
    (claim,) = m.rulings("carpets.claim")
    assert (claim.player, set(claim.pieces)) == ("Ben", {"c1", "blue", "yellow"})
    assert claim.pieces[0] == "c1"


def test_cards_pushed_during_a_flight_are_no_layout_faults() -> None:
    m = laid()
    throw(m, "blue", "c1")
    m.table.move("c1", GRID[1][0] - WIDTH - 2, GRID[1][1])
    m.still()
    assert m.rulings("carpets.layout.gap") == []


class TestThrowOrder:
    def test_the_right_order_is_silent(self) -> None:
        m = laid()
        for colour, name in (("blue", "Ben"), ("green", "Clara"), ("red", "Anna")):
            assert [p.name for p in m.referee.view().players if p.active] in ([name], ["Anna"])
            throw(m, colour, (FAR[0] - 10, -150 + 120 * len(m.table.things) % 300))
        assert m.rulings("carpets.illegal") == []

    def test_throwing_too_early_is_ruled_when_the_one_passed_over_throws(self) -> None:
        m = laid()
        throw(m, "green", "c1")
        assert m.rulings("carpets.illegal") == []  # blue may have flown off the table unseen
        assert any(mark.message.params.get("player") == "Ben" for mark in m.referee.view().marks)
        throw(m, "blue", "c2")
        (ruling,) = m.rulings("carpets.illegal.throw_order")
        assert (ruling.player, ruling.pieces) == ("Clara", ("green",))
        throw(m, "red", "c3")
        assert len(m.rulings("carpets.illegal")) == 1
        assert claims(m) == [("Clara", "c1"), ("Ben", "c2"), ("Anna", "c3")]

    def test_two_that_land_between_stills_are_not_accused(self) -> None:
        m = laid()
        m.table.put("carpet.green", *GRID[0], id="green")
        throw(m, "blue", "c2")
        throw(m, "red", "c3")
        assert m.rulings("carpets.illegal") == []

    def test_two_players_alternate(self) -> None:
        m = laid(2)
        for colour in ("yellow", "red", "blue", "green"):
            throw(m, colour, "c1")
        assert m.rulings("carpets.illegal") == []
        wrong = laid(2)
        for colour in ("yellow", "blue", "red", "green"):
            throw(wrong, colour, "c1")
        assert [r.player for r in wrong.rulings("carpets.illegal.throw_order")] == ["Ben"]
        both = laid(2, house_rules={"two_player_throw_order": "both_at_once"})
        for colour in ("yellow", "blue", "red", "green"):
            throw(both, colour, "c1")
        assert both.rulings("carpets.illegal") == []


class TestOffTheTable:
    def test_a_carpet_never_seen_is_off_the_table_once_others_are_taken_up(self) -> None:
        m = laid()
        throw(m, "blue", "c1")
        throw(m, "red", "c2")
        m.table.take("blue")
        m.still()
        assert claims(m) == []  # one still that misses one carpet may err
        m.still()
        assert claims(m) == [("Ben", "c1"), ("Anna", "c2")]
        (ruling,) = m.rulings("carpets.no_claim")
        assert (ruling.player, ruling.reason, ruling.inferred) == ("Clara", "off_table", True)

    def test_a_still_may_miss_several_carpets_too(self) -> None:
        m = laid()
        throw(m, "blue", "c1")
        throw(m, "red", "c2")
        m.still(hide=["blue", "red"])
        m.still()
        assert claims(m) == []
        m.table.take("blue", "red")
        m.still()
        m.still()
        assert claims(m) == [("Ben", "c1"), ("Anna", "c2")]

    def test_a_still_that_misses_a_carpet_ends_no_flight(self) -> None:
        m = laid()
        throw(m, "blue", "c1")
        m.still(hide=["blue"])
        m.still()
        throw(m, "green", "c2")
        throw(m, "red", "c3")
        assert claims(m) == [("Ben", "c1"), ("Clara", "c2"), ("Anna", "c3")]

    def test_pushed_off_by_the_last_one_is_asked(self) -> None:
        m = laid()
        m.answers["carpets.off_table"] = "yes"
        throw(m, "blue", "c1")
        throw(m, "green", "c2")
        m.table.take("blue")
        throw(m, "red", "c3")
        assert claims(m) == []
        m.still()
        (question,) = m.questions("carpets.off_table")
        assert (question.pieces, question.default) == (("blue",), "no")
        assert claims(m) == [("Clara", "c2"), ("Anna", "c3")]
        assert empty(m) == {"blue": "off_table"}

    def test_players_say_that_all_have_flown(self) -> None:
        m = laid()
        throw(m, "blue", "c1")
        assert [o.value for o in m.referee.view().offers] == ["evaluate"]
        m.correct("phase", "evaluate")
        assert claims(m) == [("Ben", "c1")]
        assert set(empty(m).values()) == {"off_table"}


class TestCarpetsThatLieAbout:
    def test_a_carpet_before_its_owner_is_no_throw(self) -> None:
        m = Match(CarpetsReferee(session()), Tabletop())
        for i, colour in enumerate(("red", "green")):
            m.table.put(f"carpet.{colour}", 300, -100 + 200 * i, id=f"rest_{colour}")
        lay_out(m.table)
        m.still()
        throw(m, "blue", "c1")
        m.still()
        assert claims(m) == []
        assert m.rulings("carpets.illegal") == []
        m.table.take("rest_green", "rest_red")
        throw(m, "green", "c2")
        throw(m, "red", "c3")
        assert claims(m) == [("Ben", "c1"), ("Clara", "c2"), ("Anna", "c3")]

    def test_one_thrown_before_a_still_showed_the_twelfth_card_counts(self) -> None:
        m = Match(CarpetsReferee(session()), Tabletop())
        lay_out(m.table)
        throw(m, "blue", "c1")
        throw(m, "green", "c2")
        throw(m, "red", "c3")
        assert claims(m) == [("Ben", "c1"), ("Clara", "c2"), ("Anna", "c3")]

    def test_a_carpet_of_a_colour_nobody_plays_is_ignored(self) -> None:
        m = laid()
        throw(m, "yellow", "c1")
        for colour, card in (("blue", "c2"), ("green", "c3"), ("red", "c4")):
            throw(m, colour, card)
        assert claims(m) == [("Ben", "c2"), ("Clara", "c3"), ("Anna", "c4")]


class TestInDoubt:
    """Overlap within 2 sigma of none, a gap within 2 sigma of touching, stacking that is not sure."""

    def edge(self, inside: float, **more: object) -> tuple[float, float]:
        """A place for an upright carpet that reaches `inside` mm over the left edge of c1."""
        return GRID[0][0] - WIDTH + inside, GRID[0][1]

    def fly(self, inside: float, answer: str = "", **more: object) -> Match:
        m = laid()
        if answer:
            m.answers["carpets.on"] = answer
        x, y = self.edge(inside)
        m.table.put("carpet.blue", x, y, id="blue", **more)
        m.still()
        throw(m, "green", FAR)
        throw(m, "red", (FAR[0], 100))
        return m

    @pytest.mark.parametrize(
        ("inside", "asked", "claimed"),
        [(3.0, False, True), (0.4, True, True), (-0.4, True, False), (-3.0, False, False)],
    )
    def test_depth_against_its_sigma(self, inside: float, asked: bool, claimed: bool) -> None:
        m = self.fly(inside, sigma=0.3)
        assert [(q.pieces, q.default) for q in m.questions("carpets.on")] == (
            [(("blue", "c1"), "yes" if claimed else "no")] if asked else []
        )
        assert (("Ben", "c1") in claims(m)) is claimed

    def test_nobody_is_ruled_on_while_it_is_open(self) -> None:
        m = self.fly(0.4, "-", sigma=0.3)
        assert m.rulings("carpets.claim") == m.rulings("carpets.no_claim") == []
        assert m.referee.view().phase.key == "carpets.phase.evaluation"
        (question,) = m.referee.view().questions
        m.still()
        assert m.referee.view().questions == (question,)
        m.answer(question.id, "no")
        assert empty(m) == {"blue": "missed", "green": "missed", "red": "missed"}

    def test_the_carpets_may_be_taken_up_before_the_answer(self) -> None:
        m = self.fly(0.4, "-", sigma=0.3)
        (question,) = m.referee.view().questions
        m.table.take("blue", "green")
        m.still()
        m.answer(question.id, "yes")
        assert claims(m) == [("Ben", "c1")]
        m.table.take("c1", "red")
        m.still()
        assert m.referee.view().phase.key == "carpets.phase.flight"

    def test_doubtful_stacking_is_asked(self) -> None:
        m = self.fly(20, "no", stacking=0.6)
        (question,) = m.questions("carpets.on")
        assert question.default == "yes"
        assert empty(m)["blue"] == "missed"

    def test_house_rule_min_overlap(self) -> None:
        places = {"blue": 2.0, "green": 0.4}
        m = laid(house_rules={"min_overlap_mm2": 100.0})
        for colour, inside in places.items():
            m.table.put(f"carpet.{colour}", GRID[0][0] - WIDTH + inside, GRID[0][1], id=colour, sigma=0.05)
            m.still()
            m.table.move("blue", GRID[4][0] - WIDTH + 2, GRID[4][1])
        throw(m, "red", FAR)
        assert claims(m) == [("Ben", "c5")]  # 2 mm x 91 mm; the green one covers 36 mm2
        assert empty(m)["green"] == "missed"
        near = laid(house_rules={"min_overlap_mm2": 180.0})
        near.table.put("carpet.blue", GRID[0][0] - WIDTH + 2, GRID[0][1], id="blue")
        near.still()
        throw(near, "green", FAR)
        throw(near, "red", (FAR[0], 100))
        assert [q.pieces for q in near.questions("carpets.on")] == [("blue", "c1")]


class TestCarpetOnCarpet:
    def pile(self, rule: str, stacking: float = 0.99) -> Match:
        m = laid(house_rules={"carpet_over_carpet": rule})
        throw(m, "blue", "c1")
        throw(m, "green", (GRID[0][0] + 10, GRID[0][1]))
        throw(m, "red", FAR)
        return m

    def test_both_count(self) -> None:
        m = self.pile("counts")
        (ruling,) = m.rulings("carpets.contested")
        assert (ruling.pieces[0], ruling.data["players"]) == ("c1", ["Ben", "Clara"])
        assert [mark.pieces for mark in m.referee.view().marks if mark.kind == "contested"] == [("c1",)]

    def test_only_the_top_or_the_bottom_one(self) -> None:
        top = self.pile("top_only")
        assert claims(top) == [("Clara", "c1")]
        assert empty(top)["blue"] == "covered"
        assert claims(self.pile("bottom_only")) == [("Ben", "c1")]


class TestCardsOutOfSight:
    def test_a_card_hidden_under_a_carpet_is_asked_about(self) -> None:
        m = laid()
        m.table.put("carpet.blue", *GRID[0], id="blue")
        for colour, at in (("green", FAR), ("red", (FAR[0], 100.0))):
            m.still(hide=["c1"])
            m.table.put(f"carpet.{colour}", *at, id=colour)
        m.still(hide=["c1"])
        (question,) = m.questions("carpets.on")
        assert (question.pieces, question.default) == (("blue", "c1"), "yes")
        assert claims(m) == [("Ben", "c1")]

    def test_a_card_knocked_off_is_marked_and_counts_when_it_is_laid_back(self) -> None:
        m = laid()
        throw(m, "blue", FAR)
        m.table.take("c4")
        throw(m, "green", (FAR[0], 100))
        assert [mark.pieces[0] for mark in m.referee.view().marks if mark.message.key == "carpets.mark.missing"] == [
            "c4"
        ]
        m.table.put("treasure", *GRID[3], id="new", z=4)
        throw(m, "red", (GRID[3][0], GRID[3][1] - 20))
        assert claims(m) == [("Anna", "new")]

    def test_a_card_turned_over_is_to_be_turned_face_up(self) -> None:
        m = laid()
        throw(m, "blue", FAR)
        m.table.change("c4", face="back")
        m.still()
        assert [m.message.key for m in m.referee.view().marks] == ["carpets.mark.turned"]
        m.table.change("c4", face="treasure")
        m.still()
        assert m.referee.view().marks == ()

    def test_1_4_6_the_evaluation_waits_for_a_card_that_lies_face_down(self) -> None:
        m = laid()
        m.table.change("c4", face="back")
        throw(m, "blue", "c4")
        throw(m, "green", FAR)
        throw(m, "red", (FAR[0], 100))
        assert claims(m) == []
        m.table.change("c4", face="treasure")
        m.still()
        assert claims(m) == [("Ben", "c4")]

    def test_pushed_cards_go_back_first_with_the_house_rule_put_back(self) -> None:
        m = laid(house_rules={"pushed_cards": "put_back"})
        throw(m, "blue", "c1")
        throw(m, "green", FAR)
        m.table.move("c8", GRID[7][0] + 30, GRID[7][1])
        throw(m, "red", (FAR[0], 100))
        assert claims(m) == []
        assert [mark.kind for mark in m.referee.view().marks] == ["take_back"]
        assert m.referee.view().phase.key == "carpets.phase.put_back"
        m.table.move("c8", *GRID[7])
        m.still()
        assert claims(m) == [("Ben", "c1")]


class TestClearing:
    def evaluated(self) -> Match:
        m = laid()
        throw(m, "blue", "c1")
        throw(m, "green", "c2")
        throw(m, "red", FAR)
        return m

    def marked(self, m: Match, kind: str) -> list[str]:
        return [piece for mark in m.referee.view().marks if mark.kind == kind for piece in mark.pieces]

    def test_claimed_cards_are_pointed_at_until_they_are_taken(self) -> None:
        m = self.evaluated()
        assert self.marked(m, "claimed") == ["c1", "c2"]
        m.table.take("blue", "c1")
        m.still()
        assert self.marked(m, "claimed") == ["c2"]
        m.table.take("green", "red", "c2")
        m.still()
        assert [r.message.params["n"] for r in m.rulings("carpets.next_flight")] == [10]
        assert m.referee.view().phase.key == "carpets.phase.flight"

    def test_a_wrong_card_taken_is_a_ruling_cleared_when_it_is_back(self) -> None:
        m = self.evaluated()
        m.table.take("blue", "c5")
        m.still()
        assert m.rulings("carpets.illegal") == []  # one still may err
        assert self.marked(m, "take_back") == ["c5"]
        m.still()
        m.still()
        assert [r.pieces for r in m.rulings("carpets.illegal.wrong_card")] == [("c5",)]
        m.table.put("adventure.1", *GRID[4], id="again")
        m.still()
        assert [r.pieces for r in m.rulings("carpets.collect.cleared")] == [("again",)]

    def test_a_still_that_misses_a_card_accuses_nobody(self) -> None:
        m = self.evaluated()
        m.still(hide=["c5"])
        m.still()
        m.still(hide=["c6"])
        m.still()
        assert m.rulings("carpets.illegal") == []

    def test_a_card_won_may_lie_in_view_at_its_owners_side(self) -> None:
        m = self.evaluated()
        m.table.take("blue", "green", "red", "c2")
        m.table.move("c1", -350, 100)
        m.still()
        assert len(m.rulings("carpets.next_flight")) == 1
        m.table.put("palace", -350, 100, id="pile")
        m.still()
        throw(m, "blue", (-320, 100))
        throw(m, "green", (FAR[0], 100))
        throw(m, "red", "c5")
        assert claims(m)[2:] == [("Anna", "c5")]

    def test_carpets_laid_before_their_owners_are_no_new_throws(self) -> None:
        m = self.evaluated()
        for i, colour in enumerate(("blue", "green", "red")):
            m.table.move(colour, -365, 180 - 120 * i)
        m.table.take("c1", "c2")
        m.still()
        m.still()
        assert m.referee.view().phase.params["player"] == "Ben"
        m.table.move("blue", *GRID[4])
        m.still()
        assert m.referee.view().phase.params["player"] == "Clara"
        assert m.rulings("carpets.illegal") == []

    def test_a_carpet_missed_by_a_still_begins_no_flight(self) -> None:
        m = self.evaluated()
        m.table.take("c1", "c2", "blue", "red")
        m.still(hide=["green"])
        m.still()
        m.table.take("green")
        m.still()
        assert m.referee.view().phase.params["player"] == "Ben"
        assert m.rulings("carpets.illegal") == []

    def test_the_next_throw_goes_on_although_a_claimed_card_was_left(self) -> None:
        m = self.evaluated()
        m.table.take("blue", "green", "red", "c1")
        m.still()
        assert m.rulings("carpets.next_flight") == []
        throw(m, "blue", "c6")
        throw(m, "green", "c7")
        throw(m, "red", "c8")
        assert claims(m)[2:] == [("Ben", "c6"), ("Clara", "c7"), ("Anna", "c8")]
        assert m.referee.view().players[2].won == ("desert", "bazaar.spice")


def test_a_camera_that_is_bumped_moves_nothing() -> None:
    m = laid()
    throw(m, "blue", "c1")
    throw(m, "green", FAR)
    seen = m.table.scene()
    shifted = tuple(
        type(p)(
            **{f: getattr(p, f) for f in p.__struct_fields__ if f != "outline_mm"},
            outline_mm=tuple((x + 40.0, y - 25.0) for x, y in p.outline_mm),
        )
        for p in seen.pieces
    )
    camera = type(seen.camera)(solved=True, rms_px=0.2, epoch=1)
    fields = {f: getattr(seen, f) for f in seen.__struct_fields__ if f not in ("pieces", "camera")}
    said = m.referee.see(type(seen)(**fields, pieces=shifted, camera=camera))
    assert [o for o in said if isinstance(o, Ruling)] == []
    assert m.referee.view().phase.params["player"] == "Anna"


def test_heights_of_cards_do_not_matter_to_reach() -> None:
    m = laid()
    assert m.referee.reach_mm == WIDTH  # type: ignore[attr-defined]
    assert WIDTH < HEIGHT
