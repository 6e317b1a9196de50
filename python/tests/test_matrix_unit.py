"""Products of groups of bytes and of bfloat16, in tiles and edges: by a matrix unit where the processor has one."""

import numpy as np
import pytest

import tilewright as tw
from tilewright import te

SHAPES = [(16, 16, 64), (37, 50, 128), (33, 64, 256), (100, 130, 1408), (17, 5, 96)]


def built(rows, columns, depth, a, b, out, transposed):
    """`C = A · B` of these types, B as `[columns, depth]` where it is transposed."""
    x = te.placeholder((rows, depth), a, "A")
    y = te.placeholder((columns, depth) if transposed else (depth, columns), b, "B")
    k = te.reduce_axis((0, depth), "k")

    def product(i, j):
        return te.sum(x[i, k].astype(out) * (y[j, k] if transposed else y[k, j]).astype(out), axis=k)

    return tw.build(te.create_prim_func([x, y, te.compute((rows, columns), product, "C")]), target="llvm")


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("a", ["int8", "uint8"])
@pytest.mark.parametrize("b", ["int8", "uint8"])
def test_products_of_bytes(a, b, transposed):
    rng = np.random.default_rng(0)
    for rows, columns, depth in SHAPES:
        left, right = (
            rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)
            for dtype, shape in ((a, (rows, depth)), (b, (columns, depth)))
        )
        found = tw.nd.array(np.zeros((rows, columns), "int32"))
        given = right if transposed else np.ascontiguousarray(right.T)
        built(rows, columns, depth, a, b, "int32", transposed)(tw.nd.array(left), tw.nd.array(given), found)
        np.testing.assert_array_equal(found.numpy(), left.astype("int64") @ right.T.astype("int64"))


def bfloat16(values):
    """Integers below 256, which bfloat16 holds exactly, as its bits."""
    tensor = tw.nd.empty(values.shape, "bfloat16")
    convert = te.placeholder(values.shape, "float32", "A")
    narrow = te.compute(values.shape, lambda i, j: convert[i, j].astype("bfloat16"), "B")
    tw.build(te.create_prim_func([convert, narrow]), target="llvm")(tw.nd.array(values.astype("float32")), tensor)
    return tensor


@pytest.mark.parametrize("transposed", [False, True])
def test_products_of_bfloat16(transposed):
    rng = np.random.default_rng(1)
    for rows, columns, depth in SHAPES:
        left, right = rng.integers(-9, 10, (rows, depth)), rng.integers(-9, 10, (columns, depth))
        found = tw.nd.array(np.zeros((rows, columns), "float32"))
        given = bfloat16(right if transposed else np.ascontiguousarray(right.T))
        built(rows, columns, depth, "bfloat16", "bfloat16", "float32", transposed)(bfloat16(left), given, found)
        # Sums of small integers are exact in float32.
        np.testing.assert_array_equal(found.numpy(), left @ right.T)


def test_a_processor_with_a_matrix_unit_uses_it():
    target = "llvm -mcpu=sapphirerapids"
    x, y = (te.placeholder(shape, "bfloat16") for shape in ((32, 64), (64, 32)))
    k = te.reduce_axis((0, 64))
    out = te.compute((32, 32), lambda i, j: te.sum(x[i, k].astype("float32") * y[k, j].astype("float32"), axis=k))
    function = te.create_prim_func([x, y, out])
    assert "tdpbf16ps" in tw.build(function, target=target).get_source("asm")
    assert "tdpbf16ps" not in tw.build(function, target=f"{target} -mattr=-amx-tile").get_source("asm")
