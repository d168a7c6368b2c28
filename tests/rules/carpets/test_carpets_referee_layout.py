"""The referee over a table that is being laid out (rules 1.3)."""

from __future__ import annotations

import pytest

from rules.carpets.referee import CarpetsReferee
from rules.protocol import Question
from tests.rules.tables import DEAL, GRID, HEIGHT, WIDTH, Match, Tabletop, lay_out, session

X, Y = GRID[0]


def match(**more: object) -> Match:
    return Match(CarpetsReferee(session(**more)), Tabletop())  # type: ignore[arg-type]


def violations(m: Match) -> list[tuple[str, ...]]:
    return [mark.pieces for mark in m.referee.view().marks if mark.kind == "violation"]


def lay(m: Match, cards: int = 12) -> None:
    """The first cards of a legal layout, one still each."""
    for i, (face, (x, y)) in enumerate(list(zip(DEAL, GRID, strict=True))[:cards], 1):
        m.table.put(face, x, y, id=f"c{i}")
        m.still()


def test_a_legal_layout_is_neither_ruled_on_nor_asked_about() -> None:
    m = match()
    lay(m)
    assert m.rulings("carpets.layout") == []
    assert m.questions() == []
    assert m.referee.view().phase.key == "carpets.phase.ready"


def test_two_cards_too_close_are_ruled_once_marked_and_cleared_when_moved() -> None:
    m = match()
    lay(m, 2)
    near = m.table.put("palace", X, Y + HEIGHT + 6.0)
    m.still()
    m.still()
    (ruling,) = m.rulings("carpets.layout.gap")
    assert set(ruling.pieces) == {"c1", near}
    assert ruling.measured == pytest.approx(6.0, abs=0.1)
    assert (ruling.limit, ruling.unit) == (10.0, "mm")
    assert violations(m) == [("c1", near)]
    m.table.move(near, X, Y + HEIGHT + 16.0)
    m.still()
    (cleared,) = m.rulings("carpets.layout.cleared")
    assert (set(cleared.pieces), cleared.reason) == ({"c1", near}, "gap")
    assert violations(m) == []
    m.table.move(near, X, Y + HEIGHT + 5.0)
    m.still()
    assert len(m.rulings("carpets.layout.gap")) == 2


def test_cards_that_overlap_are_too_close() -> None:
    m = match()
    lay(m, 2)
    m.table.put("palace", X + 30, Y + 30)
    m.still()
    assert m.rulings("carpets.layout.gap")[0].measured == 0.0


def test_a_card_too_far_from_all_others_is_ruled_and_cleared() -> None:
    m = match()
    lay(m, 4)
    far = m.table.put("palace", GRID[3][0] + WIDTH + 75.0, GRID[3][1])
    m.still()
    m.table.put("desert", *GRID[4], id="c5")
    m.still()
    (ruling,) = m.rulings("carpets.layout.reach")
    assert ruling.pieces == (far,)
    assert ruling.measured == pytest.approx(75.0, abs=0.1)
    assert ruling.limit == 59.0
    m.table.move(far, GRID[3][0] + WIDTH + 50.0, GRID[3][1])
    m.still()
    (cleared,) = m.rulings("carpets.layout.cleared")
    assert (cleared.pieces, cleared.reason) == ((far,), "reach")


def test_a_card_laid_near_the_far_one_does_not_mend_it() -> None:
    m = match()
    lay(m, 4)
    x = GRID[3][0] + WIDTH + 75.0
    far = m.table.put("palace", x, GRID[3][1])
    m.still()
    m.table.put("palace", x, GRID[3][1] + HEIGHT + 20)
    m.still()
    assert [r.pieces for r in m.rulings("carpets.layout.reach")] == [(far,)]
    assert m.rulings("carpets.layout.cleared") == []


def test_the_limit_is_the_width_of_the_deck_in_play() -> None:
    m = Match(CarpetsReferee(session(), card_mm=(63.0, 88.0)), Tabletop())
    lay(m, 1)
    m.table.put("palace", X + WIDTH + 61.0, Y)
    m.still()
    assert m.rulings("carpets.layout.reach") == []
    told = match(house_rules={"card_w_mm": 50.0})
    lay(told, 1)
    told.table.put("palace", X + WIDTH + 55.0, Y)
    told.still()
    assert told.rulings("carpets.layout.reach")[0].limit == 50.0


def test_lifting_a_card_does_not_put_its_neighbours_in_the_wrong() -> None:
    m = match()
    lay(m, 4)
    m.table.take("c3")  # c4 is linked by c3 only
    m.still()
    m.still()
    assert m.rulings("carpets.layout") == []
    m.table.put("adventure.4", *GRID[4])
    m.still()
    assert m.rulings("carpets.layout") == []


def test_a_card_moved_by_hand_may_come_back_under_another_id() -> None:
    m = match()
    lay(m, 11)
    m.table.take("c11")
    m.still()
    m.table.put(DEAL[10], *GRID[10], id="new")
    m.still()
    m.table.put(DEAL[11], *GRID[11], id="c12")
    m.still()
    assert m.referee.view().phase.params["n"] == 12
    assert m.rulings("carpets.layout") == []


def test_a_card_taken_away_and_another_laid_instead_keep_faces_and_places_together() -> None:
    m = match()
    lay(m)
    m.table.take("c5")
    m.still()
    m.table.put("treasure", *GRID[4], id="other")
    m.still()
    m.correct("phase", "ready")
    game, table = m.referee.game, m.referee.table  # type: ignore[attr-defined]
    assert [card.kind for card in game.state.table] == [*DEAL[:4], "treasure", *DEAL[5:]]
    assert [(slot.index, slot.face) for slot in table.slots] == [(c.slot, c.kind) for c in game.state.table]


def test_twelve_at_once_are_judged_as_one_layout() -> None:
    m = match()
    lay_out(m.table)
    m.table.move("c12", GRID[11][0] + 150, GRID[11][1])
    m.still()
    assert [r.pieces for r in m.rulings("carpets.layout.reach")] == [("c12",)]


def test_nothing_metric_is_ruled_until_the_camera_is_solved() -> None:
    m = match()
    m.table.solved = False
    lay(m, 2)
    near = m.table.put("palace", X, Y + HEIGHT + 6.0)
    m.still()
    assert m.rulings("carpets.layout") == []
    m.table.solved = True
    m.still()
    assert set(m.rulings("carpets.layout.gap")[0].pieces) == {"c1", near}


class TestInDoubt:
    """A measure within 2 sigma of its limit is asked, not ruled."""

    def doubtful(self, gap: float = 9.8, **answers: str) -> tuple[Match, str]:
        m = match()
        m.answers = {rule.replace("_", "."): choice for rule, choice in answers.items()}
        lay(m, 2)
        near = m.table.put("palace", X, Y + HEIGHT + gap, sigma=0.3)
        m.still()
        return m, near

    def test_it_is_asked_with_the_measure_and_the_likelier_side_as_default(self) -> None:
        for gap, default in ((9.8, "illegal"), (10.2, "legal")):
            m, near = self.doubtful(gap)
            (question,) = m.questions()
            assert set(question.pieces) == {"c1", near}
            assert question.rule == "carpets.layout.gap"
            assert question.options == ("legal", "illegal")
            assert question.default == default
            assert question.measured == pytest.approx(gap, abs=0.01)
            assert question.limit == 10.0

    def test_the_default_answer_rules(self) -> None:
        m, _ = self.doubtful(9.8)
        assert len(m.rulings("carpets.layout.gap")) == 1
        assert self.doubtful(10.2)[0].rulings("carpets.layout.gap") == []

    def test_it_is_not_asked_again_while_the_measure_stays(self) -> None:
        m, near = self.doubtful(9.8)
        for shift in (0.1, -0.1, 0.2):
            m.table.move(near, X, Y + HEIGHT + 9.8 + shift)
            m.still()
        assert len(m.questions()) == 1
        assert len(m.rulings("carpets.layout.gap")) == 1

    def test_players_may_decide_against_the_likelier_side(self) -> None:
        m, _ = self.doubtful(9.8, carpets_layout_gap="legal")
        m.still()
        assert m.rulings("carpets.layout") == []
        assert violations(m) == []

    def test_an_open_question_is_withdrawn_when_the_card_moves_away(self) -> None:
        m, near = self.doubtful(9.8, carpets_layout_gap="-")
        (question,) = m.referee.view().questions
        m.table.move(near, X, Y + HEIGHT + 20)
        m.still()
        assert m.referee.view().questions == ()
        assert m.answer(question.id, "illegal") == []
        assert m.rulings("carpets.layout") == []

    def test_it_is_asked_anew_after_the_card_was_moved(self) -> None:
        m, near = self.doubtful(9.8)
        m.table.move(near, X, Y + HEIGHT + 15)
        m.still()
        m.table.move(near, X, Y + HEIGHT + 10.3)
        m.still()
        first, second = m.questions()
        assert first.id != second.id
        assert second.default == "legal"

    def test_reach_is_asked_likewise(self) -> None:
        m = match()
        lay(m, 4)
        far = m.table.put("palace", GRID[3][0] + WIDTH + 59.4, GRID[3][1], sigma=0.3)
        m.still()
        (question,) = m.questions()
        assert (question.rule, question.pieces, question.default) == ("carpets.layout.reach", (far,), "illegal")
        assert [r.pieces for r in m.rulings("carpets.layout.reach")] == [(far,)]

    def test_a_wrong_answer_word_is_refused(self) -> None:
        m, _ = self.doubtful(9.8, carpets_layout_gap="-")
        (question,) = m.referee.view().questions
        m.answer(question.id, "maybe")
        assert [r.message.params["value"] for r in m.rulings("carpets.refused")] == ["maybe"]
        assert m.referee.view().questions == (question,)


class TestWhatDoesNotBelong:
    """Decks, piles, djinns, foreign things beside the layout."""

    def test_the_deck_face_down_is_no_card_of_the_layout(self) -> None:
        m = match()
        m.table.put("back", X - 65, Y)
        lay(m)
        assert m.rulings("carpets.layout") == []
        assert m.referee.view().phase.params["n"] == 12

    def test_djinns_and_carpets_at_the_sides_are_none(self) -> None:
        m = match()
        m.table.put("djinn.3", -350, 0)
        for i, face in enumerate(("carpet.red", "carpet.blue", "carpet.green")):
            m.table.put(face, -300 + 200 * i, 200, 90)
        lay(m)
        assert m.rulings("carpets.layout") == []
        assert m.referee.view().phase.key == "carpets.phase.ready"

    def test_a_thirteenth_card_is_not_taken_in(self) -> None:
        m = match()
        lay(m)
        m.table.put("treasure", GRID[3][0] + 110, GRID[3][1])
        m.still()
        assert m.referee.view().phase.params["n"] == 12

    def test_an_unread_card_in_the_layout_is_asked_about_not_ruled_on(self) -> None:
        m = match()
        lay(m, 2)
        odd = m.table.put("unknown", X, Y + HEIGHT + 6)
        m.still()
        assert m.questions() == []  # the next still may read it
        m.still()
        (question,) = m.questions("carpets.face")
        assert question.pieces == (odd,)
        assert question.default == "not_in_play"
        assert "palace" in question.options
        assert m.rulings("carpets.layout") == []

    def test_a_face_read_without_confidence_is_asked_with_the_guess_as_default(self) -> None:
        m = match()
        lay(m, 2)
        odd = m.table.put("lamp", *GRID[2], confidence=0.5)
        m.still()
        m.still()
        (question,) = m.questions("carpets.face")
        assert question.default == "lamp"
        m.still()
        assert m.referee.view().phase.params["n"] == 3
        assert odd in {slot.piece for slot in m.referee.table.slots}  # type: ignore[attr-defined]

    def test_the_question_is_withdrawn_when_the_face_is_read_after_all(self) -> None:
        m = match()
        m.answers["carpets.face"] = "-"
        lay(m, 2)
        odd = m.table.put("unknown", *GRID[2])
        m.still()
        m.still()
        assert len(m.referee.view().questions) == 1
        m.table.change(odd, face="lamp")
        m.still()
        assert m.referee.view().questions == ()
        assert m.referee.view().phase.params["n"] == 3

    def test_an_unread_thing_far_from_the_layout_is_left_alone(self) -> None:
        m = match()
        lay(m, 2)
        m.table.put("unknown", 330, 160)
        for _ in range(4):
            m.still()
        assert m.questions() == []


def test_one_still_that_misreads_a_face_changes_nothing() -> None:
    m = match()
    lay(m)
    m.table.change("c5", face="desert")
    m.still()
    m.table.change("c5", face=DEAL[4])
    m.still()
    m.correct("phase", "ready")
    assert [card.kind for card in m.referee.game.state.table] == list(DEAL)  # type: ignore[attr-defined]


def test_fewer_than_twelve_are_asked_about_when_throwing_begins() -> None:
    m = match()
    lay(m, 11)
    m.table.put("carpet.blue", GRID[0][0] + 20, GRID[0][1], id="blue")
    assert not [o for o in m.still() if isinstance(o, Question)]
    (question,) = [o for o in m.still() if isinstance(o, Question)]
    assert (question.rule, question.measured, question.default) == ("carpets.layout.count", 11.0, "yes")
    m.table.put("carpet.green", 250, 150, id="green")
    m.table.put("carpet.red", 250, -150, id="red")
    m.still()
    assert [r.pieces for r in m.rulings("carpets.claim")] == [("c1", "blue")]


def test_an_answer_that_the_deck_has_no_more_card_for_is_refused_and_ends_nothing() -> None:
    m = match()
    deal = ("treasure", "treasure", "treasure", *DEAL[4:8], "lamp", "desert", "desert", "lamp", "palace")
    for number, (face, (x, y)) in enumerate(zip(deal, GRID, strict=True), 1):
        m.table.put(face, x, y, id=f"c{number}")
    m.still()
    m.correct("phase", "ready")
    before = m.referee.game.state  # type: ignore[attr-defined]
    (ruling,) = m.referee._answered(9.0, ("face", "c8"), "treasure")  # type: ignore[attr-defined]
    assert ruling.rule == "carpets.refused"
    assert m.referee.game.state == before  # type: ignore[attr-defined]
    assert m.referee._answered(9.0, ("face", "c8"), "desert") == []  # type: ignore[attr-defined]
