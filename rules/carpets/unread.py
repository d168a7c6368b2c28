"""Pieces whose face could not be read: asked about when it matters, never ruled on (`ask_below_confidence`)."""

from __future__ import annotations

from collections.abc import Mapping

from rules.asking import Asking, Topic
from rules.carpets.cards import LAYOUT_SIZE
from rules.carpets.table import Sight, Table
from rules.protocol import Message, Output, Question
from vision.scene import Piece

NOT_IN_PLAY = "not_in_play"
"""The answer that a piece is none of this game: a coaster, a card of another deck."""

NEIGHBOUR_MM = 60.0
"""An unread piece nearer than this to the layout may belong to it; about a card's width."""

PATIENCE = 2
"""Scenes in a row that must fail to read a piece before the players are asked."""


class UnreadWatch:
    """Follows unread pieces and asks what they are."""

    def __init__(self, asking: Asking, table: Table) -> None:
        self._asking, self._table = asking, table
        self._unread: dict[str, int] = {}

    def watch(self, sight: Sight, stage: str, deck: Mapping[str, int]) -> list[Output]:
        """Asks what an unread piece is when a card or a carpet is still awaited at that place."""
        here = {piece.id: piece for piece in sight.unknowns}
        self._unread = {name: self._unread.get(name, 0) + 1 for name in here}
        for topic in self._asking.topics("face"):
            slot = self._table.by_piece.get(topic[1])
            if topic[1] not in here and (slot is None or slot.face != "unknown"):
                self._asking.withdraw_topic(topic)  # it was read after all, or is gone
        options = self._awaited(stage, deck)
        if not options:
            return []
        return [
            output
            for name, piece in here.items()
            if self._unread[name] >= PATIENCE and name not in self._table.by_piece and self._at_layout(piece, sight)
            for output in self._ask(sight.scene.t, piece.id, piece.face, options)
        ]

    def _awaited(self, stage: str, deck: Mapping[str, int]) -> tuple[str, ...]:
        """The faces that the piece may bear."""
        if stage == "layout" and len(self._table.seen_slots()) < LAYOUT_SIZE:
            return tuple(deck)
        if stage == "flight":
            return tuple(c.face for c in self._table.carpets.values() if c.where != "landed")
        return ()

    def _at_layout(self, piece: Piece, sight: Sight) -> bool:
        cards = self._table.by_piece
        if not cards and not sight.cards:
            return True  # the very first card
        return any(
            gap.mm <= NEIGHBOUR_MM
            and ((gap.a == piece.id and gap.b in cards) or (gap.b == piece.id and gap.a in cards))
            for gap in sight.scene.gaps
        ) or any(
            (o.over == piece.id and o.under in cards) or (o.under == piece.id and o.over in cards)
            for o in sight.scene.overlaps
        )

    def ask_misread(self, t: float, piece_id: str, deck: Mapping[str, int]) -> list[Output]:
        """A card whose face cannot be: all of its kind lie elsewhere."""
        most = max(deck, key=lambda kind: deck[kind])
        return self._ask(t, piece_id, most, tuple(deck))

    def _ask(self, t: float, piece_id: str, guess: str, options: tuple[str, ...]) -> list[Output]:
        question = Question(
            id="",
            t=t,
            rule="carpets.face",
            pieces=(piece_id,),
            options=(*options, NOT_IN_PLAY),
            default=guess if guess in options else NOT_IN_PLAY,
            message=Message("carpets.ask.face"),
        )
        topic: Topic = ("face", piece_id)
        return self._asking.ask(topic, question)
