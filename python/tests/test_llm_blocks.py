"""Weights as blocks of integers: GGUF's blocks, the layout of kernels, products."""

import struct

import numpy as np
import pytest

import tilewright as tw
from tilewright import checkpoint, te
from tilewright.llm.quantization import BlockEmbedding, BlockFormat, BlockLinear, Blocks, decode_gguf, quantize_model
from tilewright.llm.quantization.gguf import BLOCK_TYPES
from tilewright.relax.frontend import nn

#: Numbers of types in GGUF files.
NUMBERS = {
    "Q4_0": 2, "Q4_1": 3, "Q5_0": 6, "Q5_1": 7, "Q8_0": 8,
    "Q2_K": 10, "Q3_K": 11, "Q4_K": 12, "Q5_K": 13, "Q6_K": 14,
}  # fmt: skip


def gguf_of(raw: np.ndarray, block_type: str, elements: int) -> bytes:
    """A file with one tensor `w` of these rows."""
    out = b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + struct.pack("<Q", 1) + b"w"
    out += struct.pack("<IQQIQ", 2, elements, len(raw), NUMBERS[block_type], 0)
    return out + bytes(-len(out) % 32) + raw.tobytes()


@pytest.mark.parametrize("block_type", BLOCK_TYPES)
def test_codes_and_factors_of_gguf_blocks(block_type):
    size = BLOCK_TYPES[block_type].size
    elements = 3 * (256 if block_type.endswith("K") else 32)
    raw = np.random.default_rng(0).integers(0, 256, (5, 3 * size), dtype=np.uint8)
    expected = checkpoint.open(gguf_of(raw, block_type, elements))["w"].numpy()
    with np.errstate(invalid="ignore"):
        blocks = decode_gguf(raw, block_type)
        found = blocks.dequantized()
    assert BlockFormat.of(blocks) == BLOCK_TYPES[block_type].form
    assert found.shape == expected.shape
    # Factors of random bits may be NaN or infinite, and so are elements.
    finite = np.isfinite(expected)
    assert finite.mean() > 0.5
    np.testing.assert_array_equal(found[finite], expected[finite])


def test_rows_that_are_no_blocks():
    with pytest.raises(tw.TVMError, match="no whole number of blocks of Q4_0, 18 bytes each"):
        decode_gguf(np.zeros((2, 20), np.uint8), "Q4_0")
    with pytest.raises(tw.TVMError, match="rows of F32 are no blocks of integers; known are Q4_0"):
        decode_gguf(np.zeros((2, 20), np.uint8), "F32")


FORMATS = {
    "Q4_0": BlockFormat(4, 32, 8),
    "Q4_1": BlockFormat(4, 32, 0, has_minimum=True),
    "Q8_0": BlockFormat(8, 32, 128),
    "Q6_K": BlockFormat(8, 16, 32, scale_dtype="float32"),
    "Q2_K": BlockFormat(4, 16, 0, True, "float32"),
    "q3f16": BlockFormat(4, 40, 3),
    "one word": BlockFormat(8, 4, 0),
}


def random_blocks(rng, form: BlockFormat, rows: int, groups: int) -> Blocks:
    codes = rng.integers(0, 1 << form.bits, (rows, groups * form.group)).astype(np.uint8)
    factor = lambda: (rng.standard_normal((rows, groups)) / 8).astype(form.scale_dtype)  # noqa: E731
    return Blocks(codes, factor(), form.zero, factor() if form.has_minimum else None)


def quantized_rows(x: np.ndarray, group: int) -> np.ndarray:
    """What the codes of activations stand for."""
    values = x.reshape(len(x), -1, group)
    greatest = np.abs(values).max(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        inverse = np.where(greatest > 0, np.float32(127) / greatest, np.float32(0))
    return (np.rint(values * inverse).astype("float64") * (greatest / np.float32(127))).reshape(x.shape)


def arrays(form: BlockFormat, blocks: Blocks) -> list[np.ndarray]:
    packed = form.pack(blocks)
    shapes = form.shapes(*blocks.codes.shape)
    found = [packed.words, packed.scale] + ([packed.minimum] if form.has_minimum else [])
    assert [(array.shape, str(array.dtype)) for array in found] == list(shapes.values())
    return found


@pytest.mark.parametrize("activations", ["int8", "exact"])
@pytest.mark.parametrize("name", FORMATS)
def test_products(name, activations):
    form, rng = FORMATS[name], np.random.default_rng(1)
    for outputs, groups, rows, bias in ((48, 3, 1, False), (50, 1, 9, True), (3, 2, 5, False), (130, 2, 21, False)):
        blocks = random_blocks(rng, form, outputs, groups)
        layer = BlockLinear(groups * form.group, outputs, form, bias, activations)
        weights = dict(zip(["words", "scale", "minimum"], arrays(form, blocks), strict=False))
        if bias:
            weights["bias"] = rng.standard_normal(outputs).astype("float32")
        layer.load_state_dict(weights)
        spec = {"forward": {"x": nn.spec.Tensor(["n", layer.in_features], "float32")}}
        compiled = layer.jit(spec, out_format="numpy")
        x = rng.standard_normal((rows, layer.in_features)).astype("float32") * 3
        x[0, : form.group] = 0
        seen = quantized_rows(x, form.group) if activations == "int8" else x
        expected = seen @ blocks.dequantized().T.astype("float64") + (weights["bias"] if bias else 0)
        found = compiled["forward"](x)
        # Sums of float32 in another order.
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6 * np.abs(expected).max(), err_msg=name)


@pytest.mark.parametrize("columns", [16, 24, 40])
@pytest.mark.parametrize("layout", ["panels", "flat"])
@pytest.mark.parametrize("signed", [False, True])
def test_formulas_that_are_nearly_those_of_blocks(columns, layout, signed):
    rows, groups, group, panels = 4, 3, 32, -(-columns // 16)
    a, a_scale = te.placeholder((rows, groups, group), "int8"), te.placeholder((rows, groups), "float32")
    flat = layout == "flat"
    shape = (groups, group // 4, columns * 4) if flat else (panels, groups, group // 4, 64)
    words = te.placeholder(shape, "uint8")
    scale = te.placeholder((groups, columns) if flat else (panels, groups, 16), "float32")
    g, k = te.reduce_axis((0, groups)), te.reduce_axis((0, group))

    def element(n):
        byte = words[g, k // 4, n * 4 + k % 4] if flat else words[n // 16, g, k // 4, n % 16 * 4 + k % 4]
        code = byte.astype("int8") if signed else byte
        return code.astype("float32") * (scale[g, n] if flat else scale[n // 16, g, n % 16])

    def product(i, n):
        return te.sum(a[i, g, k].astype("float32") * a_scale[i, g] * element(n), axis=[g, k])

    out = te.compute((rows, columns), product)
    built = tw.build(te.create_prim_func([a, a_scale, words, scale, out]), target="llvm")
    rng = np.random.default_rng(0)
    codes = rng.integers(-127, 128, (rows, groups, group)).astype("int8")
    factors = [rng.random(shape, dtype="float32") for shape in ((rows, groups), [int(dim) for dim in scale.shape])]
    bytes_ = rng.integers(0, 256, shape).astype("uint8")
    found = tw.nd.empty((rows, columns))
    built(*map(tw.nd.array, (codes, factors[0], bytes_, factors[1])), found)
    b = bytes_.view("int8") if signed else bytes_
    if flat:
        b = b.reshape(groups, group // 4, columns, 4).transpose(2, 0, 1, 3).reshape(columns, groups, group)
        of_b = factors[1].T
    else:
        b = b.reshape(panels, groups, group // 4, 16, 4).transpose(0, 3, 1, 2, 4)
        b, of_b = b.reshape(-1, groups, group)[:columns], factors[1].transpose(0, 2, 1).reshape(-1, groups)[:columns]
    left, right = codes * factors[0][..., None].astype("float64"), b * of_b[..., None].astype("float64")
    expected = np.einsum("mgk,ngk->mn", left, right)
    np.testing.assert_allclose(found.numpy(), expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.parametrize("activations", ["int8", "exact"])
def test_what_is_not_finite_is_not_hidden(activations):
    form, rng = FORMATS["Q4_0"], np.random.default_rng(4)
    layer = BlockLinear(64, 40, form, False, activations)
    layer.load_state_dict(dict(zip(["words", "scale"], arrays(form, random_blocks(rng, form, 40, 2)), strict=True)))
    compiled = layer.jit({"forward": {"x": nn.spec.Tensor(["n", 64], "float32")}}, out_format="numpy")
    x = rng.standard_normal((4, 64)).astype("float32")
    x[1, 3], x[2, 40] = np.nan, -np.inf
    finite = np.isfinite(compiled["forward"](x))
    assert finite[[0, 3]].all() and not finite[[1, 2]].any()


@pytest.mark.parametrize("name", ["Q4_1", "Q8_0"])
def test_rows_of_an_embedding_and_its_use_as_head(name):
    form, rng = FORMATS[name], np.random.default_rng(2)

    class Model(nn.Module):
        def __init__(self):
            self.table = nn.Embedding(37, 64)
            self.norm = nn.RMSNorm(64, -1, bias=False)

        def embed(self, ids: nn.Tensor):
            return self.table(ids)

        def head(self, x: nn.Tensor):
            return self.table.lm_head_forward(x)

    model = quantize_model(Model(), {"table.weight": form}, "exact")
    assert isinstance(model.table, BlockEmbedding)
    blocks = random_blocks(rng, form, 37, 2)
    model.load_state_dict(
        dict(zip([f"table.{part}" for part in ("words", "scale", "minimum")], arrays(form, blocks), strict=False))
        | {"norm.weight": np.ones(64, "float32")}
    )
    spec = {"embed": {"ids": nn.spec.Tensor(["n"], "int32")}, "head": {"x": nn.spec.Tensor([1, "n", 64], "float32")}}
    compiled, weight = model.jit(spec, out_format="numpy"), blocks.dequantized()
    ids = np.array([36, 0, 5, 36], "int32")
    np.testing.assert_array_equal(compiled["embed"](ids), weight[ids])
    x = rng.standard_normal((1, 3, 64)).astype("float32")
    np.testing.assert_allclose(compiled["head"](x), x @ weight.T, rtol=0, atol=1e-4)


def test_one_format_holds_weights_of_several():
    rng = np.random.default_rng(3)
    parts = [random_blocks(rng, FORMATS[name], 5, groups) for name, groups in (("Q4_0", 2), ("Q6_K", 4), ("Q4_1", 2))]
    whole = Blocks.concatenated(parts)
    assert whole.group == 16 and whole.zero == 0
    expected = np.concatenate([part.dequantized() for part in parts])
    np.testing.assert_allclose(whole.dequantized(), expected, rtol=1e-6, atol=1e-6)
    form = BlockFormat.of(whole)
    assert (form.bits, form.group, form.has_minimum) == (8, 16, True)


def test_formats_that_cannot_be():
    with pytest.raises(tw.TVMError, match="kept in 4 or 8 bits, not in 3"):
        BlockFormat(3, 32, 0)
    with pytest.raises(tw.TVMError, match="a group of codes of 4 bits has no 12 elements"):
        BlockFormat(4, 12, 0)
    with pytest.raises(tw.TVMError, match="rows of 40 elements are no whole groups of 32"):
        BlockFormat(4, 32, 0).shapes(16, 40)
