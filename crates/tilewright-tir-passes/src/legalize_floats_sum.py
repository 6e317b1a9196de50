# Every operation is done in float32 and rounded; what only moves elements stays as it is.
# test: opt --pass legalize_floats
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float16"), B: T.Buffer((4,), "float16")):
        for i in range(4):
            B[i] = T.Select(A[i] < T.float16(0), A[i], A[i] / (A[i] + T.float16(1)))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float16"), B: T.Buffer((4,), "float16")):
        for i in range(4):
            B[i] = T.Select(T.Cast("float32", A[i]) < T.float32(0.0), A[i], T.Cast("float16", T.Cast("float32", A[i]) / T.Cast("float32", T.Cast("float16", T.Cast("float32", A[i]) + T.float32(1.0)))))
