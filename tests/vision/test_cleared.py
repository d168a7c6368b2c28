"""A table that is cleared when the camera is known: nothing lies there, and the game goes on."""

from __future__ import annotations

from tests.vision.stage import Stage, watch
from tests.vision.test_watching import cards
from vision.deck import Deck
from vision.observer import Observer


def test_a_table_that_has_been_cleared_is_a_scene_without_pieces(deck: Deck) -> None:
    stage = Stage.of(deck, 5)
    observer = Observer(deck)
    first = watch(observer, stage.still(cards(stage)), finish=True)[-1]
    assert first.camera.solved
    cleared = watch(observer, stage.still([]), 10.0, finish=True)[-1]
    assert cleared.pieces == ()
    assert cleared.camera.solved
    again = watch(observer, stage.still(cards(stage)), 20.0, finish=True)[-1]
    assert len(again.pieces) == len(first.pieces)
