# Products of matrices of float32 and float64: square, ragged, thin, transposed, with constant operands.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def mm_128_128_128(a: R.Tensor((128, 128), "float32"), b: R.Tensor((128, 128), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_64_512_256(a: R.Tensor((64, 256), "float32"), b: R.Tensor((256, 512), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_512_64_768(a: R.Tensor((512, 768), "float32"), b: R.Tensor((768, 64), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_37_53_71(a: R.Tensor((37, 71), "float32"), b: R.Tensor((71, 53), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_100_17_300(a: R.Tensor((100, 300), "float32"), b: R.Tensor((300, 17), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_33_1000_40(a: R.Tensor((33, 40), "float32"), b: R.Tensor((40, 1000), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_256_3072_768(a: R.Tensor((256, 768), "float32"), b: R.Tensor((768, 3072), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_16_16_16(a: R.Tensor((16, 16), "float32"), b: R.Tensor((16, 16), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_6_6_6(a: R.Tensor((6, 6), "float32"), b: R.Tensor((6, 6), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_2048_8_64(a: R.Tensor((2048, 64), "float32"), b: R.Tensor((64, 8), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_13_96_5(a: R.Tensor((13, 5), "float32"), b: R.Tensor((5, 96), "float32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_nt_64_256_128(a: R.Tensor((64, 128), "float32"), b: R.Tensor((256, 128), "float32")):
        v1 = R.permute_dims(b, axes=[1, 0])
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def mm_nt_200_77_50(a: R.Tensor((200, 50), "float32"), b: R.Tensor((77, 50), "float32")):
        v1 = R.permute_dims(b, axes=[1, 0])
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def mm_nt_5_640_320(a: R.Tensor((5, 320), "float32"), b: R.Tensor((640, 320), "float32")):
        v1 = R.permute_dims(b, axes=[1, 0])
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def mm_tn_96_80_112(a: R.Tensor((112, 96), "float32"), b: R.Tensor((112, 80), "float32")):
        v1 = R.permute_dims(a, axes=[1, 0])
        v2 = R.matmul(v1, b)
        return v2

    @R.function
    def mm_tn_31_65_17(a: R.Tensor((17, 31), "float32"), b: R.Tensor((17, 65), "float32")):
        v1 = R.permute_dims(a, axes=[1, 0])
        v2 = R.matmul(v1, b)
        return v2

    @R.function
    def mm_constant_32_128_128(a: R.Tensor((32, 128), "float32")):
        v1 = R.full((128, 128), R.const(0.125, "float32"), dtype="float32")
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def mm_constant_7_250_64(a: R.Tensor((7, 64), "float32")):
        v1 = R.full((64, 250), R.const(0.125, "float32"), dtype="float32")
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def mm_constant_512_64_200(a: R.Tensor((512, 200), "float32")):
        v1 = R.full((200, 64), R.const(0.125, "float32"), dtype="float32")
        v2 = R.matmul(a, v1)
        return v2

    @R.function
    def mm_f64_64_64_64(a: R.Tensor((64, 64), "float64"), b: R.Tensor((64, 64), "float64")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def mm_f64_19_45_130(a: R.Tensor((19, 130), "float64"), b: R.Tensor((130, 45), "float64")):
        v1 = R.matmul(a, b)
        return v1
