"""House rules: the points that a rulebook leaves open, as named options that a table agrees on."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

import msgspec


class HouseRuleError(ValueError):
    """A house rule that cannot be played by; `field` names it."""

    def __init__(self, field: str, what: str) -> None:
        self.field = field
        super().__init__(f"house rule `{field}`: {what}")


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of a game's house rules; every field has a default."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """House rules from a session's table; raises `HouseRuleError` naming the field."""
        hints = get_type_hints(cls)
        values: dict[str, Any] = {}
        for field, value in told.items():
            if field not in cls.__struct_fields__:
                near = difflib.get_close_matches(field, cls.__struct_fields__, n=1)
                hint = f"did you mean `{near[0]}`?" if near else "there are: " + ", ".join(cls.__struct_fields__)
                raise HouseRuleError(field, f"no such option; {hint}")
            try:
                values[field] = msgspec.convert(value, hints[field])
            except msgspec.ValidationError as error:
                named = get_args(hints[field]) if get_origin(hints[field]) is Literal else ()
                hint = f"; there are {', '.join(map(str, named))}" if named else f", got {value!r}"
                raise HouseRuleError(field, f"{error}{hint}") from None
        return cls(**values)

    def changed(self) -> dict[str, Any]:
        """The options that differ from the defaults: what a table must be told at the start."""
        plain, mine = msgspec.to_builtins(type(self)()), msgspec.to_builtins(self)
        return {field: value for field, value in mine.items() if value != plain[field]}
