"""Carcassonne with the Flying Machines (Klaus-Jürgen Wrede, Hans im Glück 2000 and 2012), with farmers; both editions.

>>> from rules.carcassonne import Draw, Game, Land, Place, Put, Roll, Skip
>>> game = Game(players=2)
>>> game.push(Draw("BA/Ccc"))
>>> [(move.x, move.y, move.rotation) for move in game.legal()]
[(0, -1, 90), (0, -1, 180), (0, -1, 270), (0, 1, 180)]
>>> print(game.why_illegal(Place(0, -1, 0)))
rules 2.2.2 (edges): the south side of BA/Ccc is a field, the tile at (0, 0) has a city there
>>> game.push(Place(0, -1, 180))
>>> game.push(Put("City", "_N"))
>>> game.push(Draw("FL/Rr.SW.o"))
>>> game.push(Place(1, 0, 0))
>>> game.push(Put("FlyingMachine"))
>>> game.push(Roll(1))
>>> list(game.legal())
[Land(feature='City', location='N'), Land(feature='Road', location='WE')]
>>> print(game.why_illegal(Skip()))
rules 2.3.7 (must_land): the meeple can land on the tile at (0, 0) and must
>>> game.push(Land("City", "N"))
>>> print(game)
turn 3, player 1 draws; 77 tiles left
+---+
C c C
+-C-+
+-C-++---+
R   RR ← |
+---++-R-+
player 1   0: 6 meeples; knight (0, -1) _N
player 2   0: 6 meeples; knight (0, 0) N
>>> [(line.points, line.rule) for line in game.outlook()[2]]
[(2, 'city.incomplete')]
>>> game.pop(), game.pop()
(Land(feature='City', location='N'), Roll(die=1))
"""

from rules.carcassonne.game import Game
from rules.carcassonne.house_rules import HouseRuleError, HouseRules
from rules.carcassonne.moves import Draw, Land, Move, Place, Put, Recall, Roll, Skip
from rules.engine import IllegalMoveError, SavedGameError

__all__ = [
    "Draw",
    "Game",
    "HouseRuleError",
    "HouseRules",
    "IllegalMoveError",
    "Land",
    "Move",
    "Place",
    "Put",
    "Recall",
    "Roll",
    "SavedGameError",
    "Skip",
]
