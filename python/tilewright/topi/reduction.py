"""What brings the elements of dimensions together, and running sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import te
from ..te.tensor import Tensor
from . import utils
from .formula import apply, axis_of, cast, reduction

_SAME = ("max", "mean", "min", "prod", "std", "sum", "variance")

globals().update({name: reduction(name) for name in _SAME})


def _truths(data: Tensor, axis: Any, keepdims: bool, combine: Callable[..., Any], name: str) -> Tensor:
    """`combine` of the elements of dimensions, all of them where none is said."""
    rank = len(data.shape)
    named = range(rank) if axis is None else axis if isinstance(axis, (list, tuple)) else [axis]
    gone = {axis_of(int(one), rank) for one in named}
    inner = {one: te.reduce_axis((0, data.shape[one]), name=f"k{one}") for one in sorted(gone)}
    shape = [1 if one in gone else data.shape[one] for one in range(rank) if keepdims or one not in gone]

    def element(*at: Any) -> Any:
        left = iter(at)
        places = []
        for one in range(rank):
            outer = next(left) if keepdims or one not in gone else None
            places.append(inner[one] if one in gone else outer)
        value = data(*places)
        truth = value if data.dtype == "bool" else value != te.const(0, data.dtype)
        return combine(truth, axis=list(inner.values()))

    return te.compute(shape, element, name=name)


def all(data: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether all elements hold."""
    return _truths(data, axis, keepdims, te.all, "T_all")


def any(data: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether one of the elements holds."""
    return _truths(data, axis, keepdims, te.any, "T_any")


def argmax(data: Tensor, axis: Any = None, keepdims: bool = False, select_last_index: bool = False) -> Tensor:
    """The index of the largest element: of several, the first one or the last one."""
    return _place("argmax", data, axis, keepdims, select_last_index)


def argmin(data: Tensor, axis: Any = None, keepdims: bool = False, select_last_index: bool = False) -> Tensor:
    """The index of the smallest element: of several, the first one or the last one."""
    return _place("argmin", data, axis, keepdims, select_last_index)


def _place(name: str, data: Tensor, axis: Any, keepdims: bool, last: bool) -> Tensor:
    """The index, as int32: along one dimension, or the linear index in several ones."""
    rank = len(data.shape)
    named = range(rank) if axis is None else axis if isinstance(axis, (list, tuple)) else [axis]
    gone = sorted({axis_of(int(one), rank) for one in named})
    if len(gone) == 1:
        return _along(name, data, gone[0], keepdims, last)
    left = [one for one in range(rank) if one not in gone]
    behind = apply("permute_dims", (data,), {"axes": [*left, *gone]})
    count = utils.prod([data.shape[one] for one in gone])
    place = _along(
        name, apply("reshape", (behind, [*(data.shape[one] for one in left), count]), {}), len(left), False, last
    )
    return apply("expand_dims", (place,), {"axis": gone}) if keepdims and gone else place


def _along(name: str, data: Tensor, axis: int, keepdims: bool, last: bool) -> Tensor:
    said = {"axis": axis, "keepdims": keepdims}
    if not last:
        return cast(apply(name, (data,), said), "int32")
    place = apply(name, (apply("flip", (data,), {"axis": axis}),), said)
    end = data.shape[axis] - 1
    return te.compute(place.shape, lambda *at: (end - place(*at)).astype("int32"), name=f"{name}_last")


def collapse_sum(data: Tensor, target_shape: Any) -> Tensor:
    """The sums of what broadcasting `target_shape` would repeat."""
    return apply("collapse_sum_to", (data, target_shape), {})


def cumsum(data: Tensor, axis: Any = None, dtype: Any = None, exclusive: bool | None = None) -> Tensor:
    """Running sums; `exclusive` ones without the element itself."""
    return apply("cumsum", (data,), {"axis": axis, "dtype": dtype, "exclusive": bool(exclusive)})


def cumprod(data: Tensor, axis: Any = None, dtype: Any = None, exclusive: bool | None = None) -> Tensor:
    """Running products; `exclusive` ones without the element itself."""
    return apply("cumprod", (data,), {"axis": axis, "dtype": dtype, "exclusive": bool(exclusive)})


__all__ = sorted([*_SAME, "all", "any", "argmax", "argmin", "collapse_sum", "cumprod", "cumsum"])
