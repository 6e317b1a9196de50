# Two tensors in one: which of them a piece comes from is decided for the piece.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 37), "float32"), B: T.Buffer((7, 50), "float32"), C: T.Buffer((7, 87), "float32")):
        for i, j in T.grid(7, 87):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = T.if_then_else(vj < 37, A[vi, vj], B[vi, vj - 37])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 37), "float32"), B: T.Buffer((7, 50), "float32"), C: T.Buffer((7, 87), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for i in range(7):
            for j in T.vectorized(87):
                with T.block("C"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(A[vi, vj], B[vi, vj - 37])
                    T.writes(C[vi, vj])
                    C[vi, vj] = T.if_then_else(vj < 37, A[vi, vj], B[vi, vj - 37])
