"""Products of matrices and what is computed of them."""

from __future__ import annotations

import itertools

from .case import Module, weights


def gemm() -> Module:
    m = Module("Products of matrices of float32 and float64: square, ragged, thin, transposed, with constant operands.")
    for rows, columns, depth in [
        (128, 128, 128),
        (64, 512, 256),
        (512, 64, 768),
        (37, 53, 71),
        (100, 17, 300),
        (33, 1000, 40),
        (256, 3072, 768),
        (16, 16, 16),
        (6, 6, 6),
        (2048, 8, 64),
        (13, 96, 5),
    ]:
        m.add(f"mm_{rows}_{columns}_{depth}", f"a:f32:{rows},{depth} b:f32:{depth},{columns}", "R.matmul(a, b)")
    for rows, columns, depth in [(64, 256, 128), (200, 77, 50), (5, 640, 320)]:
        m.add(
            f"mm_nt_{rows}_{columns}_{depth}",
            f"a:f32:{rows},{depth} b:f32:{columns},{depth}",
            "R.permute_dims(b, axes=[1, 0])",
            "R.matmul(a, v1)",
        )
    for rows, columns, depth in [(96, 80, 112), (31, 65, 17)]:
        m.add(
            f"mm_tn_{rows}_{columns}_{depth}",
            f"a:f32:{depth},{rows} b:f32:{depth},{columns}",
            "R.permute_dims(a, axes=[1, 0])",
            "R.matmul(v1, b)",
        )
    for rows, columns, depth in [(32, 128, 128), (7, 250, 64), (512, 64, 200)]:
        m.add(
            f"mm_constant_{rows}_{columns}_{depth}",
            f"a:f32:{rows},{depth}",
            weights(f"{depth}, {columns}"),
            "R.matmul(a, v1)",
        )
    for rows, columns, depth in [(64, 64, 64), (19, 45, 130)]:
        m.add(f"mm_f64_{rows}_{columns}_{depth}", f"a:f64:{rows},{depth} b:f64:{depth},{columns}", "R.matmul(a, b)")
    return m


def gemv() -> Module:
    m = Module("Products of one or few rows with a matrix, where its weights are what is waited for.")
    for rows in (1, 2, 3, 4, 8):
        m.add(f"rows_{rows}", f"a:f32:{rows},1024 b:f32:1024,2048", "R.matmul(a, b)")
    for rows in (1, 4):
        m.add(
            f"rows_{rows}_nt",
            f"a:f32:{rows},768 b:f32:3072,768",
            "R.permute_dims(b, axes=[1, 0])",
            "R.matmul(a, v1)",
        )
    m.add("rows_4_of_4096", "a:f32:4,4096 b:f32:4096,4096", "R.matmul(a, b)")
    m.add("rows_1_of_11008", "a:f32:1,4096 b:f32:4096,11008", "R.matmul(a, b)")
    m.add("vector_matrix", "a:f32:300 b:f32:300,500", "R.matmul(a, b)")
    m.add("matrix_vector", "a:f32:700,260 b:f32:260", "R.matmul(a, b)")
    m.add("dot", "a:f32:5000 b:f32:5000", "R.matmul(a, b)")
    m.add("columns_3", "a:f32:1000,512 b:f32:512,3", "R.matmul(a, b)")
    m.add("near", "a:f32:1,48 b:f32:48,64", "R.matmul(a, b)")
    m.add("constant", "a:f32:1,128", weights("128, 120"), "R.matmul(a, v1)")
    return m


def batched() -> Module:
    m = Module("Batches of products, of the same matrix or each of its own, and sums of products by letters.")
    m.add("bmm_4", "a:f32:4,64,96 b:f32:4,96,80", "R.matmul(a, b)")
    m.add("bmm_12_heads", "a:f32:2,12,128,64 b:f32:2,12,64,128", "R.matmul(a, b)")
    m.add("bmm_small", "a:f32:100,7,9 b:f32:100,9,5", "R.matmul(a, b)")
    m.add("bmm_one_row", "a:f32:32,1,128 b:f32:32,128,256", "R.matmul(a, b)")
    m.add("bmm_shared", "a:f32:8,50,64 b:f32:64,128", "R.matmul(a, b)")
    m.add("bmm_shared_left", "a:f32:40,64 b:f32:6,64,72", "R.matmul(a, b)")
    m.add("bmm_nt", "a:f32:6,40,64 b:f32:6,72,64", "R.permute_dims(b, axes=[0, 2, 1])", "R.matmul(a, v1)")
    m.add("bmm_heads_apart", "a:f32:2,64,8,32 b:f32:2,64,8,32", 'R.einsum((a, b), subscripts="bqhd,bkhd->bhqk")')
    m.add("values_of_heads", "a:f32:2,8,64,64 b:f32:2,8,64,32", 'R.einsum((a, b), subscripts="bhqk,bhkd->bqhd")')
    m.add("einsum_outer", "a:f32:300 b:f32:200", 'R.einsum((a, b), subscripts="i,j->ij")')
    m.add("einsum_batch_last", "a:f32:20,30,16 b:f32:30,40,16", 'R.einsum((a, b), subscripts="ijb,jkb->ikb")')
    m.add("einsum_three_axes", "a:f32:12,10,8 b:f32:8,10,33", 'R.einsum((a, b), subscripts="ijk,kjl->il")')
    m.add("einsum_all", "a:f32:64,80 b:f32:64,80", 'R.einsum((a, b), subscripts="ij,ij->")')
    return m


def narrow() -> Module:
    m = Module("Products of bfloat16 and float16, with sums of their own type or of float32.")
    for dtype in ("bf16", "f16"):
        for rows, columns, depth in [(64, 128, 96), (1, 512, 256), (4, 300, 130), (33, 47, 59), (256, 512, 64)]:
            m.add(
                f"{dtype}_{rows}_{columns}_{depth}",
                f"a:{dtype}:{rows},{depth} b:{dtype}:{depth},{columns}",
                "R.matmul(a, b)",
            )
        m.add(f"{dtype}_wide_sums", f"a:{dtype}:48,64 b:{dtype}:64,80", 'R.matmul(a, b, out_dtype="float32")')
        m.add(
            f"{dtype}_nt",
            f"a:{dtype}:40,128 b:{dtype}:96,128",
            "R.permute_dims(b, axes=[1, 0])",
            "R.matmul(a, v1)",
        )
        m.add(f"{dtype}_batch", f"a:{dtype}:3,32,48 b:{dtype}:3,48,32", "R.matmul(a, b)")
        m.add(
            f"{dtype}_weights",
            f"a:f32:8,256 b:{dtype}:256,192",
            'R.astype(b, "float32")',
            "R.matmul(a, v1)",
        )
        m.add(
            f"{dtype}_conv",
            f"x:{dtype}:1,16,14,14 w:{dtype}:32,16,3,3",
            "R.nn.conv2d(x, w, padding=1)",
        )
    return m


def integers() -> Module:
    m = Module("Products and convolutions of bytes and integers, and the ways to and from them.")
    wide = 'out_dtype="int32"'
    for left, right in itertools.product(("u8", "i8"), ("i8", "u8")):
        m.add(f"{left}_{right}_64", f"a:{left}:64,96 b:{right}:96,128", f"R.matmul(a, b, {wide})")
    m.add("i8_one_row", "a:i8:1,512 b:i8:512,256", f"R.matmul(a, b, {wide})")
    m.add("u8_few_rows", "a:u8:5,300 b:i8:300,77", f"R.matmul(a, b, {wide})")
    m.add("i8_nt", "a:i8:40,64 b:i8:50,64", "R.permute_dims(b, axes=[1, 0])", f"R.matmul(a, v1, {wide})")
    m.add("i8_batch", "a:i8:3,20,40 b:i8:3,40,30", f"R.matmul(a, b, {wide})")
    m.add(
        "u8_zero_points",
        "a:u8:32,64 b:i8:64,48",
        'R.astype(a, "int32")',
        'R.subtract(v1, R.const(7, "int32"))',
        'R.astype(b, "int32")',
        "R.matmul(v2, v3)",
    )
    m.add(
        "i8_requantised",
        "a:i8:32,128 b:i8:128,64 bias:i32:64",
        f"R.matmul(a, b, {wide})",
        "R.add(v1, bias)",
        "R.clip(v2, -128, 127)",
        'R.astype(v3, "int8")',
    )
    m.add("i8_conv", "x:i8:1,16,14,14 w:i8:32,16,3,3", f"R.nn.conv2d(x, w, padding=1, {wide})")
    m.add("i8_conv_1x1", "x:i8:1,64,10,10 w:i8:64,64,1,1", f"R.nn.conv2d(x, w, {wide})")
    m.add("u8_conv_strided", "x:u8:1,3,32,32 w:u8:16,3,3,3", f"R.nn.conv2d(x, w, strides=2, padding=1, {wide})")
    m.add("i8_depthwise", "x:i8:1,32,16,16 w:i8:32,1,3,3", f"R.nn.conv2d(x, w, padding=1, groups=32, {wide})")
    m.add("i32_mm", "a:i32:40,50 b:i32:50,60", "R.matmul(a, b)")
    m.add("quantize", "x:f32:64,100 s:f32:100 z:i8:100", 'R.quantize(x, s, z, axis=1, out_dtype="int8")')
    m.add("dequantize", "x:i8:64,100 s:f32:100 z:i8:100", 'R.dequantize(x, s, z, axis=1, out_dtype="float32")')
    return m


def epilogue() -> Module:
    m = Module("What is computed on finished tiles of products and convolutions, and what comes before them.")
    mm = "R.matmul(a, b)"
    m.add("bias", "a:f32:64,128 b:f32:128,96 c:f32:96", mm, "R.add(v1, c)")
    m.add("bias_relu", "a:f32:64,120 b:f32:120,96 c:f32:96", mm, "R.add(v1, c)", "R.nn.relu(v2)")
    m.add("bias_gelu", "a:f32:60,128 b:f32:128,96 c:f32:96", mm, "R.add(v1, c)", "R.nn.gelu(v2)")
    m.add("silu", "a:f32:40,64 b:f32:64,96", mm, "R.nn.silu(v1)")
    m.add("residual", "a:f32:48,64 b:f32:64,72 c:f32:72 d:f32:48,72", mm, "R.add(v1, c)", "R.add(v2, d)")
    m.add("gated", "a:f32:32,64 b:f32:64,88 c:f32:32,88", mm, "R.nn.silu(v1)", "R.multiply(v2, c)")
    m.add("tanh", "a:f32:24,56 b:f32:56,64", mm, "R.tanh(v1)")
    m.add("scaled", "a:f32:24,64 b:f32:64,64", mm, 'R.multiply(v1, R.const(0.5, "float32"))')
    m.add("of_rows", "a:f32:50,64 b:f32:64,64 c:f32:50,1", mm, "R.multiply(v1, c)")
    m.add("clip", "a:f32:24,40 b:f32:40,64", mm, "R.clip(v1, 0, 6)")
    m.add("to_f16", "a:f32:24,48 b:f32:48,64", mm, 'R.astype(v1, "float16")')
    m.add("to_bf16", "a:f32:24,80 b:f32:80,64", mm, 'R.astype(v1, "bfloat16")')
    m.add("one_row_gelu", "a:f32:1,512 b:f32:512,1024 c:f32:1024", mm, "R.add(v1, c)", "R.nn.gelu(v2)")
    m.add("before", "a:f32:40,72 b:f32:72,64", "R.nn.relu(a)", "R.matmul(v1, b)")
    m.add("batch_bias", "a:f32:3,40,64 b:f32:64,72 c:f32:72", mm, "R.add(v1, c)")
    m.add("heads", "a:f32:64,96 b:f32:96,96", mm, "R.reshape(v1, (64, 8, 12))", "R.permute_dims(v2, axes=[1, 0, 2])")
    m.add("bf16_relu", "a:bf16:40,64 b:bf16:64,72", mm, "R.nn.relu(v1)")
    m.add("f16_bias", "a:f16:40,64 b:f16:64,72 c:f16:72", mm, "R.add(v1, c)")
    conv = "R.nn.conv2d(x, w, padding=1)"
    m.add("conv_bias_relu", "x:f32:1,32,14,14 w:f32:48,32,3,3 c:f32:1,48,1,1", conv, "R.add(v1, c)", "R.nn.relu(v2)")
    m.add("conv_residual", "x:f32:1,32,15,15 w:f32:32,32,3,3 d:f32:1,32,15,15", conv, "R.add(v1, d)", "R.nn.relu(v2)")
    m.add("conv_silu", "x:f32:1,24,16,16 w:f32:32,24,3,3", conv, "R.nn.silu(v1)")
    m.add(
        "conv_batch_norm",
        "x:f32:1,16,18,18 w:f32:24,16,3,3 g:f32:24 b:f32:24 m:f32:24 s:f32:24",
        conv,
        "R.nn.batch_norm(v1, g, b, m, s, axis=1, training=False)",
        "v2[0]",
        "R.nn.relu(v3)",
    )
    m.add(
        "depthwise_relu6",
        "x:f32:1,24,16,16 w:f32:24,1,3,3 c:f32:1,24,1,1",
        "R.nn.conv2d(x, w, padding=1, groups=24)",
        "R.add(v1, c)",
        "R.clip(v2, 0, 6)",
    )
    m.add("pool_relu", "x:f32:1,24,16,16", "R.nn.relu(x)", "R.nn.max_pool2d(v1, pool_size=2, strides=2)")
    m.add(
        "split_heads",
        "a:f32:32,64 b:f32:64,192",
        mm,
        "R.split(v1, 3, axis=1)",
        "v2[0]",
        "v2[1]",
        "v2[2]",
        "R.multiply(v3, v4)",
        "R.add(v6, v5)",
    )
    return m


def symbolic() -> Module:
    m = Module("Sizes that are known only when the program runs.")
    m.add("rows", "a:f32:n,256 b:f32:256,128", "R.matmul(a, b)")
    m.add("rows_bias", "a:f32:n,128 b:f32:128,96 c:f32:96", "R.matmul(a, b)", "R.add(v1, c)", "R.nn.relu(v2)")
    m.add("rows_nt", "a:f32:n,96 b:f32:80,96", "R.permute_dims(b, axes=[1, 0])", "R.matmul(a, v1)")
    m.add("columns", "a:f32:64,96 b:f32:96,n", "R.matmul(a, b)")
    m.add("depth", "a:f32:32,k b:f32:k,48", "R.matmul(a, b)")
    m.add("all", "a:f32:m,k b:f32:k,n", "R.matmul(a, b)")
    m.add("batch", "a:f32:b,32,48 b:f32:b,48,40".replace("b:f32:b", "c:f32:b"), "R.matmul(a, c)")
    m.add("one_row", "a:f32:1,k b:f32:k,256", "R.matmul(a, b)")
    m.add("bf16", "a:bf16:n,64 b:bf16:64,96", "R.matmul(a, b)")
    m.add("i8", "a:i8:n,64 b:i8:64,96", 'R.matmul(a, b, out_dtype="int32")')
    m.add("conv_batch", "x:f32:n,16,14,14 w:f32:32,16,3,3", "R.nn.conv2d(x, w, padding=1)")
    m.add("conv_image", "x:f32:1,16,h,w k:f32:24,16,3,3", "R.nn.conv2d(x, k, padding=1)")
    m.add("conv_line", "x:f32:1,16,n w:f32:16,16,3", "R.nn.conv1d(x, w, padding=1)")
    m.add("pool", "x:f32:n,16,14,14", "R.nn.max_pool2d(x, pool_size=2, strides=2)")
    m.add("softmax", "x:f32:n,m", "R.nn.softmax(x, axis=-1)")
    m.add("norm", "x:f32:n,m g:f32:m b:f32:m", "R.nn.layer_norm(x, g, b, axes=[-1])")
    m.add("transpose", "x:f32:n,m", "R.permute_dims(x, axes=[1, 0])")
    m.add("heads", "x:f32:2,n,8,32", "R.permute_dims(x, axes=[0, 2, 1, 3])")
    m.add("mean", "x:f32:n,16,m", "R.mean(x, axis=1)")
    m.add("gelu", "x:f32:n,512", "R.nn.gelu(x)")
    return m
