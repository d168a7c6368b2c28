"""Whole random games against what a careful person with paper would note, by the rules text alone."""

from collections import Counter
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.carpets.cards import DESTINATIONS, DJINN_SETS
from rules.carpets.moves import Duel, EndRound, Lamps
from tests.oracles import carpets_score as oracle
from tests.rules.carpets.clauses import fly, lay, on, start


@dataclass
class Books:
    """What a careful person with paper would note, by the rules text."""

    players: list[int]
    hands: dict[int, list[str]] = field(default_factory=dict)
    palace: Counter = field(default_factory=Counter)
    sets: dict[str, set[int]] = field(default_factory=dict)

    def end_round(self, lamps: dict[int, int]) -> None:
        palaces = {str(p): self.hands[p].count("palace") for p in self.players}
        points = oracle.palace_points(palaces, {str(p): n for p, n in lamps.items()})
        for p in self.players:
            self.palace[p] += points[str(p)]
            self.hands[p] = [card for card in self.hands[p] if card != "palace"]
            for _ in range(lamps.get(p, 0)):
                self.hands[p].remove("lamp")


@settings(max_examples=60, deadline=None)
@given(data=st.data(), players=st.sampled_from([2, 3, 4]))
def test_random_games_agree_with_the_books(data, players):
    dealt = data.draw(st.permutations(DJINN_SETS[players]))
    told = {p: set(djinns) for p, djinns in zip(range(1, players + 1), dealt, strict=True)}
    layouter = data.draw(st.integers(1, players))
    game = start(players, layouter=layouter, djinns=told)
    owners = dict(game.setup.carpets)
    books = Books(list(game.players), {p: [] for p in game.players}, sets={str(p): s for p, s in told.items()})
    deck = data.draw(st.permutations([k for k, n in DESTINATIONS.items() for _ in range(n)]))
    for round_number in range(4 if players in (2, 4) else 3):
        assert (game.state.round, game.state.layouter) == (round_number + 1, layouter)
        kinds, deck = deck[:12], deck[12:]
        lay(game, kinds)
        lie = dict(enumerate(kinds, 1))
        flights = 0
        while True:
            places = {
                carpet: data.draw(st.sets(st.sampled_from(sorted(lie)), max_size=3), label=carpet) for carpet in owners
            }
            fly(game, {carpet: on(*sorted(cards)) for carpet, cards in places.items()})
            flight = oracle.claims(
                [(carpet, str(p)) for carpet, p in owners.items()],
                [str(n) for n in sorted(lie)],
                [(carpet, str(n)) for carpet, cards in places.items() for n in cards],
            )
            for number, player in flight.claimed.items():
                books.hands[int(player)].append(lie.pop(int(number)))
            for number in sorted(flight.contested, key=int):
                revealed = {
                    p: data.draw(st.sampled_from(sorted(books.sets[p])), label=f"djinn of {p}")
                    for p in sorted(flight.contested[number])
                }
                winner, books.sets = oracle.duel(revealed, books.sets)
                game.push(Duel(int(number), {int(p): djinn for p, djinn in revealed.items()}))
                books.hands[int(winner)].append(lie.pop(int(number)))
            flights += 1
            if not oracle.throws_again(lie.values()):
                break
            if flights == 3:
                game.push(EndRound())
                break
        lamps = {}
        while game.state.phase == "lamps":
            player = next(p for p in game.players if game.why_illegal(Lamps(p, 0)) is None)
            lamps[player] = data.draw(st.integers(0, books.hands[player].count("lamp")), label=f"lamps of {player}")
            game.push(Lamps(player, lamps[player]))
        books.end_round(lamps)
        layouter = layouter % players + 1
        for p in game.players:
            assert Counter(game.hand(p)) == Counter(books.hands[p])
            assert game.fixed(p) == books.palace[p]
            assert set(game.state.djinns.certain(p)) == books.sets[str(p)]
    assert game.is_over
    want = {p: books.palace[p] + oracle.final_score(books.hands[p]) for p in game.players}
    assert game.scores == want
    assert game.winners == tuple(p for p in game.players if want[p] == max(want.values()))
