"""The examples in the docstrings of the carpets' rules and of the texts run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import rules.carpets
import rules.text

MODULES = ["rules.text", *(f"rules.carpets.{m.name}" for m in pkgutil.iter_modules(rules.carpets.__path__))]


@pytest.mark.parametrize("module", MODULES)
def test_examples_run(module: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(module))
    assert failed == 0


def test_there_are_examples() -> None:
    examples = sum(doctest.testmod(importlib.import_module(module)).attempted for module in MODULES)
    assert examples > 15
