"""The flight die, and meeples that should have landed (rules 2.3, 2.10 C9)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from rules.carcassonne import doubts
from rules.carcassonne.explain import Evidence, machine_of
from rules.carcassonne.flags import Flag
from rules.carcassonne.legal import DIE, landings, target
from rules.carcassonne.sight import Sight
from rules.protocol import Mark, Message

if TYPE_CHECKING:
    from rules.carcassonne.referee import CarcassonneReferee


def thrown(r: CarcassonneReferee, sight: Sight, seen: Evidence) -> int | None:
    """What the die shows if it was thrown in this turn for certain (rules 2.3.3).

    A die that is cocked is rolled again (2.10 C9), unless the players went by what it shows.
    """
    if r.told.die is not None:
        return r.told.die
    die = sight.die
    if die is None or die.moving or die.doubtful or not was_thrown(r, sight):
        return None
    if die.cocked and r.rules.die_cocked == "reroll" and die.value not in landed(r, seen):
        return None
    return die.value


def was_thrown(r: CarcassonneReferee, sight: Sight) -> bool:
    """Whether the die came to rest from a throw since the tile of this turn was laid."""
    return sight.die is not None and (r.baseline is None or sight.die.throws > r.baseline)


def landed(r: CarcassonneReferee, seen: Evidence) -> list[int]:
    """The numbers after which the flyer would stand where a new meeple of its player stands, off the machine."""
    state = r.game.state
    if state.phase != "roll" or state.cell is None or (state.cell, machine_of(state, state.cell)) in seen.stays:
        return []
    colour = r.colours[state.player - 1]
    cells = {meeple.cell for meeple in seen.meeples if meeple.colour == colour}
    after = [replace(state, phase="land", die=die) for die in DIE]
    return [
        die
        for die, rolled in zip(DIE, after, strict=True)
        if target(rolled, r.game.setup) in cells and landings(rolled, r.game.setup)
    ]


def watch(
    r: CarcassonneReferee, t: float, sight: Sight, seen: Evidence, wanted: doubts.Wanted, fresh: bool
) -> Iterable[Flag]:
    """The die cannot be read, or was not thrown, or the flyer has not landed, and yet the game went on."""
    if r.game.state.phase == "roll":
        yield from _die(r, t, sight, seen, wanted, fresh)
    elif r.game.state.phase == "land":
        _landing(r, t, seen, wanted)


def _die(
    r: CarcassonneReferee, t: float, sight: Sight, seen: Evidence, wanted: doubts.Wanted, fresh: bool
) -> Iterable[Flag]:
    die, arrived = sight.die, landed(r, seen)
    if fresh and die is not None and not die.moving:
        # A die that was lost from sight and found again may have been thrown meanwhile.
        other = bool(r.die_of_turn) and die.piece != r.die_of_turn and not was_thrown(r, sight)
        r.die_doubtful |= die.doubtful or other or (was_thrown(r, sight) and die.value is None)
    if die is not None and die.cocked and r.rules.die_cocked == "reroll" and was_thrown(r, sight) and not arrived:
        message = Message("carcassonne.mark.cocked")
        yield Flag(("cocked", die.piece), Mark(kind="violation", pieces=(die.piece,), message=message))
    elif r.die_doubtful or seen.tiles or arrived:
        likely = [die.value] if r.die_doubtful and die is not None and die.value is not None else arrived
        doubts.want(
            wanted,
            ("die", str(len(r.game.moves))),
            t,
            key="die",
            options=("1", "2", "3", doubts.NOT_THROWN),
            default=str(likely[0]) if likely else doubts.NOT_THROWN,
            pieces=[die.piece] if die is not None else [],
            player=r.turn_name,
        )


def _landing(r: CarcassonneReferee, t: float, seen: Evidence, wanted: doubts.Wanted) -> None:
    """The next tile lies, and nobody saw where the flyer landed: it is asked."""
    state = r.game.state
    assert state.cell is not None
    on_machine = (state.cell, machine_of(state, state.cell)) in seen.stays
    if seen.tiles and not on_machine and landings(state, r.game.setup):
        options = doubts.place_options(r)
        doubts.want(
            wanted,
            ("landed", str(len(r.game.moves))),
            t,
            key="landed",
            options=options,
            default=next(iter(options)),
            player=r.turn_name,
            pieces=r.words.lying([cell for cell in [target(state, r.game.setup)] if cell]),
        )
