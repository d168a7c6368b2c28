"""What a screen shows of the game (rules.protocol.View)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.carpets import disputes
from rules.carpets.cards import LAYOUT_SIZE
from rules.carpets.scoring import Line
from rules.protocol import Mark, Message, Offer, PlayerView, ScoreLine, View

if TYPE_CHECKING:
    from rules.carpets.referee import CarpetsReferee


def view_of(r: CarpetsReferee) -> View:
    """The position, told for a screen."""
    scores = r.game.scores
    active = _active(r)
    return View(
        game="carpets",
        phase=_phase(r),
        players=tuple(
            PlayerView(
                name=player.name,
                colour=",".join(r.game.setup.carpets_of(number)),
                side=player.side,
                score=scores[number],
                active=number in active,
                won=r.game.hand(number),
                lines=_lines(r, number),
            )
            for number, player in enumerate(r.session.player, 1)
        ),
        round=r.round,
        rounds=r.game.rounds,
        flight=0 if r.stage in ("layout", "over") else r.flights,
        marks=tuple(_marks(r)),
        questions=r.asking.questions,
        offers=_offers(r),
        over=r.game.is_over,
        winners=tuple(r.names[player - 1] for player in r.game.winners),
    )


def _active(r: CarpetsReferee) -> tuple[int, ...]:
    if r.stage == "layout":
        return (r.layouter_now,)
    if r.stage == "flight":
        return (r.flight.thrower,) if r.flight.thrower else ()
    if r.stage == "duel":
        contest = disputes.current(r)
        return contest.players if contest else ()
    return ()


def _phase(r: CarpetsReferee) -> Message:
    match r.stage:
        case "layout":
            n = len(r.table.seen_slots())
            key = "carpets.phase.ready" if n >= LAYOUT_SIZE else "carpets.phase.layout"
            first = r.names[r.flight.sequence[0] - 1]
            return Message(key, {"n": n, "player": r.names[r.layouter_now - 1], "first": first})
        case "flight":
            if r.displaced():
                return Message("carpets.phase.put_back")
            thrower = r.flight.thrower
            if thrower is None:
                return Message("carpets.phase.evaluation")
            return Message("carpets.phase.flight", {"player": r.names[thrower - 1]})
        case "duel":
            contest = disputes.current(r)
            if contest is None:
                return Message("carpets.phase.choose")
            names = ", ".join(r.names[p - 1] for p in contest.players)
            return Message("carpets.phase.duel", {"card": r.slot(contest.slot).face, "players": names})
        case "over":
            return Message("carpets.phase.over" if r.game.is_over else "carpets.phase.lamps")
        case stage:
            return Message(f"carpets.phase.{stage}")


def _offers(r: CarpetsReferee) -> tuple[Offer, ...]:
    """What the players may say now, as far as it fits in a word."""
    phases: tuple[str, ...] = ()
    if r.stage == "layout" and r.table.seen_slots():
        phases = ("ready",)
    elif r.stage in ("flight", "evaluation"):
        phases = ("evaluate",) if r.flight.begun else ("evaluate", "end_round")
    elif r.stage == "collect":
        phases = ("next_flight", "end_round") if r.game.state.phase == "throwing" else ("end_round",)
    offers = [Offer(choice="phase", value=p, message=Message(f"carpets.offer.{p}")) for p in phases]
    contest = disputes.current(r) if r.stage == "duel" else None
    for player in contest.players if contest else ():
        name = r.names[player - 1]
        offers.append(Offer(choice="duel", value=name, message=Message("carpets.offer.duel", {"player": name})))
    return tuple(offers)


def _marks(r: CarpetsReferee) -> list[Mark]:
    marks = [
        Mark(kind="doubt", pieces=q.pieces, message=q.message) for q in r.asking.questions if q.rule == "carpets.on"
    ]
    if r.stage == "layout":
        marks += r.layout.marks()
    elif r.stage in ("flight", "evaluation"):
        marks += r.flight.marks()
        for slot in r.displaced():
            marks.append(_mark("take_back", slot.piece, Message("carpets.mark.put_back", {"card": slot.face})))
        turned = r.face_down()
        for slot in [slot for slot in r.table.slots if not slot.seen and r.stage == "flight"]:
            key = "carpets.mark.turned" if slot in turned else "carpets.mark.missing"  # rules 1.4.6
            marks.append(_mark("doubt", slot.piece, Message(key, {"card": slot.face})))
    elif r.stage in ("duel", "collect"):
        for contest in r.game.state.contests if r.stage == "duel" else ():
            slot = r.slot(contest.slot)
            names = ", ".join(r.names[p - 1] for p in contest.players)
            message = Message("carpets.contested", {"card": slot.face, "players": names})
            marks.append(_mark("contested", slot.piece, message))
        marks += r.collect.marks({c.slot for c in r.game.state.contests})
    return marks


def _mark(kind: str, piece: str, message: Message) -> Mark:
    return Mark(kind=kind, pieces=(piece,), message=message)


def _lines(r: CarpetsReferee, player: int) -> tuple[ScoreLine, ...]:
    lines = [_line(line) for line in r.game.explain()[player]]
    palaces, agreed = r.game.state.palace_points[player - 1], r.game.state.adjustments[player - 1]
    if palaces:
        lines.insert(0, ScoreLine(points=palaces, rule="1.6.2", message=Message("carpets.line.palaces")))
    if agreed:
        lines.append(ScoreLine(points=agreed, rule="", message=Message("carpets.line.agreed")))
    return tuple(lines)


def _line(line: Line) -> ScoreLine:
    return ScoreLine(points=line.points, rule="1.7", faces=line.faces, message=Message(f"carpets.line.{line.reason}"))
