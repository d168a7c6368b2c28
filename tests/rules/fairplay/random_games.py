"""Random games with a real deck: shuffled tiles and cards, hands that really hold what is turned up.

`random_games(seeds)` yields for each seed what was agreed, the seed, every move and the summary of every position (one
more than the moves), all options and numbers of players among them. What the players hold is kept here, apart from the
engine, which is told as much of it as a table might see: nothing but what is turned up, some of it, or all.

Whatever else must agree with the engine can play the same moves and compare the summaries:

    for options, seed, moves, summaries in random_games(range(10_000)):
        ...
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from rules.fairplay import (
    Discard,
    Draw,
    DriveOn,
    Game,
    HouseRules,
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
    summary,
)
from rules.fairplay.pieces import CARDS, DIE, FINISH, PANNE, PUNCTURE, START, TILES, UNKNOWN

MOST_MOVES = 6000
"""A game is broken off here; hardly any takes so long."""

CHOICES: dict[str, tuple[Any, ...]] = {
    "tile_capacity": (1, 2, 3),
    "refuel_timing": ("on_arrival",),
    "refuel_draw": (0, 1, 2),
    "min_die_steps": (1, 2, 3),
    "peek_then_stop": (True,),
    "remontee_limits": ("laid_track", "none"),
    "jump_can_win": (False,),
    "reverse_full_tile": ("allow",),
    "garage_here": (False,),
    "finish_capacity": (1, 2, None),
    "win_any_time": (False,),
    "order": ("full_lot",),
    "tile_shape": ({"road.narrow": "straight", "road.roadworks": "curve"},),
}
"""Values that differ from the defaults."""


class Played(NamedTuple):
    options: dict[str, Any]
    """`players`, `order`, `hands` (what is told of the deal) and `house_rules`, as `Game` takes them; plain data."""
    seed: int
    moves: list[Move]
    summaries: list[dict[str, Any]]


def random_games(seeds: Iterable[int]) -> Iterator[Played]:
    for seed in seeds:
        yield play(seed).played()


class Table:
    """One game at a table where every card is really somewhere."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.dice = dice = random.Random(seed)
        players = dice.randint(2, 6)
        rules = {name: dice.choice(values) for name, values in CHOICES.items() if dice.random() < 0.3}
        if dice.random() < 0.2:
            rules["start_capacity"] = players
        first = dice.randrange(players)
        order = [(first + step) % players + 1 for step in range(players)]
        if "order" in rules:
            dice.shuffle(order)
        self.seen = dice.choice((0.0, 0.0, 0.3, 1.0))
        """The chance that a card which players keep secret is told to the engine."""
        self.told_ways = dice.choice((0.0, 0.9, 1.0))
        self.tiles = _tile_pile(dice)
        self.cards = _shuffled(CARDS, dice)
        self.discards: list[str] = []
        self.hands = [[self.cards.pop() for _ in range(3)] for _ in range(players)]
        told = {p: [card for card in hand if self._shown()] for p, hand in enumerate(self.hands, 1)}
        self.options: dict[str, Any] = {"players": players, "order": order, "hands": told, "house_rules": rules}
        self.game = game_of(self.options)
        self.summaries = [summary(self.game)]

    def played(self) -> Played:
        return Played(self.options, self.seed, self.game.moves, self.summaries)

    def move(self) -> None:
        """One move more, and what it does to the cards on the table."""
        move = self._choose()
        before = self.game.state
        self.game.push(move)
        self.summaries.append(summary(self.game))
        match move:
            case Mend():
                self.discards.append(PUNCTURE)
            case Refuel():
                self.discards += [PANNE] * before.faceup[move.player - 1].count(PANNE)
            case Reveal() if move.card not in (PANNE, PUNCTURE):
                self.discards.append(move.card)

    def _choose(self) -> Move:
        game, dice = self.game, self.dice
        player = game.actor
        assert player is not None
        match game.state.phase:
            case "mend":
                return Mend(player)
            case "roll":
                thirsty = PANNE in game.state.faceup[player - 1]
                if game.why_illegal(Refuel(player)) is None and dice.random() < (0.5 if thirsty else 0.05):
                    return Refuel(player)
                return Roll(player, dice.choice(DIE))
            case "arrive":
                return dice.choice((Refuel(player), DriveOn(player)))
            case "move":
                if dice.random() < 0.1 and game.why_illegal(Stop(player)) is None:
                    return Stop(player)
                return Step(player) if game.why_illegal(Step(player)) is None else self._lay(player)
            case "jump":
                return self._lay(player)
            case "draw" | "fill":
                if not self.cards:
                    self.cards, self.discards = self.discards, []
                    dice.shuffle(self.cards)
                card = self.cards.pop()
                self.hands[player - 1].append(card)
                return Draw(player, card if self._shown() else UNKNOWN)
            case "offer":
                others = [p for p in game.players if game.why_illegal(Offer(player, p)) is None]
                hand = self.hands[player - 1]
                self.offered = hand.pop(dice.randrange(len(hand)))
                return Offer(player, dice.choice(others), self.offered if self._shown() else UNKNOWN)
            case "reply":
                return Reply(player, dice.random() < 0.5)
            case "reveal":
                return Reveal(player, self.offered)
        hand = self.hands[player - 1]
        card = hand.pop(dice.randrange(len(hand)))
        self.discards.append(card)
        return Discard(player, card if self.seen == 1 or dice.random() < 0.7 else UNKNOWN)

    def _lay(self, player: int) -> Lay:
        tile = self.tiles.pop()
        ways = [way for way in ("left", "right", "straight") if self.game.why_illegal(Lay(player, tile, way)) is None]
        return Lay(player, tile, self.dice.choice(ways) if self.dice.random() < self.told_ways else "")

    def _shown(self) -> bool:
        return self.dice.random() < self.seen


def play(seed: int) -> Table:
    """A whole game."""
    table = Table(seed)
    while not table.game.is_over and len(table.game.moves) < MOST_MOVES:
        table.move()
    return table


def game_of(options: dict[str, Any]) -> Game:
    """A new game as agreed."""
    rules = HouseRules.of(options["house_rules"])
    return Game(options["players"], order=options["order"], hands=options["hands"], house_rules=rules)


def _shuffled(counts: dict[str, int], dice: random.Random) -> list[str]:
    pieces = [kind for kind, count in counts.items() for _ in range(count)]
    dice.shuffle(pieces)
    return pieces


def _tile_pile(dice: random.Random) -> list[str]:
    """Rules 3.2.1, the next tile last: 23 tiles without the finish lie above 24 with it."""
    tiles = _shuffled({kind: count for kind, count in TILES.items() if kind not in (START, FINISH)}, dice)
    lower = [*tiles[23:], FINISH]
    dice.shuffle(lower)
    return lower + tiles[:23]
