"""`rules.history`: undo, redo and correction are entries, and what counts follows from all of them."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.history import Answered, Corrected, Entry, HistoryError, Redone, Seen, Undone, effective, fold
from rules.protocol import Answer
from tests.device.fakes import GAME, FakeReferee, piece, scene

YES = Answer(t=2.1, question="q-p2", choice="yes")
NO = Answer(t=2.1, question="q-p2", choice="no")
PLAYED: list[Entry] = [Seen(GAME[0]), Seen(GAME[1]), Answered(YES), Seen(GAME[2]), Seen(GAME[3])]


def points(entries: list[Entry]) -> int:
    referee, _ = fold(FakeReferee(), effective(entries).inputs)
    return referee.points


def numbers(entries: list[Entry]) -> list[int]:
    return [number for number, _ in effective(entries).inputs]


def test_every_input_counts_until_something_says_otherwise() -> None:
    assert numbers(PLAYED) == [1, 2, 3, 4, 5]
    assert points(PLAYED) == 12


def test_undo_drops_inputs_from_the_end() -> None:
    undone = [*PLAYED, Undone(3)]
    assert numbers(undone) == [1, 2]
    assert points(undone) == 1
    assert effective(undone).dropped == {3, 4, 5}


def test_undo_then_redo_is_identity() -> None:
    again = [*PLAYED, Undone(3), Redone()]
    assert effective(again).inputs == effective(PLAYED).inputs
    assert effective(again).redoable == 0


def test_undo_twice_and_redo_twice_come_back_in_order() -> None:
    twice = [*PLAYED, Undone(5), Undone(3)]
    assert numbers(twice) == [1, 2]
    assert numbers([*twice, Redone()]) == [1, 2, 3, 4]
    assert numbers([*twice, Redone(), Redone()]) == [1, 2, 3, 4, 5]


def test_a_scene_seen_after_an_undo_leaves_the_redo_possible() -> None:
    seen = [*PLAYED, Undone(3), Seen(scene(6.0, piece(1)))]
    assert numbers(seen) == [1, 2, 7]
    assert numbers([*seen, Redone()]) == [1, 2, 3, 4, 5, 7]


def test_another_answer_after_an_undo_gives_the_undone_one_up() -> None:
    other = [*PLAYED, Undone(3), Answered(NO)]
    assert points(other) == 1
    with pytest.raises(HistoryError, match="entry 8 redoes"):
        effective([*other, Redone()])


def test_any_earlier_answer_can_be_corrected() -> None:
    assert points([*PLAYED, Corrected(3, answer=NO)]) == 2


def test_any_earlier_observation_can_be_corrected() -> None:
    assert points([*PLAYED, Corrected(1, scene=scene(1.0, piece(1, "desert")))]) == 11


def test_an_earlier_observation_can_be_taken_out() -> None:
    out = [*PLAYED, Corrected(5)]
    assert points(out) == 11
    assert effective(out).dropped == {5}


def test_of_two_corrections_the_later_counts() -> None:
    assert points([*PLAYED, Corrected(3, answer=NO), Corrected(3, answer=YES)]) == 12


def test_a_correction_can_be_undone_and_redone() -> None:
    corrected = [*PLAYED, Corrected(3, answer=NO)]
    assert points([*corrected, Undone(6)]) == 12
    assert points([*corrected, Undone(6), Redone()]) == 2


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (Undone(6), "nothing is left to undo"),
        (Redone(), "nothing was undone"),
        (Corrected(6), "no scene and no answer"),
        (Corrected(9), "no scene and no answer"),
        (Corrected(0), "no scene and no answer"),
    ],
)
def test_impossible_entries_are_refused(wrong: Entry, says: str) -> None:
    with pytest.raises(HistoryError, match=says):
        effective([*PLAYED, wrong])


@given(st.lists(st.sampled_from(["scene", "answer", "undo", "redo", "correct"]), max_size=30), st.randoms())
def test_any_history_keeps_inputs_in_order_and_every_entry_has_one_fate(moves: list[str], random: object) -> None:
    entries: list[Entry] = []
    for move in moves:
        pick = random.randint(1, len(entries) + 1)  # type: ignore[attr-defined]
        entry: Entry = {
            "scene": Seen(scene(float(len(entries)))),
            "answer": Answered(YES),
            "undo": Undone(pick),
            "redo": Redone(),
            "correct": Corrected(pick, answer=NO),
        }[move]
        try:
            effective([*entries, entry])
        except HistoryError:
            continue
        entries.append(entry)
    found = effective(entries)
    live = [n for n, _ in found.inputs]
    assert live == sorted(set(live))
    inputs = {n for n, e in enumerate(entries, 1) if isinstance(e, Seen | Answered)}
    assert set(live) | (found.dropped & inputs) == inputs
    assert not set(live) & found.dropped
    if live:
        undone = [*entries, Undone(live[0])]
        assert effective(undone).inputs == ()
        assert effective([*undone, Redone()]).inputs == found.inputs


def test_entries_survive_being_written_and_read() -> None:
    entries = [*PLAYED, Undone(3), Redone(), Corrected(3, answer=NO), Corrected(1, scene=GAME[1]), Corrected(1)]
    assert msgspec.json.decode(msgspec.json.encode(entries), type=list[Entry]) == entries
