"""Fair Play a second time, naively, from the rules text alone: what `rules.fairplay` must agree with.

Nothing here is clever or quick. Only the words for moves are shared with the engine. What nobody was told is handled
by listing every way it can have been (`Held`). The numbers in the docstrings are the clauses of the rules text; where
the text leaves a choice the docstring says "read as".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.fairplay import Discard, Draw, DriveOn, Lay, Mend, Move, Offer, Refuel, Reply, Reveal, Roll, Step, Stop

# 3.1
TILES = {
    "road.curve": 23,
    "road.straight": 13,
    "road.start": 1,
    "road.finish": 1,
    "road.narrow": 2,
    "road.garage": 3,
    "road.station": 3,
    "road.roadworks": 2,
}
CARDS = {
    "card.plus1": 10,
    "card.plus2": 8,
    "card.plus3": 6,
    "card.minus1": 5,
    "card.minus2": 3,
    "card.minus3": 3,
    "card.trouble": 4,
    "card.panne": 5,
    "card.puncture": 4,
    "card.shortcut": 2,
    "card.catchup": 5,
}
# 3.7
DEFAULTS: dict[str, Any] = {
    "tile_capacity": 4,
    "refuel_timing": "whole_turn",
    "refuel_draw": 3,
    "min_die_steps": 0,
    "peek_then_stop": False,
    "remontee_limits": "obstacles",
    "jump_can_win": True,
    "reverse_full_tile": "back_one_more",
    "garage_here": True,
    "finish_capacity": 4,
    "win_any_time": True,
    "tile_shape": {},
}
UNKNOWN = "unknown"
NO_CARD = "there is no such card there"
"""A refusal because of what is known of the cards."""
TURNS: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "left": lambda x, y: (-y, x),
    "right": lambda x, y: (y, -x),
    "straight": lambda x, y: (x, y),
}


class RefusedError(Exception):
    """The move breaks a rule."""


def must(condition: object, why: str) -> None:
    if not condition:
        raise RefusedError(why)


@dataclass(frozen=True)
class Held:
    """One way in which the cards that somebody was told of can lie: each a sorted tuple of kinds."""

    hands: tuple[tuple[str, ...], ...]
    """Of every player, what is known to be in his hand; the rest of it may be anything."""
    used: tuple[str, ...] = ()
    """What is known to lie in the discard pile."""
    offered: str = ""
    """The card on the table: its kind, `unknown`, or none."""


class Race:
    """A game in progress. `why_not(move)` says why it cannot be; `play(move)` carries it out, or raises why not."""

    def __init__(
        self, players: int, order: Iterable[int], hands: Mapping[int, Iterable[str]], house_rules: Mapping[str, Any]
    ) -> None:
        self.rule = {**DEFAULTS, **house_rules}
        self.players = range(1, players + 1)
        self.order = list(order)
        self.where = dict.fromkeys(self.players, 0)
        self.track = ["road.start"]
        self.ways: list[str] = []  # of the tiles after start
        self.faceup: dict[int, list[str]] = {p: [] for p in self.players}
        self.size = dict.fromkeys(self.players, 3)
        self.pile = sum(CARDS.values()) - 3 * players
        self.held = {Held(tuple(tuple(sorted(hands.get(p, ()))) for p in self.players))}
        self.winner: int | None = None
        self.offerer_and_other = (0, 0)
        self.user = 0  # who moves, or uses a card
        self.by_die = False
        self.points = 0  # steps still to go
        self.steps = 0  # steps gone
        self.turned = False  # whether a tile was turned for the step now due
        self.to_draw = 0
        self.goal = 0  # place of a jump
        self.begin_turn(self.order[0])

    def summary(self) -> dict[str, Any]:
        return {
            "positions": [self.where[p] for p in self.players],
            "track": self.track,
            "faceup": [self.faceup[p] for p in self.players],
            "hands": [self.size[p] for p in self.players],
            "player": self.player,
            "actor": self.actor,
            "phase": self.phase,
            "winner": self.winner,
        }

    @property
    def actor(self) -> int | None:
        if self.phase == "over":
            return None
        if self.phase == "reply":
            return self.offerer_and_other[1]
        if self.phase in ("move", "jump", "reveal", "discard"):
            return self.user
        return self.player

    def why_not(self, move: Move) -> str | None:
        before = dict(vars(self))  # lists in it are copied below, sets and tuples are never changed in place
        for name in ("track", "ways"):
            setattr(self, name, list(getattr(self, name)))
        self.where, self.size = dict(self.where), dict(self.size)
        self.faceup = {p: list(cards) for p, cards in self.faceup.items()}
        try:
            self.play(move)
        except RefusedError as refused:
            return str(refused)
        finally:
            vars(self).update(before)
        return None

    def play(self, move: Move) -> None:
        must(self.phase != "over", "the game is over")
        must(move.player == self.actor, "another player is to move")
        phases = {
            Mend: ("mend",),
            Roll: ("roll",),
            Refuel: ("roll", "arrive"),
            DriveOn: ("arrive",),
            Lay: ("move", "jump"),
            Step: ("move",),
            Stop: ("move",),
            Draw: ("draw", "fill"),
            Offer: ("offer",),
            Reply: ("reply",),
            Reveal: ("reveal",),
            Discard: ("discard",),
        }
        must(self.phase in phases[type(move)], f"not a move of the phase {self.phase}")
        getattr(self, type(move).__name__.lower())(move)

    # 3.3: the turn

    def begin_turn(self, player: int) -> None:
        self.player = player
        self.phase = "mend" if "card.puncture" in self.faceup[player] else "roll"

    def end_turn(self) -> None:
        seat = self.order.index(self.player)
        self.begin_turn(self.order[(seat + 1) % len(self.order)])

    def mend(self, move: Mend) -> None:
        """3.3.0"""
        self.throw_away("card.puncture", move.player)
        self.end_turn()

    def refuel(self, move: Refuel) -> None:
        """3.3.0', read as: he need not have a panne, and draws until he holds `refuel_draw` cards (FP4)."""
        tile = self.track[self.where[move.player]]
        must(tile in ("road.station", "road.start"), "no petrol here")
        if self.phase == "roll":
            must(self.rule["refuel_timing"] == "whole_turn", "only on arrival")
        while "card.panne" in self.faceup[move.player]:
            self.throw_away("card.panne", move.player)
        self.to_draw = max(0, self.rule["refuel_draw"] - self.size[move.player])
        if self.to_draw:
            self.phase = "fill"
        else:
            self.end_turn()

    def driveon(self, move: DriveOn) -> None:
        self.after_driving()

    def roll(self, move: Roll) -> None:
        """3.3.1"""
        must(move.value in (1, 2, 3), "no such number on the die")
        self.begin_drive(move.player, move.value, by_die=True)

    def after_die(self, arrived: bool) -> None:
        """FP3, read as: on arrival he must have gone a step; it is the die that must have brought him."""
        station = self.track[self.where[self.player]] == "road.station"
        if self.rule["refuel_timing"] == "on_arrival" and arrived and station:
            self.phase = "arrive"
        else:
            self.after_driving()

    def after_driving(self) -> None:
        """3.3.2"""
        others = [p for p in self.players if p != self.player and "card.puncture" not in self.faceup[p]]
        if others:
            self.phase = "draw"
        else:
            self.end_turn()

    def draw(self, move: Draw) -> None:
        """3.3.3; 3.5 details: when there is no card to draw, the used ones are shuffled."""
        if self.pile == 0:
            out = sum(self.size.values()) + sum(map(len, self.faceup.values()))
            self.pile = sum(CARDS.values()) - out
            self.held = {replace(way, used=()) for way in self.held}
        self.pile -= 1
        self.size[move.player] += 1
        if move.card != UNKNOWN:
            self.keep(self.with_card(way, move.player, move.card) for way in self.held)
        if self.phase == "draw":
            self.phase = "offer"
            return
        self.to_draw -= 1
        if self.to_draw == 0:
            self.end_turn()

    def offer(self, move: Offer) -> None:
        """3.3.4"""
        must(move.to in self.players and move.to != move.player, "no opponent")
        must("card.puncture" not in self.faceup[move.to], "he has a puncture")
        self.keep(
            replace(way, offered=card) for old in self.held for card, way in self.taken(old, move.player, move.card)
        )
        self.size[move.player] -= 1
        self.offerer_and_other = (move.player, move.to)
        self.phase = "reply"

    def reply(self, move: Reply) -> None:
        self.user = self.offerer_and_other[1 if move.accepts else 0]
        self.phase = "reveal"

    def reveal(self, move: Reveal) -> None:
        """3.3.4, 3.5: the user turns the card up and carries it out."""
        card, offerer = move.card, self.offerer_and_other[0]
        must(card in CARDS, "no such card")
        self.keep(
            replace(way, offered=card)
            for way in self.held
            # A hidden card that is the same as a known one left in the hand says no more than that the known one went.
            if way.offered == card or (way.offered == UNKNOWN and card not in way.hands[offerer - 1])
        )
        self.held = {replace(way, offered="") for way in self.held}
        if card in ("card.panne", "card.puncture"):
            self.faceup[self.user].append(card)
        else:
            self.held = {replace(way, used=tuple(sorted((*way.used, card)))) for way in self.held}
        self.use(card)

    # 3.5: the cards

    def use(self, card: str) -> None:
        user = self.user
        here = self.where[user]
        ahead = sorted(place for place in self.where.values() if place > here)
        kind = card.removeprefix("card.")
        if kind == "panne":
            if self.size[user]:
                self.phase = "discard"
            else:
                self.end_turn()
        elif kind == "puncture":
            self.end_turn()
        elif kind.startswith("minus"):
            self.back_to(max(0, here - int(kind[-1])))
        elif kind == "trouble":
            self.to_the_garage()
        elif kind.startswith("plus"):
            self.begin_drive(user, int(kind[-1]), by_die=False)
        elif not ahead:
            self.begin_drive(user, 3, by_die=False)
        elif kind == "shortcut":
            self.jump_to(ahead[-1] + 1)
        else:
            self.catch_up(ahead[0] + 1)

    def discard(self, move: Discard) -> None:
        """3.5: panne."""
        ways = [pair for old in self.held for pair in self.taken(old, move.player, move.card)]
        self.keep(way if card == UNKNOWN else replace(way, used=tuple(sorted((*way.used, card)))) for card, way in ways)
        self.size[move.player] -= 1
        self.end_turn()

    def back_to(self, place: int) -> None:
        """3.5: wrong way; a narrow road with another car, or a full tile, sends the car one farther back."""
        user = self.user
        while place > 0 and place != self.where[user]:
            cars = sum(self.where[p] == place for p in self.players if p != user)
            if self.track[place] == "road.narrow":
                free = cars == 0
            else:
                free = self.rule["reverse_full_tile"] == "allow" or cars < self.room(place)
            if free:
                break
            place -= 1
        self.where[user] = place
        self.end_turn()

    def to_the_garage(self) -> None:
        """3.5: engine trouble."""
        here = self.where[self.user]
        if self.track[here] == "road.garage" and self.rule["garage_here"]:
            self.end_turn()
            return
        garages = [place for place in range(here) if self.track[place] in ("road.garage", "road.start")]
        self.back_to(max(garages, default=0))

    def catch_up(self, goal: int) -> None:
        """3.5: remontee. FP7, read as: where `laid_track` is the limit, beyond the finish is beyond the laid track."""
        if self.rule["remontee_limits"] == "none":
            self.jump_to(goal)
            return
        user = self.user
        place = self.where[user]
        while place < goal:
            if place + 1 == len(self.track):
                # it is the last step, and of another kind
                if self.rule["remontee_limits"] == "laid_track":
                    break
                if self.track[place] == "road.finish":
                    place += self.may_win_by_jump()
                    break
                self.goal = goal
                self.phase = "jump"
                return
            if not self.free(place + 1):
                break
            place += 1
            if self.track[place] == "road.roadworks":
                break
        self.arrive_by_jump(place)

    def jump_to(self, goal: int) -> None:
        """3.5: raccourci ignores obstacles; read as: where it may not win it ends on the finish, full or not."""
        if goal == len(self.track) and self.track[-1] == "road.finish":
            self.arrive_by_jump(goal if self.may_win_by_jump() else goal - 1)
        elif goal == len(self.track):
            self.goal = goal
            self.phase = "jump"
        else:
            self.arrive_by_jump(goal)

    def arrive_by_jump(self, place: int) -> None:
        self.where[self.user] = place
        if place == len(self.track):
            self.win()
        else:
            self.end_turn()

    def may_win_by_jump(self) -> bool:
        return self.rule["jump_can_win"] and self.may_win()

    # 3.4: moving forward

    def begin_drive(self, user: int, points: int, by_die: bool) -> None:
        self.user, self.points, self.steps, self.by_die = user, points, 0, by_die
        self.turned = False
        self.phase = "move"
        if not self.can_go_on():
            self.end_drive()

    def end_drive(self) -> None:
        if self.by_die:
            self.after_die(arrived=self.steps > 0)
        else:
            self.end_turn()

    def can_go_on(self) -> bool:
        """Whether a further step is possible, a tile being laid for it where there is none."""
        here = self.where[self.user]
        if self.points == 0:
            return False
        if self.steps and self.track[here] == "road.roadworks":  # 3.4.3
            return False
        if self.track[here] == "road.finish":
            return self.may_win()
        return here + 1 == len(self.track) or self.free(here + 1)

    def may_win(self) -> bool:
        """3.4.7, FP12, read as: if it may not win in another's turn, a car cannot then go beyond the finish."""
        return self.rule["win_any_time"] or self.user == self.player

    def room(self, place: int) -> float:
        """How many cars a tile holds (3.4.2, 3.4.6, 3.4.7)."""
        match self.track[place]:
            case "road.start":
                return float("inf")
            case "road.narrow":
                return 1
            case "road.finish":
                limit = self.rule["finish_capacity"]
                return float("inf") if limit is None else float(limit)
        return float(self.rule["tile_capacity"])

    def free(self, place: int) -> bool:
        return sum(at == place for at in self.where.values()) < self.room(place)

    def step(self, move: Step) -> None:
        here = self.where[move.player]
        must(here + 1 < len(self.track) or self.track[here] == "road.finish", "no tile there")
        self.where[move.player] += 1
        self.steps += 1
        self.points -= 1
        self.turned = False
        if self.track[here] == "road.finish":
            self.win()
        elif not self.can_go_on():
            self.end_drive()

    def stop(self, move: Stop) -> None:
        """3.4.4, 3.4.5; FP5, read as: only a move by the die has a least number of steps."""
        if self.by_die:
            must(self.steps >= self.rule["min_die_steps"], "too few steps")
        must(self.rule["peek_then_stop"] or not self.turned, "a turned tile must be entered")
        self.end_drive()

    def lay(self, move: Lay) -> None:
        """3.4.1, 3.2.1: a tile that can be the next one."""
        here = self.where[move.player]
        if self.phase == "move":
            must(here + 1 == len(self.track) and self.track[here] != "road.finish", "no tile is needed")
        must(move.tile in TILES and move.tile != "road.start", "no such tile in the pile")
        must(self.track.count(move.tile) < TILES[move.tile], "no such tile left")
        number = len(self.track)
        must(move.tile != "road.finish" or number >= 24, "the finish is in the lower pile")
        self.check_way(move)
        self.track.append(move.tile)
        self.ways.append(move.way)
        if self.phase == "jump":
            self.arrive_by_jump(self.goal)
        else:
            self.turned = True

    def win(self) -> None:
        self.winner = self.user
        self.phase = "over"

    # 3.4, the lay of the land

    def check_way(self, move: Lay) -> None:
        """Read as: a way is closed when it leads to a place where a tile lies already.

        A curve must take its open way, when it has just one. Nothing comes after the finish. What is known of no tile's
        shape refuses nothing.
        """
        must(move.way in ("", *TURNS), "no such way")
        shape = self.rule["tile_shape"].get(move.tile, move.tile.removeprefix("road."))
        if move.way:
            must(shape != "straight" or move.way == "straight", "it is straight")
            must(shape != "curve" or move.way != "straight", "it is a curve")
        if move.way in ("left", "right") and move.tile != "road.finish":
            closed = self.closed_ways()
            must(move.way not in closed or {"left", "right"} <= closed, "the track would run into itself")

    def closed_ways(self) -> set[str]:
        """The ways out of the next place that lead into the track. Walks the track from the start to find it.

        Read as: a tile that would lie on another lies after a gap. What comes after a gap, or after a tile that leads
        nobody knows where, may lie anywhere to what was before: only the tiles since then can be run into.
        """
        tiles, heading, place = {(0, 0)}, (0, 1), (0, 1)
        for tile, way in zip(self.track[1:], self.ways, strict=True):
            if place in tiles:
                tiles = set()
            tiles.add(place)
            if self.rule["tile_shape"].get(tile, tile.removeprefix("road.")) == "straight":
                way = "straight"
            if not way:
                tiles = {place}
            heading = TURNS[way or "straight"](*heading)
            place = (place[0] + heading[0], place[1] + heading[1])
        if place in tiles:
            return set()
        leads = {way: turn(*heading) for way, turn in TURNS.items()}
        return {way for way, (dx, dy) in leads.items() if (place[0] + dx, place[1] + dy) in tiles}

    # what can be known of the cards

    def throw_away(self, card: str, player: int) -> None:
        """A face-up card goes to the used ones."""
        self.faceup[player].remove(card)
        self.held = {replace(way, used=tuple(sorted((*way.used, card)))) for way in self.held}

    def keep(self, ways: Iterable[Held]) -> None:
        """From now on the cards lie in one of these ways; those are left out that hold too many cards of a kind."""
        self.held = {way for way in ways if self.enough(way)}
        must(self.held, NO_CARD)

    def enough(self, way: Held) -> bool:
        seen = Counter(way.used)
        for cards in (*way.hands, *self.faceup.values()):
            seen.update(cards)
        if way.offered and way.offered != UNKNOWN:
            seen[way.offered] += 1
        return all(number <= CARDS.get(card, 0) for card, number in seen.items())

    def with_card(self, way: Held, player: int, card: str) -> Held:
        hands = list(way.hands)
        hands[player - 1] = tuple(sorted((*hands[player - 1], card)))
        return replace(way, hands=tuple(hands))

    def taken(self, way: Held, player: int, card: str) -> list[tuple[str, Held]]:
        """What taking this card, perhaps unknown, out of a hand can come to: which it was, how the cards lie then."""
        hand = way.hands[player - 1]
        hidden = self.size[player] > len(hand)
        found = []
        for known in sorted(set(hand)):
            if card in (known, UNKNOWN):
                rest = list(hand)
                rest.remove(known)
                hands = list(way.hands)
                hands[player - 1] = tuple(rest)
                found.append((known, replace(way, hands=tuple(hands))))
        if hidden and (card == UNKNOWN or not found):
            found.append((card, way))
        return found
