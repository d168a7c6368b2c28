"""Why a move is illegal: which rule it breaks, and the reason in words for the people at the table."""

from __future__ import annotations

from typing import Final

from rules.carcassonne.board import Spot
from rules.carcassonne.geometry import ROTATIONS, STEPS, Cell
from rules.carcassonne.legal import DIE, abbot_on_table, landings, on_machine, spot_of, takes, target
from rules.carcassonne.moves import Draw, Figure, Land, Move, Place, Put, Recall, Roll, Skip
from rules.carcassonne.state import Phase, Setup, State
from rules.carcassonne.tiles import TILES, Kind, Turned, turned
from rules.engine import Refusal, malformed

RULES: Final[dict[str, tuple[str, str]]] = {
    "move": ("2.2", "only the moves of the game are made"),
    "over": ("2.2", "the game ends after the turn in which the last tile was laid"),
    "phase": ("2.2", "a turn is: draw a tile, lay it, put a meeple or not, score"),
    "player": ("2.1", "two to five play"),
    "turn": ("2.2.1", "the players take turns clockwise"),
    "tile": ("2.1", "only the tiles of the game are played"),
    "stock": ("2.1", "no more of a tile than there are"),
    "must_place": ("2.2.2", "a tile that fits somewhere must be laid"),
    "rotation": ("2.2.2", "tiles lie square"),
    "taken": ("2.2.2", "one tile to a cell"),
    "touch": ("2.2.2", "a tile is laid side to side with one that lies"),
    "edges": ("2.2.2", "every touching side must match"),
    "feature": ("2.2.3", "a meeple goes on a feature of the tile just laid"),
    "occupied": ("2.2.3", "not on a feature that holds a meeple already"),
    "supply": ("2.2.3", "a meeple comes from the supply"),
    "farmers": ("2.10 C3", "without farmers nobody lies on a field"),
    "abbot": ("2.10 C5", "an abbot goes on a monastery or a garden, and only an abbot on a garden"),
    "recall": ("2.10 C5", "an abbot is called back from the table"),
    "die": ("2.1", "the flight die shows 1, 2 or 3"),
    "cocked": ("2.10 C9", "a die that leans or fell off the table is rolled again"),
    "landing": ("2.3.6", "a flyer lands on an incomplete road, city or monastery of the tile it reaches"),
    "must_land": ("2.3.7", "a meeple that can land must"),
}
"""Every rule that a move may break: its id, its clause, and what it says."""

_TERRAIN: Final = {"F": "field", "R": "road", "C": "city"}
_SIDE_WORDS: Final = ("north", "east", "south", "west")
_NOW: Final[dict[Phase, str]] = {
    "draw": "a tile is drawn now",
    "place": "the drawn tile is laid now",
    "meeple": "a meeple is put now, or none",
    "roll": "the flight die is rolled now",
    "land": "the flyer lands now",
}
_PHASES: Final[dict[type, tuple[Phase, ...]]] = {
    Draw: ("draw",),
    Place: ("place",),
    Put: ("meeple",),
    Skip: ("meeple", "land"),
    Recall: ("meeple",),
    Roll: ("roll",),
    Land: ("land",),
}


def refuse(rule: str, reason: str) -> Refusal:
    """A refusal by one of `RULES`."""
    return Refusal(rule, reason, RULES[rule][0])


def why_illegal(state: State, setup: Setup, move: Move) -> Refusal | None:
    """The first rule that the move breaks; None when it is legal."""
    if fault := malformed(move, Move):
        return refuse("move", fault)
    if refusal := _out_of_turn(state, setup, move):
        return refusal
    match move:
        case Draw():
            return _draw(state, setup, move)
        case Place():
            return _place(state, move)
        case Put():
            return _put(state, setup, move)
        case Skip():
            return _skip(state, setup)
        case Recall():
            if abbot_on_table(state) is None:
                return refuse("recall", f"player {state.player} has no abbot on the table")
        case Roll():
            return _roll(setup, move)
        case Land():
            return _land(state, setup, move)
    return None


def _out_of_turn(state: State, setup: Setup, move: Move) -> Refusal | None:
    if move.player is not None and not 1 <= move.player <= setup.players:
        return refuse("player", f"there is no player {move.player}, they are numbered 1 to {setup.players}")
    if state.phase == "over":
        return refuse("over", "the game is over")
    if move.player is not None and move.player != state.player:
        return refuse("turn", f"it is player {state.player}'s turn, not player {move.player}'s")
    if state.phase == "place" and isinstance(move, Skip):
        return refuse("must_place", f"{state.tile} fits and must be laid")
    if state.phase not in _PHASES[type(move)]:
        return refuse("phase", _NOW[state.phase])
    return None


def _draw(state: State, setup: Setup, move: Draw) -> Refusal | None:
    if move.tile not in TILES:
        return refuse("tile", f"there is no tile {move.tile}")
    if move.tile not in setup.tiles:
        return refuse("tile", f"{move.tile} is not among the tiles of this game")
    if move.tile not in state.stock:
        return refuse("stock", f"every {move.tile} has been drawn already, there are {setup.tiles[move.tile]}")
    return None


def _place(state: State, move: Place) -> Refusal | None:
    cell = (move.x, move.y)
    if move.rotation not in ROTATIONS:
        return refuse("rotation", f"a tile is turned by 0, 90, 180 or 270 degrees, not {move.rotation}")
    if cell in state.board.tiles:
        return refuse("taken", f"{state.board.tiles[cell].tile.id} lies at {cell} already")
    if cell not in state.board.frontier:
        return refuse("touch", f"no tile lies beside {cell}")
    assert state.tile is not None
    return _mismatch(state, turned(state.tile, move.rotation), cell)


def _mismatch(state: State, laid: Turned, cell: Cell) -> Refusal | None:
    """The first side, from the north clockwise, that does not match its neighbour's."""
    pattern = state.board.frontier[cell]
    for side, (mine, theirs) in enumerate(zip(laid.edges, pattern, strict=True)):
        if theirs not in (".", mine):
            beside = (cell[0] + STEPS[side][0], cell[1] + STEPS[side][1])
            return refuse(
                "edges",
                f"the {_SIDE_WORDS[side]} side of {laid.tile.id} is a {_TERRAIN[mine]}, "
                f"the tile at {beside} has a {_TERRAIN[theirs]} there",
            )
    return None


def _put(state: State, setup: Setup, move: Put) -> Refusal | None:
    assert state.cell is not None
    laid = state.board.tiles[state.cell]
    if move.figure == "abbot" and not setup.rules.abbot:
        return refuse("abbot", "no abbots are played with")
    if (move.feature, move.location) not in [(part.kind, part.location) for part in laid.parts]:
        return refuse("feature", _no_such(laid, move.feature, move.location))
    if not on_machine(move):
        spot = spot_of(state, state.cell, move.feature, move.location)
        assert spot is not None
        if refusal := _unfit(setup, move.feature, move.figure) or _occupied(state, spot):
            return refusal
    if not state.has(state.player, move.figure):
        return refuse("supply", f"player {state.player} has no {move.figure} left")
    return None


def _unfit(setup: Setup, kind: Kind, figure: Figure) -> Refusal | None:
    if takes(kind, figure, setup):
        return None
    if kind == "Field" and figure == "meeple":
        return refuse("farmers", "no farmers are played with")
    if kind == "Garden" and not setup.rules.abbot:
        return refuse("abbot", "gardens are for abbots, and no abbots are played with")
    if kind == "Garden":
        return refuse("abbot", "only an abbot goes on a garden")
    return refuse("abbot", f"an abbot goes on a monastery or a garden, not on a {kind.lower()}")


def _occupied(state: State, spot: Spot) -> Refusal | None:
    feature = state.board.at(spot)
    if not feature.meeples:
        return None
    first = feature.meeples[0]
    return refuse(
        "occupied",
        f"the {feature.kind.lower()} holds a meeple of player {first.player} at {(first.spot.x, first.spot.y)}",
    )


def _skip(state: State, setup: Setup) -> Refusal | None:
    if state.phase == "land" and setup.rules.landing_mandatory:
        return refuse("must_land", f"the meeple can land on the tile at {target(state, setup)} and must")
    return None


def _roll(setup: Setup, move: Roll) -> Refusal | None:
    if move.die not in DIE:
        return refuse("die", f"the flight die shows 1, 2 or 3, not {move.die}")
    if move.cocked and setup.rules.die_cocked == "reroll":
        return refuse("cocked", "the die does not lie flat on the table: roll again")
    return None


def _land(state: State, setup: Setup, move: Land) -> Refusal | None:
    if (move.feature, move.location) in [(part.kind, part.location) for _, part in landings(state, setup)]:
        return None
    cell = target(state, setup)
    assert cell is not None
    spot = spot_of(state, cell, move.feature, move.location)
    if spot is None:
        return refuse("landing", _no_such(state.board.tiles[cell], move.feature, move.location))
    if move.feature == "Field":
        return refuse("landing", "a flyer never lands on a field")
    assert state.flyer is not None
    if refusal := _unfit(setup, move.feature, state.flyer):
        return refusal
    return refuse("landing", f"the {move.feature.lower()} is complete")


def _no_such(laid: Turned, kind: Kind, location: str) -> str:
    there = ", ".join(f"{part.kind} {part.location}" for part in laid.parts)
    return f"{laid.tile.id} has no {kind} {location} as it lies; it has {there}"
