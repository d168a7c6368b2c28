"""The sessions in the module's own words are played, and the page about the engine names what there is."""

import doctest
import importlib
import pkgutil
import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

import rules.carcassonne as carcassonne
from rules.carcassonne.refusals import _PHASES, RULES
from tests.rules.carcassonne.tables import random_game

PAGE = (Path(__file__).parents[3] / "docs" / "ref" / "carcassonne.md").read_text(encoding="utf-8")
MODULES = [f"rules.carcassonne.{module.name}" for module in pkgutil.iter_modules(carcassonne.__path__)]


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("name", ["rules.carcassonne", *MODULES, "rules.engine", "rules.options"])
def test_the_sessions_in_the_code_are_what_happens(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_module_s_own_session_is_not_empty():
    assert doctest.testmod(carcassonne).attempted > 10


def test_the_page_names_every_move_and_its_phases():
    told = {
        name: tuple(re.findall(r"`(\w+)`", phases))
        for name, phases in re.findall(r"^\| `(\w+)\([^|]*\| ([^|]*) \|", section("Moves"), re.M)
    }
    assert told == {move.__name__: _PHASES[move] for move in get_args(carcassonne.Move)}


def test_the_page_names_every_rule_with_its_clause():
    rows = re.findall(r"^\| `(\w+)` \| ([\w. ]+) \| ([^|]+) \|$", section("Rules"), re.M)
    assert {rule: (clause, text) for rule, clause, text in rows} == RULES


def test_the_page_names_every_option_with_its_default():
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", section("House rules"), re.M))
    assert list(rows) == list(carcassonne.HouseRules.__struct_fields__)
    for name, default in rows.items():
        if default == "as the players say":
            assert getattr(carcassonne.HouseRules(), name) is None
        else:
            told = tomllib.loads(f"{name} = {default.strip('`')}")
            assert carcassonne.HouseRules.of(told).changed() == {}, name


def test_the_page_names_every_sort_of_points():
    told = set(re.findall(r"`([\w.]+)`", section("Points").split("| --- | --- |")[1]))
    games = [random_game(seed, abbot=True, tiny_city_points=2) for seed in range(12)]
    seen = {line.rule for game in games for line in game.state.lines}
    assert seen <= told
    assert told - seen <= {"garden", "city", "road", "monastery"}, "all but what seldom happens at random"


def sources() -> str:
    files = (Path(carcassonne.__file__).parent).glob("*.py")
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def test_the_page_names_every_ruling_and_no_other():
    source = sources()
    ruled = set(re.findall(r'^[A-Z_]+ = "(carcassonne\.\w+)"', source, re.M))
    ruled |= set(re.findall(r'\brule="(carcassonne\.[\w.]+)"', source))
    ruled |= {f"carcassonne.illegal.{rule}" for rule in ("occupied", "farmers", "abbot", "phase", "landing")}
    rows = re.findall(r"^\| (`carcassonne\.[^|]*) \|", PAGE.split("### Rulings")[1].split("### ")[0], re.M)
    assert {name for row in rows for name in re.findall(r"`([\w.]+)`", row)} == ruled


def test_the_page_names_every_question():
    asked = {"start", "whose", "colour", *re.findall(r'key="(\w+)"', sources())}
    rows = re.findall(r"^\| (`carcassonne\.[^|]*) \|", PAGE.split("### Questions")[1].split("### ")[0], re.M)
    assert {name for row in rows for name in re.findall(r"`carcassonne\.(\w+)`", row)} == asked


def test_the_page_names_every_correction():
    import rules.carcassonne.corrections as corrections

    told = re.findall(r"^\| `.*$", corrections.__doc__ or "", re.M)
    assert len(told) == 8
    assert set(told) <= set(PAGE.splitlines())


def test_the_page_names_every_field_of_the_board():
    from tests.rules.carcassonne.board_tables import BoardMatch

    match = BoardMatch()
    match.still()
    told = re.findall(r"^\| ([^|]+) \|", PAGE.split("### The board for a screen")[1].split("\n## ")[0], re.M)
    assert {name for row in told for name in re.findall(r"`(\w+)`", row)} == set(match.referee.view().board)
