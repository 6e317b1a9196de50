# A division of what is never negative rounds down by itself.
# test: opt --pass truncate_divisions
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((12,), "float32")):
        for i in range(12):
            B[i] = A[i // 3] + T.Cast("float32", i % 5)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((12,), "float32")):
        for i in range(12):
            B[i] = A[T.truncdiv(i, 3)] + T.Cast("float32", T.truncmod(i, 5))
