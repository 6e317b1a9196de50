# An unrolled loop is written out.
# test: opt --pass widen_indices --pass flatten_buffers --pass unroll --pass simplify
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((3,), "float32"), B: T.Buffer((3,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in T.unroll(3):
            B[i] = A[2 - i]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((T.int64(3),), "float32"), B: T.Buffer((T.int64(3),), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        B[T.int64(0)] = A[T.int64(2)]
        B[T.int64(1)] = A[T.int64(1)]
        B[T.int64(2)] = A[T.int64(0)]
