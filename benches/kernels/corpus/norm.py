# Layer norms and RMS norms: many short rows, long rows, few rows.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def layer_256_32(x: R.Tensor((256, 32), "float32"), g: R.Tensor((32,), "float32"), b: R.Tensor((32,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_512_64(x: R.Tensor((512, 64), "float32"), g: R.Tensor((64,), "float32"), b: R.Tensor((64,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_300_70(x: R.Tensor((300, 70), "float32"), g: R.Tensor((70,), "float32"), b: R.Tensor((70,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_1024_768(x: R.Tensor((1024, 768), "float32"), g: R.Tensor((768,), "float32"), b: R.Tensor((768,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_257_17(x: R.Tensor((257, 17), "float32"), g: R.Tensor((17,), "float32"), b: R.Tensor((17,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def rms_256_64(x: R.Tensor((256, 64), "float32"), g: R.Tensor((64,), "float32")):
        v1 = R.nn.rms_norm(x, g, axes=[-1])
        return v1

    @R.function
    def rms_512_100(x: R.Tensor((512, 100), "float32"), g: R.Tensor((100,), "float32")):
        v1 = R.nn.rms_norm(x, g, axes=[-1])
        return v1

    @R.function
    def rms_512_1024(x: R.Tensor((512, 1024), "float32"), g: R.Tensor((1024,), "float32")):
        v1 = R.nn.rms_norm(x, g, axes=[-1])
        return v1

    @R.function
    def rms_400_33(x: R.Tensor((400, 33), "float32"), g: R.Tensor((33,), "float32")):
        v1 = R.nn.rms_norm(x, g, axes=[-1])
        return v1

    @R.function
    def layer_16_768(x: R.Tensor((16, 768), "float32"), g: R.Tensor((768,), "float32"), b: R.Tensor((768,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_20_2600(x: R.Tensor((20, 2600), "float32"), g: R.Tensor((2600,), "float32"), b: R.Tensor((2600,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_64_4096(x: R.Tensor((64, 4096), "float32"), g: R.Tensor((4096,), "float32"), b: R.Tensor((4096,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_128_3000(x: R.Tensor((128, 3000), "float32"), g: R.Tensor((3000,), "float32"), b: R.Tensor((3000,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def rms_16_4096(x: R.Tensor((16, 4096), "float32"), g: R.Tensor((4096,), "float32")):
        v1 = R.nn.rms_norm(x, g, axes=[-1])
        return v1

    @R.function
    def rms_1_4096(x: R.Tensor((1, 4096), "float32"), g: R.Tensor((4096,), "float32")):
        v1 = R.nn.rms_norm(x, g, axes=[-1])
        return v1

    @R.function
    def layer_1_768(x: R.Tensor((1, 768), "float32"), g: R.Tensor((768,), "float32"), b: R.Tensor((768,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_8_512(x: R.Tensor((8, 512), "float32"), g: R.Tensor((512,), "float32"), b: R.Tensor((512,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_n(x: R.Tensor(("n", 256), "float32"), g: R.Tensor((256,), "float32"), b: R.Tensor((256,), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def rms_n(x: R.Tensor(("n", 2048), "float32"), g: R.Tensor((2048,), "float32")):
        v1 = R.nn.rms_norm(x, g, axes=[-1])
        return v1

    @R.function
    def layer_two_axes(x: R.Tensor((32, 16, 64), "float32"), g: R.Tensor((16, 64), "float32"), b: R.Tensor((16, 64), "float32")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-2, -1])
        return v1

    @R.function
    def layer_f16(x: R.Tensor((256, 64), "float16"), g: R.Tensor((64,), "float16"), b: R.Tensor((64,), "float16")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_bf16(x: R.Tensor((256, 64), "bfloat16"), g: R.Tensor((64,), "bfloat16"), b: R.Tensor((64,), "bfloat16")):
        v1 = R.nn.layer_norm(x, g, b, axes=[-1])
        return v1

    @R.function
    def layer_residual(x: R.Tensor((512, 256), "float32"), y: R.Tensor((512, 256), "float32"), g: R.Tensor((256,), "float32"), b: R.Tensor((256,), "float32")):
        v1 = R.add(x, y)
        v2 = R.nn.layer_norm(v1, g, b, axes=[-1])
        return v2

    @R.function
    def rms_residual(x: R.Tensor((384, 320), "float32"), y: R.Tensor((384, 320), "float32"), g: R.Tensor((320,), "float32")):
        v1 = R.add(x, y)
        v2 = R.nn.rms_norm(v1, g, axes=[-1])
        return v2
