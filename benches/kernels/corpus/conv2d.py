# Convolutions of images whose weights are parameters: windows, strides, dilations, borders, layouts.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def c3_224(x: R.Tensor((1, 3, 56, 56), "float32"), w: R.Tensor((32, 3, 7, 7), "float32")):
        v1 = R.nn.conv2d(x, w, strides=2, padding=3)
        return v1

    @R.function
    def c64_28(x: R.Tensor((1, 64, 28, 28), "float32"), w: R.Tensor((64, 64, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1

    @R.function
    def c128_14(x: R.Tensor((1, 128, 14, 14), "float32"), w: R.Tensor((128, 128, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1

    @R.function
    def c256_7(x: R.Tensor((1, 256, 7, 7), "float32"), w: R.Tensor((128, 256, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1

    @R.function
    def batch_4(x: R.Tensor((4, 32, 14, 14), "float32"), w: R.Tensor((48, 32, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1

    @R.function
    def pointwise(x: R.Tensor((1, 96, 28, 28), "float32"), w: R.Tensor((24, 96, 1, 1), "float32")):
        v1 = R.nn.conv2d(x, w)
        return v1

    @R.function
    def pointwise_strided(x: R.Tensor((1, 64, 28, 28), "float32"), w: R.Tensor((128, 64, 1, 1), "float32")):
        v1 = R.nn.conv2d(x, w, strides=2)
        return v1

    @R.function
    def strided(x: R.Tensor((1, 32, 28, 28), "float32"), w: R.Tensor((64, 32, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=2, padding=1)
        return v1

    @R.function
    def dilated(x: R.Tensor((1, 16, 28, 28), "float32"), w: R.Tensor((32, 16, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=2, dilation=2)
        return v1

    @R.function
    def strided_3_dilated_2(x: R.Tensor((1, 8, 40, 40), "float32"), w: R.Tensor((24, 8, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=3, dilation=2)
        return v1

    @R.function
    def five_by_five(x: R.Tensor((1, 16, 20, 20), "float32"), w: R.Tensor((16, 16, 5, 5), "float32")):
        v1 = R.nn.conv2d(x, w, padding=2)
        return v1

    @R.function
    def one_by_seven(x: R.Tensor((1, 16, 17, 17), "float32"), w: R.Tensor((24, 16, 1, 7), "float32")):
        v1 = R.nn.conv2d(x, w, padding=[0, 3, 0, 3])
        return v1

    @R.function
    def no_border(x: R.Tensor((2, 20, 15, 15), "float32"), w: R.Tensor((20, 20, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w)
        return v1

    @R.function
    def uneven_border(x: R.Tensor((1, 12, 19, 23), "float32"), w: R.Tensor((20, 12, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=[0, 1, 1, 2])
        return v1

    @R.function
    def nhwc(x: R.Tensor((1, 14, 14, 64), "float32"), w: R.Tensor((3, 3, 64, 64), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1, data_layout="NHWC", kernel_layout="HWIO")
        return v1

    @R.function
    def nhwc_pointwise(x: R.Tensor((1, 28, 28, 32), "float32"), w: R.Tensor((1, 1, 32, 96), "float32")):
        v1 = R.nn.conv2d(x, w, data_layout="NHWC", kernel_layout="HWIO")
        return v1

    @R.function
    def nhwc_strided(x: R.Tensor((2, 17, 17, 16), "float32"), w: R.Tensor((3, 3, 16, 24), "float32")):
        v1 = R.nn.conv2d(x, w, strides=2, padding=1, data_layout="NHWC", kernel_layout="HWIO")
        return v1

    @R.function
    def f64(x: R.Tensor((1, 8, 12, 12), "float64"), w: R.Tensor((16, 8, 3, 3), "float64")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1
