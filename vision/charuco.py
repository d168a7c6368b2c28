"""The printed calibration sheet: a chessboard with numbered markers, whose corners are found to a tenth of a pixel.

A ChArUco board (Garrido-Jurado et al., Automatic generation and detection of highly reliable fiducial markers, 2014)
may be partly out of view and is never read the wrong way round.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Array
from vision.frame import Image

COLUMNS, ROWS = 7, 10
SQUARE_MM = 24.0
"""168 x 240 mm in all: fits A4 and Letter alike with room for rulers, and a square is 40 px in a usual picture."""
MARKER_SHARE = 0.75
"""Of a square's side: its 6 modules are then 5 px each in that picture; 3 are the least that is read."""
DICTIONARY = cv2.aruco.DICT_4X4_50

LEAST_CORNERS = 8
"""Of 54: fewer say little of a lens, and a chance find has none."""

BIAS_PX = 0.1
"""A shift of all corners by more is a fault of the installed OpenCV; what is left without one is under 0.02 px."""


@dataclass(frozen=True, eq=False)
class BoardView:
    """The sheet's corners in one picture."""

    board_mm: Array
    """(n, 2) on the sheet, from its top left corner, x right, y down."""
    px: Array
    """(n, 2) pixel centres at integers."""


def make_board(square: float = SQUARE_MM) -> cv2.aruco.CharucoBoard:
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    return cv2.aruco.CharucoBoard((COLUMNS, ROWS), square, MARKER_SHARE * square, dictionary)


def marker_bits(number: int) -> NDArray[np.bool_]:
    """(6, 6) True where the marker of that number is white, its black rim included."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    return np.asarray(cv2.aruco.generateImageMarker(dictionary, number, 6, borderBits=1) > 127, np.bool_)


def find_board(luma: Image, square_mm: float = SQUARE_MM, bias_px: Array | None = None) -> BoardView | None:
    """The sheet in a picture (h, w) uint8; None where too little of it shows.

    square_mm: side of a square as it was printed. bias_px: (2,) what the installed OpenCV adds to every corner.
    """
    detector = cv2.aruco.CharucoDetector(make_board(square_mm))
    corners, ids, _, _ = detector.detectBoard(luma)
    if ids is None or len(np.ravel(ids)) < LEAST_CORNERS:
        return None
    px = np.asarray(corners, np.float64).reshape(-1, 2)
    known = np.asarray(make_board(square_mm).getChessboardCorners(), np.float64)[np.ravel(ids), :2]
    if np.linalg.matrix_rank(known - known.mean(0), tol=square_mm / 2) < 2:
        return None  # all on one line
    return BoardView(known, px if bias_px is None else px - bias_px)


def corner_bias() -> Array:
    """(2,) px by which the installed OpenCV's corners lie off, on average: measured on boards drawn for the purpose.

    OpenCV 4.10 to 4.13 place them half a pixel off. Each board is drawn in eight times the resolution, averaged down,
    and its true corners are known from the mapping that drew it.
    """
    away = []
    for turn, lean in ((0.0, 0.0), (0.35, 1e-4), (-1.0, -1.5e-4)):
        picture, true = _drawn(turn, lean)
        view = find_board(picture)
        if view is None:
            continue
        expected = _through(true, view.board_mm)
        away.append(view.px - expected)
    return np.asarray(np.concatenate(away).mean(0), np.float64) if away else np.zeros(2)


def _drawn(turn: float, lean: float) -> tuple[Image, Array]:
    """A picture (h, w) of the sheet, and the (3, 3) homography from sheet mm to its pixels."""
    scale, fine = 8.0, 4
    size = round(COLUMNS * SQUARE_MM * scale), round(ROWS * SQUARE_MM * scale)
    flat = make_board().generateImage(size, marginSize=0, borderBits=1)
    w, h, ppm = 640, 480, 1.7
    c, s = np.cos(turn) * ppm, np.sin(turn) * ppm
    middle = np.array([[1, 0, -COLUMNS * SQUARE_MM / 2], [0, 1, -ROWS * SQUARE_MM / 2], [0, 0, 1]])
    view = np.array([[c, -s, 0.0], [s, c, 0.0], [lean, -lean, 1.0]])
    place = np.array([[1, 0, w / 2 + 0.3], [0, 1, h / 2 - 0.2], [0, 0, 1]])
    true = place @ view @ middle
    # Pixel k of the flat board is its point (k + 0.5) / scale mm; pixel x of the fine picture (x + 0.5) / fine - 0.5.
    to_mm = np.array([[1 / scale, 0, 0.5 / scale], [0, 1 / scale, 0.5 / scale], [0, 0, 1]])
    to_fine = np.array([[fine, 0, (fine - 1) / 2], [0, fine, (fine - 1) / 2], [0, 0, 1.0]])
    soft = cv2.GaussianBlur(flat, (0, 0), scale / (ppm * fine))
    large = cv2.warpPerspective(soft, to_fine @ true @ to_mm, (w * fine, h * fine), borderValue=(255, 255, 255, 255))
    picture = cv2.resize(large, (w, h), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.6), np.uint8), np.asarray(true, np.float64)


def _through(homography: Array, points: Array) -> Array:
    p = np.column_stack([points, np.ones(len(points))]) @ homography.T
    return np.asarray(p[:, :2] / p[:, 2:], np.float64)
