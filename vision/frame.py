"""One picture with its time. Colour is made only when asked for: an idle frame needs no more than its luma."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]


class Frame(Protocol):
    """A frame as every camera hands it over."""

    @property
    def t(self) -> float:
        """Seconds since the start of the footage."""
        ...

    @property
    def luma(self) -> Image:
        """(h, w) uint8. A view where the camera delivers Y; valid as long as the frame is held."""
        ...

    def bgr(self) -> Image:
        """(h, w, 3) uint8, converted when called, which may be when the next frame is already there."""
        ...


class ArrayFrame:
    """A frame made of an array: for photographs, tests and cameras that deliver BGR."""

    def __init__(self, t: float, bgr: Image) -> None:
        self._t = t
        self._bgr = bgr
        self._luma: Image | None = None

    @property
    def t(self) -> float:
        return self._t

    @property
    def luma(self) -> Image:
        if self._luma is None:
            # Rec. 601 weights in 8-bit fixed point, as a camera's own Y plane has them.
            b, g, r = (self._bgr[..., i].astype(np.uint16) for i in range(3))
            self._luma = ((29 * b + 150 * g + 77 * r) >> 8).astype(np.uint8)
        return self._luma

    def bgr(self) -> Image:
        return self._bgr
