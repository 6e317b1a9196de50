# Softmax and log softmax: many short rows, long rows by pieces, rows side by side, few rows.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def rows_256_8(x: R.Tensor((256, 8), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def rows_512_64(x: R.Tensor((512, 64), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def rows_1024_128(x: R.Tensor((1024, 128), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def rows_384_1000(x: R.Tensor((384, 1000), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def rows_300_50(x: R.Tensor((300, 50), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def rows_4096_16(x: R.Tensor((4096, 16), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def log_512_100(x: R.Tensor((512, 100), "float32")):
        v1 = R.nn.log_softmax(x, axis=-1)
        return v1

    @R.function
    def log_300_33(x: R.Tensor((300, 33), "float32")):
        v1 = R.nn.log_softmax(x, axis=-1)
        return v1

    @R.function
    def heads(x: R.Tensor((2, 12, 64, 64), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def rows_n(x: R.Tensor(("n", 128), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def columns_n(x: R.Tensor((512, "n"), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def pieces_8_32000(x: R.Tensor((8, 32000), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def pieces_16_50257(x: R.Tensor((16, 50257), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def pieces_10_16385(x: R.Tensor((10, 16385), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def pieces_4_128256(x: R.Tensor((4, 128256), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def pieces_32_20000(x: R.Tensor((32, 20000), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def pieces_log(x: R.Tensor((8, 30522), "float32")):
        v1 = R.nn.log_softmax(x, axis=-1)
        return v1

    @R.function
    def strided_4_21_32_32(x: R.Tensor((4, 21, 32, 32), "float32")):
        v1 = R.nn.softmax(x, axis=1)
        return v1

    @R.function
    def strided_20_40_100(x: R.Tensor((20, 40, 100), "float32")):
        v1 = R.nn.softmax(x, axis=1)
        return v1

    @R.function
    def strided_1_1000_64(x: R.Tensor((1, 1000, 64), "float32")):
        v1 = R.nn.softmax(x, axis=1)
        return v1

    @R.function
    def strided_8_3_17_19(x: R.Tensor((8, 3, 17, 19), "float32")):
        v1 = R.nn.softmax(x, axis=1)
        return v1

    @R.function
    def strided_64_48(x: R.Tensor((64, 48), "float32")):
        v1 = R.nn.softmax(x, axis=0)
        return v1

    @R.function
    def strided_log(x: R.Tensor((2, 19, 24, 40), "float32")):
        v1 = R.nn.log_softmax(x, axis=1)
        return v1

    @R.function
    def strided_n(x: R.Tensor(("n", 12, 256), "float32")):
        v1 = R.nn.softmax(x, axis=1)
        return v1

    @R.function
    def few_rows(x: R.Tensor((3, 1000), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def one_row(x: R.Tensor((1, 10), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def f16(x: R.Tensor((512, 64), "float16")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def f64(x: R.Tensor((300, 40), "float64")):
        v1 = R.nn.softmax(x, axis=-1)
        return v1

    @R.function
    def masked(x: R.Tensor((512, 80), "float32"), y: R.Tensor((512, 80), "float32")):
        v1 = R.add(x, y)
        v2 = R.nn.softmax(v1, axis=-1)
        return v2

    @R.function
    def to_f16(x: R.Tensor((384, 96), "float32")):
        v1 = R.nn.softmax(x, axis=-1)
        v2 = R.astype(v1, "float16")
        return v2
