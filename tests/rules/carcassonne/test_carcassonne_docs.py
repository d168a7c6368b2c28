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
