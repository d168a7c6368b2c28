"""A correction that cannot be, told in each game's own words."""

from __future__ import annotations

from rules.protocol import Message, Param


class ImpossibleError(ValueError):
    """Why a correction cannot be: a key below `<game>.refused`, and its parameters."""

    def __init__(self, key: str, value: str, options: str = "") -> None:
        super().__init__(key)
        self.key = key
        self.params: dict[str, Param] = {"value": value}
        if options:
            self.params["options"] = options

    def message(self, refused: str) -> Message:
        """The words of the game whose refusals have their texts below `refused`."""
        return Message(f"{refused}.{self.key}", self.params)


def number(text: str) -> int:
    """What a player gave as a number; raises `ImpossibleError` when it is none."""
    try:
        return int(text)
    except ValueError:
        raise ImpossibleError("number", text) from None
