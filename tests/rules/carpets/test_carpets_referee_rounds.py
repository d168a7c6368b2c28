"""The referee over rounds and corrections: lamps, palaces, the end, what players may say (rules 1.6, 1.7)."""

from __future__ import annotations

import msgspec
import pytest

from rules import make_referee
from rules.carpets.referee import CarpetsReferee
from rules.protocol import Answer, Question, Ruling, View
from tests.rules.tables import DEAL, GRID, Match, Tabletop, lay_out, session

FAR = (300.0, -140.0)
ORDER = ("blue", "green", "red")


def begin(deal: tuple[str, ...] = DEAL, **more: object) -> Match:
    m = Match(CarpetsReferee(session(**more)), Tabletop())  # type: ignore[arg-type]
    lay_out(m.table, deal)
    m.still()
    return m


def fly(m: Match, order: tuple[str, ...] = ORDER, **on: str) -> None:
    """One flight: each carpet lands on the card named, or far off; then all is cleared."""
    for i, colour in enumerate(order):
        card = m.table.things[on[colour]] if colour in on else None
        at = (card.x, card.y) if card else (FAR[0], FAR[1] + 120 * i)
        m.table.put(f"carpet.{colour}", *at, id=colour)
        m.still()
    m.table.take(*order, *on.values())
    m.still()


def test_a_round_ends_by_the_rules_and_the_next_player_lays_out() -> None:
    m = begin(("palace",) * 8 + ("desert",) * 4)
    fly(m, blue="c1", green="c2", red="c3")
    fly(m, blue="c4", green="c5", red="c6")
    fly(m, blue="c7", green="c8")
    assert [r.message.params["player"] for r in m.rulings("carpets.round_end")] == ["Ben"]
    assert [(r.player, r.data["points"]) for r in m.rulings("carpets.palaces")] == [
        ("Anna", -5),
        ("Ben", 5),
        ("Clara", 5),
    ]
    view = m.referee.view()
    assert (view.round, view.phase.key) == (1, "carpets.phase.layout")
    assert [p.name for p in view.players if p.active] == ["Ben"]
    m.table.take_kind("desert")
    m.still()
    lay_out(m.table, DEAL, prefix="r")
    m.still()
    fly(m, order=("green", "red", "blue"), green="r1")
    assert m.rulings("carpets.illegal") == []
    assert m.referee.view().round == 2


def test_leftovers_that_still_lie_there_are_no_part_of_the_next_layout() -> None:
    m = begin(("palace",) * 8 + ("desert",) * 4)
    fly(m, blue="c1", green="c2", red="c3")
    fly(m, blue="c4", green="c5", red="c6")
    fly(m, blue="c7", green="c8")
    for i in range(9, 13):
        m.table.move(f"c{i}", -360, -100 + 40 * (i - 9))  # swept aside into a heap
    m.still()
    lay_out(m.table, DEAL, prefix="r")
    m.still()
    assert m.referee.view().phase.params["n"] == 12
    assert m.rulings("carpets.layout") == [r for r in m.rulings("carpets.layout") if r.rule.endswith("ready")]


class TestLamps:
    DEAL = ("lamp", "palace", "palace", "lamp", *("desert",) * 4, *("treasure",) * 3, "palace")

    def ended(self, **answers: str) -> Match:
        m = begin(self.DEAL)
        m.answers = {"carpets.lamps": answers.get("lamps", "0")}
        fly(m, blue="c1", green="c2", red="c3")
        m.correct("phase", "end_round")
        return m

    def test_lamps_on_palaces_are_asked_none_by_default(self) -> None:
        m = self.ended()
        (question,) = m.questions("carpets.lamps")
        assert (question.player, question.options, question.default) == ("Ben", ("0", "1"), "0")
        assert [(r.player, r.data["points"]) for r in m.rulings("carpets.palaces")] == [
            ("Anna", 5), ("Ben", -5), ("Clara", 5),
        ]  # fmt: skip
        assert m.referee.view().players[1].won == ("lamp",)

    def test_a_lamp_spent_counts_as_a_palace_and_is_gone(self) -> None:
        m = self.ended(lamps="1")
        assert [r.data["points"] for r in m.rulings("carpets.palaces")] == [0, 0, 0]
        assert m.referee.view().players[1].won == ()

    def test_lamps_that_can_change_nothing_are_not_asked_about(self) -> None:
        m = begin(self.DEAL)
        fly(m, blue="c1")
        m.table.take("c2", "c3")
        for card in ("c2", "c3"):
            m.correct(f"owner:{card}", "Anna")
        m.table.put("palace", 0, 0)
        m.correct("owner:c12", "Clara")
        m.correct("phase", "end_round")  # Anna 2, Clara 1, Ben 0 and one lamp: 1 palace would still be among the fewest
        assert m.questions("carpets.lamps") == []
        assert [r.data["points"] for r in m.rulings("carpets.palaces")] == [5, -5, 0]

    def test_unanswered_when_the_next_round_flies_means_kept(self) -> None:
        m = self.ended(lamps="-")
        assert m.rulings("carpets.palaces") == []
        m.table.take(*[name for name in m.table.things if name.startswith("c")])
        m.still()
        lay_out(m.table, ("palace",) * 9 + ("bazaar.spice",) * 3, prefix="r")
        m.still()
        assert len(m.referee.view().questions) == 1
        m.table.put("carpet.green", *GRID[0], id="green")
        m.still()
        assert [(r.player, r.inferred) for r in m.rulings("carpets.palaces")] == [
            ("Anna", True), ("Ben", True), ("Clara", True),
        ]  # fmt: skip
        assert m.referee.view().questions == ()

    def test_it_may_be_corrected_afterwards(self) -> None:
        m = self.ended()
        before = m.referee.scores()
        m.correct("lamps:Ben", "1")
        assert m.referee.scores() != before
        assert m.referee.view().players[1].won == ()
        m.correct("lamps:Anna", "1")
        assert [r.message.key for r in m.rulings("carpets.refused")] == ["carpets.refused.lamps"]


def play_to_the_end() -> Match:
    m = begin()
    for number in range(3):
        if number:
            lay_out(
                m.table, ("bazaar.camel", "bazaar.spice", "adventure.4", "treasure", *("palace",) * 4), f"r{number}"
            )
            for i, face in enumerate(("bazaar.spice", "bazaar.carpet", "adventure.5", "desert"), 9):
                m.table.put(face, *GRID[i - 1], id=f"r{number}{i}")
            m.still()
        order = tuple((*ORDER, *ORDER)[number : number + 3])
        fly(m, order=order, blue="c1" if not number else f"r{number}1")
        m.correct("phase", "end_round")
        m.table.take(*[n for n in m.table.things if n[0] in "cr"])
        m.still()
    return m


def test_the_game_ends_after_the_last_round() -> None:
    m = play_to_the_end()
    (final,) = m.rulings("carpets.final")
    # Ben: a palace in round 1 (+5, the others -5), and two camel bazaars; the later rounds are even.
    assert final.data["scores"] == {"Anna": -5, "Ben": 12, "Clara": -5}
    assert (final.player, final.data["winners"]) == ("Ben", ["Ben"])
    view = m.referee.view()
    assert (view.over, view.winners) == (True, ("Ben",))
    assert [(line.points, line.faces) for line in view.players[1].lines] == [
        (5, ()), (7, ("bazaar.camel", "bazaar.camel")),
    ]  # fmt: skip
    assert m.referee.scores() == final.data["scores"]
    assert m.still() == []


class TestCorrections:
    def test_a_face_is_corrected_after_the_card_was_won(self) -> None:
        m = begin()
        fly(m, blue="c4")
        assert m.referee.scores()["Ben"] == 3
        m.correct("face:c4", "desert")
        assert m.referee.scores()["Ben"] == -5
        (ruling,) = m.rulings("carpets.corrected")
        assert ruling.message.params["changes"] == "Ben 3 → -5"

    def test_faces_that_cannot_be_are_refused_and_change_nothing(self) -> None:
        m = begin(("treasure",) * 3 + DEAL[4:] + ("palace",))
        fly(m, blue="c5")
        before = m.referee.game.to_json()  # type: ignore[attr-defined]
        for face, why in (
            ("treasure", "carpets.refused.rule"),
            ("coaster", "carpets.refused.face"),
            ("djinn.3", "carpets.refused.destination"),
        ):
            m.correct("face:c5", face)
            assert m.rulings("carpets.refused")[-1].message.key == why
        assert m.referee.game.to_json() == before  # type: ignore[attr-defined]

    def test_a_card_of_which_there_are_too_many_was_misread(self) -> None:
        m = begin(("treasure",) * 4 + DEAL[4:])
        m.answers["carpets.face"] = "lamp"
        m.correct("phase", "ready")
        (question,) = m.questions("carpets.face")
        assert (question.pieces, "treasure" in question.options) == (("c4",), False)
        kinds = [card.kind for card in m.referee.game.state.table]  # type: ignore[attr-defined]
        assert kinds == ["treasure"] * 3 + ["lamp", *DEAL[4:]]

    def test_a_piece_in_the_layout_is_declared_no_part_of_the_game(self) -> None:
        m = begin(DEAL[:5])
        m.correct("face:c5", "not_in_play")
        m.still()
        assert m.referee.view().phase.params["n"] == 4

    def test_the_owner_of_a_card(self) -> None:
        m = begin()
        fly(m, blue="c4")
        m.correct("owner:c4", "Clara")
        assert m.referee.scores() == {"Anna": 0, "Ben": 0, "Clara": 3}
        m.table.put("treasure", *GRID[3], id="c4")
        m.correct("owner:c4", "table")
        m.still()
        assert m.referee.scores()["Clara"] == 0
        fly(m, red="c4")
        assert m.referee.scores() == {"Anna": 3, "Ben": 0, "Clara": 0}
        m.correct("owner:c99", "Anna")
        m.correct("owner:c4", "Zoe")
        assert [r.message.key for r in m.rulings("carpets.refused")] == [
            "carpets.refused.card", "carpets.refused.player",
        ]  # fmt: skip

    def test_points_agreed_by_the_table(self) -> None:
        m = begin()
        m.correct("score:Anna", "+3")
        m.correct("score:Anna", "-1")
        assert m.referee.scores()["Anna"] == 2
        assert [line.message.key for line in m.referee.view().players[0].lines] == ["carpets.line.agreed"]
        m.correct("score:Anna", "much")
        assert m.rulings("carpets.refused")[0].message.key == "carpets.refused.number"

    def test_phases_are_refused_where_they_do_not_fit(self) -> None:
        m = Match(CarpetsReferee(session()), Tabletop())
        for phase in ("ready", "evaluate", "next_flight", "end_round", "lunch"):
            m.correct("phase", phase)
        m.correct("weather", "fine")
        keys = [r.message.key for r in m.rulings("carpets.refused")]
        assert keys == ["carpets.refused.phase"] * 5 + ["carpets.refused.what"]

    def test_every_offer_of_the_screen_is_accepted(self) -> None:
        m = begin()
        for expected in ("ready", "evaluate"):
            offers = {o.value: o for o in m.referee.view().offers}
            m.correct(offers[expected].choice, expected)
        assert m.rulings("carpets.refused") == []
        assert [o.value for o in m.referee.view().offers] == ["next_flight", "end_round"]

    def test_the_round_may_be_called_off_by_sweeping_the_table(self) -> None:
        m = begin()
        fly(m, blue="c4")
        m.table.take(*[name for name in m.table.things if name.startswith("c")])
        m.still()
        assert m.questions() == []
        m.still()
        (question,) = m.questions("carpets.round.swept")
        assert question.default == "yes"
        assert m.referee.view().phase.key == "carpets.phase.layout"


class TestTheFold:
    def inputs(self) -> list[object]:
        """A game as a list of inputs, answers by default included."""
        m = begin()
        seen: list[object] = []
        see, answer = m.referee.see, m.referee.answer
        m.referee.see = lambda scene: (seen.append(scene), see(scene))[1]  # type: ignore[method-assign]
        m.referee.answer = lambda given: (seen.append(given), answer(given))[1]  # type: ignore[method-assign]
        m.table.put("carpet.blue", GRID[0][0] - 58.8, GRID[0][1], id="blue", sigma=0.3)
        m.still()
        for i, colour in enumerate(("green", "red")):
            m.table.put(f"carpet.{colour}", *GRID[5 + i], id=colour)
            m.still()
        m.table.take("blue", "green", "red", "c6", "c7")
        m.still()
        return seen

    def test_the_same_inputs_give_the_same_outputs(self) -> None:
        inputs = self.inputs()
        told = []
        for _ in range(2):
            referee = CarpetsReferee(session())
            out = [
                o
                for given in inputs
                for o in (referee.answer(given) if isinstance(given, Answer) else referee.see(given))  # type: ignore[arg-type]
            ]
            told.append(msgspec.json.encode([out, referee.view(), referee.scores()]))
        assert told[0] == told[1]
        assert any(isinstance(given, Answer) for given in inputs)

    def test_the_view_is_plain_data(self) -> None:
        m = play_to_the_end()
        view = m.referee.view()
        assert msgspec.json.decode(msgspec.json.encode(view), type=View) == view
        assert all(isinstance(o, Ruling | Question) for o in m.outputs)

    def test_question_ids_are_unique(self) -> None:
        m = TestLamps().ended()
        ids = [q.id for q in m.questions()]
        assert len(ids) == len(set(ids)) > 0

    def test_an_answer_to_no_open_question_is_nothing(self) -> None:
        assert CarpetsReferee(session()).answer(Answer(t=0, question="gap.7", choice="legal")) == ()


class TestSessions:
    @pytest.mark.parametrize(
        ("more", "words"),
        [
            ({"house_rules": {"duel_ordr": 1}}, "duel_order"),
            ({"house_rules": {"adventure_ladder": [1, 2]}}, "`adventure_ladder`: needs 5 numbers, got 2"),
            ({"house_rules": {"duel_order": "loudest"}}, "duel_order"),
            ({"house_rules": {"first_player": 4}}, "first_player"),
            ({"dealer": 7}, "dealer = 7"),
        ],
    )
    def test_what_cannot_be_played_is_said_in_one_line(self, more: dict[str, object], words: str) -> None:
        with pytest.raises(ValueError, match=words) as error:
            make_referee(session(**more))  # type: ignore[arg-type]
        assert "\n" not in str(error.value)

    def test_house_rules_are_announced_with_the_first_still(self) -> None:
        m = begin(house_rules={"leftovers": "under_deck"})
        (ruling,) = m.rulings("carpets.session")
        assert ruling.message.params["rules"] == "leftovers = under_deck"
        assert ruling.data["house_rules"]["leftovers"] == "under_deck"

    def test_roles_of_faces(self) -> None:
        referee = make_referee(session())
        faces = ("palace", "carpet.red", "djinn.1", "back", "unknown", "tile.A")
        assert [referee.role(face) for face in faces] == [
            "destination", "carpet", "djinn", "back", "unknown", "unknown",
        ]  # fmt: skip

    def test_the_first_layouter_is_the_dealer_unless_agreed(self) -> None:
        assert begin(dealer=2).referee.view().phase.params["first"] == "Clara"
        assert begin(dealer=2, house_rules={"first_player": 3}).referee.view().phase.params["first"] == "Anna"
