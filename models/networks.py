"""The trained networks that ship with Kibitz, checked before they are believed.

`networks.json` holds for each file its SHA-256; `README.md` says what it was trained on and how good it is.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from pathlib import Path


class DamagedNetworkError(RuntimeError):
    """A network's file is missing or is not the one that was released."""


_others: list[Path] = []


def use_networks(folder: Path) -> None:
    """Take those networks from `folder` that it holds, with a `networks.json` of its own, instead of the released ones:
    to train and measure others. To be called before any is used."""
    _others.append(folder)
    network.cache_clear()


@cache
def network(name: str) -> bytes:
    """The ONNX model `name` (`dice_finder`), as released. Raises `DamagedNetworkError`."""
    folder = next((f for f in _others if (f / f"{name}.onnx").exists()), files("models"))
    try:
        record = json.loads((folder / "networks.json").read_text("utf-8"))[name]
        data = (folder / f"{name}.onnx").read_bytes()
    except (OSError, KeyError, ValueError) as error:
        raise DamagedNetworkError(f"models/{name}.onnx is missing: install Kibitz anew") from error
    if hashlib.sha256(data).hexdigest() != record["sha256"]:
        raise DamagedNetworkError(f"models/{name}.onnx is damaged: install Kibitz anew")
    return data
