# From the left where the left matrix has few rows, from the right where it has many; what is as cheap, or used elsewhere,
# stays.
# test: opt --pass AdjustMatmulOrder --pass DeadCodeElimination
# run: main n=3 tol=1e-4 == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((1, 8), "float32"),
        a: R.Tensor((8, 2), "float32"),
        b: R.Tensor((2, 8), "float32"),
        many: R.Tensor((2, 20, 2), "float32"),
        some: R.Tensor(("n", 8), "float32"),
    ):
        n = T.int64()
        with R.dataflow():
            w = R.matmul(a, b)
            y = R.matmul(x, w)
            t = R.matmul(many, b)
            z = R.matmul(t, a)
            u = R.matmul(a, b)
            v = R.matmul(some, u)
            k = R.matmul(a, b)
            m = R.matmul(x, k)
            R.output(y, z, v, m, k)
        return (y, z, v, m, k)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 8), dtype="float32"), a: R.Tensor((8, 2), dtype="float32"), b: R.Tensor((2, 8), dtype="float32"), many: R.Tensor((2, 20, 2), dtype="float32"), some: R.Tensor(("n", 8), dtype="float32")) -> R.Tuple(R.Tensor((1, 8), dtype="float32"), R.Tensor((2, 20, 2), dtype="float32"), R.Tensor(("n", 8), dtype="float32"), R.Tensor((1, 8), dtype="float32"), R.Tensor((8, 8), dtype="float32")):
        n = T.int64()
        with R.dataflow():
            lv: R.Tensor((1, 2), dtype="float32") = R.matmul(x, a, out_dtype="void")
            y: R.Tensor((1, 8), dtype="float32") = R.matmul(lv, b, out_dtype="void")
            lv_1: R.Tensor((2, 2), dtype="float32") = R.matmul(b, a, out_dtype="void")
            z: R.Tensor((2, 20, 2), dtype="float32") = R.matmul(many, lv_1, out_dtype="void")
            lv_2: R.Tensor((n, 2), dtype="float32") = R.matmul(some, a, out_dtype="void")
            v: R.Tensor((n, 8), dtype="float32") = R.matmul(lv_2, b, out_dtype="void")
            k: R.Tensor((8, 8), dtype="float32") = R.matmul(a, b, out_dtype="void")
            m: R.Tensor((1, 8), dtype="float32") = R.matmul(x, k, out_dtype="void")
            R.output(y, z, v, k, m)
        return (y, z, v, m, k)
