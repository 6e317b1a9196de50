# Convolutions whose results are larger than L2, as those at the beginning of networks.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def first_of_resnet(x: R.Tensor((1, 3, 224, 224), "float32"), w: R.Tensor((64, 3, 7, 7), "float32")):
        v1 = R.nn.conv2d(x, w, strides=2, padding=3)
        return v1

    @R.function
    def second_of_vgg(x: R.Tensor((1, 64, 112, 112), "float32"), w: R.Tensor((64, 64, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1

    @R.function
    def patches(x: R.Tensor((1, 3, 224, 224), "float32"), w: R.Tensor((768, 3, 16, 16), "float32")):
        v1 = R.nn.conv2d(x, w, strides=16)
        return v1

    @R.function
    def batch_2(x: R.Tensor((2, 32, 96, 96), "float32"), w: R.Tensor((64, 32, 3, 3), "float32")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1
