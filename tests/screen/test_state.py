"""What a page is told of a game."""

from __future__ import annotations

import msgspec
import pytest

from device.screen.pictures import DeckPictures
from device.screen.shown import Shown
from device.screen.state import LANGUAGES, Teller
from device.table import Table
from rules.protocol import Mark
from tests.screen import scripted
from tests.screen.scripted import DOUBT, make_table, play, said

LARGEST = 30_000
"""Bytes of a whole state: a Pi sends it to every page that connects, over any Wi-Fi."""


def tell(table: Table, language: str = "en") -> Shown:
    pictures = DeckPictures(table.deck)
    return Teller(scripted.Words(), language, table.deck, pictures, "build").tell(table.state())


def test_before_the_first_card() -> None:
    shown = tell(make_table())
    assert shown.game.phase == "Anna lays out: 5 of 12 cards."
    assert [p.name for p in shown.players] == ["Anna", "Ben", "Clara"]
    assert shown.table.pieces == () and shown.log.rows == () and shown.undo.entry == 0


@pytest.mark.parametrize(
    ("language", "phase", "name"),
    [("en", "Ben throws.", "Palace"), ("fr", "Ben lance.", "Palais"), ("de", "Ben wirft.", "Palast")],
)
def test_words_are_those_of_the_language(language: str, phase: str, name: str) -> None:
    shown = tell(play(make_table(), 12), language)
    assert shown.game.phase == phase
    assert name in {p.name for p in shown.table.pieces}


def test_a_violation_is_marked_where_it_is_measured() -> None:
    shown = tell(play(make_table(), 5))
    (mark,), (measure,) = shown.table.marks, shown.table.measures
    assert mark.pieces == ("p4", "p5")
    assert (measure.mm, measure.limit) == (6.1, 10.0)
    (x0, y0), (x1, y1) = measure.start, measure.end
    assert ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5 < 10, "drawn where the two are near, not across the table"


def test_a_mark_of_one_piece_is_measured_to_its_nearest_neighbour() -> None:
    state = play(make_table(), 3).state()
    reach = Mark(kind="violation", pieces=("p3",), message=said("far", "loin", "weit"), measured=80.0, limit=59.0)
    view = msgspec.structs.replace(state.view, marks=(reach,))
    table = make_table()
    teller = Teller(scripted.Words(), "en", table.deck, DeckPictures(table.deck), "build")
    (measure,) = teller.tell(msgspec.structs.replace(state, view=view)).table.measures
    neighbour = next(p for p in state.scene.pieces if p.id == "p2") if state.scene else None
    assert neighbour is not None
    assert min(x for x, _ in neighbour.outline_mm) - 1 < measure.end[0] < max(x for x, _ in neighbour.outline_mm) + 1


def test_carpets_are_drawn_over_the_cards_they_lie_on() -> None:
    order = [p.id for p in tell(play(make_table(), 12)).table.pieces]
    assert order.index("c2") > order.index("p6")
    assert order.index("c3") > max(order.index("p9"), order.index("p10"))


def test_claimed_and_contested_cards_say_by_whom() -> None:
    marks = {m.kind: m.players for m in tell(play(make_table(), 12)).table.marks}
    assert marks == {"claimed": ("Ben",), "contested": ("Ben", "Clara")}


def test_a_question_comes_with_its_options_and_its_measure() -> None:
    (asked,) = tell(play(make_table(), 9), "de").questions
    assert asked.text.startswith("Liegen Sindbad")
    options = [(o.word, o.text, o.likely) for o in asked.options]
    assert options == [("legal", "Erlaubt", True), ("illegal", "Illegal", False)]
    assert asked.measured is not None and (asked.measured.value, asked.measured.sigma) == (10.3, 0.4)


def test_rulings_are_listed_newest_first_with_their_place_in_the_entry() -> None:
    rows = tell(play(make_table(), 12)).log.rows
    assert [(r.entry, r.index, r.rule) for r in rows] == [
        (6, 1, "carpets.no_claim"),
        (6, 0, "carpets.claim"),
        (4, 0, "carpets.layout.cleared"),
        (3, 0, "carpets.layout.gap"),
    ]


def test_an_answer_is_listed_with_its_question_and_can_be_changed() -> None:
    table = play(make_table(), 9)
    table.answer(DOUBT.id, "legal")
    ruled, answer = tell(table).log.rows[:2]
    assert (answer.kind, answer.chosen, answer.text) == ("answer", "Legal", DOUBT.message.params["en"])
    assert [o.word for o in answer.options] == ["legal", "illegal"]
    assert ruled.text == "The layout stands."


def test_undo_says_what_it_will_take_back_and_what_was_undone_stays_listed() -> None:
    table = play(make_table(), 9)
    table.answer(DOUBT.id, "illegal")
    before = tell(table)
    assert (before.undo.entry, before.undo.kind, before.undo.text) == (6, "answer", "Illegal")
    table.undo()
    after = tell(table)
    assert [r.kind for r in after.log.rows[:3]] == ["undo", "ruling", "answer"]
    assert [r.live for r in after.log.rows[:3]] == [True, False, False]
    assert after.undo.redo and after.undo.entry == 5
    assert [q.id for q in after.questions] == [DOUBT.id]


def test_corrections_and_removals_are_told_apart() -> None:
    table = play(make_table(), 9)
    table.answer(DOUBT.id, "legal")
    table.correct(6, "illegal")
    row = tell(table).log.rows[0]
    assert (row.kind, row.corrects, row.chosen) == ("correct", 6, "Illegal")
    table.remove(6)
    assert tell(table).log.rows[0].kind == "remove"


def test_what_players_say_a_card_is_it_is_drawn_as() -> None:
    table = play(make_table(), 3)
    table.say("face:p2", "desert")
    drawn = {p.id: (p.face, p.picture) for p in tell(table).table.pieces}
    assert drawn["p2"] == ("desert", "desert")
    assert drawn["p1"] == ("bazaar.spice", "bazaar.spice")
    assert tell(table).log.rows[0].text == "Face:p2 desert" and len(tell(table).log.rows) == 1
    table.undo()
    assert next(p for p in tell(table).table.pieces if p.id == "p2").picture == "palace_b"


def test_what_players_may_say_is_offered() -> None:
    (offer,) = tell(play(make_table(), 3), "fr").offers
    assert (offer.choice, offer.value, offer.text) == ("phase", "ready", "La pose est prête")


def test_undoing_is_offered_for_exactly_what_the_table_undoes() -> None:
    table = play(make_table(), 20)
    while (undo := tell(table).undo).entry:
        table.undo()
        line = next(line for line in table.state().lines if line.entry == undo.entry)
        assert not line.live
    assert not table.state().can_undo


def test_older_rows_are_handed_out_page_by_page_without_gap_or_double() -> None:
    table = play(make_table(), 20)
    teller = Teller(scripted.Words(), "en", table.deck, DeckPictures(table.deck), "build")
    state = table.state()
    rows = [(r.entry, r.index) for r in teller.log(state).rows]
    paged, page = [], teller.log(state, limit=2)
    while page.rows:
        paged += [(r.entry, r.index) for r in page.rows]
        assert page.more == (paged != rows)
        page = teller.log(state, before=page.rows[-1].entry, limit=2)
    assert paged == rows


def test_the_end_says_who_won_and_where_points_came_from() -> None:
    shown = tell(play(make_table(), 20))
    assert shown.game.over and shown.game.winners == ("Clara",)
    clara = next(p for p in shown.players if p.name == "Clara")
    assert [(line.points, line.text) for line in clara.lines] == [(6, "Three adventures"), (5, "A pair of spices")]
    assert [(c.name, c.count) for c in clara.won][-1] == ("Bazaar.spice", 2)
    assert all(card.picture for card in clara.won)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_game_stays_small(language: str) -> None:
    table = play(make_table(), 14)
    for _ in range(60):
        table.undo()
        table.redo()
    assert len(msgspec.json.encode(tell(table, language))) < LARGEST
