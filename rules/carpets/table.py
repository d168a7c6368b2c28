"""What the referee remembers of the table between stills: the layout's cards, the carpets, names of faces.

A still may miss a piece for a moment, give it a new id after a hand was in the way, or fail to read its face. What is
remembered here bridges that, so that nothing is ruled from one still's lapse.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from rules.carpets.cards import BACK, UNKNOWN, djinn_number, sort_of
from rules.carpets.geometry import apart, area, centre, shared
from vision.scene import Piece, Point, Quad, Scene

HIDDEN_SHARE = 0.5
"""A piece that is not seen while at least this share of its place is covered is taken to lie hidden there."""

MOVED_MM = 3.0
"""A piece whose place changes by less did not move: more than any still's error, less than any hand's push."""

LAPSE = 2
"""Stills in a row that may miss a piece by mistake; one that was not seen for longer was taken away."""


@dataclass
class Slot:
    """A card of the layout."""

    index: int
    """1 to 12 in the order in which the cards were laid."""
    piece: str
    """Its id in the last scene that showed it."""
    face: str
    outline: Quad
    home: Quad
    """Where it lay before the flight."""
    sigma: float = 0.0
    seen: bool = True
    missing: int = 0
    """Scenes in a row that did not show it."""
    moved: bool = True
    """It is new, or was moved since its place was last judged."""
    above: frozenset[str] = frozenset()
    """Pieces that lay on it when it was last seen."""
    seen_at: int = 0
    """Number of the last scene that showed it."""
    stirred_at: int = 0
    """Number of the scene in which it came to where it lies."""
    vanished: bool = False
    """Its place was seen to be empty."""


@dataclass
class Carpet:
    """A carpet in play and how it lies."""

    colour: str
    owner: int
    where: str = "away"
    """`away`, `resting` (lies about without having been thrown) or `landed`."""
    piece: str = ""
    outline: Quad | None = None
    landing: Quad | None = None
    """Where it lay when it was last measured in a flight."""
    seen: bool = False
    missing: int = 0
    stirred: bool = False
    """It lies elsewhere than when it was last seen."""
    above: frozenset[str] = frozenset()
    """As of `Slot`; so are the next three."""
    seen_at: int = 0
    stirred_at: int = 0
    vanished: bool = False

    @property
    def face(self) -> str:
        return f"carpet.{self.colour}"


@dataclass
class Sight:
    """A scene, sorted by what its pieces are in this game."""

    scene: Scene
    cards: dict[str, tuple[Piece, str]] = field(default_factory=dict)
    """Id to piece and face, destination cards only."""
    carpets: dict[str, Piece] = field(default_factory=dict)
    """Colour to piece."""
    djinns: dict[int, Piece] = field(default_factory=dict)
    backs: list[Piece] = field(default_factory=list)
    unknowns: list[Piece] = field(default_factory=list)


class Table:
    """The remembered table."""

    def __init__(self, carpets: dict[str, int], ask_below: float) -> None:
        self.ask_below = ask_below
        self.slots: list[Slot] = []
        self.carpets = {colour: Carpet(colour, owner) for colour, owner in carpets.items()}
        self.elsewhere: dict[str, tuple[Point, int]] = {}
        """Destination cards that do not belong to the layout (won, left over): where they lie, and since how many
        scenes they were not seen."""
        self.told: dict[str, str] = {}
        """Faces that players named, by piece."""
        self.aside: set[str] = set()
        """Pieces that players declared to be none of this game."""
        self.by_piece: dict[str, Slot] = {}
        self._scenes = 0
        self._seen_faces: dict[str, Counter[str]] = {}
        self._known: dict[str, str] = {}

    # -- faces --------------------------------------------------------------------------------------------------

    def face_of(self, piece: Piece) -> str:
        """The face as far as it is sure: told by players, read now, or read before; else `unknown`."""
        told = self.told.get(piece.id)
        if told is not None:
            return told
        known = self._known.get(piece.id)
        if piece.face == UNKNOWN or piece.confidence < self.ask_below or sort_of(piece.face) == "unknown":
            return known or UNKNOWN
        if known == piece.face:
            self._seen_faces[piece.id][known] += 1
            return known
        # Another face under a known id: believed once it was read more often than the old one. Turning a card over
        # shows at once.
        seen = self._seen_faces.setdefault(piece.id, Counter())
        seen[piece.face] += 1
        if known is None or BACK in (known, piece.face) or seen[piece.face] > seen[known]:
            self._known[piece.id] = known = piece.face
        return known

    def tell(self, piece_id: str, face: str) -> None:
        """Players named the face of a piece."""
        self.told[piece_id] = face
        self.aside.discard(piece_id)

    def rebase(self, scene: Scene) -> None:
        """The camera was moved: the same pieces have other coordinates, none of them moved."""
        places = {piece.id: piece.outline_mm for piece in scene.pieces}
        for slot in self.slots:
            if (now := places.get(slot.piece)) is not None:
                stayed = not moved(slot.home, slot.outline)
                slot.outline = now
                slot.home = now if stayed else slot.home
        for carpet in self.carpets.values():
            if (now := places.get(carpet.piece)) is not None:
                stayed = carpet.landing is not None and not moved(carpet.landing, carpet.outline or carpet.landing)
                carpet.outline = now
                carpet.landing = now if stayed else carpet.landing

    # -- looking ------------------------------------------------------------------------------------------------

    def look(self, scene: Scene) -> Sight:
        """Sorts the scene's pieces and brings what is remembered of slots and carpets up to date."""
        self._scenes += 1
        sight = Sight(scene)
        for piece in scene.pieces:
            face = self.face_of(piece)
            sort = sort_of(face)
            if sort == "destination":
                sight.cards[piece.id] = piece, face
            elif sort == "carpet":
                self._sort_carpet(sight, piece, face.rpartition(".")[2])
            elif sort == "djinn":
                sight.djinns[djinn_number(face)] = piece
            elif sort == "back":
                sight.backs.append(piece)
            elif piece.id not in self.aside:
                sight.unknowns.append(piece)
        unread = {piece.id: piece for piece in sight.unknowns}
        for slot in self.slots:
            found = sight.cards.get(slot.piece)
            place = found[0] if found else unread.get(slot.piece)
            if place is None:
                slot.seen, slot.missing = False, slot.missing + 1
                continue
            if found and slot.face == UNKNOWN:
                slot.face = found[1]
            self._place(slot, place)
        for carpet in self.carpets.values():
            self._follow(carpet, sight.carpets.get(carpet.colour))
        if self.elsewhere:
            self._follow_elsewhere(sight)
        self._note_stacks(scene)
        for lying in self._lying():
            lying.vanished = not lying.seen and (lying.vanished or (lying.missing > LAPSE and not self.hidden(lying)))
        return sight

    def _sort_carpet(self, sight: Sight, piece: Piece, colour: str) -> None:
        """Of two carpets of one colour the one that was followed before is meant."""
        carpet = self.carpets.get(colour)
        if carpet is not None and (colour not in sight.carpets or piece.id == carpet.piece):
            sight.carpets[colour] = piece

    def _place(self, slot: Slot, piece: Piece) -> None:
        slot.seen, slot.missing, slot.sigma = True, 0, piece.sigma_mm
        slot.seen_at = self._scenes
        if moved(slot.outline, piece.outline_mm):
            slot.moved, slot.stirred_at = True, self._scenes
        slot.outline = piece.outline_mm

    def _follow(self, carpet: Carpet, piece: Piece | None) -> None:
        if piece is None:
            carpet.seen, carpet.stirred, carpet.missing = False, False, carpet.missing + 1
            return
        long_gone = carpet.missing > LAPSE
        carpet.stirred = long_gone or carpet.outline is None or moved(carpet.outline, piece.outline_mm)
        if carpet.stirred:
            carpet.stirred_at = self._scenes
        carpet.piece, carpet.outline = piece.id, piece.outline_mm
        carpet.seen, carpet.missing, carpet.seen_at = True, 0, self._scenes

    def _note_stacks(self, scene: Scene) -> None:
        """What lies on what, as long as both are seen."""
        above: dict[str, set[str]] = {}
        for overlap in scene.overlaps:
            above.setdefault(overlap.under, set()).add(overlap.over)
        for lying in self._lying():
            if lying.seen and (lying.above or lying.piece in above):
                lying.above = frozenset(above.get(lying.piece, ()))

    def _lying(self) -> list[Slot | Carpet]:
        return [*self.slots, *self.carpets.values()]

    def hidden(self, lying: Slot | Carpet) -> bool:
        """May an unseen card or carpet still lie there, under what lay on it or has come since?"""
        if lying.seen or lying.vanished or lying.outline is None:
            return False
        over = [
            other.outline
            for other in self._lying()
            if other.seen
            and other.outline is not None
            and (other.piece in lying.above or other.stirred_at > lying.seen_at)
        ]
        return covered_share(lying.outline, over) >= HIDDEN_SHARE

    # -- slots --------------------------------------------------------------------------------------------------

    def add(self, piece: Piece, face: str) -> Slot:
        """A card enters the layout, under the lowest number that is free."""
        slot = Slot(0, piece.id, face, piece.outline_mm, piece.outline_mm, piece.sigma_mm)
        slot.seen_at = slot.stirred_at = self._scenes
        self.slots.append(slot)
        self.by_piece[piece.id] = slot
        self.number(slot)
        return slot

    def number(self, slot: Slot) -> None:
        """Gives a card the lowest number that is free; it is judged anew under it."""
        taken = {other.index for other in self.slots if other is not slot}
        slot.index = next(i for i in range(1, len(taken) + 2) if i not in taken)
        slot.moved = True
        self.slots.sort(key=lambda s: s.index)

    def rebind(self, slot: Slot, piece: Piece) -> None:
        """A card that was missing lies here under a new id."""
        self.by_piece.pop(slot.piece, None)
        slot.piece = piece.id
        self.by_piece[piece.id] = slot
        self._place(slot, piece)

    def restore(self, slot: Slot) -> None:
        """A card that was taken lies in the layout again; where, the next scene shows."""
        slot.seen = False
        self.slots = sorted([*self.slots, slot], key=lambda s: s.index)
        self.by_piece[slot.piece] = slot
        self.elsewhere.pop(slot.piece, None)

    def drop(self, slot: Slot) -> None:
        """The card is no longer part of the layout."""
        self.slots.remove(slot)
        self.by_piece.pop(slot.piece, None)

    def slot(self, index: int) -> Slot | None:
        return next((slot for slot in self.slots if slot.index == index), None)

    def seen_slots(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.seen]

    def missing_slot(self, face: str, piece: Piece, within: float = math.inf) -> Slot | None:
        """The card of that face that this scene does not show and that lay nearest, within that many mm."""
        here = centre(piece.outline_mm)
        missing = [
            (apart(centre(slot.outline), here), slot.index, slot)
            for slot in self.slots
            if not slot.seen and slot.face == face
        ]
        nearest = min(missing, default=None)
        return nearest[2] if nearest and nearest[0] <= within else None

    def put_elsewhere(self, piece: Piece) -> None:
        """The card lies outside the layout."""
        self.elsewhere[piece.id] = centre(piece.outline_mm), 0

    def lies_elsewhere(self, piece: Piece, within: float) -> bool:
        """Is this a card known to lie outside the layout, or one right upon such a card (a pile)?"""
        here = centre(piece.outline_mm)
        return piece.id in self.elsewhere or any(apart(here, there) < within for there, _ in self.elsewhere.values())

    def _follow_elsewhere(self, sight: Sight) -> None:
        for name, (place, missing) in list(self.elsewhere.items()):
            if name in sight.cards:
                self.elsewhere[name] = centre(sight.cards[name][0].outline_mm), 0
            elif missing > 0:
                del self.elsewhere[name]
            else:
                self.elsewhere[name] = place, missing + 1

    def renumber(self) -> None:
        """Numbers the cards of the layout without a gap."""
        for index, slot in enumerate(self.slots, 1):
            slot.index = index

    def clear(self) -> None:
        """The round is over: what still lies there belongs to no layout."""
        for slot in self.slots:
            if slot.seen:
                self.elsewhere[slot.piece] = centre(slot.outline), 0
        self.slots = []
        self.by_piece = {}


def moved(before: Quad, now: Quad, by_mm: float = MOVED_MM) -> bool:
    """Did a corner move by more than that?"""
    if before is now:
        return False
    return any(abs(p[0] - q[0]) > by_mm or abs(p[1] - q[1]) > by_mm for p, q in zip(before, now, strict=True))


def covered_share(outline: Quad, by: list[Quad]) -> float:
    """The share of an outline that the others cover at most: the sum of what each covers, 0 to 1."""
    whole = area(outline)
    return min(1.0, sum(area(part) for other in by if (part := shared(outline, other))) / whole) if whole else 0.0
