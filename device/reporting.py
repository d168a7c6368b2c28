"""`kibitz report`: has the Kibitz that runs on this machine write the last seconds into a file."""

from __future__ import annotations

import http.client
import json
import re
from pathlib import Path

from device.errors import UserError
from device.places import check_place, write_whole

ZIP = b"PK\x03\x04"


def fetch_play(out: Path | None, seconds: int, port: int) -> Path:
    """Writes the play and returns where. Raises `UserError` when no Kibitz runs here, or has recorded nothing."""
    if not 5 <= seconds <= 600:
        raise UserError(f"--seconds {seconds}: give 5 to 600")
    if out is not None:
        check_place(out, "the play", "--out", lambda file: file.read(4) == ZIP)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", f"/play.zip?seconds={seconds}")
        reply = connection.getresponse()
        data = reply.read()
        named = re.search(r'filename="([\w.-]+)"', reply.headers.get("content-disposition") or "")
    except (OSError, ValueError, http.client.HTTPException):
        raise UserError(f"no Kibitz answers at port {port} of this machine; start it, or name another --port") from None
    finally:
        connection.close()
    if reply.status != 200:
        raise UserError(f"the Kibitz that runs at port {port} cannot: {_why(data)}")
    out = out or Path(named[1] if named else "kibitz-play.zip")
    write_whole(out, data, "the play", "--out")
    return out


def _why(data: bytes) -> str:
    try:
        return str(json.loads(data)["error"])
    except (ValueError, KeyError, TypeError):
        return "it does not say why"
