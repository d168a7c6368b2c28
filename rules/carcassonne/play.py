"""What a legal move does: the position after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rules.carcassonne.board import Meeple, Spot, lay
from rules.carcassonne.geometry import AROUND
from rules.carcassonne.legal import abbot_on_table, landings, on_machine, spot_of
from rules.carcassonne.moves import Draw, Figure, Land, Move, Place, Put, Recall, Roll, Skip
from rules.carcassonne.scoring import Line, lines, recalled
from rules.carcassonne.state import Setup, State


def apply(state: State, setup: Setup, move: Move) -> State:
    """The position after a legal move."""
    match move:
        case Draw():
            return _draw(state, setup, move)
        case Place():
            return _place(state, move)
        case Put():
            return _put(state, setup, move)
        case Skip() if state.phase == "land":
            return _crash(state, setup)
        case Skip():
            return _end_turn(state, setup)
        case Recall():
            return _recall(state, setup)
        case Roll():
            rolled = replace(state, phase="land", die=move.die)
            return rolled if landings(rolled, setup) else _crash(rolled, setup)
        case Land():
            return _land(state, setup, move)


def final_lines(state: State, setup: Setup) -> tuple[Line, ...]:
    """Rules 2.2, final scoring: what the figures on the table are worth if the game ends now."""
    features = (feature for feature in state.board.features.values() if feature.meeples)
    return tuple(line for feature in features for line in lines(state.board, feature, setup.rules, state.turn + 1))


def _draw(state: State, setup: Setup, move: Draw) -> State:
    """Rules 2.2.2: a tile that fits nowhere is out of the game, also when it is the last one."""
    if any(state.board.fits(move.tile)):
        return replace(state, phase="place", tile=move.tile, stock=_without(state, move.tile))
    if setup.rules.unplaceable == "put_back":
        return state if _any_fits(state) else _finish(state, setup)
    drawn = replace(state, stock=_without(state, move.tile), discarded=(*state.discarded, move.tile))
    return drawn if drawn.stock else _finish(drawn, setup)


def _any_fits(state: State) -> bool:
    return any(any(state.board.fits(tile)) for tile in state.stock)


def _without(state: State, tile: str) -> dict[str, int]:
    """The stock without one tile."""
    stock = {**state.stock, tile: state.stock[tile] - 1}
    return {kind: count for kind, count in stock.items() if count}


def _place(state: State, move: Place) -> State:
    assert state.tile is not None
    cell = (move.x, move.y)
    return replace(state, phase="meeple", board=lay(state.board, state.tile, cell, move.rotation), cell=cell)


def _put(state: State, setup: Setup, move: Put) -> State:
    """Rules 2.2.3, 2.3.3: a meeple on the machine is committed before the die is rolled."""
    assert state.cell is not None
    taken = _supplied(state, [(state.player, move.figure)], -1)
    if on_machine(move):
        return replace(taken, phase="roll", flyer=move.figure)
    spot = spot_of(state, state.cell, move.feature, move.location)
    assert spot is not None
    return _end_turn(_standing(taken, move.figure, spot), setup)


def _land(state: State, setup: Setup, move: Land) -> State:
    """Rules 2.3.9: it is at once knight, highwayman or monk."""
    assert state.flyer is not None
    spots = (
        spot for spot, part in landings(state, setup) if (part.kind, part.location) == (move.feature, move.location)
    )
    return _end_turn(_standing(state, state.flyer, next(spots)), setup)


def _crash(state: State, setup: Setup) -> State:
    """Rules 2.3.8: the meeple returns, and no other is put in this turn."""
    assert state.flyer is not None
    return _end_turn(_supplied(state, [(state.player, state.flyer)], +1), setup)


def _recall(state: State, setup: Setup) -> State:
    """Option `abbot`: it scores its monastery or garden as if the game ended now, and returns."""
    abbot = abbot_on_table(state)
    assert abbot is not None
    line = recalled(state.board, state.board.at(abbot.spot), setup.rules, state.player, state.turn)
    without = replace(state, board=state.board.without_meeple(abbot))
    return _end_turn(_scored(_supplied(without, [(abbot.player, abbot.figure)], +1), (line,)), setup)


def _end_turn(state: State, setup: Setup) -> State:
    """Rules 2.2.4: score what the laid tile completed, return its meeples, and on to the next player."""
    for spot in completed(state):
        feature = state.board.at(spot)
        state = _scored(state, lines(state.board, feature, setup.rules, state.turn))
        state = _supplied(state, [(meeple.player, meeple.figure) for meeple in feature.meeples], +1)
        state = replace(state, board=state.board.without_meeples(spot))
    state = replace(state, tile=None, cell=None, flyer=None, die=None)
    if not state.stock:
        return _finish(state, setup)
    following = replace(state, phase="draw", turn=state.turn + 1, player=state.player % setup.players + 1)
    return following if setup.rules.unplaceable == "discard" or _any_fits(following) else _finish(state, setup)


def completed(state: State) -> Iterable[Spot]:
    """One part of each feature with meeples that the tile laid in this turn completed."""
    assert state.cell is not None
    x, y = state.cell
    spots = [spot for spot, _ in state.board.spots(state.cell)]
    for dx, dy in AROUND:
        if (x + dx, y + dy) in state.board.tiles:
            beside = state.board.spots((x + dx, y + dy))
            spots += [spot for spot, part in beside if part.kind in ("Monastery", "Garden")]
    seen = set()
    for spot in spots:
        number = state.board.feature_of[spot]
        feature = state.board.features[number]
        if feature.complete and feature.meeples and number not in seen:
            seen.add(number)
            yield spot


def _finish(state: State, setup: Setup) -> State:
    """Rules 2.2: the game ends after the turn in which the last tile was laid; what stands on the table is scored."""
    return replace(_scored(state, final_lines(state, setup)), phase="over")


def _standing(state: State, figure: Figure, spot: Spot) -> State:
    return replace(state, board=state.board.with_meeple(Meeple(state.player, figure, spot)))


def _supplied(state: State, figures: Iterable[tuple[int, Figure]], by: int) -> State:
    """Figures taken from their players' supplies, or returned to them."""
    supply, abbots = list(state.supply), list(state.abbots)
    for player, figure in figures:
        (supply if figure == "meeple" else abbots)[player - 1] += by
    return replace(state, supply=tuple(supply), abbots=tuple(abbots))


def _scored(state: State, more: tuple[Line, ...]) -> State:
    points = list(state.points)
    for line in more:
        points[line.player - 1] += line.points
    return replace(state, points=tuple(points), lines=(*state.lines, *more))
