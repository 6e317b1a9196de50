# Stores with gaps go lane by lane; what lanes check is checked in front.
# test: opt --pass vectorize
# run: f == same
# run: g(i32[8]=[7, 0, 3, 3, 1, 2, 6, 5], f32[8], f32[8]) == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((24,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in T.vectorized(8):
            B[i * 3 + 1] = A[i] * A[i]

    @T.prim_func
    def g(I0: T.Buffer((8,), "int32"), A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in T.vectorized(8):
            assert 0 <= I0[i] and I0[i] < 8, "index out of range: dimension 0 of buffer `A`"
            B[i] = A[I0[i]]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((24,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        B[T.Ramp(1, 3, 8)] = A[T.Ramp(0, 1, 8)] * A[T.Ramp(0, 1, 8)]

    @T.prim_func
    def g(I0: T.Buffer((8,), "int32"), A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(8):
            assert 0 <= I0[i] and I0[i] < 8, "index out of range: dimension 0 of buffer `A`"
        B[T.Ramp(0, 1, 8)] = A[I0[T.Ramp(0, 1, 8)]]
