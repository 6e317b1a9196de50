"""The operations that Rust and Python have alike, as Python functions: one for every entry of the core's table.

An entry (`crates/tilewright-nn/src/op`) says the name, the parameters with their defaults, the documentation, and which
bindings the operation writes; nothing of that is here.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

from ..... import _core
from ..core import builder, wrap


def _function(name: str) -> Callable[..., Any]:
    parameters, result, documentation = _core.nn_op_signature(name)

    def call(*args: Any, **kwargs: Any) -> Any:
        made = _core.nn_call(builder(f"op.{name}"), name, args, kwargs)
        return tuple(wrap(own, name) for own in made) if isinstance(made, tuple) else _wrapped(made, name)

    call.__name__ = call.__qualname__ = name
    call.__module__ = __name__
    call.__doc__ = documentation
    call.__signature__ = Signature(
        [
            Parameter(own, Parameter.POSITIONAL_OR_KEYWORD, default=default[0] if default else Parameter.empty,
                      annotation=annotation)
            for own, annotation, default in parameters
        ],
        return_annotation=result,
    )  # fmt: skip
    return call


def _wrapped(made: Any, name: str) -> Any:
    """A value of the graph as a tensor; an argument that is the result stays what it is."""
    return wrap(made, name) if hasattr(made, "struct_info") else made


#: The operations by name, in the order of the table.
FUNCTIONS: dict[str, Callable[..., Any]] = {name: _function(name) for name in _core.nn_op_names()}
