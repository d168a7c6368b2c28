"""What people do at the table, as moves of the engine: throw the die, lay a tile, move a car, lay a card, turn it up.

A deed takes a `Belief` and gives the one that follows, or the `Refusal` that names the rule it breaks. What nobody sees
is supplied: that a driver has stopped, that a card was drawn, that one was discarded from a hand.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from rules.engine import Refusal
from rules.fairplay.belief import Belief, Owed
from rules.fairplay.events import Drove, Event, Mended, Offered, Refuelled, Rolled, Used, Won
from rules.fairplay.legal import DUE, actor, why_illegal
from rules.fairplay.moves import Discard, Draw, DriveOn, Lay, Mend, Move, Offer, Refuel, Reply, Reveal, Roll, Step, Stop
from rules.fairplay.pieces import UNKNOWN
from rules.fairplay.play import apply
from rules.fairplay.refusals import refuse
from rules.fairplay.state import Phase, Setup, State
from rules.fairplay.track import last

Deed = Callable[[Setup, Belief], "Belief | Refusal"]


def in_turn(setup: Setup, belief: Belief, *deeds: Deed) -> Belief | Refusal:
    """One deed after the other, as far as they are legal."""

    now: Belief | Refusal = belief
    for deed in deeds:
        if isinstance(now, Refusal):
            break
        now = deed(setup, now)
    return now


def both(*steps: Deed) -> Deed:
    """One deed after the other, as one."""
    return lambda setup, belief: in_turn(setup, belief, *steps)


def dearer(deed: Deed, cost: float) -> Deed:
    """A deed that is less likely than others."""

    def dearer(setup: Setup, belief: Belief) -> Belief | Refusal:
        after = deed(setup, belief)
        return after if isinstance(after, Refusal) else replace(after, cost=after.cost + cost)

    return dearer


# -- the engine behind them -------------------------------------------------------------------------------------------


def pushed(setup: Setup, belief: Belief, move: Move) -> Belief | Refusal:
    """A move of the engine that changes nothing on the table."""
    refusal = why_illegal(belief.state, setup, move)
    return refusal or replace(belief, state=apply(belief.state, setup, move))


def logged(belief: Belief, *events: Event, cost: float = 0.0) -> Belief:
    return replace(belief, log=(*belief.log, *events), cost=belief.cost + cost)


def _unseen(setup: Setup, belief: Belief, until: str) -> Belief | Refusal:
    """What must have happened unseen before somebody can throw the die (`roll`) or offer a card (`offer`)."""
    if belief.owed:
        return _owes(belief.owed)
    now: Belief | Refusal = belief
    for _ in range(60):  # a turn has fewer moves
        if isinstance(now, Refusal) or now.state.phase == until:
            return now
        now = _next_unseen(setup, now, until)
    raise AssertionError("a turn that does not end")


def _next_unseen(setup: Setup, belief: Belief, until: str) -> Belief | Refusal:
    state = belief.state
    player = actor(state)
    match state.phase:
        case "move":
            return _stop(setup, belief)
        case "draw" if until == "offer":
            return pushed(setup, belief, Draw(player))
        case "arrive" if until == "offer":
            return pushed(setup, belief, DriveOn(player))
        case "arrive":
            return in_turn(setup, logged(belief, Refuelled(player)), lambda s, b: pushed(s, b, Refuel(player)))
        case "fill" if until == "roll":
            return pushed(setup, belief, Draw(player))
        case "discard" if until == "roll":
            return pushed(setup, belief, Discard(player))
        case "mend" if until == "roll":
            return mend(setup, belief)
        case "draw":
            _, rule, reason = DUE["offer"]
            return refuse(rule, f"player {player} {reason}")
    if state.phase == "over":
        return refuse("over", f"player {state.winner} has passed the finish, the game is over")
    _, rule, reason = DUE[state.phase]
    return refuse(rule, f"player {player} {reason}")


def _stop(setup: Setup, belief: Belief) -> Belief | Refusal:
    """The driver takes no more steps; a tile that he has turned over for the next one counts as turned over."""
    player = actor(belief.state)
    if len(belief.road) > len(belief.state.track):
        laid = pushed(setup, belief, Lay(player, belief.road[len(belief.state.track)]))
        if isinstance(laid, Refusal):
            return laid
        belief = laid
    return pushed(setup, belief, Stop(player))


def _owes(owed: Owed) -> Refusal:
    return refuse("turn.reveal", f"player {owed.player}'s car goes from tile {owed.start} to tile {owed.end} first")


def until_offer(setup: Setup, belief: Belief) -> Belief | Refusal:
    """What comes before an offer is done: the driver has stopped and drawn his card."""
    return _unseen(setup, belief, "offer")


def next_turn(setup: Setup, belief: Belief) -> Belief:
    """The table agrees that the turn is over, however it went: it is the next player's."""
    state = belief.state
    player = setup.after(state.player)
    phase: Phase = "mend" if state.punctured(player) else "roll"
    fresh = replace(
        state, phase=phase, player=player, turn=state.turn + 1, motion=None, jump=None, offered=None, user=0
    )
    return replace(belief, state=fresh, owed=None, offered="", before=())


# -- the die ----------------------------------------------------------------------------------------------------------


def throw(value: int, inferred: bool = False) -> Deed:
    """The player whose turn it is rolls."""

    def deed(setup: Setup, belief: Belief) -> Belief | Refusal:
        ready = _unseen(setup, belief, "roll")
        if isinstance(ready, Refusal):
            return ready
        player = actor(ready.state)
        ready = logged(ready, Rolled(player, value, inferred), cost=1)
        return pushed(setup, ready, Roll(player, value))

    return deed


def throw_again(value: int) -> Deed:
    """The player who has just rolled rolls once more: the first throw did not count (it was cocked, or fell)."""

    def deed(setup: Setup, belief: Belief) -> Belief | Refusal:
        motion = belief.state.motion
        if motion is None or motion.by != "die" or motion.taken or belief.road != belief.state.track:
            return refuse("turn.roll", "nobody has just rolled")
        least = min(setup.rules.min_die_steps, value)
        motion = replace(motion, size=value, least=least)
        event = Rolled(motion.player, value, inferred=True, again=True)
        return logged(replace(belief, state=replace(belief.state, motion=motion)), event, cost=2)

    return deed


def mend(setup: Setup, belief: Belief) -> Belief | Refusal:
    """The puncture before the player whose turn it is has gone."""
    player = belief.state.player
    return in_turn(setup, logged(belief, Mended(player), cost=1), lambda s, b: pushed(s, b, Mend(player)))


def refuel(setup: Setup, belief: Belief) -> Belief | Refusal:
    """The player whose turn it is fills up instead of rolling; it is over when his hand is full."""
    ready = _unseen(setup, belief, "roll")
    if isinstance(ready, Refusal):
        return ready
    player = actor(ready.state)
    filled = pushed(setup, logged(ready, Refuelled(player), cost=1), Refuel(player))
    while isinstance(filled, Belief) and filled.state.phase == "fill":
        filled = pushed(setup, filled, Draw(player))
    return filled


# -- the road and the cars --------------------------------------------------------------------------------------------


def lay(kind: str) -> Deed:
    """A tile is laid on: for the step to come, for one of those after it, or for a jump."""

    def deed(setup: Setup, belief: Belief) -> Belief | Refusal:
        state = belief.state
        if belief.owed:
            return _owes(belief.owed)
        longer = replace(belief, road=(*belief.road, kind), cost=belief.cost + 1)
        if state.phase == "jump":
            assert state.jump is not None
            jump = state.jump
            owed = Owed(jump.player, belief.cars[jump.player - 1], jump.target, jump.by)
            return pushed(setup, replace(longer, owed=owed), Lay(jump.player, kind))
        if state.phase != "move":
            return why_illegal(state, setup, Lay(actor(state), kind)) or refuse("turn.move", "nobody is moving")
        player = actor(state)
        ahead: Belief | Refusal = belief
        while isinstance(ahead, Belief) and ahead.state.phase == "move" and actor(ahead.state) == player:
            if _needs_tile(ahead):
                refusal = why_illegal(ahead.state, setup, Lay(player, kind))
                return refusal or longer
            ahead = _one_step(setup, ahead)
        return refuse("lay.needless", "the tile is needed for no step of this move")

    return deed


def take_back(count: int) -> Deed:
    """Tiles that were turned over ahead of the car are taken back (to put a needless one right)."""

    def deed(setup: Setup, belief: Belief) -> Belief | Refusal:
        return replace(belief, road=belief.road[: len(belief.road) - count], cost=belief.cost + 0.5)

    return deed


def drive(player: int, end: int) -> Deed:
    """A car is moved to a tile (`len(road)`: beyond the finish)."""

    def deed(setup: Setup, belief: Belief) -> Belief | Refusal:
        start = belief.cars[player - 1]
        if owed := belief.owed:
            if (player, end) != (owed.player, owed.end):
                return _owes(owed)
            event = Drove(player, start, end, owed.by)
            return _moved(logged(replace(belief, owed=None), event, cost=1), player, end)
        state = belief.state
        motion = state.motion
        if motion is None or motion.player != player:
            return _may_not_move(setup, state, player)
        if end < start:
            return refuse("step.back", f"player {player} moves forward")
        now: Belief | Refusal = logged(belief, Drove(player, start, end, motion.by), cost=1)
        while isinstance(now, Belief) and now.state.position(player) < end:
            now = _one_step(setup, now, player)
        return now if isinstance(now, Refusal) else _moved(now, player, end)

    return deed


def _may_not_move(setup: Setup, state: State, player: int) -> Refusal:
    """Why a car has no step to take: it has taken all it may, or it is for somebody else to move."""
    refusal = why_illegal(state, setup, Step(player))
    if refusal and refusal.rule.startswith(("step.", "over")):
        return refusal
    if player != state.player and actor(state) != player:
        return refuse("turn.player", f"player {player}'s car is not to be moved now")
    return refusal or refuse("turn.move", f"player {player} is not moving")


def _moved(belief: Belief, player: int, end: int) -> Belief:
    cars = list(belief.cars)
    cars[player - 1] = end
    belief = replace(belief, cars=tuple(cars))
    return logged(belief, Won(player)) if belief.state.winner == player else belief


def _needs_tile(belief: Belief) -> bool:
    """The car that moves stands on the last tile on the table, and may go on."""
    state = belief.state
    place = state.position(actor(state))
    return place == last(state) == len(belief.road) - 1 and state.track[-1] != "road.finish"


def _one_step(setup: Setup, belief: Belief, player: int = 0) -> Belief | Refusal:
    """One step of the car that moves, onto a tile on the table."""
    state = belief.state
    player = player or actor(state)
    if state.phase == "move" and state.position(player) == last(state) and len(belief.road) > len(state.track):
        laid = pushed(setup, belief, Lay(player, belief.road[len(state.track)]))
        if isinstance(laid, Refusal):
            return laid
        belief = laid
    return pushed(setup, belief, Step(player))


# -- cards ------------------------------------------------------------------------------------------------------------


def offer(to: int, key: str = "", before: tuple[int, ...] = ()) -> Deed:
    """A card is laid face down before an opponent; `key` and `before` as it was seen."""

    def deed(setup: Setup, belief: Belief) -> Belief | Refusal:
        ready = _unseen(setup, belief, "offer")
        if isinstance(ready, Refusal):
            return ready
        player = ready.state.player
        ready = replace(ready, offered=key, before=before, used=ready.used | {key})
        if key:
            ready = logged(ready, Offered(player, to))
        return pushed(setup, replace(ready, cost=ready.cost + 1), Offer(player, to))

    return deed


def turn_up(card: str, accepted: bool, key: str = "", unseen_offer: bool = False) -> Deed:
    """The card on offer is turned up by the one who was offered it, or by the one who offered it."""

    def deed(setup: Setup, belief: Belief) -> Belief | Refusal:
        state = belief.state
        if belief.owed:
            return _owes(belief.owed)
        if state.phase != "reply" or state.offered is None:
            return why_illegal(state, setup, Reveal(state.player, card)) or refuse("turn.reveal", "no card is offered")
        to = state.offered.to
        user = to if accepted else state.player
        replied = pushed(setup, belief, Reply(to, accepted))
        if isinstance(replied, Refusal):
            return replied
        event = Used(user, card, state.player, 0 if unseen_offer and not accepted else to, unseen=not key)
        used = replied.used | {key} if key else replied.used
        replied = replace(logged(replied, event, cost=1), used=used, offered="", before=())
        shown = pushed(setup, replied, Reveal(user, card))
        if isinstance(shown, Refusal):
            return shown
        start, end = belief.cars[user - 1], shown.state.position(user)
        return replace(shown, owed=Owed(user, start, end, card)) if start != end else shown

    return deed


def discard(card: str, key: str) -> Deed:
    """The user of a panne lays a card of his hand openly on the discard pile."""

    def deed(setup: Setup, belief: Belief) -> Belief | Refusal:
        if belief.state.phase != "discard":
            return refuse("turn.discard", "no card is to be discarded")
        seen = replace(belief, used=belief.used | {key}, cost=belief.cost + 0.5)
        done = pushed(setup, seen, Discard(belief.state.user, card))
        return done if isinstance(done, Belief) else pushed(setup, seen, Discard(belief.state.user, UNKNOWN))

    return deed


def ignore(key: str, cost: float) -> Deed:
    """A card on the table has nothing to do with the game now: of a hand, of a pile, of the discards."""

    def deed(setup: Setup, belief: Belief) -> Belief | Refusal:
        return replace(belief, used=belief.used | {key}, cost=belief.cost + cost)

    return deed


def must_mend(state: State) -> bool:
    """The player whose turn it is has a puncture before him, to be discarded instead of playing (rules 3.3.0)."""
    return state.phase == "mend"
