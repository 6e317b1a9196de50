"""Android's compiler."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from . import cc

__all__ = ["create_shared", "create_staticlib"]


def _compiler() -> str:
    compiler = os.environ.get("TVM_NDK_CC")
    if not compiler:
        raise RuntimeError("Android's compiler is named by the environment's TVM_NDK_CC, which is not set")
    return compiler


def create_shared(output: str, objects: str | Sequence[str], options: Sequence[str] | None = None) -> None:
    """Makes a shared library for Android."""
    cc.create_shared(output, objects, options, _compiler())


def create_staticlib(output: str, inputs: str | Sequence[str]) -> None:
    """Makes an archive with Android's archiver."""
    cc.create_staticlib(output, inputs, ar=os.path.join(os.path.dirname(_compiler()), "llvm-ar"))


create_shared.output_format = "so"
create_staticlib.output_format = "a"


def get_target_triple() -> Any:
    """The triple of Android's compiler."""
    return cc.get_target_by_dump_machine(_compiler())()


create_shared.get_target_triple = get_target_triple
