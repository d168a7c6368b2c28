"""Short words for the tests of the rules text: stage a position, roll, drive, play a card, see what a move breaks."""

import pytest
from msgspec.structs import replace

from rules.engine import IllegalMoveError
from rules.fairplay.game import Game
from rules.fairplay.hands import Hand
from rules.fairplay.house_rules import HouseRules
from rules.fairplay.moves import Draw, Lay, Offer, Reply, Reveal, Roll, Step, Stop

TILE = {
    "c": "road.curve",
    "s": "road.straight",
    "n": "road.narrow",
    "g": "road.garage",
    "p": "road.station",
    "w": "road.roadworks",
    "f": "road.finish",
}
"""Letters for a road: `staged("ccn")` is start, two curves and a narrow road."""


def start(players=3, *, first=1, order=None, hands=None, **house_rules) -> Game:
    return Game(players, first=first, order=order, hands=hands, house_rules=HouseRules.of(house_rules))


WAY = {"l": "left", "r": "right", "s": "straight", "?": ""}


def staged(road="", at=(0, 0, 0), *, ways="", faceup=None, hands=None, **house_rules) -> Game:
    """A game of as many as `at` names, in which this road is laid and the cars stand there; player 1 is on turn."""
    game = start(len(at), **house_rules)
    state = replace(
        game.state,
        track=("road.start", *(TILE[letter] for letter in road)),
        ways=("", *(WAY[letter] for letter in ways or "?" * len(road))),
        positions=tuple(at),
    )
    before = list(state.faceup)
    for player, cards in (faceup or {}).items():
        before[player - 1] = tuple(f"card.{card}" for card in cards)
    held = list(state.hands)
    for player, cards in (hands or {}).items():
        held[player - 1] = Hand(tuple(sorted(f"card.{card}" for card in cards)))
    state = replace(state, faceup=tuple(before), hands=tuple(held))
    game.state = replace(state, phase="mend" if state.punctured(1) else "roll")
    return game


def roll(game: Game, value: int) -> Game:
    game.push(Roll(game.actor, value))
    return game


def drive(game: Game, steps: int, tiles: str = "") -> Game:
    """The car that moves takes so many steps, laying these tiles (curves when they run out) where there are none."""
    letters = iter(tiles)
    for _ in range(steps):
        lay_if_needed(game, next(letters, "c") if needs_tile(game) else "")
        game.push(Step(game.actor))
    return game


def needs_tile(game: Game) -> bool:
    state = game.state
    return state.position(game.actor) == len(state.track) - 1 and state.track[-1] != "road.finish"


def lay_if_needed(game: Game, letter: str) -> None:
    if letter:
        game.push(Lay(game.actor, TILE[letter]))


def stay(game: Game) -> Game:
    """The player on turn rolls and stays where he is, so that a card is drawn next."""
    roll(game, 1)
    if game.state.phase == "move":
        game.push(Stop(game.turn))
    return game


def use(game: Game, card: str, by: int | None = None) -> Game:
    """The player on turn stays, draws, and a card of his comes to be used `by` him (refused) or another (accepted)."""
    offerer = game.turn
    if game.state.phase == "roll":
        stay(game)
    game.push(Draw(offerer))
    user = by or offerer
    asked = user if user != offerer else next(p for p in game.players if p != offerer and not game.state.punctured(p))
    game.push(Offer(offerer, asked))
    game.push(Reply(asked, user == asked))
    game.push(Reveal(user, f"card.{card}"))
    return game


def at(game: Game) -> tuple[int, ...]:
    return game.state.positions


def ended(game: Game) -> str:
    """Why the last car that moved went no farther."""
    return game.state.legs[-1].ended


def before(game: Game, player: int) -> list[str]:
    """What lies face up before a player."""
    return [card.removeprefix("card.") for card in game.state.faceup[player - 1]]


def breaks(game: Game, move) -> str:
    """The rule that a move breaks, and its clause: `offer.puncture 3.3.4`."""
    state, moves = game.state, list(game.moves)
    why = game.why_illegal(move)
    assert move not in list(game.legal())
    with pytest.raises(IllegalMoveError) as error:
        game.push(move)
    assert (game.state, game.moves) == (state, moves)
    assert why is not None
    assert (error.value.rule, error.value.clause) == (why.rule, why.clause)
    assert len(why.reason.split()) > 3
    return f"{error.value.rule} {error.value.clause}"
