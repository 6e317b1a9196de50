# Batches of matrices; the sum is removed, since it is unused.
# test: opt --pass ExpandMatmulOfSum
# run: main tol=1e-5 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 4), "float32"), a: R.Tensor((2, 4, 5), "float32"), b: R.Tensor((2, 4, 5), "float32")):
        with R.dataflow():
            s = R.add(a, b)
            y = R.matmul(x, s, out_dtype="float64")
            R.output(y)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 4), dtype="float32"), a: R.Tensor((2, 4, 5), dtype="float32"), b: R.Tensor((2, 4, 5), dtype="float32")) -> R.Tensor((2, 3, 5), dtype="float64"):
        with R.dataflow():
            lv: R.Tensor((2, 3, 5), dtype="float64") = R.matmul(x, a, out_dtype="float64")
            lv_1: R.Tensor((2, 3, 5), dtype="float64") = R.matmul(x, b, out_dtype="float64")
            y: R.Tensor((2, 3, 5), dtype="float64") = R.add(lv, lv_1)
            R.output(y)
        return y
