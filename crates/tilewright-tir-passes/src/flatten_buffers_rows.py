# Buffers of several dimensions become rows of elements.
# test: opt --pass widen_indices --pass flatten_buffers --pass simplify
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((3, 4), "float32"), B: T.Buffer((4, 3), "float32")):
        T.func_attr({"tir.noalias": True})
        for i, j in T.grid(4, 3):
            B[i, j] = A[j, i]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((T.int64(12),), "float32"), B: T.Buffer((T.int64(12),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i, j in T.grid(T.int64(4), T.int64(3)):
            B[i * T.int64(3) + j] = A[j * T.int64(4) + i]
