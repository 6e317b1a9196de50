"""Operators into which ONNX Runtime fuses others, on models that the tests write: results are formulas of NumPy."""

import numpy as np
import pytest
from onnx_writer import graph, model, node

import tilewright as tw
from tilewright import relax
from tilewright.relax.frontend.onnx import from_onnx

RANDOM = np.random.default_rng(5)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype("float32")


def run(op, inputs, constants=(), outputs=1, **attributes):
    """The outputs of a node of `com.microsoft`; an input that is `None` is left out."""
    given = {name: value for name, value in inputs.items() if value is not None and name not in constants}
    names = [name if value is not None else "" for name, value in inputs.items()]
    results = [f"y{at}" for at in range(outputs)]
    typed = [(name, str(value.dtype), value.shape) for name, value in given.items()]
    one = node(op, names, results, "com.microsoft", **attributes)
    whole = model(graph([one], typed, results, {name: inputs[name] for name in constants}))
    main = relax.VirtualMachine(relax.build(from_onnx(whole), target="llvm"), tw.cpu())["main"]
    found = main(*[tw.nd.array(value) for value in given.values()])
    return [item.numpy() for item in ([found] if outputs == 1 else found)]


def softmax(x):
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def heads(x, count):
    return x.reshape(*x.shape[:2], count, -1).transpose(0, 2, 1, 3)


def attend(q, k, v, hidden, fill=-1e30):
    """Attention of heads, without the keys that are hidden."""
    scores = np.where(hidden, fill, 0) + q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
    found = softmax(scores) @ v
    return found.transpose(0, 2, 1, 3).reshape(q.shape[0], q.shape[2], -1)


def test_attention_with_packed_projections_and_both_kinds_of_masks():
    x, w, b = floats(2, 4, 6), floats(6, 24), floats(24)
    q, k, v = (heads(part, 2) for part in np.split(x @ w + b, 3, -1))
    positions = np.arange(4)
    ends, starts = np.array([3, 4]), np.array([1, 0])
    for mask, seen in (
        (ends, positions < ends[:, None]),
        (np.concatenate([ends, starts]), (positions < ends[:, None]) & (positions >= starts[:, None])),
        (np.array([[1, 1, 0, 0], [0, 1, 1, 1]]), np.array([[1, 1, 0, 0], [0, 1, 1, 1]], bool)),
    ):
        inputs = {"x": x, "w": w, "b": b, "mask": mask.astype("int32")}
        (found,) = run("Attention", inputs, ("w", "b"), num_heads=2, mask_filter_value=-50.0)
        expected = attend(q, k, v, ~seen[:, None, None], -50)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_attention_of_quantised_projections():
    x = RANDOM.integers(0, 255, (1, 3, 8)).astype("uint8")
    w = RANDOM.integers(-128, 127, (8, 24)).astype("int8")
    scale = RANDOM.uniform(0.005, 0.01, 24).astype("float32")
    all_parts = (x.astype("float32") - 120) * 0.02 @ (w * scale) + 0.5
    q, k, v = (heads(part, 2) for part in np.split(all_parts, 3, -1))
    inputs = {"x": x, "w": w, "b": np.full(24, 0.5, "float32"), "xs": np.float32(0.02), "ws": scale, "mask": None}
    inputs |= {"xz": np.uint8(120), "wz": np.zeros(24, "int8")}
    (found,) = run("QAttention", inputs, [n for n, v in inputs.items() if n != "x" and v is not None], num_heads=2)
    np.testing.assert_allclose(found, attend(q, k, v, False), rtol=1e-3, atol=1e-4)


def test_packed_heads():
    packed = floats(2, 3, 2, 3, 4)
    q, k, v = (packed[:, :, :, at].transpose(0, 2, 1, 3) for at in range(3))
    (found,) = run("MultiHeadAttention", {"q": packed}, num_heads=2)
    np.testing.assert_allclose(found, attend(q, k, v, False), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("room", [4, 7])
def test_groups_of_queries_with_a_cache_of_sequences_of_different_lengths(room):
    """The first sequence has 4 positions before, the second 2: `room` for more stays as it is."""
    before = np.array([4, 2])
    q, k, v = floats(2, 1, 64), floats(2, 1, 32), floats(2, 1, 32)
    past_key, past_value = floats(2, 2, room, 16), floats(2, 2, room, 16)
    inputs = {"q": q, "k": k, "v": v, "pk": past_key, "pv": past_value}
    inputs |= {"last": before.astype("int32"), "total": np.array([5], "int32")}
    found, key, value = run("GroupQueryAttention", inputs, ("total",), 3, num_heads=4, kv_num_heads=2)
    for at, count in enumerate(before):
        keys = np.concatenate([past_key[at, :, :count], heads(k, 2)[at]], 1)
        values = np.concatenate([past_value[at, :, :count], heads(v, 2)[at]], 1)
        assert key.shape[2] == max(room, 5)
        np.testing.assert_array_equal(key[at, :, : count + 1], keys)
        np.testing.assert_array_equal(value[at, :, : count + 1], values)
        all_keys, all_values = (x.repeat(2, 0)[None] for x in (keys, values))
        expected = attend(heads(q, 4)[at : at + 1], all_keys, all_values, False)
        np.testing.assert_allclose(found[at : at + 1], expected, rtol=1e-4, atol=1e-5)


def test_windows_caps_and_sinks_of_groups_of_queries():
    q, k, v, sink = floats(1, 4, 64), floats(1, 4, 32), floats(1, 4, 32), floats(4)
    inputs = {"q": q, "k": k, "v": v, "pk": None, "pv": None, "last": np.array([3], "int32")}
    inputs |= {"total": np.array([4], "int32"), "cos": None, "sin": None, "positions": None, "bias": None, "sink": sink}
    attributes = {"num_heads": 4, "kv_num_heads": 2, "local_window_size": 2, "softcap": 1.5}
    found = run("GroupQueryAttention", inputs, ("total",), 3, **attributes)[0]
    keys, values = (heads(x, 2).repeat(2, 1) for x in (k, v))
    scores = 1.5 * np.tanh(heads(q, 4) @ keys.transpose(0, 1, 3, 2) / 4 / 1.5)
    distance = np.arange(4)[:, None] - np.arange(4)
    scores = np.where((distance >= 0) & (distance < 2), scores, -np.inf)
    weights = softmax(np.concatenate([scores, np.broadcast_to(sink[:, None, None], (1, 4, 4, 1))], -1))[..., :-1]
    expected = (weights @ values).transpose(0, 2, 1, 3).reshape(1, 4, 64)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def quantise(x, scale, zero):
    return np.clip(np.rint(x / np.float32(scale)) + zero, 0, 255).astype("uint8")


def test_products_of_quantised_matrices():
    a, b = RANDOM.integers(0, 255, (3, 8)).astype("uint8"), RANDOM.integers(-128, 127, (4, 8)).astype("int8")
    zero = RANDOM.integers(-9, 9, 4).astype("int8")
    inputs = {"a": a, "as": np.float32(0.02), "az": np.uint8(100), "b": b, "bs": np.float32(0.01), "bz": zero}
    inputs |= {"c": np.arange(4, dtype="int32") * 100, "ys": np.float32(0.1), "yz": np.uint8(90)}
    product = (a.astype("int32") - 100) @ (b.T.astype("int32") - zero) + inputs["c"]
    (found,) = run("QGemm", inputs, [n for n in inputs if n != "a"], transB=1)
    expected = quantise(product * np.float32(0.0002), 0.1, 90)
    assert np.abs(found.astype(int) - expected).max() <= 1

    x, bias = floats(3, 8), floats(4)
    scale = np.float32((max(x.max(), 0) - min(x.min(), 0)) / 255)
    shift = np.rint(-min(x.min(), 0) / scale)
    steps = (quantise(x, scale, shift).astype("int32") - int(shift)) @ b.T.astype("int32")
    inputs = {"x": x, "b": b.T.copy(), "s": np.float32(0.01), "z": None, "bias": bias}
    (found,) = run("DynamicQuantizeMatMul", inputs, ("b", "s", "bias"))
    np.testing.assert_allclose(found, steps * scale * np.float32(0.01) + bias, rtol=1e-4, atol=1e-4)


def test_pooling_of_quantised_images_with_channels_last():
    x = RANDOM.integers(0, 255, (1, 4, 6, 3)).astype("uint8")
    (found,) = run("NhwcMaxPool", {"x": x}, kernel_shape=[2, 2], strides=[2, 2])
    np.testing.assert_array_equal(found, x.reshape(1, 2, 2, 3, 2, 3).max((2, 4)))
    inputs = {"x": x, "xs": np.float32(0.02), "xz": np.uint8(3), "ys": np.float32(0.02), "yz": np.uint8(5)}
    constants = [n for n in inputs if n != "x"]
    attributes = {"kernel_shape": [2, 2], "strides": [2, 2], "channels_last": 1}
    (found,) = run("QLinearAveragePool", inputs, constants, **attributes)
    mean = x.reshape(1, 2, 2, 3, 2, 3).mean((2, 4), dtype="float32")
    assert np.abs(found.astype(int) - np.rint(mean + 2)).max() <= 1


def test_a_transposed_batch():
    a, b = floats(3, 2, 4), floats(2, 4, 5)
    (found,) = run("FusedMatMul", {"a": a, "b": b}, transBatchA=1, alpha=0.5)
    np.testing.assert_allclose(found, 0.5 * a.transpose(1, 0, 2) @ b, rtol=1e-5, atol=1e-6)
