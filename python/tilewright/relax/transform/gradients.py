"""Gradients of PrimFuncs, as programs register them by name."""

from __future__ import annotations

from typing import Any

from ...error import TVMError
from ...runtime.packed_func import registered_function
from ..expr import Call, Expr, Var

__all__ = ["PREFIX", "loop_gradient"]

PREFIX = "tvm.relax.te_grad._register."


def loop_gradient(name: str, var: Var, call: Call, grad: Expr, builder: Any) -> Expr:
    """The gradient of a call that names this one."""
    rule = registered_function(PREFIX + name)
    if rule is None:
        raise TVMError(f"the gradient `{name}` of a PrimFunc is not registered: `register_te_gradient` does that")
    return rule(var, call, grad, builder)
