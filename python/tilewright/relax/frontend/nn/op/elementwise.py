"""Element by element: arithmetic, comparisons, activations.

Of two operands one may be a number, and their shapes broadcast.
"""

from __future__ import annotations

from typing import Any

from ..core import Tensor
from .binding import both, call

__all__ = [
    "abs", "add", "astype", "ceil", "cos", "divide", "equal", "erf", "exp", "floor", "gelu", "greater",
    "greater_equal", "less", "less_equal", "log", "maximum", "minimum", "multiply", "negative", "not_equal",
    "power", "relu", "round", "rsqrt", "sigmoid", "silu", "sin", "softmax", "softplus", "sqrt", "square",
    "subtract", "tanh", "where",
]  # fmt: skip


def abs(x: Tensor, name: str = "abs") -> Tensor:
    """The magnitude."""
    return call("abs", (x,), {}, name)


def add(a: Any, b: Any, name: str = "add") -> Tensor:
    """The sum."""
    return call("add", both(a, b), {}, name)


def ceil(x: Tensor, name: str = "ceil") -> Tensor:
    """The next integer upwards."""
    return call("ceil", (x,), {}, name)


def cos(x: Tensor, name: str = "cos") -> Tensor:
    """The cosine."""
    return call("cos", (x,), {}, name)


def divide(a: Any, b: Any, name: str = "divide") -> Tensor:
    """The quotient."""
    return call("divide", both(a, b), {}, name)


def equal(a: Any, b: Any, name: str = "equal") -> Tensor:
    """Whether elements are equal."""
    return call("equal", both(a, b), {}, name)


def erf(x: Tensor, name: str = "erf") -> Tensor:
    """The error function."""
    return call("erf", (x,), {}, name)


def exp(x: Tensor, name: str = "exp") -> Tensor:
    """The exponential."""
    return call("exp", (x,), {}, name)


def floor(x: Tensor, name: str = "floor") -> Tensor:
    """The next integer downwards."""
    return call("floor", (x,), {}, name)


def greater(a: Any, b: Any, name: str = "greater") -> Tensor:
    """Whether elements are larger."""
    return call("greater", both(a, b), {}, name)


def greater_equal(a: Any, b: Any, name: str = "greater_equal") -> Tensor:
    """Whether elements are larger or equal."""
    return call("greater_equal", both(a, b), {}, name)


def less(a: Any, b: Any, name: str = "less") -> Tensor:
    """Whether elements are smaller."""
    return call("less", both(a, b), {}, name)


def less_equal(a: Any, b: Any, name: str = "less_equal") -> Tensor:
    """Whether elements are smaller or equal."""
    return call("less_equal", both(a, b), {}, name)


def log(x: Tensor, name: str = "log") -> Tensor:
    """The natural logarithm."""
    return call("log", (x,), {}, name)


def maximum(x1: Any, x2: Any, name: str = "maximum") -> Tensor:
    """The larger element, NaN if one is."""
    return call("maximum", both(x1, x2), {}, name)


def minimum(x1: Any, x2: Any, name: str = "minimum") -> Tensor:
    """The smaller element, NaN if one is."""
    return call("minimum", both(x1, x2), {}, name)


def multiply(a: Any, b: Any, name: str = "mul") -> Tensor:
    """The product."""
    return call("multiply", both(a, b), {}, name)


def negative(x: Tensor, name: str = "neg") -> Tensor:
    """The negative."""
    return call("negative", (x,), {}, name)


def not_equal(a: Any, b: Any, name: str = "not_equal") -> Tensor:
    """Whether elements differ."""
    return call("not_equal", both(a, b), {}, name)


def power(a: Any, b: Any, name: str = "power") -> Tensor:
    """The power."""
    return call("power", both(a, b), {}, name)


def relu(x: Tensor, name: str = "relu") -> Tensor:
    """`max(x, 0)`."""
    return call("nn.relu", (x,), {}, name)


def round(x: Tensor, name: str = "round") -> Tensor:
    """The nearest integer, the even one of two."""
    return call("round", (x,), {}, name)


def rsqrt(x: Tensor, name: str = "rsqrt") -> Tensor:
    """One by the square root."""
    return call("rsqrt", (x,), {}, name)


def sigmoid(x: Tensor, name: str = "sigmoid") -> Tensor:
    """`1 / (1 + exp(-x))`."""
    return call("sigmoid", (x,), {}, name)


def silu(x: Tensor, name: str = "silu") -> Tensor:
    """`x * sigmoid(x)`."""
    return call("nn.silu", (x,), {}, name)


def sin(x: Tensor, name: str = "sin") -> Tensor:
    """The sine."""
    return call("sin", (x,), {}, name)


def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0, name: str = "softplus") -> Tensor:
    """`log(1 + exp(x))`."""
    return call("nn.softplus", (x,), {"beta": beta, "threshold": threshold}, name)


def sqrt(x: Tensor, name: str = "sqrt") -> Tensor:
    """The square root."""
    return call("sqrt", (x,), {}, name)


def square(x: Tensor, name: str = "square") -> Tensor:
    """The square."""
    return call("square", (x,), {}, name)


def subtract(a: Any, b: Any, name: str = "subtract") -> Tensor:
    """The difference."""
    return call("subtract", both(a, b), {}, name)


def tanh(x: Tensor, name: str = "tanh") -> Tensor:
    """The hyperbolic tangent."""
    return call("tanh", (x,), {}, name)


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
