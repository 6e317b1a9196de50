"""Quantised language models: codes and scales word by word as the formats have them, and models of such layers."""

import os

import numpy as np
import pytest
from llm_codes import awq_dequantize, ft_quantize, group_dequantize, group_quantize, round_away
from llm_engine import Engine, random_weights
from llm_llama import LlamaConfig, LlamaForCausalLM
from llm_quantization import AWQLinear
from llm_quantization import ft_quantize as ft_expressions
from llm_quantization import group_quantize as mode_of
from llm_reference import llama

import tilewright as tw
from tilewright import relax
from tilewright.relax.frontend import nn
from tilewright.runtime import DataType, DataTypeCode

GROUP_MODES = ["q4f16_0", "q4f16_1", "q4f16_2", "q4f32_1", "q3f16_0", "q3f16_1"]


def weights_of(dtype, rows, k, seed=0):
    """Ordinary rows, then groups of zeros, subnormals, infinities, equal elements, and halves between codes."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal((rows, k)).astype(dtype)
    w[1, : k // 2] = 0
    w[2] = (rng.integers(-40, 40, k) * np.finfo(dtype).smallest_subnormal).astype(dtype)
    w[3, k - 1] = np.inf
    w[4] = 0.75
    w[5] = np.resize(np.arange(-14, 15) / 2, k).astype(dtype)
    w[6] = np.finfo(dtype).max
    return w


@pytest.mark.parametrize("rounding", ["even", "away"])
@pytest.mark.parametrize("mode", GROUP_MODES)
@pytest.mark.parametrize("k", [32, 40, 100, 161])
def test_codes_and_scales_of_groups(mode, k, rounding):
    config = mode_of(mode, round_away=rounding == "away")
    w = weights_of(config.model_dtype, 9, k)
    words, scale = (own.numpy() for own in config.quantize_weight(tw.nd.array(w)))
    expected_words, expected_scale = group_quantize(
        w, config.bits, config.group_size, round_away if config.round_away else np.rint
    )
    np.testing.assert_array_equal(scale, expected_scale)
    np.testing.assert_array_equal(words, expected_words)
    assert words.dtype == "uint32" and scale.dtype == config.model_dtype


def many_weights(dtype, rows, k, seed):
    """Bits drawn at random: every exponent as often as any other, subnormals and infinities too, and no NaN; then
    groups of zeros, of halves between codes, and of weights as models have them."""
    rng = np.random.default_rng(seed)
    width = {"float16": "uint16", "float32": "uint32"}[dtype]
    w = rng.integers(0, np.iinfo(width).max + 1, (rows, k), dtype="uint64").astype(width).view(dtype)
    w[np.isnan(w)] = 0
    model = rng.standard_normal((rows // 2, k)).astype("float32") * np.exp2(rng.integers(-9, 3, (rows // 2, 1)))
    w[: rows // 2] = model.astype(dtype)
    w[rows // 2 :: 7, : k // 2] = 0
    w[rows // 2 + 1 :: 7] = np.resize(np.arange(-14, 15) / 2, k).astype(dtype)
    w[rows // 2 + 2 :: 7] = (rng.integers(-40, 40, k) * np.finfo(dtype).smallest_subnormal).astype(dtype)
    return w


@pytest.mark.parametrize("rounding", ["even", "away"])
@pytest.mark.parametrize("mode", ["q4f16_1", "q4f32_1", "q3f16_1"])
def test_a_million_weights_word_for_word(mode, rounding):
    """`MLC_WEIGHTS=10000000` takes that many."""
    config = mode_of(mode, round_away=rounding == "away")
    k = 1003
    w = many_weights(config.model_dtype, -(-int(os.environ.get("MLC_WEIGHTS", "1000000")) // k), k, 17)
    words, scale = (own.numpy() for own in config.quantize_weight(tw.nd.array(w)))
    with np.errstate(over="ignore"):
        expected = group_quantize(w, config.bits, config.group_size, round_away if config.round_away else np.rint)
    np.testing.assert_array_equal(words, expected[0])
    np.testing.assert_array_equal(scale, expected[1])


def test_weights_that_lie_transposed_have_transposed_codes():
    config = mode_of("q4f16_0")
    w = weights_of("float16", 9, 64)
    plain, transposed = (config.quantize_weight(tw.nd.array(w), output_transpose=own) for own in (False, True))
    for one, other in zip(plain, transposed, strict=True):
        np.testing.assert_array_equal(one.numpy().T, other.numpy())


def test_a_type_of_codes_has_a_width_and_no_tensors():
    assert (DataType("int3").bits, DataType("int3").type_code, DataType("int3").lanes) == (3, DataTypeCode.INT, 1)
    with pytest.raises(tw.TVMError, match="int3"):
        tw.nd.empty((2,), "int3")


class Layers(nn.Module):
    """A layer of each kind, one of them with a bias."""

    def __init__(self):
        self.embed = nn.Embedding(20, 48)
        self.up = nn.Linear(48, 40, bias=True)
        self.router_gate = nn.Linear(40, 6, bias=False)

    def forward(self, ids: nn.Tensor):
        x = self.up(self.embed(ids))
        return x, self.router_gate(x)


@pytest.mark.parametrize("mode", GROUP_MODES)
def test_layers_compute_with_dequantised_weights(mode):
    config, names = mode_of(mode), {}
    model = config.quantize_model(Layers(), names)
    mod, params = model.export_tvm({"forward": {"ids": nn.spec.Tensor(["n"], "int32"), "$": {"param_mode": "packed"}}})
    dtype, rng = config.model_dtype, np.random.default_rng(1)
    original = {"embed.weight": (20, 48), "up.weight": (40, 48), "up.bias": (40,), "router_gate.weight": (6, 40)}
    original = {name: (rng.standard_normal(shape) / 4).astype(dtype) for name, shape in original.items()}
    given, plain = dict(original), {name: value.astype("float64") for name, value in original.items()}
    for name, (words_name, scale_name) in names.items():
        kn = config.linear_weight_layout == "KN" and not name.startswith("embed")
        words, scale = (
            own.numpy() for own in config.quantize_weight(tw.nd.array(given.pop(name)), output_transpose=kn)
        )
        given |= {words_name: words, scale_name: scale}
        words, scale = (words.T, scale.T) if kn else (words, scale)
        plain[name] = group_dequantize(words, scale, config.bits, config.group_size, original[name].shape[1])
    assert "router_gate.weight" not in names and ("embed.weight" in names) == (not mode.endswith("_2"))
    engine = Engine(mod, [given[name] for name, _ in params], create=None)
    ids = np.array([3, 19, 0, 7], "int32")
    up, gate = (own.numpy().astype("float64") for own in engine.call("forward", ids))
    plain = {name: value.astype("float64") for name, value in plain.items()}
    expected = plain["embed.weight"][ids] @ plain["up.weight"].T + plain["up.bias"]
    # Sums in the model's type: of float16 they have 11 bits.
    tolerance = 2e-3 if dtype == "float16" else 1e-5
    np.testing.assert_allclose(up, expected, rtol=0, atol=tolerance * np.abs(expected).max())
    expected = up @ plain["router_gate.weight"].T
    np.testing.assert_allclose(gate, expected, rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(("mode", "tolerance"), [("q4f32_1", 1e-3), ("q4f16_1", 2e-3), ("q3f16_0", 2e-3)])
def test_a_quantised_llama_agrees_with_its_dequantised_weights(mode, tolerance):
    # Activations of float16 have 11 bits, and are rounded in each of the layers.
    shape, quantization, names = LlamaConfig(hidden_size=64, head_dim=16), mode_of(mode), {}
    model = quantization.quantize_model(LlamaForCausalLM(shape), names)
    mod, params = model.export_tvm(model.get_default_spec())
    original = LlamaForCausalLM(shape)
    original.to(quantization.model_dtype)
    weights = random_weights(original.named_parameters(), shape.vocab_size)
    given, plain = dict(weights), dict(weights)
    for name, own in names.items():
        kn = quantization.linear_weight_layout == "KN" and "embed" not in name
        words, scale = quantization.quantize_weight(tw.nd.array(given.pop(name)))
        words, scale = words.numpy(), scale.numpy()
        plain[name] = group_dequantize(words, scale, quantization.bits, quantization.group_size, weights[name].shape[1])
        given |= dict(zip(own, (words.T.copy(), scale.T.copy()) if kn else (words, scale), strict=True))
    engine = Engine(mod, [given[name] for name, _ in params])
    ids = np.random.default_rng(2).integers(0, shape.vocab_size, 24).tolist()
    expected = llama(shape, plain, ids)
    engine.add(0)
    found = [engine.prefill(0, ids[:22]), engine.decode(0, ids[22]), engine.decode(0, ids[23])]
    np.testing.assert_allclose(found, expected[21:], rtol=0, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(("k", "group"), [(256, 128), (200, 128), (64, 32)])
@pytest.mark.parametrize("bias", [False, True])
def test_weights_of_awq(k, group, bias):
    model = AWQLinear(k, 40, group, bias)
    mod, params = model.export_tvm(
        {"forward": {"x": nn.spec.Tensor(["n", k], "float16"), "$": {"param_mode": "packed"}}}
    )
    rng = np.random.default_rng(4)
    groups = -(-k // group)
    words = rng.integers(0, 2**32, (k, 5), dtype="uint64").astype("uint32")
    zeros = rng.integers(0, 2**32, (groups, 5), dtype="uint64").astype("uint32")
    scales = (rng.standard_normal((groups, 40)) / 64).astype("float16")
    given = {"qweight": words, "qzeros": zeros, "scales": scales, "bias": np.arange(40, dtype="float16")}
    plain = awq_dequantize(words, zeros, scales, group).astype("float64")
    engine = Engine(mod, [given[name] for name, _ in params], create=None)
    x = rng.standard_normal((7, k)).astype("float16")
    expected = x.astype("float64") @ plain + (given["bias"] if bias else 0)
    np.testing.assert_allclose(engine.call("forward", x).numpy(), expected, rtol=0, atol=2e-3 * np.abs(expected).max())
    if not bias:
        # Rows of the unit matrix give the weights themselves, bit by bit.
        unit = np.eye(k, dtype="float16")[: k // 2]
        np.testing.assert_array_equal(engine.call("forward", unit).numpy(), plain[: k // 2].astype("float16"))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_codes_of_faster_transformer(dtype):
    w = many_weights(dtype, 1430, 702, 3)
    w[~np.isfinite(w)] = 0
    w[2] = np.resize(np.arange(-15, 16) / 2, 702)
    bb = relax.BlockBuilder()
    weight = relax.Var("w", relax.TensorStructInfo(w.shape, dtype))
    with bb.function("main", [weight]):
        bb.emit_func_output(bb.emit_te(ft_expressions, weight))
    vm = relax.VirtualMachine(relax.build(bb.finalize(), "llvm"), tw.cpu())
    for found, expected in zip(vm["main"](tw.nd.array(w)), ft_quantize(w), strict=True):
        np.testing.assert_array_equal(found.numpy(), expected)
