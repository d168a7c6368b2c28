"""Every game's recording that ships can be played: its session, its deck and its clip belong together."""

from __future__ import annotations

import json

import pytest

from device.footage import open_footage
from device.session_file import SESSION
from device.sitting import CLIP, find_demo, open_sitting
from rules.games import GAMES


@pytest.mark.parametrize("game", GAMES)
def test_a_recorded_game_ships_with_its_session_and_deck(game: str) -> None:
    folder = find_demo(game)
    sitting = open_sitting(folder / SESSION)
    assert sitting.session.game == game
    assert sitting.deck_folder.name == game
    assert sitting.referee().view().players
    with open_footage(folder / CLIP) as footage:
        first = next(iter(footage))
        assert first.luma.shape == (720, 1280)
        assert (footage.expected_duration or 0) > 60
    truth = json.loads((folder / "truth.json").read_text())
    assert truth["states"]
    assert "game-icons.net" in (folder / "LICENCE.md").read_text()


def test_the_game_counts_the_tiles_of_its_deck() -> None:
    sitting = open_sitting(find_demo("carcassonne") / SESSION)
    assert sum(tile.count for tile in sitting.session.tiles) == 80
    assert all(tile.kind.startswith("tile.") for tile in sitting.session.tiles)
    assert open_sitting(find_demo("fairplay") / SESSION).session.tiles == ()
