"""Orders, places, sets, draws and sums of products by letters; what only a run knows the size of."""

from __future__ import annotations

from functools import partial

import numpy as np

from .sampling import SHAPES, Reference, Sample, cases, direct, random_array

LINES = [(1,), (0,), (7,), (64,), (33, 2), (3, 5), (2, 0, 3), (2, 1, 3, 1), (2, 1, 3, 1, 2)]


def order(x: np.ndarray, axis: int = -1, descending: bool = False) -> np.ndarray:
    """The indices that sort, equal elements in their order and NaN greatest."""
    if not descending:
        return np.argsort(x, axis, kind="stable")
    flipped = np.argsort(np.flip(x, axis), axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - flipped, axis)


def in_order(x: np.ndarray, axis: int = -1, descending: bool = False) -> np.ndarray:
    """The elements, sorted."""
    return np.take_along_axis(x, order(x, axis, descending), axis)


def lines(call, reference, shapes=LINES, dtypes=("float32", "float16", "int8", "bool"), least: int = 0):
    """A reference over lines of tensors with ties, NaN and infinities, in both orders and along several dimensions."""

    def samples(rng, op):
        for dtype in dtypes:
            for shape in shapes:
                for axis in {0, -1} if len(shape) > 1 else {-1}:
                    for descending in (False, True):
                        if shape[axis] < least:
                            continue
                        x = random_array(rng, shape, dtype, special=True)
                        yield Sample([x], partial(call, op, axis, descending), partial(reference, axis, descending))

    return Reference(samples)


def first_of(axis, largest, k, give, dtype, x):
    """The `k` first elements (all, where `k` is not positive), their indices, or both."""
    places = np.take(order(x, axis, largest), range(k if k > 0 else x.shape[axis]), axis)
    values = np.take_along_axis(x, places, axis)
    places = places.astype(dtype)
    return {"both": [values, places], "values": values, "indices": places}[give]


def median(axis, keepdims, x):
    """The lower median, NaN where there is one; of one dimension with its index."""
    axes = tuple(range(x.ndim)) if axis is None else tuple(a % x.ndim for a in np.atleast_1d(axis))
    kept = [a for a in range(x.ndim) if a not in axes]
    line = x.transpose([*kept, *axes]).reshape([x.shape[a] for a in kept] + [-1])
    places = order(line, -1, True)
    first = np.take_along_axis(line, places[..., :1], -1)
    middle = np.where(first != first, places[..., :1], places[..., line.shape[-1] // 2][..., None])
    shape = [1 if a in axes else n for a, n in enumerate(x.shape)] if keepdims else [x.shape[a] for a in kept]
    values = np.take_along_axis(line, middle, -1).reshape(shape)
    single = axis is not None and len(np.atleast_1d(axis)) == 1
    return [values, middle.reshape(shape).astype(np.int64)] if single else values


def medians(rng, op):
    """Samples of medians."""
    for dtype in ("float32", "int8", "float16"):
        for shape in [(1,), (7,), (8,), (3, 5), (2, 4, 3), (2, 1, 3, 2), (2, 1, 3, 1, 2)]:
            axes = [None, -1, 0] + ([[0, -1]] if len(shape) > 1 else [])
            for axis in axes:
                for keepdims in (False, True):
                    x = random_array(rng, shape, dtype, special=True)
                    call = partial(op, axis=axis, keepdims=keepdims)
                    yield Sample([x], call, partial(median, axis, keepdims))
    yield Sample([np.float32(3)], op, lambda x: x)


def ranked(k, axis, keepdims, x):
    """The element that a stable sort puts at place `k`, counted from 1, and its index."""
    places = np.take(order(x, axis), [k - 1], axis)
    both = [np.take_along_axis(x, places, axis), places]
    return both if keepdims else [np.squeeze(found, axis) for found in both]


def ranks(rng, op):
    """Samples of elements of a rank."""
    for dtype in ("float32", "float16", "int8", "bool"):
        for shape in LINES:
            for axis in {0, -1} if len(shape) > 1 else {-1}:
                size = shape[axis]
                for k in sorted({1, size // 2 + 1, size} if size else set()):
                    for keepdims in (False, True):
                        x = random_array(rng, shape, dtype, special=True)
                        call = partial(op, k=k, axis=axis, keepdims=keepdims)
                        yield Sample([x], call, partial(ranked, k, axis, keepdims))


def letters(rng, op):
    """Samples of sums of products."""
    forms = [
        ("ij,jk->ik", (2, 3), (3, 5)),
        ("ij,jk", (2, 3), (3, 5)),
        ("i,i->", (7,), (7,)),
        ("i,j->ji", (3,), (5,)),
        ("ij->ji", (2, 3)),
        ("ij->", (3, 5)),
        ("ba", (3, 5)),
        ("ii->i", (4, 4)),
        ("ii", (4, 4)),
        ("bhid,bhjd->bhij", (2, 3, 5, 4), (2, 3, 1, 4)),
        ("...ij,...jk->...ik", (2, 1, 2, 3), (5, 3, 4)),
        ("...i->...", (2, 3, 5)),
        ("a...b->b...a", (2, 3, 5)),
        ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
        ("ij,ij->i", (3, 1), (3, 5)),
        ("ij,jk->ik", (0, 3), (3, 2)),
        ("ij,jk->ik", (2, 0), (0, 2)),
        (" i j , j -> i ", (2, 3), (3,)),
        (",i->i", (), (3,)),
        ("->", ()),
        ("abcde->edcba", (2, 1, 3, 1, 2)),
    ]
    for text, *shapes in forms:
        for dtype in ("float32", "int32"):
            arrays = [random_array(rng, shape, dtype) for shape in shapes]
            yield Sample(
                arrays,
                lambda *xs, text=text: op(list(xs), text),
                lambda *xs, text=text: summed(text, *xs),
            )


def summed(text, *arrays):
    """NumPy's sum of products; floats in float64."""
    dtype = arrays[0].dtype
    if dtype.kind == "f":
        arrays = [a.astype(np.float64) for a in arrays]
    return np.asarray(np.einsum(text.replace(" ", ""), *arrays)).astype(dtype)


def drawn(dtype, prob, uniform, rows):
    """The first class whose sum of probabilities is more than the number."""
    wide = np.float64 if prob.dtype == np.float64 else np.float32
    sums = np.cumsum(prob.astype(wide), 1)
    row = np.clip(np.where(rows < 0, rows.astype(np.int64) + len(prob), rows), 0, len(prob) - 1)[:, 0].astype(int)
    below = (sums[row] <= uniform.astype(np.float64)).sum(1)
    return np.minimum(below, prob.shape[1] - 1).astype(dtype)[:, None]


def draws(rng, op):
    """Samples of draws."""
    for dtype in ("float32", "float64"):
        for batch, classes, count in ((3, 5, 7), (1, 1, 1), (4, 33, 0), (2, 64, 100)):
            prob = rng.random((batch, classes)).astype(dtype)
            prob /= prob.sum(1, keepdims=True)
            uniform = rng.random((count, 1)).astype(dtype)
            rows = rng.integers(0, batch, (count, 1)).astype("int64")
            yield Sample([prob, uniform, rows], op, partial(drawn, np.int64), retyped=False)
    prob, uniform = np.float32([[0.25, 0, 0.5, 0.25]]), np.float32([[0], [0.25], [0.75], [1], [np.nan], [-1]])
    rows = np.int16([[0], [-1], [5], [0], [-9], [0]])
    yield Sample([prob, uniform, rows], partial(op, dtype="int32"), partial(drawn, np.int32))


def distinct(rng, op):
    """Samples of sets."""
    for dtype in ("int32", "float32", "bool", "uint8", "float16", "float64"):
        for shape in [(), (1,), (0,), (9,), (3, 5), (2, 0, 3), (2, 1, 3, 1), (2, 1, 3, 1, 2)]:
            for asked in ((), ("return_index",), ("return_index", "return_inverse", "return_counts")):
                for in_order in (True, False):
                    x = random_array(rng, shape, dtype, special=True)
                    call = partial(op, sorted=in_order, **dict.fromkeys(asked, True))
                    yield Sample([x], call, partial(the_distinct, in_order, asked, None))
    for dtype in ("int32", "bool"):
        for shape, axis in (
            ((4, 2), 0),
            ((2, 5), -1),
            ((3, 2, 2), 1),
            ((7,), 0),
            ((5, 0), 0),
            ((0, 3), 1),
            ((2, 1, 0), 0),
        ):
            x = random_array(rng, shape, dtype) % 2 if dtype == "int32" else random_array(rng, shape, dtype)
            asked = ("return_index", "return_inverse", "return_counts")
            call = partial(op, axis=axis, **dict.fromkeys(asked, True))
            yield Sample([np.asarray(x)], call, partial(the_distinct, True, asked, axis))


def the_distinct(in_order, asked, axis, x):
    """NumPy's distinct elements, all of one dimension but the elements along an axis."""
    values, index, inverse, counts = np.unique(x, True, True, True, axis=axis)
    inverse = inverse.reshape(-1)
    if not in_order:
        turn = np.argsort(index)
        values, index, counts = values[turn], index[turn], counts[turn]
        inverse = np.argsort(turn)[inverse]
    also = {"return_index": index, "return_inverse": inverse, "return_counts": counts}
    results = [values, *[also[name].astype(np.int64) for name in asked]]
    return results if len(results) > 1 else values


def in_range(rng, shape, extent, dtype):
    """Indices from both ends, some out of range."""
    return rng.integers(-extent - 2, extent + 2, shape).astype(dtype)


def held(index, extent):
    """Counted from the end where negative, and held within the dimension."""
    index = index.astype(np.int64)
    return np.clip(np.where(index < 0, index + extent, index), 0, extent - 1)


COMBINE = {
    "update": lambda a, b: b,
    "add": np.add,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


def scattered(reduction, data, indices, updates):
    """Rows of indices, one after the other."""
    result = data.copy()
    for row in np.ndindex(indices.shape[:-1]):
        at = tuple(int(held(i, n)) for i, n in zip(indices[row], data.shape, strict=False))
        result[at] = COMBINE[reduction](result[at], updates[row])
    return result


def scatters(rng, op):
    """Samples of rows of indices that elements go to."""
    forms = [
        ((7,), (3, 1)),
        ((4, 5), (3, 2)),
        ((4, 5), (3, 1)),
        ((2, 3, 4), (2, 5, 2)),
        ((2, 3), (0, 2)),
        ((3,), (2, 0)),
        ((3,), (1,)),
        ((), (2, 0)),
        ((2, 1, 3, 1), (4, 3)),
        ((2, 1, 3, 1, 2), (3, 2)),
    ]
    for dtype in ("float32", "int8"):
        for reduction in COMBINE:
            for shape, of_indices in forms:
                data = random_array(rng, shape, dtype)
                indices = in_range(rng, of_indices, min(shape, default=1), "int64")
                updates = random_array(rng, of_indices[:-1] + shape[of_indices[-1] :], dtype)
                yield Sample(
                    [data, indices, updates],
                    partial(op, reduction=reduction),
                    partial(scattered, reduction),
                )


INDEXED = [
    ((7,), [(3,)], (3,)),
    ((7,), [()], ()),
    ((4, 5), [(3,), (3,)], (3,)),
    ((4, 5), [(3, 1), (2,)], (3, 2)),
    ((4, 5), [(2,)], (2, 5)),
    ((2, 3, 4), [(2, 2)], (2, 2, 3, 4)),
    ((2, 3, 4), [(5,), (1,)], (5, 4)),
    ((2, 3), [(0,)], (0, 3)),
    ((2, 1, 3, 2), [(3,), (1,), (3,)], (3, 2)),
    ((2, 1, 3, 1, 2), [(2,), (2,)], (2, 3, 1, 2)),
]


def at_indices(data, *indices):
    """NumPy's indexing, indices held."""
    return data[tuple(held(i, n) for i, n in zip(indices, data.shape, strict=False))]


def indexed(rng, op):
    """Samples of tensors of indices."""
    for dtype in ("float32", "bool"):
        for shape, of_indices, _ in INDEXED:
            indices = [in_range(rng, s, n, "int64") for s, n in zip(of_indices, shape, strict=False)]
            arrays = [random_array(rng, shape, dtype), *indices]
            yield Sample(arrays, lambda x, *i: op(x, list(i)), at_indices)


def put(accumulate, data, *rest):
    """NumPy's assignment, indices held."""
    *indices, values = rest
    at = tuple(held(i, n) for i, n in zip(indices, data.shape, strict=False))
    result = data.copy()
    if accumulate:
        np.add.at(result, at, values)
    else:
        result[at] = values
    return result


def puts(rng, op):
    """Samples of values that go to places."""
    for dtype in ("float32", "int8"):
        for accumulate in (False, True):
            for shape, of_indices, places in INDEXED:
                indices = [in_range(rng, s, n, "int64") for s, n in zip(of_indices, shape, strict=False)]
                for own in {places, (), (1, *places[1:])}:
                    yield Sample(
                        [
                            random_array(rng, shape, dtype),
                            *indices,
                            random_array(rng, own[len(own) - len(places) :] if own else (), dtype),
                        ],
                        lambda x, *r, a=accumulate: op(x, list(r[:-1]), r[-1], accumulate=a),
                        partial(put, accumulate),
                    )


def buckets(rng, op):
    """Samples of buckets."""
    for dtype in ("float32", "int8"):
        for shape in [(), (1,), (0,), (9,), (3, 5), (2, 0, 3), (2, 1, 3, 1), (2, 1, 3, 1, 2)]:
            for count in (0, 1, 2, 3, 4, 7, 8, 33) if len(shape) < 3 else (5,):
                bounds = np.sort(random_array(rng, (count,), dtype))
                for right in (False, True):
                    x = random_array(rng, shape, dtype, special=True)
                    kind = np.int32 if right else np.int64
                    yield Sample(
                        [x, bounds],
                        partial(op, out_int32=right, right=right),
                        lambda x, b, s="right" if right else "left", kind=kind: np.searchsorted(b, x, s).astype(kind),
                    )


def slices(rng, op):
    """Samples of slices whose bounds are tensors."""
    for dtype in ("float32", "int8"):
        for shape in [(), (7,), (1,), (0,), (4, 5), (3, 0, 2), (2, 1, 3, 1), (2, 1, 3, 1, 2)]:
            for _ in range(4):
                begin, end = (rng.integers(-9, 9, len(shape)) for _ in range(2))
                strides = rng.choice([-3, -2, -1, 1, 2, 3], len(shape))
                arrays = [random_array(rng, shape, dtype), *[np.int64(a) for a in (begin, end, strides)]]
                yield Sample(
                    arrays,
                    op,
                    lambda x, *bounds: x[tuple(slice(*map(int, part)) for part in zip(*bounds, strict=True))],
                )
    far = np.iinfo(np.int64)
    for begin, end, step in (
        (far.min, far.max, 1),
        (far.max, far.min, -1),
        (0, far.max, far.max),
        (3, far.min, far.min),
    ):
        arrays = [random_array(rng, (5,), "float32"), *[np.int64([b]) for b in (begin, end, step)]]
        yield Sample(arrays, op, lambda x, b, e, t: x[slice(int(b[0]), int(e[0]), int(t[0]))])


def places(x):
    """NumPy's places of what is not 0."""
    return np.stack(np.nonzero(np.atleast_1d(x))).astype(np.int64)


def nonzeros(rng, op):
    """Samples with zeros."""
    for dtype in ("float32", "int8", "bool", "float16"):
        for shape in [(), (1,), (0,), (9,), (3, 5), (2, 0, 3), (2, 1, 3, 1), (2, 1, 3, 1, 2)]:
            x = random_array(rng, shape, dtype, special=True)
            x = np.where(rng.random(shape) < 0.5, np.zeros((), x.dtype), x).astype(x.dtype)
            yield Sample([np.asarray(x)], op, places)


def added_back(axis, grad, x, indices):
    """Elements added where they were taken."""
    wide = grad.astype(np.float64)
    if axis is None:
        total = np.zeros(x.size)
        np.add.at(total, np.clip(indices, 0, x.size - 1), wide)
        return total.reshape(x.shape).astype(x.dtype)
    total = np.zeros(np.moveaxis(x, axis, 0).shape)
    behind = np.moveaxis(wide, range(axis, axis + indices.ndim), range(indices.ndim))
    np.add.at(total, np.clip(indices, 0, x.shape[axis] - 1), behind)
    return np.moveaxis(total, 0, axis).astype(x.dtype)


def taken_back(rng, op):
    """Samples of gradients of elements taken."""
    for shape, axis, of_indices in [
        ((7,), 0, (3,)), ((7,), None, (2, 3)), ((3, 5), 1, (4,)), ((3, 5), None, (9,)), ((2, 3, 4), 1, (2, 2)),
        ((3, 5), 0, ()), ((3, 5), 0, (0,)), ((1,), 0, (3,)), ((7,), 0, ()), ((3, 5), 1, (2, 2)),
        ((2, 1, 3, 2), 2, (2, 2)),
    ]:  # fmt: skip
        extent = shape[axis] if axis is not None else int(np.prod(shape))
        indices = rng.integers(-2, extent + 2, of_indices).astype("int64")
        like = of_indices if axis is None else shape[:axis] + of_indices + shape[axis + 1 :]
        arrays = [random_array(rng, like, "float32"), random_array(rng, shape, "float32"), indices]
        yield Sample(arrays, partial(op, axis=axis), partial(added_back, axis))


REFERENCES: dict[str, Reference] = {
    "sort": lines(lambda op, axis, down, x: op(x, axis, down), lambda axis, down, x: in_order(x, axis, down)),
    "argsort": lines(
        lambda op, axis, down, x: op(x, axis, down, "int64" if down else "int32"),
        lambda axis, down, x: order(x, axis, down).astype("int64" if down else "int32"),
    ),
    "topk": Reference(
        lambda rng, op: (
            sample
            for k, give, dtype in (
                (0, "both", "int64"),
                (1, "both", "int32"),
                (2, "values", "int64"),
                (2, "indices", "int64"),
                (3, "both", "int64"),
                (20, "both", "int32"),
                (33, "indices", "int64"),
                (40, "both", "int64"),
            )
            for sample in lines(
                lambda op, axis, down, x, k=k, g=give, d=dtype: op(x, k, axis, g, down, d),
                lambda axis, down, x, k=k, g=give, d=dtype: first_of(axis, down, k, g, d, x),
                least=k,
            ).samples(rng, op)
        )
    ),
    "median": Reference(medians),
    "kthvalue": Reference(ranks),
    "einsum": Reference(letters),
    "multinomial_from_uniform": Reference(draws),
    "unique": Reference(distinct),
    "nonzero": Reference(nonzeros),
    "dynamic_strided_slice": Reference(slices),
    "scatter_nd": Reference(scatters),
    "index_tensor": Reference(indexed),
    "index_put": Reference(puts),
    "bucketize": Reference(buckets),
    "grad.take_backward": Reference(taken_back),
    **{
        f"grad.{name}": cases(*[([(s, "float32")], direct, lambda x: x) for s in SHAPES])
        for name in ("no_grad", "start_checkpoint", "end_checkpoint")
    },
    # Of one worker.
    **{
        f"ccl.{name}": cases(*[([(s, "float32")], direct, lambda x: x) for s in SHAPES])
        for name in ("allreduce", "broadcast_from_worker0")
    },
    **{
        f"ccl.{name}": cases(*[([(s, "float32")], lambda op, x: op(x, 1), lambda x: x) for s in SHAPES if s])
        for name in ("allgather", "scatter_from_worker0")
    },
}
