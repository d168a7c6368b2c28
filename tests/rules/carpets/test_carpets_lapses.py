"""Flights at tables whose stills err: pieces that a still misses or gives a new id, faces it cannot read, noise.

Nothing that is ruled with confidence may be wrong; what a lapse leaves open is asked.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

import msgspec
import pytest
from shapely.ops import unary_union

from rules.carpets.cards import DESTINATIONS
from rules.carpets.referee import CarpetsReferee
from rules.protocol import Output
from tests.oracles import carpets_score as oracle
from tests.rules.tables import Match, Tabletop, lay_out, session
from vision.scene import Scene

MISSED, NEW_ID, UNREAD, NOISE_MM = 0.01, 0.5, 0.005, 0.2
"""Chances that a still misses a piece, that it then has a new id, that its face is not read; 1 sigma of a place."""


class Erring(Match):
    """Shows the table through a camera that errs."""

    def __init__(self, seed: int) -> None:
        super().__init__(CarpetsReferee(session(3)), Tabletop())
        self.dice = random.Random(seed)
        self._alias: dict[str, str] = {}
        self.true_id: dict[str, str] = {}

    def still(self, hide: Iterable[str] = ()) -> list[Output]:
        return self._hear(list(self.referee.see(self._err(self.table.scene(hide)))))

    def _err(self, scene: Scene) -> Scene:
        gauss, replace = self.dice.gauss, msgspec.structs.replace
        missed = {piece.id for piece in scene.pieces if self.dice.random() < MISSED}
        for name in missed:
            if self.dice.random() < NEW_ID:
                self._alias[name] = f"{name}~{scene.t:g}"
        alias = {piece.id: self._alias.get(piece.id, piece.id) for piece in scene.pieces}
        self.true_id |= {shown: name for name, shown in alias.items()}
        pieces = []
        for piece in scene.pieces:
            dx, dy = gauss(0, NOISE_MM), gauss(0, NOISE_MM)
            moved = tuple((x + dx, y + dy) for x, y in piece.outline_mm)
            piece = replace(piece, id=alias[piece.id], outline_mm=moved, sigma_mm=NOISE_MM)
            if self.dice.random() < UNREAD:
                piece = replace(piece, face="unknown", confidence=0.3)
            pieces.append(piece)
        seen = {piece.id for piece in pieces} - {alias[name] for name in missed}
        sigma = 1.5 * NOISE_MM
        gaps = [
            replace(g, a=alias[g.a], b=alias[g.b], mm=max(0.0, g.mm + gauss(0, sigma)) if g.mm else 0.0, sigma_mm=sigma)
            for g in scene.gaps
        ]
        overlaps = [
            replace(o, over=alias[o.over], under=alias[o.under], depth_mm=o.depth_mm + gauss(0, sigma), sigma_mm=sigma)
            for o in scene.overlaps
        ]
        return replace(
            scene,
            pieces=tuple(piece for piece in pieces if piece.id in seen),
            gaps=tuple(g for g in gaps if {g.a, g.b} <= seen),
            overlaps=tuple(o for o in overlaps if {o.over, o.under} <= seen),
        )

    def throw(self, colour: str, cards: list[str]) -> None:
        """Anywhere over the layout, as long as more than half of it stays in view and nothing is a close call."""
        table = self.table
        while True:
            top = max(thing.z for thing in table.things.values())
            slid = self.dice.choice([table.things[name].z for name in cards]) - self.dice.random()
            z = slid if self.dice.random() < 0.2 else top + 1
            x, y, angle = self.dice.uniform(-260, 140), self.dice.uniform(-150, 150), self.dice.uniform(0, 360)
            table.put(f"carpet.{colour}", x, y, angle, id=colour, z=z)
            carpet = table.things[colour]
            above = unary_union([thing.sharp for thing in table.things.values() if thing.z > z])
            clear = all(
                carpet.rounded.buffer(3).intersects(table.things[name].rounded)
                == carpet.rounded.buffer(-3).intersects(table.things[name].rounded)
                for name in cards
            )
            if clear and carpet.sharp.difference(above).area > 0.55 * carpet.sharp.area:
                return
            table.take(colour)


@pytest.mark.parametrize("seed", range(12))
def test_nothing_wrong_is_ruled_with_confidence(seed: int) -> None:
    m = Erring(seed)
    dice, table = m.dice, m.table
    deck = [kind for kind, n in DESTINATIONS.items() for _ in range(n)]
    dice.shuffle(deck)
    cards = []
    for i in range(12):
        cards = lay_out(table, deck[: i + 1]) if i == 0 else [*cards, _next(table, deck[i], i)]
        m.still()
    owners = {"blue": "Ben", "green": "Clara", "red": "Anna"}
    want: list[tuple[str, str]] = []
    for _ in range(2):
        for colour in owners:
            m.throw(colour, cards)
            for _ in range(dice.randint(1, 2)):
                m.still()
        m.still()  # after a lapse in the still that shows the last carpet, the next one decides
        things = list(table.things.values())
        lies = [(a.id, b.id) for a in things for b in things if a.z > b.z and a.rounded.intersects(b.rounded)]
        flight = oracle.claims(owners.items(), cards, lies)
        want += [(player, card) for card, player in flight.claimed.items()]
        for card in sorted(flight.contested, key=lambda name: int(name[1:])):
            winner = sorted(flight.contested[card])[0]
            m.correct("duel", winner)
            want.append((winner, card))
        gone = [*owners, *flight.claimed, *flight.contested]
        dice.shuffle(gone)
        for name in gone:
            table.take(name)
            m.still()
        m.still()
        m.still()
        cards = [name for name in cards if name not in gone]
    assert [r.rule for r in m.rulings("carpets.layout") if r.rule.endswith((".gap", ".reach"))] == []
    assert [r.rule for r in m.rulings("carpets.illegal")] == []
    assert m.rulings("carpets.refused") == []
    claims = sorted((r.player, m.true_id[r.pieces[0]]) for r in m.rulings("carpets.claim"))
    if not m.questions():
        assert claims == sorted(want)
    doubted = {m.true_id[piece] for q in m.questions() for piece in q.pieces}
    assert {claim for claim in claims if claim not in want and claim[1] not in doubted} == set()


def _next(table: Tabletop, kind: str, i: int) -> str:
    from tests.rules.tables import GRID

    return table.put(kind, *GRID[i], id=f"c{i + 1}")
