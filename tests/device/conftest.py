"""A home of its own for every test, and a recorded game of fakes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rules.protocol import Message
from tests.device.fakes import GAME, FakeObserver, FakeReferee
from tests.device.videos import write_video
from vision.camera import Lens
from vision.deck import Deck
from vision.scene import Things

SESSION = """
game = "carpets"
deck = "./deck"
[[player]]
number = 1
name = "Ana"
carpet = "red"
side = "S"
[[player]]
number = 2
name = "Ben"
carpet = "blue"
side = "W"
[[player]]
number = 3
name = "Cleo"
carpet = "green"
side = "E"
"""
KINDS = ("palace", "lamp", "desert", "carpet.red", "carpet.blue", "carpet.green")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the journal of whoever runs it."""
    monkeypatch.setenv("KIBITZ_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def fake_game(monkeypatch: pytest.MonkeyPatch) -> list[FakeObserver]:
    """Seeing and ruling are fakes; returns the observers as they are made."""
    made: list[FakeObserver] = []

    def observer(deck: Deck, things: Things, lens: Lens | None) -> FakeObserver:
        made.append(FakeObserver(*GAME))
        made[-1].lens = lens
        return made[-1]

    def say(message: Message, language: str) -> str:
        return f"{message.key} ({language})"

    monkeypatch.setattr("device.sitting.Observer", observer)
    monkeypatch.setattr("device.sitting.make_referee", lambda session: FakeReferee())
    for module in ("tell", "report", "gaming"):
        monkeypatch.setattr(f"device.{module}.say", say)
    return made


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """4.5 seconds of nothing much, 640x360."""
    return write_video(tmp_path_factory.mktemp("clip") / "clip.mp4", 45).read_bytes()


@pytest.fixture
def recording(tmp_path: Path, clip: bytes) -> Path:
    """A folder with clip.mp4, session.toml and a deck."""
    folder = tmp_path / "party"
    (folder / "deck" / "faces").mkdir(parents=True)
    (folder / "clip.mp4").write_bytes(clip)
    (folder / "session.toml").write_text(SESSION)
    deck = "[card]\nwidth_mm = 59\nheight_mm = 91\n"
    for kind in KINDS:
        Image.fromarray(np.full((91, 59, 3), 99, np.uint8)).save(folder / "deck" / "faces" / f"{kind}.png")
        deck += f'[[face]]\nid = "{kind}"\nfile = "faces/{kind}.png"\nkind = "{kind}"\n'
    (folder / "deck" / "deck.toml").write_text(deck)
    return folder
