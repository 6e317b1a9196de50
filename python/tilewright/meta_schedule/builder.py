"""Builders: modules to files that a runner can open."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..ir import IRModule, save_json
from ..target import Target
from .child import ask

__all__ = ["Builder", "BuilderInput", "BuilderResult", "LocalBuilder", "PyBuilder", "create"]

#: How the names of folders begin in which kernels wait to be measured.
_FOLDER = "tilewright_build_"


@dataclass(eq=False)
class BuilderInput:
    """A module to compile for a target."""

    mod: IRModule
    target: Target
    params: dict[str, Any] | None = None


@dataclass(eq=False)
class BuilderResult:
    """The file that a module became, or why it became none."""

    artifact_path: str | None
    error_msg: str | None


class Builder:
    """Compiles modules."""

    def build(self, build_inputs: list[BuilderInput]) -> list[BuilderResult]:
        """A result for each input, in order."""
        raise NotImplementedError(f"{type(self).__name__} has no `build`")

    @staticmethod
    def create(kind: str | Builder = "local", *args: Any, **kwargs: Any) -> Builder:
        """A builder by its name, "local"."""
        if isinstance(kind, Builder):
            return kind
        if kind != "local":
            raise ValueError(f"expected the builder `local`, found {kind!r}")
        return LocalBuilder(*args, **kwargs)


#: Builders of one's own are classes below this one.
PyBuilder = Builder

create = Builder.create


class LocalBuilder(Builder):
    """Compiles in another process of this machine, with a time limit for each module.

    `f_build(mod, target, params)` and `f_export(lib)`, which gives a path, replace the compiler and the way to a file;
    they run in this process.
    """

    def __init__(
        self,
        *,
        max_workers: int | None = None,
        timeout_sec: float = 30.0,
        f_build: Callable[..., Any] | None = None,
        f_export: Callable[[Any], str] | None = None,
        initializer: Callable[[], None] | None = None,
    ) -> None:
        self.max_workers = max_workers
        self.timeout_sec = timeout_sec
        self.f_build = f_build
        self.f_export = f_export
        if initializer is not None:
            initializer()

    def build(self, build_inputs: list[BuilderInput]) -> list[BuilderResult]:
        """A result for each input, in order."""
        return [self._build(one) for one in build_inputs]

    def _build(self, one: BuilderInput) -> BuilderResult:
        folder = tempfile.mkdtemp(prefix=_FOLDER)
        path = os.path.join(folder, "kernel.tar")
        try:
            if self.f_build is None and self.f_export is None:
                request = {"ir": save_json(one.mod), "target": str(one.target), "path": path}
                ask("build", request, self.timeout_sec)
                return BuilderResult(path, None)
            from ..driver import build

            lib = build(one.mod, one.target) if self.f_build is None else self.f_build(one.mod, one.target, one.params)
            if self.f_export is None:
                lib.export_library(path)
                return BuilderResult(path, None)
            return BuilderResult(self.f_export(lib), None)
        except Exception as problem:
            shutil.rmtree(folder, ignore_errors=True)
            return BuilderResult(None, f"{type(problem).__name__}: {problem}")

    @staticmethod
    def _remove(path: str) -> None:
        """Removes a file that a builder of this class has made, with its folder."""
        folder = os.path.dirname(path)
        if os.path.basename(folder).startswith(_FOLDER):
            shutil.rmtree(folder, ignore_errors=True)
