"""The system's compiler of C."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..error import TVMError

__all__ = [
    "create_executable", "create_shared", "create_staticlib", "cross_compiler", "get_cc", "get_target_by_dump_machine",
]  # fmt: skip


def get_cc() -> str | None:
    """The compiler: what the environment's `CXX` or `CC` says, else the first of `g++`, `gcc`, `clang++`, `clang`."""
    said = [os.environ[name] for name in ("CXX", "CC") if os.environ.get(name)]
    found = (shutil.which(name) for name in (*said, "g++", "gcc", "clang++", "clang", "c++", "cc"))
    return next(filter(None, found), None)


def run(command: Sequence[str], cwd: str | None = None) -> str:
    """What the command prints; a failure is an error with its output."""
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"`{' '.join(command)}` failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _listed(value: Any) -> list[str]:
    return [] if value is None else [str(value)] if isinstance(value, (str, os.PathLike)) else [str(v) for v in value]


def _compiler(cc: str | None) -> str:
    chosen = cc or get_cc()
    if chosen is None:
        raise TVMError("this machine has no compiler of C: set the environment's CC")
    return chosen


def create_shared(
    output: str,
    objects: str | Sequence[str],
    options: Sequence[str] | None = None,
    cc: str | None = None,
    cwd: str | None = None,
    ccache_env: dict[str, str] | None = None,
) -> None:
    """Makes a shared library of objects or sources."""
    run([_compiler(cc), "-shared", "-fPIC", "-o", output, *_listed(objects), *_listed(options)], cwd)


def create_executable(
    output: str,
    objects: str | Sequence[str],
    options: Sequence[str] | None = None,
    cc: str | None = None,
    cwd: str | None = None,
    ccache_env: dict[str, str] | None = None,
) -> None:
    """Makes a program of objects or sources."""
    run([_compiler(cc), "-o", output, *_listed(objects), *_listed(options)], cwd)


def create_staticlib(output: str, inputs: str | Sequence[str], ar: str | None = None, cwd: str | None = None) -> None:
    """Makes an archive of objects."""
    archiver = ar or shutil.which("ar") or shutil.which("llvm-ar")
    if archiver is None:
        raise TVMError("this machine has no archiver: install `ar`")
    run([archiver, "-crs", output, *_listed(inputs)], cwd)


create_shared.output_format = "so"
create_staticlib.output_format = "a"


def get_target_by_dump_machine(compiler: str | None) -> Callable[[], str | None]:
    """A function that asks a compiler for its triple."""

    def ask() -> str | None:
        try:
            return run([_compiler(compiler), "-dumpmachine"]).strip()
        except (OSError, RuntimeError):
            return None

    return ask


def cross_compiler(
    compile_func: str | Callable[..., None],
    options: Sequence[str] | None = None,
    output_format: str | None = None,
    get_target_triple: Callable[[], str | None] | str | None = None,
    add_files: Sequence[str] | None = None,
) -> Callable[..., None]:
    """A function that makes a library with another compiler: one by name, or a function of output and objects."""
    kept, files = _listed(options), _listed(add_files)
    base = partial(create_shared, cc=compile_func) if isinstance(compile_func, str) else compile_func

    def compile(output: str, objects: str | Sequence[str], options: Sequence[str] | None = None, **said: Any) -> None:
        base(output, [*_listed(objects), *files], options=[*kept, *_listed(options)], **said)

    compile.output_format = output_format or getattr(compile_func, "output_format", "so")
    compile.get_target_triple = get_target_triple
    return compile


create_shared.get_target_triple = get_target_by_dump_machine(None)
