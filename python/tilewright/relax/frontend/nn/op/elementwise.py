"""Element by element: arithmetic, comparisons, activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import Tensor
from .binding import both, call

_BINARY = (
    "add", "divide", "equal", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum", "multiply",
    "not_equal", "power", "subtract",
)  # fmt: skip
_UNARY = {
    name: name
    for name in (
        "abs", "ceil", "cos", "erf", "exp", "floor", "log", "negative", "round", "rsqrt", "sigmoid", "sin", "sqrt",
        "square", "tanh",
    )
} | {name: f"nn.{name}" for name in ("relu", "silu", "softplus")}  # fmt: skip

__all__ = sorted([*_BINARY, *_UNARY, "astype", "gelu", "softmax", "where"])


def _binary(operator: str) -> Callable[..., Tensor]:
    def apply(a: Any, b: Any, name: str = operator) -> Tensor:
        return call(operator, both(a, b), {}, name)

    apply.__name__ = apply.__qualname__ = operator
    apply.__doc__ = f"`relax.op.{operator}` of two tensors whose shapes broadcast, of which one may be a number."
    return apply


def _unary(own: str, operator: str) -> Callable[..., Tensor]:
    def apply(x: Tensor, name: str = own) -> Tensor:
        return call(operator, (x,), {}, name)

    apply.__name__ = apply.__qualname__ = own
    apply.__doc__ = f"`relax.op.{operator}` of every element."
    return apply


globals().update({name: _binary(name) for name in _BINARY})
globals().update({own: _unary(own, operator) for own, operator in _UNARY.items()})


def astype(x: Tensor, dtype: str, name: str = "astype") -> Tensor:
    """The elements converted to another data type; a tensor of that type itself."""
    return x if x.dtype == str(dtype) else call("astype", (x,), {"dtype": str(dtype)}, name)


def gelu(x: Tensor, approximate: str | None = None, name: str = "gelu") -> Tensor:
    """`x * Phi(x)` for the normal distribution's `Phi`; with `approximate="tanh"` by the formula with tanh."""
    return call("nn.gelu_tanh" if approximate == "tanh" else "nn.gelu", (x,), {}, name)


def softmax(x: Tensor, axis: int = -1, name: str = "softmax") -> Tensor:
    """Exponentials divided by their sum along an axis."""
    return call("nn.softmax", (x,), {"axis": axis}, name)


def where(condition: Tensor, x1: Any, x2: Any, name: str = "where") -> Tensor:
    """`x1` where the condition holds, else `x2`; shapes broadcast."""
    condition = condition if condition.dtype == "bool" else astype(condition, "bool")
    return call("where", (condition, *both(x1, x2)), {}, name)
