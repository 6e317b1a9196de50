# Iterations of a vectorised loop become lanes.
# test: opt --pass widen_indices --pass flatten_buffers --pass vectorize --pass simplify
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in range(4):
            for j in T.vectorized(8):
                B[i, j] = A[i, j] * T.float32(2) + A[i, 0]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((T.int64(32),), "float32"), B: T.Buffer((T.int64(32),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in range(T.int64(4)):
            B[T.Ramp(i * T.int64(8), T.int64(1), 8)] = A[T.Ramp(i * T.int64(8), T.int64(1), 8)] * T.Broadcast(T.float32(2.0), 8) + T.Broadcast(A[i * T.int64(8)], 8)
