"""Shapes and indices: elements that stand elsewhere."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from tilewright import relax, tir

from .sampling import (
    SHAPES,
    Reference,
    Sample,
    along,
    cases,
    dims,
    joined,
    random_array,
    unary,
)

F = torch.nn.functional


def collapsed(rng, op):
    """Tensors summed to the shape of another one."""
    yield Sample([random_array(rng, (), "float32") for _ in range(2)], op, lambda x, y: x)
    for shape in SHAPES[:7]:
        arrays = [random_array(rng, (3, *shape), "float32"), random_array(rng, shape, "float32")]
        yield Sample(arrays, op, lambda x, y: x.sum(0))
        if 1 in shape:
            wide = tuple(max(n, 2) for n in shape)
            sums = tuple(d for d, n in enumerate(shape) if n == 1)
            arrays = [random_array(rng, wide, "float32"), random_array(rng, shape, "float32")]
            yield Sample(arrays, op, lambda x, y, sums=sums: x.sum(sums, keepdims=True))


def turned(rank, axis):
    """A dimension in front of the others, of as many as are known."""
    if rank < 0:
        raise ValueError("of an unknown rank there is no order of dimensions")
    return [axis, *(d for d in range(rank) if d != axis % rank)]


def taken(rng, op):
    """Elements along each dimension, at indices of several ranks."""
    for shape in SHAPES[1:]:
        for axis, of_indices in zip(range(len(shape)), [(3,), (), (2, 1), (0,), (1, 2, 1)], strict=False):
            if shape[axis] == 0 and 0 not in of_indices:
                of_indices = (0,)
            indices = rng.integers(0, max(shape[axis], 1), of_indices).astype("int64")
            yield Sample(
                [random_array(rng, shape, "float32", True), np.asarray(indices)],
                partial(op, axis=axis),
                lambda x, i, axis=axis: np.take(x, i, axis),
            )


def indices_along(rng):
    """Data, an axis, and indices of its shape."""
    for shape in SHAPES[1:]:
        for axis in sorted({0, len(shape) - 1}):
            if shape[axis]:
                n = shape[axis]
                yield random_array(rng, shape, "float32"), axis, np.asarray(rng.integers(-n, n, shape).astype("int64"))


def gathered(rng, op):
    """Elements at indices of every rank."""
    for data, axis, indices in indices_along(rng):
        yield Sample([data, indices], partial(op, axis=axis), lambda x, i, a=axis: np.take_along_axis(x, i, a))


def scattered(rng, op):
    """Elements added at indices of every rank."""
    for data, axis, indices in indices_along(rng):

        def added(x, i, u, axis=axis):
            x, i, u = (torch.from_numpy(a) for a in (x, i % x.shape[axis], u))
            return x.scatter_add(axis, i, u).numpy()

        updates = random_array(rng, data.shape, "float32")
        yield Sample([data, indices, updates], partial(op, axis=axis, reduction="add"), added)


def gathered_rows(rng, op):
    """Elements at rows of indices, of data of every rank."""
    for shape, of_indices in [
        ((7,), (3, 1)),
        ((1,), (1,)),
        ((0,), (0, 1)),
        ((), (3, 0)),
        ((3, 5), (2, 1, 2)),
        ((2, 1, 3, 1), (2, 3)),
        ((2, 1, 3, 1, 2), (0, 5)),
    ]:
        columns = [rng.integers(-n, max(n, 1), of_indices[:-1]) for n in shape[: of_indices[-1]]]
        indices = np.stack(columns, -1) if columns else np.zeros(of_indices)
        yield Sample(
            [random_array(rng, shape, "float32"), indices.astype("int64")],
            op,
            lambda x, i: x[tuple(np.moveaxis(i, -1, 0))] if i.shape[-1] else np.broadcast_to(x, i.shape[:-1]),
        )


def hot(rng, op):
    """Indices of every rank."""
    for shape in SHAPES:
        yield Sample(
            [np.asarray(rng.integers(0, 5, shape).astype("int64"))],
            lambda i: op(i, relax.PrimValue(1), relax.PrimValue(0), depth=5),
            lambda i: np.eye(5, dtype=np.int64)[i],
        )


REFERENCES: dict[str, Reference] = {
    "broadcast_to": joined(
        cases(
            (
                [((3, 1), "float32")],
                lambda op, x: op(x, (2, 3, 4)),
                lambda x: np.broadcast_to(x, (2, 3, 4)),
                {"symbolic": False},
            ),
            ([((), "int8")], lambda op, x: op(x, (0, 2)), lambda x: np.broadcast_to(x, (0, 2))),
        ),
        unary(lambda x: np.broadcast_to(x, (2, *x.shape)), ["float32"], call=lambda op, x: op(x, [2, *dims(x)])),
    ),
    "collapse_sum_to": joined(
        unary(lambda x: x, ["float32"], call=lambda op, x: op(x, []), shapes=[()]),
        cases(
            (
                [((2, 3, 4), "float32")],
                lambda op, x: op(x, (3, 1)),
                lambda x: x.sum(0).sum(1, keepdims=True),
            ),
        ),
        unary(lambda x: x.sum(0), ["float32"], False, lambda op, x: op(x, dims(x)[1:]), [(3, *s) for s in SHAPES[:7]]),
    ),
    "collapse_sum_like": joined(
        cases(
            (
                [((2, 3), "float64"), ((3,), "float64")],
                lambda op, x, y: op(x, y),
                lambda x, y: x.sum(0),
            ),
        ),
        Reference(collapsed),
    ),
    "concat": joined(
        cases(
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
        along(lambda op, axis, *xs: op(xs, axis=axis), lambda axis, *xs: np.concatenate(xs, axis), count=2),
    ),
    "stack": joined(
        cases(([((), "float32"), ((), "float32")], lambda op, *xs: op(xs, axis=0), lambda *xs: np.stack(xs))),
        cases(
            *[
                (
                    [((2, 3), "float32"), ((2, 3), "float32")],
                    lambda op, *xs, axis=axis: op(xs, axis=axis),
                    lambda *xs, axis=axis: np.stack(xs, axis),
                )
                for axis in (0, 1, -1)
            ],
        ),
        along(lambda op, axis, *xs: op(xs, axis=axis), lambda axis, *xs: np.stack(xs, axis), count=2),
    ),
    "split": joined(
        cases(
            ([((6, 4), "float32")], lambda op, x: op(x, 3), lambda x: np.split(x, 3)),
            ([((7, 4), "float32")], lambda op, x: op(x, 3), lambda x: [x[:3], x[3:6], x[6:]]),
            ([((7, 4), "int8")], lambda op, x: op(x, [1, 1, 3], axis=-1), lambda x: np.split(x, [1, 1, 3], -1)),
        ),
        along(lambda op, axis, x: op(x, [1], axis), lambda axis, x: np.split(x, [1], axis), takes=lambda n: n > 0),
    ),
    "expand_dims": joined(
        cases(
            *[
                ([((2, 3), "float32")], lambda op, x, a=a: op(x, a), lambda x, a=a: np.expand_dims(x, a))
                for a in (0, -1, (0, 2))
            ]
        ),
        unary(lambda x: x[None], ["float32"], call=lambda op, x: op(x, 0)),
        along(lambda op, axis, x: op(x, axis), lambda axis, x: np.expand_dims(x, axis)),
    ),
    "squeeze": joined(
        cases(
            ([((1, 3, 1), "float32")], lambda op, x: op(x), np.squeeze),
            ([((1, 3, 1), "float32")], lambda op, x: op(x, [-1]), lambda x: np.squeeze(x, -1)),
        ),
        unary(np.squeeze, ["float32"], call=lambda op, x: op(x)),
        along(lambda op, axis, x: op(x, [axis]), lambda axis, x: np.squeeze(x, axis), takes=lambda n: n == 1),
    ),
    "flatten": unary(np.ravel, ["float32"]),
    "reshape": joined(
        cases(
            ([((2, 3, 4), "float32")], lambda op, x: op(x, (4, 6)), lambda x: x.reshape(4, 6), {"symbolic": False}),
            ([((2, 3, 4), "float32")], lambda op, x: op(x, (-1, 3)), lambda x: x.reshape(-1, 3), {"symbolic": False}),
            ([((2, 3, 4), "int8")], lambda op, x: op(x, (0, -1)), lambda x: x.reshape(2, 12)),
            ([((2, 0, 4), "int8")], lambda op, x: op(x, (0, 5)), lambda x: x.reshape(0, 5), {"symbolic": False}),
        ),
        unary(np.ravel, ["float32"], call=lambda op, x: op(x, (-1,))),
        unary(lambda x: x[..., None], ["float32"], call=lambda op, x: op(x, [*dims(x), 1])),
    ),
    "flip": joined(
        cases(
            *[([((2, 3, 4), "float32")], lambda op, x, a=a: op(x, a), lambda x, a=a: np.flip(x, a)) for a in (0, 1, -1)]
        ),
        along(lambda op, axis, x: op(x, axis), lambda axis, x: np.flip(x, axis)),
    ),
    "permute_dims": joined(
        cases(
            ([((2, 3, 4), "float32")], lambda op, x: op(x), np.transpose),
            ([((2, 3, 4), "float32")], lambda op, x: op(x, [1, -1, 0]), lambda x: np.transpose(x, (1, 2, 0))),
        ),
        unary(np.transpose, ["float32"]),
        along(
            lambda op, axis, x: op(x, turned(x.struct_info.ndim, axis)),
            lambda axis, x: x.transpose(turned(x.ndim, axis)),
        ),
    ),
    "repeat": joined(
        cases(
            *[
                ([((2, 3), "float32")], lambda op, x, a=a: op(x, 3, a), lambda x, a=a: np.repeat(x, 3, a))
                for a in (0, -1, None)
            ]
        ),
        unary(lambda x: np.repeat(x, 2), ["float32"], call=lambda op, x: op(x, 2)),
        along(lambda op, axis, x: op(x, 2, axis), lambda axis, x: np.repeat(x, 2, axis)),
    ),
    "tile": joined(
        cases(
            *[
                ([((2, 3), "float32")], lambda op, x, r=r: op(x, r), lambda x, r=r: np.tile(x, r))
                for r in ([2], [2, 3], [2, 1, 3])
            ],
            ([((0, 3), "float32")], lambda op, x: op(x, [2, 2]), lambda x: np.tile(x, (2, 2))),
        ),
        unary(lambda x: np.tile(x, [2, 1, 3]), ["float32"], call=lambda op, x: op(x, [2, 1, 3])),
    ),
    # Picked.
    "take": joined(
        cases(
            (
                [((3, 4), "float32"), np.int64([[0, 3], [2, 1]])],
                lambda op, x, i: op(x, i, axis=1),
                lambda x, i: np.take(x, i, 1),
            ),
            (
                [((12,), "float32"), np.int32([-9, 3, 12])],
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
        Reference(taken),
    ),
    "gather_elements": joined(
        cases(
            *[
                (
                    [((3, 4), "float32"), np.int64([[0, -1, 1], [2, 2, -3]])],
                    lambda op, x, i, a=a: op(x, i, axis=a),
                    lambda x, i, a=a: np.take_along_axis(x[:2] if a else x[:, :3], i, a),
                )
                for a in (0, 1)
            ]
        ),
        Reference(gathered),
    ),
    "gather_nd": joined(
        cases(
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
        Reference(gathered_rows),
    ),
    "scatter_elements": joined(
        cases(
            *[
                (
                    [((3, 4), "float32"), np.int64([[0, 2, 1, 0], [2, 2, 1, 1]]), ((2, 4), "float32")],
                    lambda op, x, i, u, r=r: op(x, i, u, axis=0, reduction=r),
                    lambda x, i, u, t=t: (
                        torch.from_numpy(x).scatter_reduce(0, torch.from_numpy(i), torch.from_numpy(u), t).numpy()
                    ),
                )
                for r, t in (("add", "sum"), ("mul", "prod"), ("min", "amin"), ("max", "amax"))
            ],
            (
                [((3, 4), "float32"), np.int64([[0, -1], [2, 1], [3, 0]]), ((3, 2), "float32")],
                lambda op, x, i, u: op(x, i, u, axis=1),
                lambda x, i, u: torch.from_numpy(x).scatter(1, torch.from_numpy(i % 4), torch.from_numpy(u)).numpy(),
            ),
        ),
        Reference(scattered),
    ),
    "one_hot": joined(
        cases(
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
        Reference(hot),
    ),
    "strided_slice": joined(
        unary(lambda x: x, ["float32"], call=lambda op, x: op(x, [], [], []), shapes=[()]),
        cases(
            *[
                (
                    [((7, 5), "float32")],
                    lambda op, x, b=b, e=e, t=t: op(x, [0], [b], [e], [t]),
                    lambda x, b=b, e=e, t=t: x[b:e:t],
                    {"symbolic": t > 0},
                )
                for b, e, t in (
                    (0, 7, 1),
                    (1, 6, 2),
                    (-3, 100, 1),
                    (5, 2, 1),
                    (-1, -100, -1),
                    (6, 0, -2),
                    (-100, -2, 3),
                )
            ],
            ([((3, 5), "int8")], lambda op, x: op(x, [1, 0], [1, 0], [4, 2]), lambda x: x[0:2, 1:4]),
        ),
        along(
            lambda op, axis, x: op(x, [axis], [1], [100], [2]),
            lambda axis, x: np.take(x, range(1, x.shape[axis], 2), axis),
        ),
    ),
}
