"""Short words for the tests of the rules text: start, lay out, fly, and see what a move breaks."""

from collections import Counter

import pytest

from rules.carpets.game import Game
from rules.carpets.house_rules import HouseRules
from rules.carpets.legal import IllegalMoveError
from rules.carpets.moves import EndRound, Evaluate, Lamps, Landing, Lay, Ready, Throw

USUAL = HouseRules()
ADVENTURES = [f"adventure.{n}" for n in range(1, 6)]
TWELVE = [
    *["palace"] * 3,
    *ADVENTURES[:3],
    *["bazaar.spice"] * 2,
    "treasure",
    "lamp",
    *["desert"] * 2,
]
SETS = {3: {1: {8, 3}, 2: {7, 4}, 3: {6, 5}}, 2: {1: {8, 5, 4, 1}, 2: {7, 6, 3, 2}}}
COLOUR = {1: "red", 2: "blue", 3: "green", 4: "yellow"}


def start(players=3, *, layouter=1, djinns=None, **house_rules) -> Game:
    carpets = {"red": 1, "blue": 2, "green": 3, "yellow": 4}
    carpets = {"red": 1, "blue": 2, "green": 1, "yellow": 2} if players == 2 else dict(list(carpets.items())[:players])
    rules = HouseRules.of(house_rules)
    return Game(players, house_rules=rules, layouter=layouter, carpets=carpets, djinns=djinns)


def lay(game: Game, kinds=TWELVE) -> Game:
    for kind in kinds:
        game.push(Lay(kind))
    game.push(Ready())
    return game


def fly(game: Game, landings: dict[str, Landing] | None = None) -> Game:
    """Everybody throws in turn; the carpets then lie like this, the others have missed."""
    while game.turn is not None:
        carpets = [c for c, owner in game.setup.carpets.items() if owner == game.turn]
        carpet = next(c for c in carpets if game.why_illegal(Throw(c)) is None)
        game.push(Throw(carpet, (landings or {}).get(carpet, Landing())))
    game.push(Evaluate())
    return game


def table(game: Game) -> list[str]:
    return [card.kind for card in game.state.table]


def on(*cards: int) -> Landing:
    return Landing(on=cards)


def spend_no_lamps(game: Game) -> None:
    while game.state.phase == "lamps":
        players = [p for p in game.players if game.why_illegal(Lamps(p, 0)) is None]
        game.push(Lamps(players[0], 0))


def finish_round(game: Game) -> Game:
    """The table agrees to stop; nobody spends a lamp."""
    game.push(EndRound())
    spend_no_lamps(game)
    return game


def breaks(game: Game, move) -> str:
    """The clause that a move breaks."""
    before = game.to_json()
    with pytest.raises(IllegalMoveError) as error:
        game.push(move)
    assert game.to_json() == before
    return error.value.rule


def remaining(kinds: list[str], left: list[str]) -> Game:
    """A layout of which the blue carpet takes all but the cards `left`."""
    rest = Counter(left)
    taken = []
    for number, kind in enumerate(kinds, 1):
        if rest[kind]:
            rest[kind] -= 1
        else:
            taken.append(number)
    return fly(lay(start(), kinds), {"blue": on(*taken)})


FOUR_DESERTS = ["desert"] * 4 + ["palace"] * 8
