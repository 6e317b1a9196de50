"""Mixtures of experts: routing, grouped products with plain and quantised weights, beside NumPy's results."""

import numpy as np
import pytest
from llm_codes import group_dequantize, group_quantize
from llm_engine import Engine
from llm_experts import Experts
from llm_reference import silu

from tilewright.relax.frontend import nn


def experts_of(x, w, k):
    """What each token's best experts give."""
    logits = x @ w["gate.weight"].T
    chosen = np.argsort(-logits, 1, kind="stable")[:, :k]
    best = np.take_along_axis(logits, chosen, 1)
    weights = np.exp(best - best[:, :1])
    weights /= weights.sum(1, keepdims=True)
    out = np.zeros_like(x)
    for token, own in enumerate(x):
        for expert, weight in zip(chosen[token], weights[token], strict=True):
            gate, up = np.split(w["e1_e3"][expert] @ own, 2)
            out[token] += weight * (w["e2"][expert] @ (silu(gate) * up))
    return out


@pytest.mark.parametrize(("experts", "k"), [(4, 2), (8, 2), (6, 4)])
@pytest.mark.parametrize("quantized", [False, True])
def test_tokens_go_to_their_best_experts(experts, k, quantized):
    hidden, inner = 64, 32
    model = Experts(hidden, inner, experts, k, quantized)
    spec = {"x": nn.spec.Tensor(["n", hidden], "float32"), "$": {"param_mode": "packed"}}
    mod, params = model.export_tvm({"forward": spec})
    rng = np.random.default_rng(0)
    given = {
        "gate.weight": rng.standard_normal((experts, hidden)),
        "e1_e3": rng.standard_normal((experts, 2 * inner, hidden)) / 8,
        "e2": rng.standard_normal((experts, hidden, inner)) / 6,
    }
    given = {name: own.astype("float32") for name, own in given.items()}
    plain = dict(given)
    if quantized:
        for name in ("e1_e3", "e2"):
            *shape, columns = given[name].shape
            words, scale = group_quantize(given[name].reshape(-1, columns), 4, 32)
            plain[name] = group_dequantize(words, scale, 4, 32, columns).reshape(*shape, columns)
            given[name], given[f"{name}_scale"] = words.reshape(*shape, -1), scale.reshape(*shape, -1)
    engine = Engine(mod, [given[name] for name, _ in params], create=None)
    for tokens in (1, 37):
        x = rng.standard_normal((tokens, hidden)).astype("float32")
        expected = experts_of(x.astype("float64"), {name: own.astype("float64") for name, own in plain.items()}, k)
        np.testing.assert_allclose(
            engine.call("forward", x).numpy(), expected, rtol=0, atol=1e-4 * np.abs(expected).max()
        )
