"""The vocabulary that seeing and ruling share: what lies on the table at one still.

Plain, immutable data; no OpenCV, no numpy. Whoever holds a `Scene` needs no pixel to reason about it.

Frames of reference
    picture   pixels of the original frame (lens distortion included), x right, y down, pixel centres at integers
    table     millimetres, x right and y down as in the picture, origin where the camera's axis meets the table

Corners and outlines always run clockwise (as seen in the picture) from the top left of the piece's own face. They are
the points where the straight edges would meet, as if the card had no rounded corners.
"""

from __future__ import annotations

import msgspec

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]

UNKNOWN = "unknown"
BACK = "back"


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """One physical thing on the table."""

    id: str
    """Stable while the piece is followed: `p7`."""
    kind: str = "card"
    """What sort of thing it is: `card`, `tile`, `die`, `meeple`, `car`."""
    face: str
    """The deck's kind of the face that lies up (`palace`, `carpet.red`), `back`, or `unknown`."""
    print: str = ""
    """The deck's id of the very picture (`palace_b`); empty when that is not certain."""
    confidence: float
    """0 to 1: how sure the face is."""
    visible: float
    """0 to 1: the share of the piece that is in the frame and not covered."""
    corners_px: Quad
    outline_mm: Quad
    sigma_mm: float
    """1 sigma of the outline's place on the table, mm."""
    flat: bool = True
    """False when the piece is seen to be curled or to lean on another; `sigma_mm` has then grown accordingly."""
    cell: tuple[int, int] | None = None
    """Of a tile laid edge to edge with others: its place on their lattice, x right and y down as in the picture. The
    origin is any tile's, but stays while the tiles lie; tiles that are not joined edge to edge share no lattice."""
    lattice: int = 0
    """Which lattice `cell` counts on: the largest group of joined tiles is 0."""
    rotation: int | None = None
    """Of a tile on a lattice: the face's quarter turns against it, clockwise in degrees: 0, 90, 180 or 270. None when
    nothing can be told of a tile but that it lies there: `face` is `unknown` then, and its corners and outline begin
    where those of its cell do, at the top left in the picture."""
    centre_px: Point | None = None
    """Of a solid thing (die, meeple, car): its middle as seen in the picture."""
    foot_mm: Point | None = None
    """Of a solid thing: the middle of what it stands on, mm, in the plane of the faces that lie there."""
    foot_sigma_mm: float = 0.0
    heading_deg: float | None = None
    """Of a car: the way its nose points, clockwise from the table's x axis."""
    pose: str = ""
    """Of a meeple `standing` or `lying`; of a die `rest`, `cocked` or `moving`."""
    value: int | None = None
    """Of a die: what its upper face shows; None when that is doubtful."""
    throws: int = 0
    """Of a die: how often it has come to rest from a throw since it was first seen."""
    throw_doubtful: bool = False
    """Of a die: something touched it since the last still, and it cannot be told whether it was thrown anew."""


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """Shortest distance between the physical outlines (rounded corners) of two pieces; 0 when they overlap."""

    a: str
    b: str
    mm: float
    sigma_mm: float


class Overlap(msgspec.Struct, frozen=True, kw_only=True):
    """Two outlines share an area; `over` lies on top."""

    over: str
    under: str
    area_mm2: float
    depth_mm: float
    """How far one must be pushed for the overlap to vanish; compare it with `sigma_mm` to know that there is any."""
    sigma_mm: float
    confidence: float
    """0.5 to 1: how sure it is that `over` lies on top."""


class CameraState(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the camera at this still."""

    solved: bool
    """False while too few pieces lie there to vouch for millimetres."""
    rms_px: float
    """Residual of the joint fit, pixels."""
    sigma_mm_per_100mm: float = 0.0
    """1 sigma of a distance of 100 mm at the middle of the table that is due to the camera model alone."""
    mm_per_px: float = 0.0
    """Scale at the middle of the picture."""
    tilt_deg: float = 0.0
    epoch: int = 0
    """Counts up whenever the camera was moved and the model solved anew."""


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """Everything measured at one still."""

    t: float
    """Seconds from the start of the footage."""
    camera: CameraState
    size_px: tuple[int, int] = (0, 0)
    """Width and height of the frame."""
    view_mm: Quad | None = None
    """Where the frame's own corners (top left, top right, bottom right, bottom left) fall on the table."""
    pieces: tuple[Piece, ...] = ()
    gaps: tuple[Gap, ...] = ()
    """Every pair nearer than `GAP_REACH_MM`."""
    overlaps: tuple[Overlap, ...] = ()

    def piece(self, piece_id: str) -> Piece | None:
        """The piece of that id, or None when it does not lie there."""
        return next((p for p in self.pieces if p.id == piece_id), None)


class DieKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sort of die. Only a number that is on one of its faces can be read from it."""

    face: str
    """`die.six`, `die.flight`, `die.race`: what the piece is called in a scene."""
    values: tuple[int, ...] = (1, 2, 3, 4, 5, 6)
    """The numbers of its six faces."""
    edge_mm: tuple[float, float] = (12.0, 20.0)
    """The shortest and the longest edge such a die may have."""
    count: int = 1
    """How many there are in the game."""


class TokenKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A sort of solid playing piece that is told by its colour."""

    kind: str
    """`meeple` or `car`; a piece of it is called `meeple.red`."""
    colours: tuple[str, ...]
    """The colours that are in play in this session."""
    length_mm: float
    """The longer side of what it covers when it stands."""
    width_mm: float
    height_mm: float
    count: int = 1
    """Pieces of each colour."""


class Things(msgspec.Struct, frozen=True, kw_only=True):
    """What may be on the table beside the deck's flat pieces."""

    dice: tuple[DieKind, ...] = ()
    tokens: tuple[TokenKind, ...] = ()


GAP_REACH_MM = 150.0
"""Pairs farther apart than this carry no `Gap`: no rule of the three games looks farther."""
