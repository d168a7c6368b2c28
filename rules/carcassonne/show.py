"""The table in text."""

from __future__ import annotations

from typing import Final

from rules.carcassonne.board import Board, Meeple
from rules.carcassonne.state import Setup, State
from rules.carcassonne.tiles import Turned

_ARROWS: Final = {
    (-1, 0): "←",
    (1, 0): "→",
    (0, -1): "↑",
    (0, 1): "↓",
    (-1, -1): "↖",
    (1, -1): "↗",
    (1, 1): "↘",
    (-1, 1): "↙",
}
_NAMES: Final = {"Road": "highwayman", "City": "knight", "Field": "farmer", "Monastery": "monk", "Garden": "abbot"}


def show(state: State, setup: Setup) -> str:
    """The laid tiles, then each player's points and supply and where his figures stand.

    A tile shows R road and C city on its sides (nothing where there is field), and in its middle what else matters: M
    a monastery, * a crossing, c city sides that hang together, + a pennant, an arrow for a flying machine, G a garden
    where abbots are played with.
    """
    players = [_player(state, player) for player in range(1, setup.players + 1)]
    return "\n".join([_heading(state), *_rows(state.board, setup), *players])


def _heading(state: State) -> str:
    left = sum(state.stock.values())
    if state.phase == "over":
        return f"over after {state.turn} turns"
    doing = {
        "draw": "draws",
        "place": f"lays {state.tile}",
        "meeple": f"laid {state.tile} at {state.cell}: a meeple?",
        "roll": "rolls the flight die",
        "land": f"rolled {state.die} and lands",
    }
    return f"turn {state.turn}, player {state.player} {doing[state.phase]}; {left} tiles left"


def _rows(board: Board, setup: Setup) -> list[str]:
    columns = [x for x, _ in board.tiles]
    rows = [y for _, y in board.tiles]
    text = []
    for y in range(min(rows), max(rows) + 1):
        tiles = [board.tiles.get((x, y)) for x in range(min(columns), max(columns) + 1)]
        text += [
            "".join(line).rstrip() for line in zip(*(_drawn(tile, setup.rules.abbot) for tile in tiles), strict=True)
        ]
    return text


def _drawn(laid: Turned | None, gardens: bool) -> tuple[str, str, str]:
    if laid is None:
        return (" " * 5,) * 3
    north, east, south, west = (edge if edge != "F" else "" for edge in laid.edges)
    return (
        f"+-{north or '-'}-+",
        f"{west or '|'}{_middle(laid, gardens):^3}{east or '|'}",
        f"+-{south or '-'}-+",
    )


def _middle(laid: Turned, gardens: bool) -> str:
    kinds = [part.kind for part in laid.parts]
    joined = any(part.kind == "City" and len(part.location) > 1 for part in laid.parts)
    marks = {
        "M": "Monastery" in kinds,
        "*": kinds.count("Road") > 2,
        "c": joined,
        "+": any(part.pennants for part in laid.parts),
        _ARROWS[laid.flight] if laid.flight else "": True,
        "G": gardens and "Garden" in kinds,
    }
    return "".join(mark for mark, there in marks.items() if there)


def _player(state: State, player: int) -> str:
    supply = f"{state.supply[player - 1]} meeples" + (", abbot" if state.abbots[player - 1] else "")
    standing = [_standing(state.board, meeple) for meeple in state.meeples() if meeple.player == player]
    return f"player {player} {state.points[player - 1]:>3}: " + "; ".join([supply, *standing])


def _standing(board: Board, meeple: Meeple) -> str:
    part = board.part(meeple.spot)
    name = "abbot" if meeple.figure == "abbot" else _NAMES[part.kind]
    return f"{name} {(meeple.spot.x, meeple.spot.y)} {part.location}"
