"""Passes on the graph level. Each function makes a pass; calling the pass on a module gives a new module.

There is a function here for every pass of the compiler that needs no arguments, under the pass's own name, so that
`LegalizeOps()` is the pass `LegalizeOps`; those that take arguments are written out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import Pass, bind_params, bind_symbolic_vars, by_name, pass_names

__all__ = ["BindParams", "BindSymbolicVars"]


def BindParams(func_name: str, params: dict[str | int, Any]) -> Pass:
    """Turns parameters of a function, by name or position, into constants: tensors, or anything with `__dlpack__`."""
    return bind_params(func_name, params)


def BindSymbolicVars(binding_map: dict[Any, int], func_name: str | None = None) -> Pass:
    """Turns symbolic dimensions, by name or variable, into numbers: in one function, or in all."""
    return bind_symbolic_vars(binding_map, func_name)


def _without_arguments(name: str) -> Callable[[], Pass]:
    def make() -> Pass:
        return by_name(name)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"The pass `{name}`; `tilewright opt --pass {name} FILE` shows what it does."
    return make


for _name in pass_names():
    globals()[_name] = _without_arguments(_name)
    __all__ += [_name]
