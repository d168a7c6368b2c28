"""For all tests: with KIBITZ_REQUIRE_ALL set, a test that was skipped has failed.

Some tests need what not every machine has (Chromium). Where it must be there, such as before a release, nothing may
pass by not having been run.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TypeVar

import pytest

REQUIRE_ALL = "KIBITZ_REQUIRE_ALL"
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _no_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _no_skip((yield))


def _no_skip(report: Report) -> Report:
    if os.environ.get(REQUIRE_ALL) and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"not run, although {REQUIRE_ALL} is set. {reason}"
    return report
