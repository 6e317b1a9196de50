# Depthwise and grouped convolutions.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def depthwise_3(x: R.Tensor((1, 32, 28, 28), "float32"), w: R.Tensor((32, 1, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=1, padding=1, groups=32)
        return v1

    @R.function
    def depthwise_3_strided(x: R.Tensor((1, 64, 28, 28), "float32"), w: R.Tensor((64, 1, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=2, padding=1, groups=64)
        return v1

    @R.function
    def depthwise_5(x: R.Tensor((1, 24, 20, 20), "float32"), w: R.Tensor((24, 1, 5, 5), "float32")):
        v1 = R.nn.conv2d(x, w, strides=1, padding=2, groups=24)
        return v1

    @R.function
    def depthwise_7(x: R.Tensor((1, 16, 14, 14), "float32"), w: R.Tensor((16, 1, 7, 7), "float32")):
        v1 = R.nn.conv2d(x, w, strides=1, padding=3, groups=16)
        return v1

    @R.function
    def depthwise_narrow(x: R.Tensor((1, 40, 7, 7), "float32"), w: R.Tensor((40, 1, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=1, padding=1, groups=40)
        return v1

    @R.function
    def depthwise_last(x: R.Tensor((1, 14, 14, 32), "float32"), w: R.Tensor((3, 3, 1, 32), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1, groups=32, data_layout="NHWC", kernel_layout="HWIO")
        return v1

    @R.function
    def depthwise_twice(x: R.Tensor((1, 16, 20, 20), "float32"), w: R.Tensor((32, 1, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1, groups=16)
        return v1

    @R.function
    def depthwise_dilated(x: R.Tensor((1, 16, 20, 20), "float32"), w: R.Tensor((16, 1, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=2, dilation=2, groups=16)
        return v1

    @R.function
    def groups_4(x: R.Tensor((1, 64, 14, 14), "float32"), w: R.Tensor((64, 16, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1, groups=4)
        return v1

    @R.function
    def groups_32(x: R.Tensor((1, 128, 14, 14), "float32"), w: R.Tensor((128, 4, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1, groups=32)
        return v1

    @R.function
    def groups_2_strided(x: R.Tensor((1, 48, 15, 15), "float32"), w: R.Tensor((32, 24, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=2, padding=1, groups=2)
        return v1
