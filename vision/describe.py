"""From tracked pieces to a `Scene`: stacking, measures, and the plain data that leaves this room."""

from __future__ import annotations

import numpy as np

from vision.calibration import Calibration
from vision.camera import Array, Camera
from vision.facebank import FaceBank
from vision.found import Found, corners_mm
from vision.identify import UNKNOWN_BELOW, confidence
from vision.lattice import Lattices, Place
from vision.measure import is_flat, measure, point_sigma
from vision.scene import BACK, UNKNOWN, CameraState, Gap, Overlap, Piece, Quad, Scene
from vision.stack import Stacked, stack
from vision.still_image import Still
from vision.track import Track

HIDDEN_CONFIDENCE = 0.75
FADE = 0.98
"""The remembered order of an overlap loses so much of its confidence a still: a new look can overrule it."""


class Describer:
    """Makes scenes; remembers who lay on whom, for what is out of sight now."""

    def __init__(self, bank: FaceBank, radius_mm: float) -> None:
        self.bank = bank
        self.radius_mm = radius_mm
        self._order: dict[tuple[str, str], float] = {}
        self._lattices = {s: Lattices() for s in range(len(bank.sizes)) if bank.sizes[s][0] == bank.sizes[s][1]}

    def lay_over(self, over: str, under: str) -> bool:
        """Whether a piece was last seen to lie on another."""
        return (over, under) in self._order

    def scene(self, t: float, still: Still, calibration: Calibration, live: list[Track]) -> Scene:
        """The scene of one still. calibration: with a camera."""
        camera = calibration.camera
        assert camera is not None
        tracks = sorted(live, key=lambda t: int(t.id[1:]))
        found = [t.found for t in tracks]
        stacked, visible = stack(still, camera, self.bank, found, self.radius_mm)
        stacked = self._remember_order(tracks, stacked)
        leaning = frozenset(s.over for s in stacked)
        measured = measure(self.bank, camera, calibration.cov, found, self.radius_mm, leaning)
        by_pair = {(m.a, m.b): m for m in measured}
        places = self._places(tracks)
        overlaps = []
        for s in stacked:
            m = by_pair[(min(s.over, s.under), max(s.over, s.under))]
            overlaps.append(
                Overlap(
                    over=tracks[s.over].id,
                    under=tracks[s.under].id,
                    area_mm2=s.area_mm2,
                    depth_mm=m.depth_mm,
                    sigma_mm=m.sigma_mm,
                    confidence=s.confidence,
                )
            )
        return Scene(
            t=t,
            camera=camera_state(calibration, camera),
            size_px=still.size,
            view_mm=_quad(camera.unproject(_frame_corners(still))),
            pieces=tuple(
                self._piece(t, v, camera, i in leaning, places.get(t.id))
                for i, (t, v) in enumerate(zip(tracks, visible, strict=True))
            ),
            gaps=tuple(Gap(a=tracks[m.a].id, b=tracks[m.b].id, mm=m.gap_mm, sigma_mm=m.sigma_mm) for m in measured),
            overlaps=tuple(overlaps),
        )

    def _remember_order(self, tracks: list[Track], stacked: list[Stacked]) -> list[Stacked]:
        """An overlap that is out of sight keeps the order it was last seen to have."""
        out = []
        order: dict[tuple[str, str], float] = {}
        for s in stacked:
            over, under = tracks[s.over].id, tracks[s.under].id
            best = max((self._order.get((over, under), 0.0), 1), (self._order.get((under, over), 0.0), -1))
            if s.confidence < best[0]:
                if best[1] < 0:
                    s = Stacked(s.under, s.over, s.area_mm2, best[0])
                else:
                    s = Stacked(s.over, s.under, s.area_mm2, best[0])
            if tracks[s.over].hidden and not tracks[s.under].hidden:
                s = Stacked(s.under, s.over, s.area_mm2, HIDDEN_CONFIDENCE)
            order[(tracks[s.over].id, tracks[s.under].id)] = FADE * s.confidence
            out.append(s)
        self._order = order
        return out

    def _places(self, tracks: list[Track]) -> dict[str, Place]:
        """Cells of the tiles that lie face up."""
        out: dict[str, Place] = {}
        for shape, lattices in self._lattices.items():
            faces = {t.id: self.bank.templates[t.found.template] for t in tracks}
            tiles = [
                t
                for t in tracks
                if faces[t.id].shape_id == shape and faces[t.id].face.piece == "tile" and faces[t.id].face.kind != BACK
            ]
            ids, poses = [t.id for t in tiles], np.array([t.found.pose for t in tiles]).reshape(-1, 3)
            out |= dict(zip(ids, lattices.lay_out(ids, poses, self.bank.sizes[shape][0]), strict=True))
        return out

    def _piece(self, track: Track, visible: float, camera: Camera, leaning: bool, place: Place | None) -> Piece:
        f = track.found
        face = self.bank.templates[f.template].face
        sure = confidence_of(f)
        outline = corners_mm(self.bank, f)
        if f.faceless and place is not None:
            outline = np.roll(outline, place.rotation // 90, axis=0)
        sigma = max(point_sigma(camera, f, c, (c - f.pose[:2]) / np.hypot(*(c - f.pose[:2])), leaning) for c in outline)
        return Piece(
            id=track.id,
            kind=face.piece,
            face=face.kind if sure >= UNKNOWN_BELOW else UNKNOWN,
            print=face.id if sure >= UNKNOWN_BELOW else "",
            confidence=sure,
            visible=visible,
            corners_px=_quad(camera.project(outline)),
            outline_mm=_quad(outline),
            sigma_mm=sigma,
            flat=is_flat(f) and not leaning,
            cell=place.cell if place else None,
            lattice=place.lattice if place else 0,
            rotation=place.rotation if place and not f.faceless else None,
        )


def camera_state(calibration: Calibration, camera: Camera) -> CameraState:
    """What the scene says of the camera."""
    return CameraState(
        solved=calibration.solved,
        rms_px=calibration.rms_px,
        sigma_mm_per_100mm=100 * calibration.scale_sigma,
        mm_per_px=camera.mm_per_px,
        tilt_deg=camera.tilt_deg,
        epoch=calibration.epoch,
    )


def empty_scene(t: float, still: Still) -> Scene:
    """Nothing lies there that is known, and so nothing is known of the camera."""
    return Scene(t=t, camera=CameraState(solved=False, rms_px=0.0), size_px=still.size)


def confidence_of(f: Found) -> float:
    """0 to 1: how sure the face is."""
    return confidence(f.evidence)


def _quad(points: Array) -> Quad:
    (a, b, c, d) = [(float(x), float(y)) for x, y in points]
    return a, b, c, d


def _frame_corners(still: Still) -> Array:
    w, h = still.size
    return np.array([[0, 0], [w - 1, 0], [w - 1, h - 1], [0, h - 1]], float)
