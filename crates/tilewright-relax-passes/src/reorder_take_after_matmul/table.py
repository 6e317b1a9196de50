# A matrix of a table for each matrix of the batch.
# test: opt --pass ReorderTakeAfterMatmul
# run: main n=3 m=2 tol=1e-4 == same


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 2, 4), "float32"), w: R.Tensor(("m", 4, 5), "float32"), i: R.Tensor(("n",), "int64")
    ):
        n = T.int64()
        m = T.int64()
        t = R.take(w, i, axis=0)
        y = R.matmul(x, t)
        return y

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 2, 4), dtype="float32"), w: R.Tensor(("m", 4, 5), dtype="float32"), i: R.Tensor(("n",), dtype="int64")) -> R.Tensor(("n", 2, 5), dtype="float32"):
        m = T.int64()
        n = T.int64()
        gv: R.Tensor((4, m, 5), dtype="float32") = R.permute_dims(w, axes=[1, 0, 2])
        gv_1: R.Tensor((4, m * 5), dtype="float32") = R.reshape(gv, R.shape([4, m * 5]))
        gv_2: R.Tensor((n, 2, m * 5), dtype="float32") = R.matmul(x, gv_1, out_dtype="void")
        gv_3: R.Tensor((n, 2, m, 5), dtype="float32") = R.reshape(gv_2, R.shape([n, 2, m, 5]))
        gv_4: R.Tensor((n, 2, n, 5), dtype="float32") = R.take(gv_3, i, axis=2, mode="fast")
        y: R.Tensor((n, 2, 5), dtype="float32") = R.einsum((gv_4,), subscripts="ijik->ijk")
        return y
