"""Layers of one input and their parameters."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from .sampling import (
    FLOATS,
    SHAPES,
    Reference,
    Sample,
    along,
    cases,
    joined,
    of_torch,
    random_array,
    unary,
)

F = torch.nn.functional


def normalised(call, reference, parameters):
    """Normalisations over the last dimension and the last two, of tensors of every rank."""

    def samples(rng, op):
        for shape in SHAPES[1:]:
            for last in range(1, min(len(shape), 2) + 1):
                own, axes = shape[-last:], list(range(-last, 0))
                if 0 not in own:
                    arrays = [random_array(rng, shape, "float32"), *(random_array(rng, own, "float32"),) * parameters]
                    yield Sample(arrays, partial(call, op, axes), of_torch(partial(reference, axes)))

    return Reference(samples)


def in_groups(rng, op):
    """Groups of channels of images of every rank."""
    for shape in [(2, 6), (2, 3, 1), (2, 3, 7), (0, 6, 2, 3), (2, 6, 1, 3, 2)]:
        own = [random_array(rng, shape[1:2], "float32") for _ in range(2)]
        yield Sample(
            [random_array(rng, shape, "float32"), *own],
            partial(op, num_groups=3, channel_axis=1, axes=list(range(2, len(shape)))),
            of_torch(lambda x, g, b: F.group_norm(x, 3, g, b)),
        )


def batches(rng, op):
    """Batches of every rank."""
    for shape in [(3, 5), (2, 1, 7), (2, 3, 1, 2), (2, 3, 1, 3, 2)]:
        own = [random_array(rng, shape[1:2], "float32") for _ in range(3)]
        variance = np.abs(random_array(rng, shape[1:2], "float32")) + np.float32(0.5)
        for training in (False, True):
            yield Sample(
                [random_array(rng, shape, "float32"), *own, variance],
                partial(op, axis=1, training=training, momentum=0.25),
                partial(batch_norm, training=training),
            )


def batch_norm(x, gamma, beta, mean, variance, training):
    """As `torch.nn.functional.batch_norm`, but that the moving variance is that of a population."""
    moved = [mean, variance]
    others = tuple(d for d in range(x.ndim) if d != 1)
    if training:
        own = [x.mean(others), x.var(others)]
        moved = [0.75 * old + 0.25 * new for old, new in zip(moved, own, strict=True)]
        mean, variance = own
    by_channel = [np.expand_dims(p, others) for p in (mean, variance, gamma, beta)]
    result = (x - by_channel[0]) / np.sqrt(by_channel[1] + 1e-5) * by_channel[2] + by_channel[3]
    return [np.asarray(a, x.dtype) for a in (result, *moved)]


REFERENCES: dict[str, Reference] = {
    "nn.relu": unary(lambda x: np.maximum(x, 0), [*FLOATS, "int8"]),
    "nn.leakyrelu": unary(of_torch(lambda x: F.leaky_relu(x, 0.01))),
    "nn.silu": unary(of_torch(lambda x: x * torch.sigmoid(x))),
    "nn.gelu": unary(of_torch(F.gelu), special=False),
    "nn.gelu_tanh": unary(of_torch(lambda x: F.gelu(x, approximate="tanh")), special=False),
    "nn.softplus": unary(of_torch(F.softplus), special=False),
    "nn.softmax": joined(
        cases(
            *[
                ([((2, 3, 5), d)], lambda op, x, a=a: op(x, axis=a), of_torch(lambda x, a=a: torch.softmax(x, a)))
                for d in FLOATS
                for a in (0, 1, -1)
            ],
            ([np.float32([1e4, 9999, -np.inf])], lambda op, x: op(x), of_torch(lambda x: torch.softmax(x, 0))),
            ([np.float32([1, np.nan])], lambda op, x: op(x), of_torch(lambda x: torch.softmax(x, 0))),
        ),
        along(
            lambda op, axis, x: op(x, axis=axis), lambda axis, x: of_torch(torch.softmax)(x, dim=axis), special=False
        ),
    ),
    "nn.log_softmax": joined(
        cases(
            *[
                ([((2, 3, 5), d)], lambda op, x, a=a: op(x, axis=a), of_torch(lambda x, a=a: torch.log_softmax(x, a)))
                for d in FLOATS
                for a in (0, 1, -1)
            ],
            ([np.float32([1e4, 9999, -1e4])], lambda op, x: op(x), of_torch(lambda x: torch.log_softmax(x, 0))),
        ),
        along(
            lambda op, axis, x: op(x, axis=axis),
            lambda axis, x: of_torch(torch.log_softmax)(x, dim=axis),
            special=False,
        ),
    ),
    "nn.layer_norm": joined(
        cases(
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
        normalised(
            lambda op, axes, x, g, b: op(x, g, b, axes=axes), lambda axes, x, g, b: F.layer_norm(x, g.shape, g, b), 2
        ),
    ),
    "nn.rms_norm": joined(
        cases(
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
        normalised(lambda op, axes, x, w: op(x, w, axes=axes), lambda axes, x, w: F.rms_norm(x, w.shape, w, 1e-5), 1),
    ),
    "nn.group_norm": joined(
        cases(
            *[
                (
                    [((2, 6, 3, 2), "float32"), ((6,), "float32"), ((6,), "float32")],
                    lambda op, x, g, b, n=n: op(x, g, b, num_groups=n, channel_axis=1, axes=[2, 3]),
                    of_torch(lambda x, g, b, n=n: F.group_norm(x, n, g, b)),
                )
                for n in (1, 2, 6)
            ]
        ),
        Reference(in_groups),
    ),
    "nn.batch_norm": joined(
        cases(
            *[
                (
                    [((2, 3, 4), "float32"), *[((3,), "float32")] * 3, np.float32([0.5, 1, 2])],
                    lambda op, x, g, b, m, v, t=t: op(x, g, b, m, v, axis=1, training=t, momentum=0.25),
                    lambda x, g, b, m, v, t=t: batch_norm(x, g, b, m, v, t),
                )
                for t in (False, True)
            ]
        ),
        Reference(batches),
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
                ((2, 1, 3, 1, 4), (5, 4)),
            ]
            for d in ("float32", "float64", "int32")
        ],
        (
            [((2, 3), "int8"), ((4, 3), "int8")],
            lambda op, x, w: op(x, w, out_dtype="int32"),
            lambda x, w: np.matmul(x.astype(np.int32), w.T.astype(np.int32)),
        ),
    ),
    "nn.dropout": unary(lambda x: [x, np.ones_like(x)], ["float32"]),
    "nn.pad": joined(
        cases(
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
        unary(
            lambda x: np.pad(x, [(2, 1)] * x.ndim) if x.ndim else x,
            ["float32"],
            call=lambda op, x: op(x, [2, 1] * x.struct_info.ndim),
        ),
    ),
}
