"""What the camera cannot tell, as questions; and what follows from the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from rules.asking import Topic
from rules.carcassonne import amending
from rules.carcassonne.explain import Evidence, Plan, Step
from rules.carcassonne.geometry import Cell
from rules.carcassonne.lattice import PREFIX, SeenTile, same
from rules.carcassonne.legal import landings
from rules.carcassonne.maps import FeatureMap, centre_of, middle_of
from rules.carcassonne.moves import Draw, Land, Place, Put, Skip
from rules.carcassonne.refusals import why_illegal
from rules.carcassonne.sight import Place as Where
from rules.carcassonne.sight import SeenMeeple, Sight
from rules.carcassonne.state import State
from rules.carcassonne.tiles import TILES
from rules.protocol import Message, Output, Param, Question
from vision.scene import UNKNOWN

if TYPE_CHECKING:
    from rules.carcassonne.referee import CarcassonneReferee

NOT_IN_PLAY = "not_in_play"
TAKE_BACK = "take_back"
PUT_BACK = "put_back"
AS_SEEN = "as_seen"
AS_BEFORE = "as_before"
NOT_THROWN = "not_thrown"
NOT_SEEN = "not_seen"
STILLS = 2
"""So many stills in a row must agree that something lies otherwise than it did, before it is asked."""

Wanted = dict[Topic, Question]
"""Questions that must be open now, by what they are about."""

_KINDS = ("discard", "face", "turn", "changed", "moved", "order", "many", "meeple", "colour", "late", "die", "landed")


def sync(r: CarcassonneReferee, wanted: Wanted) -> list[Output]:
    """Withdraws what need not be asked any more, and asks what is new."""
    for kind in _KINDS:
        for topic in r.asking.topics(kind):
            if topic not in wanted:
                r.asking.withdraw_topic(topic)
    fresh = {topic: question for topic, question in wanted.items() if topic not in r.heard}
    return [o for topic, question in fresh.items() for o in r.asking.ask(topic, question)]


def want(
    wanted: Wanted,
    topic: Topic,
    t: float,
    *,
    key: str,
    options: Iterable[str],
    default: str,
    pieces: Iterable[str] = (),
    player: str | None = None,
    params: Mapping[str, Param] | None = None,
) -> None:
    """Puts a question among those that must be open; its rule is `carcassonne.<key>`."""
    wanted[topic] = Question(
        id="",
        t=t,
        rule=f"carcassonne.{key}",
        pieces=tuple(pieces),
        player=player,
        options=tuple(options),
        default=default,
        message=Message(f"carcassonne.ask.{key}", dict(params or {})),
    )


# -- tiles ------------------------------------------------------------------------------------------------------------


def discards(r: CarcassonneReferee, t: float, sight: Sight, wanted: Wanted) -> None:
    """A tile that lies face up beside the board and fits nowhere: was it drawn? It is out of the game (rules 2.2.2)."""
    state = r.game.state
    if state.phase not in ("draw", "meeple"):
        return
    for tile in sight.loose:
        drawn = tile.tile in state.stock and tile.piece not in r.told.tiles
        if drawn and tile.confidence >= r.rules.ask_below_confidence and not any(state.board.fits(tile.tile)):
            want(
                wanted,
                ("discard", tile.piece, tile.tile),
                t,
                key="discard",
                options=("yes", "no"),
                default="yes",
                pieces=[tile.piece],
                params={"tile": PREFIX + tile.tile},
            )


def tiles(r: CarcassonneReferee, t: float, sight: Sight, wanted: Wanted, fresh: bool) -> set[str]:
    """New tiles whose face or turn is not certain: asked. Gives their pieces.

    One of which nothing is seen but that it lies there is looked at once more before it is asked about.
    """
    doubtful = set()
    for cell, tile in sight.tiles.items():
        if cell in r.game.state.board.tiles:
            continue
        if tile.tile == UNKNOWN or tile.confidence < r.rules.ask_below_confidence:
            doubtful.add(tile.piece)
            if tile.rotation is None:
                key = f"face:{tile.piece}"
                r.unseen[key] = r.unseen.get(key, 0) + fresh
                if r.unseen[key] < STILLS:
                    continue
            if options := _candidates(r, cell, tile):
                fits = tile.tile != UNKNOWN and tile.tile in fitting(r, cell, tile.rotation)
                default = PREFIX + tile.tile if fits else options[-1 if tile.rotation is None else 0]
                want(
                    wanted,
                    ("face", tile.piece),
                    t,
                    key="face",
                    options=options,
                    default=default,
                    pieces=[tile.piece],
                )
        elif tile.rotation is None:
            doubtful.add(tile.piece)
            if turns := _turns(r, cell, tile.tile):
                want(
                    wanted,
                    ("turn", tile.piece),
                    t,
                    key="turn",
                    options=[str(r.words.frame.shown_rotation(turn)) for turn in turns],
                    default=str(r.words.frame.shown_rotation(turns[0])),
                    pieces=[tile.piece],
                )
    return doubtful


def _candidates(r: CarcassonneReferee, cell: Cell, tile: SeenTile) -> list[str]:
    """What a tile may be: what it looks like, then what fits there, then nothing of this game."""
    if cell not in r.game.state.board.frontier:
        return []
    looks = [tile.tile] if tile.tile != UNKNOWN else []
    others = [name for name in fitting(r, cell, tile.rotation) if name not in looks]
    return [PREFIX + name for name in (*looks, *others)] + [NOT_IN_PLAY]


def fitting(r: CarcassonneReferee, cell: Cell, rotation: int | None) -> list[str]:
    state = r.game.state
    return sorted(
        name
        for name in state.stock
        if any(where == cell and (rotation is None or rotation in turns) for where, turns in state.board.fits(name))
    )


def _turns(r: CarcassonneReferee, cell: Cell, name: str) -> list[int]:
    """Rotations in which a tile fits on a cell, each look once."""
    fits = [turn for where, turns in r.game.state.board.fits(name) if where == cell for turn in turns]
    return [turn for i, turn in enumerate(fits) if not any(same(name, turn, other) for other in fits[:i])]


def tell_tile(r: CarcassonneReferee, piece: str, face: str) -> None:
    """The players say what a tile is. How it is turned need not be asked where it fits in one way only."""
    name = r.told.tiles[piece] = face.removeprefix(PREFIX)
    for cell, tile in (r.sight.tiles if r.sight is not None else {}).items():
        if tile.piece == piece and tile.rotation is None and cell not in r.game.state.board.tiles and name in TILES:
            turns = _turns(r, cell, name)
            if len(turns) == 1:
                r.told.turns[piece] = turns[0]


def changed(r: CarcassonneReferee, t: float, sight: Sight, wanted: Wanted, fresh: bool) -> bool:
    """Tiles of earlier turns that lie elsewhere or look otherwise now: asked. Whether any was moved to a new cell."""
    board, last = r.game.state.board.tiles, last_cell(r)
    moved = False
    for cell, tile in sight.tiles.items():
        home = r.eye.pieces.get(tile.piece)
        if cell not in board:
            if home is not None and home in board and home != last and home not in sight.tiles:
                moved = True
                want(
                    wanted,
                    ("moved", tile.piece, *map(str, (*home, *cell))),
                    t,
                    key="moved",
                    options=(PUT_BACK, AS_SEEN) if amending.moved(r, home, tile) else (PUT_BACK,),
                    default=PUT_BACK,
                    pieces=[tile.piece],
                )
            continue
        key = f"changed:{cell}"
        laid = board[cell]
        differs = (
            cell != last
            and tile.tile != UNKNOWN
            and tile.confidence >= r.rules.ask_below_confidence
            and not (
                tile.tile == laid.tile.id and (tile.rotation is None or same(tile.tile, tile.rotation, laid.rotation))
            )
        )
        if not differs:
            r.unseen.pop(key, None)
            continue
        r.unseen[key] = r.unseen.get(key, 0) + fresh
        topic = ("changed", *map(str, cell), tile.tile, str(tile.rotation))
        if r.unseen[key] >= STILLS and topic not in r.dismissed:
            want(
                wanted,
                topic,
                t,
                key="changed",
                options=(AS_BEFORE, AS_SEEN) if amending.replaced(r, cell, tile) else (AS_BEFORE,),
                default=AS_BEFORE,
                pieces=[tile.piece],
                params={"tile": PREFIX + laid.tile.id, "other": PREFIX + tile.tile},
            )
    return moved


def last_cell(r: CarcassonneReferee) -> Cell | None:
    """The cell of the tile that was laid last."""
    last = next((m for m in reversed(r.game.moves) if isinstance(m, Place)), None)
    return None if last is None else (last.x, last.y)


def many(r: CarcassonneReferee, t: float, seen: Evidence, wanted: Wanted) -> None:
    """So many tiles are new that nobody can tell who laid which."""
    want(
        wanted,
        ("many", str(len(r.game.moves)), str(len(seen.tiles))),
        t,
        key="many",
        options=("yes", "no"),
        default="yes",
        pieces=[tile.piece for tile in seen.tiles],
        params={"n": len(seen.tiles)},
    )


# -- what happened ----------------------------------------------------------------------------------------------------


def choose(r: CarcassonneReferee, t: float, plans: Sequence[Plan], done: int, wanted: Wanted) -> None:
    """Several ways account for a still: asks at the first step in which they differ, after `done` that were made."""
    following: list[tuple[Step, ...]] = []
    for plan in plans:
        if plan.weight >= 0.02 and len(plan.steps) > done and plan.steps[done:] not in following:
            following.append(plan.steps[done:])
    meeples = [steps[0].piece for steps in following if isinstance(steps[0].move, Put | Land) and steps[0].piece]
    if meeples:
        seen = next((m for m in (r.sight.meeples if r.sight else ()) if m.piece == meeples[0]), None)
        if seen is not None:
            ask_place(r, t, seen, wanted)
        return
    laid = [_next_place(steps) for steps in following]
    pieces = list(dict.fromkeys(piece for piece in laid if piece))
    if len(pieces) > 1:
        want(
            wanted,
            ("order", *sorted(pieces)),
            t,
            key="order",
            options=pieces,
            default=pieces[0],
            pieces=pieces,
        )


def _next_place(steps: Sequence[Step]) -> str:
    return next((step.piece for step in steps if isinstance(step.move, Place)), "")


def ask_place(r: CarcassonneReferee, t: float, seen: SeenMeeple, wanted: Wanted, state: State | None = None) -> None:
    """What does this meeple stand on? Only what the rules allow is offered, and to take it back. `state`: the position
    that it is asked for, when that is not the game's."""
    options = place_options(r, state)
    if not options:
        return
    default = max(options, key=lambda word: seen.weight(options[word]))
    player = r.turn_name
    want(
        wanted,
        ("meeple", seen.piece),
        t,
        key="meeple",
        options=(*options, TAKE_BACK),
        default=default if seen.weight(options[default]) > 0 else TAKE_BACK,
        pieces=[seen.piece],
        player=player,
    )


def place_options(r: CarcassonneReferee, state: State | None = None) -> dict[str, Where]:
    """Where a meeple may be put or land now (or in another position): word to place. A word is the feature and, where
    there are several of its kind, in which direction from the tile's middle it lies: `Field.NE`."""
    state = state or r.game.state
    allowed: dict[Where, str] = {}
    if state.phase == "land":
        allowed = {((spot.x, spot.y), spot.part): part.kind for spot, part in landings(state, r.game.setup)}
    elif state.phase == "meeple" and state.cell is not None:
        for number, part in enumerate(state.board.tiles[state.cell].parts):
            if why_illegal(state, r.game.setup, Put(part.kind, part.location)) is None:
                allowed[state.cell, number] = part.kind
    kinds = list(allowed.values())
    words: dict[str, Where] = {}
    for place, kind in allowed.items():
        word = kind if kinds.count(kind) == 1 else f"{kind}.{direction(r, place)}"
        words[word if word not in words else f"{word}#{len(words)}"] = place
    return words


def direction(r: CarcassonneReferee, place: Where) -> str:
    """Where on its tile a part lies, as people see it: N, NE, E ... or I (the middle)."""
    u, v = _shown(r, place, centre_of)
    names = (("NW", "N", "NE"), ("W", "I", "E"), ("SW", "S", "SE"))
    return names[0 if v < 0.4 else 2 if v > 0.6 else 1][0 if u < 0.4 else 2 if u > 0.6 else 1]


def spot_on(r: CarcassonneReferee, place: Where) -> tuple[float, float]:
    """A point of a part on its tile as people see it: 0 to 1 from left to right and from top to bottom."""
    return _shown(r, place, middle_of)


def _shown(
    r: CarcassonneReferee, place: Where, of: Callable[[FeatureMap, int], tuple[float, float]]
) -> tuple[float, float]:
    cell, part = place
    laid = r.game.state.board.tiles[cell]
    u, v = of(r.eye.map_of(laid.tile.id), part)
    for _ in range(r.words.frame.shown_rotation(laid.rotation) // 90):
        u, v = 1 - v, u
    return u, v


# -- answers ----------------------------------------------------------------------------------------------------------


def answered(r: CarcassonneReferee, t: float, topic: Topic, choice: str) -> list[Output]:
    """Takes down what was said; the still is then looked at again."""
    told = r.told
    match topic[0], choice:
        case "discard", _:
            told.tiles[topic[1]] = NOT_IN_PLAY
            if choice == "yes":
                skip = [Step(Skip(), inferred=True)] if r.game.state.phase == "meeple" else []
                return [o for step in (*skip, Step(Draw(topic[2]), topic[1])) for o in r.push(t, step)]
        case "face", _:
            tell_tile(r, topic[1], choice)
        case "turn", _:
            told.turns[topic[1]] = (int(choice) - r.words.frame.turn) % 360
        case "order", _:
            told.first.append(choice)
        case "many", "yes":
            return amending.catch_up(r, t)
        case "meeple", _:
            told.places[topic[1]] = place_options(r).get(choice)
        case "colour" | "late", _:
            if choice == TAKE_BACK:
                told.places[topic[1]] = None
            elif topic[0] == "colour":
                told.colours[topic[1]] = r.colours[r.names.index(choice)]
            else:
                return amending.put_late(r, t, topic[1])
        case "die", _ if choice != NOT_THROWN:
            told.die = int(choice)
        case "die", _:
            r.die_doubtful = False
            r.baseline = r.throws_now
            waiting = r.sight is not None and any(cell not in r.game.state.board.tiles for cell in r.sight.tiles)
            if waiting and r.game.state.phase == "roll":
                # The game went on without a throw: what stood on the machine stood beside it.
                r.cut(len(r.game.moves) - 1)
                told.grounded = True
        case "landed", _:
            told.landed = place_options(r).get(choice)
        case "moved", _ if choice == AS_SEEN:
            home, cell = (int(topic[2]), int(topic[3])), (int(topic[4]), int(topic[5]))
            if r.sight is not None and (tile := r.sight.tiles.get(cell)) is not None:
                return amending.amend(r, t, amending.moved(r, home, tile))
        case "changed", _:
            r.dismissed.add(topic)
            cell = (int(topic[1]), int(topic[2]))
            if choice == AS_SEEN and r.sight is not None and (tile := r.sight.tiles.get(cell)) is not None:
                return amending.amend(r, t, amending.replaced(r, cell, tile))
    return []
