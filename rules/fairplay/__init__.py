"""Fair Play: a car race on a road that is laid as the cars go (Spartaco Albertarelli, 1997).

The engine is a value to play with: nothing in it is random or hidden. What the die shows, which tile is turned over and
which card is turned up are moves, told to it by whoever saw them:

>>> from rules.fairplay import Discard, Draw, Game, Lay, Offer, Reply, Reveal, Roll, Step, Stop
>>> game = Game(players=3)
>>> list(game.legal())
[Roll(player=1, value=1), Roll(player=1, value=2), Roll(player=1, value=3), Refuel(player=1)]
>>> game.push(Roll(1, 2))
>>> game.push(Lay(1, "road.curve"))
>>> print(game.why_illegal(Stop(1)))
rules 3.4.5 (stop.turned): a tile turned over for a step must be entered
>>> for move in [Step(1), Lay(1, "road.narrow"), Step(1), Draw(1), Offer(1, to=3), Reply(3, True)]:
...     game.push(move)
>>> game.push(Reveal(3, "card.plus3"))
>>> game.push(Step(3))
>>> print(game.why_illegal(Step(3)))
rules 3.4.2 (step.narrow): player 3 cannot enter the narrow road, which a car stands on
>>> print(game)
turn 2 (player 2): player 2 begins his turn with the die
 0 start <2>        1 curve <3>        2 narrow <1>
player 1 at  2: ? ? ?
player 2 at  0: ? ? ?
player 3 at  1: ? ? ?
>>> game.ranking
((1,), (3,), (2,))
>>> for leg in game.explain()[3]:
...     print(leg.start, leg.end, leg.by, leg.ended)
0 1 card.plus3 narrow
>>> game.pop()
Step(player=3)

Players are numbered 1.. in seat order, clockwise. Tiles and cards are named as `rules.fairplay.pieces` lists them.

**Moves**, each with the number of the player who makes it first, and the phases in which each is due:

| move | phase | what has happened |
| --- | --- | --- |
| `Mend(player)` | `mend` | he discards the puncture before him; his turn is over |
| `Roll(player, value)` | `roll` | the die shows 1, 2 or 3 |
| `Refuel(player)` | `roll`, `arrive` | he fills up: his panne cards go; he draws (`fill`) or his turn is over |
| `DriveOn(player)` | `arrive` | at a station he does not fill up (only with `refuel_timing` = on_arrival) |
| `Lay(player, tile, way="")` | `move`, `jump` | the next tile is laid for his car; it leads left, right or straight |
| `Step(player)` | `move` | his car goes to the next tile, or beyond the finish |
| `Stop(player)` | `move` | he takes no more of his steps |
| `Draw(player, card="unknown")` | `draw`, `fill` | he draws one card |
| `Offer(player, to, card="unknown")` | `offer` | he lays one card face down before another |
| `Reply(player, accepts)` | `reply` | who was offered it says yes or no |
| `Reveal(player, card)` | `reveal` | its user turns it up and carries it out |
| `Discard(player, card="unknown")` | `discard` | the user of a panne discards a card from his hand |

What follows of itself is no move. A car that can go no farther has stopped: there is no `Stop` then, and a move of
which no step can be taken is over at once. Cards that send a car back or let it jump move it at once. A turn that is
over passes to the next player (phase `roll`, or `mend` when he has a puncture). Used cards are shuffled when a card
is to be drawn and there is none. A car that steps or jumps beyond the finish ends the game (phase `over`). A jump to
a tile that is not laid waits for one `Lay` (phase `jump`), which also carries it out; after a `Lay` for a step the
car must `Step`.

A card may stay `unknown` until it is used. What is then turned up must be possible: no more of a kind than there are.

`summary(game)` is the position in plain words, for comparing move by move.
"""

from __future__ import annotations

from typing import Any

from rules.engine import IllegalMoveError, Refusal, SavedGameError
from rules.fairplay import diagram
from rules.fairplay.game import Game
from rules.fairplay.house_rules import HouseRuleError, HouseRules
from rules.fairplay.moves import (
    Discard,
    Draw,
    DriveOn,
    Lay,
    Mend,
    Move,
    Offer,
    Refuel,
    Reply,
    Reveal,
    Roll,
    Step,
    Stop,
)

__all__ = [
    "Discard",
    "Draw",
    "DriveOn",
    "Game",
    "HouseRuleError",
    "HouseRules",
    "IllegalMoveError",
    "Lay",
    "Mend",
    "Move",
    "Offer",
    "Refuel",
    "Refusal",
    "Reply",
    "Reveal",
    "Roll",
    "SavedGameError",
    "Step",
    "Stop",
    "summary",
]


def summary(game: Game) -> dict[str, Any]:
    """The position in plain data, lists in the order of the players' numbers.

    `positions`: tiles after start, the finish's number plus 1 for a car that has passed it; `track`: kinds of the tiles
    laid, the start first; `faceup`: each player's panne and puncture cards, sorted; `hands`: cards in each hand (one on
    offer lies on the table and is in none); `player`: whose turn it is, or was when the game ended; `actor`: who must
    act now, None when it is over; `phase`; `winner`: None while the game runs.

    >>> summary(Game(players=2)) == {
    ...     "positions": [0, 0], "track": ["road.start"], "faceup": [[], []], "hands": [3, 3],
    ...     "player": 1, "actor": 1, "phase": "roll", "winner": None,
    ... }
    True
    """
    return diagram.summary(game.state)
