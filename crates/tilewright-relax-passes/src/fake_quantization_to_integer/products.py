# Products of quantised matrices, whose weights may be transposed, and ONNX's products of integers with any zero points.
# test: opt --pass FakeQuantizationToInteger:target=icelake-server
# run: main n=3 tol=1e-4 == same
# run: main n=0 == same
# run: integers n=2 == same
# run: row == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 5), "uint8"), v: R.Tensor((4, 5), "int8"), s: R.Tensor((4,), "float32")):
        with R.dataflow():
            a = R.dequantize(x, R.const(0.5, "float32"), R.const(9, "uint8"))
            b = R.permute_dims(R.dequantize(v, s, R.const(0, "int8"), axis=0))
            y = R.matmul(a, b)
            R.output(y)
        return y

    @R.function
    def integers(
        x: R.Tensor((2, "n", 5), "uint8"), w: R.Tensor((5, 4), "uint8"), zx: R.Tensor((), "uint8"), zw: R.Tensor((), "uint8")
    ):
        with R.dataflow():
            a = R.subtract(R.astype(x, "int32"), R.astype(zx, "int32"))
            b = R.subtract(R.astype(w, "int32"), R.astype(zw, "int32"))
            y = R.matmul(a, b)
            R.output(y)
        return y

    @R.function
    def row(x: R.Tensor((5,), "int8"), w: R.Tensor((5, 4), "int8"), zw: R.Tensor((), "int8")):
        with R.dataflow():
            a = R.astype(x, "int32")
            b = R.subtract(R.astype(w, "int32"), R.astype(zw, "int32"))
            y = R.matmul(a, b)
            R.output(y)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def integers(x: R.Tensor((2, "n", 5), dtype="uint8"), w: R.Tensor((5, 4), dtype="uint8"), zx: R.Tensor((), dtype="uint8"), zw: R.Tensor((), dtype="uint8")) -> R.Tensor((2, "n", 4), dtype="int32"):
        n = T.int64()
        with R.dataflow():
            lv1: R.Tensor((), dtype="int32") = R.astype(zx, dtype="int32")
            lv3: R.Tensor((), dtype="int32") = R.astype(zw, dtype="int32")
            lv: R.Tensor((2, n, 4), dtype="int32") = R.matmul(x, w, out_dtype="int32")
            lv_1: R.Tensor((5, 4), dtype="int32") = R.astype(w, dtype="int32")
            lv_2: R.Tensor((4,), dtype="int32") = R.sum(lv_1, axis=[0], keepdims=False)
            lv_3: R.Tensor((), dtype="int32") = R.multiply(R.const(5, "int32"), lv3)
            lv_4: R.Tensor((4,), dtype="int32") = R.subtract(lv_2, lv_3)
            lv_5: R.Tensor((4,), dtype="int32") = R.multiply(lv_4, lv1)
            lv_6: R.Tensor((2, n, 4), dtype="int32") = R.subtract(lv, lv_5)
            lv_7: R.Tensor((2, n, 5), dtype="int32") = R.astype(x, dtype="int32")
            lv_8: R.Tensor((2, n, 1), dtype="int32") = R.sum(lv_7, axis=[-1], keepdims=True)
            lv_9: R.Tensor((2, n, 1), dtype="int32") = R.multiply(lv_8, lv3)
            y: R.Tensor((2, n, 4), dtype="int32") = R.subtract(lv_6, lv_9)
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor(("n", 5), dtype="uint8"), v: R.Tensor((4, 5), dtype="int8"), s: R.Tensor((4,), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((5, 4), dtype="int8") = R.permute_dims(v, axes=None)
            lv_1: R.Tensor((n, 4), dtype="int32") = R.matmul(x, lv, out_dtype="int32")
            lv_2: R.Tensor((4, 5), dtype="int32") = R.astype(v, dtype="int32")
            lv_3: R.Tensor((4,), dtype="int32") = R.sum(lv_2, axis=[1], keepdims=False)
            lv_4: R.Tensor((), dtype="int32") = R.astype(R.const(9, "uint8"), dtype="int32")
            lv_5: R.Tensor((4,), dtype="int32") = R.multiply(lv_3, lv_4)
            lv_6: R.Tensor((n, 4), dtype="int32") = R.subtract(lv_1, lv_5)
            lv_7: R.Tensor((n, 4), dtype="float32") = R.astype(lv_6, dtype="float32")
            lv_8: R.Tensor((4,), dtype="float32") = R.multiply(s, R.const(0.5, "float32"))
            y: R.Tensor((n, 4), dtype="float32") = R.multiply(lv_7, lv_8)
            R.output(y)
        return y

    @R.function
    def row(x: R.Tensor((5,), dtype="int8"), w: R.Tensor((5, 4), dtype="int8"), zw: R.Tensor((), dtype="int8")) -> R.Tensor((4,), dtype="int32"):
        with R.dataflow():
            lv1: R.Tensor((), dtype="int32") = R.astype(zw, dtype="int32")
            lv: R.Tensor((4,), dtype="int32") = R.matmul(x, w, out_dtype="int32")
            lv_1: R.Tensor((5,), dtype="int32") = R.astype(x, dtype="int32")
            lv_2: R.Tensor((), dtype="int32") = R.sum(lv_1, axis=[-1], keepdims=False)
            lv_3: R.Tensor((), dtype="int32") = R.multiply(lv_2, lv1)
            y: R.Tensor((4,), dtype="int32") = R.subtract(lv, lv_3)
            R.output(y)
        return y
