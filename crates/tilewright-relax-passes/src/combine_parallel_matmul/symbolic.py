# Any number of rows; columns that are no numbers are split into equal parts. Branches are looked into.
# test: opt --pass CombineParallelMatmul
# run: main n=3 m=2 == same
# run: main n=0 m=0 == same


@I.ir_module
class Module:
    @R.function
    def main(
        p: R.Tensor((), "bool"),
        x: R.Tensor(("n", 4), "float32"),
        w0: R.Tensor((4, "m"), "float32"),
        w1: R.Tensor((4, "m"), "float32"),
        w2: R.Tensor((4, 3), "float32"),
        w3: R.Tensor((4, 5), "float32"),
    ):
        n = T.int64()
        m = T.int64()
        with R.dataflow():
            a = R.matmul(x, w0)
            b = R.matmul(x, w1)
            R.output(a, b)
        if p:
            with R.dataflow():
                c = R.matmul(x, w2)
                d = R.matmul(x, w3)
                c1 = R.sum(c, axis=1)
                d1 = R.sum(d, axis=1)
                e = R.subtract(c1, d1)
                R.output(e)
            out = e
        else:
            out = R.sum(a, axis=1)
        return (a, b, out)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(p: R.Tensor((), dtype="bool"), x: R.Tensor(("n", 4), dtype="float32"), w0: R.Tensor((4, "m"), dtype="float32"), w1: R.Tensor((4, "m"), dtype="float32"), w2: R.Tensor((4, 3), dtype="float32"), w3: R.Tensor((4, 5), dtype="float32")) -> R.Tuple(R.Tensor(("n", "m"), dtype="float32"), R.Tensor(("n", "m"), dtype="float32"), R.Tensor(("n",), dtype="float32")):
        m = T.int64()
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((4, m * 2), dtype="float32") = R.concat((w0, w1), axis=1)
            lv_1: R.Tensor((n, m * 2), dtype="float32") = R.matmul(x, lv, out_dtype="float32")
            lv_2: R.Tuple(R.Tensor((n, m), dtype="float32"), R.Tensor((n, m), dtype="float32")) = R.split(lv_1, indices_or_sections=2, axis=1)
            a: R.Tensor((n, m), dtype="float32") = lv_2[0]
            b: R.Tensor((n, m), dtype="float32") = lv_2[1]
            R.output(a, b)
        if p:
            with R.dataflow():
                lv_3: R.Tensor((4, 8), dtype="float32") = R.concat((w2, w3), axis=1)
                lv_4: R.Tensor((n, 8), dtype="float32") = R.matmul(x, lv_3, out_dtype="float32")
                lv_5: R.Tuple(R.Tensor((n, 3), dtype="float32"), R.Tensor((n, 5), dtype="float32")) = R.split(lv_4, indices_or_sections=[3], axis=1)
                c: R.Tensor((n, 3), dtype="float32") = lv_5[0]
                d: R.Tensor((n, 5), dtype="float32") = lv_5[1]
                c1: R.Tensor((n,), dtype="float32") = R.sum(c, axis=[1], keepdims=False)
                d1: R.Tensor((n,), dtype="float32") = R.sum(d, axis=[1], keepdims=False)
                e: R.Tensor((n,), dtype="float32") = R.subtract(c1, d1)
                R.output(e)
            out: R.Tensor((n,), dtype="float32") = e
        else:
            gv: R.Tensor((n,), dtype="float32") = R.sum(a, axis=[1], keepdims=False)
            out: R.Tensor((n,), dtype="float32") = gv
        return (a, b, out)
