"""A lens in a file: written by `kibitz calibrate`, for a camera that takes pictures of that size.

[lens]
width = 1280
height = 720
f = 803.1          # px
k1 = -0.214        # radial distortion, as OpenCV counts it
k2 = 0.031
axis_x = 4.2       # principal point minus the middle of the picture, px
axis_y = -3.0
sigma = [0.002, 0.003, 0.004, 0.6, 0.5]   # of log f, k1, k2, axis_x, axis_y
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from device.errors import UserError
from device.places import check_place, write_whole
from device.toml_file import read_toml
from vision.camera import Lens

Pixels = Annotated[int, msgspec.Meta(ge=100, le=20_000)]
Sigma = Annotated[float, msgspec.Meta(gt=0, le=1000)]


class LensSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    width: Pixels
    height: Pixels
    f: Annotated[float, msgspec.Meta(gt=0)]
    k1: Annotated[float, msgspec.Meta(ge=-1, le=1)]
    k2: Annotated[float, msgspec.Meta(ge=-1, le=1)]
    axis_x: float
    axis_y: float
    sigma: tuple[Sigma, Sigma, Sigma, Sigma, Sigma]


class LensFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lens: LensSpec


def read_lens(path: Path) -> Lens:
    """Raises `UserError`, which names the file and the field, where it is missing or no lens can be so."""
    return checked_lens(read_toml(path, LensFile).lens, path)


def checked_lens(spec: LensSpec, path: Path) -> Lens:
    """The lens, if one can be so; otherwise `UserError` with the file it is from."""
    longer = max(spec.width, spec.height)
    if not 0.3 * longer <= spec.f <= 5 * longer:
        raise UserError(
            f"{path}: lens, f: {spec.f:g} px is no focal length of a picture {longer} px wide; calibrate anew"
        )
    for name, value, side in (("axis_x", spec.axis_x, spec.width), ("axis_y", spec.axis_y, spec.height)):
        if abs(value) > side / 4:
            raise UserError(f"{path}: lens, {name}: {value:g} px is too far from the picture's middle; calibrate anew")
    return Lens(**{name: getattr(spec, name) for name in LensSpec.__struct_fields__})


def lens_spec(lens: Lens) -> LensSpec:
    return LensSpec(**{name: getattr(lens, name) for name in LensSpec.__struct_fields__})


def check_lens_place(path: Path) -> None:
    """Raises `UserError` where no lens can be written; an earlier one may be replaced."""
    check_place(path, "the lens", "--out", lambda file: b"[lens]" in file.read(4096))


def write_lens(path: Path, lens: Lens) -> None:
    lines = ["# The lens of a camera, measured by kibitz calibrate; see docs/ref/lens.md", "[lens]"]
    lines += [f"width = {lens.width}", f"height = {lens.height}", f"f = {lens.f:.3f}"]
    lines += [f"{name} = {getattr(lens, name):.6f}" for name in ("k1", "k2", "axis_x", "axis_y")]
    lines += [f"sigma = [{', '.join(f'{max(s, 1e-6):.6f}' for s in lens.sigma)}]"]
    write_whole(path, ("\n".join(lines) + "\n").encode(), "the lens", "--out")
