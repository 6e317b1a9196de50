# A loop with padding on both sides runs in three parts, each without a condition.
# test: opt --pass partition_loops --pass simplify --pass remove_no_op
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((30,), "float32"), B: T.Buffer((34,), "float32"), C: T.Buffer((34,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(34):
            B[i] = T.if_then_else(2 <= i and i < 32, A[i - 2], T.float32(0))
            C[i] = A[T.min(i, 29)]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((30,), "float32"), B: T.Buffer((34,), "float32"), C: T.Buffer((34,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(2):
            B[i] = T.float32(0.0)
            C[i] = A[i]
        for i in range(2, 30):
            B[i] = A[i - 2]
            C[i] = A[i]
        for i in range(30, 32):
            B[i] = A[i - 2]
            C[i] = A[29]
        for i in range(32, 34):
            B[i] = T.float32(0.0)
            C[i] = A[29]
