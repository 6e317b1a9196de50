# The parameter is given in the layout that a block would have made of it.
# test: opt --pass tir.RemoveWeightLayoutRewriteBlock
# run: f reference=transposed == same

@I.ir_module
class Module:
    @T.prim_func
    def f(W: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        V = T.alloc_buffer((4, 4))
        for i, j in T.grid(4, 4):
            with T.block("rewrite"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(W[vi, vj])
                T.writes(V[vj, vi])
                T.block_attr({"meta_schedule.layout_rewrite_preproc": True})
                V[vj, vi] = W[vi, vj]
        for i, j in T.grid(4, 4):
            with T.block("use"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(V[vj, vi])
                T.writes(B[vi, vj])
                B[vi, vj] = V[vj, vi] + T.float32(1)

    @T.prim_func
    def transposed(V: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            B[i, j] = V[j, i] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(W: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        # with T.block("root"):
        for i, j in T.grid(4, 4):
            T.evaluate(0)
        for i, j in T.grid(4, 4):
            with T.block("use"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(W[vj, vi])
                T.writes(B[vi, vj])
                B[vi, vj] = W[vj, vi] + T.float32(1.0)

    @T.prim_func
    def transposed(V: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            B[i, j] = V[j, i] + T.float32(1.0)
