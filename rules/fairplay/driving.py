"""How far a car goes: forward step by step, backwards, to a garage, in one jump (rules 3.4, 3.5)."""

from __future__ import annotations

from rules.fairplay.house_rules import HouseRules
from rules.fairplay.pieces import CATCHUP, GARAGES, ROADWORKS
from rules.fairplay.state import Ended, Motion, State
from rules.fairplay.track import finish, last, nearest_behind, obstacle


def is_ahead_of_all(state: State, player: int) -> bool:
    """Rules 3.5: nobody is strictly ahead; cars on his own tile are not ahead, so who is tied for the lead leads."""
    return state.position(player) == max(state.positions)


def may_pass_finish(state: State, rules: HouseRules, player: int) -> bool:
    """Rules 3.4.7, option `win_any_time`."""
    return rules.win_any_time or player == state.player


def why_ended(state: State, rules: HouseRules, motion: Motion) -> Ended | None:
    """Rules 3.4: why a car goes no farther, None while it may take another step."""
    place = state.position(motion.player)
    if place > last(state):
        return "passed"
    if motion.taken and state.track[place] == ROADWORKS:  # rules 3.4.3: entered, not left
        return "roadworks"
    if motion.taken == motion.size:
        return "done"
    if place == finish(state):
        return None if may_pass_finish(state, rules, motion.player) else "finish"
    return obstacle(state, rules, place + 1)


def backward(state: State, rules: HouseRules, player: int, steps: int) -> tuple[int, Ended]:
    """Rules 3.5, wrong way: exactly that many back, not past start; obstacles on the way do not count."""
    place = state.position(player)
    if place <= steps:
        return 0, "start"
    return _settled(state, rules, place - steps, "done")


def to_garage(state: State, rules: HouseRules, player: int) -> tuple[int, Ended]:
    """Rules 3.5, engine trouble: to the nearest garage behind, or start; option `garage_here`."""
    place = state.position(player)
    if place == 0:
        return 0, "start"
    if state.track[place] in GARAGES and rules.garage_here:
        return place, "garage"
    garage = nearest_behind(state, place, GARAGES)
    return _settled(state, rules, garage, "garage" if garage else "start")


def _settled(state: State, rules: HouseRules, place: int, ended: Ended) -> tuple[int, Ended]:
    """Rules 3.5: where a car comes to stand that arrives backwards: on a narrow road with another car, or a full tile
    (option `reverse_full_tile`), it goes one more back, again if needed."""
    while place > 0:
        found = obstacle(state, rules, place)
        if found is None or (found == "full" and rules.reverse_full_tile == "allow"):
            return place, ended
        place, ended = place - 1, found
    return 0, ended


def jump(state: State, rules: HouseRules, player: int, card: str) -> tuple[int, Ended]:
    """Rules 3.5: where a catch-up or a short cut ends for a player who has cars ahead of him.

    That may be one tile beyond the last one laid, which then must be laid first.
    """
    place = state.position(player)
    ahead = [p for p in state.positions if p > place]
    target = 1 + (min(ahead) if card == CATCHUP else max(ahead))
    ended: Ended = "done"
    end = finish(state)
    if end is not None and target > end:
        if rules.jump_can_win and may_pass_finish(state, rules, player):
            ended = "passed"
        else:
            target, ended = end, "finish"
    if card != CATCHUP or rules.remontee_limits == "none":
        return target, ended
    if rules.remontee_limits == "laid_track" and target > last(state):
        target, ended = last(state), "laid_track"
    for step in range(place + 1, min(target, last(state)) + 1):
        found = obstacle(state, rules, step)
        if found is not None:
            return step - 1, found
        if state.track[step] == ROADWORKS:
            return step, "roadworks"
    return target, ended
