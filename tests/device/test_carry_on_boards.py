"""A board game whose plug was pulled halfway goes on where it was, with a new observer (a minute each)."""

from __future__ import annotations

import json

import pytest

from device.carry_on import CarryOn
from device.evidence import Stills
from device.footage import open_footage
from device.sitting import find_demo, find_recording, open_sitting
from device.table import Table
from rules.history import effective
from rules.protocol import Ruling
from tests.device.fakes import MemoryLog
from vision.scene import Scene

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("game", "pulled"), [("carcassonne", 45.0), ("fairplay", 100.0)])
def test_a_board_game_goes_on_halfway(game: str, pulled: float) -> None:
    recording = find_recording(find_demo(game))
    sitting = open_sitting(recording.session)
    truth = json.loads((find_demo(game) / "truth.json").read_text())
    log = MemoryLog()
    first = Table(
        sitting.session, sitting.deck, sitting.observer(), sitting.referee, log, stills=Stills(None), take_defaults=True
    )
    with open_footage(recording.clip) as footage:
        frames = iter(footage)
        for frame in frames:
            first.feed(frame)
            if frame.t >= pulled:
                break
        scenes = [given for _, given in effective(log.entries).inputs if isinstance(given, Scene)]
        second = Table(
            sitting.session,
            sitting.deck,
            CarryOn(sitting.observer(), sitting.deck, scenes),
            sitting.referee,
            log,
            stills=Stills(None),
            entries=tuple(log.entries),
            take_defaults=True,
        )
        for frame in frames:
            second.feed(frame)
        second.finish()
    scores = list(second.referee.scores().values())
    if game == "carcassonne":
        assert scores == truth["states"][-1]["points"]
        rulings = [o for _, _, said in second.outcomes() for o in said if isinstance(o, Ruling)]
        placed = [r for r in rulings if r.rule == "carcassonne.place"]
        assert [r.data["cell"] for r in placed] == [m["cell"] for m in truth["moves"]]
    else:
        assert scores == truth["moves"][-1]["positions"]
