"""pytest runs the sessions of the README itself (`testpaths`, `--doctest-glob`); this looks after their being there."""

import doctest
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_readme_has_a_session_for_each_game():
    examples = doctest.DocTestParser().get_examples(README.read_text(encoding="utf-8"))
    imported = {e.source.split()[1].split(".")[1] for e in examples if e.source.startswith("from rules.")}
    assert imported == {"carpets", "carcassonne", "fairplay"}


def test_pytest_runs_it(pytestconfig):
    assert "README.md" in pytestconfig.getini("testpaths")
    assert "README.md" in (pytestconfig.getoption("doctestglob") or [])
