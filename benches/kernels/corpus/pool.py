# Pools of images, lines and volumes.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def max_2(x: R.Tensor((1, 32, 28, 28), "float32")):
        v1 = R.nn.max_pool2d(x, pool_size=2, strides=2)
        return v1

    @R.function
    def max_3(x: R.Tensor((1, 64, 27, 27), "float32")):
        v1 = R.nn.max_pool2d(x, pool_size=3, strides=2, padding=1)
        return v1

    @R.function
    def max_3_dense(x: R.Tensor((2, 16, 14, 14), "float32")):
        v1 = R.nn.max_pool2d(x, pool_size=3, strides=1, padding=1)
        return v1

    @R.function
    def avg_2(x: R.Tensor((1, 32, 16, 16), "float32")):
        v1 = R.nn.avg_pool2d(x, pool_size=2, strides=2)
        return v1

    @R.function
    def avg_3(x: R.Tensor((1, 24, 17, 17), "float32")):
        v1 = R.nn.avg_pool2d(x, pool_size=3, strides=1, padding=1)
        return v1

    @R.function
    def avg_counted(x: R.Tensor((1, 24, 18, 18), "float32")):
        v1 = R.nn.avg_pool2d(x, pool_size=3, strides=2, padding=1, count_include_pad=True)
        return v1

    @R.function
    def max_last(x: R.Tensor((1, 16, 16, 32), "float32")):
        v1 = R.nn.max_pool2d(x, pool_size=2, strides=2, layout="NHWC")
        return v1

    @R.function
    def max_line(x: R.Tensor((2, 16, 60), "float32")):
        v1 = R.nn.max_pool1d(x, pool_size=3, strides=2, padding=1)
        return v1

    @R.function
    def avg_volume(x: R.Tensor((1, 8, 8, 12, 12), "float32")):
        v1 = R.nn.avg_pool3d(x, pool_size=2, strides=2)
        return v1

    @R.function
    def max_u8(x: R.Tensor((1, 16, 20, 20), "uint8")):
        v1 = R.nn.max_pool2d(x, pool_size=3, strides=2, padding=1)
        return v1

    @R.function
    def max_f16(x: R.Tensor((1, 16, 20, 20), "float16")):
        v1 = R.nn.max_pool2d(x, pool_size=2, strides=2)
        return v1

    @R.function
    def max_ceiling(x: R.Tensor((1, 16, 15, 15), "float32")):
        v1 = R.nn.max_pool2d(x, pool_size=2, strides=2, ceil_mode=True)
        return v1

    @R.function
    def adaptive_1(x: R.Tensor((1, 128, 7, 7), "float32")):
        v1 = R.nn.adaptive_avg_pool2d(x, output_size=[1, 1])
        return v1

    @R.function
    def adaptive_5(x: R.Tensor((1, 16, 13, 17), "float32")):
        v1 = R.nn.adaptive_avg_pool2d(x, output_size=[5, 5])
        return v1
