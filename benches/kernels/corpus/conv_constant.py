# Convolutions with constant weights: panels that are packed once, channels in place of pixels.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def groups_2(x: R.Tensor((1, 16, 5, 5), "float32")):
        v1 = R.full((32, 8, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, strides=1, padding=1, groups=2)
        return v2

    @R.function
    def groups_3(x: R.Tensor((1, 24, 6, 6), "float32")):
        v1 = R.full((48, 8, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, strides=1, padding=1, groups=3)
        return v2

    @R.function
    def groups_4(x: R.Tensor((1, 32, 7, 7), "float32")):
        v1 = R.full((64, 8, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, strides=1, padding=1, groups=4)
        return v2

    @R.function
    def many_32(x: R.Tensor((1, 12, 7, 7), "float32")):
        v1 = R.full((32, 12, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, strides=1, padding=1, groups=1)
        return v2

    @R.function
    def many_48(x: R.Tensor((1, 16, 5, 5), "float32")):
        v1 = R.full((48, 16, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, strides=1, padding=1, groups=1)
        return v2

    @R.function
    def many_64(x: R.Tensor((1, 24, 7, 7), "float32")):
        v1 = R.full((64, 24, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, strides=1, padding=1, groups=1)
        return v2

    @R.function
    def many_128(x: R.Tensor((1, 12, 9, 9), "float32")):
        v1 = R.full((128, 12, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, strides=1, padding=1, groups=1)
        return v2

    @R.function
    def many_37(x: R.Tensor((1, 20, 6, 6), "float32")):
        v1 = R.full((37, 20, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, strides=1, padding=1, groups=1)
        return v2

    @R.function
    def strided(x: R.Tensor((1, 16, 14, 14), "float32")):
        v1 = R.full((64, 16, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, strides=2, padding=1, groups=1)
        return v2

    @R.function
    def volume(x: R.Tensor((1, 8, 4, 7, 7), "float32")):
        v1 = R.full((64, 8, 3, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv3d(x, v1, padding=1)
        return v2

    @R.function
    def line(x: R.Tensor((1, 16, 20), "float32")):
        v1 = R.full((64, 16, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv1d(x, v1, padding=1)
        return v2

    @R.function
    def residual(x: R.Tensor((1, 16, 7, 7), "float32"), z: R.Tensor((1, 64, 7, 7), "float32")):
        v1 = R.full((64, 16, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, padding=1)
        v3 = R.add(v2, z)
        v4 = R.nn.relu(v3)
        return v4

    @R.function
    def large_image(x: R.Tensor((1, 16, 28, 28), "float32")):
        v1 = R.full((32, 16, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, padding=1)
        return v2

    @R.function
    def pointwise(x: R.Tensor((1, 64, 14, 14), "float32")):
        v1 = R.full((128, 64, 1, 1), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1)
        return v2

    @R.function
    def batch_4(x: R.Tensor((4, 16, 7, 7), "float32")):
        v1 = R.full((64, 16, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, padding=1)
        return v2

    @R.function
    def batch_n(x: R.Tensor(("n", 16, 7, 7), "float32")):
        v1 = R.full((64, 16, 3, 3), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d(x, v1, padding=1)
        return v2

    @R.function
    def transposed(x: R.Tensor((1, 32, 7, 7), "float32")):
        v1 = R.full((32, 32, 4, 4), R.const(0.125, "float32"), dtype="float32")
        v2 = R.nn.conv2d_transpose(x, v1, strides=2, padding=1)
        return v2
