"""Attention, losses, and gradients of losses and pools."""

from __future__ import annotations

from functools import partial

import numpy as np
import torch

from .sampling import Reference, Sample, random_array

F = torch.nn.functional


def seen(queries, keys, causal, window):
    """Which keys each query sees."""
    i, j = np.arange(queries)[:, None], np.arange(keys)[None]
    place = i + (keys - queries if causal == "BottomRight" else 0)
    mask = np.ones((queries, keys), bool)
    if causal:
        mask &= j <= place
    if window:
        mask &= place - j < window
        mask &= (j - place < window) if not causal else True
    return mask


def attend(q, k, v, bias, mask, scale):
    """PyTorch's attention in float64; zeros for who sees nothing."""
    q, k, v = (torch.from_numpy(a.astype(np.float64)).transpose(1, 2) for a in (q, k, v))
    add = np.where(mask, 0.0, -np.inf)
    if bias is not None:
        add = add + bias.astype(np.float64)
    add = torch.from_numpy(np.broadcast_to(add, (q.shape[0], q.shape[1], q.shape[2], k.shape[2])).copy())
    result = F.scaled_dot_product_attention(q, k, v, attn_mask=add, scale=scale).transpose(1, 2).numpy()
    return np.where(np.broadcast_to(mask.any(-1)[:, None, None], result.shape), result, 0.0)


SHAPES = [
    ((2, 5, 3, 4), 7, 6),
    ((1, 1, 1, 1), 1, 1),
    ((2, 7, 1, 8), 3, 8),
    ((1, 3, 2, 5), 3, 5),
    ((1, 0, 2, 4), 3, 4),
    ((0, 3, 2, 4), 3, 4),
    ((1, 2, 2, 4), 0, 4),
]
MASKS = [
    {},
    {"scale": 0.3},
    {"causal_mask": "TopLeft"},
    {"causal_mask": "BottomRight"},
    {"causal_mask": "BottomRight", "window_size": 2},
    {"causal_mask": "TopLeft", "window_size": 1, "scale": 2.0},
    {"window_size": 2},
]


def reference(said, q, k, v, bias=None):
    """The attention that the attributes say."""
    if q.size == 0 or k.shape[1] == 0:
        return np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    mask = seen(q.shape[1], k.shape[1], said.get("causal_mask"), said.get("window_size"))
    return attend(q, k, v, bias, mask, said.get("scale")).astype(q.dtype)


def attentions(biases):
    """Samples of attention, with biases of these shapes."""

    def samples(rng, op):
        for dtype in ("float32", "float16"):
            # What is said of masks has nothing to do with the element type.
            for shape, keys, width in SHAPES if dtype == "float32" else SHAPES[:2]:
                for said in MASKS if dtype == "float32" else MASKS[:3]:
                    batch, queries, heads, inner = shape
                    arrays = [
                        random_array(rng, shape, dtype),
                        random_array(rng, (batch, keys, heads, inner), dtype),
                        random_array(rng, (batch, keys, heads, width), dtype),
                    ]
                    for bias in biases:
                        own = (
                            [n if keep else 1 for n, keep in zip((batch, heads, queries, keys), bias, strict=True)]
                            if bias
                            else None
                        )
                        more = [random_array(rng, tuple(own), dtype)] if own else []
                        tolerance = 5e-6 if dtype == "float32" else None
                        yield Sample(
                            [*arrays, *more], partial(op, **said), partial(reference, said), tolerance=tolerance
                        )

    return Reference(samples)


def extreme_attention(rng, op):
    """Scores that overflow an exponential, and infinite biases."""
    yield from attentions([(1, 1, 1, 1), (0, 0, 0, 1), (0, 1, 1, 1)]).samples(rng, op)
    q = np.full((1, 2, 1, 1), 1e3, np.float32)
    k, v = np.float32([1, 2, -1]).reshape(1, 3, 1, 1), np.float32([3, 5, 7]).reshape(1, 3, 1, 1)
    bias = np.float32([[0, -np.inf, 0], [-np.inf, 0, -np.inf]]).reshape(1, 1, 2, 3)
    yield Sample([q, k, v, bias], op, partial(reference, {}))


def of_lengths(said, q, k, v, starts_q, starts_k, *_):
    """Each sequence by itself."""
    result = np.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    for a, b, c, d in zip(starts_q[:-1], starts_q[1:], starts_k[:-1], starts_k[1:], strict=True):
        result[:, a:b] = reference(said, q[:, a:b], k[:, c:d], v[:, c:d])
    return result


def lengths(rng, op):
    """Samples of sequences of several lengths, empty ones and places behind the last among them."""
    for dtype in ("float32", "float16"):
        for of_q, of_k in (([3, 1, 4], [2, 5, 4]), ([5], [3]), ([0, 2, 0, 3], [1, 2, 3, 0]), ([1], [1])):
            for said in MASKS:
                for more in (0, 2):
                    q = random_array(rng, (1, sum(of_q) + more, 2, 4), dtype)
                    k = random_array(rng, (1, sum(of_k) + more, 2, 4), dtype)
                    v = random_array(rng, (1, sum(of_k) + more, 2, 3), dtype)
                    starts = [np.cumsum([0, *own]).astype("int32") for own in (of_q, of_k)]
                    longest = [np.asarray(max(own), "int32") for own in (of_q, of_k)]
                    tolerance = 5e-6 if dtype == "float32" else None
                    arrays = [q, k, v, *starts, *longest]
                    # The function has a length behind the starts that it belongs to.
                    call = lambda q, k, v, sq, sk, mq, mk, a=said: op(q, k, v, sq, mq, sk, mk, **a)  # noqa: E731
                    yield Sample(arrays, call, partial(of_lengths, said), tolerance=tolerance)


def entropy(rng, op):
    """Samples of cross entropy."""
    for dtype in ("float32", "float16", "float64"):
        for shape in [(5,), (1,), (3, 5), (1, 7), (4, 1)]:
            arrays = [random_array(rng, shape, dtype), np.abs(random_array(rng, shape, dtype))]
            yield Sample(arrays, op, cross_entropy)


def cross_entropy(x, labels):
    """Worked out in float64."""
    total = -(x.astype(np.float64) * labels.astype(np.float64)).sum()
    return np.asarray(total / (x.shape[0] if x.ndim > 1 else 1)).astype(x.dtype)


def loss(said, x, targets, weights=None):
    """PyTorch's loss in float64."""
    weights = None if weights is None else torch.from_numpy(weights.astype(np.float64))
    x = torch.from_numpy(x.astype(np.float64))
    return F.nll_loss(x, torch.from_numpy(targets.astype(np.int64)), weights, **said)


def losses(rng):
    """Arrays and attributes of losses: predictions, targets, weights."""
    for shape in [(5,), (3, 5), (1, 4), (2, 3, 4), (2, 3, 2, 2), (2, 3, 2, 1, 2), (1, 2, 1, 2, 1, 2)]:
        for reduction in ("none", "sum", "mean"):
            for weighted in (False, True):
                for ignored in (-100, 1):
                    classes = shape[0] if len(shape) == 1 else shape[1]
                    targets = rng.integers(0, classes, shape[:1] + shape[2:] if len(shape) > 1 else ()).astype("int64")
                    weights = [np.abs(random_array(rng, (classes,), "float32")) + np.float32(0.1)] if weighted else []
                    said = {"reduction": reduction, "ignore_index": ignored}
                    yield [random_array(rng, shape, "float32"), np.asarray(targets), *weights], said


def nll(rng, op):
    """Samples of losses."""
    for arrays, said in losses(rng):
        yield Sample(arrays, partial(op, **said), lambda *a, s=said: loss(s, *a).numpy().astype(a[0].dtype))
    # Of targets that all do not count the mean is of nothing.
    given = [np.float32([[1, 2]]), np.int64([1])]
    yield Sample(given, partial(op, ignore_index=1), lambda *_: np.float32(np.nan))
    # Classes are held.
    given = [np.float32([[1, 2], [3, 4]]), np.int64([9, -7])]
    yield Sample(given, partial(op, reduction="none"), lambda *_: np.float32([-2, -3]))


def loss_gradient(said, grad, x, targets, weights=None):
    """PyTorch's gradient in float64."""
    own = torch.from_numpy(x.astype(np.float64)).requires_grad_()
    weights = None if weights is None else torch.from_numpy(weights.astype(np.float64))
    result = F.nll_loss(own, torch.from_numpy(targets.astype(np.int64)), weights, **said)
    result.backward(torch.from_numpy(grad.astype(np.float64)))
    return own.grad.numpy().astype(x.dtype)


def nll_gradients(rng, op):
    """Samples of gradients of losses."""
    for arrays, said in losses(rng):
        shape = arrays[1].shape if said["reduction"] == "none" else ()
        if said["reduction"] == "mean" and (arrays[1] == said["ignore_index"]).all():
            continue
        given = [random_array(rng, shape, "float32"), *arrays]
        yield Sample(given, partial(op, **said), partial(loss_gradient, said))


POOLS = [
    (2, 2, 0, 1, False),
    (3, 1, 1, 1, False),
    ((3, 2), (2, 1), (1, 0), 1, False),
    (2, 3, 0, 1, True),
    (3, 2, 1, 1, True),
    (1, 1, 0, 1, False),
]


def pool_gradient(pool, grad, x):
    """PyTorch's gradient in float64."""
    own = torch.from_numpy(x.astype(np.float64)).requires_grad_()
    pool(own).backward(torch.from_numpy(grad.astype(np.float64)))
    return own.grad.numpy().astype(x.dtype)


def pool_gradients(kind):
    """Samples of gradients of pools."""

    def samples(rng, op):
        shapes = [(1, 1, 4, 4), (2, 3, 7, 5), (1, 2, 6, 9)]
        for shape in shapes:
            options = [*POOLS, (2, 1, 0, 2, False), (2, 2, 1, 2, True)] if kind == "max" else POOLS
            for size, stride, padding, dilation, ceil in options:
                for with_border in (False,) if kind == "max" else (False, True):
                    if kind == "max":
                        pool = partial(
                            F.max_pool2d,
                            kernel_size=size,
                            stride=stride,
                            padding=padding,
                            dilation=dilation,
                            ceil_mode=ceil,
                        )
                    else:
                        pool = partial(
                            F.avg_pool2d,
                            kernel_size=size,
                            stride=stride,
                            padding=padding,
                            ceil_mode=ceil,
                            count_include_pad=with_border,
                        )
                    x = rng.integers(-3, 4, shape).astype("float32")
                    grad = random_array(rng, tuple(pool(torch.from_numpy(x)).shape), "float32")
                    border = padding if isinstance(padding, int) else [*padding, *padding]
                    call = partial(
                        op, pool_size=size, strides=stride, padding=border, dilation=dilation, ceil_mode=ceil,
                        count_include_pad=with_border,
                    )  # fmt: skip
                    yield Sample([grad, x], call, partial(pool_gradient, pool))

    return Reference(samples)


REFERENCES: dict[str, Reference] = {
    "nn.attention": attentions([None]),
    "nn.attention_bias": Reference(extreme_attention),
    "nn.attention_var_len": Reference(lengths),
    "nn.cross_entropy_with_logits": Reference(entropy),
    "nn.nll_loss": Reference(nll),
    "grad.nll_loss_backward": Reference(nll_gradients),
    "grad.max_pool2d_backward": pool_gradients("max"),
    "grad.avg_pool2d_backward": pool_gradients("avg"),
}
