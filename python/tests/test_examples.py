"""The examples' own pieces."""

import sys

import numpy as np
import pytest
from conftest import HERE

import tilewright as tw

DIGITS = HERE.parent.parent / "examples" / "digits"
pytestmark = pytest.mark.skipif(not DIGITS.is_dir(), reason="the examples are not here")


@pytest.fixture(autouse=True)
def path(monkeypatch):
    monkeypatch.syspath_prepend(str(DIGITS))


def test_idx_files_come_back(tmp_path):
    import idx

    a = np.arange(2 * 3 * 4, dtype=np.uint8).reshape(2, 3, 4)
    for name in ("plain", "packed.gz"):
        idx.write(tmp_path / name, a)
        np.testing.assert_array_equal(idx.read(tmp_path / name), a)


@pytest.mark.parametrize("raw", [b"", b"\0\0\x08", b"\0\0\x0d\x01\0\0\0\0", b"\0\0\x08\x01\0\0\0\x05ab", b"PK\x03\x04"])
def test_other_files_than_idx_are_refused(tmp_path, raw):
    import idx

    (tmp_path / "bad").write_bytes(raw)
    with pytest.raises(ValueError, match="bad"):
        idx.read(tmp_path / "bad")


def test_the_network_is_the_same_imported_and_read():
    import mlp

    tw.ir.assert_structural_equal(mlp.MyModule, tw.script.from_source((DIGITS / "mlp.py").read_text()))


def test_the_demo_recognises_digits(python):
    done = python(DIGITS / "demo.py", "--show", "1")
    assert done.returncode == 0, done.stderr
    accuracy = [line for line in done.stdout.splitlines() if line.startswith("accuracy")]
    assert len(accuracy) == 2
    assert all(float(line.split()[1].rstrip("%;")) > 95 for line in accuracy), accuracy


def test_the_command_line_is_there():
    assert "tilewright" in sys.modules
    from tilewright.__main__ import main

    assert callable(main)
