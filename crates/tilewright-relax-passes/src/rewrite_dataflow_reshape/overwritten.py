# Where a call may overwrite what it is given, nothing shares memory with it.
# test: opt --pass RewriteDataflowReshape
# run: main == same


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(A: T.Buffer((2, 3), "float32")):
        for i, j in T.grid(2, 3):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = A[vi, vj] * T.float32(2)

    @T.prim_func(private=True)
    def flat(A: T.Buffer((2, 3), "float32"), B: T.Buffer((6,), "float32")):
        for i in range(6):
            with T.block("B"):
                vi = T.axis.spatial(6, i)
                B[vi] = A[vi // 3, vi % 3]

    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        cls = Module
        with R.dataflow():
            a = R.abs(x)
            b = R.call_tir(cls.flat, (a,), out_sinfo=R.Tensor((6,), "float32"))
            c = R.call_tir_inplace(cls.double, (a,), inplace_indices=[0], out_sinfo=[R.Tensor((2, 3), "float32")])
            d = R.negative(b)
            R.output(c, d)
        return (c, d)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(A: T.Buffer((2, 3), "float32")):
        # with T.block("root"):
        for i, j in T.grid(2, 3):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, vj])
                T.writes(A[vi, vj])
                A[vi, vj] = A[vi, vj] * T.float32(2.0)

    @T.prim_func(private=True)
    def flat(A: T.Buffer((2, 3), "float32"), B: T.Buffer((6,), "float32")):
        # with T.block("root"):
        for i in range(6):
            with T.block("B"):
                vi = T.axis.spatial(6, i)
                T.reads(A[vi // 3, vi % 3])
                T.writes(B[vi])
                B[vi] = A[vi // 3, vi % 3]

    @R.function
    def main(x: R.Tensor((2, 3), dtype="float32")) -> R.Tuple(R.Tensor((2, 3), dtype="float32"), R.Tensor((6,), dtype="float32")):
        cls = Module
        with R.dataflow():
            a: R.Tensor((2, 3), dtype="float32") = R.abs(x)
            b = R.call_tir(cls.flat, (a,), out_sinfo=R.Tensor((6,), dtype="float32"))
            c = R.call_tir_inplace(cls.double, (a,), inplace_indices=[0], out_sinfo=R.Tensor((2, 3), dtype="float32"))
            d: R.Tensor((6,), dtype="float32") = R.negative(b)
            R.output(c, d)
        return (c, d)
