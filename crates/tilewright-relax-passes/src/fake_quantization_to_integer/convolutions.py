# Convolutions of quantised images: a border of the zero point, a scale for each output channel, channels innermost.
# test: opt --pass FakeQuantizationToInteger:target=icelake-server
# run: main tol=1e-4 == same
# run: channels_last tol=1e-4 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 5, 6), "uint8"), w: R.Tensor((4, 3, 3, 2), "int8"), s: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(7, "uint8"))
            b = R.dequantize(w, s, R.const([0, 0, 0, 0], "int8"), axis=0)
            y = R.nn.conv2d(a, b, padding=[1, 0, 2, 1], strides=[2, 1])
            z = R.nn.relu(y)
            q = R.quantize(z, R.const(0.25, "float32"), R.const(3, "uint8"), out_dtype="uint8")
            R.output(y, q)
        return y, q

    @R.function
    def channels_last(x: R.Tensor((2, 5, 6, 3), "int8"), w: R.Tensor((3, 2, 3, 4), "int8")):
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(0, "int8"))
            b = R.dequantize(w, R.const(0.125, "float32"), R.const(0, "int8"))
            y = R.nn.conv2d(a, b, padding=[1, 1], data_layout="NHWC", kernel_layout="HWIO")
            R.output(y)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def channels_last(x: R.Tensor((2, 5, 6, 3), dtype="int8"), w: R.Tensor((3, 2, 3, 4), dtype="int8")) -> R.Tensor((2, 5, 7, 4), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((2, 5, 7, 4), dtype="int32") = R.nn.conv2d(x, w, strides=[1, 1], padding=[1, 1, 1, 1], dilation=[1, 1], groups=1, data_layout="NHWC", kernel_layout="HWIO", out_layout="NHWC", out_dtype="int32")
            lv_1: R.Tensor((2, 5, 7, 4), dtype="float32") = R.astype(lv, dtype="float32")
            lv_2: R.Tensor((), dtype="float32") = R.multiply(R.const(0.125, "float32"), R.const(0.5, "float32"))
            y: R.Tensor((2, 5, 7, 4), dtype="float32") = R.multiply(lv_1, lv_2)
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor((2, 3, 5, 6), dtype="uint8"), w: R.Tensor((4, 3, 3, 2), dtype="int8"), s: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((2, 4, 3, 6), dtype="float32"), R.Tensor((2, 4, 3, 6), dtype="uint8")):
        with R.dataflow():
            lv: R.Tensor((2, 3, 8, 7), dtype="uint8") = R.nn.pad(x, pad_width=[0, 0, 0, 0, 1, 2, 0, 1], pad_value=7.0, pad_mode="constant")
            lv_1: R.Tensor((2, 4, 3, 6), dtype="int32") = R.nn.conv2d(lv, w, strides=[2, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="int32")
            lv_2: R.Tensor((4, 3, 3, 2), dtype="int32") = R.astype(w, dtype="int32")
            lv_3: R.Tensor((4,), dtype="int32") = R.sum(lv_2, axis=[1, 2, 3], keepdims=False)
            lv_4: R.Tensor((), dtype="int32") = R.astype(R.const(7, "uint8"), dtype="int32")
            lv_5: R.Tensor((4,), dtype="int32") = R.multiply(lv_3, lv_4)
            lv_6: R.Tensor((4, 1, 1), dtype="int32") = R.reshape(lv_5, R.shape([4, 1, 1]))
            lv_7: R.Tensor((2, 4, 3, 6), dtype="int32") = R.subtract(lv_1, lv_6)
            lv_8: R.Tensor((2, 4, 3, 6), dtype="float32") = R.astype(lv_7, dtype="float32")
            lv_9: R.Tensor((4,), dtype="float32") = R.multiply(s, R.const(0.5, "float32"))
            lv_10: R.Tensor((4, 1, 1), dtype="float32") = R.reshape(lv_9, R.shape([4, 1, 1]))
            y: R.Tensor((2, 4, 3, 6), dtype="float32") = R.multiply(lv_8, lv_10)
            z: R.Tensor((2, 4, 3, 6), dtype="float32") = R.nn.relu(y)
            lv_11: R.Tensor((), dtype="float32") = R.divide(R.const(1.0, "float32"), R.const(0.25, "float32"))
            lv_12: R.Tensor((2, 4, 3, 6), dtype="float32") = R.multiply(z, lv_11)
            q: R.Tensor((2, 4, 3, 6), dtype="uint8") = R.quantize(lv_12, R.const(1.0, "float32"), R.const(3, "uint8"), axis=-1, out_dtype="uint8")
            R.output(y, q)
        return (y, q)
