"""What lies on the table and cannot be: tiles that do not fit, meeples where none may be. Flagged until put right."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rules.carcassonne import amending, doubts, flying
from rules.carcassonne.explain import Evidence, Plan, machines
from rules.carcassonne.flags import Flag
from rules.carcassonne.geometry import SIDES, STEPS
from rules.carcassonne.lattice import PREFIX, SeenTile
from rules.carcassonne.legal import target
from rules.carcassonne.moves import Draw, Land, Put, Skip
from rules.carcassonne.refusals import why_illegal
from rules.carcassonne.sight import Place as Where
from rules.carcassonne.sight import SeenMeeple, Sight
from rules.carcassonne.state import State
from rules.carcassonne.tiles import turned
from rules.protocol import Mark, Message, Output, Param, Ruling
from vision.scene import UNKNOWN

if TYPE_CHECKING:
    from rules.carcassonne.referee import CarcassonneReferee


ILLEGAL_BELOW = 0.03
"""A meeple is ruled to stand where it may not only when it is less likely than this that it stands where it may."""


def diagnose(
    r: CarcassonneReferee, t: float, sight: Sight, seen: Evidence, wanted: doubts.Wanted, fresh: bool
) -> list[Output]:
    """Flags what nothing accounts for, and rules or asks about what is new of it."""
    flags = [
        *_tiles(r, t, sight, seen, wanted),
        *_meeples(r, t, seen, wanted),
        *flying.watch(r, t, sight, seen, wanted, fresh),
    ]
    r.flags = flags
    out: list[Output] = [f.ruling for f in flags if f.ruling is not None and f.key not in r.flagged]
    there = {tile.piece for tile in sight.tiles.values()} | {m.piece for m in sight.meeples}
    hidden = {key for key in r.flagged if key[1] not in there}
    r.flagged = {f.key for f in flags if f.ruling is not None} | hidden
    return out


# -- tiles ------------------------------------------------------------------------------------------------------------


def never_fits(r: CarcassonneReferee, plan: Plan, tile: SeenTile) -> bool:
    """Whether a tile that a plan leaves over breaks a rule where it lies, whoever's it is."""
    return plan.state.phase in ("draw", "meeple") and broken_edges(plan.state, tile) != []


def broken_edges(state: State, tile: SeenTile) -> list[int]:
    """The sides of a tile, from the north clockwise, that do not match what lies beside it."""
    if tile.tile == UNKNOWN or tile.cell is None or tile.rotation is None:
        return []
    pattern = state.board.frontier.get(tile.cell, "....")
    edges = turned(tile.tile, tile.rotation).edges
    return [i for i, (mine, theirs) in enumerate(zip(edges, pattern, strict=True)) if theirs not in (".", mine)]


def _tiles(r: CarcassonneReferee, t: float, sight: Sight, seen: Evidence, wanted: doubts.Wanted) -> Iterable[Flag]:
    state = r.game.state
    asked = {topic[1] for topic in wanted}
    known = [
        tile for tile in seen.tiles if tile.piece not in asked and tile.tile != UNKNOWN and tile.rotation is not None
    ]
    player = next_player(r) if len(known) == 1 else None  # of several it is not certain who laid which
    for tile in known:
        assert tile.cell is not None
        if sides := broken_edges(state, tile):
            side = sides[0]
            yield _edges(r, t, tile, side, state.board.frontier[tile.cell][side], player)
        elif state.phase in ("draw", "meeple") and tile.cell in state.board.frontier and tile.tile not in state.stock:
            # More of a tile than there are cannot lie there: it was misread.
            options = [PREFIX + name for name in doubts.fitting(r, tile.cell, tile.rotation)]
            doubts.want(
                wanted,
                ("face", tile.piece),
                t,
                key="face",
                options=[*options, doubts.NOT_IN_PLAY],
                default=(options or [doubts.NOT_IN_PLAY])[0],
                pieces=[tile.piece],
            )
    for tile in sight.loose:
        home = r.eye.pieces.get(tile.piece)
        if home in state.board.tiles and home not in sight.tiles:
            mark = Mark(kind="take_back", pieces=(tile.piece,), message=Message("carcassonne.mark.tile_back"))
            yield Flag(("tile_back", tile.piece), mark)
    for tile in known:
        for other in known:
            if (clash := _clash(tile, other)) is not None:
                yield _edges(r, t, tile, *clash, None, other)


def _clash(tile: SeenTile, other: SeenTile) -> tuple[int, str] | None:
    """On which side, and with what edge, a new tile does not match another new one to its east or south."""
    for side in (1, 2):
        dx, dy = STEPS[side]
        if tile.cell is None or tile.rotation is None or other.rotation is None:
            continue
        if other.cell == (tile.cell[0] + dx, tile.cell[1] + dy):
            theirs = turned(other.tile, other.rotation).edges[(side + 2) % 4]
            if theirs != turned(tile.tile, tile.rotation).edges[side]:
                return side, theirs
    return None


def _edges(
    r: CarcassonneReferee,
    t: float,
    tile: SeenTile,
    side: int,
    theirs: str,
    player: str | None,
    other: SeenTile | None = None,
) -> Flag:
    """Rules 2.2.2: every touching side must match. `other`: the tile beside it, when that is no tile of the game."""
    assert tile.cell is not None
    assert tile.rotation is not None
    frame, cell = r.words.frame, tile.cell
    beside = (cell[0] + STEPS[side][0], cell[1] + STEPS[side][1])
    shown = SIDES[(side + frame.turn // 90) % 4]
    mine = turned(tile.tile, tile.rotation).edges[side]
    params: dict[str, Param] = {
        "tile": PREFIX + tile.tile,
        "side": f"side.{shown}",
        "mine": f"edge.{mine}",
        "theirs": f"edge.{theirs}",
    }
    pieces = (tile.piece, *((other.piece,) if other else r.words.lying([beside])))
    message = Message("carcassonne.illegal.edges", params)
    ruling = Ruling(
        t=t,
        rule="carcassonne.illegal.edges",
        pieces=pieces,
        player=player,
        message=message,
        data={
            "tile": tile.tile,
            "cell": r.words.cell(cell),
            "rotation": frame.shown_rotation(tile.rotation),
            "side": shown,
            "neighbour": r.words.cell(beside),
        },
    )
    key = ("edges", tile.piece, str(cell), str(tile.rotation))
    return Flag(
        key, Mark(kind="violation", pieces=pieces, message=message), ruling, (tile, *((other,) if other else ()))
    )


def next_player(r: CarcassonneReferee) -> str | None:
    """Who lays the next tile."""
    state = r.game.state
    if state.phase == "draw":
        return r.turn_name
    return r.names[state.player % len(r.names)] if state.phase == "meeple" else None


# -- meeples ----------------------------------------------------------------------------------------------------------


def _meeples(r: CarcassonneReferee, t: float, seen: Evidence, wanted: doubts.Wanted) -> Iterable[Flag]:
    asked = {topic[1] for topic in wanted if len(topic) > 1}
    unsure = {tile.cell for tile in seen.tiles}
    for meeple in seen.meeples:
        if meeple.piece in asked or meeple.cell in unsure or meeple.cell not in r.game.state.board.tiles:
            continue
        if meeple.colour != UNKNOWN and meeple.colour not in r.colours:
            continue  # not of this game
        yield from _meeple(r, t, meeple, seen, wanted)


def _meeple(
    r: CarcassonneReferee, t: float, meeple: SeenMeeple, seen: Evidence, wanted: doubts.Wanted
) -> Iterable[Flag]:
    state = r.game.state
    if meeple.piece in r.told.places and r.told.places[meeple.piece] is None:
        yield _take_back(r, meeple)
    elif _pushed(r, meeple, seen):
        yield _mark(meeple, "put_back", "take_back")
    elif state.phase == "land" and meeple.cell == target(state, r.game.setup) and _own(r, meeple):
        yield from _refused(r, t, meeple, state, wanted)
    elif state.phase in ("roll", "land") and _own(r, meeple):
        if state.phase == "land":
            message = Message("carcassonne.mark.lands_elsewhere", {"player": r.turn_name})
            yield Flag(
                ("lands_elsewhere", meeple.piece), Mark(kind="violation", pieces=(meeple.piece,), message=message)
            )
    elif state.phase == "meeple" and meeple.cell == state.cell:
        if _own(r, meeple):
            yield from _refused(r, t, meeple, state, wanted)
        else:
            _ask_colour(r, t, meeple, wanted, r.turn_name)
    elif meeple.cell == doubts.last_cell(r) and state.phase in ("draw", "over"):
        yield from _after_turn(r, t, meeple, wanted)
    elif meeple.colour == UNKNOWN:
        return  # it will be clear what it is when its turn is
    else:
        options = (doubts.TAKE_BACK, "late") if amending.late(r, meeple) else (doubts.TAKE_BACK,)
        player = r.names[r.colours.index(meeple.colour)]
        doubts.want(
            wanted,
            ("late", meeple.piece),
            t,
            key="late",
            options=options,
            default=options[-1],
            pieces=[meeple.piece],
            player=player,
            params={"name": player},
        )


def _own(r: CarcassonneReferee, meeple: SeenMeeple) -> bool:
    return meeple.colour == r.colours[r.game.state.player - 1]


def _pushed(r: CarcassonneReferee, meeple: SeenMeeple, seen: Evidence) -> bool:
    """Whether it is a meeple of the board that is no longer where it stood: it lies on the same tile, or is known."""
    for own in seen.gone:
        if r.colours[own.player - 1] == meeple.colour and (own.spot.x, own.spot.y) == meeple.cell:
            return True
    known = {step.piece for step in r.steps if isinstance(step.move, Put | Land) and step.piece}
    return meeple.piece in known and any(r.colours[own.player - 1] == meeple.colour for own in seen.gone)


def _after_turn(r: CarcassonneReferee, t: float, meeple: SeenMeeple, wanted: doubts.Wanted) -> Iterable[Flag]:
    """On the tile that was laid last, when its turn is over already."""
    before = r.game.copy()
    turn = before.pop()
    while isinstance(turn, Draw):  # tiles that fitted nowhere
        turn = before.pop()
    owner = before.state.player
    if meeple.colour != r.colours[owner - 1]:
        _ask_colour(r, t, meeple, wanted, r.names[owner - 1] if isinstance(turn, Skip) else None)
    elif isinstance(turn, Skip) and before.state.phase == "meeple":
        yield from _refused(r, t, meeple, before.state, wanted)
    else:
        yield _ruled(r, t, meeple, "phase", r.names[owner - 1])


def _refused(
    r: CarcassonneReferee, t: float, meeple: SeenMeeple, state: State, wanted: doubts.Wanted
) -> Iterable[Flag]:
    """A meeple of the player whose turn it is, where the rules forbid it."""
    nowhere = machines(state) if state.phase == "land" else frozenset()
    places = [where for where in meeple.weights if where not in nowhere]
    place = max(places, key=lambda where: meeple.weights[where], default=None)
    if place is None:
        doubts.ask_place(r, t, meeple, wanted, state)
        return
    cell, number = place
    part = state.board.tiles[cell].parts[number]
    move: Put | Land = Land(part.kind, part.location) if state.phase == "land" else Put(part.kind, part.location)
    refusal = why_illegal(state, r.game.setup, move)
    allowed = doubts.place_options(r, state).values()
    near = sum(meeple.weight(where) for where in allowed)
    unsure = meeple.weights[place] < r.rules.ask_below_confidence or near > ILLEGAL_BELOW
    if refusal is None or cell != meeple.cell or unsure:
        doubts.ask_place(r, t, meeple, wanted, state)
        return
    if refusal.rule == "supply":
        # More meeples than there are cannot stand there: one of the others was misjudged.
        yield _mark(meeple, "supply", "doubt", r.names[state.player - 1])
        return
    yield _ruled(r, t, meeple, refusal.rule, r.names[state.player - 1], place)


def _ruled(
    r: CarcassonneReferee, t: float, meeple: SeenMeeple, rule: str, player: str, place: Where | None = None
) -> Flag:
    data: dict[str, Any] = {"cell": r.words.cell(meeple.cell)}
    params: dict[str, Param] = {"player": player}
    if place is not None:
        kind = r.game.state.board.tiles[place[0]].parts[place[1]].kind
        data["feature"] = params["feature"] = kind
    message = Message(f"carcassonne.illegal.{rule}", params)
    ruling = Ruling(
        t=t, rule=f"carcassonne.illegal.{rule}", pieces=(meeple.piece,), player=player, message=message, data=data
    )
    key = (rule, meeple.piece, str(meeple.cell))
    return Flag(key, Mark(kind="violation", pieces=(meeple.piece,), message=message), ruling)


def _take_back(r: CarcassonneReferee, meeple: SeenMeeple) -> Flag:
    return _mark(meeple, "take_back", "take_back")


def _mark(meeple: SeenMeeple, word: str, kind: str, player: str = "") -> Flag:
    message = Message(f"carcassonne.mark.{word}", {"player": player} if player else {})
    return Flag((word, meeple.piece), Mark(kind=kind, pieces=(meeple.piece,), message=message))


def _ask_colour(r: CarcassonneReferee, t: float, meeple: SeenMeeple, wanted: doubts.Wanted, owner: str | None) -> None:
    """It is not of the player whose tile it stands on, or its colour is not certain (rules 2.2.3)."""
    if meeple.colour == UNKNOWN and owner is not None:
        options, key, default = (owner, doubts.TAKE_BACK), "whose", owner
    else:
        options, key, default = (*((owner,) if owner else ()), doubts.TAKE_BACK), "colour", doubts.TAKE_BACK
    doubts.want(
        wanted,
        ("colour", meeple.piece),
        t,
        key=key,
        options=options,
        default=default,
        pieces=[meeple.piece],
        params={"name": owner or r.turn_name, "meeple": f"meeple.{meeple.colour}"},
    )
