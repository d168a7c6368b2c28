"""Rulings of the evaluation, the duels, the palaces and the end, put together from what was decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rules.carpets.game import Game
from rules.carpets.table import Slot, Table
from rules.protocol import Message, Param, Question, Ruling

CLAIM = "carpets.claim"
NO_CLAIM = "carpets.no_claim"
CONTESTED = "carpets.contested"
DUEL = "carpets.duel"
PALACES = "carpets.palaces"
FINAL = "carpets.final"


def claim(t: float, player: str, slot: Slot, carpets: Sequence[str], table: Table, won_by: str) -> Ruling:
    """Rules 1.5.2: the player takes the card; `won_by`: `alone` or `duel`."""
    pieces = (slot.piece, *(table.carpets[c].piece for c in carpets))
    params: dict[str, Param] = {"player": player, "card": slot.face}
    return Ruling(
        t=t, rule=CLAIM, pieces=pieces, player=player, reason=won_by, message=Message(f"carpets.claim.{won_by}", params)
    )


def no_claim(t: float, player: str, colour: str, reason: str, table: Table, inferred: bool) -> Ruling:
    """Rules 1.5.1: the carpet goes back to its owner, who gets nothing for it."""
    carpet = table.carpets[colour]
    return Ruling(
        t=t,
        rule=NO_CLAIM,
        pieces=(carpet.piece,) if carpet.piece else (),
        player=player,
        reason=reason,
        inferred=inferred,
        message=Message(f"carpets.no_claim.{reason}", {"player": player, "carpet": carpet.face}),
    )


def contested(t: float, slot: Slot, players: Sequence[str], carpets: Sequence[str], table: Table) -> Ruling:
    """Rules 1.5.2: a djinn duel decides."""
    return Ruling(
        t=t,
        rule=CONTESTED,
        pieces=(slot.piece, *(table.carpets[c].piece for c in carpets)),
        message=Message(CONTESTED, {"card": slot.face, "players": ", ".join(players)}),
        data={"players": list(players)},
    )


def duel(
    t: float, winner: str, slot: Slot, reveals: Mapping[str, int], pieces: Sequence[str], inferred: bool = False
) -> Ruling:
    """Rules 1.5, djinn duel: who won, with what; `reveals` by name, as far as they were seen."""
    params: dict[str, Param] = {"player": winner, "card": slot.face}
    key = "carpets.duel.unseen"
    if reveals:
        key = "carpets.duel.seen"
        params["shown"] = ", ".join(f"{name} {djinn}" for name, djinn in reveals.items())
    return Ruling(
        t=t,
        rule=DUEL,
        pieces=(slot.piece, *pieces),
        player=winner,
        inferred=inferred,
        message=Message(key, params),
        data={"djinns": dict(reveals)},
    )


def ask_winner(t: float, slot: Slot, players: Sequence[str], default: str, pieces: Sequence[str]) -> Question:
    """The djinns do not tell who won, or do not agree with what the players can hold."""
    return Question(
        id="",
        t=t,
        rule=DUEL,
        pieces=(slot.piece, *pieces),
        options=tuple(players),
        default=default,
        message=Message("carpets.ask.duel", {"card": slot.face}),
    )


def palaces(t: float, game: Game, names: Sequence[str], round_: int, inferred: bool = False) -> list[Ruling]:
    """Rules 1.6.2: each player's palaces of the round that is over."""
    return [
        Ruling(
            t=t,
            rule=PALACES,
            player=name,
            measured=float(count + lamps),
            unit="palaces",
            inferred=inferred,
            message=Message(
                PALACES, {"player": name, "palaces": count, "lamps": lamps, "points": points, "round": round_}
            ),
            data={"round": round_, "palaces": count, "lamps": lamps, "points": points},
        )
        for name, (count, lamps, points) in zip(names, game.state.tally, strict=True)
    ]


def final(t: float, game: Game, names: Sequence[str]) -> Ruling:
    """Rules 1.7: the end."""
    scores = {names[player - 1]: points for player, points in game.scores.items()}
    winners = [names[player - 1] for player in game.winners]
    return Ruling(
        t=t,
        rule=FINAL,
        player=winners[0] if len(winners) == 1 else None,
        message=Message(
            "carpets.final.one" if len(winners) == 1 else "carpets.final.shared",
            {"players": ", ".join(winners), "points": scores[winners[0]]},
        ),
        data={"scores": scores, "winners": winners},
    )


def ask_lamps(t: float, player: str, lamps: int, palaces_held: int) -> Question:
    """Rules 1.6.1: what a camera cannot know."""
    return Question(
        id="",
        t=t,
        rule="carpets.lamps",
        player=player,
        options=tuple(str(n) for n in range(lamps + 1)),
        default="0",
        message=Message("carpets.ask.lamps", {"player": player, "lamps": lamps, "palaces": palaces_held}),
    )
