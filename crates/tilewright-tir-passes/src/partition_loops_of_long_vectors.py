# A long vectorised loop is split, too, where the index of the elements that it reads depends on an enclosing loop.
# test: opt --pass partition_loops --pass simplify --pass remove_no_op
# run: f == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((2000,), "float32"), B: T.Buffer((2048,), "float32")):
        T.func_attr({"tir.noalias": True})
        for p in range(2):
            for x in T.vectorized(1024):
                B[p * 1024 + x] = A[T.Select(p * 1024 + x < 20, 20 - p * 1024 - x, T.min(p * 1024 + x - 20, 1999))]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((2000,), "float32"), B: T.Buffer((2048,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for p in range(2):
            for x in T.vectorized(T.max(20 - p * 1024, 0)):
                B[p * 1024 + x] = A[20 - p * 1024 - x]
            for x in T.vectorized(T.max(20 - p * 1024, 0), T.max(20 - p * 1024, 0) + (T.min(505 - p * 256, 256) * 4 - T.max(20 - p * 1024, 0))):
                B[p * 1024 + x] = A[p * 1024 + x - 20]
            for x in T.vectorized(T.min(505 - p * 256, 256) * 4, T.min(505 - p * 256, 256) * 4 + (1024 - T.min(505 - p * 256, 256) * 4)):
                B[p * 1024 + x] = A[1999]
