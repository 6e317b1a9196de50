"""Samples of operators' arguments, and how references are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

SHAPES = [(), (1,), (0,), (7,), (3, 5), (2, 0, 3), (2, 1, 3, 1), (2, 1, 3, 1, 2)]
FLOATS = ["float32", "float64", "float16"]
INTS = ["int8", "int32", "int64", "uint8"]
BOOL = ["bool"]


def random_array(rng: np.random.Generator, shape: tuple, dtype: str, special: bool = False) -> np.ndarray:
    """Small numbers of both signs; one in three is special where that is asked for."""
    if dtype == "bool":
        return np.asarray(rng.integers(0, 2, shape).astype(bool))
    if np.issubdtype(np.dtype(dtype), np.integer):
        info = np.iinfo(dtype)
        array = rng.integers(max(-9, info.min), 10, shape).astype(dtype)
        extremes = np.array([info.min, info.max, 0, 1], dtype)
    else:
        array = (rng.standard_normal(shape) * 2).astype(dtype)
        info = np.finfo(dtype)
        extremes = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, info.max, info.min, info.tiny, 1.0, -1.0, 0.5], dtype)
    array = np.asarray(array)
    if special:
        chosen = rng.random(shape) < 1 / 3
        array = np.where(chosen, rng.choice(extremes, shape), array).astype(dtype)
    return np.asarray(array)


@dataclass
class Sample:
    """Arrays for the tensor arguments, the call of the operator on variables, and the reference on arrays."""

    arrays: list[np.ndarray]
    call: Callable[..., Any]
    reference: Callable[..., Any]
    #: Whether its sizes may be given as variables.
    symbolic: bool = True
    #: Another tolerance than that of the element type.
    tolerance: float | None = None
    #: Whether it may be given in other element types.
    retyped: bool = True
    #: Whether it may be given with other sizes and with floats that are not finite.
    varied: bool = True
    #: The element types of the results, where NumPy has no such type.
    gives: list[str] | None = None


@dataclass
class Reference:
    """How the samples of an operator are made."""

    samples: Callable[[np.random.Generator, Callable[..., Any]], Iterator[Sample]]


def direct(op, *arrays):
    """The call without attributes."""
    return op(*arrays)


def unary(reference, dtypes=FLOATS, special=True, call=direct, shapes=SHAPES):
    """An operator of one tensor, of every rank; often it works element by element."""

    def samples(rng, op):
        for dtype in dtypes:
            for shape in shapes:
                yield Sample([random_array(rng, shape, dtype, special)], partial(call, op), reference)

    return Reference(samples)


def joined(*references):
    """The samples of several references."""

    def samples(rng, op):
        for reference in references:
            yield from reference.samples(rng, op)

    return Reference(samples)


def along(call, reference, dtypes=("float32",), special=True, count=1, takes=lambda extent: True):
    """An operator of tensors that are alike, along one dimension: the first, a middle one and the last.

    It is called as `call(op, axis, *tensors)` and `reference(axis, *arrays)`, where it `takes` the extent.
    """

    def samples(rng, op):
        for dtype in dtypes:
            for shape in SHAPES:
                for axis in sorted({0, len(shape) // 2, len(shape) - 1} if shape else []):
                    if takes(shape[axis]):
                        axis = -1 if axis and axis == len(shape) - 1 else axis
                        arrays = [random_array(rng, shape, dtype, special) for _ in range(count)]
                        yield Sample(arrays, partial(call, op, axis), partial(reference, axis))

    return Reference(samples)


def dims(x):
    """The sizes of an argument, which may be variables."""
    return list(x.struct_info.shape)


PAIRS = [
    ((), ()), ((3,), (3,)), ((0,), (1,)), ((2, 3), (3,)), ((2, 1, 4), (5, 1)), ((2, 1, 3, 1), (1, 2, 1, 3)),
    ((1, 3, 1, 1, 2), (3, 1, 2)),
]  # fmt: skip
TRIPLES = [
    ((), (), ()), ((7,), (7,), (7,)), ((0,), (1,), ()), ((3, 1), (5,), (3, 5)), ((2, 1, 4), (5, 1), (1,)),
    ((2, 1, 3, 1), (3, 1), (1, 2, 1, 5)), ((1, 3, 1, 1, 2), (3, 1, 2), (2,)),
]  # fmt: skip


def ternary(reference, dtypes, special=True, triples=None):
    """An operator of three tensors that broadcast, if no shapes are said, of an element type each."""

    def samples(rng, op):
        for types in dtypes:
            for shapes in TRIPLES if triples is None else triples:
                arrays = [random_array(rng, s, d, special) for s, d in zip(shapes, types, strict=True)]
                yield Sample(arrays, op, reference)

    return Reference(samples)


def binary(reference, dtypes=(*FLOATS, *INTS), special=True, second=None):
    """An operator of two tensors that broadcast."""

    def samples(rng, op):
        for dtype in dtypes:
            for a, b in PAIRS:
                right = random_array(rng, b, dtype, special)
                arrays = [random_array(rng, a, dtype, special), np.asarray(second(right) if second else right)]
                yield Sample(arrays, op, reference)

    return Reference(samples)


def not_zero(array):
    """Divisors: an integer division by zero ends a run, and so does that of the least value by -1."""
    if np.issubdtype(array.dtype, np.integer):
        return np.where((array == 0) | (array == -1 if array.dtype.kind == "i" else False), 3, array).astype(
            array.dtype
        )
    return array


def cases(*made):
    """Written-out samples: (shapes and dtypes or arrays, call, reference)."""

    def samples(rng, op):
        for inputs, call, reference, *rest in made:
            arrays = [i if isinstance(i, np.ndarray) else random_array(rng, i[0], i[1]) for i in inputs]
            yield Sample(arrays, partial(call, op), reference, **(rest[0] if rest else {}))

    return Reference(samples)


def reduction(reference, dtypes=("float32", "float16", "int32"), empty=True):
    """A reduction over one, several or all dimensions."""

    def samples(rng, op):
        for dtype in dtypes:
            for shape in [(), (7,), (3, 5), (2, 3, 4), (2, 1, 3, 2), (2, 1, 3, 2, 2), *([(0, 3)] if empty else [])]:
                axes = [None, *([0, -1] if shape else []), *([(0, -1)] if len(shape) > 1 else [])]
                for axis in axes:
                    for keepdims in (False, True):
                        if not empty and shape and 0 in shape:
                            continue
                        yield Sample(
                            [random_array(rng, shape, dtype)],
                            partial(op, axis=list(axis) if isinstance(axis, tuple) else axis, keepdims=keepdims),
                            partial(reference, axis=axis, keepdims=keepdims),
                        )

    return Reference(samples)


def in_wide(function):
    """The function of an array worked out in float64 and given in the array's type."""

    def wide(array, **options):
        if array.dtype.kind != "f":
            return function(array, **options).astype(array.dtype)
        return np.asarray(function(array.astype(np.float64), **options)).astype(array.dtype)

    return wide


def of_torch(function):
    """The function of PyTorch's tensors as one of arrays, floats worked out in float64."""

    def run(*arrays, **options):
        dtype = arrays[0].dtype
        given = [torch.from_numpy(a.astype(np.float64) if a.dtype.kind == "f" else np.array(a)) for a in arrays]
        return function(*given, **options).numpy().astype(dtype)

    return run


def erf(x):
    return torch.erf(torch.from_numpy(np.array(x, np.float64))).numpy().astype(x.dtype)


def wide(function):
    """A function of one array worked out in float64, so that the reference has no error of its own."""
    return lambda x: function(x.astype(np.float64)).astype(x.dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))
