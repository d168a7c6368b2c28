"""What a page is told: everything it shows, in the words of one language. Documented in docs/ref/screen.md.

Each field of `Shown` is a section that is sent again only when it has changed. Lengths are table millimetres unless a
name says `px`; times are seconds from the start of the footage.
"""

from __future__ import annotations

import msgspec

XY = tuple[float, float]


class Offered(msgspec.Struct, frozen=True, kw_only=True):
    choice: str
    value: str
    text: str


class Section(msgspec.Struct, frozen=True, omit_defaults=True):
    pass


class Looking(Section, frozen=True, kw_only=True):
    source: str = ""
    camera: str = "live"
    """`live`, `away`, `ended`."""
    observer: str = ""
    """`moving`, `hand`, `still`, `learning_camera`."""
    moving: bool = False
    t: float = 0.0
    duration: float | None = None
    warnings: tuple[str, ...] = ()
    """What impairs the game, worst first: see docs/ref/health.md."""


class Game(Section, frozen=True, kw_only=True):
    game: str
    name: str = ""
    phase: str
    round: int = 0
    rounds: int = 0
    flight: int = 0
    over: bool = False
    winners: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    language: str
    """That of all words here."""


class Card(Section, frozen=True, kw_only=True):
    name: str
    """In words."""
    picture: str = ""
    """Name of its picture under /deck; empty where the deck has none."""
    count: int = 1


class Points(Section, frozen=True, kw_only=True):
    points: int
    text: str
    cards: tuple[Card, ...] = ()


class Seat(Section, frozen=True, kw_only=True):
    name: str
    colours: tuple[str, ...] = ()
    side: str
    score: int
    active: bool = False
    won: tuple[Card, ...] = ()
    """Equal ones together, in the order in which the first was won."""
    lines: tuple[Points, ...] = ()
    meeples: int | None = None
    """That he can still put."""
    hand: int | None = None
    """Cards that he holds."""


class Lying(Section, frozen=True, kw_only=True):
    id: str
    face: str
    name: str
    picture: str = ""
    outline: tuple[XY, ...]
    px: tuple[XY, ...]
    kind: str = "card"
    """`card`, `tile`, `die`, `meeple`, `car`."""
    at: XY | None = None
    """Of a solid thing: the middle of its foot."""
    heading: float | None = None
    """Of a car: where its nose points, degrees clockwise from x."""
    colour: str = ""
    pose: str = ""
    value: int | None = None
    """What a die shows."""


class Marked(Section, frozen=True, kw_only=True):
    kind: str
    """`violation`, `contested`, `claimed`, `take_back`, `doubt`, `target`."""
    pieces: tuple[str, ...]
    text: str
    players: tuple[str, ...] = ()


class Measure(Section, frozen=True, kw_only=True):
    """A distance to draw between two pieces."""

    kind: str
    start: XY
    end: XY
    mm: float
    limit: float | None = None


class Top(Section, frozen=True, kw_only=True):
    view: tuple[XY, ...] = ()
    """The frame's corners on the table; none while the camera is not known."""
    size_px: tuple[int, int] = (0, 0)
    radius: float = 0.0
    entry: int = 0
    """Of the observation that is drawn."""
    solved: bool = False
    pieces: tuple[Lying, ...] = ()
    """Bottom first."""
    marks: tuple[Marked, ...] = ()
    measures: tuple[Measure, ...] = ()


class Measured(Section, frozen=True, kw_only=True):
    value: float
    sigma: float | None = None
    limit: float | None = None
    unit: str = ""


class Option(Section, frozen=True, kw_only=True):
    word: str
    text: str
    likely: bool = False
    picture: str = ""
    """Of the face that it stands for."""
    turn: int = 0
    """Degrees clockwise by which that picture is turned."""
    piece: str = ""
    """The piece on the table that it stands for."""


class Asked(Section, frozen=True, kw_only=True):
    id: str
    text: str
    rule: str
    player: str = ""
    pieces: tuple[str, ...] = ()
    options: tuple[Option, ...]
    measured: Measured | None = None


class Row(Section, frozen=True, kw_only=True):
    """One line of the list of what happened."""

    entry: int
    t: float
    kind: str
    """`ruling`, `answer`, `correct`, `remove`, `undo`, `redo`."""
    of: str = ""
    """`scene` or `answer`: what its entry is."""
    live: bool = True
    text: str = ""
    """A ruling's words, or the question that was answered."""
    rule: str = ""
    index: int = 0
    """Of a ruling among those of its entry: /evidence/<entry>-<index>.jpg"""
    player: str = ""
    pieces: tuple[str, ...] = ()
    measured: Measured | None = None
    inferred: bool = False
    question: str = ""
    """Id of the question that was answered."""
    chosen: str = ""
    by_default: bool = False
    options: tuple[Option, ...] = ()
    """An answer's choices, for whoever wants to correct it."""
    corrects: int = 0


class Log(Section, frozen=True, kw_only=True):
    rows: tuple[Row, ...] = ()
    """Newest first."""
    more: bool = False
    """Whether there are older ones: /log?before=<entry of the last>"""


class Undo(Section, frozen=True, kw_only=True):
    entry: int = 0
    """What undo would take back; 0 for nothing."""
    kind: str = ""
    """`answer` (to a question), `correct`, or `scene` for all that was ruled."""
    corrects: int = 0
    text: str = ""
    redo: bool = False


class Face(Section, frozen=True, kw_only=True):
    kind: str
    name: str
    picture: str = ""


class DeckFaces(Section, frozen=True, kw_only=True):
    version: str
    faces: tuple[Face, ...] = ()


class Spot(Section, frozen=True, kw_only=True):
    """A place on a tile where a meeple is, or may be put."""

    at: XY
    text: str
    colour: str = ""
    player: str = ""


class Lit(Section, frozen=True, kw_only=True):
    """The tiles that made points."""

    player: str
    points: int
    text: str
    cells: tuple[tuple[XY, ...], ...]


class Hidden(Section, frozen=True, kw_only=True):
    """A tile that the game knows of and the last still does not show."""

    face: str
    name: str
    picture: str = ""
    outline: tuple[XY, ...]


class Flight(Section, frozen=True, kw_only=True):
    player: str
    start: XY
    end: XY | None = None
    """None before the die is read."""
    goal: tuple[XY, ...] = ()
    """Outline of the cell where it ends."""
    options: tuple[Spot, ...] = ()


class Stop(Section, frozen=True, kw_only=True):
    """A tile of the road."""

    kind: str
    name: str
    picture: str = ""
    cars: tuple[str, ...] = ()
    """Colours of those that stand on it."""
    at: XY | None = None


class Owed(Section, frozen=True, kw_only=True):
    """What a card makes a car do that is still to be done."""

    player: str
    to: int
    card: str


class OfferedCard(Section, frozen=True, kw_only=True):
    by: str
    to: str


class Board(Section, frozen=True, kw_only=True):
    """Of the board games: what is drawn over the table, and the road in its order."""

    last: tuple[XY, ...] = ()
    """Outline of the tile laid last."""
    broken: tuple[tuple[XY, XY], ...] = ()
    """Edges at which two tiles do not fit."""
    hidden: tuple[Hidden, ...] = ()
    lit: tuple[Lit, ...] = ()
    flight: Flight | None = None
    places: tuple[Spot, ...] = ()
    to_return: tuple[Spot, ...] = ()
    left: int | None = None
    """Tiles not drawn yet."""
    track: tuple[Stop, ...] = ()
    """The start first."""
    finish: bool = False
    """Whether the last of them is the finish."""
    die: int | None = None
    steps: int = 0
    """That the moving car may still take."""
    owed: Owed | None = None
    offered: OfferedCard | None = None


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    build: str
    """Changes with the page's own files: a page of another build loads itself anew."""
    looking: Looking
    game: Game
    players: tuple[Seat, ...]
    table: Top
    questions: tuple[Asked, ...]
    offers: tuple[Offered, ...]
    log: Log
    undo: Undo
    deck: DeckFaces
    board: Board | None = None
