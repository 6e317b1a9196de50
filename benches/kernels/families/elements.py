"""Elements computed one by one, moved, looked up and put in order, and loops that no operator writes."""

from __future__ import annotations

import itertools

from .case import DTYPES, Module


def elementwise() -> Module:
    m = Module("Elements computed one by one, of every type, with operands that broadcast, and functions of them.")
    functions = ("exp", "log", "sin", "tanh", "sigmoid", "erf", "sqrt", "rsqrt", "floor", "atan", "cosh")
    for op in functions:
        m.add(op, "x:f32:64,500", f"R.{op}(x)")
    for op in ("relu", "gelu", "gelu_tanh", "silu", "softplus", "selu", "leakyrelu"):
        m.add(op, "x:f32:1000,40", f"R.nn.{op}(x)")
    for op, dtype in itertools.product(("add", "multiply", "maximum"), ("f32", "f16", "bf16", "i8", "i64")):
        m.add(f"{op}_{dtype}", f"x:{dtype}:100,77 y:{dtype}:100,77", f"R.{op}(x, y)")
    m.add("divide", "x:f32:3000 y:f32:3000", "R.divide(x, y)")
    m.add("power", "x:f32:3000 y:f32:3000", "R.power(x, y)")
    m.add("floor_divide_i32", "x:i32:3000 y:i32:3000", "R.floor_divide(x, y)")
    m.add("mod_i32", "x:i32:30,30 y:i32:30,30", "R.mod(x, y)")
    m.add("of_rows", "x:f32:64,96 y:f32:96", "R.add(x, y)")
    m.add("of_columns", "x:f32:64,96 y:f32:64,1", "R.multiply(x, y)")
    m.add("of_channels", "x:f32:2,24,14,14 y:f32:24,1,1", "R.add(x, y)")
    m.add("outer", "x:f32:80,1 y:f32:1,90", "R.add(x, y)")
    m.add("of_middle", "x:f32:10,1,33 y:f32:1,20,33", "R.maximum(x, y)")
    m.add("large", "x:f32:2048,2048 y:f32:2048,2048", "R.add(x, y)")
    m.add("n", "x:f32:n y:f32:n", "R.subtract(x, y)")
    m.add("n_m", "x:f32:n,m y:f32:m", "R.add(x, y)", "R.tanh(v1)")
    m.add("chain", "x:f32:40,60 y:f32:40,60", "R.add(x, y)", "R.exp(v1)", "R.multiply(v2, y)", "R.negative(v3)")
    m.add("where", "c:bool:50,60 x:f32:50,60 y:f32:60", "R.where(c, x, y)")
    m.add("less", "x:f32:50,61 y:f32:50,61", "R.less(x, y)")
    m.add("clip_i32", "x:i32:900", "R.clip(x, -3, 7)")
    for source, target in [
        ("f32", "f16"),
        ("f16", "f32"),
        ("f32", "bf16"),
        ("bf16", "f32"),
        ("i8", "f32"),
        ("f32", "i32"),
        ("f64", "f32"),
    ]:
        m.add(f"{source}_as_{target}", f"x:{source}:60,70", f'R.astype(x, "{DTYPES[target]}")')
    m.add("bits", "x:i32:40,70 y:i32:40,70", "R.bitwise_and(x, y)", "R.bitwise_xor(v1, y)")
    m.add("exp_f64", "x:f64:500", "R.exp(x)")
    m.add("swiglu", "x:f32:32,512 y:f32:32,512", "R.nn.silu(x)", "R.multiply(v1, y)")
    return m


def moves() -> Module:
    m = Module("Elements that move: transposes, joins, borders, slices, repetitions, reversals.")
    for shape, axes in [
        ("128,256", "[1, 0]"),
        ("33,77", "[1, 0]"),
        ("2,64,12,32", "[0, 2, 1, 3]"),
        ("4,16,14,14", "[0, 2, 3, 1]"),
        ("2,14,14,24", "[0, 3, 1, 2]"),
        ("8,10,12", "[2, 1, 0]"),
        ("1000,3", "[1, 0]"),
    ]:
        m.add(f"transpose_{shape.replace(',', '_')}", f"x:f32:{shape}", f"R.permute_dims(x, axes={axes})")
    for dtype in ("f16", "i8", "f64", "i32"):
        m.add(f"transpose_{dtype}", f"x:{dtype}:96,160", "R.permute_dims(x, axes=[1, 0])")
    m.add("transpose_n", "x:f32:n,64", "R.permute_dims(x, axes=[1, 0])")
    m.add("transpose_added", "x:f32:64,80 y:f32:80,64", "R.permute_dims(x, axes=[1, 0])", "R.add(v1, y)")
    m.add("concat_rows", "x:f32:20,30 y:f32:25,30", "R.concat((x, y), axis=0)")
    m.add("concat_columns", "x:f32:20,30 y:f32:20,31", "R.concat((x, y), axis=1)")
    m.add("concat_channels", "x:f32:1,16,14,14 y:f32:1,24,14,14 z:f32:1,8,14,14", "R.concat((x, y, z), axis=1)")
    m.add("concat_relu", "x:f32:20,33 y:f32:20,34", "R.concat((x, y), axis=1)", "R.nn.relu(v1)")
    m.add("concat_n", "x:f32:n,32 y:f32:m,32", "R.concat((x, y), axis=0)")
    m.add("pad_zeros", "x:f32:1,8,14,14", "R.nn.pad(x, pad_width=[0, 0, 0, 0, 1, 1, 2, 2])")
    for mode in ("edge", "reflect", "circular"):
        m.add(f"pad_{mode}", "x:f32:16,40", f'R.nn.pad(x, pad_width=[2, 2, 3, 1], pad_mode="{mode}")')
    m.add("slice", "x:f32:40,50", "R.strided_slice(x, axes=[1], begin=[5], end=[45])")
    m.add("slice_strided", "x:f32:40,50", "R.strided_slice(x, axes=[0, 1], begin=[1, 2], end=[39, 50], strides=[2, 3])")
    m.add("slice_back", "x:f32:40,50", "R.strided_slice(x, axes=[1], begin=[49], end=[0], strides=[-1])")
    m.add("split", "x:f32:30,48", "R.split(x, 3, axis=1)", "v1[0]", "v1[2]", "R.add(v2, v3)")
    m.add("flip", "x:f32:40,60", "R.flip(x, axis=1)")
    m.add("repeat", "x:f32:20,30", "R.repeat(x, repeats=3, axis=1)")
    m.add("tile", "x:f32:20,30", "R.tile(x, [2, 3])")
    m.add("broadcast", "x:f32:1,70", "R.broadcast_to(x, (50, 70))")
    m.add("stack", "x:f32:20,30 y:f32:20,30", "R.stack((x, y), axis=1)")
    m.add("triu", "x:f32:60,60", "R.triu(x, 1)")
    m.add("shuffle", "x:f32:1,36,7,7", "R.nn.pixel_shuffle(x, upscale_factor=3)")
    return m


def gather() -> Module:
    m = Module("Indices that are data: embeddings, gathers, scatters.")
    m.add("embedding", "x:f32:1000,64 i:i64:50", "R.take(x, i, axis=0)")
    m.add("embedding_of_tokens", "x:f32:500,128 i:i32:2,n", "R.take(x, i, axis=0)")
    m.add("embedding_added", "x:f32:300,96 i:i64:40 p:f32:40,96", "R.take(x, i, axis=0)", "R.add(v1, p)")
    m.add("embedding_f16", "x:f16:300,80 i:i64:40", "R.take(x, i, axis=0)")
    m.add("take_columns", "x:f32:60,90 i:i32:30", "R.take(x, i, axis=1)")
    m.add("take_wrapped", "x:f32:70 i:i64:200", 'R.take(x, i, axis=0, mode="wrap")')
    m.add("elements", "x:f32:40,50 i:i64:40,20", "R.gather_elements(x, i, axis=1)")
    m.add("nd", "x:f32:20,30,8 i:i64:50,2", "R.gather_nd(x, i)")
    m.add("indexed", "x:f32:20,30 i:i64:60 j:i64:60", "R.index_tensor(x, (i, j))")
    m.add("scatter", "x:f32:40,50 i:i64:40,20 u:f32:40,20", "R.scatter_elements(x, i, u, axis=1)")
    m.add("scatter_added", "x:f32:60,16 i:i64:30,1 u:f32:30,16", 'R.scatter_nd(x, i, u, reduction="add")')
    m.add("put", "x:f32:60,16 i:i64:30 u:f32:30,16", "R.index_put(x, (i,), u)")
    m.add("one_hot", "i:i64:40", "R.one_hot(i, R.prim_value(T.float32(1)), R.prim_value(T.float32(0)), 32, axis=-1)")
    return m


def order() -> Module:
    m = Module("Scans, sorts, ranks and searches.")
    m.add("cumsum_rows", "x:f32:64,300", "R.cumsum(x, axis=1)")
    m.add("cumsum_columns", "x:f32:300,64", "R.cumsum(x, axis=0)")
    m.add("cumsum_long", "x:f32:100000", "R.cumsum(x, axis=0)")
    m.add("cumsum_exclusive", "x:f32:40,100", "R.cumsum(x, axis=1, exclusive=True)")
    m.add("cumsum_i64", "x:i64:40,100", "R.cumsum(x, axis=1)")
    m.add("cumprod", "x:f32:30,90", "R.cumprod(x, axis=1)")
    m.add("cumsum_n", "x:f32:n,50", "R.cumsum(x, axis=1)")
    m.add("sort_rows", "x:f32:30,100", "R.sort(x, axis=1)")
    m.add("sort_short", "x:f32:200,12", "R.sort(x, axis=1, descending=True)")
    m.add("sort_columns", "x:i32:100,30", "R.sort(x, axis=0)")
    m.add("argsort", "x:f32:20,150", "R.argsort(x, axis=1)")
    m.add("topk_1", "x:f32:20,500", 'R.topk(x, k=1, axis=1, ret_type="values")')
    m.add(
        "topk_4", "x:f32:20,500", "R.topk(x, k=4, axis=1)", "v1[0]", "v1[1]", 'R.astype(v3, "float32")', "R.add(v2, v4)"
    )
    m.add("topk_50", "x:f32:4,2000", 'R.topk(x, k=50, axis=1, ret_type="values")')
    m.add("kth", "x:f32:20,99", "R.kthvalue(x, k=10, axis=1)", "v1[0]")
    m.add("median", "x:f32:20,101", "R.median(x, axis=[1])", "v1[0]")
    m.add("bucketize", "x:f32:500 b:f32:20", "R.bucketize(x, b)")
    return m


# Parameters in the first line.
LOOPS = {
    "conv_of_constant": """X: T.Buffer((1, 16, 9, 9)), W: T.Buffer((32, 8, 3, 3)), Y: T.Buffer((1, 32, 7, 7))
    T.func_attr({"layout_free_buffers": [1]})
    for n, f, y, x, c, r, s in T.grid(1, 32, 7, 7, 8, 3, 3):
        with T.block("conv"):
            vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
            with T.init():
                Y[vn, vf, vy, vx] = T.float32(0)
            Y[vn, vf, vy, vx] = Y[vn, vf, vy, vx] + X[vn, vf // 16 * 8 + vc, vy + vr, vx + vs] * W[vf, vc, vr, vs]""",
    "product_backwards": """A: T.Buffer((48, 64)), B: T.Buffer((64, 40)), C: T.Buffer((48, 40))
    for i, j, k in T.grid(48, 40, 64):
        with T.block("sum"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, 63 - vk] * B[vk, vj]""",
    "product_strided": """A: T.Buffer((48, 129)), B: T.Buffer((64, 40)), C: T.Buffer((48, 40))
    for k, i, j in T.grid(64, 48, 40):
        with T.block("sum"):
            vk, vi, vj = T.axis.remap("RSS", [k, i, j])
            with T.init():
                C[vi, vj] = T.float32(0)
            C[vi, vj] = C[vi, vj] + A[vi, vk * 2 + 1] * B[vk, vj]""",
    "correlation": """A: T.Buffer((1063,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((1000,), "float32")
    for i, k in T.grid(1000, 64):
        with T.block("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                C[vi] = T.float32(0)
            C[vi] = C[vi] + A[vi + vk] * B[vk]""",
    "greatest_of_windows": """A: T.Buffer((16, 105), "float32"), C: T.Buffer((16, 100), "float32")
    for n, i, k in T.grid(16, 100, 6):
        with T.block("max"):
            vn, vi, vk = T.axis.remap("SSR", [n, i, k])
            with T.init():
                C[vn, vi] = T.float32("-inf")
            C[vn, vi] = T.max(C[vn, vi], A[vn, vi + vk])""",
    "two_stages": """A: T.Buffer((40, 50), "float32"), B: T.Buffer((50, 40), "float32")
    t = T.alloc_buffer((40, 50))
    for i, j in T.grid(40, 50):
        with T.block("square"):
            vi, vj = T.axis.remap("SS", [i, j])
            t[vi, vj] = A[vi, vj] * A[vi, vj]
    for i, j in T.grid(50, 40):
        with T.block("transpose"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj] = t[vj, vi] + T.float32(1)""",
    "guarded": """A: T.Buffer((100,), "float32"), B: T.Buffer((100,), "float32")
    for i in range(128):
        with T.block("copy"):
            vi = T.axis.spatial(100, i)
            T.where(i < 100)
            B[vi] = A[99 - vi]""",
    "histogram": """A: T.Buffer((500,), "int32"), B: T.Buffer((16,), "int32")
    for i in range(16):
        with T.block("zero"):
            vi = T.axis.spatial(16, i)
            B[vi] = 0
    for i in range(500):
        with T.block("count"):
            vi = T.axis.opaque(500, i)
            B[A[vi] % 16] = B[A[vi] % 16] + 1""",
    "scheduled_by_hand": """A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")
    T.func_attr({"tir.is_scheduled": T.bool(True)})
    for i in T.parallel(64):
        for j in T.vectorized(64):
            with T.block("double"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vi, vj] * T.float32(2)""",
    "sizes": """a: T.handle, b: T.handle
    n = T.int64()
    m = T.int64()
    A = T.match_buffer(a, (n, m), "float32")
    B = T.match_buffer(b, (n,), "float32")
    for i, j in T.grid(n, m):
        with T.block("sum"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                B[vi] = T.float32(0)
            B[vi] = B[vi] + T.abs(A[vi, vj])""",
}


def loops() -> Module:
    m = Module("Loops around blocks, as no operator writes them.")
    for name, text in LOOPS.items():
        m.loops(name, text)
    return m
