"""What happened at the table, entry by entry, and what of it still counts. Pure: entries in, inputs out.

A journal only grows. Undo, redo and correction are entries like any other, so the log of a game always shows what was
once believed, and what counts now is a function of the whole log.

- `Undone(first)` drops every live entry from number `first` to the end (inputs and corrections alike).
- `Redone()` brings the last such bundle back. A new answer or correction gives the undone bundles up for good: it was
  made in the knowledge that they are gone. A new scene does not: the camera looks on whatever the players decide.
- `Corrected(entry, by)` puts another scene or answer in the place of an earlier one, or with `by=None` takes it out,
  wherever in the log it stands. Of two corrections of one entry the later counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import msgspec

from rules.protocol import Answer, Input, Output, Referee
from vision.scene import Scene


class Seen(msgspec.Struct, frozen=True, tag_field="entry_kind", tag="scene"):
    scene: Scene


class Answered(msgspec.Struct, frozen=True, tag_field="entry_kind", tag="answer"):
    answer: Answer


class Undone(msgspec.Struct, frozen=True, tag_field="entry_kind", tag="undo"):
    first: int
    """Number of the first entry that is dropped."""


class Redone(msgspec.Struct, frozen=True, tag_field="entry_kind", tag="redo"):
    pass


class Corrected(msgspec.Struct, frozen=True, tag_field="entry_kind", tag="correct"):
    entry: int
    """Number of the scene or answer that is corrected."""
    scene: Scene | None = None
    answer: Answer | None = None
    """What stands there instead; neither: the entry is taken out."""

    @property
    def by(self) -> Input | None:
        return self.scene if self.scene is not None else self.answer


Entry = Seen | Answered | Undone | Redone | Corrected
"""Entries are numbered from 1 in the order in which they were made."""


class HistoryError(ValueError):
    """An entry that cannot follow upon the entries before it."""


class Effective(msgspec.Struct, frozen=True):
    """What counts of a log."""

    inputs: tuple[tuple[int, Input], ...]
    """Entry number and input, in order."""
    dropped: frozenset[int]
    """Numbers of scenes, answers and corrections that do not count any more: undone, or taken out by a correction."""
    redoable: int
    """How many undone bundles can be brought back."""


def effective(entries: Sequence[Entry]) -> Effective:
    """The inputs that count, after every undo, redo and correction. Raises `HistoryError` on an impossible entry."""
    undone: set[int] = set()
    bundles: list[list[int]] = []
    live: list[int] = []  # numbers of live scenes, answers and corrections, ascending
    for number, entry in enumerate(entries, 1):
        match entry:
            case Seen():
                live.append(number)
            case Answered():
                bundles.clear()
                live.append(number)
            case Corrected(entry=target):
                if not 1 <= target < number or not isinstance(entries[target - 1], Seen | Answered):
                    raise HistoryError(f"entry {number} corrects entry {target}, which is no scene and no answer")
                bundles.clear()
                live.append(number)
            case Undone(first=first):
                bundle = [n for n in live if n >= first]
                if not bundle:
                    raise HistoryError(f"entry {number} undoes from entry {first} on, where nothing is left to undo")
                del live[-len(bundle) :]
                undone.update(bundle)
                bundles.append(bundle)
            case Redone():
                if not bundles:
                    raise HistoryError(f"entry {number} redoes, but nothing was undone before it")
                bundle = bundles.pop()
                undone.difference_update(bundle)
                live = sorted({*live, *bundle})
    corrections = {c.entry: c for n in live if isinstance(c := entries[n - 1], Corrected)}
    dropped = set(undone)
    inputs: list[tuple[int, Input]] = []
    for number in live:
        entry = entries[number - 1]
        found: Input | None = None
        if number in corrections:
            found = corrections[number].by
            if found is None:
                dropped.add(number)
        elif isinstance(entry, Seen):
            found = entry.scene
        elif isinstance(entry, Answered):
            found = entry.answer
        if found is not None:
            inputs.append((number, found))
    return Effective(tuple(inputs), frozenset(dropped), len(bundles))


R = TypeVar("R", bound=Referee)


def fold(referee: R, inputs: Iterable[tuple[int, Input]]) -> tuple[R, dict[int, tuple[Output, ...]]]:
    """Tells a fresh referee every input in order. Returns it and, for each entry number, what it said to that input."""
    said: dict[int, tuple[Output, ...]] = {}
    for number, given in inputs:
        said[number] = referee.see(given) if isinstance(given, Scene) else referee.answer(given)
    return referee, said
