"""Dice and tokens as nets to cut out, fold and glue: a deck that is printed at home needs nothing else.

A net is that of a box, `length` x `width` x `height` mm: four sides in a row, the top above the first, the bottom
below it, and tabs to glue. Lengths are millimetres, x right and y down from the net's own top left.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from fpdf import FPDF

from device.deck_folder import DieSpec, TokenSpec
from vision.token_colours import PAINT
from vision.token_shapes import MEEPLE

TAB_MM = 4.0
"""Width of a tab: what a drop of glue and a finger need."""
SPACE_MM = 2.0
"""Between two nets."""
RGB = tuple[int, int, int]
Points = Sequence[tuple[float, float]]
BODY: RGB = (250, 248, 242)
"""Of a die: the pips are black."""
PIPS = {1: (4,), 2: (0, 8), 3: (0, 4, 8), 4: (0, 2, 6, 8), 5: (0, 2, 4, 6, 8), 6: (0, 2, 3, 5, 6, 8)}
"""Which of the nine places of a face bear a pip, counted row by row."""


@dataclass(frozen=True)
class Panel:
    """A side of the box as it lies in the net."""

    name: str
    x: float
    y: float
    width: float
    height: float


class Net(Protocol):
    """What is folded to one thing."""

    @property
    def box(self) -> tuple[float, float, float]:
        """Length, width and height, mm."""
        ...

    @property
    def colour(self) -> RGB: ...

    def draw(self, pdf: FPDF, panel: Panel) -> None:
        """What is printed on a side besides its colour."""
        ...


@dataclass(frozen=True)
class Die:
    """A die with these six values; equal ones lie opposite each other as far as they can."""

    values: tuple[int, ...]
    edge_mm: float
    colour: RGB = BODY

    @property
    def box(self) -> tuple[float, float, float]:
        return self.edge_mm, self.edge_mm, self.edge_mm

    def draw(self, pdf: FPDF, panel: Panel) -> None:
        sides = ("front", "back", "right", "left", "top", "bottom")
        value = sorted(self.values)[sides.index(panel.name)]
        pdf.set_fill_color(20)
        radius = 0.1 * self.edge_mm
        for place in PIPS[value]:
            x = panel.x + self.edge_mm * (0.25 + 0.25 * (place % 3))
            y = panel.y + self.edge_mm * (0.25 + 0.25 * (place // 3))
            pdf.ellipse(x - radius, y - radius, 2 * radius, 2 * radius, style="F")


@dataclass(frozen=True)
class Token:
    """A playing piece in one colour. A meeple's front and back show one; a car has a windscreen towards its nose."""

    kind: str
    box: tuple[float, float, float]
    colour: RGB

    def draw(self, pdf: FPDF, panel: Panel) -> None:
        dark = _shade(self.colour)
        pdf.set_draw_color(*dark)
        pdf.set_fill_color(*dark)
        pdf.set_line_width(0.3)
        if self.kind == "meeple" and panel.name in ("front", "back"):
            at = (panel.x + panel.width / 2, panel.y + panel.height / 2)
            outline = [(at[0] + 0.86 * panel.width * x, at[1] + 0.86 * panel.height * y) for x, y in MEEPLE.tolist()]
            pdf.polygon(outline, style="D")
        elif self.kind == "car" and panel.name == "top":
            pdf.rect(panel.x + 0.3 * panel.width, panel.y + 1.5, 0.42 * panel.width, panel.height - 3.0, style="D")
            pdf.rect(panel.x + 0.66 * panel.width, panel.y + 2.0, 0.06 * panel.width, panel.height - 4.0, style="F")
        elif self.kind == "car" and panel.name in ("front", "back"):
            for share in (0.22, 0.78):
                x = panel.x + share * panel.width
                pdf.ellipse(x - 2.5, panel.y + panel.height - 4.0, 5.0, 5.0 - 1.0, style="F")


@dataclass(frozen=True)
class PlacedNet:
    """A net on the paper."""

    net: Net
    x: float
    y: float


def nets_of(dice: Iterable[DieSpec], tokens: Iterable[TokenSpec]) -> list[Net]:
    """Every single die and token of a deck, each to be folded."""
    nets: list[Net] = [Die(tuple(die.values), die.edge_mm) for die in dice for _ in range(die.count)]
    for token in tokens:
        box = (token.length_mm, token.width_mm, token.height_mm)
        nets += [Token(token.kind, box, PAINT[colour]) for colour in token.colours for _ in range(token.count)]
    return nets


def size_of(net: Net) -> tuple[float, float]:
    """Width and height of a net with its tabs."""
    length, width, height = net.box
    return 2 * (length + width) + 2 * TAB_MM, height + 2 * width + 2 * TAB_MM


def lay_nets(nets: Iterable[Net], paper: tuple[float, float], side_mm: float, end_mm: float) -> list[list[PlacedNet]]:
    """Spread nets over sheets, in their order, row by row within the margins."""
    sheets: list[list[PlacedNet]] = []
    x = y = row = 0.0
    for net in nets:
        width, height = size_of(net)
        if x + width > paper[0] - side_mm + 1e-6:
            x, y, row = side_mm, y + row + SPACE_MM, 0.0
        if not sheets or y + height > paper[1] - end_mm + 1e-6:
            sheets.append([])
            x, y, row = side_mm, end_mm, 0.0
        sheets[-1].append(PlacedNet(net, x, y))
        x, row = x + width + SPACE_MM, max(row, height)
    return sheets


def panels(net: Net) -> list[Panel]:
    """The sides of the box, each beside those that it is joined to."""
    length, width, height = net.box
    y = TAB_MM + width
    x = [TAB_MM + s for s in itertools.accumulate((0.0, length, width, length))]
    return [
        Panel("front", x[0], y, length, height),
        Panel("right", x[1], y, width, height),
        Panel("back", x[2], y, length, height),
        Panel("left", x[3], y, width, height),
        Panel("top", x[0], TAB_MM, length, width),
        Panel("bottom", x[0], y + height, length, width),
    ]


def _tabs(sides: Sequence[Panel]) -> Iterator[Points]:
    """One at the end of the row, and at the three free edges of top and bottom; narrower outside."""
    slant = TAB_MM / 2
    last, top, bottom = sides[3], sides[4], sides[5]
    for panel in (last, top, bottom):
        end = panel.x + panel.width
        low, high = panel.y, panel.y + panel.height
        yield [(end, low), (end + TAB_MM, low + slant), (end + TAB_MM, high - slant), (end, high)]
    for panel in (top, bottom):
        low, high = panel.y, panel.y + panel.height
        yield [(panel.x, low), (panel.x - TAB_MM, low + slant), (panel.x - TAB_MM, high - slant), (panel.x, high)]
    for panel, edge, out in ((top, top.y, -TAB_MM), (bottom, bottom.y + bottom.height, TAB_MM)):
        left, right = panel.x, panel.x + panel.width
        yield [(left, edge), (left + slant, edge + out), (right - slant, edge + out), (right, edge)]


def draw_net(pdf: FPDF, placed: PlacedNet) -> None:
    """Tabs first, white; then the sides in their colour, with the folds between them."""
    net = placed.net
    sides = [Panel(p.name, placed.x + p.x, placed.y + p.y, p.width, p.height) for p in panels(net)]
    pdf.set_line_width(0.15)
    pdf.set_draw_color(90)
    pdf.set_fill_color(255)
    for tab in _tabs(sides):
        pdf.polygon(tab, style="DF")
    for panel in sides:
        pdf.set_line_width(0.15)
        pdf.set_draw_color(*_shade(net.colour))
        pdf.set_fill_color(*net.colour)
        pdf.rect(panel.x, panel.y, panel.width, panel.height, style="DF")
        net.draw(pdf, panel)


def _shade(colour: RGB) -> RGB:
    """A darker tone of the same; of what is dark already, a lighter one."""
    if sum(colour) < 150:
        return (105, 105, 108)
    red, green, blue = (int(0.6 * c) for c in colour)
    return red, green, blue
