"""What a seed decides about a table, and what a caller may overrule."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.tablegen.camera import TableCamera, place_camera
from tests.tablegen.cloths import TABLES
from tests.tablegen.light import LIGHTS
from tests.tablegen.things import THINGS


@dataclass(frozen=True)
class TableSpec:
    """All that a seed decides and a caller may overrule."""

    table: str
    light: str
    hfov_deg: float
    height_mm: float
    tilt_deg: float
    azimuth_deg: float
    roll_deg: float
    k1: float
    k2: float
    centre_px: tuple[float, float]
    cards: int = 12
    carpets: int = 2
    djinns: int = 0
    face_down: int = 0
    foreign: tuple[str, ...] = ()
    hand: bool = False
    least_gap_mm: float = 10.0
    throws: tuple[str, ...] = ()
    """How each carpet falls; empty: at random."""
    frames: int = 6
    blur_px: float = 0.7
    fringe: float = 0.0
    vignette: float = 0.2
    noise: float = 1.0
    """Times the light's own noise; 0: none."""
    exposure: float = 0.22
    """What the mean of the linear picture is brought to."""
    white: tuple[float, float, float] = (1.0, 1.0, 1.0)
    contrast: float = 0.3
    drift: float = 0.01
    jitter_px: float = 0.3
    codec: str = "h264"
    quality: int = 22
    print_blur_mm: float = 0.15
    print_tone: float = 1.0
    """0: the print is the scan; 1: tone curve and cast as printing makes them."""


def draw_spec(seed: int) -> TableSpec:
    """The random settings of a seed."""
    rng = np.random.default_rng([seed, 1])
    while True:  # a view neither too narrow for twelve cards nor so wide that cards get tiny
        hfov, height = rng.uniform(50, 75), rng.uniform(550, 800)
        if 620 < 2 * height * np.tan(np.radians(hfov) / 2) < 1010:
            break
    codec = str(rng.choice(["h264", "jpeg", "none"], p=[0.6, 0.3, 0.1]))
    light = str(rng.choice(LIGHTS))
    return TableSpec(
        table=str(rng.choice(TABLES)),
        light=light,
        hfov_deg=float(hfov),
        height_mm=float(height),
        tilt_deg=float(rng.uniform(0, 25)),
        azimuth_deg=float(rng.uniform(0, 360)),
        roll_deg=float(rng.normal(0, 2)),
        k1=float(rng.choice([0.0, rng.uniform(-0.35, 0.1)], p=[0.25, 0.75])),
        k2=float(rng.uniform(-0.02, 0.02)),
        centre_px=(float(rng.normal(0, 3)), float(rng.normal(0, 3))),
        cards=int(rng.choice([12, rng.integers(4, 12)], p=[0.8, 0.2])),
        carpets=int(rng.integers(0, 5)),
        djinns=int(rng.choice([0, 2, 3], p=[0.7, 0.2, 0.1])),
        face_down=int(rng.choice([0, 1, 2], p=[0.7, 0.2, 0.1])),
        foreign=tuple(str(x) for x in rng.choice(THINGS, int(rng.choice([0, 1, 2], p=[0.65, 0.25, 0.1])))),
        least_gap_mm=float(rng.choice([10.0, 2.0], p=[0.7, 0.3])),
        blur_px=float(rng.uniform(0.4, 1.2)),
        fringe=float(rng.uniform(-6e-4, 6e-4)),
        vignette=float(rng.uniform(0, 0.4)),
        exposure=float(rng.uniform(0.13, 0.30)),
        white=tuple(float(x) for x in np.exp(rng.normal(0, 0.06, 3))),
        contrast=float(rng.uniform(0, 0.5)),
        drift=float(rng.uniform(0, 0.02)),
        jitter_px=float(rng.choice([0.0, 0.3])),
        codec=codec,
        quality=int(rng.integers(18, 27)) if codec == "h264" else int(rng.integers(70, 95)),
        print_blur_mm=float(rng.uniform(0.05, 0.3)),
    )


def camera_of(spec: TableSpec, look_at: tuple[float, float] = (0.0, 0.0)) -> TableCamera:
    return place_camera(
        hfov_deg=spec.hfov_deg, height_mm=spec.height_mm, tilt_deg=spec.tilt_deg, azimuth_deg=spec.azimuth_deg,
        roll_deg=spec.roll_deg, k1=spec.k1, k2=spec.k2, centre_px=spec.centre_px, look_at=look_at,
    )  # fmt: skip
