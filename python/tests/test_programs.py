"""The documents' programs, in their names and spellings, with data of our own: each a script that checks itself.

Each runs unchanged through `python -m tilewright.compat`, and again with its annotations deferred where it does not
defer them already.
"""

import pytest
from conftest import HERE

PROGRAMS = sorted((HERE / "programs").glob("p*.py"))
FUTURE = "from __future__ import annotations\n"


def cases():
    for path in PROGRAMS:
        marks = [pytest.mark.torch] if "import torch" in path.read_text() else []
        yield pytest.param(path, False, id=path.stem, marks=marks)
        if FUTURE not in path.read_text():
            yield pytest.param(path, True, id=f"{path.stem}-deferred", marks=marks)


@pytest.mark.parametrize(("path", "deferred"), list(cases()))
def test_program(python, tmp_path, path, deferred):
    if deferred:
        for shared in path.parent.glob("[!p]*.py"):
            (tmp_path / shared.name).write_text(shared.read_text())
        copy = tmp_path / path.name
        copy.write_text(FUTURE + path.read_text())
        path = copy
    done = python("-m", "tilewright.compat", path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
