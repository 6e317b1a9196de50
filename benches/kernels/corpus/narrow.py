# Products of bfloat16 and float16, with sums of their own type or of float32.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def bf16_64_128_96(a: R.Tensor((64, 96), "bfloat16"), b: R.Tensor((96, 128), "bfloat16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bf16_1_512_256(a: R.Tensor((1, 256), "bfloat16"), b: R.Tensor((256, 512), "bfloat16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bf16_4_300_130(a: R.Tensor((4, 130), "bfloat16"), b: R.Tensor((130, 300), "bfloat16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bf16_33_47_59(a: R.Tensor((33, 59), "bfloat16"), b: R.Tensor((59, 47), "bfloat16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bf16_256_512_64(a: R.Tensor((256, 64), "bfloat16"), b: R.Tensor((64, 512), "bfloat16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bf16_wide_sums(a: R.Tensor((48, 64), "bfloat16"), b: R.Tensor((64, 80), "bfloat16")):
        v1 = R.matmul(a, b, out_dtype="float32")
        return v1

    @R.function
    def bf16_nt(a: R.Tensor((40, 128), "bfloat16"), b: R.Tensor((96, 128), "bfloat16")):
        v1 = R.permute_dims(b, axes=[1, 0])
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def bf16_batch(a: R.Tensor((3, 32, 48), "bfloat16"), b: R.Tensor((3, 48, 32), "bfloat16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def bf16_weights(a: R.Tensor((8, 256), "float32"), b: R.Tensor((256, 192), "bfloat16")):
        v1 = R.astype(b, "float32")
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def bf16_conv(x: R.Tensor((1, 16, 14, 14), "bfloat16"), w: R.Tensor((32, 16, 3, 3), "bfloat16")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1

    @R.function
    def f16_64_128_96(a: R.Tensor((64, 96), "float16"), b: R.Tensor((96, 128), "float16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def f16_1_512_256(a: R.Tensor((1, 256), "float16"), b: R.Tensor((256, 512), "float16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def f16_4_300_130(a: R.Tensor((4, 130), "float16"), b: R.Tensor((130, 300), "float16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def f16_33_47_59(a: R.Tensor((33, 59), "float16"), b: R.Tensor((59, 47), "float16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def f16_256_512_64(a: R.Tensor((256, 64), "float16"), b: R.Tensor((64, 512), "float16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def f16_wide_sums(a: R.Tensor((48, 64), "float16"), b: R.Tensor((64, 80), "float16")):
        v1 = R.matmul(a, b, out_dtype="float32")
        return v1

    @R.function
    def f16_nt(a: R.Tensor((40, 128), "float16"), b: R.Tensor((96, 128), "float16")):
        v1 = R.permute_dims(b, axes=[1, 0])
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def f16_batch(a: R.Tensor((3, 32, 48), "float16"), b: R.Tensor((3, 48, 32), "float16")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def f16_weights(a: R.Tensor((8, 256), "float32"), b: R.Tensor((256, 192), "float16")):
        v1 = R.astype(b, "float32")
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def f16_conv(x: R.Tensor((1, 16, 14, 14), "float16"), w: R.Tensor((32, 16, 3, 3), "float16")):
        v1 = R.nn.conv2d(x, w, padding=1)
        return v1
