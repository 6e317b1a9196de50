# A sum of two products is the bias of each: it goes with the products of the first operand, and those of the second one
# are combined without it.
# test: opt --pass CombineParallelMatmul
# run: main == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2, 4), "float32"),
        y: R.Tensor((2, 4), "float32"),
        a: R.Tensor((4, 3), "float32"),
        b: R.Tensor((4, 3), "float32"),
    ):
        with R.dataflow():
            p0 = R.matmul(x, a)
            p1 = R.matmul(y, a)
            s = R.add(p0, p1)
            p2 = R.matmul(x, b)
            p3 = R.matmul(y, b)
            t = R.add(p2, p3)
            out = R.multiply(s, t)
            R.output(out)
        return out

# expect:
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), dtype="float32"), y: R.Tensor((2, 4), dtype="float32"), a: R.Tensor((4, 3), dtype="float32"), b: R.Tensor((4, 3), dtype="float32")) -> R.Tensor((2, 3), dtype="float32"):
        with R.dataflow():
            lv: R.Tensor((4, 6), dtype="float32") = R.concat((a, b), axis=1)
            lv_1: R.Tensor((2, 6), dtype="float32") = R.matmul(x, lv, out_dtype="float32")
            lv_2: R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((2, 3), dtype="float32")) = R.split(lv_1, indices_or_sections=[3], axis=1)
            p0: R.Tensor((2, 3), dtype="float32") = lv_2[0]
            p2: R.Tensor((2, 3), dtype="float32") = lv_2[1]
            lv_3: R.Tensor((4, 6), dtype="float32") = R.concat((a, b), axis=1)
            lv_4: R.Tensor((2, 6), dtype="float32") = R.matmul(y, lv_3, out_dtype="float32")
            lv_5: R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((2, 3), dtype="float32")) = R.split(lv_4, indices_or_sections=[3], axis=1)
            p1: R.Tensor((2, 3), dtype="float32") = lv_5[0]
            p3: R.Tensor((2, 3), dtype="float32") = lv_5[1]
            s: R.Tensor((2, 3), dtype="float32") = R.add(p0, p1)
            t: R.Tensor((2, 3), dtype="float32") = R.add(p2, p3)
            out: R.Tensor((2, 3), dtype="float32") = R.multiply(s, t)
            R.output(out)
        return out
