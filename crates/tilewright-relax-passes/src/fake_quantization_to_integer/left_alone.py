# Groups, several zero points, sums that int32 may not hold, data with a scale for each row.
# test: opt --pass FakeQuantizationToInteger:target=icelake-server
# run: main tol=1e-4 == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((1, 4, 5, 5), "uint8"),
        w: R.Tensor((4, 2, 3, 3), "int8"),
        v: R.Tensor((4, 4, 3, 3), "int8"),
        z: R.Tensor((4,), "int8"),
        p: R.Tensor((2, 33026), "int8"),
        r: R.Tensor((33026, 2), "int8"),
        s: R.Tensor((2,), "float32"),
    ):
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(9, "uint8"))
            grouped = R.nn.conv2d(a, R.dequantize(w, R.const(0.5, "float32"), R.const(0, "int8")), groups=2)
            zeros = R.nn.conv2d(a, R.dequantize(v, R.const([0.5, 0.25, 1.0, 2.0], "float32"), z, axis=0))
            half = R.const(0.5, "float32")
            long = R.matmul(R.dequantize(p, half, R.const(0, "int8")), R.dequantize(r, half, R.const(0, "int8")))
            rows = R.matmul(R.dequantize(r, R.const([0.5, 0.25], "float32"), R.const(0, "int8"), axis=1), R.dequantize(R.strided_slice(p, axes=[1], begin=[0], end=[3]), half, R.const(0, "int8")))
            R.output(grouped, zeros, long, rows)
        return grouped, zeros, long, rows

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 4, 5, 5), dtype="uint8"), w: R.Tensor((4, 2, 3, 3), dtype="int8"), v: R.Tensor((4, 4, 3, 3), dtype="int8"), z: R.Tensor((4,), dtype="int8"), p: R.Tensor((2, 33026), dtype="int8"), r: R.Tensor((33026, 2), dtype="int8"), s: R.Tensor((2,), dtype="float32")) -> R.Tuple(R.Tensor((1, 4, 3, 3), dtype="float32"), R.Tensor((1, 4, 3, 3), dtype="float32"), R.Tensor((2, 2), dtype="float32"), R.Tensor((33026, 3), dtype="float32")):
        with R.dataflow():
            a: R.Tensor((1, 4, 5, 5), dtype="float32") = R.dequantize(x, R.const(0.5, "float32"), R.const(9, "uint8"), axis=-1, out_dtype="float32")
            lv: R.Tensor((4, 2, 3, 3), dtype="float32") = R.dequantize(w, R.const(0.5, "float32"), R.const(0, "int8"), axis=-1, out_dtype="float32")
            grouped: R.Tensor((1, 4, 3, 3), dtype="float32") = R.nn.conv2d(a, lv, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=2, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            lv1: R.Tensor((4, 4, 3, 3), dtype="float32") = R.dequantize(v, metadata["relax.expr.Constant"][0], z, axis=0, out_dtype="float32")
            zeros: R.Tensor((1, 4, 3, 3), dtype="float32") = R.nn.conv2d(a, lv1, strides=[1, 1], padding=[0, 0, 0, 0], dilation=[1, 1], groups=1, data_layout="NCHW", kernel_layout="OIHW", out_layout="NCHW", out_dtype="void")
            half: R.Tensor((), dtype="float32") = R.const(0.5, "float32")
            lv2: R.Tensor((2, 33026), dtype="float32") = R.dequantize(p, half, R.const(0, "int8"), axis=-1, out_dtype="float32")
            lv_1: R.Tensor((2, 2), dtype="float32") = R.matmul(lv2, r, out_dtype="float32")
            long: R.Tensor((2, 2), dtype="float32") = R.multiply(lv_1, half)
            lv4: R.Tensor((33026, 2), dtype="float32") = R.dequantize(r, metadata["relax.expr.Constant"][1], R.const(0, "int8"), axis=1, out_dtype="float32")
            lv5: R.Tensor((2, 3), dtype="int8") = R.strided_slice(p, (R.prim_value(1),), (R.prim_value(0),), (R.prim_value(3),), None, assume_inbound=False)
            lv_2: R.Tensor((33026, 3), dtype="float32") = R.matmul(lv4, lv5, out_dtype="float32")
            rows: R.Tensor((33026, 3), dtype="float32") = R.multiply(lv_2, half)
            R.output(grouped, zeros, long, rows)
        return (grouped, zeros, long, rows)

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [4], "data": "AAAAPwAAgD4AAIA/AAAAQA=="},
    {"dtype": "float32", "shape": [2], "data": "AAAAPwAAgD4="},
]}
