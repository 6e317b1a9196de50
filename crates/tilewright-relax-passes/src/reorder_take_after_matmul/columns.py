# Columns, of a batch too; not rows, products with other uses, or indices out of range as NaN.
# test: opt --pass ReorderTakeAfterMatmul --pass DeadCodeElimination
# run: main n=3 k=5 == same
# run: main n=0 k=0 == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((2, "n", 4), "float32"),
        w: R.Tensor((4, 6), "float32"),
        i: R.Tensor(("k",), "int64"),
        j: R.Tensor((4,), "int32"),
    ):
        n = T.int64()
        k = T.int64()
        with R.dataflow():
            t = R.take(w, i, axis=1, mode="clip")
            a = R.matmul(x, t)
            u = R.take(w, j, axis=-1, mode="wrap")
            b = R.matmul(x, u, out_dtype="float32")
            r = R.take(w, j, axis=0)
            c = R.matmul(x, r)
            s = R.take(w, j, axis=1, mode="nan")
            d = R.matmul(x, s)
            v = R.take(w, i, axis=1)
            e = R.matmul(x, v)
            f = R.matmul(R.negative(x), v)
            R.output(a, b, c, d, e, f)
        return (a, b, c, d, e, f)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, "n", 4), dtype="float32"), w: R.Tensor((4, 6), dtype="float32"), i: R.Tensor(("k",), dtype="int64"), j: R.Tensor((4,), dtype="int32")) -> R.Tuple(R.Tensor((2, "n", "k"), dtype="float32"), R.Tensor((2, "n", 4), dtype="float32"), R.Tensor((2, "n", 6), dtype="float32"), R.Tensor((2, "n", 4), dtype="float32"), R.Tensor((2, "n", "k"), dtype="float32"), R.Tensor((2, "n", "k"), dtype="float32")):
        n = T.int64()
        k = T.int64()
        with R.dataflow():
            lv: R.Tensor((2, n, 6), dtype="float32") = R.matmul(x, w, out_dtype="void")
            a: R.Tensor((2, n, k), dtype="float32") = R.take(lv, i, axis=2, mode="clip")
            lv_1: R.Tensor((2, n, 6), dtype="float32") = R.matmul(x, w, out_dtype="float32")
            b: R.Tensor((2, n, 4), dtype="float32") = R.take(lv_1, j, axis=2, mode="wrap")
            r: R.Tensor((4, 6), dtype="float32") = R.take(w, j, axis=0, mode="fast")
            c: R.Tensor((2, n, 6), dtype="float32") = R.matmul(x, r, out_dtype="void")
            s: R.Tensor((4, 4), dtype="float32") = R.take(w, j, axis=1, mode="nan")
            d: R.Tensor((2, n, 4), dtype="float32") = R.matmul(x, s, out_dtype="void")
            v: R.Tensor((4, k), dtype="float32") = R.take(w, i, axis=1, mode="fast")
            e: R.Tensor((2, n, k), dtype="float32") = R.matmul(x, v, out_dtype="void")
            lv_2: R.Tensor((2, n, 4), dtype="float32") = R.negative(x)
            f: R.Tensor((2, n, k), dtype="float32") = R.matmul(lv_2, v, out_dtype="void")
            R.output(a, b, c, d, e, f)
        return (a, b, c, d, e, f)
