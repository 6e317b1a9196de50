"""Products and convolutions of random sizes under the default schedule, beside NumPy in float64.

Sizes are odd, prime, one and zero, known or known only when they run; factors are transposed, batched and of several
element types; what follows is a bias, an activation, a residual. The bound is that of a float32 sum in another order.
"""

from __future__ import annotations

import pathlib
import random
import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright import relax, tir

SIZES = [0, 1, 2, 3, 5, 7, 13, 16, 17, 31, 33, 64, 97, 130, 193]


def run(source: str, *arguments: np.ndarray) -> np.ndarray:
    """The result of the module's `main`, built as by default."""
    module = tw.script.from_source("from tvm.script import ir as I, relax as R, tir as T\n" + source)
    machine = relax.VirtualMachine(tw.build(module, target="llvm"), tw.cpu())
    return machine["main"](*map(tw.nd.array, arguments)).numpy()


def close(found: np.ndarray, exact: np.ndarray, terms: int) -> None:
    """Equal but for the rounding of sums of so many terms of standard normals."""
    assert found.shape == exact.shape
    bound = 1e-6 * (terms + 4)
    assert np.all(np.abs(found - exact) <= bound), np.abs(found - exact).max()


def epilogue(rng: random.Random) -> tuple[str, Any]:
    """Lines that make `z` of `y`, and what they do."""
    return rng.choice(
        [
            ("z = R.nn.relu(y)", lambda y, b, r: np.maximum(y, 0)),
            ("y1 = R.add(y, b)\n            z = R.nn.relu(y1)", lambda y, b, r: np.maximum(y + b, 0)),
            ("y1 = R.add(y, b)\n            z = R.add(y1, r)", lambda y, b, r: y + b + r),
            ("y1 = R.add(y, b)\n            z = R.multiply(y1, y)", lambda y, b, r: (y + b) * y),
            ("z = R.add(y, r)", lambda y, b, r: y + r),
        ]
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_product_of_random_sizes(seed: int) -> None:
    """`op(A) @ op(B)` and what follows."""
    rng = random.Random(seed)
    m, n, k, batch = (rng.choice(SIZES) for _ in range(4))
    batch = batch % 4
    batched, symbolic = rng.random() < 0.4, [rng.random() < 0.4 for _ in range(4)]
    sizes = {"b": batch, "m": m, "n": n, "k": k}
    text = {name: f'"{name}"' if known else str(sizes[name]) for name, known in zip("bmnk", symbolic, strict=True)}
    transposed = [rng.random() < 0.5, rng.random() < 0.5]
    lead = ["b"] if batched else []
    shapes = [
        lead + (["k", "m"] if transposed[0] else ["m", "k"]),
        (lead if rng.random() < 0.7 else []) + (["n", "k"] if transposed[1] else ["k", "n"]),
        ["n"],
        [*lead, "m", "n"],
    ]
    annotations = [f"R.Tensor(({''.join(text[name] + ', ' for name in shape)}), 'float32')" for shape in shapes]
    factors = []
    for name, shape, swap in zip("ac", shapes[:2], transposed, strict=True):
        axes = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
        factors.append(f"R.permute_dims({name}, {axes})" if swap else name)
    lines, judge = epilogue(rng)
    # Every dimension that is used must be that of an argument: the bias has n, the residual all of the others.
    source = f"""
@I.ir_module
class Module:
    @R.function
    def main(a: {annotations[0]}, c: {annotations[1]}, b: {annotations[2]}, r: {annotations[3]}):
        with R.dataflow():
            p = {factors[0]}
            q = {factors[1]}
            y = R.matmul(p, q)
            {lines}
            R.output(z)
        return z
"""
    numbers = np.random.default_rng(seed)
    values = [numbers.standard_normal([sizes[name] for name in shape], dtype=np.float32) for shape in shapes]
    wide = [value.astype(np.float64) for value in values]
    left, right = (np.swapaxes(x, -1, -2) if swap else x for x, swap in zip(wide[:2], transposed, strict=True))
    # A sum of products of standard normals, multiplied by another one where the epilogue does so.
    close(run(source, *values), judge(left @ right, *wide[2:]), 16 * k)


@pytest.mark.parametrize("seed", range(24))
def test_a_convolution_of_random_sizes(seed: int) -> None:
    """Windows, strides, borders, dilation, groups, both layouts of images."""
    rng = random.Random(1000 + seed)
    groups = rng.choice([1, 1, 1, 2, 3])
    batch, inputs, outputs = rng.choice([1, 1, 2, 3]), groups * rng.choice([1, 3, 8]), groups * rng.choice([1, 4, 19])
    window, stride, dilation = rng.choice([1, 2, 3, 5]), rng.choice([1, 1, 2, 3]), rng.choice([1, 1, 2])
    border = rng.choice([0, 1, 2])
    reach = dilation * (window - 1) + 1
    height, width = (reach + rng.choice([0, 1, 4, 9, 20]) for _ in range(2))
    images = rng.choice(["NCHW", "NCHW", "NHWC"])
    shape = (batch, inputs, height, width) if images == "NCHW" else (batch, height, width, inputs)
    source = f"""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor({shape}, "float32"), w: R.Tensor({(outputs, inputs // groups, window, window)}, "float32")):
        with R.dataflow():
            y = R.nn.conv2d(x, w, strides=({stride}, {stride}), padding=({border}, {border}),
                            dilation=({dilation}, {dilation}), groups={groups}, data_layout="{images}")
            z = R.nn.relu(y)
            R.output(z)
        return z
"""
    numbers = np.random.default_rng(seed)
    image = numbers.standard_normal(shape, dtype=np.float32)
    kernel = numbers.standard_normal((outputs, inputs // groups, window, window), dtype=np.float32)
    found = run(source, image, kernel)
    plain = image.astype(np.float64) if images == "NCHW" else np.moveaxis(image.astype(np.float64), -1, 1)
    plain = np.pad(plain, [(0, 0), (0, 0), (border, border), (border, border)])
    views = np.lib.stride_tricks.sliding_window_view(plain, (reach, reach), axis=(2, 3))
    views = views[:, :, ::stride, ::stride, ::dilation, ::dilation]
    views = views.reshape(batch, groups, inputs // groups, *views.shape[2:])
    taps = kernel.astype(np.float64).reshape(groups, outputs // groups, inputs // groups, window, window)
    exact = np.einsum("bgcyxij,gfcij->bgfyx", views, taps).reshape(batch, outputs, *views.shape[3:5])
    exact = np.maximum(exact if images == "NCHW" else np.moveaxis(exact, 1, -1), 0)
    close(found, exact, inputs // groups * window * window)


def rules(module: tw.IRModule, folder: pathlib.Path) -> dict[str, str]:
    """The rule of each kernel of the module's default build for one processor, by the kernel's name."""
    file = folder / "module.py"
    file.write_text(module.script(show_meta=True))
    command = [sys.executable, "-m", "tilewright", "explain", str(file), "--target", "llvm -mcpu=znver5"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(re.findall(r"^ *\d+  (\w+)  \(([\w ]+)\)$", listed, re.MULTILINE))


BLOCK = """
@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((1, 12, 9, 7), "float32"),
        w: R.Tensor((12, 12, 1, 1), "float32"),
        v: R.Tensor((12, 12, 3, 3), "float32"),
        b: R.Tensor((1, 12, 1, 1), "float32"),
    ):
        with R.dataflow():
            y = R.nn.relu(R.add(R.nn.conv2d(x, w), b))
            h = R.nn.relu(R.add(R.nn.conv2d(y, v, padding=1), b))
            z = R.nn.relu(R.add(R.add(R.nn.conv2d(h, w), b), y))
            R.output(z)
        return z
"""


def test_a_block_with_a_residual_is_three_products(tmp_path: pathlib.Path) -> None:
    """The last convolution of the block writes its result over what is added to it."""
    module = tw.script.from_source("from tvm.script import ir as I, relax as R\n" + BLOCK)
    found = rules(module, tmp_path)
    assert len(found) == 3 and set(found.values()) == {"gemm"}, found
    assert sum(name.endswith("_inplace") for name in found) == 1, found
    draw = np.random.default_rng(0).standard_normal
    x, w, v, b = (
        draw(shape).astype("float32") for shape in [(1, 12, 9, 7), (12, 12, 1, 1), (12, 12, 3, 3), (1, 12, 1, 1)]
    )
    y = np.maximum(np.einsum("fc,nchw->nfhw", w[:, :, 0, 0], x, dtype="float64") + b, 0)
    padded = np.pad(y, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    h = np.maximum(np.einsum("fcrs,nchwrs->nfhw", v, windows) + b, 0)
    z = np.maximum(np.einsum("fc,nchw->nfhw", w[:, :, 0, 0], h) + b + y, 0)
    assert np.abs(run(BLOCK, x, w, v, b) - z).max() <= 1e-5 * np.abs(z).max()


@pytest.mark.torch
@pytest.mark.parametrize("name", ["resnet18", "resnet50", "mobilenet_v2", "squeezenet1_0", "densenet121"])
def test_no_convolution_is_left_to_the_fallback(name: str, tmp_path: pathlib.Path) -> None:
    """Convolutions are products, or windows where each channel is by itself or a group has few."""
    torch = pytest.importorskip("torch")
    models = pytest.importorskip("torchvision.models", reason="torchvision is not installed")
    from tilewright.relax.frontend import detach_params
    from tilewright.relax.frontend.torch import from_fx

    graph = torch.fx.symbolic_trace(getattr(models, name)(weights=None).eval())
    with torch.no_grad():
        module = from_fx(graph, [((1, 3, 64, 64), "float32")], keep_params_as_input=True)
    found = rules(detach_params(module)[0], tmp_path)
    convolutions = {kernel: rule for kernel, rule in found.items() if "conv2d" in kernel}
    assert len(convolutions) >= 10
    windows = {"windows_in_tiles", "windows_by_images"}
    assert set(convolutions.values()) <= {"gemm", "gemm_channels", "direct_conv", *windows}, convolutions


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize(
    ("m", "k", "n"), [(1, 300, 5), (3, 1, 17), (7, 77, 1), (33, 129, 31), (16, 1000, 48), (5, 0, 3)]
)
def test_a_product_of_narrow_floats_is_summed_in_float32(dtype: str, m: int, k: int, n: int) -> None:
    """So the only error is that of rounding the result once, to 11 or to 8 bits."""
    source = f"""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({m}, {k}), "{dtype}"), w: R.Tensor(({k}, {n}), "{dtype}")):
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.astype(y, "float32")
            R.output(z)
        return z
"""
    module = tw.script.from_source("from tvm.script import ir as I, relax as R\n" + source)
    machine = relax.VirtualMachine(tw.build(module, target="llvm"), tw.cpu())
    numbers = np.random.default_rng(m * k + n)
    # Few bits, so that both types have the arguments.
    values = [numbers.integers(-64, 64, shape).astype(np.float32) / 16 for shape in ((m, k), (k, n))]
    found = machine["main"](*(tw.nd.array(value).astype(dtype) for value in values)).numpy()
    exact = values[0].astype(np.float64) @ values[1].astype(np.float64)
    bits = 11 if dtype == "float16" else 8
    assert found.shape == exact.shape
    assert np.all(np.abs(found - exact) <= np.abs(exact) * 2.0**-bits + 1e-6 * (k + 1))


@pytest.mark.parametrize(
    ("m", "k", "n", "rows", "columns"),
    [
        (128, 96, 80, False, False),
        # One tile of rows uses each column once.
        (9, 490, 2383, False, False),
        # Rows and places of the depth that are as far apart as a way of the cache are in each other's way.
        (26, 4096, 32, True, False),
        (256, 1024, 1024, False, True),
        # A copy pays where many rows use it.
        (2048, 1000, 1000, False, True),
    ],
)
def test_a_factor_is_copied_where_the_caches_do_not_hold_it(m: int, k: int, n: int, rows: bool, columns: bool) -> None:
    source = f"""from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.Buffer({m, k}, "float32"), b: T.Buffer({k, n}, "float32"), c: T.Buffer({m, n}, "float32")):
        for i, j, k in T.grid({m}, {n}, {k}):
            with T.block("c"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    c[vi, vj] = T.float32(0)
                c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]
"""
    module = tw.script.from_source(source)
    text = tir.transform.ApplyDefaultSchedule("llvm -mcpu=znver4")(module).script()
    assert ("packed_a" in text, "packed_b" in text) == (rows, columns)


@pytest.mark.parametrize("follows", ["y", "R.tanh(R.add(y, R.const(0.5)))"])
def test_rows_from_memory_are_reduced_in_k_blocks(follows: str) -> None:
    """All tasks make a step before any makes the next one."""
    m, k, n = 97, 2100, 131
    rng = np.random.default_rng(0)
    x = rng.standard_normal((m, k)).astype("float32") / 16
    w = rng.standard_normal((k, n)).astype("float32") / 16
    source = f"""@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(({m}, {k}), "float32"), w: R.Tensor(({k}, {n}), "float32")):
        with R.dataflow():
            y = R.matmul(x, w)
            z = {follows}
            R.output(z)
        return z
"""
    exact = x.astype("float64") @ w.astype("float64")
    close(run(source, x, w), exact if follows == "y" else np.tanh(exact + 0.5), k // 16)
    module = relax.transform.LegalizeOps()(
        tw.script.from_source("from tvm.script import ir as I, relax as R\n" + source)
    )
    text = tir.transform.ApplyDefaultSchedule("llvm -mcpu=znver4")(module).script()
    assert re.search(r"for k_block in range\(.*\n(.*\n){2} *for task in T.parallel", text)


def test_narrow_columns_are_widened_by_each_task_where_rows_come_from_afar() -> None:
    """What a task widens for a step is its own: its steps are inside of it."""
    m, k, n = 97, 2100, 131
    rng = np.random.default_rng(0)
    x = rng.standard_normal((m, k)).astype("float32") / 16
    w = rng.standard_normal((k, n)).astype("float16")
    source = f"""from tvm.script import ir as I, tir as T
@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.Buffer({m, k}, "float32"), w: T.Buffer({k, n}, "float16"), y: T.Buffer({m, n}, "float32")):
        T.func_attr({{"layout_free_buffers": [1]}})
        for i, j, k in T.grid({m}, {n}, {k}):
            with T.block("y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    y[vi, vj] = T.float32(0)
                y[vi, vj] = y[vi, vj] + x[vi, vk] * T.Cast("float32", w[vk, vj])
"""
    module = tir.transform.ApplyDefaultSchedule("llvm -mcpu=znver4")(tw.script.from_source(source))
    assert "tile" in module.script()
    result = tw.nd.empty((m, n), "float32")
    tw.build(module, target="llvm")["main"](tw.nd.array(x), tw.nd.array(w), result)
    close(result.numpy(), x.astype("float64") @ w.astype("float64"), k // 16)


@pytest.mark.parametrize("seed", range(24))
def test_a_product_of_bytes(seed: int) -> None:
    """Bytes of all signs, summed in int32 without a difference, where the processor sums four at once and where it does
    not; the second factor is transposed or not, a constant or an argument."""
    rng, random_bytes = random.Random(seed), np.random.default_rng(seed)
    m, n, k = (rng.choice([1, 2, 3, 5, 16, 33, 64, 97, 130]) for _ in range(3))
    k = rng.choice([k, 1601])
    types = [rng.choice(["int8", "uint8"]) for _ in range(2)]
    symbolic, transposed, constant = (rng.random() < 0.5 for _ in range(3))
    low, high = (lambda name: np.iinfo(name).min), (lambda name: np.iinfo(name).max)
    a, b = (
        random_bytes.integers(low(name), high(name), shape, dtype=name, endpoint=True)
        for name, shape in zip(types, [(m, k), (n, k) if transposed else (k, n)], strict=True)
    )
    rows = tir.Var("m", "int64") if symbolic else m
    x = relax.Var("x", relax.TensorStructInfo((rows, k), types[0]))
    y = relax.const(b) if constant else relax.Var("y", relax.TensorStructInfo(b.shape, types[1]))
    builder = relax.BlockBuilder()
    with builder.function("main", [x] if constant else [x, y]):
        factor = builder.emit(relax.op.permute_dims(y)) if transposed else y
        builder.emit_func_output(builder.emit(relax.op.matmul(x, factor, out_dtype="int32")))
    machine = relax.VirtualMachine(tw.build(builder.get(), target="llvm"), tw.cpu())
    found = machine["main"](*map(tw.nd.array, [a] if constant else [a, b])).numpy()
    exact = a.astype("int32") @ (b.T if transposed else b).astype("int32")
    assert found.dtype == np.int32 and np.array_equal(found, exact)
