"""What every test may use. The tests that need PyTorch carry the mark `torch` and say so where it is missing."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    if importlib.util.find_spec("torch") is None:
        missing = pytest.mark.skip(reason="PyTorch is not installed")
        for item in items:
            if item.get_closest_marker("torch"):
                item.add_marker(missing)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.fixture
def python():
    """Runs `python ARGUMENTS` in a process of its own and returns the finished process, output and errors as text."""

    def run(*arguments, **options):
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TILEWRIGHT_COMPAT_SAID")}
        command = [sys.executable, *map(str, arguments)]
        # The time is a guard against a process that hangs: on a machine that has other work, all of it takes longer.
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, **options)

    return run
