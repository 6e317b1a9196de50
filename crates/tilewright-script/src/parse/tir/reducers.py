# How a reduction over threads combines values.
# test: print

@T.prim_func
def f(A: T.Buffer((4,), "float32")):
    with T.attr(
        T.comm_reducer(lambda a, b: a + b, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))
    ):
        A[0] = 1.0

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((4,), "float32")):
        with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [T.float32(0.0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            A[0] = T.float32(1.0)
