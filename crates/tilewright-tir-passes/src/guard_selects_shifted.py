# A select whose condition keeps an access in range is lazy; others stay.
# test: opt --pass guard_selects
# run: f n=3 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), n: T.int32):
        for i in range(8):
            B[i] = T.Select(i + n >= 3, A[i + n - 3], T.float32(0))
        for i in range(8):
            B[i] = B[i] + T.Select(i + n < 3, T.float32(0), A[i + n - 3])
        for i in range(7):
            B[i] = B[i] + T.Select(i < 6, A[i + 1], A[i])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), n: T.int32):
        for i in range(8):
            B[i] = T.if_then_else(i + n >= 3, A[i + n - 3], T.float32(0.0))
        for i in range(8):
            B[i] = B[i] + T.if_then_else(i + n < 3, T.float32(0.0), A[i + n - 3])
        for i in range(7):
            B[i] = B[i] + T.Select(i < 6, A[i + 1], A[i])
