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
