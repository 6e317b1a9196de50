"""Operations of `relax.frontend.nn` beside NumPy, compiled, with every dimension symbolic."""

import numpy as np
import pytest
from nn_checks import F32, random, run, tensor

import tilewright as tw
from tilewright.relax.frontend import nn
from tilewright.relax.frontend.nn import op

UNARY = {
    "abs": np.abs, "ceil": np.ceil, "cos": np.cos, "exp": np.exp, "floor": np.floor, "negative": np.negative,
    "relu": lambda x: np.maximum(x, 0), "round": np.round, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "silu": lambda x: x / (1 + np.exp(-x)), "sin": np.sin, "softplus": lambda x: np.log1p(np.exp(x)),
    "square": np.square, "tanh": np.tanh,
}  # fmt: skip
POSITIVE = {"log": np.log, "rsqrt": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt}


@pytest.mark.parametrize("name", [*UNARY, *POSITIVE])
def test_unary_operations(name):
    x = random(3, 5)
    x = np.abs(x) + 0.1 if name in POSITIVE else x
    np.testing.assert_allclose(run(getattr(op, name), x), (UNARY | POSITIVE)[name](x), rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", [
    "add", "divide", "equal", "greater", "greater_equal", "less", "less_equal", "maximum", "minimum", "multiply",
    "not_equal", "power", "subtract",
])  # fmt: skip
def test_binary_operations(name):
    x, y = np.abs(random(3, 5)).round(1) + 0.5, np.abs(random(3, 5, seed=3)).round(1) + 0.5
    y[0] = x[0]
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(run(getattr(op, name), x, y), getattr(np, name)(x, y), rtol=2e-6, atol=1e-6)


CASES = {
    "where": (lambda x, y: op.where(x > y, x, y), np.maximum),
    "where of numbers": (lambda x, y: op.where((x > y).astype("int32"), x, 0), lambda x, y: np.where(x > y, x, 0)),
    "softmax": (lambda x, y: op.softmax(x, 0), lambda x, y: np.exp(x) / np.exp(x).sum(0)),
    "sum": (lambda x, y: op.sum(x, axis=0), lambda x, y: x.sum(0)),
    "sum of all": (lambda x, y: op.sum(x), lambda x, y: x.sum()),
    "max": (lambda x, y: op.max(x, axis=[1], keepdims=True), lambda x, y: x.max(1, keepdims=True)),
    "min": (lambda x, y: op.min(x, axis=-1), lambda x, y: x.min(-1)),
    "mean": (lambda x, y: op.mean(x, axis=1), lambda x, y: x.mean(1)),
    "cumsum": (lambda x, y: op.cumsum(x, 1), lambda x, y: x.cumsum(1)),
    "exclusive cumsum": (lambda x, y: op.cumsum(x, 1, exclusive=True), lambda x, y: x.cumsum(1) - x),
    "matmul": (lambda x, y: op.matmul(x, op.permute_dims(y)), lambda x, y: x @ y.T),
    "sort": (lambda x, y: op.sort(x, 0, descending=True), lambda x, y: -np.sort(-x, 0)),
    "argsort": (lambda x, y: op.argsort(x, -1), lambda x, y: np.argsort(x, -1).astype("int32")),
    "topk": (lambda x, y: op.topk(x, 2, ret_type="values"), lambda x, y: -np.sort(-x, -1)[:, :2]),
    "smallest": (lambda x, y: op.topk(x, 1, 0, "indices", largest=False),
                 lambda x, y: x.argmin(0)[None].astype("int32")),
    "unsqueeze": (lambda x, y: op.unsqueeze(x, 1), lambda x, y: x[:, None]),
    "squeeze": (lambda x, y: op.squeeze(op.unsqueeze(x, -1)), lambda x, y: x),
    "concat": (lambda x, y: op.concat([x, y, x], 1), lambda x, y: np.concatenate([x, y, x], 1)),
    "reshape": (lambda x, y: op.reshape(x, [-1, 1]), lambda x, y: x.reshape(-1, 1)),
    "broadcast_to": (lambda x, y: op.broadcast_to(x, [2, *x.shape]), lambda x, y: np.stack([x, x])),
    "permute": (lambda x, y: op.permute(x, [1, 0]), lambda x, y: x.T),
    "repeat": (lambda x, y: op.repeat(x, 3), lambda x, y: x.repeat(3)),
    "take": (lambda x, y: op.take(x, nn.Tensor.from_const(np.array([2, 0], "int32")), 0), lambda x, y: x[[2, 0]]),
    "pad": (lambda x, y: op.pad(x, [1, 0, 0, 2], value=7), lambda x, y: np.pad(x, [(1, 0), (0, 2)], constant_values=7)),
    "triu": (lambda x, y: op.triu(x, 1), lambda x, y: np.triu(x, 1)),
    "tril": (lambda x, y: op.tril(x), lambda x, y: np.tril(x)),
    "full": (lambda x, y: op.full([2, x.shape[1]], 3, "int32"), lambda x, y: np.full((2, x.shape[1]), 3, "int32")),
    "zeros": (lambda x, y: op.zeros(x.shape), lambda x, y: np.zeros_like(x)),
    "empty": (lambda x, y: op.empty(x.shape), lambda x, y: np.zeros_like(x)),
    "ones": (lambda x, y: op.ones(x.shape, "int8"), lambda x, y: np.ones(x.shape, "int8")),
    "arange": (lambda x, y: op.arange(x.shape[0]), lambda x, y: np.arange(x.shape[0], dtype=F32)),
    "a range": (lambda x, y: op.arange(1, 2 * x.shape[1], 3, "int64"), lambda x, y: np.arange(1, 2 * x.shape[1], 3)),
    "astype": (lambda x, y: op.astype(op.astype(x, F32), "float64"), lambda x, y: x.astype("float64")),
    "split": (lambda x, y: op.split(x, [1, 3], axis=1)[1], lambda x, y: x[:, 1:3]),
    "rms_norm": (lambda x, y: op.rms_norm(x, op.max(y, 0), -1, 1e-3),
                 lambda x, y: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-3) * y.max(0)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_operations(case):
    function, expected = CASES[case]
    x, y = random(3, 5), random(3, 5, seed=4)
    found, wanted = run(function, x, y), expected(x, y)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_parts_come_as_tuples():
    x = random(4, 6)
    for parts in (run(lambda x: op.chunk(op.reshape(x, [4, 6]), 3, 1), x), run(lambda x: op.split(x, [2, 4], 1), x)):
        np.testing.assert_array_equal(np.stack(parts), np.stack(np.split(x, 3, 1)))
    values, indices = run(lambda x: op.topk(x, 2, dtype="int64"), x)
    assert indices.dtype == "int64"
    np.testing.assert_array_equal(np.take_along_axis(x, indices, -1), values)


def test_operations_are_called_after_themselves_or_as_one_likes():
    model = nn.Module()
    model.forward = lambda x: op.exp(op.exp(op.relu(x), name="mine"))
    module, _ = model.export_tvm({"forward": {"x": tensor(2)}})
    bound = [binding.var.name_hint for binding in module["forward"].body.blocks[0].bindings]
    assert bound == ["relu", "mine", "exp", "gv"]


# Drawing from distributions.


def probabilities(rows, count, seed=0):
    values = np.random.default_rng(seed).random((rows, count)) ** 3
    return (values / values.sum(1, keepdims=True)).astype(F32)


def kept_of(row, top_p, top_k):
    """How many of falling probabilities count, one by one."""
    count, before = 0, 0.0
    while count < len(row) and (count == 0 or (before < top_p and count < top_k)):
        before += float(row[count])
        count += 1
    return count


TOP_P, TOP_K = np.array([[0.5], [0.99], [0.0], [1.0]], F32), np.array([[3], [2], [5], [100]], "int32")


def test_the_probabilities_that_count_are_scaled():
    prob = probabilities(4, 9)
    order = -np.sort(-prob, 1)
    found = run(op.renormalize_top_p_top_k_prob, prob, order, TOP_P, TOP_K)
    for row, falling, top_p, top_k, result in zip(prob, order, TOP_P, TOP_K, found, strict=True):
        least = falling[kept_of(falling, top_p[0], top_k[0]) - 1]
        expected = np.where(row >= least, row, 0)
        np.testing.assert_allclose(result, expected / expected.sum(), rtol=1e-5)
    assert [(result > 0).sum() for result in found][1:] == [2, 1, 9]


def test_samples_are_drawn_from_the_probabilities_that_count():
    prob = probabilities(4, 9, seed=3)
    index = np.argsort(-prob, 1).astype("int32")
    falling = np.take_along_axis(prob, index, 1)
    rows = np.repeat(np.arange(4), 50)[:, None]
    samples = np.random.default_rng(1).random((200, 1)).astype(F32)
    samples[::50], samples[1::50] = 0, np.nextafter(np.float32(1), np.float32(0))
    function = op.sample_top_p_top_k_from_sorted_prob
    found = run(function, falling, index, TOP_P, TOP_K, samples, rows)
    assert found.shape == (200, 1)
    for row, sample, drawn in zip(rows[:, 0], samples[:, 0], found[:, 0], strict=True):
        count = kept_of(falling[row], TOP_P[row, 0], TOP_K[row, 0])
        sums = falling[row, :count].astype("float64").cumsum()
        place = int((sums <= sample * sums[-1]).sum())
        assert drawn in index[row, max(place - 1, 0) : place + 1 + 1] and drawn in index[row, :count]
        if np.abs(sums - sample * sums[-1]).min() > 1e-6:
            assert drawn == index[row, place]
    own = run(function, falling, index, TOP_P, TOP_K, samples[2:6])
    np.testing.assert_array_equal(own, run(function, falling, index, TOP_P, TOP_K, samples[2:6], np.arange(4)[:, None]))


def test_samples_are_drawn_by_uniform_numbers():
    prob = probabilities(3, 6)
    samples = np.random.default_rng(1).random((5, 1)).astype(F32)
    rows = np.array([[2], [0], [1], [0], [2]])
    found = run(op.multinomial_from_uniform, prob, samples, rows)
    assert found.dtype == np.int64
    expected = [int((prob[row].cumsum() < sample).sum()) for row, sample in zip(rows[:, 0], samples[:, 0], strict=True)]
    np.testing.assert_array_equal(found[:, 0], expected)
    own = run(lambda p, u: op.multinomial_from_uniform(p, u, dtype="int32"), prob, samples[:3])
    assert own.dtype == np.int32 and own.shape == (3, 1)


def test_mismatched_operands_are_refused():
    def refused(function, match, *shapes):
        with pytest.raises(tw.TVMError, match=match):
            run(function, *(random(*shape) for shape in shapes))

    sample = op.sample_top_p_top_k_from_sorted_prob
    refused(lambda x: sample(x, x, x, x, x), r"`top_p` has the shape \(rows, 1\)", (2, 3))
    refused(lambda x: op.astype(x, "int32") + 0.5, "the number 0.5 as operand of a tensor of int32 is no integer", (2,))
    refused(lambda x: x + "text", "expected a tensor or a number, found 'text'", (2,))
    refused(lambda x: op.reshape(x, 4), "a shape is a list of dimensions, found 4", (4,))
    refused(lambda x: op.concat([x, 3], 0), "op.concat: `x` is a list of tensors and of nothing else", (4,))
    refused(lambda x: op.relu(3), "op.relu: `x` is a tensor, found 3", (4,))
    refused(lambda x: op.softmax(x, object()), "op.softmax: `axis` is a number", (4,))
    refused(lambda x: op.add(1, 2), "op.add: `a` is a tensor, or the other operand is one, found 1", (4,))
    refused(lambda x: op.interpolate(x, 2, 2), "one of `size` and `scale_factor`", (1, 1, 2, 2))
    refused(lambda x: op.interpolate(x, 2, antialias=True), "not supported", (1, 1, 2, 2))
    refused(op.ccl_allreduce, "one worker", (2,))
    refused(lambda x: op.ccl_allgather(x, 2), "one worker", (2,))
    refused(op.ccl_broadcast_from_worker0, "one worker", (2,))
    refused(lambda x, y: op.matmul(op.reshape(x, [2, 3]), op.reshape(y, [4, 5])), "matmul", (2, 3), (4, 5))


def test_wrong_arguments_are_type_errors():
    for call, match in [
        (lambda x: op.softmax(), "needs the argument `x`"),
        (lambda x: op.softmax(x, dim=1), "has no argument `dim`, only x, axis, name"),
        (lambda x: op.softmax(x, 1, axis=1), "two values for the argument `axis`"),
        (lambda x: op.softmax(x, 1, "name", 3), "at most 3 arguments"),
    ]:
        with pytest.raises(TypeError, match=match):
            run(call, random(2))


def test_one_worker_gathers_its_own_tensor():
    x = random(2, 3)
    np.testing.assert_array_equal(run(lambda x: op.ccl_allgather(x, 1), x), x)
