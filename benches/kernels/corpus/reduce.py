# Sums, extremes, means and variances along each axis, and what is computed from them.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def sum_64_500(x: R.Tensor((64, 500), "float32")):
        v1 = R.sum(x, axis=1)
        return v1

    @R.function
    def max_128_128(x: R.Tensor((128, 128), "float32")):
        v1 = R.max(x, axis=0)
        return v1

    @R.function
    def mean_8_30_40(x: R.Tensor((8, 30, 40), "float32")):
        v1 = R.mean(x, axis=1)
        return v1

    @R.function
    def variance_16_12_10(x: R.Tensor((16, 12, 10), "float32")):
        v1 = R.variance(x, axis=[0, 2])
        return v1

    @R.function
    def sum_rows(x: R.Tensor((100, 256), "float32")):
        v1 = R.sum(x, axis=1)
        return v1

    @R.function
    def sum_columns(x: R.Tensor((256, 100), "float32")):
        v1 = R.sum(x, axis=0)
        return v1

    @R.function
    def min_rows(x: R.Tensor((100, 256), "float32")):
        v1 = R.min(x, axis=1)
        return v1

    @R.function
    def min_columns(x: R.Tensor((256, 100), "float32")):
        v1 = R.min(x, axis=0)
        return v1

    @R.function
    def mean_rows(x: R.Tensor((100, 256), "float32")):
        v1 = R.mean(x, axis=1)
        return v1

    @R.function
    def mean_columns(x: R.Tensor((256, 100), "float32")):
        v1 = R.mean(x, axis=0)
        return v1

    @R.function
    def std_rows(x: R.Tensor((100, 256), "float32")):
        v1 = R.std(x, axis=1)
        return v1

    @R.function
    def std_columns(x: R.Tensor((256, 100), "float32")):
        v1 = R.std(x, axis=0)
        return v1

    @R.function
    def prod_rows(x: R.Tensor((100, 256), "float32")):
        v1 = R.prod(x, axis=1)
        return v1

    @R.function
    def prod_columns(x: R.Tensor((256, 100), "float32")):
        v1 = R.prod(x, axis=0)
        return v1

    @R.function
    def sum_all(x: R.Tensor((1000, 1000), "float32")):
        v1 = R.sum(x)
        return v1

    @R.function
    def mean_of_image(x: R.Tensor((4, 64, 14, 14), "float32")):
        v1 = R.mean(x, axis=[2, 3])
        return v1

    @R.function
    def sum_long_row(x: R.Tensor((2, 100000), "float32")):
        v1 = R.sum(x, axis=1)
        return v1

    @R.function
    def max_long_row(x: R.Tensor((1, 200000), "float32")):
        v1 = R.max(x, axis=1)
        return v1

    @R.function
    def sum_short_rows(x: R.Tensor((5000, 3), "float32")):
        v1 = R.sum(x, axis=1)
        return v1

    @R.function
    def sum_long_columns(x: R.Tensor((20000, 16), "float32")):
        v1 = R.sum(x, axis=0)
        return v1

    @R.function
    def max_middle(x: R.Tensor((16, 200, 32), "float32")):
        v1 = R.max(x, axis=1)
        return v1

    @R.function
    def sum_n(x: R.Tensor(("n", "m"), "float32")):
        v1 = R.sum(x, axis=1)
        return v1

    @R.function
    def sum_n_columns(x: R.Tensor(("n", 64), "float32")):
        v1 = R.sum(x, axis=0)
        return v1

    @R.function
    def variance_rows(x: R.Tensor((64, 300), "float32")):
        v1 = R.variance(x, axis=1, keepdims=True)
        return v1

    @R.function
    def sum_i32(x: R.Tensor((64, 300), "int32")):
        v1 = R.sum(x, axis=1)
        return v1

    @R.function
    def max_i8(x: R.Tensor((64, 300), "int8")):
        v1 = R.max(x, axis=1)
        return v1

    @R.function
    def sum_u8(x: R.Tensor((64, 300), "uint8")):
        v1 = R.sum(x, axis=1)
        return v1

    @R.function
    def sum_f16(x: R.Tensor((64, 300), "float16")):
        v1 = R.sum(x, axis=1)
        return v1

    @R.function
    def mean_bf16(x: R.Tensor((64, 300), "bfloat16")):
        v1 = R.mean(x, axis=1)
        return v1

    @R.function
    def sum_f64(x: R.Tensor((64, 300), "float64")):
        v1 = R.sum(x, axis=1)
        return v1

    @R.function
    def any_less_mean(x: R.Tensor((80, 200), "float32")):
        v1 = R.mean(x, axis=1, keepdims=True)
        v2 = R.subtract(x, v1)
        return v2

    @R.function
    def norm_of_rows(x: R.Tensor((90, 128), "float32")):
        v1 = R.square(x)
        v2 = R.sum(v1, axis=1)
        v3 = R.sqrt(v2)
        return v3

    @R.function
    def squared_error(x: R.Tensor((64, 64), "float32"), y: R.Tensor((64, 64), "float32")):
        v1 = R.subtract(x, y)
        v2 = R.square(v1)
        v3 = R.mean(v2)
        return v3

    @R.function
    def exp_sum(x: R.Tensor((60, 80), "float32")):
        v1 = R.exp(x)
        v2 = R.sum(v1, axis=1)
        return v2
