"""Arithmetic, creation and sums."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from .sampling import (
    BOOL,
    FLOATS,
    INTS,
    SHAPES,
    Reference,
    Sample,
    along,
    binary,
    cases,
    dims,
    erf,
    in_wide,
    joined,
    not_zero,
    random_array,
    reduction,
    sigmoid,
    ternary,
    unary,
    wide,
)
from .values import DTYPES

F = torch.nn.functional
# Shapes of three tensors of one shape.
ALIKE = [[shape] * 3 for shape in SHAPES]


def in_wide_of_three(a, b, c):
    """The product is not rounded before the sum."""
    wide = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
    return wide.astype(a.dtype) if a.dtype.kind == "f" else a * b + c


def filled(call, reference, value=None):
    """Tensors of one value: of these sizes and element types, and of the sizes of another tensor."""

    def samples(rng, op):
        for dtype in DTYPES:
            own = "float32" if dtype == "bfloat16" else dtype
            for shape in SHAPES if dtype == "float32" else [(2, 0, 3), (3, 5)]:
                given = [random_array(rng, (), own if own == value else "int8")] if value else []
                yield Sample(
                    given,
                    lambda *v, s=shape, d=dtype: call(op, s, d, *v),
                    lambda *v, s=shape, d=own: reference(s, d, *v),
                    retyped=False,
                    gives=[dtype],
                )
        for shape in SHAPES[1:]:
            given = [random_array(rng, shape, "float32"), *([random_array(rng, (), "float32")] if value else [])]
            yield Sample(
                given,
                lambda x, *v: call(op, dims(x), "float32", *v),
                lambda x, *v: reference(x.shape, "float32", *v),
            )

    return Reference(samples)


def filled_like(rng, op):
    """Tensors like another one, of one value."""
    for shape in SHAPES:
        yield Sample([random_array(rng, shape, "float32"), random_array(rng, (), "float32")], op, np.full_like)


REFERENCES: dict[str, Reference] = {
    "abs": unary(np.abs, [*FLOATS, "int32"]),
    "acos": unary(wide(np.arccos)),
    "acosh": unary(wide(np.arccosh)),
    "asin": unary(wide(np.arcsin)),
    "asinh": unary(wide(np.arcsinh)),
    "atan": unary(wide(np.arctan)),
    "atanh": unary(wide(np.arctanh)),
    "bitwise_not": unary(np.invert, [*INTS, *BOOL]),
    "ceil": unary(np.ceil),
    "clip": joined(
        cases(
            (
                [((3, 5), "float32")],
                lambda op, x: op(x, -0.5, 1.5),
                lambda x: np.clip(x, np.float32(-0.5), np.float32(1.5)),
            ),
            ([((7,), "int8")], lambda op, x: op(x, -2, 300), lambda x: np.clip(x, -2, 127)),
            ([np.float32([np.nan, np.inf, -np.inf])], lambda op, x: op(x, -1, 1), lambda x: np.clip(x, -1, 1)),
        ),
        unary(lambda x: np.clip(x, -1, 1), ["float32"], call=lambda op, x: op(x, -1, 1)),
    ),
    "cos": unary(wide(np.cos)),
    "cosh": unary(wide(np.cosh)),
    "erf": unary(erf),
    "exp": unary(wide(np.exp)),
    "floor": unary(np.floor),
    "isfinite": unary(np.isfinite),
    "isinf": unary(np.isinf),
    "isnan": unary(np.isnan),
    "log": unary(wide(np.log)),
    "logical_not": unary(np.logical_not, [*FLOATS, *INTS, *BOOL]),
    "negative": unary(np.negative, [*FLOATS, "int8"]),
    "round": unary(np.round),
    "rsqrt": unary(wide(lambda x: 1 / np.sqrt(x))),
    "sigmoid": unary(wide(sigmoid)),
    "sign": unary(np.sign, [*FLOATS, *INTS]),
    "sin": unary(wide(np.sin)),
    "sinh": unary(wide(np.sinh)),
    "sqrt": unary(np.sqrt),
    "square": unary(np.square, [*FLOATS, *INTS]),
    "tan": unary(wide(np.tan)),
    "tanh": unary(wide(np.tanh)),
    "trunc": unary(np.trunc),
    "add": binary(np.add),
    "atan2": binary(lambda a, b: np.arctan2(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype), FLOATS),
    "divide": binary(
        lambda a, b: a / b if a.dtype.kind == "f" else np.trunc(a / b).astype(a.dtype),
        [*FLOATS, "int8"],
        second=not_zero,
    ),
    "floor_divide": binary(np.floor_divide, second=not_zero),
    "floor_mod": binary(np.mod, second=not_zero),
    "mod": binary(np.mod, second=not_zero),
    "maximum": binary(np.maximum),
    "minimum": binary(np.minimum),
    "multiply": binary(np.multiply),
    "power": binary(lambda a, b: np.power(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype), FLOATS),
    "subtract": binary(np.subtract),
    "bitwise_and": binary(np.bitwise_and, [*INTS, *BOOL]),
    "bitwise_or": binary(np.bitwise_or, [*INTS, *BOOL]),
    "bitwise_xor": binary(np.bitwise_xor, [*INTS, *BOOL]),
    "left_shift": binary(np.left_shift, INTS, False, np.abs),
    "right_shift": binary(np.right_shift, ["uint8", "int64"], False, lambda x: np.abs(x) % 8),
    "logical_and": binary(np.logical_and, BOOL),
    "logical_or": binary(np.logical_or, BOOL),
    "logical_xor": binary(np.logical_xor, BOOL),
    "equal": binary(np.equal, [*FLOATS, *INTS, *BOOL]),
    "not_equal": binary(np.not_equal, [*FLOATS, *INTS, *BOOL]),
    "greater": binary(np.greater),
    "greater_equal": binary(np.greater_equal),
    "less": binary(np.less),
    "less_equal": binary(np.less_equal),
    "ewise_fma": joined(
        ternary(in_wide_of_three, [["float32"] * 3], triples=ALIKE),
        ternary(lambda a, b, c: a * b + c, [[d] * 3 for d in ("float64", "int32")], special=False, triples=ALIKE),
    ),
    "where": ternary(np.where, [["bool", d, d] for d in ("float32", "int8")]),
    # Created.
    "arange": cases(
        ([], lambda op: op(7), lambda: np.arange(7)),
        ([((5,), "float32")], lambda op, x: op(*dims(x)), lambda x: np.arange(*x.shape)),
        ([((1, 4), "float32")], lambda op, x: op(*dims(x)), lambda x: np.arange(*x.shape)),
        ([], lambda op: op(7, 0, -3), lambda: np.arange(7, 0, -3)),
        ([], lambda op: op(0.0, 1.0, 0.1), lambda: np.arange(0.0, 1.0, 0.1).astype(np.float32)),
        ([], lambda op: op(3, 1, dtype="int32"), lambda: np.arange(3, 1, dtype=np.int32)),
        ([], lambda op: op(-3, 4, 2, dtype="float16"), lambda: np.arange(-3, 4, 2, dtype=np.float16)),
    ),
    "astype": joined(
        cases(
            *[
                ([((3, 5), a)], lambda op, x, b=b: op(x, b), lambda x, b=b: x.astype(b))
                for a in ("float32", "int8", "bool", "float64")
                for b in ("float32", "int32", "bool", "float16", "int64")
            ],
            ([np.float32([np.nan, 300, -300])], lambda op, x: op(x, "int8"), lambda x: np.int8([0, 127, -128])),
        ),
        unary(lambda x: x.astype(np.float64), ["float32"], call=lambda op, x: op(x, "float64")),
    ),
    "wrap_param": unary(lambda x: x.astype(np.float32), ["float16"]),
    "eye": cases(
        ([], lambda op: op(3), lambda: np.eye(3, dtype=np.float32)),
        ([((3, 1), "float32")], lambda op, x: op(*dims(x)), lambda x: np.eye(*x.shape, dtype=np.float32)),
        ([], lambda op: op(3, 5, k=1, dtype="int32"), lambda: np.eye(3, 5, 1, np.int32)),
        ([], lambda op: op(0, 2, k=-1), lambda: np.eye(0, 2, -1, np.float32)),
    ),
    "full": filled(
        lambda op, shape, dtype, v: op(shape, v, dtype),
        lambda shape, dtype, v: np.full(shape, v, dtype),
        value="float32",
    ),
    "full_like": joined(
        cases(
            ([((2, 3), "float32"), ((), "float32")], lambda op, x, v: op(x, v), np.full_like),
            ([((), "int8"), ((), "float32")], lambda op, x, v: op(x, v, dtype="float32"), lambda x, v: v),
        ),
        Reference(filled_like),
    ),
    "ones": filled(lambda op, shape, dtype: op(shape, dtype), np.ones),
    "zeros": filled(lambda op, shape, dtype: op(shape, dtype), np.zeros),
    "ones_like": joined(
        cases(
            ([((2, 3), "float32")], lambda op, x: op(x), np.ones_like),
            ([((0,), "float32")], lambda op, x: op(x, dtype="bool"), lambda x: np.ones_like(x, bool)),
        ),
        unary(np.ones_like, ["float32"]),
    ),
    "zeros_like": joined(
        cases(([((), "int64")], lambda op, x: op(x), np.zeros_like)),
        unary(np.zeros_like, ["float32"]),
    ),
    "tril": joined(
        cases(
            *[([((2, 4, 5), "float32")], lambda op, x, k=k: op(x, k), lambda x, k=k: np.tril(x, k)) for k in (0, -2, 3)]
        ),
        unary(
            partial(np.tril, k=1), ["float32"], call=lambda op, x: op(x, 1), shapes=[s for s in SHAPES if len(s) > 1]
        ),
    ),
    "triu": joined(
        cases(*[([((4, 3), "int8")], lambda op, x, k=k: op(x, k), lambda x, k=k: np.triu(x, k)) for k in (0, -2, 3)]),
        unary(
            partial(np.triu, k=1), ["float32"], call=lambda op, x: op(x, 1), shapes=[s for s in SHAPES if len(s) > 1]
        ),
    ),
    # Reduced.
    "sum": reduction(in_wide(np.sum)),
    "prod": reduction(in_wide(np.prod)),
    "max": reduction(np.max, empty=False),
    "min": reduction(np.min, empty=False),
    "mean": reduction(in_wide(np.mean), FLOATS),
    "std": reduction(in_wide(np.std), FLOATS),
    "variance": reduction(in_wide(np.var), FLOATS),
    "argmax": joined(
        unary(lambda x: np.int64(0), ["float32"], shapes=[()]),
        cases(
            *[
                (
                    [((3, 5), d)],
                    lambda op, x, a=a, k=k: op(x, axis=a, keepdims=k),
                    lambda x, a=a, k=k: np.asarray(np.argmax(x, a, keepdims=k)),
                )
                for d in ("float32", "int8")
                for a in (None, 0, -1)
                for k in (False, True)
            ],
            ([np.float32([1, np.nan, 5, np.nan])], lambda op, x: op(x), lambda x: np.int64(1)),
            ([np.float32([-np.inf, -np.inf])], lambda op, x: op(x), lambda x: np.int64(0)),
        ),
        along(
            lambda op, axis, x: op(x, axis, True),
            lambda axis, x: np.argmax(x, axis, keepdims=True),
            takes=lambda n: n > 0,
        ),
    ),
    "argmin": joined(
        unary(lambda x: np.int64(0), ["float32"], shapes=[()]),
        cases(
            *[
                (
                    [((3, 5), d)],
                    lambda op, x, a=a, k=k: op(x, axis=a, keepdims=k),
                    lambda x, a=a, k=k: np.asarray(np.argmin(x, a, keepdims=k)),
                )
                for d in ("float32", "uint8")
                for a in (None, 0, -1)
                for k in (False, True)
            ],
            ([np.float32([1, np.nan, 5, np.nan])], lambda op, x: op(x, axis=0), lambda x: np.int64(1)),
        ),
        along(
            lambda op, axis, x: op(x, axis, True),
            lambda axis, x: np.argmin(x, axis, keepdims=True),
            takes=lambda n: n > 0,
        ),
    ),
    "cumsum": joined(
        unary(lambda x: np.ravel(x), ["float32"], shapes=[()]),
        cases(
            *[
                ([((3, 5), d)], lambda op, x, a=a: op(x, axis=a), lambda x, a=a: np.cumsum(x, a, dtype=x.dtype))
                for d in ("float32", "int8")
                for a in (None, 0, -1)
            ],
            (
                [((4,), "int8")],
                lambda op, x: op(x, 0, "int32", exclusive=True),
                lambda x: np.cumsum(x, dtype=np.int32) - x,
            ),
            ([((3, 5), "bool")], lambda op, x: op(x, 1, "int32"), lambda x: np.cumsum(x, 1, dtype=np.int32)),
        ),
        along(lambda op, axis, x: op(x, axis), lambda axis, x: np.cumsum(x, axis, dtype=x.dtype), special=False),
    ),
    "cumprod": joined(
        unary(lambda x: np.ravel(x), ["float32"], shapes=[()]),
        cases(
            *[
                ([((3, 5), d)], lambda op, x, a=a: op(x, axis=a), lambda x, a=a: np.cumprod(x, a, dtype=x.dtype))
                for d in ("float32", "int8")
                for a in (None, 0, -1)
            ],
        ),
        along(lambda op, axis, x: op(x, axis), lambda axis, x: np.cumprod(x, axis, dtype=x.dtype), special=False),
    ),
    "matmul": cases(
        *[
            ([(a, d), (b, d)], lambda op, x, y: op(x, y), np.matmul)
            for d in ("float32", "int32")
            for a, b in (
                ((2, 3), (3, 4)),
                ((3,), (3,)),
                ((3,), (5, 3, 4)),
                ((5, 1, 2, 3), (4, 3, 2)),
                ((0, 3), (3, 2)),
                ((2, 0), (0, 2)),
                ((1, 1), (1, 1)),
                ((2, 3, 4), (4, 2)),
                ((2, 1, 3, 4), (4,)),
                ((2, 1, 2, 1, 3), (1, 2, 3, 2)),
            )
        ]
    ),
}
