"""The table in text, and the position in a few plain words for comparing."""

from __future__ import annotations

from typing import Any

from rules.fairplay.legal import DUE, actor
from rules.fairplay.state import Setup, State

_COLUMNS = 6


def diagram(state: State, setup: Setup) -> str:
    """The track by numbers with the cars on each tile, then every player."""
    cells = [f"{place:>2} {kind.partition('.')[2]}{_cars(state, place)}" for place, kind in enumerate(state.track)]
    rows = ["".join(f"{cell:<19}" for cell in cells[i : i + _COLUMNS]).rstrip() for i in range(0, len(cells), _COLUMNS)]
    return "\n".join([_heading(state), *rows, *(_player(state, p) for p in range(1, setup.players + 1))])


def _heading(state: State) -> str:
    if state.phase == "over":
        return f"turn {state.turn}: player {state.winner} has passed the finish and wins"
    heading = f"turn {state.turn} (player {state.player}): player {actor(state)} {DUE[state.phase][2]}"
    if state.motion:
        heading += f", {state.motion.size - state.motion.taken} steps left"
    return heading


def _cars(state: State, place: int) -> str:
    cars = [str(player) for player, position in enumerate(state.positions, 1) if position == place]
    return f" <{','.join(cars)}>" if cars else ""


def _player(state: State, player: int) -> str:
    hand = state.hand(player)
    cards = " ".join([*hand.known, *["?"] * hand.hidden])
    before = f" | {' '.join(state.faceup[player - 1])}" if state.faceup[player - 1] else ""
    return f"player {player} at {state.position(player):>2}: {cards}".rstrip() + before


def summary(state: State) -> dict[str, Any]:
    """See `rules.fairplay.summary`."""
    return {
        "positions": list(state.positions),
        "track": list(state.track),
        "faceup": [sorted(cards) for cards in state.faceup],
        "hands": [state.hand_size(player) for player in range(1, len(state.positions) + 1)],
        "player": state.player,
        "actor": None if state.phase == "over" else actor(state),
        "phase": state.phase,
        "winner": state.winner or None,
    }
