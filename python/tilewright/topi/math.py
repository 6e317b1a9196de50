"""Element by element, broadcast arithmetic, reductions and products of matrices."""

from __future__ import annotations

from .formula import functions

_SAME = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_and", "bitwise_not", "bitwise_or",
    "bitwise_xor", "ceil", "clip", "cos", "cosh", "erf", "exp", "floor", "isfinite", "isinf", "isnan", "log",
    "logical_and", "logical_not", "logical_or", "logical_xor", "negative", "round", "rsqrt", "sigmoid", "sign", "sin",
    "sinh", "sqrt", "square", "tan", "tanh", "trunc", "add", "divide", "equal", "floor_divide", "floor_mod", "greater",
    "greater_equal", "left_shift", "less", "less_equal", "maximum", "minimum", "mod", "multiply", "not_equal", "power",
    "right_shift", "subtract", "all", "any", "argmax", "argmin", "cumprod", "cumsum", "max", "mean", "min", "prod",
    "std", "sum", "variance", "einsum", "matmul",
)  # fmt: skip

globals().update(functions({name: name for name in _SAME} | {"batch_matmul": "matmul", "cast": "astype"}))

__all__ = sorted(name for name in (*_SAME, "batch_matmul", "cast") if name in globals())
