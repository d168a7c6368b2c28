"""From scenes to sights: follows the road, the cars, the die and the cards from still to still."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from rules.fairplay.pieces import DIE, FINISH, PANNE, PUNCTURE
from rules.fairplay.places import apart, centre, depth, middle, moved_frame, side_mm, side_of
from rules.fairplay.road import Road
from rules.fairplay.sight import Card, Sight, Spot, Throw
from rules.session import Player, Side
from vision.scene import BACK, UNKNOWN, Piece, Point, Quad, Scene

BORDER_MM: Final = 3.0
"""A car's middle nearer than this to the border between two tiles may be on either: nobody at the table would be sure
either. In recorded play the nearest stood 11 mm off."""
OFF_MM: Final = 12.0
"""A car that stands so far off every tile, and not beyond the finish, is on none: it is being moved."""
SAME_CARD_MM: Final = 30.0
"""A card that is seen again within this of where one of its face lay is that one."""
NEAR_PILE_MM: Final = 130.0
"""Cards that lie so near the middle of the draw pile may be the discards: piles lie side by side, about a card's height
apart."""
SEAT_MM: Final = 60.0
"""... unless a card was offered so near to where they lie: then somebody sits there."""
REMEMBERED_BEFORE: Final = 3
REMEMBERED: Final = 1
"""Stills for which a card that is not seen any more is remembered: a hand or a cup may cover it. The next one may be
offered or turned up just where the last one of its face lay; panne and puncture stay where they are."""
UNSURE: Final = 0.5
"""A car or a die is left out of account below this confidence."""


class Watch:
    """Follows one table. `look` is told which piece is whose by colour and side."""

    def __init__(self, players: Sequence[Player], road: Road) -> None:
        self.road = road
        self._cars = {f"car.{player.colour}": number for number, player in enumerate(players, 1)}
        self._sides: dict[Side, tuple[int, ...]] = {}
        for number, player in enumerate(players, 1):
            self._sides[player.side] = (*self._sides.get(player.side, ()), number)
        self._throws: list[Throw] = []
        self._die: Piece | None = None
        self._cards: list[tuple[Card, int]] = []
        """Cards that are known, and for how many stills they have not been seen."""
        self._feet: dict[int, Point] = {}
        self._agreed: dict[int, tuple[Point, int]] = {}
        self._last: Scene | None = None
        self._named = 0
        self._piles: list[Point] = []
        self._seats: list[Point] = []
        """Where cards were laid down before players."""
        self.told: dict[str, str] = {}
        """What the players say a piece is."""

    def look(self, scene: Scene, firm: int, laid: int, before: Sequence[Sequence[str]]) -> Sight:
        """What a still shows. `firm`: tiles that have been ruled on; `laid`: those of which it is known why they were
        laid; `before`: cards that lie before each player, as is known so far."""
        if self._last is not None and self._last.camera.epoch != scene.camera.epoch:
            self._rebase(self._last, scene)
        self._last = scene
        self.road.look(scene, firm, laid)
        die_seen = self._follow_die(scene)
        playing = len(self.road.tiles) > 1 or any(throw.sure for throw in self._throws)
        cards, gone = self._follow_cards(scene, playing, before)
        shown = self._die.value if self._die and self._die.value in DIE else None
        seen = die_seen or self._die is None
        return Sight(scene.t, self.road.kinds, self._spots(scene), tuple(self._throws), shown, cards, gone, seen)

    def _rebase(self, before: Scene, now: Scene) -> None:
        """The camera was moved: what is remembered lies where it lay, told in the new frame."""
        here = {piece.id: centre(piece.outline_mm) for piece in now.pieces if piece.kind in ("tile", "card")}
        move = moved_frame([(centre(p.outline_mm), here[p.id]) for p in before.pieces if p.id in here])
        self.road.shift(move)
        self._piles = [move(at) for at in self._piles]
        self._seats = [move(at) for at in self._seats]
        self._cards = [(replace(card, at=move(card.at)), since) for card, since in self._cards]

    def peek(self, scene: Scene) -> dict[int, Spot]:
        """Where the cars stand in a scene whose millimetres are not vouched for: on which tile is told all the same."""
        kept, self.road = self.road, self.road.fresh()
        self.road.look(scene, 0)
        spots = self._spots(scene)
        self.road = kept
        return spots

    # -- cars (rules 3.2.3) -------------------------------------------------------------------------------------

    def _spots(self, scene: Scene) -> dict[int, Spot]:
        best: dict[int, Piece] = {}
        for piece in scene.pieces:
            player = self._cars.get(self.told.get(piece.id, piece.face)) if piece.kind == "car" else None
            if not player or piece.confidence < UNSURE:
                continue
            if player not in best or best[player].confidence < piece.confidence:
                best[player] = piece
        spots = {player: Spot(piece.id, self._tiles_under(piece, player)) for player, piece in best.items()}
        return {player: spot for player, spot in sorted(spots.items()) if spot.tiles}

    def tell_spot(self, player: int, tile: int) -> None:
        """The players say on which tile his car stands; it holds until the car is moved."""
        if player in self._feet:
            self._agreed[player] = self._feet[player], tile

    def _tiles_under(self, piece: Piece, player: int) -> tuple[int, ...]:
        at = self._feet[player] = piece.foot_mm or centre(piece.outline_mm)
        if player in self._agreed:
            place, tile = self._agreed[player]
            if apart(place, at) < BORDER_MM:
                return (tile,)
            del self._agreed[player]
        near = BORDER_MM + 2 * piece.foot_sigma_mm
        inside = {n: depth(tile.outline, at) for n, tile in enumerate(self.road.tiles)}
        if not inside:
            return ()
        deepest = max(inside.values())
        beyond = (len(inside),) if self._beyond_finish(at) else ()
        if deepest < -(near if beyond else OFF_MM):
            return beyond
        on = [n for n, d in inside.items() if d >= min(deepest, -near)]
        return (*sorted(on, key=lambda n: -inside[n]), *beyond)

    def _beyond_finish(self, at: Point) -> bool:
        """Rules 3.4.7: past the far edge of the finish tile, within two tiles of it."""
        tiles = self.road.tiles
        if tiles[-1].kind != FINISH or tiles[-1].entry is None:
            return False
        outline, size = tiles[-1].outline, side_mm(tiles[-1].outline)
        far = middle(outline, (tiles[-1].entry + 2) % 4)
        here = centre(outline)
        ahead = ((at[0] - here[0]) * (far[0] - here[0]) + (at[1] - here[1]) * (far[1] - here[1])) / (size / 2)
        return ahead > size / 2 and apart(at, far) < 2 * size

    # -- the die (rules 3.1) ------------------------------------------------------------------------------------

    def _follow_die(self, scene: Scene) -> bool:
        """Whether it is seen."""
        dice = [piece for piece in scene.pieces if piece.kind == "die" and piece.confidence >= UNSURE]
        same = [piece for piece in dice if self._die and piece.id == self._die.id]
        die = same[0] if same else max(dice, key=lambda piece: piece.confidence, default=None)
        if die is None or die.pose == "moving":
            return False
        before, self._die = self._die, die
        value = die.value if die.value in DIE else None
        if before is None:  # thrown already, or not yet
            self._throws.append(Throw(value, False, scene.t, die.id))
        elif die.id == before.id and die.throws > before.throws:
            self._throws.append(Throw(value, True, scene.t, die.id))
        elif die.id != before.id or die.throw_doubtful:
            self._throws.append(Throw(value, False, scene.t, die.id))
        elif value and before.value and value != before.value:
            self._throws.append(Throw(value, False, scene.t, die.id))  # it shows something else: turned, or thrown
        elif value and self._throws and self._throws[-1].value is None:
            self._throws[-1] = replace(self._throws[-1], value=value)
        return True

    @property
    def throws(self) -> tuple[Throw, ...]:
        """Every throw since the game began."""
        return tuple(self._throws)

    def tell_die(self, value: int) -> None:
        """The players say what the last throw shows, when it could not be read."""
        if self._throws and self._throws[-1].value is None:
            self._throws[-1] = replace(self._throws[-1], value=value)

    # -- cards (rules 3.3.4) ------------------------------------------------------------------------------------

    def _follow_cards(
        self, scene: Scene, playing: bool, before: Sequence[Sequence[str]]
    ) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
        """The cards that lie there, and those that lay there at the last still."""
        view = scene.view_mm
        here: list[Card] = []
        left = list(self._cards)
        for piece in scene.pieces:
            if piece.kind != "card" or piece.confidence < UNSURE:
                continue
            face, at = self.told.get(piece.id, piece.face), centre(piece.outline_mm)
            # One that cannot be read now is what lay there.
            found = next((c for c, _ in left if face in (c.face, UNKNOWN) and self._same(c, piece, at)), None)
            if found:
                left = [(card, gone) for card, gone in left if card is not found]
                who = self._who(view, at)
                moved = found.face not in (BACK, UNKNOWN) and who != found.players
                card = replace(found, piece=piece.id, at=at, players=who, moved=moved)
            else:
                self._named += 1
                spare = face == BACK and self._is_pile(at)
                card = Card(f"c{self._named}", piece.id, face, self._who(view, at), at, spare, self._by_pile(at))
            if card.face == BACK and not playing:
                card = replace(card, spare=True)
                self._piles = [pile for pile in self._piles if apart(pile, at) > SAME_CARD_MM] + [at]
            elif card.face == BACK and not card.spare and all(apart(seat, at) > SAME_CARD_MM for seat in self._seats):
                self._seats.append(at)
            here.append(card)
        self._cards = [(card, 0) for card in here] + [
            (card, since + 1) for card, since in left if since < self._remembered(card, here, before)
        ]
        return tuple(here), tuple(card for card, since in left if not since)

    def _is_pile(self, at: Point) -> bool:
        """A back lies where a pile lay before play began; or it is the first that is seen, which was covered then."""
        if not self._piles and not self._seats:
            self._piles.append(at)
        return any(apart(pile, at) < SAME_CARD_MM for pile in self._piles)

    def _remembered(self, card: Card, here: Sequence[Card], before: Sequence[Sequence[str]]) -> int:
        """For how many stills a card that is not seen may still lie there."""
        if any(apart(card.at, other.at) <= SAME_CARD_MM for other in here):
            return 0
        if card.face in (PANNE, PUNCTURE):
            return REMEMBERED_BEFORE if any(card.face in before[p - 1] for p in card.players) else 0
        moved = any(other.by_pile and other.face == card.face for other in here)
        return 0 if moved else REMEMBERED

    def _same(self, card: Card, piece: Piece, at: Point) -> bool:
        return card.piece == piece.id or apart(card.at, at) < SAME_CARD_MM

    def _by_pile(self, at: Point) -> bool:
        """By the draw pile; when more backs lay there before play began, hands lie on the table, and none is known."""
        if len(self._piles) != 1 or any(apart(seat, at) < SEAT_MM for seat in self._seats):
            return False
        return apart(self._piles[0], at) < NEAR_PILE_MM

    def _who(self, view: Quad | None, at: Point) -> tuple[int, ...]:
        return self._sides.get(side_of(view, at), ()) if view else ()
