# What is one of two narrow numbers, or the whole part of one, is rounded once at the end; other constants and sums are rounded
# at once.
# test: opt --pass legalize_floats
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((9,), "float16"), B: T.Buffer((9,), "float16"), C: T.Buffer((9,), "bfloat16"), D: T.Buffer((9,), "float16")):
        for i in range(9):
            B[i] = T.min(T.max(A[i], T.float16(-1)), T.float16(1))
            C[i] = T.floor(T.max(C[i], T.bfloat16(0.5))) + T.bfloat16(1)
            D[i] = T.Cast("float16", T.max(T.Cast("float32", A[i]), T.float32(0.1))) * A[i]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((9,), "float16"), B: T.Buffer((9,), "float16"), C: T.Buffer((9,), "bfloat16"), D: T.Buffer((9,), "float16")):
        for i in range(9):
            B[i] = T.Cast("float16", T.min(T.max(T.Cast("float32", A[i]), T.float32(-1.0)), T.float32(1.0)))
            C[i] = T.Cast("bfloat16", T.floor(T.max(T.Cast("float32", C[i]), T.float32(0.5))) + T.float32(1.0))
            D[i] = T.Cast("float16", T.Cast("float32", T.Cast("float16", T.max(T.Cast("float32", A[i]), T.float32(0.1)))) * T.Cast("float32", A[i]))
