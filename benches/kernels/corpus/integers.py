# Products and convolutions of bytes and integers, and the ways to and from them.
# Written by benches/kernels/generate.py.

@I.ir_module
class Module:
    @R.function
    def u8_i8_64(a: R.Tensor((64, 96), "uint8"), b: R.Tensor((96, 128), "int8")):
        v1 = R.matmul(a, b, out_dtype="int32")
        return v1

    @R.function
    def u8_u8_64(a: R.Tensor((64, 96), "uint8"), b: R.Tensor((96, 128), "uint8")):
        v1 = R.matmul(a, b, out_dtype="int32")
        return v1

    @R.function
    def i8_i8_64(a: R.Tensor((64, 96), "int8"), b: R.Tensor((96, 128), "int8")):
        v1 = R.matmul(a, b, out_dtype="int32")
        return v1

    @R.function
    def i8_u8_64(a: R.Tensor((64, 96), "int8"), b: R.Tensor((96, 128), "uint8")):
        v1 = R.matmul(a, b, out_dtype="int32")
        return v1

    @R.function
    def i8_one_row(a: R.Tensor((1, 512), "int8"), b: R.Tensor((512, 256), "int8")):
        v1 = R.matmul(a, b, out_dtype="int32")
        return v1

    @R.function
    def u8_few_rows(a: R.Tensor((5, 300), "uint8"), b: R.Tensor((300, 77), "int8")):
        v1 = R.matmul(a, b, out_dtype="int32")
        return v1

    @R.function
    def i8_nt(a: R.Tensor((40, 64), "int8"), b: R.Tensor((50, 64), "int8")):
        v1 = R.permute_dims(b, axes=[1, 0])
        v2 = R.matmul(a, v1, out_dtype="int32")
        return v2

    @R.function
    def i8_batch(a: R.Tensor((3, 20, 40), "int8"), b: R.Tensor((3, 40, 30), "int8")):
        v1 = R.matmul(a, b, out_dtype="int32")
        return v1

    @R.function
    def u8_zero_points(a: R.Tensor((32, 64), "uint8"), b: R.Tensor((64, 48), "int8")):
        v1 = R.astype(a, "int32")
        v2 = R.subtract(v1, R.const(7, "int32"))
        v3 = R.astype(b, "int32")
        v4 = R.matmul(v2, v3)
        return v4

    @R.function
    def i8_requantised(a: R.Tensor((32, 128), "int8"), b: R.Tensor((128, 64), "int8"), bias: R.Tensor((64,), "int32")):
        v1 = R.matmul(a, b, out_dtype="int32")
        v2 = R.add(v1, bias)
        v3 = R.clip(v2, -128, 127)
        v4 = R.astype(v3, "int8")
        return v4

    @R.function
    def i8_conv(x: R.Tensor((1, 16, 14, 14), "int8"), w: R.Tensor((32, 16, 3, 3), "int8")):
        v1 = R.nn.conv2d(x, w, padding=1, out_dtype="int32")
        return v1

    @R.function
    def i8_conv_1x1(x: R.Tensor((1, 64, 10, 10), "int8"), w: R.Tensor((64, 64, 1, 1), "int8")):
        v1 = R.nn.conv2d(x, w, out_dtype="int32")
        return v1

    @R.function
    def u8_conv_strided(x: R.Tensor((1, 3, 32, 32), "uint8"), w: R.Tensor((16, 3, 3, 3), "uint8")):
        v1 = R.nn.conv2d(x, w, strides=2, padding=1, out_dtype="int32")
        return v1

    @R.function
    def i8_depthwise(x: R.Tensor((1, 32, 16, 16), "int8"), w: R.Tensor((32, 1, 3, 3), "int8")):
        v1 = R.nn.conv2d(x, w, padding=1, groups=32, out_dtype="int32")
        return v1

    @R.function
    def i32_mm(a: R.Tensor((40, 50), "int32"), b: R.Tensor((50, 60), "int32")):
        v1 = R.matmul(a, b)
        return v1

    @R.function
    def quantize(x: R.Tensor((64, 100), "float32"), s: R.Tensor((100,), "float32"), z: R.Tensor((100,), "int8")):
        v1 = R.quantize(x, s, z, axis=1, out_dtype="int8")
        return v1

    @R.function
    def dequantize(x: R.Tensor((64, 100), "int8"), s: R.Tensor((100,), "float32"), z: R.Tensor((100,), "int8")):
        v1 = R.dequantize(x, s, z, axis=1, out_dtype="float32")
        return v1
