"""Random games of the engine put on a table: what a camera would see of them, still by still.

`Tabletop(seed)` plays one of `random_games` and shows a scene after everything that people do with their hands: the die
thrown, a tile laid, a car moved, a card laid down, turned up, put away. How a table goes about it is drawn by lot, too:
tiles all at once or one before each step, refused cards handed back or turned up where they lie, discards in sight or
not. Nothing here is taken from the referee's own code but the vocabulary of a scene.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

from rules.fairplay import Discard, Draw, DriveOn, Lay, Mend, Move, Offer, Refuel, Reply, Reveal, Roll, Step, Stop
from rules.fairplay.pieces import DIE, PANNE, PUNCTURE
from rules.session import Player, Session
from tests.rules.fairplay import random_games
from tests.rules.fairplay.recorded import car, die, flat
from vision.scene import CameraState, Piece, Quad, Scene

NAMES = ("Anna", "Ben", "Clara", "Dora", "Emil", "Finn")
COLOURS = ("red", "blue", "yellow", "green", "black", "white")
SIDES = ("S", "W", "N", "E", "S", "N")
"""Clockwise as seen in the picture from the south; the fifth and the sixth share a side with another."""
HALF = (1200.0, 900.0)
"""Half the table, wide enough for any road, mm."""
CARD = (59.0, 91.0)
SEATS = {1: (-200.0, "S"), 2: (0.0, "W"), 3: (-200.0, "N"), 4: (0.0, "E"), 5: (200.0, "S"), 6: (200.0, "N")}
"""Where along their side players lay cards, mm from its middle."""


class Table(random_games.Table):
    """A game in which nobody fills up who lacks nothing: that would be to say "I pass", which is heard, not seen."""

    def _choose(self) -> Move:
        move = super()._choose()
        if isinstance(move, Refuel) and PANNE not in self.game.state.faceup[move.player - 1]:
            return Roll(move.player, self.dice.choice(DIE)) if self.game.state.phase == "roll" else DriveOn(move.player)
        return move


class Tabletop:
    """One game and its table."""

    def __init__(self, seed: int, most_moves: int = 400, sides: bool = True) -> None:
        self.lot = lot = random.Random(seed * 7919 + 1)
        while True:
            self.game_table = Table(seed)
            players = self.game_table.options["players"]
            if (sides and players > 4) or "order" in self.game_table.options["house_rules"]:
                seed += 100_000  # two at one side cannot be told apart; a session lists its players as they take turns
                continue
            break
        self.seed = seed
        self.most_moves = most_moves
        self.ahead = lot.random() < 0.6
        """All tiles of a move are laid before the car moves."""
        self.hands_back = lot.random() < 0.6
        """A refused card goes back to who offered it, and is turned up there."""
        self.discards_seen = lot.random() < 0.4
        self.slop_deg = 2.0 if lot.random() < 0.5 else 0.5
        options = self.game_table.options
        first = options["order"][0]
        self.rules = options["house_rules"]
        self.session = Session(
            game="fairplay",
            deck="deck",
            dealer=first,
            player=tuple(
                Player(number=n, name=NAMES[n - 1], colour=COLOURS[n - 1], side=SIDES[n - 1])  # type: ignore[arg-type]
                for n in range(1, players + 1)
            ),
            house_rules=self.rules,
        )
        self.t = 0.0
        self.shapes = {"road.curve": "curve"} | options["house_rules"].get("tile_shape", {})
        self.drawn = {kind: lot.randrange(4) for kind in ("straight", "curve", "road.start")}
        """How the deck draws its roads: by how many quarter turns."""
        self.ways = self._plan()
        self.tiles: list[tuple[str, str, Quad]] = []
        self.pose = (0.0, 0.0, lot.uniform(0, 360))
        """Where the next tile goes: middle of its entry edge and heading."""
        self.cars = {n: self._parked(0, n) for n in range(1, players + 1)}
        self.cards: dict[str, tuple[str, Quad]] = {"pile": ("back", self._card(-HALF[0] + 300, -HALF[1] + 300))}
        self.die: tuple[int | None, float, float, int] = (lot.choice((1, 2, 3)), 200.0, 300.0, 0)
        self.piece_ids: dict[str, str] = {}
        self.cards_laid = 0

    # -- the game -----------------------------------------------------------------------------------------------

    def play(self) -> Iterator[tuple[str, Scene]]:
        """A scene after each thing done, and what was done."""
        self._lay_tile("road.start")
        self.cars = {n: self._parked(0, n) for n in self.cars}
        yield "start", self.scene()
        game = self.game_table.game
        while not self._enough():
            before = game.state
            self.game_table.move()
            yield from self._shown(before, game.moves[-1])
        if self.moved():
            yield "car moved", self.scene()

    def _enough(self) -> bool:
        """The race is over, or broken off between two turns."""
        game = self.game_table.game
        return game.is_over or (len(game.moves) >= self.most_moves and game.state.phase in ("roll", "mend"))

    def _shown(self, before: Any, move: Move) -> Iterator[tuple[str, Scene]]:
        state = self.game_table.game.state
        match move:
            case Roll(value=value):
                self._put_spent_away()
                self._throw(value)
                yield "die", self.scene()
            case Mend(player=player):
                self._take_before(player, PUNCTURE)
                yield "puncture discarded", self.scene()
            case Refuel(player=player):
                if PANNE in before.faceup[player - 1]:
                    self._take_before(player, PANNE)
                    yield "filled up", self.scene()
            case Lay(tile=tile):
                self._lay_tile(tile)
                yield "tile laid", self.scene()
            case Offer(to=to):
                self._put_spent_away()
                self.cards_laid += 1
                self.on_offer = f"card{self.cards_laid}"
                self.cards[self.on_offer] = "back", self._before(to)
                self.offered_to, self.offered_by = to, move.player
                yield "offered", self.scene()
            case Reveal(player=user, card=card):
                _, quad = self.cards.pop(self.on_offer)
                if user == self.offered_by and self.hands_back:
                    quad = self._before(user)
                name = f"{self.on_offer}.{card}"
                self.cards[name] = card, quad
                yield "turned up", self.scene()
                if card in (PANNE, PUNCTURE):
                    if user == self.offered_by and not self.hands_back:
                        self.cards[name] = card, self._before(user)
                        yield "card moved", self.scene()
                    self.cards[f"{name} before {user}"] = self.cards.pop(name)
                    self.piece_ids[f"{name} before {user}"] = self.piece_ids.get(name, name)
                else:
                    self.spent = name
            case Discard(card=card) if self.discards_seen and card != "unknown":
                self._discard(card)
                yield "discarded", self.scene()
            case Draw() | DriveOn() | Reply() | Discard() | Step() | Stop():
                pass
        stepping = state.phase == "move" and isinstance(move, Step | Lay | Roll | Reveal)
        if (not self.ahead or not stepping) and self.moved():
            yield "car moved", self.scene()
            if self.lot.random() < 0.7 and state.phase != "move" and self._put_spent_away():
                yield "card put away", self.scene()

    spent = ""
    """The movement card that was used last and still lies there."""
    on_offer = ""
    offered_to = offered_by = 0

    def moved(self) -> bool:
        """Puts the cars where the engine has them; True when one was moved."""
        state = self.game_table.game.state
        wrong = [n for n in self.cars if self.at.get(n, 0) != state.position(n)]
        for n in wrong:
            self.cars[n] = self._parked(state.position(n), n)
            self.at[n] = state.position(n)
        return bool(wrong)

    @property
    def at(self) -> dict[int, int]:
        """Tiles of the cars as they stand on the table."""
        self._at: dict[int, int] = getattr(self, "_at", {})
        return self._at

    # -- things on the table ------------------------------------------------------------------------------------

    def _plan(self) -> list[str]:
        """How each tile of the pile is to lead on, so that the road never runs into itself."""
        kinds = ["road.start", *reversed(self.game_table.tiles)]
        ways: list[str] = []

        def on(cell: tuple[int, int], heading: tuple[int, int], taken: set[tuple[int, int]]) -> bool:
            if len(ways) == len(kinds):
                return True
            shape = self.shapes.get(kinds[len(ways)], "straight")
            choices = ["straight"] if shape == "straight" else self.lot.sample(["left", "right"], 2)
            for way in choices:
                x, y = heading
                turned = {"left": (y, -x), "right": (-y, x), "straight": heading}[way]
                following = cell[0] + turned[0], cell[1] + turned[1]
                if following in taken:
                    continue
                ways.append(way)
                budget[0] -= 1
                if budget[0] > 0 and on(following, turned, taken | {cell}):
                    return True
                ways.pop()
            return False

        for _ in range(200):
            budget = [3000]
            ways.clear()
            if on((0, 0), (1, 0), set()):
                return ways
        raise AssertionError("no road found")

    def _lay_tile(self, kind: str) -> None:
        n = len(self.tiles)
        way = self.ways[n]
        x, y, heading = self.pose
        heading += self.lot.uniform(-self.slop_deg, self.slop_deg)
        gap, aside = self.lot.uniform(0, 1.0), self.lot.uniform(-0.8, 0.8)
        c, s = math.cos(math.radians(heading)), math.sin(math.radians(heading))
        cx, cy = x + (30 + gap) * c - aside * s, y + (30 + gap) * s + aside * c
        turn = {"left": -90.0, "right": 90.0, "straight": 0.0}[way]
        # The outline begins where the deck's picture has its top left: decks draw their roads as they like.
        quarter = self.drawn["curve" if self.shapes.get(kind) == "curve" else "straight"]
        flip = 1 if way == "right" else 0
        corners = _square(cx, cy, heading + 90 * (quarter + flip))
        self.tiles.append((f"t{n}", kind, corners))
        heading += turn
        c, s = math.cos(math.radians(heading)), math.sin(math.radians(heading))
        self.pose = (cx + 30 * c, cy + 30 * s, heading)
        self.middles = [*getattr(self, "middles", []), (cx, cy, heading)]

    def _parked(self, tile: int, player: int) -> tuple[float, float]:
        """A place on a tile, at least 8 mm from its border."""
        if not self.tiles:
            return 0.0, 0.0
        x, y, heading = self.middles[min(tile, len(self.tiles) - 1)]
        if tile == len(self.tiles):  # beyond the finish
            x, y = x + 55 * math.cos(math.radians(heading)), y + 55 * math.sin(math.radians(heading))
        r, a = self.lot.uniform(0, 20), self.lot.uniform(0, 2 * math.pi)
        return x + r * math.cos(a), y + r * math.sin(a)

    def _throw(self, value: int) -> None:
        _, x, y, throws = self.die
        if self.lot.random() < 0.7:
            x, y = self.lot.uniform(-300, 300), self.lot.uniform(-300, 300)
        self.die = value, x + self.lot.uniform(-3, 3), y, throws + 1

    def _before(self, player: int) -> Quad:
        along, side = SEATS[player]
        along += self.lot.uniform(-15, 15)
        out = self.lot.uniform(60, 75)
        w, h = HALF
        x, y = {"S": (along, h - out), "N": (along, out - h), "W": (out - w, along), "E": (w - out, along)}[side]
        taken = [quad for name, (_, quad) in self.cards.items() if f"before {player}" in name]
        return self._card(x + 100 * len(taken), y) if side in "SN" else self._card(x, y + 120 * len(taken))

    def _card(self, x: float, y: float) -> Quad:
        w, h = CARD[0] / 2, CARD[1] / 2
        return (x - w, y - h), (x + w, y - h), (x + w, y + h), (x - w, y + h)

    def _put_spent_away(self) -> bool:
        """The movement card that was used goes to the discard pile."""
        if self.spent not in self.cards:
            return False
        face, _ = self.cards.pop(self.spent)
        if self.discards_seen:
            self._discard(face)
        return True

    def _discard(self, face: str) -> None:
        for name in [name for name in self.cards if name.startswith("discard")]:
            del self.cards[name]
        self.cards_laid += 1
        self.cards[f"discard{self.cards_laid}"] = face, self._card(-HALF[0] + 370, -HALF[1] + 300)

    def _take_before(self, player: int, face: str) -> None:
        for name in [n for n, (f, _) in self.cards.items() if n.endswith(f"before {player}") and f == face]:
            del self.cards[name]

    # -- seeing it ----------------------------------------------------------------------------------------------

    def scene(self, hide: tuple[str, ...] = ()) -> Scene:
        """What a camera measures now, with its errors; `hide`: pieces under a hand."""
        self.t += 1.5
        pieces: list[Piece] = [flat(n, "tile", kind, self._seen(quad)) for n, kind, quad in self.tiles]
        pieces += [
            flat(self.piece_ids.get(n, n), "card", face, self._seen(quad)) for n, (face, quad) in self.cards.items()
        ]
        pieces.append(flat("tiles", "tile", "back", self._seen(self._card(-HALF[0] + 100, -HALF[1] + 100))))
        for n, (x, y) in self.cars.items():
            dx, dy = self.lot.gauss(0, 0.6), self.lot.gauss(0, 0.6)
            pieces.append(car(COLOURS[n - 1], x + dx, y + dy, foot_sigma_mm=0.8))
        pieces.append(die(*self.die))
        w, h = HALF
        return Scene(
            t=self.t,
            camera=CameraState(solved=True, rms_px=0.2),
            size_px=(1280, 720),
            view_mm=((-w, -h), (w, -h), (w, h), (-w, h)),
            pieces=tuple(self.lot.sample([p for p in pieces if p.id not in hide], len(pieces) - len(set(hide)))),
        )

    def _seen(self, quad: Quad) -> Quad:
        dx, dy = self.lot.gauss(0, 0.2), self.lot.gauss(0, 0.2)
        a, b, c, d = ((x + dx, y + dy) for x, y in quad)
        return a, b, c, d


def _square(x: float, y: float, angle: float) -> Quad:
    corners = []
    for k in range(4):
        a = math.radians(angle + 225 + 90 * k)
        corners.append((x + 30 * math.sqrt(2) * math.cos(a), y + 30 * math.sqrt(2) * math.sin(a)))
    a, b, c, d = corners
    return a, b, c, d
