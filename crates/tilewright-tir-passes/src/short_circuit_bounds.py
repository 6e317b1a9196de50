# The right side of `and` and `or` is evaluated only where the left one does not decide.
# test: opt --pass short_circuit
# run: f == same
# run: g(f32[6]=[0.5, -1, nan, 3, 0, 9], i32[1]) == same
# run: g(f32[6]=[-1, -1, -1, -1, -1, -1], i32[1]) == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((10,), "float32"), B: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(16):
            B[i] = T.float32(2)
            if i < 10 and A[i] > T.float32(0):
                B[i] = A[i]
            if i >= 10 or A[i] < T.float32(-0.5):
                B[i] = B[i] - T.float32(4)
            if i < 16 and B[i] > T.float32(0.9):
                B[i] = B[i] * T.float32(2)

    @T.prim_func
    def g(A: T.Buffer((6,), "float32"), C: T.Buffer((1,), "int32")):
        T.func_attr({"tir.noalias": True})
        C[0] = 0
        while C[0] < 6 and not A[C[0]] > T.float32(0.75):
            C[0] = C[0] + 1

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((10,), "float32"), B: T.Buffer((16,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(16):
            B[i] = T.float32(2.0)
            if T.if_then_else(i < 10, A[i] > T.float32(0.0), T.bool(False)):
                B[i] = A[i]
            if T.if_then_else(i >= 10, T.bool(True), A[i] < T.float32(-0.5)):
                B[i] = B[i] - T.float32(4.0)
            if i < 16 and B[i] > T.float32(0.9):
                B[i] = B[i] * T.float32(2.0)

    @T.prim_func
    def g(A: T.Buffer((6,), "float32"), C: T.Buffer((1,), "int32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        C[0] = 0
        while T.if_then_else(C[0] < 6, not A[C[0]] > T.float32(0.75), T.bool(False)):
            C[0] = C[0] + 1
