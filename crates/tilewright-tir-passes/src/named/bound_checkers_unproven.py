# Accesses that are not proven to be within their buffers are checked, where they are evaluated.
# test: opt --pass tir.InstrumentBoundCheckers
# run: f n=3 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32"), n: T.int32):
        for i in range(8):
            B[i] = A[i]
        for i in range(n):
            B[i + 1] = T.if_then_else(i > 0, A[i - 1], 0) + A[B[i] % 8]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32"), n: T.int32):
        for i in range(8):
            B[i] = A[i]
        for i in range(n):
            assert i < 7, "an index of buffer B is out of bounds"
            assert i <= 0 or 0 <= i - 1, "an index of buffer A is out of bounds"
            assert i < 9, "an index of buffer A is out of bounds"
            assert i < 8, "an index of buffer B is out of bounds"
            B[i + 1] = T.if_then_else(i > 0, A[i - 1], 0) + A[B[i] % 8]
