"""For the tests of seeing: decks, and which OpenCV they ran on."""

from __future__ import annotations

import cv2
import pytest

from tests.tablegen import load_deck
from vision.deck import Deck


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"seen with OpenCV {cv2.__version__}")


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    cv2.setNumThreads(1)


@pytest.fixture(scope="session")
def deck() -> Deck:
    """The shipped deck."""
    return load_deck()
