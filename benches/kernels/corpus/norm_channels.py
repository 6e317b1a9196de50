# Norms of channels: groups, instances, batches.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def group_2_32_8_16(x: R.Tensor((2, 32, 16, 16), "float32"), g: R.Tensor((32,), "float32"), b: R.Tensor((32,), "float32")):
        v1 = R.nn.group_norm(x, g, b, num_groups=8, channel_axis=1, axes=[2, 3])
        return v1

    @R.function
    def group_2_64_32_20(x: R.Tensor((2, 64, 20, 20), "float32"), g: R.Tensor((64,), "float32"), b: R.Tensor((64,), "float32")):
        v1 = R.nn.group_norm(x, g, b, num_groups=32, channel_axis=1, axes=[2, 3])
        return v1

    @R.function
    def group_1_128_32_28(x: R.Tensor((1, 128, 28, 28), "float32"), g: R.Tensor((128,), "float32"), b: R.Tensor((128,), "float32")):
        v1 = R.nn.group_norm(x, g, b, num_groups=32, channel_axis=1, axes=[2, 3])
        return v1

    @R.function
    def group_3_24_8_24(x: R.Tensor((3, 24, 24, 24), "float32"), g: R.Tensor((24,), "float32"), b: R.Tensor((24,), "float32")):
        v1 = R.nn.group_norm(x, g, b, num_groups=8, channel_axis=1, axes=[2, 3])
        return v1

    @R.function
    def instance_32_24(x: R.Tensor((2, 32, 24, 24), "float32"), g: R.Tensor((32,), "float32"), b: R.Tensor((32,), "float32")):
        v1 = R.nn.instance_norm(x, g, b, channel_axis=1, axes=[2, 3])
        return v1

    @R.function
    def instance_16_40(x: R.Tensor((2, 16, 40, 40), "float32"), g: R.Tensor((16,), "float32"), b: R.Tensor((16,), "float32")):
        v1 = R.nn.instance_norm(x, g, b, channel_axis=1, axes=[2, 3])
        return v1

    @R.function
    def instance_64_32(x: R.Tensor((2, 64, 32, 32), "float32"), g: R.Tensor((64,), "float32"), b: R.Tensor((64,), "float32")):
        v1 = R.nn.instance_norm(x, g, b, channel_axis=1, axes=[2, 3])
        return v1

    @R.function
    def group_silu(x: R.Tensor((1, 64, 32, 32), "float32"), g: R.Tensor((64,), "float32"), b: R.Tensor((64,), "float32")):
        v1 = R.nn.group_norm(x, g, b, num_groups=32, channel_axis=1, axes=[2, 3])
        v2 = R.nn.silu(v1)
        return v2

    @R.function
    def batch_inference(x: R.Tensor((2, 24, 14, 14), "float32"), g: R.Tensor((24,), "float32"), b: R.Tensor((24,), "float32"), m: R.Tensor((24,), "float32"), s: R.Tensor((24,), "float32")):
        v1 = R.nn.batch_norm(x, g, b, m, s, axis=1, training=False)
        v2 = v1[0]
        return v2

    @R.function
    def batch_training(x: R.Tensor((4, 24, 14, 14), "float32"), g: R.Tensor((24,), "float32"), b: R.Tensor((24,), "float32"), m: R.Tensor((24,), "float32"), s: R.Tensor((24,), "float32")):
        v1 = R.nn.batch_norm(x, g, b, m, s, axis=1, training=True)
        v2 = v1[0]
        return v2
