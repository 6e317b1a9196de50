"""Products with a weight that is computed from words of several codes, compared with NumPy."""

import numpy as np
import pytest

import tilewright
from tilewright import relax, te, tir
from tilewright.llm.quantization.layers import BlockLinear
from tilewright.llm.quantization.quantize import MODES, quantize
from tilewright.relax.frontend import nn

K, GROUP = 96, 32
rng = np.random.default_rng(0)
TARGETS = ["llvm -mcpu=native", "llvm -mcpu=haswell"]


def codes_of(words, along_k):
    """The codes of four bits, [N, K], of words that lie along K or along N."""
    shifts = np.arange(8, dtype=np.uint32) * 4
    codes = (words[:, :, None] >> shifts) & 15 if along_k else (words[:, None, :] >> shifts[:, None]) & 15
    return codes.reshape(len(words), -1) if along_k else codes.reshape(-1, words.shape[1]).T


def product(rows, columns, dtype, along_k):
    """A PrimFunc whose weight is written as MLC LLM's quantised weights are, in both of its layouts."""
    x = te.placeholder((rows, K), dtype, "x")
    shapes = (columns, K // 8), (columns, K // GROUP)
    shape, of_scale = shapes if along_k else (shapes[0][::-1], shapes[1][::-1])
    words, scale = te.placeholder(shape, "uint32", "words"), te.placeholder(of_scale, dtype, "scale")

    def element(n, k):
        word = words[n, k // 8] if along_k else words[k // 8, n]
        code = tir.bitwise_and(tir.shift_right(word, tir.Cast("uint32", k % 8 * 4)), tir.const(15, "uint32"))
        factor = scale[n, k // GROUP] if along_k else scale[k // GROUP, n]
        return (code.astype(dtype) - tir.const(7, dtype)) * factor

    k = te.reduce_axis((0, K), "k")
    summand = lambda i, j: x[i, k].astype("float32") * element(j, k).astype("float32")  # noqa: E731
    out = te.compute((rows, columns), lambda i, j: te.sum(summand(i, j), axis=k), "out")
    return te.create_prim_func([x, words, scale, out])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("along_k", [True, False])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 64), (3, 17), (70, 130)])
def test_words_along_either_axis(rows, columns, along_k, dtype, target):
    built = tilewright.build(product(rows, columns, dtype, along_k), target=target)
    shape = (columns, K // 8) if along_k else (K // 8, columns)
    words = rng.integers(0, 2**32, shape, dtype=np.uint32)
    x = rng.standard_normal((rows, K)).astype(dtype)
    scale = rng.standard_normal((columns, K // GROUP)).astype(dtype)
    out = tilewright.nd.array(np.full((rows, columns), np.nan, np.float32))
    given = [x, words, np.ascontiguousarray(scale if along_k else scale.T)]
    built(*[tilewright.nd.array(value) for value in given], out)
    factors = np.repeat(scale, GROUP, 1)
    weight = ((codes_of(words, along_k).astype(dtype) - np.dtype(dtype).type(7)) * factors).astype(np.float64)
    wanted = x.astype(np.float64) @ weight.T
    np.testing.assert_allclose(out.numpy(), wanted, rtol=1e-5, atol=1e-5 * np.abs(wanted).max())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("rows", "columns"), [(1, 16), (5, 40), (33, 200)])
def test_blocks_with_rows_as_they_are(rows, columns, mode, target):
    form = MODES[mode][0]
    blocks = quantize(rng.standard_normal((columns, K)).astype(np.float32), mode)
    packed = form.pack(blocks)
    weights = [part for part in (packed.words, packed.scale, packed.minimum) if part is not None]
    layer = BlockLinear(K, columns, form, activations="exact")
    module, _ = layer.export_tvm({"forward": {"x": nn.spec.Tensor(["rows", K], "float32")}})
    machine = relax.VirtualMachine(relax.build(module, target), tilewright.cpu())
    x = rng.standard_normal((rows, K)).astype(np.float32)
    found = machine["forward"](*[tilewright.nd.array(value) for value in (x, *weights)]).numpy()
    wanted = x.astype(np.float64) @ blocks.dequantized().astype(np.float64).T
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5 * np.abs(wanted).max())


def test_codes_that_are_chosen_with_others_are_read_where_they_exist():
    """Only the first 64 elements along K have words; the others are zeros."""
    rows, columns, some = 3, 17, 64
    x, words = te.placeholder((rows, K), "float32", "x"), te.placeholder((columns, some // 8), "uint32", "words")
    k = te.reduce_axis((0, K), "k")

    def element(n, k):
        code = tir.bitwise_and(
            tir.shift_right(words[n, k // 8], tir.Cast("uint32", k % 8 * 4)), tir.const(15, "uint32")
        )
        return tir.if_then_else(k < some, code.astype("float32"), tir.const(0.0, "float32"))

    out = te.compute((rows, columns), lambda i, j: te.sum(x[i, k] * element(j, k), axis=k), "out")
    built = tilewright.build(te.create_prim_func([x, words, out]), target="llvm")
    values = rng.standard_normal((rows, K)).astype(np.float32)
    codes = rng.integers(0, 2**32, (columns, some // 8), dtype=np.uint32)
    found = tilewright.nd.array(np.zeros((rows, columns), np.float32))
    built(tilewright.nd.array(values), tilewright.nd.array(codes), found)
    wanted = values[:, :some].astype(np.float64) @ codes_of(codes, True).T
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5, atol=1e-4)
