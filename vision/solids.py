"""Solid things of a still, dice and coloured pieces, as pieces of the scene: found, named, followed by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from vision.assign import assign
from vision.camera import Array, Camera
from vision.changes import Mask, difference, enlarge, grown
from vision.facebank import FaceBank
from vision.found import Found
from vision.frame import Frame
from vision.scene import UNKNOWN, Piece, Point, Quad, Things
from vision.still import small_luma
from vision.still_image import Still
from vision.token_backdrop import FlatPiece
from vision.token_watch import TokenWatch, any_in
from vision.tokens import Token

if TYPE_CHECKING:
    from vision.dice import DiceTracker, Die, TrackedDie

UNKNOWN_BELOW = 0.6
"""A colour less likely than this is not named: as for faces."""

STAYED_MM = 6.0
"""A piece that is seen within this of where one of its sort stood is that one; found anew, it wanders by 1 to 2 mm."""


@dataclass(eq=False)
class Stand:
    """Where a solid thing was seen last."""

    id: str
    sort: str
    at: Array
    seen: float


class Solids:
    """Finds the session's dice and tokens in still after still, and keeps their ids."""

    def __init__(self, things: Things, bank: FaceBank) -> None:
        self.things = things
        self.bank = bank
        self._dice: DiceTracker | None = None
        if things.dice:
            # Loaded when a game has dice: their networks take 60 MB.
            from vision.dice import DiceTracker

            self._dice = DiceTracker("d")
        self._lay: list[Die] = []
        self._reported: list[TrackedDie] = []
        self._vanished: list[TrackedDie] = []
        self._tokens = TokenWatch(things.tokens)
        self._small: NDArray[np.float32] | None = None
        self._last_t = -1e9
        self._stands: list[Stand] = []
        self._count: dict[str, int] = {}

    @property
    def unfinished(self) -> bool:
        """Whether it is worth a second look when nobody waits for it."""
        return self._tokens.unfinished or bool(self._vanished)

    def watch(self, frame: Frame) -> None:
        """Take note of what moves between the stills: a die that is thrown again may show the same."""
        if self._dice is not None:
            self._dice.watch(frame.t, small_luma(frame))

    def see(
        self,
        still: Still,
        camera: Camera,
        lying: Sequence[Found],
        t: float,
        claims: Mask | None = None,
        everywhere: bool = False,
    ) -> tuple[Piece, ...]:
        """The dice and tokens of one still.

        lying: the flat pieces, the lowest first. claims: (h/4, w/4) not 0 where the picture shows one of their faces:
        what is printed there is no die. everywhere: nobody waits for it (`TokenWatch.see`).
        """
        if not self.things.dice and not self.things.tokens:
            return ()
        touched = grown(difference(still.small, self._small), 1)
        dice = self._find_dice(still, camera, claims, touched)
        flats = [self._flat(f) for f in lying]
        # What is read is a die. What may be one, but shows no number, can as well be a car.
        read = [body_of(d) for d in dice if d.value is not None]
        tokens = self._tokens.see(still.bgr, camera, flats, read, touched, everywhere)
        self._lay, self._small = dice, still.small
        dice = [d for d in dice if d.value is not None or not any(_near(d, k) for k in tokens)]
        pieces = [token_piece(k, camera) for k in tokens]
        ids = self._follow(pieces, t)
        named = [msgspec.structs.replace(p, id=i) for p, i in zip(pieces, ids, strict=True)]
        return tuple(self._follow_dice(dice, camera, t, everywhere) + named)

    def _find_dice(self, still: Still, camera: Camera, claims: Mask | None, touched: Mask) -> list[Die]:
        if not self.things.dice:
            return []
        from vision.dice import find_on_table

        printed = None if claims is None else enlarge(claims, still.size)
        dice = find_on_table(still.bgr, self.things.dice, camera, printed)
        # Where the picture is what it was lies what lay there, found again or not.
        lay = [d for d in self._lay if not any_in(touched, body_of(d))]
        # ... and shows what it showed: a number read once is not unread because one still is worse than another.
        dice = [d for d in dice if d.value is not None or not any(_same_die(old, d) and old.value for old in lay)]
        dice += [old for old in lay if not any(_same_die(old, d) for d in dice)]
        return [d for kind in self.things.dice for d in likeliest([d for d in dice if d.face == kind.face], kind.count)]

    def _follow_dice(self, dice: list[Die], camera: Camera, t: float, last_look: bool) -> list[Piece]:
        if self._dice is None:
            return []
        motion, since = self._dice.motion, self._last_t

        def touched(die: Die) -> bool:
            return motion.last_near(die.centre_px, die.edge_px, since) is not None

        followed = self._dice.still(t, dice, touched if motion.watched else None)
        # What is gone without a hand near it may only have been missed: until the next look it is remembered.
        self._vanished = [] if last_look else [k for k in self._reported if self._is_missed(k, followed)]
        self._reported, self._last_t = followed, t
        remembered = [msgspec.structs.replace(die_piece(k, camera), visible=0.0) for k in self._vanished]
        return [die_piece(k, camera) for k in followed] + remembered

    def _is_missed(self, known: TrackedDie, followed: list[TrackedDie]) -> bool:
        if self._dice is None or known.id in {k.id for k in followed}:
            return False
        room = next((k.count for k in self.things.dice if k.face == known.die.face), 0)
        if sum(k.die.face == known.die.face for k in followed) >= room:
            return False
        return self._dice.motion.vanished(known.die.centre_px, known.die.edge_px, self._last_t)

    def _flat(self, f: Found) -> FlatPiece:
        t = self.bank.templates[f.template]
        return FlatPiece(f.pose, t.size_mm, t.log_bgr)

    def _follow(self, pieces: list[Piece], t: float) -> list[str]:
        """An id for each: what stood there before, else the one of its sort that went last, else a new one."""
        ids = [""] * len(pieces)
        for sort in sorted({_sort(p) for p in pieces}):
            mine = [k for k, p in enumerate(pieces) if _sort(p) == sort]
            known = [s for s in self._stands if s.sort == sort]
            cost = np.array([[_cost(s, pieces[k], t) for k in mine] for s in known]).reshape(len(known), len(mine))
            for i, j in zip(*assign(cost), strict=True):
                ids[mine[j]] = known[i].id
                known[i].at, known[i].seen = _at(pieces[mine[j]]), t
            for k in mine:
                if not ids[k]:
                    letter = pieces[k].kind[0]
                    self._count[letter] = self._count.get(letter, 0) + 1
                    ids[k] = f"{letter}{self._count[letter]}"
                    self._stands.append(Stand(ids[k], sort, _at(pieces[k]), t))
        return ids


def _sort(piece: Piece) -> str:
    return f"{piece.kind} {piece.face}"


def _at(piece: Piece) -> Array:
    return np.array(piece.foot_mm)


def _cost(stand: Stand, piece: Piece, t: float) -> float:
    """First those that stayed, then those seen latest, then the nearest."""
    away = float(np.hypot(*(stand.at - _at(piece))))
    return away if away < STAYED_MM else 1000.0 + min(away, 900.0) + 1000.0 * (1 - np.exp((stand.seen - t) / 60.0))


def likeliest(dice: list[Die], most: int) -> list[Die]:
    """At most so many of the dice: those that were read first, and of these those that lie flat.

    A meeple that stands on its side looks like a die that leans: of 31 stills of one game nine had one, read with up to
    0.89, beside the true die with 0.99.
    """
    order = sorted(dice, key=lambda d: (d.value is None, d.pose != "rest", -d.confidence))
    return sorted(order[:most], key=lambda d: d.centre_px)


def _same_die(a: Die, b: Die) -> bool:
    return _away(a.centre_px, b.centre_px) <= a.edge_px


def _near(die: Die, token: Token) -> bool:
    return float(np.hypot(*np.subtract(die.centre_px, token.centre_px))) < die.edge_px


def _away(a: Point, b: Point) -> float:
    return float(np.hypot(*np.subtract(a, b)))


def die_piece(known: TrackedDie, camera: Camera) -> Piece:
    die = known.die
    edge = die.edge_px * camera.mm_per_px
    foot = camera.unproject(np.array([die.centre_px]), edge / 2)[0]
    return Piece(
        id=known.id,
        kind="die",
        face=die.face,
        confidence=die.confidence,
        visible=1.0,
        corners_px=die.corners_px,
        outline_mm=_quad(camera.unproject(np.array(die.corners_px), edge)),
        sigma_mm=1.0,
        centre_px=die.centre_px,
        foot_mm=(float(foot[0]), float(foot[1])),
        foot_sigma_mm=1.0,
        pose=die.pose,
        value=die.value,
        throws=known.throws,
        throw_doubtful=known.throw_doubtful,
    )


def token_piece(token: Token, camera: Camera) -> Piece:
    return Piece(
        id="",
        kind=token.kind,
        face=f"{token.kind}.{token.colour}" if token.confidence >= UNKNOWN_BELOW else UNKNOWN,
        confidence=token.confidence,
        visible=1.0,
        corners_px=token.corners_px,
        outline_mm=_quad(camera.unproject(np.array(token.corners_px))),
        sigma_mm=token.foot_sigma_mm,
        centre_px=token.centre_px,
        foot_mm=token.foot_mm,
        foot_sigma_mm=token.foot_sigma_mm,
        heading_deg=token.heading_deg,
        pose=token.pose,
    )


def body_of(die: Die) -> Array:
    """(n, 2) px around all that is seen of a die: its upper face, and the same on the other side of its middle."""
    top = np.array(die.corners_px)
    both = np.concatenate([top, 2 * np.array(die.centre_px) - top]).astype(np.float32)
    return np.asarray(cv2.convexHull(both).reshape(-1, 2), np.float64)


def _quad(points: Array) -> Quad:
    a, b, c, d = [(float(x), float(y)) for x, y in points]
    return a, b, c, d
