# Operands of products are narrow, each made so once; sums and all others are wide.
# test: opt --pass ToMixedPrecision
# run: main n=3 tol=2e-2 == same
# run: main n=0 == same


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), "float32"), w: R.Tensor((4, 4), "float32"), i: R.Tensor((2,), "int64")):
        n = T.int64()
        with R.dataflow():
            a = R.matmul(x, w)
            b = R.matmul(a, w)
            c = R.nn.relu(b)
            d = R.nn.softmax(c)
            e = R.add(d, a)
            f = R.take(w, i, axis=0)
            R.output(e, f)
        return (e, f)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32"), w: R.Tensor((4, 4), dtype="float32"), i: R.Tensor((2,), dtype="int64")) -> R.Tuple(R.Tensor(("n", 4), dtype="float32"), R.Tensor((2, 4), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((n, 4), dtype="float16") = R.astype(x, dtype="float16")
            lv_1: R.Tensor((4, 4), dtype="float16") = R.astype(w, dtype="float16")
            a: R.Tensor((n, 4), dtype="float32") = R.matmul(lv, lv_1, out_dtype="float32")
            lv_2: R.Tensor((n, 4), dtype="float16") = R.astype(a, dtype="float16")
            b: R.Tensor((n, 4), dtype="float32") = R.matmul(lv_2, lv_1, out_dtype="float32")
            c: R.Tensor((n, 4), dtype="float32") = R.nn.relu(b)
            d: R.Tensor((n, 4), dtype="float32") = R.nn.softmax(c, axis=-1)
            e: R.Tensor((n, 4), dtype="float32") = R.add(d, a)
            f: R.Tensor((2, 4), dtype="float32") = R.take(w, i, axis=0, mode="fast")
            R.output(e, f)
        return (e, f)
