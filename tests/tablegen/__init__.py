"""A plain renderer of random tables with exact truth, for measuring what is seen.

>>> still = make_table(7)
>>> still.frame.shape
(720, 1280, 3)
>>> make_board(2000).truth["note"] != ""    # a board game: see tests.tablegen.board
True
"""

from tests.tablegen.board import BoardGame, GeneratedBoard, make_board
from tests.tablegen.decks import load_deck, make_deck, restyle_deck
from tests.tablegen.director import GameSpec
from tests.tablegen.game import GeneratedGame, make_game
from tests.tablegen.spec import TableSpec, draw_spec
from tests.tablegen.still import GeneratedStill, make_table

__all__ = [
    "BoardGame", "GameSpec", "GeneratedBoard", "GeneratedGame", "GeneratedStill", "TableSpec", "draw_spec", "load_deck",
    "make_board", "make_deck", "make_game", "make_table", "restyle_deck",
]  # fmt: skip
