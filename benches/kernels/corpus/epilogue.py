# What is computed on finished tiles of products and convolutions, and what comes before them.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def bias(a: R.Tensor((64, 128), "float32"), b: R.Tensor((128, 96), "float32"), c: R.Tensor((96,), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.add(v1, c)
        return v2

    @R.function
    def bias_relu(a: R.Tensor((64, 120), "float32"), b: R.Tensor((120, 96), "float32"), c: R.Tensor((96,), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.add(v1, c)
        v3 = R.nn.relu(v2)
        return v3

    @R.function
    def bias_gelu(a: R.Tensor((60, 128), "float32"), b: R.Tensor((128, 96), "float32"), c: R.Tensor((96,), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.add(v1, c)
        v3 = R.nn.gelu(v2)
        return v3

    @R.function
    def silu(a: R.Tensor((40, 64), "float32"), b: R.Tensor((64, 96), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.nn.silu(v1)
        return v2

    @R.function
    def residual(a: R.Tensor((48, 64), "float32"), b: R.Tensor((64, 72), "float32"), c: R.Tensor((72,), "float32"), d: R.Tensor((48, 72), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.add(v1, c)
        v3 = R.add(v2, d)
        return v3

    @R.function
    def gated(a: R.Tensor((32, 64), "float32"), b: R.Tensor((64, 88), "float32"), c: R.Tensor((32, 88), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.nn.silu(v1)
        v3 = R.multiply(v2, c)
        return v3

    @R.function
    def tanh(a: R.Tensor((24, 56), "float32"), b: R.Tensor((56, 64), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.tanh(v1)
        return v2

    @R.function
    def scaled(a: R.Tensor((24, 64), "float32"), b: R.Tensor((64, 64), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.multiply(v1, R.const(0.5, "float32"))
        return v2

    @R.function
    def of_rows(a: R.Tensor((50, 64), "float32"), b: R.Tensor((64, 64), "float32"), c: R.Tensor((50, 1), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.multiply(v1, c)
        return v2

    @R.function
    def clip(a: R.Tensor((24, 40), "float32"), b: R.Tensor((40, 64), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.clip(v1, 0, 6)
        return v2

    @R.function
    def to_f16(a: R.Tensor((24, 48), "float32"), b: R.Tensor((48, 64), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.astype(v1, "float16")
        return v2

    @R.function
    def to_bf16(a: R.Tensor((24, 80), "float32"), b: R.Tensor((80, 64), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.astype(v1, "bfloat16")
        return v2

    @R.function
    def one_row_gelu(a: R.Tensor((1, 512), "float32"), b: R.Tensor((512, 1024), "float32"), c: R.Tensor((1024,), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.add(v1, c)
        v3 = R.nn.gelu(v2)
        return v3

    @R.function
    def before(a: R.Tensor((40, 72), "float32"), b: R.Tensor((72, 64), "float32")):
        v1 = R.nn.relu(a)
        v2 = R.matmul(v1, b)
        return v2

    @R.function
    def batch_bias(a: R.Tensor((3, 40, 64), "float32"), b: R.Tensor((64, 72), "float32"), c: R.Tensor((72,), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.add(v1, c)
        return v2

    @R.function
    def heads(a: R.Tensor((64, 96), "float32"), b: R.Tensor((96, 96), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.reshape(v1, (64, 8, 12))
        v3 = R.permute_dims(v2, axes=[1, 0, 2])
        return v3

    @R.function
    def bf16_relu(a: R.Tensor((40, 64), "bfloat16"), b: R.Tensor((64, 72), "bfloat16")):
        v1 = R.matmul(a, b)
        v2 = R.nn.relu(v1)
        return v2

    @R.function
    def f16_bias(a: R.Tensor((40, 64), "float16"), b: R.Tensor((64, 72), "float16"), c: R.Tensor((72,), "float16")):
        v1 = R.matmul(a, b)
        v2 = R.add(v1, c)
        return v2

    @R.function
    def conv_bias_relu(x: R.Tensor((1, 32, 14, 14), "float32"), w: R.Tensor((48, 32, 3, 3), "float32"), c: R.Tensor((1, 48, 1, 1), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        v2 = R.add(v1, c)
        v3 = R.nn.relu(v2)
        return v3

    @R.function
    def conv_residual(x: R.Tensor((1, 32, 15, 15), "float32"), w: R.Tensor((32, 32, 3, 3), "float32"), d: R.Tensor((1, 32, 15, 15), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        v2 = R.add(v1, d)
        v3 = R.nn.relu(v2)
        return v3

    @R.function
    def conv_silu(x: R.Tensor((1, 24, 16, 16), "float32"), w: R.Tensor((32, 24, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        v2 = R.nn.silu(v1)
        return v2

    @R.function
    def conv_batch_norm(x: R.Tensor((1, 16, 18, 18), "float32"), w: R.Tensor((24, 16, 3, 3), "float32"), g: R.Tensor((24,), "float32"), b: R.Tensor((24,), "float32"), m: R.Tensor((24,), "float32"), s: R.Tensor((24,), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        v2 = R.nn.batch_norm(v1, g, b, m, s, axis=1, training=False)
        v3 = v2[0]
        v4 = R.nn.relu(v3)
        return v4

    @R.function
    def depthwise_relu6(x: R.Tensor((1, 24, 16, 16), "float32"), w: R.Tensor((24, 1, 3, 3), "float32"), c: R.Tensor((1, 24, 1, 1), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1, groups=24)
        v2 = R.add(v1, c)
        v3 = R.clip(v2, 0, 6)
        return v3

    @R.function
    def pool_relu(x: R.Tensor((1, 24, 16, 16), "float32")):
        v1 = R.nn.relu(x)
        v2 = R.nn.max_pool2d(v1, pool_size=2, strides=2)
        return v2

    @R.function
    def split_heads(a: R.Tensor((32, 64), "float32"), b: R.Tensor((64, 192), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.split(v1, 3, axis=1)
        v3 = v2[0]
        v4 = v2[1]
        v5 = v2[2]
        v6 = R.multiply(v3, v4)
        v7 = R.add(v6, v5)
        return v7
