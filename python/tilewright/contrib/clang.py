"""LLVM's compiler of C: its intermediate representation of a source."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from ..target.codegen import llvm_version_major
from .cc import run
from .utils import is_source_path, tempdir

__all__ = ["create_llvm", "find_clang"]


def find_clang(required: bool = True) -> list[str]:
    """The compilers `clang` of this machine, the one of the linked LLVM first."""
    names = (f"clang-{llvm_version_major()}", "clang")
    found = [path for path in map(shutil.which, names) if path]
    installed = Path(f"/usr/lib/llvm-{llvm_version_major()}/bin/clang")
    found += [str(installed)] if not found and installed.exists() else []
    if required and not found:
        raise RuntimeError(f"this machine has no clang: install one of {', '.join(names)}")
    return found


def create_llvm(
    inputs: str | Sequence[str], output: str | None = None, options: Sequence[str] | None = None, cc: str | None = None
) -> str:
    """The intermediate representation of a source of C, given as text or by its path."""
    compiler = cc or find_clang()[0]
    folder = tempdir()
    sources = []
    for index, source in enumerate([inputs] if isinstance(inputs, str) else inputs):
        if is_source_path(source):
            sources.append(source)
        else:
            path = folder.relpath(f"input{index}.cc")
            Path(path).write_text(source, encoding="utf-8")
            sources.append(path)
    output = output or folder.relpath("output.ll")
    run([compiler, "-S", "-emit-llvm", "-O2", *(options or ()), "-o", output, *sources])
    return Path(output).read_text(encoding="utf-8")
