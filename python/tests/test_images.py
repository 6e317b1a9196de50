"""Operators of images where less is known: symbolic sizes, ranks alone, nothing; their attributes in normal form."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax, te, tir, topi
from tilewright.relax import TensorStructInfo
from tilewright.topi.nn.pooling import pool2d

torch = pytest.importorskip("torch")
F = torch.nn.functional
nn = relax.op.nn


def machine(call, *infos):
    """The virtual machine of a function of tensors that returns what the call gives."""
    builder = relax.BlockBuilder()
    params = [relax.Var(f"x{i}", info) for i, info in enumerate(infos)]
    with builder.function("main", params):
        builder.emit_func_output(builder.emit(call(*params)))
    return relax.VirtualMachine(relax.build(builder.finalize(), "llvm"), tw.cpu())["main"]


def symbols(names: str) -> list[tir.Var]:
    return [tir.Var(name, "int64") for name in names]


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(("strides", "padding", "dilation"), [(1, 0, 1), (2, 1, 1), (3, 2, 2)])
@pytest.mark.parametrize("transposed", [False, True])
def test_a_convolution_of_symbolic_sizes_runs_for_any(strides, padding, dilation, transposed):
    n, c, h, w, o, k = symbols("nchwok")
    kernel = [c, o, k, k] if transposed else [o, c, k, k]
    op = nn.conv2d_transpose if transposed else nn.conv2d
    run = machine(
        lambda x, y: op(x, y, strides=strides, padding=padding, dilation=dilation),
        TensorStructInfo([n, c, h, w], "float32"),
        TensorStructInfo(kernel, "float32"),
    )
    for batch, channels, height, width, results, taps in [(2, 3, 7, 9, 4, 3), (1, 1, 5, 8, 1, 2), (3, 2, 6, 5, 5, 1)]:
        x = random(batch, channels, height, width)
        y = random(*((channels, results) if transposed else (results, channels)), taps, taps)
        given = [torch.from_numpy(array.astype(np.float64)) for array in (x, y)]
        if transposed:
            expected = F.conv_transpose2d(*given, None, strides, padding, dilation=dilation)
        else:
            expected = F.conv2d(*given, None, strides, padding, dilation)
        np.testing.assert_allclose(run(x, y).numpy(), expected.numpy(), rtol=2e-5, atol=2e-5)
    assert run(random(0, 3, 7, 9), random(3, 3, 2, 2)).shape[:2] == (0, 3)


def test_windows_that_reach_out_of_symbolic_sizes_are_those_of_known_ones():
    run = machine(
        lambda x: nn.avg_pool2d(x, 2, 3, 1, ceil_mode=True),
        TensorStructInfo([1, 1, *symbols("hw")], "float32"),
    )
    for height in range(1, 9):
        x = random(1, 1, height, 9 - height)
        expected = F.avg_pool2d(torch.from_numpy(x), 2, 3, 1, True, False)
        np.testing.assert_allclose(run(x).numpy(), expected.numpy(), rtol=2e-6, atol=1e-6)


# Operators that refuse tensors of which not even the number of dimensions is known.
NEEDS_RANKS = {"nn.instance_norm", "quantize"}
KNOWN = {
    "nn.conv1d": [((2, 3, 8), (4, 3, 3)), {}],
    "nn.conv2d": [((2, 4, 8, 8), (6, 2, 3, 3)), {"groups": 2, "out_layout": "NHWC"}],
    "nn.conv3d": [((2, 3, 4, 5, 6), (4, 3, 1, 2, 3)), {"out_dtype": "float64"}],
    "nn.conv2d_transpose": [((2, 3, 8, 8), (3, 4, 3, 3)), {"strides": 2}],
    "nn.max_pool2d": [((2, 4, 8, 8),), {"pool_size": 2, "out_layout": "NCHW4c"}],
    "nn.avg_pool1d": [((2, 4, 8),), {"pool_size": 2}],
    "nn.adaptive_avg_pool3d": [((2, 4, 8, 8, 8),), {"output_size": 2}],
    "nn.pixel_shuffle": [((2, 4, 3, 3),), {"upscale_factor": 2}],
    "nn.prelu": [((2, 4, 3), (4,)), {}],
    "nn.instance_norm": [((2, 4, 3), (4,), (4,)), {"channel_axis": 1, "axes": [2]}],
    "image.grid_sample": [((2, 4, 3, 3), (2, 2, 5, 6)), {}],
    "quantize": [((2, 4), (4,), (4,)), {}],
    "layout_transform": [((2, 4),), {"index_map": lambda i, j: (j, i)}],
}


@pytest.mark.parametrize("name", KNOWN)
def test_less_knowledge_gives_less_and_nothing_else(name):
    shapes, attributes = KNOWN[name]
    place = relax.op
    for part in name.split("."):
        place = getattr(place, part)

    def inferred(info) -> TensorStructInfo:
        return place(*[relax.Var("x", info(shape)) for shape in shapes], **attributes).struct_info

    whole = inferred(lambda shape: TensorStructInfo(shape, "float32"))
    ranked = inferred(lambda shape: TensorStructInfo(dtype="float32", ndim=len(shape)))
    untyped = inferred(lambda shape: TensorStructInfo(shape, ""))
    assert (ranked.ndim, ranked.dtype) == (whole.ndim, whole.dtype)
    assert [int(d) for d in untyped.shape] == [int(d) for d in whole.shape]
    assert untyped.dtype in ("", whole.dtype)
    if name in NEEDS_RANKS:
        with pytest.raises(tw.TVMError):
            inferred(lambda shape: TensorStructInfo(dtype="", ndim=-1))
        return
    nothing = inferred(lambda shape: TensorStructInfo(dtype="", ndim=-1))
    assert nothing.ndim in (-1, whole.ndim) and nothing.dtype in ("", whole.dtype)


def test_attributes_come_in_normal_form():
    x = relax.Var("x", TensorStructInfo([1, 3, 8, 8], "float32"))
    w = relax.Var("w", TensorStructInfo([4, 3, 3, 3], "float32"))
    attrs = nn.conv2d(x, w, strides=2, padding=(1, 0), data_layout="NCHW").attrs
    normal = {"strides": [2, 2], "padding": [1, 0, 1, 0], "dilation": [1, 1]}
    assert {name: list(attrs[name]) for name in normal} == normal
    assert (attrs["out_layout"], attrs["groups"]) == ("NCHW", 1)
    assert (list(attrs.strides), attrs.data_layout) == ([2, 2], "NCHW") and not hasattr(attrs, "stride")
    with pytest.raises(AttributeError, match="no attribute `stride`"):
        _ = attrs.stride
    mapped = relax.op.layout_transform(x, lambda n, c, h, w: (n, h, w, c)).attrs["index_map"]
    assert mapped.is_equivalent_to(tir.IndexMap.from_func(lambda a, b, c, d: (a, c, d, b)))


def test_a_pool_of_any_sort_is_a_formula():
    x = te.placeholder((1, 2, 7, 6), "float32", "x")
    function = te.create_prim_func([x, pool2d(x, [3, 2], [2, 2], [1, 1], [1, 0, 1, 0], "avg")])
    given, out = random(1, 2, 7, 6), tw.nd.array(np.zeros((1, 2, 4, 3), np.float32))
    tw.build(function, "llvm")(tw.nd.array(given), out)
    expected = F.avg_pool2d(torch.from_numpy(given), (3, 2), 2, (1, 0), count_include_pad=True)
    np.testing.assert_allclose(out.numpy(), expected.numpy(), rtol=2e-6, atol=1e-6)
    assert [int(d) for d in topi.image.resize2d(x, None, (3, 4)).shape] == [1, 2, 3, 4]
    with pytest.raises(ValueError, match='not "sum"'):
        pool2d(x, [2, 2], [1, 1], [1, 1], [0, 0, 0, 0], "sum")
