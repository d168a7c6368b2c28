"""On which line of a TOML file a field stands: `tomllib` does not say, and people look for lines."""

from __future__ import annotations

import re

HEADER = re.compile(r"^\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
KEY = re.compile(r"^\s*([A-Za-z0-9_\-\"'.]+)\s*=")


def find_line(text: str, table: str, key: str = "") -> int | None:
    """The line, counted from 1, of `key` in `[table]` (or of the table's own header); None where it is not written.

    Good for files as people write them: one key a line, no tables within braces.
    """
    current, header = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if match := HEADER.match(line):
            current = match[1].replace('"', "").replace("'", "")
            if current == table:
                header = number
        elif key and current == table and (match := KEY.match(line)) and match[1].strip("\"'") == key:
            return number
    return header
