# Convolutions in one and three dimensions.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def line(x: R.Tensor((2, 16, 100), "float32"), w: R.Tensor((32, 16, 5), "float32")):
        v1 = R.nn.conv1d(x, w, padding=2)
        return v1

    @R.function
    def line_strided(x: R.Tensor((1, 32, 81), "float32"), w: R.Tensor((24, 32, 3), "float32")):
        v1 = R.nn.conv1d(x, w, strides=2, padding=1)
        return v1

    @R.function
    def line_dilated(x: R.Tensor((1, 8, 120), "float32"), w: R.Tensor((8, 8, 3), "float32")):
        v1 = R.nn.conv1d(x, w, padding=4, dilation=4)
        return v1

    @R.function
    def line_depthwise(x: R.Tensor((1, 32, 100), "float32"), w: R.Tensor((32, 1, 4), "float32")):
        v1 = R.nn.conv1d(x, w, padding=3, groups=32)
        return v1

    @R.function
    def volume(x: R.Tensor((1, 8, 8, 12, 12), "float32"), w: R.Tensor((16, 8, 3, 3, 3), "float32")):
        v1 = R.nn.conv3d(x, w, padding=1)
        return v1

    @R.function
    def volume_strided(x: R.Tensor((1, 3, 8, 16, 16), "float32"), w: R.Tensor((12, 3, 3, 3, 3), "float32")):
        v1 = R.nn.conv3d(x, w, strides=2, padding=1)
        return v1
