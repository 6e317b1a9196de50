# A matrix of bytes that floats are multiplied by is read as it is, on any target; its scales come after the sums.
# test: opt --pass FakeQuantizationToInteger:target=haswell
# run: main n=3 tol=1e-4 == same
# run: transposed n=2 tol=1e-4 == same
# run: stays n=2 tol=1e-4 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 5), "float32"), w: R.Tensor((5, 4), "int8"), s: R.Tensor((1, 4), "float32")):
        with R.dataflow():
            b = R.multiply(R.astype(w, "float32"), s)
            y = R.matmul(x, b)
            R.output(y)
        return y

    @R.function
    def transposed(x: R.Tensor(("n", 5), "float32"), w: R.Tensor((4, 5), "int8"), s: R.Tensor((4,), "float32")):
        with R.dataflow():
            b = R.permute_dims(R.dequantize(w, s, R.const(0, "int8"), axis=0))
            y = R.matmul(x, b)
            R.output(y)
        return y

    # Scales along K, and zero points.
    @R.function
    def stays(x: R.Tensor(("n", 5), "float32"), w: R.Tensor((5, 4), "int8"), s: R.Tensor((5, 1), "float32")):
        with R.dataflow():
            a = R.matmul(x, R.multiply(R.astype(w, "float32"), s))
            b = R.matmul(x, R.dequantize(w, R.const(0.5, "float32"), R.const(1, "int8")))
            y = R.add(a, b)
            R.output(y)
        return y

    # This target multiplies floats as fast as bytes.
    @R.function
    def both(x: R.Tensor((3, 5), "int8"), w: R.Tensor((5, 4), "int8")):
        with R.dataflow():
            half = R.const(0.5, "float32")
            y = R.matmul(R.dequantize(x, half, R.const(1, "int8")), R.dequantize(w, half, R.const(1, "int8")))
            R.output(y)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def both(x: R.Tensor((3, 5), dtype="int8"), w: R.Tensor((5, 4), dtype="int8")) -> R.Tensor((3, 4), dtype="float32"):
        with R.dataflow():
            half: R.Tensor((), dtype="float32") = R.const(0.5, "float32")
            lv: R.Tensor((3, 5), dtype="float32") = R.dequantize(x, half, R.const(1, "int8"), axis=-1, out_dtype="float32")
            lv1: R.Tensor((5, 4), dtype="float32") = R.dequantize(w, half, R.const(1, "int8"), axis=-1, out_dtype="float32")
            y: R.Tensor((3, 4), dtype="float32") = R.matmul(lv, lv1, out_dtype="void")
            R.output(y)
        return y

    @R.function
    def main(x: R.Tensor(("n", 5), dtype="float32"), w: R.Tensor((5, 4), dtype="int8"), s: R.Tensor((1, 4), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 4), dtype="float32") = R.matmul(x, w, out_dtype="float32")
            lv_1: R.Tensor((4,), dtype="float32") = R.reshape(s, R.shape([4]))
            y: R.Tensor((n, 4), dtype="float32") = R.multiply(lv, lv_1)
            R.output(y)
        return y

    @R.function
    def stays(x: R.Tensor(("n", 5), dtype="float32"), w: R.Tensor((5, 4), dtype="int8"), s: R.Tensor((5, 1), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((5, 4), dtype="float32") = R.astype(w, dtype="float32")
            lv1: R.Tensor((5, 4), dtype="float32") = R.multiply(lv, s)
            a: R.Tensor((n, 4), dtype="float32") = R.matmul(x, lv1, out_dtype="void")
            lv2: R.Tensor((5, 4), dtype="float32") = R.dequantize(w, R.const(0.5, "float32"), R.const(1, "int8"), axis=-1, out_dtype="float32")
            b: R.Tensor((n, 4), dtype="float32") = R.matmul(x, lv2, out_dtype="void")
            y: R.Tensor((n, 4), dtype="float32") = R.add(a, b)
            R.output(y)
        return y

    @R.function
    def transposed(x: R.Tensor(("n", 5), dtype="float32"), w: R.Tensor((4, 5), dtype="int8"), s: R.Tensor((4,), dtype="float32")) -> R.Tensor(("n", 4), dtype="float32"):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((5, 4), dtype="int8") = R.permute_dims(w, axes=None)
            lv_1: R.Tensor((n, 4), dtype="float32") = R.matmul(x, lv, out_dtype="float32")
            y: R.Tensor((n, 4), dtype="float32") = R.multiply(lv_1, s)
            R.output(y)
        return y
