"""Floats of 8 bits: conversions by all codes and against rounding by search, and layers whose weights have them."""

import numpy as np
import pytest
from llm_codes import float8_codes, float8_values
from llm_engine import Engine
from llm_quantization import Float8Linear, quantize_per_tensor

import tilewright as tw
from tilewright import relax, te
from tilewright.relax.frontend import nn
from tilewright.script import tir as T

TYPES = ["float8_e4m3fn", "float8_e5m2"]


def converted(x, source, target, length):
    """The elements by a compiled loop; floats of 8 bits as their codes."""

    @T.prim_func
    def convert(A: T.Buffer((length,), source), B: T.Buffer((length,), target)):
        for i in range(length):
            with T.block("convert"):
                vi = T.axis.spatial(length, i)
                B[vi] = T.Cast(target, A[vi])

    a = tw.nd.array(x)
    a = a.view(source) if source in TYPES else a
    b = tw.nd.empty((length,), target)
    tw.build(convert, target="llvm")(a, b)
    if target in TYPES:
        return b.view("uint8").numpy()
    return (b.astype("float32") if target == "bfloat16" else b).numpy()


@pytest.mark.parametrize("target", ["float32", "float16", "float64", "bfloat16"])
@pytest.mark.parametrize("dtype", TYPES)
def test_every_code_has_its_value(dtype, target):
    found = converted(np.arange(256, dtype="uint8"), dtype, target, 256).astype("float64")
    np.testing.assert_array_equal(found, float8_values(dtype))
    number = ~np.isnan(found)
    np.testing.assert_array_equal(np.signbit(found)[number], (np.arange(256) >= 128)[number])


@pytest.mark.parametrize("dtype", TYPES)
def test_every_float16_is_rounded_once(dtype):
    x = np.arange(65536, dtype="uint16").view("float16")
    np.testing.assert_array_equal(converted(x, "float16", dtype, 65536), float8_codes(x, dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_numbers_between_codes_go_to_the_nearest(dtype):
    values = float8_values(dtype)
    values = np.unique(np.abs(values[np.isfinite(values)]))
    middle = (values[1:] + values[:-1]) / 2
    near = np.concatenate([values, middle, np.nextafter(middle.astype("float32"), 0), middle * (1 + 2**-20)])
    rng = np.random.default_rng(0)
    wide = rng.standard_normal(4001) * 2.0 ** rng.integers(-30, 30, 4001)
    special = [np.inf, np.nan, 464, 465, 479, 480, 61440, 61439, 65536, 3e38, 1e-40, 2**-10, 2**-17]
    x = np.concatenate([near, wide, special])
    x = np.concatenate([x, -x]).astype("float32")
    np.testing.assert_array_equal(converted(x, "float32", dtype, len(x)), float8_codes(x, dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_integers_and_other_narrow_floats(dtype):
    x = np.arange(-1000, 1000, dtype="int32")
    np.testing.assert_array_equal(converted(x, "int32", dtype, 2000), float8_codes(x, dtype))
    other = TYPES[1 - TYPES.index(dtype)]
    found = converted(np.arange(256, dtype="uint8"), other, dtype, 256)
    expected = float8_codes(float8_values(other), dtype)
    # The sign of what is no number is not kept.
    np.testing.assert_array_equal(float8_values(dtype)[found], float8_values(dtype)[expected])
    with pytest.raises(Exception, match="no conversion from float64"):
        converted(np.zeros(4), "float64", dtype, 4)


def test_tensors_convert_as_programs_do():
    x = np.array([1.0, -448, 500, 0.3], "float32")
    found = tw.nd.array(x).astype("e4m3_float8")
    assert found.dtype == "float8_e4m3fn"
    np.testing.assert_array_equal(found.view("uint8").numpy(), float8_codes(x, "float8_e4m3fn"))
    np.testing.assert_array_equal(found.astype("float32").numpy()[:2], x[:2])


def quantized(w, dtype):
    """Codes of a weight, and its scale, by a compiled function."""
    bb = relax.BlockBuilder()
    weight = relax.Var("w", relax.TensorStructInfo(w.shape, str(w.dtype)))
    with bb.function("main", [weight]):
        bb.emit_func_output(bb.emit_te(quantize_per_tensor, weight, dtype))
    return relax.VirtualMachine(relax.build(bb.finalize(), "llvm"), tw.cpu())["main"](tw.nd.array(w))


def test_codes_of_weights_by_one_scale():
    rng = np.random.default_rng(1)
    for scale in (1.0, 1e-3, 0.0):
        w = (rng.standard_normal((24, 40)) * scale).astype("float16")
        codes, found = quantized(w, "e4m3_float8")
        expected = np.maximum(np.abs(w).max().astype("float32") / np.float32(448), np.float32(1 / (448 * 512)))
        np.testing.assert_array_equal(found.numpy(), [expected])
        np.testing.assert_array_equal(
            codes.view("uint8").numpy(), float8_codes(w.astype("float32") / expected, "float8_e4m3fn")
        )
    codes = quantized(w + np.float16(0.1), "e5m2_float8")
    np.testing.assert_array_equal(codes.view("uint8").numpy(), float8_codes(w + np.float16(0.1), "float8_e5m2"))


@pytest.mark.parametrize("dtype", ["e4m3_float8", "e5m2_float8"])
def test_layers_of_8_bits(dtype):
    model = Float8Linear(40, 24, dtype)
    spec = {"x": nn.spec.Tensor(["n", 40], "float16"), "$": {"param_mode": "packed"}}
    mod, params = model.export_tvm({"forward": spec})
    rng = np.random.default_rng(2)
    w, x = (rng.standard_normal(shape).astype("float16") for shape in ((24, 40), (7, 40)))
    made = quantized(w, dtype)
    name = tw.DataType(dtype)
    values = float8_values(name)
    if dtype == "e4m3_float8":
        codes, scale = made
        calibration = np.float32(np.abs(x).max() / 448)
        given = {"q_weight": codes, "q_scale": scale, "q_calibration_scale": tw.nd.array(np.array([calibration]))}
        factor = float(scale.numpy()[0]) * float(calibration)
        own = float8_codes(x.astype("float32") / calibration, name)
    else:
        given, factor, own = {"q_weight": made}, 1.0, float8_codes(x, name)
        codes = made
    expected = values[own] @ values[codes.view("uint8").numpy()].T * factor
    engine = Engine(mod, [], create=None)
    engine.weights = [given[name] for name, _ in params]
    found = engine.call("forward", x).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3 * np.abs(expected).max())


def test_tensor_expressions_with_constants_of_8_bits():
    a = te.placeholder((8,), "float32", "a")
    b = te.compute((8,), lambda i: (a[i] * 2).astype("float8_e5m2"), "b")
    c = te.compute((8,), lambda i: b[i].astype("float32") + 1, "c")
    x = np.array([0.1, 1, 3.3, 1000, -7, 0, 1e-9, 40000], "float32")
    found = tw.nd.empty((8,), "float32")
    tw.build(te.create_prim_func([a, c]), target="llvm")(tw.nd.array(x), found)
    np.testing.assert_array_equal(found.numpy(), float8_values("float8_e5m2")[float8_codes(2 * x, "float8_e5m2")] + 1)
