"""Rules 3.4: a curve that leads onto the road, though the other side is free. It explains the still, and is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.fairplay import rulings
from rules.fairplay.faults import Fault
from rules.fairplay.refusals import refuse
from rules.protocol import Output

if TYPE_CHECKING:
    from rules.fairplay.referee import FairPlayReferee


def check(r: FairPlayReferee, t: float) -> list[Output]:
    """Rules once on a curve that runs into the road, and once when it is turned."""
    tile = r.watch.road.runs_in()
    before, r.ran_in = r.ran_in, None
    if tile is not None:
        refusal = refuse("track.run_in", "")
        r.ran_in = Fault(refusal.rule, refusal.clause, r.best.state.player, r.watch.road.tiles[tile].piece, tile)
    if before is not None and r.ran_in is not None and before.tile == r.ran_in.tile:
        r.ran_in = before
        return []
    out: list[Output] = [] if before is None else [rulings.cleared(t, before, r.names)]
    return out if r.ran_in is None else [*out, rulings.illegal(t, r.ran_in, r.names)]
