"""What a screen shows of the race (rules.protocol.View). `View.board` is:

track       list of the tiles, the start first: {"kind": "road.curve", "piece": id, "cars": ["red", ...]}
finish      whether the last of them is the finish
cars        by colour: the number of the tile (start = 0; one beyond the finish's for a car that has passed it)
turn        {"number": from 1, "player": name, "phase": a word of the engine's phases, "actor": who must act now}
die         {"value": 1 to 3 or None, "left": steps that the moving car may still take}
before      by player's name: faces of the panne and puncture cards before him
hands       by player's name: how many cards he holds
offered     None, or the card on offer: {"by": name, "to": name}
owed        None, or what a card makes a car do that is still to be done: {"player", "from", "to", "card"}
ranking     lists of names, the foremost first; those side by side share a place
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rules.fairplay.legal import actor
from rules.fairplay.pieces import FINISH
from rules.fairplay.rulings import fault_message
from rules.protocol import Mark, Message, Offer, Param, PlayerView, ScoreLine, View

if TYPE_CHECKING:
    from rules.fairplay.referee import FairPlayReferee


def view_of(r: FairPlayReferee) -> View:
    """The position, told for a screen."""
    state = r.best.state
    acting = 0 if state.phase == "over" else actor(state)
    return View(
        game="fairplay",
        phase=_phase(r),
        players=tuple(
            PlayerView(
                name=player.name,
                colour=player.colour,
                side=player.side,
                score=r.best.cars[number - 1],
                active=number == acting,
                won=state.faceup[number - 1],
                lines=_lines(r, number),
            )
            for number, player in enumerate(r.session.player, 1)
        ),
        round=(state.turn - 1) // len(r.names) + 1,
        flight=0,
        marks=tuple(_marks(r)),
        questions=r.asking.questions,
        offers=_offers(r),
        over=state.phase == "over",
        winners=(r.names[state.winner - 1],) if state.winner else (),
        board=_board(r),
    )


def _phase(r: FairPlayReferee) -> Message:
    state = r.best.state
    if not r.watch.road.tiles:
        return Message("fairplay.phase.start")
    if state.phase == "over":
        return Message("fairplay.phase.over", {"player": r.names[state.winner - 1]})
    if owed := r.best.owed:
        params: dict[str, Param] = {"player": r.names[owed.player - 1], "card": owed.by, "tile": owed.end}
        return Message("fairplay.phase.owed", params)
    who = r.names[actor(state) - 1]
    if state.phase == "move" and state.motion:
        return Message("fairplay.phase.move", {"player": who, "steps": state.motion.size - state.motion.taken})
    if state.phase == "reply":
        return Message("fairplay.phase.reply", {"player": who, "by": r.names[state.player - 1]})
    return Message(f"fairplay.phase.{state.phase}", {"player": who})


def _offers(r: FairPlayReferee) -> tuple[Offer, ...]:
    """What the players may say now, as far as it fits in a word."""
    words: tuple[str, ...] = ("counts",) if r.faults or r.stuck else ()
    if r.best.state.phase not in ("over", "roll"):
        words += ("next_turn",)
    return tuple(Offer(choice="phase", value=word, message=Message(f"fairplay.offer.{word}")) for word in words)


def _marks(r: FairPlayReferee) -> list[Mark]:
    marks = [
        Mark(kind="violation", pieces=(fault.piece,), message=fault_message(fault, r.names))
        for fault in (*r.faults.values(), *([r.ran_in] if r.ran_in else []))
        if fault.piece
    ]
    marks += [Mark(kind="doubt", pieces=q.pieces, message=q.message) for q in r.asking.questions if q.pieces]
    if (owed := r.best.owed) and (car := r.car_pieces().get(owed.player)):
        marks.append(Mark(kind="take_back", pieces=(car,), message=_phase(r)))
    return marks


def _lines(r: FairPlayReferee, player: int) -> tuple[ScoreLine, ...]:
    """How a car came to where it stands, by what moved it."""
    sums: dict[str, int] = {}
    for leg in r.best.state.legs:
        if leg.player == player and leg.points:
            sums[leg.by] = sums.get(leg.by, 0) + leg.points
    return tuple(
        ScoreLine(
            points=points,
            rule="3.3.1" if by == "die" else "3.5",
            faces=() if by == "die" else (by,),
            message=Message("fairplay.line.die" if by == "die" else "fairplay.line.card", {"card": by}),
        )
        for by, points in sums.items()
    )


def _board(r: FairPlayReferee) -> dict[str, Any]:
    belief, state = r.best, r.best.state
    colours = [player.colour for player in r.session.player]
    tiles = r.watch.road.tiles
    motion, owed = state.motion, belief.owed
    places = sorted(set(belief.cars), reverse=True)
    return {
        "track": [
            {
                "kind": kind,
                "piece": tiles[n].piece if n < len(tiles) else "",
                "cars": [colour for colour, place in zip(colours, belief.cars, strict=True) if place == n],
            }
            for n, kind in enumerate(belief.road)
        ],
        "finish": belief.road[-1] == FINISH,
        "cars": dict(zip(colours, belief.cars, strict=True)),
        "turn": {
            "number": state.turn,
            "player": r.names[state.player - 1],
            "phase": state.phase,
            "actor": r.names[actor(state) - 1] if state.phase != "over" else "",
        },
        "die": {"value": r.sight.die if r.sight else None, "left": motion.size - motion.taken if motion else 0},
        "before": {name: list(cards) for name, cards in zip(r.names, state.faceup, strict=True)},
        "hands": {name: state.hand_size(number) for number, name in enumerate(r.names, 1)},
        "offered": {"by": r.names[state.player - 1], "to": r.names[state.offered.to - 1]} if state.offered else None,
        "owed": {"player": r.names[owed.player - 1], "from": owed.start, "to": owed.end, "card": owed.by}
        if owed
        else None,
        "ranking": [[n for n, at in zip(r.names, belief.cars, strict=True) if at == place] for place in places],
    }
