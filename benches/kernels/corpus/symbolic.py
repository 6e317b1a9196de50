# Sizes that are known only when the program runs.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def rows(a: R.Tensor(("n", 256), "float32"), b: R.Tensor((256, 128), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def rows_bias(a: R.Tensor(("n", 128), "float32"), b: R.Tensor((128, 96), "float32"), c: R.Tensor((96,), "float32")):
        v1 = R.matmul(a, b)
        v2 = R.add(v1, c)
        v3 = R.nn.relu(v2)
        return v3

    @R.function
    def rows_nt(a: R.Tensor(("n", 96), "float32"), b: R.Tensor((80, 96), "float32")):
        v1 = R.permute_dims(b, axes=[1, 0])
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def columns(a: R.Tensor((64, 96), "float32"), b: R.Tensor((96, "n"), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def depth(a: R.Tensor((32, "k"), "float32"), b: R.Tensor(("k", 48), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def all(a: R.Tensor(("m", "k"), "float32"), b: R.Tensor(("k", "n"), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def batch(a: R.Tensor(("b", 32, 48), "float32"), c: R.Tensor(("b", 48, 40), "float32")):
        v1 = R.matmul(a, c)
        return v1

    @R.function
    def one_row(a: R.Tensor((1, "k"), "float32"), b: R.Tensor(("k", 256), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bf16(a: R.Tensor(("n", 64), "bfloat16"), b: R.Tensor((64, 96), "bfloat16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def i8(a: R.Tensor(("n", 64), "int8"), b: R.Tensor((64, 96), "int8")):
        v1 = R.matmul(a, b, out_dtype="int32")
        return v1

    @R.function
    def conv_batch(x: R.Tensor(("n", 16, 14, 14), "float32"), w: R.Tensor((32, 16, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1

    @R.function
    def conv_image(x: R.Tensor((1, 16, "h", "w"), "float32"), k: R.Tensor((24, 16, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, k, padding=1)
        return v1

    @R.function
    def conv_line(x: R.Tensor((1, 16, "n"), "float32"), w: R.Tensor((16, 16, 3), "float32")):
        v1 = R.nn.conv1d(x, w, padding=1)
        return v1

    @R.function
    def pool(x: R.Tensor(("n", 16, 14, 14), "float32")):
        v1 = R.nn.max_pool2d(x, pool_size=2, strides=2)
        return v1

    @R.function
    def softmax(x: R.Tensor(("n", "m"), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def norm(x: R.Tensor(("n", "m"), "float32"), g: R.Tensor(("m",), "float32"), b: R.Tensor(("m",), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def transpose(x: R.Tensor(("n", "m"), "float32")):
        v1 = R.permute_dims(x, axes=[1, 0])
        return v1

    @R.function
    def heads(x: R.Tensor((2, "n", 8, 32), "float32")):
        v1 = R.permute_dims(x, axes=[0, 2, 1, 3])
        return v1

    @R.function
    def mean(x: R.Tensor(("n", 16, "m"), "float32")):
        v1 = R.mean(x, axis=1)
        return v1

    @R.function
    def gelu(x: R.Tensor(("n", 512), "float32")):
        v1 = R.nn.gelu(x)
        return v1
