"""The whole game as a value to play with (in the manner of python-chess)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from rules.engine import IllegalMoveError, Refusal, SavedGameError
from rules.fairplay.diagram import diagram
from rules.fairplay.house_rules import HouseRuleError, HouseRules
from rules.fairplay.legal import actor, legal, why_illegal
from rules.fairplay.moves import Move
from rules.fairplay.pieces import CARDS, HAND, PLAYERS
from rules.fairplay.play import apply
from rules.fairplay.refusals import located
from rules.fairplay.state import Leg, Setup, State, start

__all__ = ["Game", "IllegalMoveError"]


class _Saved(msgspec.Struct, forbid_unknown_fields=True):
    """A game as JSON: what was agreed, and every move."""

    players: int
    order: tuple[int, ...]
    hands: dict[int, tuple[str, ...]]
    house_rules: HouseRules
    moves: list[Move]


class Game:
    """A game of 2 to 6 players, numbered 1.. in seat order (clockwise).

    `first`: who begins (the lot gives him, rules 3.2.2); `order`: the players as they take turns, instead of `first`
    when the lot gives everybody's place (option `order`). `hands`: the cards dealt, by player, as far as they are told;
    what is not told is known when it is turned up.
    Raises ValueError (`HouseRuleError` for a house rule) when there is no such game.
    """

    def __init__(
        self,
        players: int = 3,
        *,
        first: int = 1,
        order: Sequence[int] | None = None,
        hands: Mapping[int, Sequence[str]] | None = None,
        house_rules: HouseRules | None = None,
    ) -> None:
        rules = house_rules or HouseRules()
        _check_players(players, rules)
        self.setup = Setup(players, _order(players, first, order, rules), rules)
        self._told = {player: tuple(cards) for player, cards in (hands or {}).items() if cards}
        _check_hands(players, self._told)
        self.state: State = start(self.setup, self._told)
        self.moves: list[Move] = []
        self._before: list[State] = []

    # -- playing ------------------------------------------------------------------------------------------------

    def legal(self) -> Iterator[Move]:
        """Every legal move, lazily and simplest first: with cards unseen before those that are told."""
        return legal(self.state, self.setup)

    def why_illegal(self, move: Move) -> Refusal | None:
        """The rule that the move breaks, None when it is legal."""
        return why_illegal(self.state, self.setup, move)

    def push(self, move: Move) -> None:
        """Make a move; raises `IllegalMoveError`, and leaves the game as it was, when the rules forbid it."""
        if refusal := self.why_illegal(move):
            raise IllegalMoveError(refusal)
        self._before.append(self.state)
        self.state = apply(self.state, self.setup, move)
        self.moves.append(move)

    def pop(self) -> Move:
        """Take the last move back and return it; raises IndexError when there is none."""
        if not self.moves:
            raise IndexError("no move to take back")
        self.state = self._before.pop()
        return self.moves.pop()

    # -- asking -------------------------------------------------------------------------------------------------

    @property
    def players(self) -> range:
        """The players' numbers."""
        return range(1, self.setup.players + 1)

    @property
    def is_variant(self) -> bool:
        """Two play, which not every source knows (option `players`)."""
        return self.setup.players == PLAYERS[0]

    @property
    def is_over(self) -> bool:
        return self.state.phase == "over"

    @property
    def turn(self) -> int:
        """Whose turn it is, or was when the game ended."""
        return self.state.player

    @property
    def actor(self) -> int | None:
        """Who must act now, perhaps in another's turn; None when the game is over."""
        return None if self.is_over else actor(self.state)

    @property
    def winner(self) -> int | None:
        """Rules 3.4.7: the player whose car has passed the finish."""
        return self.state.winner or None

    @property
    def scores(self) -> dict[int, int]:
        """Where each car stands, in tiles after start (rules 3.2.3); one beyond the finish counts one more."""
        return {p: self.state.position(p) for p in self.players}

    @property
    def ranking(self) -> tuple[tuple[int, ...], ...]:
        """Players by where they stand, the foremost first; those side by side share their rank (option `ranking`)."""
        places = sorted(set(self.state.positions), reverse=True)
        return tuple(tuple(p for p in self.players if self.state.position(p) == place) for place in places)

    def explain(self) -> dict[int, tuple[Leg, ...]]:
        """How each car came to where it stands: the legs' points sum up to its score."""
        running = self.state.running
        legs = (*self.state.legs, running) if running else self.state.legs
        return {p: tuple(leg for leg in legs if leg.player == p) for p in self.players}

    # -- keeping ------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """What was agreed and every move; `from_json` gives the same game."""
        saved = _Saved(self.setup.players, self.setup.order, self._told, self.setup.rules, self.moves)
        return msgspec.json.encode(saved).decode()

    @classmethod
    def from_json(cls, text: str | bytes) -> Game:
        """The game that `to_json` wrote; raises `SavedGameError`, which says where what is wrong."""
        try:
            saved = msgspec.json.decode(text, type=_Saved)
        except msgspec.ValidationError as error:
            where, what = located(error)
            raise SavedGameError(where or "the whole", what) from None
        except (msgspec.DecodeError, UnicodeError) as error:
            raise SavedGameError("the whole", f"no JSON: {error}") from None
        try:
            game = cls(saved.players, order=saved.order, hands=saved.hands, house_rules=saved.house_rules)
        except ValueError as error:
            raise SavedGameError("players, order, hands and house_rules", str(error)) from None
        for index, move in enumerate(saved.moves):
            try:
                game.push(move)
            except IllegalMoveError as error:
                raise SavedGameError(f"moves[{index}]", str(error)) from error
        return game

    def copy(self) -> Game:
        """An independent game at the same position."""
        other = Game.__new__(Game)
        other.setup, other._told, other.state = self.setup, self._told, self.state
        other.moves, other._before = list(self.moves), list(self._before)
        return other

    def __repr__(self) -> str:
        return f"<Game of {self.setup.players}, turn {self.state.turn}, {self.state.phase}>"

    def __str__(self) -> str:
        """The table in text: the track with its cars, hands, and the cards before the players."""
        return diagram(self.state, self.setup)


def _check_players(players: int, rules: HouseRules) -> None:
    """Rules 3, 3.2.2; options `players` and `start_capacity`."""
    fewest = 3 if rules.players == "3-6" else PLAYERS[0]
    if not fewest <= players <= PLAYERS[1]:
        raise ValueError(f"rules 3: {fewest} to {PLAYERS[1]} players play, not {players}")
    if rules.start_capacity is not None and rules.start_capacity < players:
        raise HouseRuleError("start_capacity", f"all {players} cars begin on the start, got {rules.start_capacity}")


def _order(players: int, first: int, order: Sequence[int] | None, rules: HouseRules) -> tuple[int, ...]:
    """Rules 3.2.2: who takes turns after whom; option `order`."""
    clockwise = tuple((first - 1 + step) % players + 1 for step in range(players))
    if not 1 <= first <= players:
        raise ValueError(f"rules 3.2.2: there is no player {first} to begin; {players} play")
    if order is None:
        return clockwise
    told = tuple(order)
    if sorted(told) != list(range(1, players + 1)):
        raise ValueError(f"rules 3.2.2: the order must name the players 1 to {players} once each, got {list(told)}")
    around = tuple((told[0] - 1 + step) % players + 1 for step in range(players))
    if rules.order == "clockwise" and told != around:
        raise HouseRuleError("order", f"players take turns clockwise, got {list(told)}; `full_lot` lets the lot decide")
    return told


def _check_hands(players: int, told: Mapping[int, tuple[str, ...]]) -> None:
    """Rules 3.1, 3.2.2: three cards to each, and no more of a kind than there are."""
    dealt = [card for cards in told.values() for card in cards]
    for player, cards in told.items():
        if not 1 <= player <= players:
            raise ValueError(f"rules 3.2.2: there is no player {player} to be dealt cards; {players} play")
        if len(cards) > HAND:
            raise ValueError(f"rules 3.2.2: player {player} is dealt {HAND} cards, not {len(cards)}")
    for card in dealt:
        if card not in CARDS:
            raise ValueError(f"rules 3.1: there is no card {card!r}; there are {', '.join(CARDS)}")
        if dealt.count(card) > CARDS[card]:
            raise ValueError(f"rules 3.1: there are {CARDS[card]} of {card}, not {dealt.count(card)}")
