"""Tables to throw dice on, and what else lies there. Images are (h, w, 3) float32 RGB, 0 to 1."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.train.dice.faces import Rng, pip_places

Array = NDArray[np.float32]

_DECKS = Path(__file__).resolve().parents[2] / "decks"


def table(rng: Rng, h: int, w: int) -> Array:
    """Bare table: plain, wood, felt, weave, a patterned cloth, a printed sheet, or two of them with an edge between."""
    picture = _surface(rng, h, w)
    if rng.random() < 0.22:
        other = _surface(rng, h, w)
        mask = np.zeros((h, w), np.uint8)
        angle, x, y = rng.uniform(0, np.pi), rng.uniform(0, w), rng.uniform(0, h)
        d = np.array([np.cos(angle), np.sin(angle)]) * 2000
        n = np.array([-d[1], d[0]])
        at = np.array([x, y])
        cv2.fillConvexPoly(mask, np.array([at - d, at + d, at + d + n, at - d + n]).astype(np.int32), 1)
        picture = np.where(mask[..., None] > 0, other, picture)
    return picture


def _surface(rng: Rng, h: int, w: int) -> Array:
    kind = rng.choice(["plain", "wood", "felt", "weave", "cloth", "sheet"], p=[0.2, 0.22, 0.22, 0.12, 0.14, 0.1])
    colour = _colour(rng)
    if kind == "plain":
        return _tinted(colour, _noise(rng, h, w, rng.uniform(0.5, 30)) * rng.uniform(0, 0.06))
    if kind == "felt":
        fine = _noise(rng, h, w, rng.uniform(0.5, 2.5)) * rng.uniform(0.02, 0.3)
        return _tinted(colour, fine + _noise(rng, h, w, 25) * 0.05)
    if kind == "wood":
        return _wood(rng, h, w)
    if kind == "weave":
        period = rng.uniform(2.5, 12)
        ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
        a = rng.uniform(0, np.pi)
        u, v = xs * np.cos(a) + ys * np.sin(a), ys * np.cos(a) - xs * np.sin(a)
        threads = np.sign(np.sin(u * 2 * np.pi / period) * np.sin(v * 2 * np.pi / period / rng.uniform(1, 3)))
        jitter = _noise(rng, h, w, period / 3)
        return _tinted(colour, cv2.GaussianBlur((threads + jitter) * rng.uniform(0.05, 0.45), (0, 0), period / 6 + 0.4))
    if kind == "cloth":
        return _cloth(rng, h, w, colour)
    face = _deck_faces()
    if not face:
        return _cloth(rng, h, w, colour)
    picture = face[int(rng.integers(len(face)))]
    zoom = rng.uniform(1.0, 5.0) * max(h / picture.shape[0], w / picture.shape[1])
    big = cv2.resize(picture, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_LINEAR)
    y, x = rng.integers(0, big.shape[0] - h + 1), rng.integers(0, big.shape[1] - w + 1)
    return big[y : y + h, x : x + w].copy()


def _wood(rng: Rng, h: int, w: int) -> Array:
    tone = np.array([0.62, 0.42, 0.25]) * rng.uniform(0.35, 1.5) + rng.normal(0, 0.04, 3)
    if rng.random() < 0.3:
        tone = np.array([0.86, 0.78, 0.66]) * rng.uniform(0.8, 1.1)
    side = int(np.hypot(h, w)) + 2
    grain = rng.standard_normal((side, max(side // int(rng.integers(6, 30)), 4))).astype(np.float32)
    grain = cv2.resize(grain, (side, side), interpolation=cv2.INTER_CUBIC)
    grain = cv2.GaussianBlur(grain, (0, 0), rng.uniform(0.4, 3))
    grain = grain / grain.std() * rng.uniform(0.03, 0.14)
    for y in np.arange(rng.uniform(20, 200), side, rng.uniform(60, 260)):
        grain[int(y) : int(y) + int(rng.integers(1, 4))] -= rng.uniform(0.1, 0.6)
    m = cv2.getRotationMatrix2D((side / 2, side / 2), float(rng.uniform(0, 360)), 1.0)
    m[:, 2] += (w / 2 - side / 2, h / 2 - side / 2)
    grain = cv2.warpAffine(grain, m, (w, h), borderMode=cv2.BORDER_REFLECT)
    return _tinted(tone.clip(0.02, 1), grain)


def _cloth(rng: Rng, h: int, w: int, colour: Array) -> Array:
    """Printed shapes, round dots among them: what a pip reader that does not look for a die falls for."""
    picture = np.broadcast_to(colour, (h, w, 3)).astype(np.float32).copy()
    inks = [_colour(rng) for _ in range(3)]
    size = rng.uniform(4, 30)
    lattice = rng.random() < 0.5
    step = size * rng.uniform(2.2, 5)
    if lattice:
        places = [(x, y) for x in np.arange(0, w + step, step) for y in np.arange(0, h + step, step)]
    else:
        places = list(rng.uniform(0, 1, (int(h * w / step**2), 2)) * (w, h))
    kind = int(rng.integers(4))
    for x, y in places[:400]:
        ink = inks[int(rng.integers(3))].tolist()
        r = size * (1 if lattice else rng.uniform(0.4, 1.5))
        sides = {0: 24, 1: 4, 2: 24, 3: 5}[kind]
        turn = 0.0 if lattice else rng.uniform(0, 6.3)
        angle = np.linspace(0, 2 * np.pi, sides * 2, endpoint=False) + turn
        radius = np.where(np.arange(sides * 2) % 2 == 0, r, r * (1.0 if kind == 0 else 0.6 if kind == 2 else 0.72))
        star = np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle)], 1)
        cv2.fillPoly(picture, [np.round(star * 16).astype(np.int32)], ink, cv2.LINE_AA, 4)
        if kind == 2:
            cv2.circle(picture, (int(x), int(y)), max(int(r / 3), 1), inks[0].tolist(), -1, cv2.LINE_AA)
    return (picture * (1 + 0.03 * _noise(rng, h, w, 0.8)[..., None])).clip(0, 1)


def clutter(rng: Rng, picture: Array, unit: float) -> None:
    """Put up to a few flat or low things on the table, drawn over `picture`. unit: edge of a die, px."""
    for _ in range(int(rng.choice([0, 0, 1, 2, 3, 5]))):
        things = [_card, _card, _printed_die, _meeple, _car, _keys, _keys, _cable, _label, _coin, _block_of_dots]
        rng.choice([*things, _ornament, _ornament, _tag])(rng, picture, unit)


def card_at(rng: Rng, picture: Array, corners: Array) -> None:
    """A printed card with its four corners at the given pixels (4, 2)."""
    face = _face(rng)
    fh, fw = face.shape[:2]
    m = cv2.getPerspectiveTransform(np.float32([[0, 0], [fw, 0], [fw, fh], [0, fh]]), corners.astype(np.float32))
    h, w = picture.shape[:2]
    shade = np.zeros((h, w), np.float32)
    cv2.fillConvexPoly(shade, np.round((corners + rng.uniform(-2, 3, 2)) * 16).astype(np.int32), 1.0, cv2.LINE_AA, 4)
    picture *= 1 - 0.3 * cv2.GaussianBlur(shade, (0, 0), 1.5)[..., None]
    layer = cv2.warpPerspective(face, m, (w, h), flags=cv2.INTER_AREA)
    mask = cv2.warpPerspective(np.ones((fh, fw), np.float32), m, (w, h), flags=cv2.INTER_LINEAR)[..., None]
    picture[:] = picture * (1 - mask) + layer * mask


def _card(rng: Rng, picture: Array, unit: float) -> None:
    h, w = picture.shape[:2]
    wide = unit * rng.uniform(1.8, 5)
    tall = wide * rng.choice([1.0, 1.4, 1.6])
    card_at(rng, picture, _turned(rng, wide, tall, rng.uniform(0, w), rng.uniform(0, h)))


def _printed_die(rng: Rng, picture: Array, unit: float) -> None:
    """A picture of a die, printed flat: no die."""
    h, w = picture.shape[:2]
    size = unit * rng.uniform(0.35, 0.75) if rng.random() < 0.7 else unit * rng.uniform(1.8, 3)
    quad = _turned(rng, size, size, rng.uniform(0, w), rng.uniform(0, h))
    cv2.fillConvexPoly(picture, np.round(quad * 16).astype(np.int32), _colour(rng).tolist(), cv2.LINE_AA, 4)
    ink = _colour(rng).tolist()
    for x, y in pip_places(int(rng.integers(1, 7)), 0.5):
        at = quad[0] + (quad[1] - quad[0]) * (x + 1) / 2 + (quad[3] - quad[0]) * (y + 1) / 2
        cv2.circle(
            picture, tuple(np.round(at * 16).astype(int).tolist()), int(size * 0.1 * 16), ink, -1, cv2.LINE_AA, 4
        )


def _meeple(rng: Rng, picture: Array, unit: float) -> None:
    h, w = picture.shape[:2]
    size = unit * rng.uniform(0.5, 1.0)
    outline = [[-0.2, -1], [0.2, -1], [0.3, -0.6], [0.9, -0.2], [0.9, 0.1], [0.4, 0.15], [0.7, 0.9], [0.15, 0.9]]
    outline += [[0, 0.5], [-0.15, 0.9], [-0.7, 0.9], [-0.4, 0.15], [-0.9, 0.1], [-0.9, -0.2], [-0.3, -0.6]]
    shape = np.array(outline)
    if rng.random() < 0.3:
        shape = np.array([[-0.5, -0.7], [0.5, -0.7], [0.5, 0.7], [-0.5, 0.7]])
    a = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    at = rng.uniform(0, 1, 2) * (w, h) + shape @ turn.T * size
    colour = _colour(rng)
    lean = rng.uniform(-0.5, 0.5, 2) * unit
    for i in range(5):
        part = np.round((at + lean * i / 4) * 16).astype(np.int32)
        cv2.fillPoly(picture, [part], (colour * (0.6 if i < 4 else 1)).tolist(), cv2.LINE_AA, 4)


def _car(rng: Rng, picture: Array, unit: float) -> None:
    h, w = picture.shape[:2]
    x, y, long = rng.uniform(0, w), rng.uniform(0, h), unit * rng.uniform(1.2, 2.6)
    quad = _turned(rng, long, long * rng.uniform(0.4, 0.6), x, y)
    colour = _colour(rng)
    cv2.fillConvexPoly(picture, np.round((quad + 2) * 16).astype(np.int32), (colour * 0.3).tolist(), cv2.LINE_AA, 4)
    cv2.fillConvexPoly(picture, np.round(quad * 16).astype(np.int32), colour.tolist(), cv2.LINE_AA, 4)
    along, across = quad[1] - quad[0], quad[3] - quad[0]
    for a, b in ((0.25, 0.4), (0.65, 0.75)):
        glass = quad[0] + np.array(
            [along * a + across * 0.15, along * b + across * 0.15, along * b + across * 0.85, along * a + across * 0.85]
        )
        cv2.fillConvexPoly(picture, np.round(glass * 16).astype(np.int32), (0.05, 0.05, 0.08), cv2.LINE_AA, 4)
    for a in (0.2, 0.8):
        for b in (0.0, 1.0):
            at = quad[0] + along * a + across * b
            cv2.circle(
                picture,
                tuple(np.round(at).astype(int).tolist()),
                max(int(long * 0.07), 1),
                (0.03, 0.03, 0.03),
                -1,
                cv2.LINE_AA,
            )


def _keys(rng: Rng, picture: Array, unit: float) -> None:
    """A keyboard's corner: rows of dark keys with a letter each."""
    h, w = picture.shape[:2]
    size, gap = unit * rng.uniform(0.4, 1.1), unit * rng.uniform(0.06, 0.2)
    quad = _turned(rng, 6 * (size + gap), 4 * (size + gap), rng.choice([0, w]) + rng.normal(0, unit), rng.uniform(0, h))
    base, key, ink = _colour(rng), _colour(rng), _colour(rng)
    cv2.fillConvexPoly(picture, quad.astype(np.int32), base.tolist(), cv2.LINE_AA)
    ex, ey = (quad[1] - quad[0]) / 6, (quad[3] - quad[0]) / 4
    inner = size / (size + gap)
    for i in range(6):
        for j in range(4):
            at = quad[0] + ex * i + ey * j
            cv2.fillConvexPoly(
                picture,
                (at + np.array([[0, 0], ex * inner, ex * inner + ey * inner, ey * inner])).astype(np.int32),
                key.tolist(),
                cv2.LINE_AA,
            )
            middle = tuple((at + (ex + ey) * 0.3).astype(int).tolist())
            _write(picture, str(rng.choice(list("QWERTY123456"))), middle, 0, size / 50, ink, 1)


def _ornament(rng: Rng, picture: Array, unit: float) -> None:
    """Printed squares of a die's size in which smaller things stand in rows, as on cloths: no dice."""
    h, w = picture.shape[:2]
    size = unit * rng.uniform(0.7, 1.6)
    step = size * rng.uniform(1.5, 6)
    a = rng.uniform(0, 2 * np.pi)
    turn = rng.choice([0.0, np.pi / 4, rng.uniform(0, np.pi)])
    ground, ink, middle = _colour(rng), _colour(rng), _colour(rng)
    count, sides = int(rng.integers(1, 4)), int(rng.choice([4, 4, 6, 16]))
    share = rng.uniform(0.3, 0.95) / 2
    across = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    first = rng.uniform(0, 1, 2) * (w, h)
    for i, j in [(0, 0), (1, 0), (0, 1), (1, 1), (-1, 0), (2, 1)][: int(rng.integers(1, 7))]:
        at = first + across @ (np.array([i, j]) * step)
        _polygon(picture, at, size / np.sqrt(2), 4, a + turn + np.pi / 4, ground)
        if rng.random() < 0.3:
            _polygon(picture, at, 0.8 * size / np.sqrt(2), 4, a + turn + np.pi / 4, middle)
        for p in range(count):
            for q in range(count):
                cell = np.array([p, q]) - (count - 1) / 2
                c, s = np.cos(a + turn), np.sin(a + turn)
                place = at + np.array([[c, -s], [s, c]]) @ cell * size / (count + 0.3)
                _polygon(picture, place, size / (count + 0.3) * share * 1.2, sides, a + turn + np.pi / 4, ink)


def _tag(rng: Rng, picture: Array, unit: float) -> None:
    """A white label with print on it, a cable's or a price."""
    h, w = picture.shape[:2]
    long, wide = unit * rng.uniform(0.9, 2.5), unit * rng.uniform(0.6, 1.1)
    quad = _turned(rng, long, wide, rng.uniform(0, w), rng.uniform(0, h))
    cv2.fillConvexPoly(picture, np.round(quad * 16).astype(np.int32), [float(rng.uniform(0.6, 1))] * 3, cv2.LINE_AA, 4)
    ink = [float(rng.uniform(0, 0.3))] * 3
    along, across = quad[1] - quad[0], quad[3] - quad[0]
    rows = int(rng.integers(1, 5))
    for row in range(rows):
        x = rng.uniform(0.05, 0.2)
        while x < 0.85:
            n = rng.uniform(0.02, 0.15)
            b, e = (row + 0.6) / (rows + 0.4), (row + 1.0) / (rows + 0.4)
            part = quad[0] + np.array(
                [along * u + across * v for u, v in ((x, b), (x + n, b), (x + n, e - 0.05), (x, e - 0.05))]
            )
            cv2.fillConvexPoly(picture, np.round(part * 16).astype(np.int32), ink, cv2.LINE_AA, 4)
            x += n + rng.uniform(0.02, 0.08)


def _polygon(picture: Array, at: Array, radius: float, sides: int, turn: float, colour: Array) -> None:
    a = np.linspace(0, 2 * np.pi, sides, endpoint=False) + turn
    shape = at + radius * np.stack([np.cos(a), np.sin(a)], 1)
    cv2.fillConvexPoly(picture, np.round(shape * 16).astype(np.int32), colour.tolist(), cv2.LINE_AA, 4)


def _cable(rng: Rng, picture: Array, unit: float) -> None:
    h, w = picture.shape[:2]
    points = rng.uniform(-0.2, 1.2, (4, 2)) * (w, h)
    t = np.linspace(0, 1, 40)[:, None]
    line = (
        (1 - t) ** 3 * points[0] + 3 * t * (1 - t) ** 2 * points[1] + 3 * t**2 * (1 - t) * points[2] + t**3 * points[3]
    )
    thick = max(int(unit * rng.uniform(0.08, 0.4)), 1)
    cv2.polylines(picture, [line.astype(np.int32)], False, _colour(rng).tolist(), thick, cv2.LINE_AA)


def _label(rng: Rng, picture: Array, unit: float) -> None:
    h, w = picture.shape[:2]
    text = "".join(rng.choice(list("ABCDEF0123456789"), int(rng.integers(1, 7))))
    at = (int(rng.uniform(-10, w)), int(rng.uniform(0, h)))
    font, size = int(rng.integers(0, 5)), unit / 30 * rng.uniform(0.5, 2)
    _write(picture, text, at, font, size, _colour(rng), int(rng.integers(1, 4)))


def _write(picture: Array, text: str, at: tuple[int, int], font: int, size: float, ink: Array, thick: int) -> None:
    """Text into a float picture: OpenCV 5 writes into bytes only."""
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.putText(mask, text, at, font, size, 255, thick, cv2.LINE_AA)
    share = mask[..., None].astype(np.float32) / 255
    picture += share * (np.asarray(ink, np.float32) - picture)


def _coin(rng: Rng, picture: Array, unit: float) -> None:
    h, w = picture.shape[:2]
    at, r = (int(rng.uniform(0, w)), int(rng.uniform(0, h))), int(unit * rng.uniform(0.25, 0.9))
    colour = _colour(rng)
    cv2.circle(picture, (at[0] + 1, at[1] + 2), r, (colour * 0.3).tolist(), -1, cv2.LINE_AA)
    cv2.circle(picture, at, r, colour.tolist(), -1, cv2.LINE_AA)
    cv2.circle(
        picture,
        at,
        max(int(r * rng.uniform(0.3, 0.9)), 1),
        (colour * rng.uniform(0.3, 1.2)).clip(0, 1).tolist(),
        int(rng.choice([1, 2, -1])),
        cv2.LINE_AA,
    )


def _block_of_dots(rng: Rng, picture: Array, unit: float) -> None:
    """Loose dots such as stains or a game board's: no die around them."""
    h, w = picture.shape[:2]
    x, y = rng.uniform(0, w), rng.uniform(0, h)
    ink = _colour(rng).tolist()
    for dx, dy in pip_places(int(rng.integers(1, 7)), 0.5) if rng.random() < 0.5 else rng.normal(0, 0.7, (5, 2)):
        at = (int(x + dx * unit * 0.6), int(y + dy * unit * 0.6))
        cv2.circle(picture, at, max(int(unit * rng.uniform(0.05, 0.12)), 1), ink, -1, cv2.LINE_AA)


def _face(rng: Rng) -> Array:
    faces = _deck_faces()
    if faces and rng.random() < 0.6:
        picture = faces[int(rng.integers(len(faces)))]
        gain = rng.uniform(0.6, 1.3)
        return (np.roll(picture, int(rng.integers(3)), 2) * gain).clip(0, 1) if rng.random() < 0.3 else picture
    picture = np.broadcast_to(_colour(rng), (140, 100, 3)).astype(np.float32).copy()
    for _ in range(int(rng.integers(0, 8))):
        kind = rng.integers(3)
        a, b = rng.integers(0, 100, 2), rng.integers(0, 140, 2)
        ink = _colour(rng).tolist()
        if kind == 0:
            cv2.rectangle(picture, (int(a[0]), int(b[0])), (int(a[1]), int(b[1])), ink, int(rng.choice([-1, 3])))
        elif kind == 1:
            cv2.circle(
                picture, (int(a[0]), int(b[0])), int(rng.integers(4, 40)), ink, int(rng.choice([-1, 3])), cv2.LINE_AA
            )
        else:
            _write(picture, str(rng.integers(0, 20)), (int(a[0]), int(b[0])), 1, rng.uniform(1, 4), np.array(ink), 2)
    return picture


@cache
def _deck_faces() -> tuple[Array, ...]:
    """The faces of the decks that ship with Kibitz, small: pictures, little houses, numbers, none of them dice."""
    faces = []
    for path in sorted(_DECKS.glob("*/faces/*.jpg")):
        picture = cv2.imread(str(path))
        if picture is not None:
            small = cv2.resize(picture, (200, 200 * picture.shape[0] // picture.shape[1]), interpolation=cv2.INTER_AREA)
            faces.append(small[..., ::-1].astype(np.float32) / 255)
    return tuple(faces)


def _turned(rng: Rng, wide: float, tall: float, x: float, y: float) -> Array:
    a = rng.uniform(0, 2 * np.pi)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    box = np.array([[-wide, -tall], [wide, -tall], [wide, tall], [-wide, tall]]) / 2
    return np.asarray(box @ turn.T + (x, y), np.float32)


def _colour(rng: Rng) -> Array:
    if rng.random() < 0.35:
        return np.full(3, rng.uniform(0.03, 0.97), np.float32)
    hsv = np.uint8([[[rng.integers(180), rng.integers(20, 256), rng.integers(30, 256)]]])
    return cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)[0, 0].astype(np.float32) / 255


def _noise(rng: Rng, h: int, w: int, sigma: float) -> Array:
    """(h, w) of unit deviation, smooth over `sigma` px."""
    step = max(sigma / 2, 1.0)
    small = rng.standard_normal((int(h / step) + 2, int(w / step) + 2)).astype(np.float32)
    small = cv2.GaussianBlur(small, (0, 0), max(sigma / step, 0.3))
    out = cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR)
    return np.asarray(out / (out.std() + 1e-6), np.float32)


def _tinted(colour: Array, change: Array) -> Array:
    return np.asarray((np.asarray(colour, np.float32) * (1 + change[..., None])).clip(0, 1), np.float32)
