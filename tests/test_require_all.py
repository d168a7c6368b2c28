"""With KIBITZ_REQUIRE_ALL a skipped test is a failed one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SKIPPED = """
import pytest

def test_a():
    pytest.skip("no such camera")

@pytest.mark.skipif(True, reason="no such screen")
def test_b(): ...

@pytest.mark.xfail
def test_c():
    assert False
"""
MODULE = 'import pytest\npytest.skip("no such deck", allow_module_level=True)\n'


def run(folder: Path, text: str, require: bool) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(text)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("KIBITZ_", "PYTEST"))}
    if require:
        environment["KIBITZ_REQUIRE_ALL"] = "1"
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "--rootdir", folder, folder],
        capture_output=True,
        text=True,
        env=environment,
        cwd=Path(__file__).parents[1],
        check=False,
    )


@pytest.mark.parametrize(("text", "failed"), [(SKIPPED, "1 failed, 1 xfailed, 1 error"), (MODULE, "1 error")])
def test_a_skip_fails_only_where_all_must_run(tmp_path: Path, text: str, failed: str) -> None:
    lenient = run(tmp_path, text, require=False)
    strict = run(tmp_path, text, require=True)
    assert "skipped" in lenient.stdout
    assert lenient.returncode in (0, 5)  # 5: nothing was collected
    assert failed in strict.stdout
    assert "no such" in strict.stdout, "the reason is told"
    assert strict.returncode != 0
