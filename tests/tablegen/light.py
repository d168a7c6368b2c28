"""Lamps: how bright each place is, where shadows fall, what shines. Linear light, BGR."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tests.tablegen.camera import TableCamera

LIGHTS = ("daylight", "ceiling", "side_lamp", "glare", "evening", "dim")


@dataclass(frozen=True, eq=False)
class Light:
    """One lamp over an even sky. `glow` is what the sensor collects: it sets the noise."""

    kind: str
    ambient: np.ndarray
    key: np.ndarray
    place: np.ndarray
    """(3,) mm: the lamp."""
    spread_mm: float
    """Radius of the lamp: how soft shadows are."""
    shine: float
    """Strength of the mirror image of the lamp."""
    sharpness: float
    """Blinn-Phong exponent of it."""
    well: float
    """Electrons at full scale: photon noise."""
    read: float
    """Electrons of read noise."""

    def falloff(self, xy: np.ndarray) -> np.ndarray:
        """(...,) brightness of the lamp on the level table, 1 at the origin."""
        d = self.place - np.concatenate([xy, np.zeros((*xy.shape[:-1], 1))], axis=-1)
        r2 = np.sum(d**2, axis=-1)
        return (d[..., 2] / r2**1.5) / (self.place[2] / np.sum(self.place**2) ** 1.5)

    def facing(self, xy: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """(...,) brightness of the lamp on a sloping surface relative to the level table there."""
        d = self.place[:2] - xy
        return np.clip(1 - np.sum(slope * d, axis=-1) / self.place[2], 0, 3)

    def gleam(self, xy: np.ndarray, slope: np.ndarray, camera: TableCamera) -> np.ndarray:
        """(...,) mirror light towards the camera (Blinn-Phong), before the material's gloss."""
        p = np.concatenate([xy, np.zeros((*xy.shape[:-1], 1))], axis=-1)
        a, b = self.place - p, camera.C - p
        half = a / np.linalg.norm(a, axis=-1, keepdims=True) + b / np.linalg.norm(b, axis=-1, keepdims=True)
        n = np.concatenate([-slope, np.ones((*xy.shape[:-1], 1))], axis=-1)
        cos = np.sum(half * n, axis=-1) / np.linalg.norm(half, axis=-1) / np.linalg.norm(n, axis=-1)
        return self.shine * np.clip(cos, 0, 1) ** self.sharpness

    def throw(self, xyz: np.ndarray, ground: np.ndarray) -> np.ndarray:
        """(n, 2) where the shadow of points falls on the height `ground` (n,)."""
        k = (xyz[:, 2] - ground) / (self.place[2] - xyz[:, 2])
        return xyz[:, :2] + (xyz[:, :2] - self.place[:2]) * k[:, None]


WARM = np.array([0.45, 0.78, 1.15])
COOL = np.array([1.12, 1.0, 0.93])


def make_light(kind: str, rng: np.random.Generator, camera: TableCamera) -> Light:
    """A random lamp of one of `LIGHTS`."""
    view = camera.view()
    mid, span = view.mean(axis=0), float(np.ptp(view[:, 0]))
    side = rng.uniform(0, 2 * np.pi)
    toward = np.array([np.cos(side), np.sin(side)])

    def mirror(height: float, at: np.ndarray) -> np.ndarray:
        """Where a lamp must hang to be mirrored at that point of the table."""
        return np.array([*(at + (at - camera.C[:2]) * height / camera.C[2]), height])

    if kind == "daylight":
        far = np.array([*(mid + toward * rng.uniform(600, 2200)), rng.uniform(1500, 2600)])
        light = Light(kind, COOL * 0.7, COOL * 0.4, far, 420, 0.05, 20, rng.uniform(5000, 12000), 4)
    elif kind == "ceiling":
        at = mid + rng.uniform(-0.3, 0.3, 2) * span
        tint = 0.5 * WARM + 0.5
        light = Light(kind, tint * 0.35, tint * 0.65, mirror(rng.uniform(1100, 1700), at), 90, 0.6, 150, 4000, 4)
    elif kind == "side_lamp":
        low = np.array([*(mid + toward * span * rng.uniform(0.55, 0.95)), rng.uniform(260, 520)])
        light = Light(kind, (0.3 * COOL + 0.1) * 0.35, WARM * rng.uniform(0.6, 1.0), low, 18, 0.25, 60, 3000, 4)
    elif kind == "glare":
        at = mid + rng.uniform(-0.28, 0.28, 2) * span
        light = Light(
            kind, np.ones(3) * 0.4, np.ones(3) * 0.6, mirror(rng.uniform(700, 1500), at), 50, 2.2,
            rng.uniform(150, 900), 4000, 4,
        )  # fmt: skip
    elif kind == "evening":
        at = mid + rng.uniform(-0.5, 0.5, 2) * span
        tint = WARM ** rng.uniform(0.5, 1.2)
        light = Light(kind, tint * 0.3, tint * 0.7, mirror(rng.uniform(500, 1100), at), 40, 0.5, 200, 1600, 5)
    elif kind == "dim":
        at = mid + toward * span * rng.uniform(0.1, 0.8)
        tint = (0.6 * WARM + 0.4) ** rng.uniform(0, 1)
        light = Light(
            kind, tint * 0.5, tint * 0.5, np.array([*at, rng.uniform(700, 1800)]), 80, 0.15, 80,
            rng.uniform(130, 350), 5,
        )  # fmt: skip
    else:
        raise ValueError(f"no such light: {kind!r}; there are {', '.join(LIGHTS)}")
    cast = np.exp(rng.normal(0, 0.05, 3))
    return replace(light, ambient=light.ambient * cast, key=light.key * cast)
