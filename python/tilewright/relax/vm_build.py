"""From a module to an executable."""

from __future__ import annotations

from .. import _core
from ..target import Target


def build(mod: _core.IRModule, target: str | Target | None = None) -> _core.Executable:
    """Compiles every function of the module for `target`: the one in scope, else this machine's processor."""
    return _core.build(mod, Target.choose(target))
