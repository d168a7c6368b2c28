"""Contested cards, one after the other, until every duel is decided (rules 1.5.2 to 1.5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rules.carpets import rulings
from rules.carpets.djinns import winner_of
from rules.carpets.duel import Reading, Shown
from rules.carpets.legal import open_contests
from rules.carpets.moves import Duel
from rules.carpets.state import Contest
from rules.carpets.table import Sight
from rules.protocol import Message, Output, Question

if TYPE_CHECKING:
    from rules.carpets.referee import CarpetsReferee


def current(r: CarpetsReferee) -> Contest | None:
    """The card that is duelled for now; None when there is none, or when the players still choose which."""
    contests = open_contests(r.game.state, r.game.setup)
    chosen = next((c for c in contests if c.slot == r.chosen_contest), None)
    return chosen or (contests[0] if len(contests) == 1 else None)


def begin(r: CarpetsReferee, t: float) -> list[Output]:
    """Rules 1.5.4: which duel comes next; asked with the house rules that let a player choose."""
    contests = open_contests(r.game.state, r.game.setup)
    if len(contests) < 2:
        return []
    sequence = r.flight.sequence
    by = sequence[-1] if r.rules.duel_order == "layouter_chooses" else sequence[0]
    words = option_words([r.slot(c.slot).face for c in contests])
    return r.asking.ask(
        ("next_duel", *(str(c.slot) for c in contests)),
        Question(
            id="",
            t=t,
            rule="carpets.duel_order",
            pieces=tuple(r.slot(c.slot).piece for c in contests),
            player=r.names[by - 1],
            options=words,
            default=words[0],
            message=Message("carpets.ask.next_duel", {"player": r.names[by - 1]}),
        ),
    )


def option_words(faces: Sequence[str]) -> tuple[str, ...]:
    """Faces as options: a second one of a kind is `palace#2`."""
    return tuple(face if not (n := list(faces[:i]).count(face)) else f"{face}#{n + 1}" for i, face in enumerate(faces))


def watch(r: CarpetsReferee, sight: Sight) -> list[Output]:
    """Reads the duel that is due from the table; asks when djinns and sides leave a doubt."""
    contest = current(r)
    if contest is None:
        return []
    t = sight.scene.t
    reading = r.duel.read(sight, contest.players, r.game.state.djinns)
    if reading.reveals is not None:
        return settle(r, t, contest, reading.reveals, None, reading.shown)
    unclear = len(reading.shown) >= len(contest.players) and r.duel.steady > 1
    if unclear or reading.missed or r.collect.gone_for(contest.slot) > 1:
        return _ask_winner(r, t, contest, reading)
    return []


def _ask_winner(r: CarpetsReferee, t: float, contest: Contest, reading: Reading) -> list[Output]:
    r.last_reading = reading
    guess = {p: d for p, d in reading.guess.items() if p in contest.players}
    if len(guess) == len(contest.players):
        likeliest = winner_of(guess)
    else:
        chances = r.game.state.djinns.chance(contest.players, guess)
        likeliest = max(contest.players, key=lambda p: chances[p])
    question = rulings.ask_winner(
        t,
        r.slot(contest.slot),
        [r.names[p - 1] for p in contest.players],
        r.names[likeliest - 1],
        [s.piece for s in reading.shown],
    )
    return r.asking.ask(("duel", str(contest.slot)), question)


def told_winner(r: CarpetsReferee, t: float, contest: Contest, winner: int) -> list[Output]:
    """The players say who won: taken with the djinns seen, as far as these agree."""
    reading = r.last_reading
    reveals: dict[int, int] = {}
    if reading is not None and len(reading.shown) == len(contest.players):
        highest = max(s.djinn for s in reading.shown)
        reveals = {winner: highest}
        if len(contest.players) == 2:
            other = next(p for p in contest.players if p != winner)
            reveals[other] = min(s.djinn for s in reading.shown)
        elif reading.guess and winner_of(reading.guess) == winner:
            reveals = reading.guess
    return settle(r, t, contest, reveals, winner, reading.shown if reading else ())


def settle(
    r: CarpetsReferee,
    t: float,
    contest: Contest,
    reveals: dict[int, int],
    winner: int | None,
    shown: Sequence[Shown],
) -> list[Output]:
    """The duel is decided: by the djinns seen, or (`winner`) by what the players say."""
    told = winner
    move = Duel(contest.slot, reveals, winner)
    if winner is not None and r.game.why_illegal(move):
        move = Duel(contest.slot, {}, winner)  # against what they can hold: the players' word counts
    won = winner if winner is not None else winner_of(reveals)
    r.game.push(move)
    r.asking.withdraw("duel", "next_duel")
    r.chosen_contest, r.last_reading, r.told_djinns = None, None, {}
    r.collect.claims[contest.slot] = won
    slot, name = r.slot(contest.slot), r.names[won - 1]
    carpets = [c for c in r.carpets_on.get(contest.slot, ()) if r.table.carpets[c].owner == won]
    pieces = [s.piece for p in contest.players for s in shown if move.djinns.get(p) == s.djinn]
    seen = {r.names[p - 1]: move.djinns[p] for p in contest.players if p in move.djinns}
    out: list[Output] = [
        rulings.duel(t, name, slot, seen, pieces, inferred=told is not None),
        rulings.claim(t, name, slot, carpets, r.table, "duel"),
    ]
    r.duel.settled(shown)
    if r.game.state.contests and r.game.state.phase == "duels":
        return out + begin(r, t)
    r.stage = "collect"
    return out + _lost(r, t)


def _lost(r: CarpetsReferee, t: float) -> list[Output]:
    """Carpets that lay on disputed cards only and won none of them (rules 1.5.3)."""
    out: list[Output] = []
    for colour, carpet in r.table.carpets.items():
        on = [slot for slot, carpets in r.carpets_on.items() if colour in carpets]
        if on and not any(r.collect.claims.get(slot) == carpet.owner for slot in on):
            out.append(rulings.no_claim(t, r.names[carpet.owner - 1], colour, "lost_duel", r.table, inferred=False))
    return out
