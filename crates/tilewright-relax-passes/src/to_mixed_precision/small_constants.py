# A constant that float16 has few digits of, or none, keeps its operator wide: a division by it would be one by 0.
# test: opt --pass ToMixedPrecision:out_dtype=float16
# run: main tol=3e-2 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 3), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            small = R.multiply(a, R.const(1e-8, "float32"))
            again = R.divide(small, R.const(1e-8, "float32"))
            b = R.maximum(a, R.const(0.0, "float32"))
            c = R.multiply(b, R.const(0.0001220703125, "float32"))
            R.output(again, c)
        return (again, c)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), w: R.Tensor((4, 3), dtype="float32")) -> R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((2, 3), dtype="float32")):
        with R.dataflow():
            lv: R.Tensor((2, 4), dtype="float16") = R.astype(x, dtype="float16")
            lv_1: R.Tensor((4, 3), dtype="float16") = R.astype(w, dtype="float16")
            lv_2: R.Tensor((2, 3), dtype="float16") = R.matmul(lv, lv_1, out_dtype="float16")
            a: R.Tensor((2, 3), dtype="float32") = R.astype(lv_2, dtype="float32")
            small: R.Tensor((2, 3), dtype="float32") = R.multiply(a, R.const(1e-8, "float32"))
            again: R.Tensor((2, 3), dtype="float32") = R.divide(small, R.const(1e-8, "float32"))
            lv_3: R.Tensor((), dtype="float16") = R.astype(R.const(0.0, "float32"), dtype="float16")
            lv_4: R.Tensor((2, 3), dtype="float16") = R.maximum(lv_2, lv_3)
            lv_5: R.Tensor((), dtype="float16") = R.astype(R.const(0.00012207031, "float32"), dtype="float16")
            lv_6: R.Tensor((2, 3), dtype="float16") = R.multiply(lv_4, lv_5)
            c: R.Tensor((2, 3), dtype="float32") = R.astype(lv_6, dtype="float32")
            R.output(again, c)
        return (again, c)
