"""A photograph from a file, as it is meant to be seen: turned as its EXIF says, without alpha, 8 bits, BGR."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from PIL import Image as Pillow
from PIL import ImageOps, UnidentifiedImageError

from device.errors import UserError
from vision.frame import Image

MOST_PIXELS = 120_000_000
"""A larger picture would take a small computer's memory."""
SMALLEST_PX = 24
PAPER = (128, 128, 128)
"""What shows through where a picture is transparent: grey, on which neither black nor white is lost."""


def load_photograph(path: Path) -> Image:
    """(h, w, 3) uint8. Raises `UserError` that says what is wrong with the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of damaged EXIF and of large pictures: those are told apart here
            with Pillow.open(path) as picture:
                return _as_bgr(path, picture)
    except FileNotFoundError:
        raise UserError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise UserError(f"{path}: is a folder; give the photographs in it") from None
    except PermissionError:
        raise UserError(f"{path}: may not be read; check its permissions") from None
    except UnidentifiedImageError:
        raise UserError(f"{path}: is no picture that can be read; save it as JPEG or PNG") from None
    except Pillow.DecompressionBombError:
        raise UserError(f"{path}: is too large; the most is {MOST_PIXELS // 1_000_000} megapixels") from None
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError) as e:
        raise UserError(f"{path}: is damaged ({str(e) or type(e).__name__}); copy it anew") from None


def _as_bgr(path: Path, picture: Pillow.Image) -> Image:
    w, h = picture.size
    if w * h > MOST_PIXELS:
        raise UserError(f"{path}: is too large ({w}x{h}); the most is {MOST_PIXELS // 1_000_000} megapixels")
    if min(w, h) < SMALLEST_PX:
        raise UserError(f"{path}: is too small ({w}x{h}); a die needs 14 pixels along its edge")
    picture.load()
    try:
        upright = ImageOps.exif_transpose(picture)
    except Exception:  # EXIF that cannot be read turns nothing
        upright = picture
    if upright.mode.startswith(("I", "F")):
        upright = _in_8_bits(upright)
    if upright.has_transparency_data:
        ground = Pillow.new("RGBA", upright.size, (*PAPER, 255))
        upright = Pillow.alpha_composite(ground, upright.convert("RGBA"))
    return np.ascontiguousarray(np.asarray(upright.convert("RGB"))[..., ::-1])


def _in_8_bits(picture: Pillow.Image) -> Pillow.Image:
    """A grey picture of 16 or 32 bits: 16 bits are divided, other ranges are stretched."""
    values = np.asarray(picture).astype(np.float64)
    top = 65535.0 if picture.mode.startswith("I;16") or values.max() > 255 else 255.0
    return Pillow.fromarray((np.nan_to_num(values).clip(0, top) * (255 / top)).astype(np.uint8))
