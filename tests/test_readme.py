"""The session in the README runs as it stands there."""

import doctest
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_session_in_the_readme_runs():
    result = doctest.testfile(str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 10
    assert result.failed == 0
