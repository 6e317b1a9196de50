# A digit of a split loop is the remainder of a quotient.
# test: opt --pass tir.RenormalizeSplitPattern
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((24,), "int32"), B: T.Buffer((60,), "int32")):
        for i in range(60):
            B[i] = A[i % 24 // 4] + i % 25 // 4

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((24,), "int32"), B: T.Buffer((60,), "int32")):
        for i in range(60):
            B[i] = A[i // 4 % 6] + i % 25 // 4
