"""The trained networks that ship with Kibitz, checked before they are believed.

`networks.json` holds for each file its SHA-256; `README.md` says what it was trained on and how good it is.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files


class DamagedNetworkError(RuntimeError):
    """A network's file is missing or is not the one that was released."""


@cache
def network(name: str) -> bytes:
    """The ONNX model `name` (`dice_finder`), as released. Raises `DamagedNetworkError`."""
    folder = files("models")
    try:
        record = json.loads((folder / "networks.json").read_text("utf-8"))[name]
        data = (folder / f"{name}.onnx").read_bytes()
    except (OSError, KeyError, ValueError) as error:
        raise DamagedNetworkError(f"models/{name}.onnx is missing: install Kibitz anew") from error
    if hashlib.sha256(data).hexdigest() != record["sha256"]:
        raise DamagedNetworkError(f"models/{name}.onnx is damaged: install Kibitz anew")
    return data
