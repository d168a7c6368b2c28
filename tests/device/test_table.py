"""The table: what is fed and answered, what is ruled from it, and what is undone and corrected."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from device.evidence import Stills, crop
from device.ledger import RefusedError
from device.state import Event
from device.table import Table
from rules.history import Answered, Corrected, Entry, Redone, Seen, Undone
from rules.protocol import Ruling
from tests.device.fakes import GAME, SESSION, FakeObserver, FakeReferee, MemoryLog, deck, frame, piece, scene
from vision.scene import Scene


def table(
    *scenes: Scene, log: MemoryLog | None = None, defaults: bool = False, entries: tuple[Entry, ...] = ()
) -> Table:
    return Table(
        SESSION,
        deck(),
        FakeObserver(*scenes),
        FakeReferee,
        log if log is not None else MemoryLog(),
        entries=entries,
        take_defaults=defaults,
        source="fake",
        duration=4.0,
    )


def play(one: Table, until: float = 4.0) -> Table:
    for tenth in range(int(until * 10) + 1):
        one.feed(frame(tenth / 10))
    return one


def test_scenes_become_rulings_questions_and_scores() -> None:
    events: list[Event] = []
    one = table(*GAME)
    one.subscribe(events.append)
    play(one)
    state = one.state()
    assert state.view.players[0].score == 2
    assert [q.id for q in state.view.questions] == ["q-p2"]
    assert state.scene == GAME[3]
    assert [e.kind for e in events if e.kind not in ("status", "picture")] == [
        *("scene", "ruling", "scene", "question", "scene", "scene", "ruling")
    ]
    assert state.version == len(events)
    assert state.status.t == pytest.approx(4.0)
    assert state.status.frames == 41


def test_an_input_is_in_the_log_before_the_referee_hears_of_it() -> None:
    class Watching(FakeReferee):
        def see(self, scene: Scene) -> tuple:
            told.append(len(log.entries))
            return super().see(scene)

    told: list[int] = []
    log = MemoryLog()
    one = Table(SESSION, deck(), FakeObserver(*GAME), Watching, log)
    play(one)
    assert told == [1, 2, 3, 4]


def test_what_cannot_be_stored_does_not_happen() -> None:
    class Full(MemoryLog):
        def append(self, entry: Entry) -> int:
            if self.entries:
                raise OSError("disk full")
            return super().append(entry)

    one = table(*GAME, log=Full())
    play(one, until=1.5)
    with pytest.raises(OSError, match="disk full"):
        one.say("points", "5")
    assert one.state().view.players[0].score == 1
    assert len(one.state().lines) == 1


def test_an_answer_settles_its_question_once() -> None:
    one = play(table(*GAME))
    one.answer("q-p2", "yes")
    assert one.state().view.players[0].score == 12
    assert one.state().view.questions == ()
    with pytest.raises(RefusedError, match="not open any more"):
        one.answer("q-p2", "no")
    assert one.state().view.players[0].score == 12


def test_an_answer_that_is_no_option_is_refused() -> None:
    log = MemoryLog()
    one = play(table(*GAME, log=log))
    with pytest.raises(RefusedError, match="'maybe' is no answer to this question; choose one of: yes, no"):
        one.answer("q-p2", "maybe")
    assert len(log.entries) == 4


def test_without_players_the_default_is_taken_and_recorded() -> None:
    log = MemoryLog()
    one = play(table(*GAME, log=log, defaults=True))
    answers = [e.answer for e in log.entries if isinstance(e, Answered)]
    assert [(a.question, a.choice, a.by) for a in answers] == [("q-p2", "no", "default")]
    assert isinstance(log.entries[1], Seen)
    assert isinstance(log.entries[2], Answered)
    assert one.state().view.players[0].score == 2


def test_a_default_that_was_taken_back_is_the_players_to_give() -> None:
    one = table(*GAME, defaults=True)
    play(one, until=2.0)
    one.undo()
    assert [q.id for q in one.state().view.questions] == ["q-p2"]
    play(one)
    assert [q.id for q in one.state().view.questions] == ["q-p2"]
    one.answer("q-p2", "yes")
    assert one.state().view.players[0].score == 12


def test_undo_takes_back_the_last_thing_that_had_consequences() -> None:
    one = play(table(*GAME))
    one.answer("q-p2", "yes")
    one.undo()
    assert one.state().view.players[0].score == 2
    one.undo()
    assert one.state().view.players[0].score == 1
    assert one.state().scene == GAME[2]
    one.undo()  # the desert had no consequences: with it goes the lamp
    assert one.state().view.questions == ()
    one.undo()
    assert one.state().scene is None
    with pytest.raises(RefusedError, match="nothing to undo"):
        one.undo()


def test_redo_brings_everything_back() -> None:
    one = play(table(*GAME))
    one.answer("q-p2", "yes")
    before = one.state()
    for _ in range(3):
        one.undo()
    for _ in range(3):
        one.redo()
    assert one.state().view == before.view
    assert one.state().scene == before.scene
    with pytest.raises(RefusedError, match="nothing to redo"):
        one.redo()


def test_undone_entries_stay_visible_with_what_was_ruled_from_them() -> None:
    one = play(table(*GAME))
    one.answer("q-p2", "yes")
    one.undo()
    lines = one.state().lines
    assert [(line.kind, line.live) for line in lines[-2:]] == [("answer", False), ("undo", True)]
    assert [r.rule for r in lines[-2].rulings] == ["fake.answered"]


def test_correcting_an_earlier_answer() -> None:
    one = play(table(*GAME))
    one.answer("q-p2", "yes")
    one.correct(5, "no")
    assert one.state().view.players[0].score == 2
    assert one.state().lines[4].answer is not None
    assert one.state().lines[4].answer.choice == "no"
    with pytest.raises(RefusedError, match="'maybe' is no answer"):
        one.correct(5, "maybe")
    with pytest.raises(RefusedError, match="is an observation"):
        one.correct(1, "yes")
    with pytest.raises(RefusedError, match="entry 77 is no observation or answer"):
        one.correct(77, "yes")


def test_correcting_a_face_in_an_earlier_observation() -> None:
    one = play(table(*GAME))
    one.correct_face(1, "p1", "desert")
    state = one.state()
    assert state.lines[0].rulings == ()  # it came to the table as a desert, so no palace was laid
    assert state.view.players[0].score == 1
    with pytest.raises(RefusedError, match="'dragon' is no face of this deck"):
        one.correct_face(1, "p1", "dragon")
    with pytest.raises(RefusedError, match="no observation of piece p9"):
        one.correct_face(1, "p9", "palace")


def test_removing_an_earlier_observation() -> None:
    one = play(table(*GAME))
    one.remove(4)
    assert one.state().view.players[0].score == 1
    assert [line.live for line in one.state().lines] == [True, True, True, False, True]


def test_a_resumed_table_is_the_table_that_was_left() -> None:
    log = MemoryLog()
    one = play(table(*GAME, log=log))
    one.answer("q-p2", "yes")
    one.undo()
    one.answer("q-p2", "no")
    one.correct_face(4, "p4", "lamp")
    one.say("points", "7")
    again = table(entries=tuple(log.entries), log=log)
    left, found = one.state(), again.state()
    assert found.view == left.view
    assert found.lines == left.lines
    assert (found.can_undo, found.can_redo) == (left.can_undo, left.can_redo)
    again.undo()
    assert [type(e) for e in log.entries[4:]] == [Answered, Undone, Answered, Corrected, Answered, Undone]
    again.redo()
    assert isinstance(log.entries[-1], Redone)
    assert again.state().view == left.view


def test_finish_measures_what_still_lies_there() -> None:
    one = table(*GAME)
    play(one, until=3.5)
    one.finish()
    assert one.state().scene == GAME[3]
    assert one.state().status.camera == "ended"


def test_pictures_are_made_only_when_somebody_looks() -> None:
    made: list[Event] = []
    one = table()
    one.subscribe(lambda e: made.append(e) if e.kind == "picture" else None)
    play(one, until=1.0)
    assert len(made) == 1  # the first, so that whoever opens the screen sees something
    assert one.picture() is not None
    play(one, until=1.0)
    assert len(made) == 2


def test_a_listener_that_left_hears_nothing_more() -> None:
    heard: list[Event] = []
    one = table(*GAME)
    leave = one.subscribe(heard.append)
    play(one, until=1.0)
    leave()
    count = len(heard)
    play(one)
    assert count > 0
    assert len(heard) == count


def test_evidence_shows_the_still_around_the_rulings_pieces(tmp_path: Path) -> None:
    one = Table(SESSION, deck(), FakeObserver(*GAME), FakeReferee, MemoryLog(), stills=Stills(tmp_path / "stills"))
    play(one)
    jpeg = one.evidence(4, 0)
    assert jpeg is not None
    shown = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert shown.shape[0] < 360
    assert shown.shape[1] < 640
    assert one.evidence(4, 1) is None
    assert one.evidence(3, 0) is None
    assert one.evidence(99, 0) is None


def test_a_question_shows_the_still_it_was_asked_about() -> None:
    one = play(table(*GAME), until=3.0)
    jpeg = one.asked("q-p2")
    assert jpeg is not None
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None and picture.shape[1] < 640, "cut out around the piece"
    assert one.asked("q-p9") is None


def test_evidence_of_an_answer_is_the_still_that_was_asked_about() -> None:
    one = play(table(*GAME))
    one.answer("q-p2", "yes")
    ruling = one.state().lines[4].rulings[0]
    assert isinstance(ruling, Ruling)
    assert one.evidence(5, 0) is not None


def test_stills_are_kept_up_to_a_limit(tmp_path: Path) -> None:
    for stills in (Stills(tmp_path, limit=3), Stills(None, limit=3)):
        for entry in range(1, 6):
            stills.keep(entry, np.full((20, 30, 3), entry * 10, np.uint8))
        assert [stills.find(entry) is not None for entry in range(1, 6)] == [False, False, True, True, True]
        found = stills.find(5)
        assert found is not None
        assert abs(int(found[10, 10, 0]) - 50) <= 2


def test_a_crop_stays_within_the_picture() -> None:
    still = np.zeros((360, 640, 3), np.uint8)
    outside = scene(0.0, piece(9)).pieces[0].corners_px
    jpeg = crop(still, [outside])
    assert jpeg is not None
    shown = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert 0 < shown.shape[0] <= 360
    assert 0 < shown.shape[1] <= 640
