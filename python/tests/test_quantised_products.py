"""Products and convolutions of bytes, and of quantised tensors, compared with NumPy."""

import numpy as np
import pytest

import tilewright
from tilewright import relax
from tilewright.relax import op as R

rng = np.random.default_rng(0)


def numbers(shape, dtype):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, endpoint=True).astype(dtype)


def run(write, inputs, **parameters):
    """The result of what `write` makes of the inputs, with the parameters as constants."""
    builder = relax.BlockBuilder()
    variables = [relax.Var(f"x{i}", relax.TensorStructInfo(x.shape, str(x.dtype))) for i, x in enumerate(inputs)]
    with builder.function("main", variables):
        with builder.dataflow():
            constants = {name: relax.const(value) for name, value in parameters.items()}
            result = builder.emit_output(builder.normalize(write(*variables, **constants)))
        builder.emit_func_output(result)
    machine = relax.VirtualMachine(relax.build(builder.get(), "llvm"), tilewright.cpu())
    return machine["main"](*[tilewright.nd.array(x) for x in inputs]).numpy()


def convolved(x, w, strides, padding, border=0):
    """The convolution of NCHW and OIHW in int64."""
    top, left, bottom, right = padding
    x = np.pad(x.astype(np.int64), [(0, 0), (0, 0), (top, bottom), (left, right)], constant_values=border)
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=(2, 3))
    return np.einsum("nchwrs,ocrs->nohw", windows[:, :, :: strides[0], :: strides[1]], w.astype(np.int64))


CONVOLUTIONS = {
    "channels of whole groups": ((2, 8, 9, 11), (24, 8, 3, 3), (1, 1), (1, 1, 1, 1)),
    "odd channels": ((1, 5, 9, 7), (7, 5, 3, 3), (1, 1), (1, 0, 2, 1)),
    "few channels": ((1, 3, 21, 19), (16, 3, 7, 7), (2, 2), (3, 3, 3, 3)),
    "one pixel": ((1, 64, 14, 14), (32, 64, 1, 1), (1, 1), (0, 0, 0, 0)),
    "strides": ((1, 16, 15, 15), (20, 16, 1, 1), (2, 3), (0, 0, 0, 0)),
    "several blocks of K": ((1, 256, 6, 5), (33, 256, 3, 3), (1, 1), (1, 1, 1, 1)),
    "a single result": ((1, 12, 3, 3), (1, 12, 3, 3), (1, 1), (0, 0, 0, 0)),
}


@pytest.mark.parametrize("layout", ["OIHW", "OHWI"])
@pytest.mark.parametrize("types", [("uint8", "int8"), ("int8", "int8"), ("int8", "uint8"), ("uint8", "uint8")])
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_convolutions_of_bytes_are_exact(case, types, layout):
    of_x, of_w, strides, padding = CONVOLUTIONS[case]
    x, w = numbers(of_x, types[0]), numbers(of_w, types[1])
    order = [("OIHW").index(letter) for letter in layout]

    def conv(x, w):
        attrs = {"strides": strides, "padding": padding, "kernel_layout": layout, "out_dtype": "int32"}
        return R.nn.conv2d(x, w, **attrs)

    found = run(conv, [x], w=np.ascontiguousarray(w.transpose(order)))
    assert np.array_equal(found, convolved(x, w, strides, padding))


def steps(x, scale, zero, dtype):
    info = np.iinfo(dtype)
    return np.clip(np.rint(x / scale) + zero, info.min, info.max)


@pytest.mark.parametrize("zero", [0, 131])
@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_quantised_convolutions_are_those_of_their_integers(case, zero):
    of_x, of_w, strides, padding = CONVOLUTIONS[case]
    x, w = numbers(of_x, "uint8"), numbers(of_w, "int8")
    scales = rng.uniform(0.01, 0.1, of_w[0]).astype("float32")
    bias = rng.standard_normal((1, of_w[0], 1, 1)).astype("float32")
    zeros = np.zeros(of_w[0], "int8")

    def network(x, w, scales, bias, zeros):
        data = R.dequantize(x, relax.const(0.03, "float32"), relax.const(zero, "uint8"))
        kernel = R.dequantize(w, scales, zeros, axis=0)
        y = R.nn.relu(R.add(R.nn.conv2d(data, kernel, strides=strides, padding=padding), bias))
        return R.quantize(y, relax.const(0.5, "float32"), relax.const(3, "uint8"), out_dtype="uint8")

    found = run(network, [x], w=w, scales=scales, bias=bias, zeros=zeros)
    sums = convolved(x, w, strides, padding, border=zero) - zero * w.astype(np.int64).sum((1, 2, 3)).reshape(
        1, -1, 1, 1
    )
    exact = sums * (np.float64(np.float32(0.03)) * scales.astype(np.float64)).reshape(1, -1, 1, 1) + bias
    expected = steps(np.maximum(exact, 0), 0.5, 3, "uint8")
    # The sums are exact, so that only ties may be rounded to the other side.
    off = np.abs(found.astype(int) - expected)
    assert off.max(initial=0) <= 1 and np.count_nonzero(off) <= 0.001 * off.size


@pytest.mark.parametrize("shape", [(1, 30, 40), (7, 64, 33), (5, 6, 1), (64, 1030, 48)])
@pytest.mark.parametrize("types", [("uint8", "int8"), ("int8", "int8"), ("uint8", "uint8")])
def test_products_without_their_zero_points(shape, types):
    m, k, n = shape
    x, w = numbers((2, m, k), types[0]), numbers((k, n), types[1])
    of_x, of_w = numbers((), types[0]), numbers((), types[1])

    def product(x, w, of_x, of_w):
        a = R.subtract(R.astype(x, "int32"), R.astype(of_x, "int32"))
        b = R.subtract(R.astype(w, "int32"), R.astype(of_w, "int32"))
        return R.matmul(a, b)

    found = run(product, [x], w=w, of_x=of_x, of_w=of_w)
    assert np.array_equal(found, (x.astype(int) - of_x) @ (w.astype(int) - of_w))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("rows", [1, 3, 70])
def test_floats_times_a_matrix_of_bytes(rows, transposed):
    x, w = rng.standard_normal((rows, 96)).astype("float32"), numbers((96, 51), "int8")
    scales = rng.uniform(0.01, 0.1, 51).astype("float32")

    def product(x, w, scales):
        if transposed:
            wide = R.multiply(R.astype(w, "float32"), R.reshape(scales, (51, 1)))
            return R.matmul(x, R.permute_dims(wide))
        return R.matmul(x, R.multiply(R.astype(w, "float32"), scales))

    found = run(product, [x], w=np.ascontiguousarray(w.T) if transposed else w, scales=scales)
    expected = x.astype(np.float64) @ (w * scales.astype(np.float64))
    assert np.abs(found - expected).max() <= 2e-6 * np.abs(expected).max()


def test_only_rows_that_are_looked_up_are_dequantised():
    table, scales = numbers((1000, 24), "int8"), rng.uniform(0.01, 0.1, (1000, 1)).astype("float32")
    places = rng.integers(0, 1000, (2, 5))
    found = run(lambda i, q, s: R.take(R.multiply(R.astype(q, "float32"), s), i, axis=0), [places], q=table, s=scales)
    assert np.array_equal(found, (table * scales)[places])


@pytest.mark.parametrize(("dtype", "zero"), [("uint8", 0), ("int8", 0), ("int16", 5), ("uint16", 5)])
def test_numbers_out_of_range_are_clamped(dtype, zero):
    x = np.array([-np.inf, -1e9, -128.5, -0.5, 0.5, 1.5, 127.5, 255.5, 1e9, np.inf, np.nan], "float32")
    one = relax.const(1.0, "float32")
    found = run(lambda x: R.quantize(x, one, relax.const(zero, dtype), out_dtype=dtype), [x])
    expected = np.where(np.isnan(x), 0, steps(x, 1.0, zero, dtype))
    assert np.array_equal(found, expected.astype(dtype))
