"""The end of a round and of the game: lamps, palaces, the next layouter (rules 1.6, 1.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.carpets import rulings
from rules.carpets.legal import lamp_deciders
from rules.carpets.moves import Lamps
from rules.carpets.palaces import lamp_order, lamps_matter
from rules.protocol import Message, Output, Param, Ruling

if TYPE_CHECKING:
    from rules.carpets.referee import CarpetsReferee


def end(r: CarpetsReferee, t: float) -> list[Output]:
    """No more flights in this round: palaces are counted, lamps asked about, and the next layouter lays out."""
    n = len(r.game.state.hands)
    last = r.round == r.game.rounds
    layouter = r.layouter % n + 1
    params: dict[str, Param] = {"round": r.round}
    if not last:
        params["player"] = r.names[layouter - 1]
    message = Message("carpets.round_end.last" if last else "carpets.round_end", params)
    out: list[Output] = [Ruling(t=t, rule="carpets.round_end", message=message, data={"round": r.round})]
    r.table.clear()
    r.asking.withdraw("swept", "on", "off", "stack", "ready", "next_duel", "duel")
    r.stage = "over" if last else "layout"
    r.flights = 1
    r.pending_palaces = True
    r.flight = r.new_flight(r.layouter if last else layouter)
    return out + ask_lamps(r, t)


def ask_lamps(r: CarpetsReferee, t: float) -> list[Output]:
    """Rules 1.6.1, 1.6.4: whoever holds lamps is asked, unless they could not change his points."""
    out: list[Output] = []
    game = r.game
    while game.state.phase == "lamps":
        deciders = lamp_deciders(game.state, game.setup)
        idle = next((p for p in deciders if not _matters(r, p)), None)
        if idle is None:
            for player in deciders:
                lamps, palaces = game.state.count(player, "lamp"), game.state.count(player, "palace")
                question = rulings.ask_lamps(t, r.names[player - 1], lamps, palaces)
                out += r.asking.ask(("lamps", str(player)), question)
            return out
        game.push(Lamps(idle, 0))
    return out + _counted(r, t, inferred=False)


def _matters(r: CarpetsReferee, player: int) -> bool:
    state, decided = r.game.state, dict(r.game.state.lamps)
    counts = {p: state.count(p, "palace") + decided.get(p, 0) for p in r.game.players}
    open_ = {p: state.count(p, "lamp") for p in lamp_order(len(counts), state.layouter) if p not in decided}
    return lamps_matter(counts, open_, player, r.rules)


def spend(r: CarpetsReferee, t: float, player: int, lamps: int) -> list[Output]:
    """A player decided on his lamps."""
    r.game.push(Lamps(player, lamps))
    return ask_lamps(r, t)


def settle(r: CarpetsReferee, t: float) -> list[Output]:
    """The next round begins while somebody was still asked about his lamps: he kept them."""
    if r.game.state.phase != "lamps":
        return []
    r.asking.withdraw("lamps")
    while deciders := r.game.state.phase == "lamps" and lamp_deciders(r.game.state, r.game.setup):
        r.game.push(Lamps(deciders[0], 0))
    return _counted(r, t, inferred=True)


def _counted(r: CarpetsReferee, t: float, inferred: bool) -> list[Output]:
    if not r.pending_palaces:
        return []
    r.pending_palaces = False
    out: list[Output] = [*rulings.palaces(t, r.game, r.names, r.round, inferred)]
    if r.game.is_over:
        out.append(rulings.final(t, r.game, r.names))
    return out
