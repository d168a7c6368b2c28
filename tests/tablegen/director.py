"""Plays a game of Fliegende Teppiche and writes down the shots to be filmed and the whole truth."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rules.session import Player, Session
from tests.tablegen.camera import TableCamera
from tests.tablegen.film import FPS, Film, Shot
from tests.tablegen.hand import Skin
from tests.tablegen.layout import THROWS, at_side, bent, draw_pile, field_of, lay_out, new_sheet, throw
from tests.tablegen.moves import Stack, Stop, fly, rest, visit
from tests.tablegen.sheet import Sheet, settle
from tests.tablegen.spec import TableSpec, camera_of
from tests.tablegen.studio import Studio
from tests.tablegen.things import make_thing, put_somewhere
from tests.tablegen.truth import foreign_of, is_destination, state_of
from vision.deck import Deck

NAMES = ("Anna", "Ben", "Clara", "David")
COLOURS = ("red", "blue", "green", "yellow")
SEATS = {2: "SN", 3: "SWE", 4: "SWNE"}
DJINNS = {2: ((8, 5, 4, 1), (7, 6, 3, 2)), 3: ((8, 3), (7, 4), (6, 5)), 4: ((8, 1), (7, 2), (6, 3), (5, 4))}
CLEAR_MM = 3.0
"""Thrown carpets miss cards by at least this much, or overlap by more than a sliver: no doubtful calls."""
SLIVER_MM2 = 120.0


@dataclass(frozen=True)
class GameSpec:
    """What a seed decides about a game, and a caller may overrule."""

    players: int = 3
    cards: int = 12
    gap_fault: bool = False
    """One card is first laid too near to another."""
    reach_fault: bool = False
    """One card is first laid too far from all."""
    flights: int = 1
    contests: float = 0.3
    """Share of the throws that aim at a card which a carpet lies on already."""
    bump: bool = False
    """Somebody knocks against the camera between laying out and throwing."""
    push: bool = True
    """Thrown carpets may push a card."""
    still_s: tuple[float, float] = (0.6, 2.5)
    pause: float = 0.3
    """Share of the hands that stop above the table for a while."""


def draw_plan(seed: int) -> GameSpec:
    rng = np.random.default_rng([seed, 11])
    return GameSpec(
        players=int(rng.choice([2, 3, 4], p=[0.25, 0.5, 0.25])),
        gap_fault=bool(rng.random() < 0.4),
        reach_fault=bool(rng.random() < 0.3),
        flights=int(rng.choice([1, 2], p=[0.7, 0.3])),
        bump=bool(rng.random() < 0.2),
    )


@dataclass
class Director:
    """Plays the game and writes down the shots and the truth as it goes."""

    seed: int
    spec: TableSpec
    plan: GameSpec
    deck: Deck
    shots: list[Shot] = field(default_factory=list)
    states: list[dict[str, Any]] = field(default_factory=list)
    lists: dict[str, list[Any]] = field(default_factory=dict)
    stack: Stack = ()

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng([self.seed, 12])
        self.cameras: list[TableCamera] = [camera_of(self.spec)]
        self.moved_at: list[float] = [0.0]
        self.lists = {k: [] for k in ("layout_violations", "landings", "duels", "claims", "events")}
        self.area = field_of(self.camera, 14.0)
        self.stack = tuple(self.things())
        n = self.plan.players
        rugs = [",".join(COLOURS[i::n]) if n == 2 else COLOURS[i] for i in range(n)]
        order = self.rng.permutation(len(rugs)) if n > 2 else range(n)
        self.rugs = [rugs[int(i)] for i in order]
        self.sides = SEATS[n]
        self.djinns = [set(DJINNS[n][int(i)]) for i in self.rng.permutation(n)]
        self.skins = tuple(Skin.random(self.rng) for _ in range(n))

    @property
    def camera(self) -> TableCamera:
        return self.cameras[-1]

    @property
    def now(self) -> float:
        return round(len(self.shots) / FPS, 1)

    def things(self) -> list[Sheet]:
        """What lies there from the beginning and is no piece."""
        out: list[Sheet] = []
        for k, what in enumerate(self.spec.foreign):
            thing = put_somewhere(make_thing(what, f"foreign{k + 1}", self.rng), out, self.area, self.rng)
            if thing is not None and thing.polygon().distance(self.area.centroid) > 120:
                out.append(thing)
        return out

    def play(self) -> tuple[Film, dict[str, Any], Session]:
        self.hold(2.0)
        self.lay_out()
        if self.plan.bump:
            self.bump()
        for _ in range(self.plan.flights):
            if sum(is_destination(s) for s in self.stack) >= 4:
                self.flight()
        self.hold(2.0)
        return self.cut()

    # What a game is made of

    def lay_out(self) -> None:
        faces = draw_pile(self.deck, self.rng)
        inner = self.area.buffer(-50)
        for thing in self.stack:
            inner = inner.difference(thing.polygon().buffer(12))
        best: list[Sheet] = []
        for _ in range(12):  # a layout that has all cards
            cards = lay_out(self.deck, faces[: self.plan.cards], inner, self.rng, least_mm=12.0, most_mm=55.0)
            best = max(best, cards, key=len)
            if len(best) == self.plan.cards:
                break
        kinds = [k for k, wanted in (("gap", self.plan.gap_fault), ("reach", self.plan.reach_fault)) if wanted]
        which = self.rng.permutation(np.arange(3, len(best)))
        wrong = {int(i): k for i, k in zip(which, kinds, strict=False)}
        i = 0
        while i < len(best):
            two = i + 1 < len(best) and i not in wrong and i + 1 not in wrong and self.rng.random() < 0.2
            if i in wrong and (bad := self.misplace(best[i], best[:i], best[i + 1 :], wrong[i])):
                sheet, ids, mm = bad
                self.place([sheet], 0)
                t = self.now
                self.hold(self.rng.uniform(1.5, 3.0))
                self.lists["layout_violations"].append(
                    {"t": t, "t1": self.now, "kind": wrong[i], "ids": ids, "measured_mm": round(mm, 3)}
                )
                self.move(sheet, best[i])
            else:
                self.place(best[i : i + 2] if two else [best[i]], 0)
            self.hold()
            i += 2 if two else 1

    def misplace(
        self, card: Sheet, laid: list[Sheet], later: list[Sheet], kind: str
    ) -> tuple[Sheet, list[str], float] | None:
        """The card where it breaks just that rule, with the cards concerned and the millimetres."""
        inner = self.area.buffer(-15)
        lo, hi = np.array(inner.bounds[:2]), np.array(inner.bounds[2:])
        for _ in range(400):
            at = self.rng.uniform(lo, hi)
            trial = replace(card, x=float(at[0]), y=float(at[1]), angle=float(self.rng.uniform(0, 360)))
            shape = trial.polygon()
            if not inner.contains(shape):
                continue
            gaps = sorted((shape.distance(s.polygon()), s.id) for s in laid)
            if kind == "gap" and 2.0 < gaps[0][0] < 8.0 and (len(gaps) < 2 or gaps[1][0] > 12.0):
                return trial, sorted([trial.id, gaps[0][1]]), gaps[0][0]
            if kind == "reach" and 63.0 < gaps[0][0] < 120.0:
                return trial, [trial.id], gaps[0][0]
        return None

    def flight(self) -> None:
        """Everybody throws, the dealer last; then duels, claims, and the carpets go back."""
        order = [*range(1, self.plan.players), 0]
        throws = [(p, c) for k in range(2) for p in order for c in self.rugs[p].split(",")[k : k + 1]]
        for player, colour in throws:
            self.throw(player, colour)
            self.hold(self.rng.uniform(1.3, 2.5))
        self.hold(0.8)
        over = self.contenders()
        winner = {c: ps[0] for c, ps in over.items() if len(ps) == 1}
        for card in sorted(c for c, ps in over.items() if len(ps) > 1):
            winner[card] = self.duel(card, over[card])
        for player, colour in throws:
            self.take(f"carpet_{colour}", player)
        for card in sorted(winner):
            kind = next(s.kind for s in self.stack if s.id == card)
            self.take(card, winner[card] - 1)
            self.lists["claims"].append({"t": self.event_t, "player": winner[card], "card": card, "kind": kind})

    def contenders(self) -> dict[str, list[int]]:
        """For each card that carpets lie on: whose they are. What was pushed counts where it lies now."""
        out: dict[str, list[int]] = {}
        for i, card in enumerate(self.stack):
            for rug in self.stack[i + 1 :]:
                if not (is_destination(card) and rug.kind.startswith("carpet")):
                    continue
                owner = next(k for k, c in enumerate(self.rugs, 1) if rug.kind.split(".")[1] in c.split(","))
                if owner not in out.get(card.id, []) and card.polygon().intersection(rug.polygon()).area > 0:
                    out.setdefault(card.id, []).append(owner)
        return out

    def throw(self, player: int, colour: str) -> None:
        face = next(f for f in self.deck.faces if f.kind == f"carpet.{colour}")
        for _ in range(60):
            how = "contest" if self.rng.random() < self.plan.contests else str(self.rng.choice(THROWS))
            stack, how = throw(list(self.stack), new_sheet(self.deck, face, face.id, 0, 0, 0), how, self.area, self.rng)
            rug = next((s for s in stack if s.id == face.id), None)
            if rug is None or not clear(rug, stack):  # no room, or a doubtful call
                continue
            pushed: list[str] = []
            if self.plan.push and how in ("on", "across") and self.rng.random() < 0.25:
                stack, pushed = self.push(rug, stack)
                if not all(clear(r, stack) for r in stack if r.kind.startswith("carpet")):
                    continue
            break
        else:
            raise RuntimeError(f"seed {self.seed}: no clear throw found")
        self.roll(fly(self.camera, self.sides[player], self.stack, rug, self.rng))
        self.stack = tuple(settle(stack))
        shape, index = rug.polygon(), [s.id for s in stack].index(rug.id)
        hit = [(i, s) for i, s in enumerate(stack) if s.id != rug.id and s.polygon().intersection(shape).area > 0]
        self.lists["landings"].append(
            {
                "t": self.now,
                "carpet": rug.id,
                "player": player + 1,
                "over": sorted(s.id for i, s in hit if is_destination(s) and i < index),
                "under": sorted(s.id for i, s in hit if is_destination(s) and i > index),
                "touches_carpets": sorted(s.id for _, s in hit if s.kind.startswith("carpet")),
                "pushed": pushed,
            }
        )

    def push(self, rug: Sheet, stack: list[Sheet]) -> tuple[list[Sheet], list[str]]:
        """A card under the carpet slides a little; it keeps clear of its neighbours."""
        hit = [s for s in stack if is_destination(s) and s.polygon().intersection(rug.polygon()).area > 0]
        card = hit[int(self.rng.integers(len(hit)))]
        way = self.rng.uniform(0, 2 * np.pi)
        by = self.rng.uniform(4, 18)
        moved = replace(card, x=card.x + by * np.cos(way), y=card.y + by * np.sin(way),
                        angle=card.angle + self.rng.normal(0, 6))  # fmt: skip
        others = [s for s in stack if s is not card and is_destination(s)]
        if any(moved.polygon().distance(s.polygon()) < CLEAR_MM for s in others):
            return stack, []
        return [moved if s is card else s for s in stack], [card.id]

    def duel(self, card: str, players: list[int]) -> int:
        """Each lays a djinn at his side; the highest wins; it changes places with the lowest."""
        shown = {p: int(self.rng.choice(sorted(self.djinns[p - 1]))) for p in players}
        t = 0.0
        for p in self.rng.permutation(players):
            face = next(f for f in self.deck.faces if f.kind == f"djinn.{shown[int(p)]}")
            for _ in range(60):
                x, y = at_side(self.camera, self.sides[p - 1], self.rng)
                sheet = bent(new_sheet(self.deck, face, face.id, x, y, float(self.rng.uniform(0, 360))), self.rng)
                if all(sheet.polygon().distance(s.polygon()) > CLEAR_MM for s in self.stack):
                    break
            self.place([sheet], int(p) - 1)
            t = self.now
            self.hold(self.rng.uniform(1.3, 2.0))
        self.hold(1.5)
        winner = max(shown, key=lambda p: shown[p])
        loser = min(shown, key=lambda p: shown[p])
        self.lists["duels"].append(
            {"t": t, "card": card, "djinns": {str(p): n for p, n in sorted(shown.items())}, "winner": winner}
        )
        a, b = self.djinns[winner - 1], self.djinns[loser - 1]
        a.remove(shown[winner])
        b.remove(shown[loser])
        a.add(shown[loser])
        b.add(shown[winner])
        for p in players:
            self.take(f"djinn_{shown[p]}", p - 1)
        return winner

    def bump(self) -> None:
        """The camera is knocked: a hand in the picture, and the view is another one."""
        spec = self.spec
        self.moved_at.append(self.now)
        roll, tilt = self.rng.normal(0, 1.5), self.rng.uniform(-2, 2)
        x, y = self.rng.uniform(-8, 8, 2)
        knocked = replace(spec, roll_deg=spec.roll_deg + roll, tilt_deg=abs(spec.tilt_deg + tilt))
        self.cameras.append(camera_of(knocked, look_at=(float(x), float(y))))
        self.roll(rest(self.stack, 0.1))
        self.area = self.area.intersection(field_of(self.camera, 14.0))
        self.hold(2.5)

    # What hands do

    @property
    def event_t(self) -> float:
        return self.lists["events"][-1]["t"]

    def place(self, sheets: list[Sheet], player: int) -> None:
        stops, stack, held = [], list(self.stack), tuple(sheets)
        for k, sheet in enumerate(sheets):
            stack = settle([*stack, sheet])
            stops.append(Stop(sheet.x, sheet.y, tuple(stack), held[k + 1 :], self.wait()))
        self.act(stops, held, player)
        for s in sheets:
            self.log("placed", s)

    def move(self, old: Sheet, new: Sheet) -> None:
        without = tuple(settle([s for s in self.stack if s.id != old.id]))
        there = tuple(settle([*without, new]))
        self.act([Stop(old.x, old.y, without, (new,)), Stop(new.x, new.y, there, (), self.wait())], (), 0)
        self.lists["events"].append({"t": self.now, "kind": "moved", "id": new.id})

    def take(self, name: str, player: int) -> None:
        sheet = next(s for s in self.stack if s.id == name)
        without = tuple(settle([s for s in self.stack if s.id != name]))
        self.act([Stop(sheet.x, sheet.y, without, (sheet,))], (), player)
        self.log("taken", sheet)
        self.hold(self.rng.uniform(0.6, 0.9))

    def act(self, stops: list[Stop], held: tuple[Sheet, ...], player: int) -> None:
        self.roll(visit(self.camera, self.sides[player], self.stack, held, stops, self.rng, player))
        self.stack = stops[-1].stack

    def roll(self, shots: list[Shot]) -> None:
        self.shots += [replace(s, camera=len(self.cameras) - 1) for s in shots]

    def wait(self) -> int:
        return int(self.rng.integers(3, 7)) if self.rng.random() < self.plan.pause else 1

    def log(self, kind: str, sheet: Sheet) -> None:
        face = sheet.face.id if sheet.face else ""
        self.lists["events"].append({"t": self.now, "kind": kind, "id": sheet.id, "face": face})

    def hold(self, seconds: float | None = None) -> None:
        """Nothing moves for a while: a state of the truth."""
        seconds = float(self.rng.uniform(*self.plan.still_s)) if seconds is None else float(seconds)
        t0 = self.now
        self.roll(rest(self.stack, seconds))
        t1 = round(self.now - 1 / FPS, 1)
        last = self.states[-1] if self.states else None
        if last and last["t1"] >= t0 - 1.5 / FPS:
            last["t1"] = t1
        else:
            self.states.append(state_of(self.camera, list(self.stack), t0, t1))

    def cut(self) -> tuple[Film, dict[str, Any], Session]:
        n = len(self.shots)
        wander = np.cumsum(self.rng.normal(0, 0.02, (n, 2)), axis=0)
        jitter = self.spec.jitter_px * np.clip(self.rng.uniform(-0.5, 0.5, (n, 2)) + 0.5 * np.sin(wander), -1, 1)
        phase = self.rng.uniform(0, 6.3)
        bright = 1 + 3 * self.spec.drift * np.sin(phase + np.arange(n) / FPS * 2 * np.pi / self.rng.uniform(15, 60))
        shots = tuple(
            replace(s, jitter=(float(j[0]), float(j[1])), light=float(b))
            for s, j, b in zip(self.shots, jitter, bright, strict=True)
        )
        studio = Studio.of(self.spec, self.seed, self.deck, self.cameras[0])
        film = Film(studio, tuple(self.cameras), self.skins, shots, self.seed)
        players = [{"number": i + 1, "name": NAMES[i], "carpet": self.rugs[i]} for i in range(self.plan.players)]
        session = Session(
            game="carpets",
            deck=self.deck.name,
            player=tuple(
                Player(number=p["number"], name=p["name"], carpet=p["carpet"], side=side)
                for p, side in zip(players, self.sides, strict=True)
            ),
        )
        jit = self.spec.jitter_px
        truth = {
            "name": f"game {self.seed}",
            "fps": FPS,
            "size": list(self.camera.size),
            "duration": round(n / FPS, 1),
            "camera": self.cameras[0].as_truth(jit),
            "cameras": [[t, c.as_truth(jit)] for t, c in zip(self.moved_at, self.cameras, strict=True)],
            "table": self.spec.table,
            "light": self.spec.light,
            "card_mm": [self.deck.faces[0].width_mm, self.deck.faces[0].height_mm],
            "corner_radius_mm": self.deck.corner_radius_mm,
            "foreign": foreign_of(self.camera, list(self.stack)),
            "states": self.states,
            "players": players,
            **self.lists,
        }
        return film, truth, session


def clear(rug: Sheet, stack: list[Sheet]) -> bool:
    """No call about this carpet is doubtful."""
    shape = rug.polygon()
    for s in stack:
        if s.id == rug.id:
            continue
        if s.foreign and shape.distance(s.polygon()) < 10:
            return False
        area = shape.intersection(s.polygon()).area
        if (area > 0 and area < SLIVER_MM2) or (area == 0 and shape.distance(s.polygon()) < CLEAR_MM):
            return False
    return True
