"""Whole games seen by the referee as scenes, against a careful person's books by the rules text alone.

Carpets fall anywhere, at any angle, over and under cards and each other; what lies on what is worked out here with
shapely, and who claims what with the naive oracle.
"""

import random
from collections import Counter

import pytest
from shapely.ops import unary_union

from rules.carpets.cards import DESTINATIONS, DJINN_SETS
from rules.games import make_referee
from rules.protocol import Ruling
from tests.oracles import carpets_score as oracle
from tests.rules.tables import GRID, Match, Tabletop, session

AT_SIDE = {"S": (-60.0, 198.0), "N": (-60.0, -198.0), "W": (-345.0, 0.0), "E": (345.0, 0.0)}
MOST_FLIGHTS = 3
"""Then the table agrees to stop: random throwers miss a lot."""


class Books:
    """Plays a game at random, shows every still to the referee, and keeps the books beside it."""

    def __init__(self, players: int, seed: int) -> None:
        self.dice = random.Random(seed)
        self.session = session(players, dealer=self.dice.randint(1, players))
        self.names = [p.name for p in self.session.player]
        self.side = {p.name: p.side for p in self.session.player}
        self.owner = {c: p.name for p in self.session.player for c in p.carpet.split(",")}
        self.match = Match(make_referee(self.session), Tabletop())
        self.match.answers["carpets.lamps"] = "-"  # answered below
        self.hands: dict[str, list[str]] = {name: [] for name in self.names}
        self.palaces: Counter[str] = Counter()
        dealt = [set(djinns) for djinns in DJINN_SETS[players]]
        self.dice.shuffle(dealt)
        self.sets = dict(zip(self.names, dealt, strict=True))
        self.deck = [kind for kind, n in DESTINATIONS.items() for _ in range(n)]
        self.dice.shuffle(self.deck)
        self.lying: dict[str, str] = {}
        """Piece to kind of the layout."""

    # -- one game -----------------------------------------------------------------------------------------------

    def play(self) -> None:
        layouter = self.session.dealer - 1
        for number in range(4 if len(self.names) in (2, 4) else 3):
            self.lay_out(number)
            for flight in range(1, MOST_FLIGHTS + 1):
                self.fly(layouter)
                if not oracle.throws_again(self.lying.values()):
                    break
                if flight == MOST_FLIGHTS:
                    self.match.correct("phase", "end_round")
            self.end_round()
            layouter = (layouter + 1) % len(self.names)

    def lay_out(self, number: int) -> None:
        kinds, self.deck = self.deck[:12], self.deck[12:]
        for i, (kind, (x, y)) in enumerate(zip(kinds, GRID, strict=True)):
            name = self.match.table.put(kind, x, y, self.dice.choice([0, 180]), id=f"r{number}c{i:02d}", sigma=0.01)
            self.lying[name] = kind
            assert not faults(self.match.still())
        assert self.match.referee.view().phase.params["n"] == 12

    def fly(self, layouter: int) -> None:
        n = len(self.names)
        order = [self.names[(layouter + 1 + k) % n] for k in range(n)]
        if n == 2:
            order *= 2
        waiting = {name: [c for c, o in self.owner.items() if o == name] for name in self.names}
        table, said = self.match.table, []
        for thrower in order:
            view = self.match.referee.view()
            if view.phase.key != "carpets.phase.ready":  # until the first throw the layouter may rearrange
                assert [p.name for p in view.players if p.active] == [thrower]
            self.push()
            self.throw(waiting[thrower].pop())
            said = self.match.still()
        seen = rulings(said)
        flight = oracle.claims(
            self.owner.items(), self.lying, self.stacking(), [c for c in self.owner if c not in table.things]
        )
        claims = {r.pieces[0]: r.player for r in seen if r.rule == "carpets.claim"}
        contested = {r.pieces[0]: set(r.data["players"]) for r in seen if r.rule == "carpets.contested"}
        empty = {table.things[r.pieces[0]].id: r.reason for r in seen if r.rule == "carpets.no_claim"}
        assert claims == flight.claimed
        assert contested == flight.contested
        assert empty == flight.no_claim
        for card, player in flight.claimed.items():
            self.take(card, player)
        for card in sorted(flight.contested):
            self.take(card, self.fight(card, flight.contested[card]))
        self.clear(flight)

    def throw(self, carpet: str) -> None:
        """Somewhere over the layout; sometimes it slides under some of the cards, but more than half stays in view."""
        table, top = self.match.table, max(thing.z for thing in self.match.table.things.values())
        while True:
            x, y, angle = self.dice.uniform(-260, 140), self.dice.uniform(-150, 150), self.dice.uniform(0, 360)
            slid = self.dice.choice(sorted(table.things[name].z for name in self.lying)) - 0.25 - self.dice.random() / 4
            z = slid if self.dice.random() < 0.3 else top + 1
            table.put(f"carpet.{carpet}", x, y, angle, id=carpet, sigma=0.01, z=z)
            if self.in_view(carpet) > 0.55:
                return
            table.take(carpet)

    def in_view(self, name: str) -> float:
        """The share of a thing that nothing covers."""
        thing, others = self.match.table.things[name], self.match.table.things.values()
        return thing.sharp.difference(unary_union([o.sharp for o in others if o.z > thing.z])).area / thing.sharp.area

    def push(self) -> None:
        """A carpet may push what lies there: what moved stays moved."""
        table, before = self.match.table, dict(self.match.table.things)
        down = [c for c in self.owner if c in table.things]
        if self.dice.random() < 0.3:
            card = table.things[self.dice.choice(sorted(self.lying))]
            table.move(card.id, card.x + self.dice.uniform(-20, 20), card.y + self.dice.uniform(-4, 4))
        if down and self.dice.random() < 0.3:
            carpet = table.things[self.dice.choice(down)]
            table.move(carpet.id, carpet.x + self.dice.uniform(-30, 30), carpet.y + self.dice.uniform(-30, 30))
        if any(self.in_view(carpet) < 0.55 for carpet in down):
            table.things = before

    def stacking(self) -> list[tuple[str, str]]:
        things = list(self.match.table.things.values())
        return [
            (a.id, b.id) for a in things for b in things if a.z > b.z and a.rounded.intersection(b.rounded).area > 0
        ]

    def fight(self, card: str, players: set[str]) -> str:
        revealed = {name: self.dice.choice(sorted(self.sets[name])) for name in sorted(players)}
        for name, djinn in revealed.items():
            x, y = AT_SIDE[self.side[name]]
            self.match.table.put(f"djinn.{djinn}", x, y, 90 * self.dice.randint(0, 3), id=f"djinn{djinn}", sigma=0.01)
        said = rulings(self.match.still())
        winner, self.sets = oracle.duel(revealed, self.sets)
        assert [(r.rule, r.player, r.pieces[0]) for r in said if r.rule in ("carpets.duel", "carpets.claim")] == [
            ("carpets.duel", winner, card),
            ("carpets.claim", winner, card),
        ]
        self.match.table.take_kind("djinn")
        self.match.still()
        return winner

    def take(self, card: str, player: str) -> None:
        self.hands[player].append(self.lying.pop(card))

    def clear(self, flight: oracle.Flight) -> None:
        """The claimed cards and all carpets go, in several handfuls."""
        gone = [*flight.claimed, *flight.contested, *(c for c in self.owner if c in self.match.table.things)]
        self.dice.shuffle(gone)
        said = []
        for i in range(0, len(gone), 3):
            self.match.table.take(*gone[i : i + 3])
            said += rulings(self.match.still())
        said += rulings(self.match.still())
        assert not [r.rule for r in said if r.rule.startswith("carpets.illegal")]
        again = oracle.throws_again(self.lying.values())
        assert [r.rule for r in said if r.rule in ("carpets.next_flight", "carpets.round_end")] == [
            "carpets.next_flight" if again else "carpets.round_end"
        ]

    def end_round(self) -> None:
        spent = Counter()
        while questions := [q for q in self.match.referee.view().questions if q.rule == "carpets.lamps"]:
            question = questions[0]
            assert question.player is not None
            lamps = self.hands[question.player].count("lamp")
            assert question.options == tuple(str(n) for n in range(lamps + 1))
            assert question.default == "0"
            spent[question.player] = self.dice.randint(0, lamps)
            self.match.answer(question.id, str(spent[question.player]))
        points = oracle.palace_points({name: hand.count("palace") for name, hand in self.hands.items()}, spent)
        for name, hand in self.hands.items():
            self.palaces[name] += points[name]
            self.hands[name] = [card for card in hand if card != "palace"]
            for _ in range(spent[name]):
                self.hands[name].remove("lamp")
        self.match.table.take(*self.lying)
        self.lying.clear()
        self.match.still()
        assert {p.name: sorted(p.won) for p in self.match.referee.view().players} == {
            name: sorted(hand) for name, hand in self.hands.items()
        }


def rulings(said) -> list[Ruling]:
    return [output for output in said if isinstance(output, Ruling)]


def faults(said) -> list[str]:
    return [r.rule for r in rulings(said) if r.rule in ("carpets.layout.gap", "carpets.layout.reach")]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 12))])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_random_game_at_the_table_agrees_with_the_books(players, seed):
    books = Books(players, seed)
    books.play()
    view = books.match.referee.view()
    want = {name: books.palaces[name] + oracle.final_score(hand) for name, hand in books.hands.items()}
    assert books.match.referee.scores() == want
    assert view.over
    assert set(view.winners) == {name for name, points in want.items() if points == max(want.values())}
    for question in books.match.questions():
        # an edge that another just touches is asked about, and nothing else but lamps
        doubtful = question.rule == "carpets.on" and abs(question.measured or 0) <= 2 * (question.sigma or 0) + 0.01
        assert doubtful or question.rule == "carpets.lamps"
