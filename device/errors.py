"""Errors that are for people."""

from __future__ import annotations


class UserError(Exception):
    """Something a person can put right: one line that says what is wrong, where, and what to do about it.

    The command line prints it to stderr and exits with code 2; the screen shows it.
    """

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
