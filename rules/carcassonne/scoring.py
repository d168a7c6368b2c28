"""What a feature is worth, and to whom (rules 2.2): the points, and the tiles, pennants and cities that make them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from rules.carcassonne.board import Board, Feature, Meeple, Spot
from rules.carcassonne.geometry import AROUND, Cell
from rules.carcassonne.house_rules import HouseRules

FIELD_POINTS = 3
"""For each completed city that touches a field."""


@dataclass(frozen=True)
class Value:
    """What a feature is worth to whoever owns it."""

    points: int
    rule: str
    """`road`, `city`, `monastery` or `garden`, with `.incomplete` at the end of the game; `city.tiny`; `field`."""
    cells: tuple[Cell, ...]
    """The tiles that count, or that a field covers; around a monastery or garden the laid ones, its own first."""
    pennants: int = 0
    cities: tuple[tuple[Cell, ...], ...] = ()
    """A field: the tiles of each completed city that it feeds."""


@dataclass(frozen=True)
class Line:
    """Points of one player for one feature."""

    player: int
    points: int
    rule: str
    """As in `Value`; `monastery.recalled` and `garden.recalled` when an abbot was called back."""
    turn: int
    """In which turn; the end of the game counts as one more."""
    spots: tuple[Spot, ...]
    """The parts of the feature."""
    cells: tuple[Cell, ...]
    pennants: int = 0
    cities: tuple[tuple[Cell, ...], ...] = ()
    meeples: tuple[Meeple, ...] = ()
    """Everybody's on the feature: the player has the most of them, alone or with others."""


def owners(feature: Feature) -> tuple[int, ...]:
    """Rules 2.2, majority: who has the most meeples on it; several when they are equal, none without meeples."""
    number = Counter(meeple.player for meeple in feature.meeples)
    return tuple(sorted(player for player in number if number[player] == max(number.values())))


def value(board: Board, feature: Feature, rules: HouseRules) -> Value:
    """Rules 2.2, completion and points: what the feature is worth as it is now."""
    if feature.kind == "Field":
        return _field(board, feature)
    ending = "" if feature.complete else ".incomplete"
    if feature.kind in ("Monastery", "Garden"):
        cells = _around(board, feature)
        return Value(len(cells), feature.kind.lower() + ending, cells)
    cells = tuple(sorted(feature.cells))
    if feature.kind == "Road":
        return Value(len(cells), "road" + ending, cells)
    if feature.complete and len(cells) == 2 and rules.tiny_city_points == 2:
        return Value(len(cells) + feature.pennants, "city.tiny", cells, feature.pennants)
    each = 2 if feature.complete else 1
    return Value(each * (len(cells) + feature.pennants), "city" + ending, cells, feature.pennants)


def lines(board: Board, feature: Feature, rules: HouseRules, turn: int) -> tuple[Line, ...]:
    """What its owners get for a feature; nothing when nobody stands there."""
    return tuple(line(player, feature, value(board, feature, rules), turn) for player in owners(feature))


def recalled(board: Board, feature: Feature, rules: HouseRules, player: int, turn: int) -> Line:
    """What a player gets for an abbot called back: his alone, whoever else is there (option `abbot`)."""
    worth = value(board, feature, rules)
    return line(player, feature, replace(worth, rule=f"{feature.kind.lower()}.recalled"), turn)


def line(player: int, feature: Feature, worth: Value, turn: int) -> Line:
    """The points of one player."""
    return Line(
        player,
        worth.points,
        worth.rule,
        turn,
        feature.spots,
        worth.cells,
        worth.pennants,
        worth.cities,
        feature.meeples,
    )


def _field(board: Board, feature: Feature) -> Value:
    """Each completed city counts once, however often the field touches it; it may feed other fields as well."""
    touched = {board.feature_of[spot] for spot in feature.cities}
    cities = [board.features[number] for number in touched if board.features[number].complete]
    return Value(
        FIELD_POINTS * len(cities),
        "field",
        tuple(sorted(feature.cells)),
        cities=tuple(sorted(tuple(sorted(city.cells)) for city in cities)),
    )


def _around(board: Board, feature: Feature) -> tuple[Cell, ...]:
    """A monastery's or garden's tile, and those around it that lie."""
    (x, y, _) = feature.spots[0]
    others = [(x + dx, y + dy) for dx, dy in AROUND if (x + dx, y + dy) in board.tiles]
    return ((x, y), *others)
