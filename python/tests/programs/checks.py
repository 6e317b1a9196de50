"""What the programs in this folder share: data with values of both signs, the network's formula, the round trip."""

import numpy as np
import tvm

_rng = np.random.default_rng(7)


def random(*shape):
    """A float32 array of standard normal values."""
    return _rng.standard_normal(shape).astype("float32")


def mlp_params():
    """The network's weights by name: 20 inputs, 12 hidden values, 5 results."""
    return {"w0": random(12, 20), "b0": random(12), "w1": random(5, 12), "b1": random(5)}


def mlp(x, w0, b0, w1, b1):
    """The network's formula."""
    return np.maximum(x @ w0.T + b0, 0) @ w1.T + b1


def close(actual, expected):
    """A tensor and an array of the same shape and type, with values that are close."""
    assert actual.shape == expected.shape, (actual.shape, expected.shape)
    assert str(actual.dtype) == str(expected.dtype)
    np.testing.assert_allclose(actual.numpy(), expected, rtol=1e-5, atol=1e-5)


def round_trip(module):
    """What is printed reads back as an equal module, and prints the same again."""
    text = module.script(show_meta=True)
    again = tvm.script.from_source(text)
    tvm.ir.assert_structural_equal(again, module)
    assert again.script(show_meta=True) == text
