"""The table of names in the documentation is what the package has."""

import subprocess
import sys
from pathlib import Path


def test_the_names_are_there_as_the_table_says():
    script = Path(__file__).parents[2] / "scripts" / "surface.py"
    run = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
