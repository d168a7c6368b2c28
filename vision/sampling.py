"""Read a picture at positions between its pixels."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray


def sample(
    image: NDArray[Any], at: NDArray[Any], nearest: bool = False, border: int = cv2.BORDER_CONSTANT
) -> NDArray[Any]:
    """Values of `image` (h, w[, c]) at picture positions `at` (m, n, 2), as (m, n[, c]), same dtype.

    Bilinear, or the nearest pixel. Outside the picture: 0, or what `border` (OpenCV's names) says.
    """
    how = cv2.INTER_NEAREST if nearest else cv2.INTER_LINEAR
    # OpenCV's stubs do not know that both coordinates may come in one map.
    out = cv2.remap(image, at.astype(np.float32), None, how, borderMode=border, borderValue=0)  # type: ignore[call-overload]
    return np.asarray(out)
