"""Which moves a position allows, and which rule forbids the others.

Rules are named by dotted words (`offer.puncture`) that stay what they are; each refusal also tells its clause.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.engine import Refusal
from rules.fairplay.hidden import may_draw, may_hold
from rules.fairplay.moves import (
    Discard,
    Draw,
    DriveOn,
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
    Way,
)
from rules.fairplay.pieces import CARDS, DIE, STATIONS, TILES, UNKNOWN
from rules.fairplay.refusals import malformed, refuse
from rules.fairplay.state import Ended, Leg, Phase, Setup, State
from rules.fairplay.track import finish, laid, last, why_not_tile, why_not_way

DUE: Final[dict[Phase, tuple[tuple[type[Move], ...], str, str]]] = {
    "mend": ((Mend,), "turn.puncture", "discards his puncture, and his turn is over"),
    "roll": ((Roll, Refuel), "turn.roll", "begins his turn with the die"),
    "move": ((Step, Lay, Stop), "turn.move", "is still moving"),
    "jump": ((Lay,), "turn.lay", "jumps to a tile that must be laid first"),
    "arrive": ((Refuel, DriveOn), "turn.arrive", "says whether he fills up"),
    "draw": ((Draw,), "turn.draw", "draws a card"),
    "offer": ((Offer,), "turn.offer", "must offer a card"),
    "reply": ((Reply,), "turn.reply", "says yes or no before the card is seen"),
    "reveal": ((Reveal,), "turn.reveal", "turns the card up and carries it out at once"),
    "discard": ((Discard,), "turn.discard", "discards a card for his panne"),
    "fill": ((Draw,), "turn.fill", "fills up and draws a card"),
}
"""The moves that are due in a phase, and the rule that any other breaks: what somebody must do first."""

_OVERRUN: Final[dict[Ended, tuple[str, str]]] = {
    "done": ("step.count", "has no steps left"),
    "stopped": ("step.stopped", "has stopped"),
    "narrow": ("step.narrow", "cannot enter the narrow road, which a car stands on"),
    "full": ("step.full", "cannot enter the next tile, which is full"),
    "roadworks": ("step.roadworks", "has entered roadworks, where the move ends"),
    "finish": ("step.finish", "passes the finish in his own turn only"),
}
"""Why a car may take no further step, by how its move ended."""


def actor(state: State) -> int:
    """Who must act now; the winner when the game is over."""
    match state.phase:
        case "over":
            return state.winner
        case "move" if state.motion:
            return state.motion.player
        case "jump" if state.jump:
            return state.jump.player
        case "reply" if state.offered:
            return state.offered.to
        case "reveal" | "discard":
            return state.user
    return state.player


def why_illegal(state: State, setup: Setup, move: Move) -> Refusal | None:
    """The first rule that the move breaks; None when it is legal."""
    return malformed(move, Move) or _breaks(state, setup, move)


def legal(state: State, setup: Setup) -> Iterator[Move]:
    """Every legal move, lazily and simplest first."""
    return (move for move in _candidates(state) if _breaks(state, setup, move) is None)


def _breaks(state: State, setup: Setup, move: Move) -> Refusal | None:
    if state.phase == "over":
        return refuse("over", f"player {state.winner} has passed the finish, the game is over")
    if not _is_player(move.player, setup):
        return refuse("player", f"there is no player {move.player}; {setup.players} play")
    if not isinstance(move, DUE[state.phase][0]):
        return _not_due(state, move)
    if move.player != actor(state):
        return refuse("turn.player", f"it is for player {actor(state)} now, not for player {move.player}")
    match move:
        case Refuel():
            return _refuel(state, setup)
        case Roll():
            if move.value not in DIE:
                return refuse("die", f"the die has 1, 2 and 3, not {move.value}")
        case Lay():
            return _lay(state, setup, move)
        case Step():
            if not laid(state, state.position(move.player) + 1):
                return refuse("step.unlaid", "the next tile is not laid yet; it is turned over first")
        case Stop():
            return _stop(state, setup)
        case Draw():
            return _draw(state, move)
        case Offer():
            return _offer(state, setup, move)
        case Reveal():
            return _reveal(state, move)
        case Discard():
            return None if move.card == UNKNOWN else _in_hand(state, move.player, move.card)
    return None


def _candidates(state: State) -> Iterator[Move]:
    """Every move of the sorts that are due."""
    player = actor(state)
    match state.phase:
        case "mend":
            yield Mend(player)
        case "roll":
            yield from (Roll(player, value) for value in sorted(set(DIE)))
            yield Refuel(player)
        case "arrive":
            yield from (Refuel(player), DriveOn(player))
        case "move" | "jump":
            ways: tuple[Way, ...] = ("", "left", "right", "straight")
            if state.phase == "move":
                yield from (Step(player), Stop(player))
            yield from (Lay(player, tile, way) for way in ways for tile in TILES)
        case "draw" | "fill":
            yield from (Draw(player, card) for card in (UNKNOWN, *CARDS))
        case "offer":
            others = [p for p in range(1, len(state.positions) + 1) if p != player]
            yield from (Offer(player, to, card) for card in (UNKNOWN, *CARDS) for to in others)
        case "reply":
            yield from (Reply(player, True), Reply(player, False))
        case "reveal":
            yield from (Reveal(player, card) for card in CARDS)
        case "discard":
            yield from (Discard(player, card) for card in (UNKNOWN, *CARDS))


def _is_player(player: int, setup: Setup) -> bool:
    return 1 <= player <= setup.players


def _not_due(state: State, move: Move) -> Refusal:
    """Rules 3.3: one thing after the other. A step too far is told by what it runs into."""
    if isinstance(move, Step | Lay):
        leg = _just_ended(state)
        if leg and leg.player == move.player and leg.ended in _OVERRUN:
            rule, reason = _OVERRUN[leg.ended]
            return refuse(rule, f"player {move.player} {reason}")
    if isinstance(move, Refuel):
        return refuse("refuel.timing", "one fills up at the beginning of one's turn")
    _, rule, reason = DUE[state.phase]
    return refuse(rule, f"player {actor(state)} {reason}")


def _just_ended(state: State) -> Leg | None:
    """The way forward that ended last in this turn, or in the last one as long as this one has not begun."""
    leg = state.legs[-1] if state.legs else None
    if leg is None or leg.end < leg.start or state.phase in ("move", "jump"):
        return None
    return leg if leg.turn == state.turn or (leg.turn + 1 == state.turn and state.phase in ("roll", "mend")) else None


def _refuel(state: State, setup: Setup) -> Refusal | None:
    """Rules 3.3.0', option `refuel_timing`."""
    if setup.rules.refuel_timing == "on_arrival" and state.phase == "roll":
        return refuse("refuel.timing", "one fills up on arrival by the die, instead of drawing a card")
    tile = state.track[state.position(state.player)]
    if tile not in STATIONS:
        return Refusal(
            "refuel.place", f"player {state.player} stands on {tile}, neither on a station nor on the start", "3.6"
        )
    return None


def _lay(state: State, setup: Setup, move: Lay) -> Refusal | None:
    """Rules 3.4.1: one at a time, and only as needed."""
    if state.phase == "move" and laid(state, state.position(move.player) + 1):
        if state.position(move.player) == finish(state):
            return refuse("lay.finish", "no tile follows the finish")
        return refuse("lay.needless", f"tile {last(state)} is laid already and not yet entered")
    return why_not_tile(state, move.tile) or why_not_way(state, setup.rules, move.tile, move.way)


def _stop(state: State, setup: Setup) -> Refusal | None:
    """Rules 3.4.4, 3.4.5; options `min_die_steps`, `peek_then_stop`."""
    motion = state.motion
    assert motion is not None
    if motion.turned and not setup.rules.peek_then_stop:
        return refuse("stop.turned", "a tile turned over for a step must be entered")
    if motion.taken < motion.least:
        return refuse("stop.least", f"at least {motion.least} steps of the roll must be taken")
    return None


def _draw(state: State, move: Draw) -> Refusal | None:
    if move.card == UNKNOWN:
        return None
    if move.card not in CARDS:
        return _no_card(move.card)
    if not may_draw(state, move.card):
        return refuse("card.count", f"there are {CARDS[move.card]} of {move.card}, and none can be in the pile")
    return None


def _offer(state: State, setup: Setup, move: Offer) -> Refusal | None:
    """Rules 3.3.4: to an opponent without a puncture."""
    if not _is_player(move.to, setup):
        return refuse("player", f"there is no player {move.to}; {setup.players} play")
    if move.to == move.player:
        return refuse("offer.self", "a card is offered to an opponent")
    if state.punctured(move.to):
        return refuse("offer.puncture", f"player {move.to} has a puncture; no card may be offered to him")
    return None if move.card == UNKNOWN else _in_hand(state, move.player, move.card)


def _reveal(state: State, move: Reveal) -> Refusal | None:
    """Rules 3.3.4: the card that was offered, out of the offerer's hand."""
    assert state.offered is not None
    offered = state.offered.card
    if move.card == UNKNOWN:
        return refuse("card.unread", "a card that is carried out must be known")
    if offered not in (UNKNOWN, move.card) and move.card in CARDS:
        return refuse("card.offered", f"{offered} was offered, not {move.card}")
    return _in_hand(state, state.player, move.card)


def _in_hand(state: State, player: int, card: str) -> Refusal | None:
    if card not in CARDS:
        return _no_card(card)
    if may_hold(state, player, card):
        return None
    if not state.hand(player).hidden:
        return refuse("card.hand", f"player {player} holds no {card}")
    return refuse("card.count", f"there are {CARDS[card]} of {card}, and all are seen or in the pile")


def _no_card(card: str) -> Refusal:
    return refuse("card.unknown", f"there is no card {card!r}; there are {', '.join(CARDS)}")
