"""Reductions: `te.sum(A[i, k], axis=k)`, and reductions of one's own."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from inspect import signature
from typing import Any

from .. import _core
from ..tir import op
from ..tir.expr import CommReducer, IterVar, Var

__all__ = ["all", "any", "comm_reducer", "max", "min", "prod", "sum"]


def _documented(expr: Any, axis: Any, where: Any = None, init: Any = None, *args: Any) -> Any: ...


# What reductions over axes take; of several expressions they take any number.
_SIGNATURE = signature(_documented)


def _is_axis(axis: Any) -> bool:
    return isinstance(axis, (IterVar, list, tuple))


def _reduction(name: str, directly: Callable[..., Any], said: str, *, of_one: bool = False) -> Any:
    def reducer(expr: Any, *others: Any, **named: Any) -> Any:
        if of_one and not others and not named:
            return expr
        if others and not _is_axis(others[0]) and not named:
            return directly(expr, *others)
        return over(expr, *others, **named)

    def over(expr: Any, axis: Any, where: Any = None, init: Any = None) -> Any:
        if not _is_axis(axis):
            raise TypeError(f"te.{name}: `axis` is a reduce axis, or a list of such, found {type(axis).__name__}")
        return _core.te_reduce(name, expr, axis, where, init)

    over.__name__ = over.__qualname__ = name

    reducer.__name__ = reducer.__qualname__ = name
    if not of_one:
        reducer.__signature__ = _SIGNATURE  # type: ignore[attr-defined]
    reducer.__doc__ = (
        f"{said} over all indices along the axes where `where` holds, beginning with `init` where it is given; of "
        "several expressions without an axis, that of the expressions."
    )
    return reducer


sum = _reduction("sum", lambda *values: reduce(lambda a, b: a + b, values), "The sum")
prod = _reduction("prod", lambda *values: reduce(lambda a, b: a * b, values), "The product")
max = _reduction("max", op.max, "The largest value (NaN if one is)")
min = _reduction("min", op.min, "The smallest value (NaN if one is)")
all = _reduction("all", op.all, "Whether each condition holds,", of_one=True)
any = _reduction("any", op.any, "Whether some condition holds,", of_one=True)


def _row(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value]


def comm_reducer(fcombine: Callable[..., Any], fidentity: Callable[..., Any], name: str = "reduce") -> Any:
    """A reduction of one's own: `fcombine(x, y)` combines two values (or two tuples of values) associatively, and
    `fidentity(dtype)` (of a tuple: of all the dtypes) is what changes nothing.

        argmax = te.comm_reducer(
            lambda x, y: (te.if_then_else(x[1] >= y[1], x[0], y[0]), te.max(x[1], y[1])),
            lambda index, value: (te.const(-1, index), te.min_value(value)),
        )
        te.compute((n,), lambda i: argmax((k, A[i, k]), axis=k))
    """

    def reducer(expr: Any, axis: Any, where: Any = None, init: Any = None, *args: Any) -> Any:
        if not _is_axis(axis):
            values = [expr, axis, *(() if where is None else (where,)), *args]
            return reduce(fcombine, values)
        several = isinstance(expr, (tuple, list))
        values = [_core.to_expr(value) for value in _row(expr)]
        dtypes = [value.dtype for value in values]
        lhs, rhs = ([Var(f"{letter}{i}", own) for i, own in enumerate(dtypes)] for letter in "xy")
        result = _row(fcombine(tuple(lhs), tuple(rhs)) if several else fcombine(lhs[0], rhs[0]))
        combiner = CommReducer(lhs, rhs, result, _row(fidentity(*dtypes)))
        results = _core.te_reduce_by(combiner, values, axis, where, None if init is None else _row(init))
        return tuple(results) if several else results[0]

    reducer.__name__ = reducer.__qualname__ = name
    reducer.__doc__ = "A commutative reduction over axes."
    return reducer
