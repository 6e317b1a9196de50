"""The finder that gives `tvm.*` its meaning.

A finder first in `sys.meta_path` answers for `tvm` and everything under it with a loader that returns the module object
of the same path under `tilewright`. The import system writes `__spec__` and `__loader__` on what a loader returns, and
those belong to the module's real name, so they are put back. Processes that Python starts (`multiprocessing` with
spawn) do not inherit `sys.meta_path`; they find a real folder with a `tvm/__init__.py` on their path, which installs
the finder there.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

from .absent import AbsentModule, reason_for

REAL = __name__.partition(".")[0]
ALIAS = "tvm"
FOLDER = str(Path(__file__).parent / "path")


class AliasLoader(Loader):
    """Returns the module of the real name, and leaves it as it was."""

    def __init__(self, real: str) -> None:
        self.real = real
        self.kept: tuple[ModuleSpec | None, Loader | None] = (None, None)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module of the real name."""
        module = importlib.import_module(self.real)
        self.kept = (module.__spec__, module.__loader__)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Puts back what the import system wrote on the module."""
        module.__spec__, module.__loader__ = self.kept
        if self.real == REAL:
            # What the package would import later is imported now, so that its classes have their names.
            for name in module.__all__:
                getattr(module, name)
        rename_classes()


class AliasFinder(MetaPathFinder):
    """Answers for `tvm` and all that is under it."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of the same path under the real name, where there is one."""
        if fullname != ALIAS and not fullname.startswith(f"{ALIAS}."):
            return None
        real = REAL + fullname.removeprefix(ALIAS)
        if real.startswith((f"{REAL}.compat", f"{REAL}._core")):
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)
        parent, _, name = real.rpartition(".")
        if parent:
            # `from tvm import nd` and `import tvm.nd` name a module that lives elsewhere.
            there = getattr(importlib.import_module(parent), name, None)
            if isinstance(there, ModuleType) and there.__name__.startswith(f"{REAL}."):
                real = there.__name__
        try:
            spec = importlib.util.find_spec(real)
        except ModuleNotFoundError:
            spec = None
        if spec is None:
            return None
        return ModuleSpec(fullname, AliasLoader(real), is_package=spec.submodule_search_locations is not None)


class AbsentLoader(Loader):
    """Makes the module that stands for one that is not there."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """A module whose names are errors when they are used."""
        return AbsentModule(spec.name, self.reason)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run."""


class AbsentFinder(MetaPathFinder):
    """Answers, after all others, for the modules of TVM that this package does not have."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module that stands for the absent one, if it is known that there is one."""
        root, _, rest = fullname.partition(".")
        reason = reason_for(rest) if root == REAL else None
        return None if reason is None else ModuleSpec(fullname, AbsentLoader(reason), is_package=True)


class EngineFinder(MetaPathFinder):
    """Answers, after all others, for `mlc_llm`, where it is not installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module with `MLCEngine`."""
        return ModuleSpec(fullname, AliasLoader(f"{REAL}.compat.mlc_llm")) if fullname == "mlc_llm" else None


def rename_classes() -> None:
    """Gives this package's public classes the module names of the alias, so that they print as the documents do."""
    for module in [m for name, m in sys.modules.items() if name == REAL or name.startswith(f"{REAL}.")]:
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__.startswith(f"{REAL}."):
                value.__module__ = ALIAS + value.__module__.removeprefix(REAL)


def install() -> None:
    """Makes `tvm` mean this package in this process and in those that it starts."""
    if any(isinstance(finder, AliasFinder) for finder in sys.meta_path):
        return
    already = sys.modules.get(ALIAS)
    if already is not None and Path(getattr(already, "__file__", None) or "").parent.parent != Path(FOLDER):
        raise ImportError(f"{ALIAS} is already imported from {already.__file__}: import {REAL}.compat.tvm before it")
    _say_once_what_is_hidden()
    sys.meta_path.insert(0, AliasFinder())
    sys.meta_path.append(AbsentFinder())
    sys.meta_path.append(EngineFinder())
    if FOLDER not in sys.path:
        sys.path.append(FOLDER)
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if FOLDER not in inherited:
        os.environ["PYTHONPATH"] = os.pathsep.join([FOLDER, *filter(None, inherited)])
    from ..runtime.vm_builtins import register_builtins

    register_builtins()


def _say_once_what_is_hidden() -> None:
    paths = [path for path in sys.path if path != FOLDER]
    hidden = PathFinder.find_spec(ALIAS, paths)
    if hidden is not None and hidden.origin and "TILEWRIGHT_COMPAT_SAID" not in os.environ:
        os.environ["TILEWRIGHT_COMPAT_SAID"] = "1"
        print(f"{REAL}: `import {ALIAS}` means {REAL} here, not {hidden.origin}", file=sys.stderr)
