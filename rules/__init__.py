"""Scenes and answers in, rulings and questions out. Knows no pixels, no clock, no I/O."""

from rules.games import make_referee

__all__ = ["make_referee"]
