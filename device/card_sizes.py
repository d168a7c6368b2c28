"""Sizes of cards: in millimetres as somebody measured them, or by the name under which such cards are sold."""

from __future__ import annotations

import re
from dataclasses import dataclass

from device.deck_folder import DECKS, DeckSpec
from device.errors import UserError
from device.toml_file import read_toml

KNOWN: dict[str, tuple[float, float, float]] = {
    "poker": (63.5, 88.9, 3.2),
    "bridge": (57.2, 88.9, 3.2),
    "euro": (59.0, 92.0, 3.0),
    "mini": (44.0, 68.0, 3.0),
    "tarot": (70.0, 120.0, 3.5),
    "square": (70.0, 70.0, 3.0),
}
"""Width, height and corner radius in mm, as the trade has them; a deck at hand may be half a millimetre smaller."""

SMALLEST_MM, LARGEST_MM = 15.0, 400.0


@dataclass(frozen=True)
class CardSize:
    width_mm: float
    height_mm: float
    corner_radius_mm: float = 0.0

    @property
    def size_mm(self) -> tuple[float, float]:
        return self.width_mm, self.height_mm


def read_size(text: str) -> CardSize:
    """`59x91`, `63.5x88.9`, one of `KNOWN`, or a deck that ships with Kibitz, whose cards have that size."""
    word = text.strip().lower()
    if word in KNOWN:
        return CardSize(*KNOWN[word])
    if (DECKS / word / "deck.toml").is_file() and "/" not in word and "\\" not in word:
        card = read_toml(DECKS / word / "deck.toml", DeckSpec).card
        return CardSize(card.width_mm, card.height_mm, card.corner_radius_mm)
    match = re.fullmatch(r"(\d+(?:[.,]\d+)?)\s*[x×]\s*(\d+(?:[.,]\d+)?)(?:\s*mm)?", word)
    if match is None:
        raise UserError(f"--size {text}: give width x height in mm, as in 59x91, or one of: {', '.join(KNOWN)}")
    width, height = (float(part.replace(",", ".")) for part in match.groups())
    for side in (width, height):
        if not SMALLEST_MM <= side <= LARGEST_MM:
            raise UserError(f"--size {text}: a side of {side:g} mm; from {SMALLEST_MM:g} to {LARGEST_MM:g} can be seen")
    return CardSize(width, height)


def read_sizes(texts: list[str], radius_mm: float | None) -> list[CardSize]:
    """All that were given; the first is that of the cards. radius_mm: of their corners, where it was given."""
    sizes = [read_size(text) for text in texts]
    if len({size.size_mm for size in sizes}) < len(sizes):
        raise UserError(f"--size: {' and '.join(texts)} are the same size; give each once")
    if radius_mm is not None:
        if not 0 <= radius_mm <= min(sizes[0].size_mm) / 2:
            raise UserError(
                f"--radius {radius_mm:g}: from 0 to half the card's shorter side, {min(sizes[0].size_mm) / 2:g} mm"
            )
        sizes[0] = CardSize(*sizes[0].size_mm, radius_mm)
    return sizes
