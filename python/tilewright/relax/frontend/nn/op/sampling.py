"""Drawing from distributions, which random numbers that are given decide."""

from __future__ import annotations

from ..core import Tensor, refused
from .binding import call
from .elementwise import astype, divide, less, less_equal, minimum, multiply, subtract, where
from .manipulate import arange, reshape, take
from .reduce import cumsum, max, min, sum

__all__ = ["multinomial_from_uniform", "renormalize_top_p_top_k_prob", "sample_top_p_top_k_from_sorted_prob"]


def multinomial_from_uniform(
    prob: Tensor, uniform_sample: Tensor, sample_indices: Tensor | None = None, dtype: str = "int64",
    name: str = "multinomial_from_uniform",
) -> Tensor:  # fmt: skip
    """Indices (m, 1) drawn from the rows of `prob`: for each sample of (m, 1) in [0, 1) from its row.

    `sample_indices` (m, 1) has the rows; without it the rows are drawn from in order.
    """
    if sample_indices is None:
        sample_indices = _own_rows(uniform_sample)
    return call("multinomial_from_uniform", (prob, uniform_sample, sample_indices), {"dtype": dtype}, name)


def _own_rows(samples: Tensor) -> Tensor:
    return reshape(arange(0, samples.shape[0], 1, "int64"), [samples.shape[0], 1])


def _kept(sorted_prob: Tensor, top_p: Tensor, top_k: Tensor) -> Tensor:
    """Which of falling probabilities count: the first one, and others while those before sum to less than `top_p` and
    are fewer than `top_k`."""
    before = cumsum(sorted_prob, axis=1, exclusive=True)
    place = reshape(arange(0, sorted_prob.shape[1], 1, "int64"), [1, sorted_prob.shape[1]])
    kept = call("logical_and", (less(before, top_p), less(place, astype(top_k, "int64"))), {})
    return call("logical_or", (kept, call("equal", (place, Tensor.from_scalar(0, "int64")), {})), {})


def _check_rows(name: str, **tensors: Tensor) -> None:
    for own, tensor in tensors.items():
        if tensor.ndim != 2 or tensor.shape[1] != 1:
            raise refused(f"op.{name}: `{own}` has the shape (rows, 1), found {tensor.shape}")


def renormalize_top_p_top_k_prob(
    prob: Tensor, sorted_prob: Tensor, top_p: Tensor, top_k: Tensor, name: str = "renormalize_top_p_top_k_prob"
) -> Tensor:
    """The probabilities (n, v) of which the largest count, so that these sum to 1; the others are 0.

    Those count that come first in `sorted_prob`, the same in falling order, until they sum to `top_p` (n, 1) or are
    `top_k` (n, 1), and those that are as large as the last of them.
    """
    _check_rows("renormalize_top_p_top_k_prob", top_p=top_p, top_k=top_k)
    largest = Tensor.from_scalar(float("inf"), sorted_prob.dtype)
    least = min(where(_kept(sorted_prob, top_p, top_k), sorted_prob, largest), axis=1, keepdims=True)
    kept = where(less(prob, least), Tensor.from_scalar(0, prob.dtype), prob)
    return divide(kept, sum(kept, axis=1, keepdims=True), name=name)


def sample_top_p_top_k_from_sorted_prob(
    sorted_prob: Tensor, sorted_index: Tensor, top_p: Tensor, top_k: Tensor, uniform_sample: Tensor,
    sample_indices: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Indices (m, 1) drawn from the rows of falling probabilities (n, v), of which the first count.

    Those count that come first until they sum to `top_p` (n, 1) or are `top_k` (n, 1). `uniform_sample` (m, 1) in
    [0, 1) decides; `sample_indices` (m, 1) has the row of each sample, without it the rows are drawn from in order.
    `sorted_index` (n, v) has what is drawn.
    """
    name = "sample_top_p_top_k_from_sorted_prob"
    _check_rows(name, top_p=top_p, top_k=top_k, uniform_sample=uniform_sample)
    if sample_indices is None:
        sample_indices = _own_rows(uniform_sample)
    counts = _kept(sorted_prob, top_p, top_k)
    kept = where(counts, sorted_prob, Tensor.from_scalar(0, sorted_prob.dtype))
    rows = reshape(sample_indices, [-1])
    sums = take(cumsum(kept, axis=1), rows, axis=0)
    total = max(sums, axis=1, keepdims=True)
    passed = sum(astype(less_equal(sums, multiply(uniform_sample, total)), "int64"), axis=1, keepdims=True)
    # Rounding may bring a sample that is almost 1 after the last that counts.
    last = subtract(sum(take(astype(counts, "int64"), rows, axis=0), axis=1, keepdims=True), 1)
    return call("gather_elements", (take(sorted_index, rows, axis=0), minimum(passed, last)), {"axis": 1}, name)
