"""Whether `rules.fairplay` and the naive Fair Play agree: `python -m tests.oracles.fairplay_agree 10000 [first seed]`.

Random games over all options are played by both at once. After every move the positions must be equal. At some
positions moves of every kind are tried that may be legal or not, among them whatever the engine lists as legal: both
must allow them or both refuse them.

Cards nobody sees are the exception: each side refuses what it can tell to be impossible, and they remember different
things. Where only one of them refuses a card, `fairplay_cards.possible` must say that it cannot have been; so must it,
of a sample, where both do.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rules.fairplay import (
    Discard,
    Draw,
    DriveOn,
    Lay,
    Mend,
    Move,
    Offer,
    Refuel,
    Reply,
    Reveal,
    Roll,
    Step,
    Stop,
    summary,
)
from tests.oracles.fairplay import CARDS, NO_CARD, TILES, UNKNOWN, Race
from tests.oracles.fairplay_cards import possible
from tests.rules.fairplay.random_games import MOST_MOVES, Table

TRIED = 0.02
"""At which share of the positions other moves are tried."""
JUDGED = 0.01
"""Which share of the cards that both refuse is put to the judge."""


@dataclass
class Tally:
    """What was compared, and where the two part."""

    games: int = 0
    moves: int = 0
    tried: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Moves tried besides those played, by kind and by what both say: `legal` or `illegal`."""
    judged: Counter[str] = field(default_factory=Counter)
    """Cards that the judge finds impossible, or cannot decide on, by who refused them: `engine`, `oracle`, `both`."""
    disagreements: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        sums = {said: sum(n for (_, word), n in self.tried.items() if word == said) for said in ("legal", "illegal")}
        return (
            f"{self.games} games, {self.moves} moves; tried besides: {sums['legal']} legal and {sums['illegal']} "
            f"illegal moves; impossible cards judged, by who refused them: {dict(sorted(self.judged.items()))}; "
            f"{len(self.disagreements)} disagreements"
        )


def compare(seeds: Iterable[int], tried: float = TRIED) -> Tally:
    """Play the games of these seeds by both. A game is left at its first disagreement about a move that is played."""
    tally = Tally()
    for seed in seeds:
        tally.games += 1
        for found in _compare(seed, tried, tally):
            tally.disagreements.append(f"seed {seed}, {found}")
    return tally


def _compare(seed: int, tried: float, tally: Tally) -> Iterator[str]:
    table, dice = Table(seed), random.Random(seed)
    options = table.options
    race = Race(options["players"], options["order"], options["hands"], options["house_rules"])
    if race.summary() != table.summaries[0]:
        yield f"at the start: oracle {race.summary()}, engine {table.summaries[0]}"
        return
    for number in range(MOST_MOVES):
        if dice.random() < tried:
            yield from _try_others(number, race, table, dice, tally)
        if table.game.is_over:
            return
        table.move()
        move = table.game.moves[-1]
        tally.moves += 1
        what = f"move {number} {move} with {options['house_rules']}"
        refusal = race.why_not(move)
        if refusal:
            yield f"{what}: the oracle refuses it: {refusal}; {table.summaries[-2]}"
            return
        race.play(move)
        if race.summary() != table.summaries[-1]:
            yield f"{what}: {_difference(race.summary(), table.summaries[-1])} after {table.summaries[-2]}"
            return


def _difference(oracle: dict[str, Any], engine: dict[str, Any]) -> str:
    return "; ".join(f"{k}: oracle {oracle[k]}, engine {engine[k]}" for k in engine if oracle.get(k) != engine[k])


def _try_others(number: int, race: Race, table: Table, dice: random.Random, tally: Tally) -> Iterator[str]:
    game = table.game
    moves = list(game.legal()) + [_any_move(race, dice) for _ in range(6)] + [_near_move(race, dice) for _ in range(8)]
    for move in moves:
        oracle, engine = race.why_not(move), game.why_illegal(move)
        both = (oracle is None) == (engine is None)
        about_cards = oracle == NO_CARD or (engine is not None and engine.rule in ("card.count", "card.hand"))
        if both:
            tally.tried[type(move).__name__, "illegal" if engine else "legal"] += 1
        if about_cards and (not both or dice.random() < JUDGED):
            verdict = possible(table.options, [*game.moves, move])
            if not verdict:
                who = "both" if both else "engine" if engine else "oracle"
                tally.judged[who if verdict is False else f"{who}, undecided"] += 1
                continue
        elif both:
            continue
        yield (
            f"tried at {number} {move}: oracle {oracle or 'legal'}, engine {engine or 'legal'}; {summary(game)} with "
            f"{race.rule}"
        )


def _any_move(race: Race, dice: random.Random, player: int | None = None, kinds: tuple[str, ...] = ()) -> Move:
    """A move of any kind by anybody, mostly nonsense."""
    player = player or dice.choice((race.actor or 1, dice.randint(1, len(race.players))))
    card = dice.choice((UNKNOWN, *CARDS))
    anybody = dice.randint(0, len(race.players) + 1)
    moves: dict[str, Move] = {
        "mend": Mend(player),
        "roll": Roll(player, dice.randint(0, 4)),
        "refuel": Refuel(player),
        "driveon": DriveOn(player),
        "lay": Lay(player, dice.choice(list(TILES)), dice.choice(("", "left", "right", "straight"))),
        "step": Step(player),
        "stop": Stop(player),
        "draw": Draw(player, card),
        "offer": Offer(player, anybody, card),
        "reply": Reply(player, dice.random() < 0.5),
        "reveal": Reveal(player, card),
        "discard": Discard(player, card),
    }
    return moves[dice.choice(kinds or list(moves))]


def _near_move(race: Race, dice: random.Random) -> Move:
    """A move of a kind that is due, by whose turn it is, with anything else about it open."""
    due = {
        "roll": ("roll", "refuel"),
        "arrive": ("refuel", "driveon"),
        "move": ("lay", "step", "stop"),
        "jump": ("lay",),
        "fill": ("draw",),
    }
    kinds = due.get(race.phase, () if race.phase == "over" else (race.phase,))
    return _any_move(race, dice, player=race.actor, kinds=kinds)


def main(arguments: list[str]) -> int:
    count = int(arguments[0]) if arguments else 10_000
    first = int(arguments[1]) if len(arguments) > 1 else 0
    tally = compare(range(first, first + count))
    for found in tally.disagreements[:20]:
        print(found)
    print(tally)
    return 1 if tally.disagreements else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
