"""The two networks that see dice: one proposes places, one reads what lies there. Cards: `models/README.md`."""

from __future__ import annotations

from functools import cache

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from models.networks import network
from vision.frame import Image

Floats = NDArray[np.float32]

FINDER_STRIDE = 4
"""Pixels of its picture a cell of the finder's answer covers."""
FINDER_EDGE_PX = 10.0
"""Edge from which the finder's size counts, as a logarithm."""
FINDER_EDGES_PX = (5.5, 16.0)
"""Edges that the finder was taught: the pyramid brings every die there."""
READER_SIDE_PX = 48
READER_EDGE_PX = 20.0
"""The reader's crop, and the edge of a die in it."""
THREADS = 1
"""More gain nothing on pictures this small: of 4 ms, starting threads takes 1."""


def find(bgr: Image) -> Floats:
    """Answer of the finder: bgr (h, w, 3), sides multiples of 8, to (4, h / 4, w / 4): heat logit, offset x and y in
    cells, log edge."""
    out = _session("dice_finder").run(None, {"picture": _planes(bgr[None])})[0]
    return np.asarray(out[0], np.float32)


def read(crops: NDArray[np.uint8], hints: Floats) -> Floats:
    """Answer of the reader: crops (n, 48, 48, 3) and hints (n, 2) to (n, 16): value logits 1 to 6, die logit, cocked
    logit, lean x and y, quarter cos and sin, log scale, numerals logit, centre's offset x and y in edges.

    hints: 1 and the length of a flat die's lean there, the crop being turned so that this lean points up; or 0 and 0,
    the crop being as in the picture.
    """
    if not len(crops):
        return np.zeros((0, 16), np.float32)
    return np.asarray(_session("dice_reader").run(None, {"picture": _planes(crops), "hint": hints})[0], np.float32)


def _planes(pictures: NDArray[np.uint8]) -> Floats:
    return np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), np.float32)


@cache
def _session(name: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # A spinning pool would take the core from whoever decodes the next frame.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(network(name), options, providers=["CPUExecutionProvider"])
