"""What is wrong on the table at this moment, to be pointed at until it is put right."""

from __future__ import annotations

from dataclasses import dataclass

from rules.carcassonne.lattice import SeenTile
from rules.carcassonne.sight import Sight
from rules.protocol import Mark, Ruling


@dataclass(frozen=True)
class Flag:
    """Something that is wrong on the table now."""

    key: tuple[str, ...]
    mark: Mark
    ruling: Ruling | None = None
    lying: tuple[SeenTile, ...] = ()
    """The tiles that are wrong."""

    def blocks(self, sight: Sight) -> bool:
        """Whether nobody may go on, since these tiles still lie as they did: whose turn it is depends on them."""
        return bool(self.lying) and all(_lies(tile, sight) for tile in self.lying)


def _lies(tile: SeenTile, sight: Sight) -> bool:
    there = sight.tiles.get(tile.cell) if tile.cell is not None else None
    return there is not None and (there.piece, there.rotation) == (tile.piece, tile.rotation)
