"""The reference of the operators says what the table of operators and the samples of the tests say."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

ROOT = Path(__file__).parents[2]


def test_the_pages_of_the_operators_are_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "ops.py", "--check"], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
