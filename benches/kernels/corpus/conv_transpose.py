# Transposed convolutions.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def transposed(x: R.Tensor((1, 16, 10, 10), "float32"), w: R.Tensor((16, 24, 3, 3), "float32")):
        v1 = R.nn.conv2d_transpose(x, w, padding=1)
        return v1

    @R.function
    def transposed_2(x: R.Tensor((1, 32, 8, 8), "float32"), w: R.Tensor((32, 16, 4, 4), "float32")):
        v1 = R.nn.conv2d_transpose(x, w, strides=2, padding=1)
        return v1

    @R.function
    def transposed_3(x: R.Tensor((1, 8, 9, 9), "float32"), w: R.Tensor((8, 8, 3, 3), "float32")):
        v1 = R.nn.conv2d_transpose(x, w, strides=3)
        return v1

    @R.function
    def transposed_kernel_2(x: R.Tensor((2, 16, 7, 7), "float32"), w: R.Tensor((16, 8, 2, 2), "float32")):
        v1 = R.nn.conv2d_transpose(x, w, strides=2)
        return v1

    @R.function
    def transposed_groups(x: R.Tensor((1, 12, 10, 10), "float32"), w: R.Tensor((12, 4, 3, 3), "float32")):
        v1 = R.nn.conv2d_transpose(x, w, strides=2, padding=1, output_padding=1, groups=3)
        return v1

    @R.function
    def transposed_line(x: R.Tensor((1, 16, 30), "float32"), w: R.Tensor((16, 8, 4), "float32")):
        v1 = R.nn.conv1d_transpose(x, w, strides=2, padding=1)
        return v1

    @R.function
    def transposed_volume(x: R.Tensor((1, 4, 5, 6, 6), "float32"), w: R.Tensor((4, 8, 2, 2, 2), "float32")):
        v1 = R.nn.conv3d_transpose(x, w, strides=2)
        return v1
