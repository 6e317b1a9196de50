"""Attention, reductions and what needs them: softmax, norms, places of extremes."""

from __future__ import annotations

from .case import DTYPES, Module


def attention() -> Module:
    m = Module("The operator of attention: masks, windows, biases, few queries, symbolic lengths.")

    def operator(name: str, queries: str, keys: str, heads: int, depth: int, options: str = "", bias: str = "") -> None:
        """(batch, places, heads, depth)"""
        params = f"q:f32:2,{queries},{heads},{depth} k:f32:2,{keys},{heads},{depth} v:f32:2,{keys},{heads},{depth}"
        if bias:
            m.add(name, f"{params} b:f32:{bias}", f"R.nn.attention_bias(q, k, v, b{options})")
        else:
            m.add(name, params, f"R.nn.attention(q, k, v{options})")

    operator("plain_64", "64", "64", 4, 32)
    operator("plain_128", "128", "128", 12, 64)
    operator("ragged", "50", "77", 3, 40)
    operator("one_query", "1", "256", 8, 64)
    operator("three_queries", "3", "100", 4, 64)
    operator("causal", "96", "96", 4, 64, ', causal_mask="TopLeft"')
    operator("causal_below", "16", "80", 4, 32, ', causal_mask="BottomRight"')
    operator("window", "64", "64", 2, 32, ', causal_mask="BottomRight", window_size=16')
    operator("scaled", "40", "40", 2, 48, ", scale=0.125")
    operator("bias", "48", "60", 4, 32, bias="2,4,48,60")
    operator("bias_of_keys", "48", "60", 4, 32, bias="2,1,1,60")
    operator("lengths", "n", "n", 4, 64)
    operator("keys", "1", "n", 8, 64)
    operator("causal_lengths", "n", "n", 4, 32, ', causal_mask="TopLeft"')
    return m


def attention_written() -> Module:
    m = Module("Attention written out, as models have it: scaled scores, masks, heads that share keys.")

    def written(
        name: str, dtype: str, heads: int, queries: str, keys: str, depth: int, *mask: str, params: str = ""
    ) -> None:
        shapes = f"q:{dtype}:1,{heads},{queries},{depth} k:{dtype}:1,{heads},{keys},{depth}"
        long = DTYPES[dtype]
        first = [
            "R.permute_dims(k, axes=[0, 1, 3, 2])",
            "R.matmul(q, v1)",
            f'R.multiply(v2, R.const({depth**-0.5}, "{long}"))',
        ]
        at = 3 + len(mask)
        rest = [f"R.nn.softmax(v{at}, axis=-1)", f"R.matmul(v{at + 1}, v)"]
        m.add(name, f"{shapes} v:{dtype}:1,{heads},{keys},{depth} {params}", *first, *mask, *rest)

    written("written", "f32", 6, "64", "64", 64)
    written("written_added", "f32", 4, "48", "48", 32, "R.add(v3, m)", params="m:f32:48,48")
    chosen = 'R.where(m, v3, R.const(-10000.0, "float32"))'
    written("written_chosen", "f32", 4, "40", "56", 32, chosen, params="m:bool:40,56")
    written("written_f16", "f16", 4, "64", "64", 32)
    written("written_one", "f32", 8, "1", "n", 64)
    m.add(
        "shared_heads",
        "q:f32:1,8,32,64 k:f32:1,2,32,64 v:f32:1,2,32,64",
        "R.repeat(k, repeats=4, axis=1)",
        "R.repeat(v, repeats=4, axis=1)",
        "R.permute_dims(v1, axes=[0, 1, 3, 2])",
        "R.matmul(q, v3)",
        'R.multiply(v4, R.const(0.125, "float32"))',
        "R.nn.softmax(v5, axis=-1)",
        "R.matmul(v6, v2)",
    )
    m.add(
        "shared_heads_one",
        "q:f32:1,8,1,64 k:f32:1,2,n,64 v:f32:1,2,n,64",
        "R.repeat(k, repeats=4, axis=1)",
        "R.repeat(v, repeats=4, axis=1)",
        "R.permute_dims(v1, axes=[0, 1, 3, 2])",
        "R.matmul(q, v3)",
        'R.multiply(v4, R.const(0.125, "float32"))',
        "R.nn.softmax(v5, axis=-1)",
        "R.matmul(v6, v2)",
    )
    return m


def softmax() -> Module:
    m = Module("Softmax and log softmax: many short rows, long rows by pieces, rows side by side, few rows.")
    for rows, columns in [(256, 8), (512, 64), (1024, 128), (384, 1000), (300, 50), (4096, 16)]:
        m.add(f"rows_{rows}_{columns}", f"x:f32:{rows},{columns}", "R.nn.softmax(x, axis=-1)")
    for rows, columns in [(512, 100), (300, 33)]:
        m.add(f"log_{rows}_{columns}", f"x:f32:{rows},{columns}", "R.nn.log_softmax(x, axis=-1)")
    m.add("heads", "x:f32:2,12,64,64", "R.nn.softmax(x, axis=-1)")
    m.add("rows_n", "x:f32:n,128", "R.nn.softmax(x, axis=-1)")
    m.add("columns_n", "x:f32:512,n", "R.nn.softmax(x, axis=-1)")
    for rows, columns in [(8, 32000), (16, 50257), (10, 16385), (4, 128256), (32, 20000)]:
        m.add(f"pieces_{rows}_{columns}", f"x:f32:{rows},{columns}", "R.nn.softmax(x, axis=-1)")
    m.add("pieces_log", "x:f32:8,30522", "R.nn.log_softmax(x, axis=-1)")
    for shape, axis in [("4,21,32,32", 1), ("20,40,100", 1), ("1,1000,64", 1), ("8,3,17,19", 1), ("64,48", 0)]:
        name = "strided_" + shape.replace(",", "_")
        m.add(name, f"x:f32:{shape}", f"R.nn.softmax(x, axis={axis})")
    m.add("strided_log", "x:f32:2,19,24,40", "R.nn.log_softmax(x, axis=1)")
    m.add("strided_n", "x:f32:n,12,256", "R.nn.softmax(x, axis=1)")
    m.add("few_rows", "x:f32:3,1000", "R.nn.softmax(x, axis=-1)")
    m.add("one_row", "x:f32:1,10", "R.nn.softmax(x, axis=-1)")
    m.add("f16", "x:f16:512,64", "R.nn.softmax(x, axis=-1)")
    m.add("f64", "x:f64:300,40", "R.nn.softmax(x, axis=-1)")
    m.add("masked", "x:f32:512,80 y:f32:512,80", "R.add(x, y)", "R.nn.softmax(v1, axis=-1)")
    m.add("to_f16", "x:f32:384,96", "R.nn.softmax(x, axis=-1)", 'R.astype(v1, "float16")')
    return m


def norm() -> Module:
    m = Module("Layer norms and RMS norms: many short rows, long rows, few rows.")
    for op, rows, columns in [
        ("layer", 256, 32),
        ("layer", 512, 64),
        ("layer", 300, 70),
        ("layer", 1024, 768),
        ("layer", 257, 17),
        ("rms", 256, 64),
        ("rms", 512, 100),
        ("rms", 512, 1024),
        ("rms", 400, 33),
        ("layer", 16, 768),
        ("layer", 20, 2600),
        ("layer", 64, 4096),
        ("layer", 128, 3000),
        ("rms", 16, 4096),
        ("rms", 1, 4096),
        ("layer", 1, 768),
        ("layer", 8, 512),
    ]:
        params = f"x:f32:{rows},{columns} g:f32:{columns}"
        if op == "layer":
            m.add(f"layer_{rows}_{columns}", f"{params} b:f32:{columns}", "R.nn.layer_norm(x, g, b, axes=[-1])")
        else:
            m.add(f"rms_{rows}_{columns}", params, "R.nn.rms_norm(x, g, axes=[-1])")
    m.add("layer_n", "x:f32:n,256 g:f32:256 b:f32:256", "R.nn.layer_norm(x, g, b, axes=[-1])")
    m.add("rms_n", "x:f32:n,2048 g:f32:2048", "R.nn.rms_norm(x, g, axes=[-1])")
    m.add("layer_two_axes", "x:f32:32,16,64 g:f32:16,64 b:f32:16,64", "R.nn.layer_norm(x, g, b, axes=[-2, -1])")
    m.add("layer_f16", "x:f16:256,64 g:f16:64 b:f16:64", "R.nn.layer_norm(x, g, b, axes=[-1])")
    m.add("layer_bf16", "x:bf16:256,64 g:bf16:64 b:bf16:64", "R.nn.layer_norm(x, g, b, axes=[-1])")
    m.add(
        "layer_residual",
        "x:f32:512,256 y:f32:512,256 g:f32:256 b:f32:256",
        "R.add(x, y)",
        "R.nn.layer_norm(v1, g, b, axes=[-1])",
    )
    m.add("rms_residual", "x:f32:384,320 y:f32:384,320 g:f32:320", "R.add(x, y)", "R.nn.rms_norm(v1, g, axes=[-1])")
    return m


def norm_channels() -> Module:
    m = Module("Norms of channels: groups, instances, batches.")
    for batch, channels, groups, size in [(2, 32, 8, 16), (2, 64, 32, 20), (1, 128, 32, 28), (3, 24, 8, 24)]:
        m.add(
            f"group_{batch}_{channels}_{groups}_{size}",
            f"x:f32:{batch},{channels},{size},{size} g:f32:{channels} b:f32:{channels}",
            f"R.nn.group_norm(x, g, b, num_groups={groups}, channel_axis=1, axes=[2, 3])",
        )
    for channels, size in [(32, 24), (16, 40), (64, 32)]:
        m.add(
            f"instance_{channels}_{size}",
            f"x:f32:2,{channels},{size},{size} g:f32:{channels} b:f32:{channels}",
            "R.nn.instance_norm(x, g, b, channel_axis=1, axes=[2, 3])",
        )
    m.add(
        "group_silu",
        "x:f32:1,64,32,32 g:f32:64 b:f32:64",
        "R.nn.group_norm(x, g, b, num_groups=32, channel_axis=1, axes=[2, 3])",
        "R.nn.silu(v1)",
    )
    m.add(
        "batch_inference",
        "x:f32:2,24,14,14 g:f32:24 b:f32:24 m:f32:24 s:f32:24",
        "R.nn.batch_norm(x, g, b, m, s, axis=1, training=False)",
        "v1[0]",
    )
    m.add(
        "batch_training",
        "x:f32:4,24,14,14 g:f32:24 b:f32:24 m:f32:24 s:f32:24",
        "R.nn.batch_norm(x, g, b, m, s, axis=1, training=True)",
        "v1[0]",
    )
    return m


def argreduce() -> Module:
    m = Module("Where the greatest or smallest elements stand.")
    for op, shape, axis in [
        ("argmax", "32,1000", 1),
        ("argmin", "64,512", 1),
        ("argmax", "16,32000", 1),
        ("argmax", "1,50257", 1),
        ("argmin", "20,300", 1),
        ("argmax", "4,21,32,32", 1),
        ("argmin", "2,19,24,40", 1),
        ("argmax", "300,64", 0),
        ("argmax", "500,10", 1),
        ("argmax", "5,6,7", 1),
    ]:
        m.add(f"{op}_{shape.replace(',', '_')}_along_{axis}", f"x:f32:{shape}", f"R.{op}(x, axis={axis})")
    m.add("argmax_all", "x:f32:40,500", "R.argmax(x, axis=None)")
    m.add("argmax_kept", "x:f32:24,700", "R.argmax(x, axis=1, keepdims=True)")
    m.add("argmax_rows", "x:f32:n,2048", "R.argmax(x, axis=1)")
    m.add("argmax_columns", "x:f32:32,n", "R.argmax(x, axis=1)")
    m.add("argmax_f16", "x:f16:32,600", "R.argmax(x, axis=1)")
    m.add("argmin_f64", "x:f64:32,400", "R.argmin(x, axis=1)")
    m.add("argmax_i32", "x:i32:32,800", "R.argmax(x, axis=1)")
    m.add("argmax_i8", "x:i8:32,800", "R.argmax(x, axis=1)")
    return m


def reduce() -> Module:
    m = Module("Sums, extremes, means and variances along each axis, and what is computed from them.")
    for op, shape, axis in [
        ("sum", "64,500", "1"),
        ("max", "128,128", "0"),
        ("mean", "8,30,40", "1"),
        ("variance", "16,12,10", "[0, 2]"),
    ]:
        m.add(f"{op}_{shape.replace(',', '_')}", f"x:f32:{shape}", f"R.{op}(x, axis={axis})")
    for op in ("sum", "min", "mean", "std", "prod"):
        m.add(f"{op}_rows", "x:f32:100,256", f"R.{op}(x, axis=1)")
        m.add(f"{op}_columns", "x:f32:256,100", f"R.{op}(x, axis=0)")
    m.add("sum_all", "x:f32:1000,1000", "R.sum(x)")
    m.add("mean_of_image", "x:f32:4,64,14,14", "R.mean(x, axis=[2, 3])")
    m.add("sum_long_row", "x:f32:2,100000", "R.sum(x, axis=1)")
    m.add("max_long_row", "x:f32:1,200000", "R.max(x, axis=1)")
    m.add("sum_short_rows", "x:f32:5000,3", "R.sum(x, axis=1)")
    m.add("sum_long_columns", "x:f32:20000,16", "R.sum(x, axis=0)")
    m.add("max_middle", "x:f32:16,200,32", "R.max(x, axis=1)")
    m.add("sum_n", "x:f32:n,m", "R.sum(x, axis=1)")
    m.add("sum_n_columns", "x:f32:n,64", "R.sum(x, axis=0)")
    m.add("variance_rows", "x:f32:64,300", "R.variance(x, axis=1, keepdims=True)")
    m.add("sum_i32", "x:i32:64,300", "R.sum(x, axis=1)")
    m.add("max_i8", "x:i8:64,300", "R.max(x, axis=1)")
    m.add("sum_u8", "x:u8:64,300", "R.sum(x, axis=1)")
    m.add("sum_f16", "x:f16:64,300", "R.sum(x, axis=1)")
    m.add("mean_bf16", "x:bf16:64,300", "R.mean(x, axis=1)")
    m.add("sum_f64", "x:f64:64,300", "R.sum(x, axis=1)")
    m.add("any_less_mean", "x:f32:80,200", "R.mean(x, axis=1, keepdims=True)", "R.subtract(x, v1)")
    m.add("norm_of_rows", "x:f32:90,128", "R.square(x)", "R.sum(v1, axis=1)", "R.sqrt(v2)")
    m.add("squared_error", "x:f32:64,64 y:f32:64,64", "R.subtract(x, y)", "R.square(v1)", "R.mean(v2)")
    m.add("exp_sum", "x:f32:60,80", "R.exp(x)", "R.sum(v1, axis=1)")
    return m
