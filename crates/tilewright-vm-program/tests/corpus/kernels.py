# A network with a weight, a symbolic dimension, a parallel loop, a temporary, and a call of the C library.


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def wrap(a: T.handle, r: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(4)), "float32")
        R = T.match_buffer(r, (n, T.int64(4)), "float32")
        for i in T.parallel(n):
            for j in range(T.int64(4)):
                with T.block("wrap"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[vi, vj])
                    T.writes(R[vi, vj])
                    R[vi, vj] = T.truncmod(A[vi, vj], T.float32(0.75))

    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            product = R.matmul(x, metadata["relax.expr.Constant"][0])
            positive = R.nn.relu(product)
            y = R.call_tir(cls.wrap, (positive,), out_sinfo=R.Tensor((n, 4), "float32"))
            R.output(y)
        return y


metadata = {
    "relax.expr.Constant": [
        {"dtype": "float32", "shape": [4, 4], "data": "AACAvwAAAAAAAIA/AAAAvwAAAD8AAIC/AAAAAAAAgD8AAAC/AAAAPwAAgL8AAAAAAACAPwAAAL8AAAA/AACAvw=="},
    ]
}
