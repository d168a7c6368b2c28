"""The deck's pictures as a page fetches them: small JPEGs that a browser keeps."""

from __future__ import annotations

import hashlib
from functools import cache

import cv2

from vision.deck import Deck, Face

WIDTH_PX = 236
"""Four pixels a millimetre of a 59 mm card: sharp on a television that shows a metre of table, about 20 kB each."""
QUALITY = 82


class DeckPictures:
    """JPEGs of the faces of a deck, made when first asked for."""

    def __init__(self, deck: Deck) -> None:
        self._faces: dict[str, Face] = {}
        for face in deck.faces:
            self._faces.setdefault(face.kind, face)
        self._faces.update({face.id: face for face in deck.faces})
        self.jpeg = cache(self._jpeg)
        self.version = self._version(deck)

    def find(self, face: str, print_id: str = "") -> str:
        """Name under which the picture of a face is to be had; empty where the deck has none."""
        return next((name for name in (print_id, face) if name in self._faces), "")

    def size_mm(self, name: str) -> tuple[float, float] | None:
        face = self._faces.get(name)
        return None if face is None else (face.width_mm, face.height_mm)

    def _jpeg(self, name: str) -> bytes | None:
        face = self._faces.get(name)
        if face is None:
            return None
        height, width = face.picture.shape[:2]
        scale = min(1.0, WIDTH_PX / min(width, height))
        size = max(1, round(width * scale)), max(1, round(height * scale))
        small = cv2.resize(face.picture, size, interpolation=cv2.INTER_AREA)
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        return data.tobytes() if done else None

    @staticmethod
    def _version(deck: Deck) -> str:
        """Changes with the pictures, so that a browser may keep each for good."""
        digest = hashlib.blake2s(digest_size=6)
        for face in deck.faces:
            digest.update(f"{face.id} {face.kind} {face.picture.shape}".encode())
            digest.update(face.picture[::16, ::16].tobytes())
        return digest.hexdigest()
