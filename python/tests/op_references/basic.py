"""Arithmetic, creation, shapes, indices, sums and layers of one input."""

from __future__ import annotations

import numpy as np
import torch

from tilewright import relax, tir

from .sampling import (
    BOOL,
    FLOATS,
    INTS,
    Reference,
    binary,
    cases,
    erf,
    in_wide,
    not_zero,
    of_torch,
    reduction,
    sigmoid,
    unary,
    wide,
)

F = torch.nn.functional
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
    "clip": cases(
        (
            [((3, 5), "float32")],
            lambda op, x: op(x, -0.5, 1.5),
            lambda x: np.clip(x, np.float32(-0.5), np.float32(1.5)),
        ),
        ([((7,), "int8")], lambda op, x: op(x, -2, 300), lambda x: np.clip(x, -2, 127)),
        ([np.float32([np.nan, np.inf, -np.inf])], lambda op, x: op(x, -1, 1), lambda x: np.clip(x, -1, 1)),
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
    "ewise_fma": cases(
        *[
            (
                [((2, 3), d), ((3,), d), ((), d)],
                lambda op, a, b, c: op(a, b, c),
                lambda a, b, c: a * b + c,
            )
            for d in ("float32", "float64", "int32")
        ]
    ),
    "where": cases(
        (
            [((2, 3), "bool"), ((3,), "float32"), ((), "float32")],
            lambda op, c, a, b: op(c, a, b),
            np.where,
        ),
        ([((4, 1), "bool"), ((4, 1), "int8"), ((4, 1), "int8")], lambda op, c, a, b: op(c, a, b), np.where),
    ),
    # Created.
    "arange": cases(
        ([], lambda op: op(7), lambda: np.arange(7)),
        ([], lambda op: op(7, 0, -3), lambda: np.arange(7, 0, -3)),
        ([], lambda op: op(0.0, 1.0, 0.1), lambda: np.arange(0.0, 1.0, 0.1).astype(np.float32)),
        ([], lambda op: op(3, 1, dtype="int32"), lambda: np.arange(3, 1, dtype=np.int32)),
        ([], lambda op: op(-3, 4, 2, dtype="float16"), lambda: np.arange(-3, 4, 2, dtype=np.float16)),
    ),
    "astype": cases(
        *[
            ([((3, 5), a)], lambda op, x, b=b: op(x, b), lambda x, b=b: x.astype(b))
            for a in ("float32", "int8", "bool", "float64")
            for b in ("float32", "int32", "bool", "float16", "int64")
        ],
        ([np.float32([np.nan, 300, -300])], lambda op, x: op(x, "int8"), lambda x: np.int8([0, 127, -128])),
    ),
    "wrap_param": cases(([((3,), "float16")], lambda op, x: op(x), lambda x: x.astype(np.float32))),
    "eye": cases(
        ([], lambda op: op(3), lambda: np.eye(3, dtype=np.float32)),
        ([], lambda op: op(3, 5, k=1, dtype="int32"), lambda: np.eye(3, 5, 1, np.int32)),
        ([], lambda op: op(0, 2, k=-1), lambda: np.eye(0, 2, -1, np.float32)),
    ),
    "full": cases(
        ([((), "int32")], lambda op, v: op((2, 0, 3), v), lambda v: np.full((2, 0, 3), v)),
        ([((), "float32")], lambda op, v: op((3,), v, "float16"), lambda v: np.full((3,), v, np.float16)),
    ),
    "full_like": cases(
        ([((2, 3), "float32"), ((), "float32")], lambda op, x, v: op(x, v), np.full_like),
        ([((), "int8"), ((), "float32")], lambda op, x, v: op(x, v, dtype="float32"), lambda x, v: v),
    ),
    "ones": cases(([], lambda op: op((2, 3), "float32"), lambda: np.ones((2, 3), np.float32))),
    "zeros": cases(([], lambda op: op((2, 0), "int8"), lambda: np.zeros((2, 0), np.int8))),
    "ones_like": cases(
        ([((2, 3), "float32")], lambda op, x: op(x), np.ones_like),
        ([((0,), "float32")], lambda op, x: op(x, dtype="bool"), lambda x: np.ones_like(x, bool)),
    ),
    "zeros_like": cases(([((), "int64")], lambda op, x: op(x), np.zeros_like)),
    "tril": cases(
        *[([((2, 4, 5), "float32")], lambda op, x, k=k: op(x, k), lambda x, k=k: np.tril(x, k)) for k in (0, -2, 3)]
    ),
    "triu": cases(
        *[([((4, 3), "int8")], lambda op, x, k=k: op(x, k), lambda x, k=k: np.triu(x, k)) for k in (0, -2, 3)]
    ),
    # Moved.
    "broadcast_to": cases(
        (
            [((3, 1), "float32")],
            lambda op, x: op(x, (2, 3, 4)),
            lambda x: np.broadcast_to(x, (2, 3, 4)),
            {"symbolic": False},
        ),
        ([((), "int8")], lambda op, x: op(x, (0, 2)), lambda x: np.broadcast_to(x, (0, 2))),
    ),
    "collapse_sum_to": cases(
        (
            [((2, 3, 4), "float32")],
            lambda op, x: op(x, (3, 1)),
            lambda x: x.sum(0).sum(1, keepdims=True),
        ),
    ),
    "collapse_sum_like": cases(
        (
            [((2, 3), "float64"), ((3,), "float64")],
            lambda op, x, y: op(x, y),
            lambda x, y: x.sum(0),
        ),
    ),
    "concat": cases(
        *[
            (
                [((2, 3), "float32"), ((2, 3), "float32"), ((2, 3), "float32")],
                lambda op, *xs, axis=axis: op(xs, axis=axis),
                lambda *xs, axis=axis: np.concatenate(xs, axis),
            )
            for axis in (0, 1, -1)
        ],
        (
            [((0, 3), "int8"), ((2, 3), "int8")],
            lambda op, *xs: op(xs),
            lambda *xs: np.concatenate(xs),
        ),
    ),
    "stack": cases(
        *[
            (
                [((2, 3), "float32"), ((2, 3), "float32")],
                lambda op, *xs, axis=axis: op(xs, axis=axis),
                lambda *xs, axis=axis: np.stack(xs, axis),
            )
            for axis in (0, 1, -1)
        ],
    ),
    "split": cases(
        ([((6, 4), "float32")], lambda op, x: op(x, 3), lambda x: np.split(x, 3)),
        ([((7, 4), "float32")], lambda op, x: op(x, 3), lambda x: [x[:3], x[3:6], x[6:]]),
        ([((7, 4), "int8")], lambda op, x: op(x, [1, 1, 3], axis=-1), lambda x: np.split(x, [1, 1, 3], -1)),
    ),
    "expand_dims": cases(
        *[
            ([((2, 3), "float32")], lambda op, x, a=a: op(x, a), lambda x, a=a: np.expand_dims(x, a))
            for a in (0, -1, (0, 2))
        ]
    ),
    "squeeze": cases(
        ([((1, 3, 1), "float32")], lambda op, x: op(x), np.squeeze),
        ([((1, 3, 1), "float32")], lambda op, x: op(x, [-1]), lambda x: np.squeeze(x, -1)),
    ),
    "flatten": unary(np.ravel, ["float32"]),
    "reshape": cases(
        ([((2, 3, 4), "float32")], lambda op, x: op(x, (4, 6)), lambda x: x.reshape(4, 6), {"symbolic": False}),
        ([((2, 3, 4), "float32")], lambda op, x: op(x, (-1, 3)), lambda x: x.reshape(-1, 3), {"symbolic": False}),
        ([((2, 3, 4), "int8")], lambda op, x: op(x, (0, -1)), lambda x: x.reshape(2, 12)),
        ([((2, 0, 4), "int8")], lambda op, x: op(x, (0, 5)), lambda x: x.reshape(0, 5), {"symbolic": False}),
    ),
    "flip": cases(
        *[([((2, 3, 4), "float32")], lambda op, x, a=a: op(x, a), lambda x, a=a: np.flip(x, a)) for a in (0, 1, -1)]
    ),
    "permute_dims": cases(
        ([((2, 3, 4), "float32")], lambda op, x: op(x), np.transpose),
        ([((2, 3, 4), "float32")], lambda op, x: op(x, [1, -1, 0]), lambda x: np.transpose(x, (1, 2, 0))),
    ),
    "repeat": cases(
        *[
            ([((2, 3), "float32")], lambda op, x, a=a: op(x, 3, a), lambda x, a=a: np.repeat(x, 3, a))
            for a in (0, -1, None)
        ]
    ),
    "tile": cases(
        *[
            ([((2, 3), "float32")], lambda op, x, r=r: op(x, r), lambda x, r=r: np.tile(x, r))
            for r in ([2], [2, 3], [2, 1, 3])
        ],
        ([((0, 3), "float32")], lambda op, x: op(x, [2, 2]), lambda x: np.tile(x, (2, 2))),
    ),
    # Picked.
    "take": cases(
        (
            [((3, 4), "float32"), np.int64([[0, 3], [2, 1]])],
            lambda op, x, i: op(x, i, axis=1),
            lambda x, i: np.take(x, i, 1),
        ),
        (
            [((3, 4), "float32"), np.int32([-9, 3, 12])],
            lambda op, x, i: op(x, i),
            lambda x, i: np.take(x, i, mode="clip"),
        ),
        (
            [((3, 4), "int8"), np.int32([-9, 3, 12])],
            lambda op, x, i: op(x, i, axis=0, mode="wrap"),
            lambda x, i: np.take(x, i, 0, mode="wrap"),
        ),
        (
            [((3,), "float32"), np.int32([-1, 3, 0])],
            lambda op, x, i: op(x, i, axis=0, mode="nan"),
            lambda x, i: np.float32([x[-1], np.nan, x[0]]),
        ),
    ),
    "gather_elements": cases(
        *[
            (
                [((3, 4), "float32"), np.int64([[0, -1, 1], [2, 2, -3]])],
                lambda op, x, i, a=a: op(x, i, axis=a),
                lambda x, i, a=a: np.take_along_axis(x[:2] if a else x[:, :3], i, a),
            )
            for a in (0, 1)
        ]
    ),
    "gather_nd": cases(
        (
            [((2, 3, 4), "float32"), np.int64([[0, 1], [1, -1]])],
            lambda op, x, i: op(x, i),
            lambda x, i: x[i[:, 0], i[:, 1]],
        ),
        (
            [((2, 3, 4), "float32"), np.int64([[1], [2]])],
            lambda op, x, i: op(x, i, 1),
            lambda x, i: np.stack([x[0, 1], x[1, 2]]),
        ),
    ),
    "scatter_elements": cases(
        *[
            (
                [((3, 4), "float32"), np.int64([[0, 2, 1, 0], [2, 2, 1, 1]]), ((2, 4), "float32")],
                lambda op, x, i, u, r=r: op(x, i, u, axis=0, reduction=r),
                lambda x, i, u, t=t: (
                    torch.from_numpy(x).scatter_reduce(0, torch.from_numpy(i), torch.from_numpy(u), t).numpy()
                ),
                {"symbolic": False},
            )
            for r, t in (("add", "sum"), ("mul", "prod"), ("min", "amin"), ("max", "amax"))
        ],
        (
            [((3, 4), "float32"), np.int64([[0, -1], [2, 1], [3, 0]]), ((3, 2), "float32")],
            lambda op, x, i, u: op(x, i, u, axis=1),
            lambda x, i, u: torch.from_numpy(x).scatter(1, torch.from_numpy(i % 4), torch.from_numpy(u)).numpy(),
            {"symbolic": False},
        ),
    ),
    "one_hot": cases(
        (
            [np.int64([0, 2, 1])],
            lambda op, i: op(i, relax.PrimValue(1), relax.PrimValue(0), depth=3),
            lambda i: np.eye(3, dtype=np.int64)[i],
        ),
        (
            [np.int32([0, 5])],
            lambda op, i: op(i, tir.const(2.5, "float32"), tir.const(-1, "float32"), depth=3, axis=0),
            lambda i: np.float32([[2.5, -1], [-1, -1], [-1, -1]]),
        ),
    ),
    "strided_slice": cases(
        *[
            (
                [((7, 5), "float32")],
                lambda op, x, b=b, e=e, t=t: op(x, [0], [b], [e], [t]),
                lambda x, b=b, e=e, t=t: x[b:e:t],
                {"symbolic": t > 0},
            )
            for b, e, t in ((0, 7, 1), (1, 6, 2), (-3, 100, 1), (5, 2, 1), (-1, -100, -1), (6, 0, -2), (-100, -2, 3))
        ],
        ([((3, 5), "int8")], lambda op, x: op(x, [1, 0], [1, 0], [4, 2]), lambda x: x[0:2, 1:4]),
    ),
    # Reduced.
    "sum": reduction(in_wide(np.sum)),
    "prod": reduction(in_wide(np.prod)),
    "max": reduction(np.max, empty=False),
    "min": reduction(np.min, empty=False),
    "mean": reduction(in_wide(np.mean), FLOATS),
    "std": reduction(in_wide(np.std), FLOATS),
    "variance": reduction(in_wide(np.var), FLOATS),
    "argmax": cases(
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
    "argmin": cases(
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
    "cumsum": cases(
        *[
            ([((3, 5), d)], lambda op, x, a=a: op(x, axis=a), lambda x, a=a: np.cumsum(x, a, dtype=x.dtype))
            for d in ("float32", "int8")
            for a in (None, 0, -1)
        ],
        ([((4,), "int8")], lambda op, x: op(x, 0, "int32", exclusive=True), lambda x: np.cumsum(x, dtype=np.int32) - x),
    ),
    "cumprod": cases(
        *[
            ([((3, 5), d)], lambda op, x, a=a: op(x, axis=a), lambda x, a=a: np.cumprod(x, a, dtype=x.dtype))
            for d in ("float32", "int8")
            for a in (None, 0, -1)
        ],
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
            )
        ]
    ),
    # Networks.
    "nn.relu": unary(lambda x: np.maximum(x, 0), [*FLOATS, "int8"]),
    "nn.leakyrelu": unary(of_torch(lambda x: F.leaky_relu(x, 0.01))),
    "nn.silu": unary(of_torch(lambda x: x * torch.sigmoid(x))),
    "nn.gelu": unary(of_torch(F.gelu), special=False),
    "nn.gelu_tanh": unary(of_torch(lambda x: F.gelu(x, approximate="tanh")), special=False),
    "nn.softplus": unary(of_torch(F.softplus), special=False),
    "nn.softmax": cases(
        *[
            ([((2, 3, 5), d)], lambda op, x, a=a: op(x, axis=a), of_torch(lambda x, a=a: torch.softmax(x, a)))
            for d in FLOATS
            for a in (0, 1, -1)
        ],
        ([np.float32([1e4, 9999, -np.inf])], lambda op, x: op(x), of_torch(lambda x: torch.softmax(x, 0))),
        ([np.float32([1, np.nan])], lambda op, x: op(x), of_torch(lambda x: torch.softmax(x, 0))),
    ),
    "nn.log_softmax": cases(
        *[
            ([((2, 3, 5), d)], lambda op, x, a=a: op(x, axis=a), of_torch(lambda x, a=a: torch.log_softmax(x, a)))
            for d in FLOATS
            for a in (0, 1, -1)
        ],
        ([np.float32([1e4, 9999, -1e4])], lambda op, x: op(x), of_torch(lambda x: torch.log_softmax(x, 0))),
    ),
    "nn.layer_norm": cases(
        (
            [((4, 3, 5), "float32"), ((5,), "float32"), ((5,), "float32")],
            lambda op, x, g, b: op(x, g, b, axes=[-1]),
            of_torch(lambda x, g, b: F.layer_norm(x, (5,), g, b)),
        ),
        (
            [np.float32([[1e4, 1e4 + 1, 1e4 + 2]]), ((3,), "float32"), ((3,), "float32")],
            lambda op, x, g, b: op(x, g, b, axes=[1]),
            of_torch(lambda x, g, b: F.layer_norm(x, (3,), g, b)),
        ),
        (
            [((4, 3, 5), "float16"), ((3, 5), "float16"), ((3, 5), "float16")],
            lambda op, x, g, b: op(x, g, b, axes=[1, 2], epsilon=0.1),
            of_torch(lambda x, g, b: F.layer_norm(x, (3, 5), g, b, 0.1)),
        ),
    ),
    "nn.rms_norm": cases(
        (
            [((4, 3, 5), "float32"), ((5,), "float32")],
            lambda op, x, w: op(x, w, axes=[-1]),
            of_torch(lambda x, w: F.rms_norm(x, (5,), w, 1e-5)),
        ),
        (
            [((4, 5), "float16"), ((5,), "float16")],
            lambda op, x, w: op(x, w),
            of_torch(lambda x, w: F.rms_norm(x, (5,), w, 1e-5)),
        ),
    ),
    "nn.group_norm": cases(
        *[
            (
                [((2, 6, 3, 2), "float32"), ((6,), "float32"), ((6,), "float32")],
                lambda op, x, g, b, n=n: op(x, g, b, num_groups=n, channel_axis=1, axes=[2, 3]),
                of_torch(lambda x, g, b, n=n: F.group_norm(x, n, g, b)),
            )
            for n in (1, 2, 6)
        ]
    ),
    "nn.batch_norm": cases(
        *[
            (
                [((2, 3, 4), "float32"), *[((3,), "float32")] * 3, np.float32([0.5, 1, 2])],
                lambda op, x, g, b, m, v, t=t: op(x, g, b, m, v, axis=1, training=t, momentum=0.25),
                lambda x, g, b, m, v, t=t: batch_norm(x, g, b, m, v, t),
            )
            for t in (False, True)
        ]
    ),
    "nn.dense": cases(
        *[
            ([(a, d), (b, d)], lambda op, x, w: op(x, w), lambda x, w: np.matmul(x, w.T))
            for a, b in [
                ((3, 5), (4, 5)),
                ((7,), (1, 7)),
                ((2, 0, 3), (2, 3)),
                ((2, 1, 3, 4), (5, 4)),
                ((3, 0), (2, 0)),
            ]
            for d in ("float32", "float64", "int32")
        ],
        (
            [((2, 3), "int8"), ((4, 3), "int8")],
            lambda op, x, w: op(x, w, out_dtype="int32"),
            lambda x, w: np.matmul(x.astype(np.int32), w.T.astype(np.int32)),
        ),
    ),
    "nn.dropout": cases(([((2, 3), "float32")], lambda op, x: op(x), lambda x: [x, np.ones_like(x)])),
    "nn.pad": cases(
        *[
            (
                [((4, 3), "float32")],
                lambda op, x, m=m: op(x, [1, 2, 0, 1], pad_value=1.5 if m == "constant" else 0.0, pad_mode=m),
                lambda x, n=n, k=k: np.pad(x, ((1, 2), (0, 1)), n, **k),
            )
            for m, n, k in (
                ("constant", "constant", {"constant_values": 1.5}),
                ("edge", "edge", {}),
                ("reflect", "reflect", {}),
                ("circular", "wrap", {}),
            )
        ],
        ([((), "float32")], lambda op, x: op(x, []), lambda x: x),
        ([((0, 2), "int8")], lambda op, x: op(x, [1, 1, 0, 1]), lambda x: np.pad(x, ((1, 1), (0, 1)))),
    ),
}


def batch_norm(x, gamma, beta, mean, variance, training):
    """As `torch.nn.functional.batch_norm`, but that the moving variance is that of a population."""
    moved = [mean, variance]
    if training:
        own = [x.mean((0, 2)), x.var((0, 2))]
        moved = [0.75 * old + 0.25 * new for old, new in zip(moved, own, strict=True)]
        mean, variance = own
    by_channel = [p.reshape(1, -1, 1) for p in (mean, variance, gamma, beta)]
    result = (x - by_channel[0]) / np.sqrt(by_channel[1] + 1e-5) * by_channel[2] + by_channel[3]
    return [np.asarray(a, x.dtype) for a in (result, *moved)]
