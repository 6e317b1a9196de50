# Convolutions of few channels in a group, which read their windows in a padded image.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def groups_1_ins_2_outs_8_kernel_3_stride_1(x: R.Tensor((1, 2, 32, 32), "float32"), w: R.Tensor((8, 2, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=1, padding=1, groups=1)
        return v1

    @R.function
    def groups_1_ins_3_outs_12_kernel_3_stride_1(x: R.Tensor((1, 3, 32, 32), "float32"), w: R.Tensor((12, 3, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=1, padding=1, groups=1)
        return v1

    @R.function
    def groups_1_ins_4_outs_16_kernel_4_stride_2(x: R.Tensor((1, 4, 32, 32), "float32"), w: R.Tensor((16, 4, 4, 4), "float32")):
        v1 = R.nn.conv2d(x, w, strides=2, padding=1, groups=1)
        return v1

    @R.function
    def groups_2_ins_2_outs_8_kernel_3_stride_1(x: R.Tensor((1, 4, 32, 32), "float32"), w: R.Tensor((8, 2, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=1, padding=1, groups=2)
        return v1

    @R.function
    def groups_3_ins_2_outs_12_kernel_3_stride_2(x: R.Tensor((1, 6, 32, 32), "float32"), w: R.Tensor((12, 2, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=2, padding=1, groups=3)
        return v1

    @R.function
    def groups_1_ins_1_outs_8_kernel_5_stride_1(x: R.Tensor((1, 1, 32, 32), "float32"), w: R.Tensor((8, 1, 5, 5), "float32")):
        v1 = R.nn.conv2d(x, w, strides=1, padding=1, groups=1)
        return v1

    @R.function
    def batch_3(x: R.Tensor((3, 3, 24, 24), "float32"), w: R.Tensor((6, 3, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1

    @R.function
    def batch_n(x: R.Tensor(("n", 3, 20, 28), "float32"), w: R.Tensor((8, 3, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1

    @R.function
    def f64(x: R.Tensor((1, 2, 24, 24), "float64"), w: R.Tensor((8, 2, 3, 3), "float64")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1

    @R.function
    def relu(x: R.Tensor((1, 3, 32, 48), "float32"), w: R.Tensor((16, 3, 3, 3), "float32"), b: R.Tensor((16, 1, 1), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        v2 = R.add(v1, b)
        v3 = R.nn.relu(v2)
        return v3

    @R.function
    def first_layer(x: R.Tensor((1, 3, 64, 64), "float32"), w: R.Tensor((16, 3, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, strides=2, padding=1)
        return v1

    @R.function
    def volume(x: R.Tensor((1, 2, 10, 20, 20), "float32"), w: R.Tensor((8, 2, 3, 3, 3), "float32")):
        v1 = R.nn.conv3d(x, w, padding=1)
        return v1
