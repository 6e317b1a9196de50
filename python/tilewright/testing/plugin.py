"""A plugin for pytest: tests that take `target` and `dev` run for each target that this machine has.

`pytest -p tilewright.testing.plugin`, or `pytest_plugins = ["tilewright.testing.plugin"]` in a `conftest.py`.
"""

from __future__ import annotations

from typing import Any

from . import enabled_targets

__all__ = ["pytest_generate_tests"]


def pytest_generate_tests(metafunc: Any) -> None:
    """Gives `target` and `dev` their values, unless the test's own marks do."""
    wanted = [name for name in ("target", "dev") if name in metafunc.fixturenames]
    marked = any("target" in str(mark.args[0]) for mark in metafunc.definition.iter_markers("parametrize"))
    if not wanted or marked:
        return
    pairs = enabled_targets()
    values = [tuple({"target": target, "dev": dev}[name] for name in wanted) for target, dev in pairs]
    metafunc.parametrize(",".join(wanted), [value[0] if len(wanted) == 1 else value for value in values])
