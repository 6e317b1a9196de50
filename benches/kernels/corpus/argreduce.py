# Where the greatest or smallest elements stand.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def argmax_32_1000_along_1(x: R.Tensor((32, 1000), "float32")):
        v1 = R.argmax(x, axis=1)
        return v1

    @R.function
    def argmin_64_512_along_1(x: R.Tensor((64, 512), "float32")):
        v1 = R.argmin(x, axis=1)
        return v1

    @R.function
    def argmax_16_32000_along_1(x: R.Tensor((16, 32000), "float32")):
        v1 = R.argmax(x, axis=1)
        return v1

    @R.function
    def argmax_1_50257_along_1(x: R.Tensor((1, 50257), "float32")):
        v1 = R.argmax(x, axis=1)
        return v1

    @R.function
    def argmin_20_300_along_1(x: R.Tensor((20, 300), "float32")):
        v1 = R.argmin(x, axis=1)
        return v1

    @R.function
    def argmax_4_21_32_32_along_1(x: R.Tensor((4, 21, 32, 32), "float32")):
        v1 = R.argmax(x, axis=1)
        return v1

    @R.function
    def argmin_2_19_24_40_along_1(x: R.Tensor((2, 19, 24, 40), "float32")):
        v1 = R.argmin(x, axis=1)
        return v1

    @R.function
    def argmax_300_64_along_0(x: R.Tensor((300, 64), "float32")):
        v1 = R.argmax(x, axis=0)
        return v1

    @R.function
    def argmax_500_10_along_1(x: R.Tensor((500, 10), "float32")):
        v1 = R.argmax(x, axis=1)
        return v1

    @R.function
    def argmax_5_6_7_along_1(x: R.Tensor((5, 6, 7), "float32")):
        v1 = R.argmax(x, axis=1)
        return v1

    @R.function
    def argmax_all(x: R.Tensor((40, 500), "float32")):
        v1 = R.argmax(x, axis=None)
        return v1

    @R.function
    def argmax_kept(x: R.Tensor((24, 700), "float32")):
        v1 = R.argmax(x, axis=1, keepdims=True)
        return v1

    @R.function
    def argmax_rows(x: R.Tensor(("n", 2048), "float32")):
        v1 = R.argmax(x, axis=1)
        return v1

    @R.function
    def argmax_columns(x: R.Tensor((32, "n"), "float32")):
        v1 = R.argmax(x, axis=1)
        return v1

    @R.function
    def argmax_f16(x: R.Tensor((32, 600), "float16")):
        v1 = R.argmax(x, axis=1)
        return v1

    @R.function
    def argmin_f64(x: R.Tensor((32, 400), "float64")):
        v1 = R.argmin(x, axis=1)
        return v1

    @R.function
    def argmax_i32(x: R.Tensor((32, 800), "int32")):
        v1 = R.argmax(x, axis=1)
        return v1

    @R.function
    def argmax_i8(x: R.Tensor((32, 800), "int8")):
        v1 = R.argmax(x, axis=1)
        return v1
