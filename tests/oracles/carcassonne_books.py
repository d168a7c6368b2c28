"""Carcassonne as a careful person with paper would keep its books: slow, naive, by the rules text alone.

Nothing is kept but which tile lies where and who stands on which part of it. Every question is answered by looking at
the whole table again: parts of tiles are drawn as points on the sides they touch, and parts that share a point are one
feature. Points are counted in quarters of a tile's side.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from rules.carcassonne.tiles import TILES

TILE = 4
SIDE_POINT = {"N": (0, -2), "E": (2, 0), "S": (0, 2), "W": (-2, 0)}
HALF_POINT = {
    "NL": (-1, -2),
    "NR": (1, -2),
    "EL": (2, -1),
    "ER": (2, 1),
    "SL": (1, 2),
    "SR": (-1, 2),
    "WL": (-2, 1),
    "WR": (-2, -1),
}
Part = tuple[tuple[int, int], int]
"""A cell, and which of its tile's parts."""


def around(cell):
    return [(cell[0] + dx, cell[1] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


def turn(point, rotation):
    x, y = point
    for _ in range(rotation // 90):
        x, y = -y, x
    return x, y


def drawn(kind: str, location: str) -> list:
    """Points of a part of a tile at rotation 0, its middle being the origin."""
    if kind == "Field":
        return [HALF_POINT[half] for half in location.split(".")]
    if kind in ("Road", "City"):
        named = set(location.lstrip("_"))
        return [point for side, point in SIDE_POINT.items() if (side in named) != location.startswith("_")]
    return []


class Books:
    """The table, and what everybody has."""

    def __init__(self, players: int, options: Mapping[str, object]) -> None:
        self.options = options
        self.tiles: dict[tuple[int, int], tuple[str, int]] = {(0, 0): ("BA/RCr", 0)}
        self.standing: list[tuple[int, str, Part]] = []
        self.supply = Counter({(player, "meeple"): 7 for player in range(1, players + 1)})
        if options.get("abbot"):
            self.supply.update({(player, "abbot"): 1 for player in range(1, players + 1)})
        self.points = Counter(dict.fromkeys(range(1, players + 1), 0))

    # -- the table --

    def kind(self, part: Part) -> str:
        cell, i = part
        return TILES[self.tiles[cell][0]].parts[i].kind

    def parts(self, cell) -> list[Part]:
        return [(cell, i) for i, part in enumerate(TILES[self.tiles[cell][0]].parts) if part.kind != "FlyingMachine"]

    def ends(self, part: Part) -> set:
        """Where on the table a part touches the sides of its tile."""
        (x, y), i = part
        tile, rotation = self.tiles[x, y]
        shown = TILES[tile].parts[i]
        points = (turn(p, rotation) for p in drawn(shown.kind, shown.location))
        return {(TILE * x + dx, TILE * y + dy) for dx, dy in points}

    def side(self, tile: str, rotation: int, towards) -> str:
        """What a tile shows on the side towards a neighbour: R, C or F."""
        point = (towards[0] * 2, towards[1] * 2)
        for part in TILES[tile].parts:
            if part.kind != "Field" and point in [turn(p, rotation) for p in drawn(part.kind, part.location)]:
                return part.kind[0]
        return "F"

    def placements(self, tile: str) -> set:
        """Rules 2.2.2: everywhere and in every turn, does it lie beside a tile and match all of them."""
        found = set()
        beside = {(x + dx, y + dy) for x, y in self.tiles for dx, dy in ((0, 1), (0, -1), (1, 0), (-1, 0))}
        for x, y in beside - set(self.tiles):
            for rotation in (0, 90, 180, 270):
                fits = True
                for dx, dy in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                    if (x + dx, y + dy) in self.tiles:
                        theirs = self.side(*self.tiles[x + dx, y + dy], (-dx, -dy))
                        fits = fits and self.side(tile, rotation, (dx, dy)) == theirs
                if fits:
                    found.add((x, y, rotation))
        return found

    def features(self) -> list[set[Part]]:
        """Parts that share a point with another of their kind, directly or through others."""
        at = defaultdict(set)
        everything = [part for cell in self.tiles for part in self.parts(cell)]
        for part in everything:
            for point in self.ends(part):
                at[self.kind(part), point].add(part)
        features, seen = [], set()
        for part in everything:
            if part in seen:
                continue
            feature, todo = set(), [part]
            while todo:
                one = todo.pop()
                if one not in feature:
                    feature.add(one)
                    todo += [other for point in self.ends(one) for other in at[self.kind(one), point]]
            seen |= feature
            features.append(feature)
        return features

    def feature(self, part: Part) -> set[Part]:
        return next(feature for feature in self.features() if part in feature)

    def complete(self, feature: set[Part]) -> bool:
        (cell, _), kind = (part := next(iter(feature))), self.kind(part)
        if kind == "Field":
            return False
        if kind in ("Monastery", "Garden"):
            return all(beside in self.tiles for beside in around(cell))
        touched = Counter(point for one in feature for point in self.ends(one))
        return all(number == 2 for number in touched.values())

    # -- meeples --

    def takes(self, kind: str, figure: str) -> bool:
        if figure == "abbot":
            return kind in ("Monastery", "Garden")
        return kind in ("Road", "City", "Monastery") or (kind == "Field" and bool(self.options.get("farmers", True)))

    def on(self, feature: set[Part]) -> list[tuple[int, str, Part]]:
        return [meeple for meeple in self.standing if meeple[2] in feature]

    def places(self, cell, figure: str) -> set[Part]:
        """Rules 2.2.3."""
        free = [part for part in self.parts(cell) if self.takes(self.kind(part), figure)]
        taken = [feature for feature in self.features() if self.on(feature)]
        return {part for part in free if not any(part in feature for feature in taken)}

    def landings(self, cell, die: int, figure: str) -> set[Part]:
        """Rules 2.3.4 to 2.3.6."""
        tile, rotation = self.tiles[cell]
        dx, dy = turn(TILES[tile].flight, rotation)
        way = [(cell[0] + d * dx, cell[1] + d * dy) for d in range(1, die + 1)]
        if not self.options.get("flight_over_gaps", True) and not all(c in self.tiles for c in way):
            return set()
        if way[-1] not in self.tiles:
            return set()
        parts = [p for p in self.parts(way[-1]) if self.kind(p) != "Field" and self.takes(self.kind(p), figure)]
        return {part for part in parts if not self.complete(self.feature(part))}

    def put(self, player: int, figure: str, part: Part) -> None:
        self.supply[player, figure] -= 1
        self.standing.append((player, figure, part))

    def take_back(self, meeple: tuple[int, str, Part]) -> None:
        self.supply[meeple[:2]] += 1
        self.standing.remove(meeple)

    # -- points --

    def worth(self, feature: set[Part]) -> int:
        """Rules 2.2, the table of points."""
        part = next(iter(feature))
        kind, tiles = self.kind(part), {cell for cell, _ in feature}
        if kind == "Road":
            return len(tiles)
        if kind in ("Monastery", "Garden"):
            return 1 + sum(beside in self.tiles for beside in around(part[0]))
        if kind == "City":
            count = len(tiles) + sum(TILES[self.tiles[cell][0]].parts[i].pennants for cell, i in feature)
            tiny = len(tiles) == 2 and self.options.get("tiny_city_points", 4) == 2
            return 2 * count if self.complete(feature) and not tiny else count
        fed = {frozenset(self.feature(city)) for one in feature for city in self.touched(one)}
        return 3 * sum(self.complete(set(city)) for city in fed)

    def touched(self, field: Part) -> list[Part]:
        cell, i = field
        parts = TILES[self.tiles[cell][0]].parts
        return [(cell, k) for k, part in enumerate(parts) if part.kind == "City" and part.location in parts[i].touches]

    def score(self, feature: set[Part]) -> None:
        """Rules 2.2, majority."""
        number = Counter(player for player, _, _ in self.on(feature))
        for player, count in number.items():
            if count == max(number.values()):
                self.points[player] += self.worth(feature)

    def end_turn(self) -> None:
        """Rules 2.2.4."""
        for feature in self.features():
            if self.on(feature) and self.complete(feature):
                self.score(feature)
                for meeple in self.on(feature):
                    self.take_back(meeple)

    def recall(self, player: int) -> None:
        """Option `abbot`."""
        abbot = next(m for m in self.standing if m[:2] == (player, "abbot"))
        self.points[player] += self.worth(self.feature(abbot[2]))
        self.take_back(abbot)

    def end(self) -> None:
        """Rules 2.2, final scoring."""
        for feature in self.features():
            if self.on(feature):
                self.score(feature)
