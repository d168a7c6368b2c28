"""The sessions in the module's own words are played, and the page about the engine names what there is."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from typing import get_args

import pytest

import rules.fairplay as fairplay
from rules.fairplay.legal import DUE
from rules.fairplay.refusals import RULES
from rules.fairplay.rulings import WORDED
from rules.text import CATALOGUES

PAGE = Path(__file__).parents[3] / "docs" / "ref" / "fairplay.md"
MODULES = ["rules.fairplay", *(f"rules.fairplay.{module.name}" for module in pkgutil.iter_modules(fairplay.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_the_sessions_in_the_code_are_what_happens(name):
    assert doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


def test_the_module_s_own_session_is_not_empty():
    assert doctest.testmod(fairplay).attempted > 10


def test_every_move_is_in_the_module_s_table_with_its_phases():
    table = dict(re.findall(r"^\| `(\w+)\([^|]*\| ([^|]*) \|", fairplay.__doc__, re.M))
    for move in get_args(fairplay.Move):
        phases = {phase for phase, (types, _, _) in DUE.items() if move in types}
        assert set(re.findall(r"`(\w+)`", table[move.__name__])) == phases


def test_the_page_names_every_option_move_and_rule():
    text = PAGE.read_text(encoding="utf-8")
    options, rules = text.split("## House rules")[1], text.split("## Rules")[1]
    assert set(re.findall(r"^\| `(\w+)` \|", options.split("##")[0], re.M)) == {*fairplay.HouseRules.__struct_fields__}
    assert dict(re.findall(r"^\| `([\w.]+)` \| (\S+) \|", rules, re.M)) == RULES
    for move in get_args(fairplay.Move):
        assert f"`{move.__name__}(" in text


def test_the_page_names_every_ruling_question_and_correction():
    text = PAGE.read_text(encoding="utf-8").split("## At the table")[1].split("## Rules")[0]
    rulings, rest = text.split("### What it asks")
    questions, corrections = rest.split("### What can be corrected")
    code = "".join(file.read_text(encoding="utf-8") for file in Path(fairplay.__file__).parent.glob("*.py"))
    ruled = set(re.findall(r'"fairplay\.(roll|move|offer|card|mend|refuel|skip|win|session|cleared)"', code))
    assert ruled <= set(re.findall(r"`fairplay\.(\w+)`", rulings))
    topics = set(re.findall(r'Doubt\(\("(\w+)"', code)) | set(re.findall(r'_asked\(t, "(\w+)"', code))
    assert topics == set(re.findall(r"`fairplay\.(\w+)`", questions))
    told = (re.findall(r"^\| `([\w:<>]+)` \| ([^|]*) \|", page, re.M) for page in (corrections, module_table()))
    here, there = ({choice for choice, _ in rows} for rows in told)
    assert here == there


def test_every_message_the_referee_names_has_words():
    """Keys are literals; where one is put together (`fairplay.phase.{phase}`) some key must begin like that."""
    keys = set(CATALOGUES["en"])
    for file in Path(fairplay.__file__).parent.glob("*.py"):
        if file.name != "text.py":
            named = re.findall(r'"(fairplay\.[\w.{}]+)"', file.read_text(encoding="utf-8"))
            for key in named:
                stem = key.partition("{")[0].rstrip(".")
                assert any(known == stem or known.startswith(f"{stem}.") for known in keys) or stem in UNWORDED, key
    assert {f"fairplay.illegal.{rule}" for rule in WORDED} <= keys
    assert {f"fairplay.phase.{phase}" for phase in (*DUE, "over", "owed", "start")} - {"fairplay.phase.jump"} <= keys


UNWORDED = {"fairplay.illegal"}


def module_table() -> str:
    from rules.fairplay import corrections

    return corrections.__doc__ or ""
