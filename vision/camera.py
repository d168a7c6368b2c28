"""The camera above the table: a pinhole with radial distortion, looking at a plane.

Frames: *camera* x right, y down, z forward; *table* millimetres with x right and y down as in the picture, origin where
the optical axis meets the table, height `h` measured up from the table towards the camera; *picture* pixels.

The model is the usual one (Hartley & Zisserman, Multiple View Geometry, ch. 6-8; Brown 1966 for the radial terms).
Eight numbers describe it: focal length, two radial coefficients, two tilts, distance along the axis, and where the
axis meets the picture. The last is held near the middle of the frame; a webcam's was found 25 px off, which, freed,
took the residual of 13 real cards from 0.46 to 0.26 px.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

N_PARAMS = 8


def _pairs(x: Array, y: Array) -> Array:
    """(n, 2) from two (n,): a third of the time of numpy's `column_stack`, which a look calls ten thousand times."""
    out = np.empty((len(x), 2))
    out[:, 0], out[:, 1] = x, y
    return out


@dataclass(frozen=True)
class Camera:
    """A pinhole camera over a table.

    f: focal length, px. k1, k2: radial distortion (OpenCV's convention). tilt_x, tilt_y: rotation of the table about
    the camera's x and y axis, radians. distance: from the camera to the table along the axis, mm. width, height: of the
    frame, px.
    """

    f: float
    k1: float
    k2: float
    tilt_x: float
    tilt_y: float
    distance: float
    width: int
    height: int
    axis_x: float = 0.0
    """Principal point minus the middle of the frame, px."""
    axis_y: float = 0.0

    @property
    def centre(self) -> tuple[float, float]:
        return (self.width - 1) / 2 + self.axis_x, (self.height - 1) / 2 + self.axis_y

    @cached_property
    def rotation(self) -> Array:
        """(3, 3) table axes as columns in the camera frame; the third column points down into the table."""
        ca, sa = np.cos(self.tilt_x), np.sin(self.tilt_x)
        cb, sb = np.cos(self.tilt_y), np.sin(self.tilt_y)
        rx = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
        ry = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
        return np.asarray(ry @ rx, np.float64)

    @cached_property
    def _rows(self) -> list[list[float]]:
        return [[float(v) for v in row] for row in self.rotation]

    @property
    def tilt_deg(self) -> float:
        """Angle between the optical axis and the table's normal, degrees."""
        return float(np.degrees(np.arccos(np.clip(self.rotation[2, 2], -1, 1))))

    @property
    def height_mm(self) -> float:
        """Height of the camera above the table, mm."""
        return float(self.distance * self.rotation[2, 2])

    @property
    def foot_mm(self) -> Array:
        """(2,) the table point straight below the camera."""
        return np.asarray(self.rotation.T @ np.array([0.0, 0.0, -self.distance]), np.float64)[:2]

    @property
    def mm_per_px(self) -> float:
        """Scale at the middle of the picture."""
        return self.distance / self.f

    def params(self) -> Array:
        """(8,) the numbers that `solve` varies: log f, k1, k2, tilt_x, tilt_y, log distance, axis_x, axis_y."""
        tilt, log_d = (self.tilt_x, self.tilt_y), np.log(self.distance)
        return np.array([np.log(self.f), self.k1, self.k2, *tilt, log_d, self.axis_x, self.axis_y])

    def with_params(self, p: Array) -> Camera:
        return replace(
            self,
            f=float(np.exp(p[0])),
            k1=float(p[1]),
            k2=float(p[2]),
            tilt_x=float(p[3]),
            tilt_y=float(p[4]),
            distance=float(np.exp(p[5])),
            axis_x=float(p[6]),
            axis_y=float(p[7]),
        )

    def project(self, xy_mm: Array, h_mm: float | Array = 0.0) -> Array:
        """Table points (n, 2) mm, at height `h_mm` above the table, to picture pixels (n, 2)."""
        (ax, ay, az), (bx, by, bz), (ex, ey, ez) = self._rows
        x, y = xy_mm[:, 0], xy_mm[:, 1]
        cx = ax * x + ay * y - az * h_mm
        cy = bx * x + by * y - bz * h_mm
        cz = ex * x + ey * y - ez * h_mm + self.distance
        xn, yn = cx / cz, cy / cz
        r2 = xn * xn + yn * yn
        d = self.f * (1 + r2 * (self.k1 + self.k2 * r2))
        u0, v0 = self.centre
        return _pairs(xn * d + u0, yn * d + v0)

    def unproject(self, px: Array, h_mm: float = 0.0) -> Array:
        """Picture pixels (n, 2) to table points (n, 2) mm on the plane `h_mm` above the table."""
        u0, v0 = self.centre
        xd, yd = (px[:, 0] - u0) / self.f, (px[:, 1] - v0) / self.f
        rd = np.hypot(xd, yd)
        # Radius equation rd = r (1 + k1 r^2 + k2 r^4) by Newton's method. Past the radius where a barrel model folds
        # back it has no solution; the derivative is held positive there so that such rays go somewhere far, not astray.
        r = rd.copy()
        for _ in range(8):
            r2 = r * r
            g = r * (1 + r2 * (self.k1 + self.k2 * r2)) - rd
            r = np.clip(r - g / np.maximum(1 + r2 * (3 * self.k1 + 5 * self.k2 * r2), 0.2), 0.0, 3.0)
        scale = np.where(rd > 1e-9, r / np.maximum(rd, 1e-9), 1.0)
        ray = np.column_stack([xd * scale, yd * scale, np.ones(len(px))])
        m = self.rotation
        n = m[:, 2]
        # Plane: n . (p - p0) = -h with p0 = (0, 0, distance). Rays level with the table end far away, not behind.
        s = (n[2] * self.distance - h_mm) / np.maximum(ray @ n, 0.05)
        p = ray * s[:, None] - np.array([0.0, 0.0, self.distance])
        return _pairs(p @ m[:, 0], p @ m[:, 1])

    def jacobian(self, xy_mm: Array) -> Array:
        """(2, 2) d(picture px) / d(table mm) at one table point (2,)."""
        e = 0.5
        p = np.asarray(xy_mm, float).reshape(1, 2) + np.array([[e, 0], [-e, 0], [0, e], [0, -e]])
        q = self.project(p)
        return np.column_stack([(q[0] - q[1]) / (2 * e), (q[2] - q[3]) / (2 * e)])


@dataclass(frozen=True, kw_only=True)
class Lens:
    """What a camera sees through, whatever it looks at: measured once, for pictures of one size."""

    width: int
    height: int
    """Of the picture, px."""
    f: float
    """Focal length, px."""
    k1: float
    k2: float
    axis_x: float
    axis_y: float
    """Principal point minus the middle of the picture, px."""
    sigma: tuple[float, float, float, float, float] = (0.01, 0.01, 0.01, 1.0, 1.0)
    """1 sigma of log f, k1, k2, axis_x, axis_y."""

    def fits(self, width: int, height: int) -> bool:
        """Whether pictures of that size are of the same proportion: they are then the same view, larger or smaller."""
        return abs(self.width * height / (self.height * width) - 1) < 0.005

    def before(self, camera: Camera) -> Camera:
        """The camera with this lens instead of its own; it looks at the table from where the scale stays the same."""
        zoom = camera.width / self.width
        f = self.f * zoom
        return replace(
            camera,
            f=f,
            k1=self.k1,
            k2=self.k2,
            distance=camera.mm_per_px * f,
            axis_x=self.axis_x * zoom,
            axis_y=self.axis_y * zoom,
        )


def guess_camera(width: int, height: int, px_per_mm: float) -> Camera:
    """A camera straight above the table with a common lens, from nothing but the scale.

    62 degrees across is the Pi camera 2's lens, and near what phones and webcams have; the solver corrects it.
    """
    f = 0.832 * max(width, height)
    return Camera(f, 0.0, 0.0, 0.0, 0.0, f / px_per_mm, width, height)


def differ(a: Camera, b: Camera) -> float:
    """By how many px, at most, two cameras draw a millimetre of the table differently, wherever it appears."""
    size = np.array([b.width, b.height])
    out = 0.0
    for at in np.stack(np.meshgrid((0.02, 0.5, 0.98), (0.02, 0.5, 0.98)), axis=-1).reshape(-1, 1, 2) * size:
        out = max(out, float(np.abs(a.jacobian(a.unproject(at)[0]) - b.jacobian(b.unproject(at)[0])).max()))
    return out


def place(pose: Array, local_mm: Array) -> Array:
    """Points of a piece (n, 2) mm from its own middle to the table, for pose (x, y, angle in radians clockwise)."""
    c, s = np.cos(pose[2]), np.sin(pose[2])
    x, y = local_mm[:, 0], local_mm[:, 1]
    return _pairs(pose[0] + c * x - s * y, pose[1] + s * x + c * y)


def box(width_mm: float, height_mm: float) -> Array:
    """(4, 2) corners of a rectangle around its middle, clockwise in the picture from the top left."""
    w, h = width_mm / 2, height_mm / 2
    return np.array([[-w, -h], [w, -h], [w, h], [-w, h]])
