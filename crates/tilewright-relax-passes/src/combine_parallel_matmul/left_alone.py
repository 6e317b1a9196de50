# Nothing is combined: other left operands, other dimensions, another type of result, the same weights, one product whose
# weights come from the other, weights in a row.
# test: opt --pass CombineParallelMatmul
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((4, 4), "float32"),
        y: R.Tensor((4, 4), "float32"),
        w0: R.Tensor((4, 4), "float32"),
        w1: R.Tensor((2, 4, 4), "float32"),
        row: R.Tensor((4,), "float32"),
    ):
        with R.dataflow():
            a = R.matmul(x, w0)
            again = R.matmul(x, w0)
            b = R.matmul(y, w0)
            c = R.matmul(x, w1)
            d = R.matmul(x, row)
            weights = R.add(a, again)
            e = R.matmul(x, weights)
            f = R.matmul(x, y, out_dtype="float64")
            R.output(again, b, c, d, e, f)
        return (again, b, c, d, e, f)

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 4), dtype="float32"), y: R.Tensor((4, 4), dtype="float32"), w0: R.Tensor((4, 4), dtype="float32"), w1: R.Tensor((2, 4, 4), dtype="float32"), row: R.Tensor((4,), dtype="float32")) -> R.Tuple(R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((2, 4, 4), dtype="float32"), R.Tensor((4,), dtype="float32"), R.Tensor((4, 4), dtype="float32"), R.Tensor((4, 4), dtype="float64")):
        with R.dataflow():
            a: R.Tensor((4, 4), dtype="float32") = R.matmul(x, w0, out_dtype="void")
            again: R.Tensor((4, 4), dtype="float32") = R.matmul(x, w0, out_dtype="void")
            b: R.Tensor((4, 4), dtype="float32") = R.matmul(y, w0, out_dtype="void")
            c: R.Tensor((2, 4, 4), dtype="float32") = R.matmul(x, w1, out_dtype="void")
            d: R.Tensor((4,), dtype="float32") = R.matmul(x, row, out_dtype="void")
            weights: R.Tensor((4, 4), dtype="float32") = R.add(a, again)
            e: R.Tensor((4, 4), dtype="float32") = R.matmul(x, weights, out_dtype="void")
            f: R.Tensor((4, 4), dtype="float64") = R.matmul(x, y, out_dtype="float64")
            R.output(again, b, c, d, e, f)
        return (again, b, c, d, e, f)
