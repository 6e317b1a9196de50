# A loop that becomes a vector is cut where elements of a border are read from elsewhere, also where two limits stand inside
# of each other, so that what is between is read at once.
# test: opt --pass partition_loops --pass simplify --pass remove_no_op
# run: f == same
# run: g == same

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((20,), "float32"), B: T.Buffer((25,), "float32")):
        T.func_attr({"tir.noalias": True})
        for i in T.vectorized(25):
            B[i] = A[T.min(T.max(i - 2, 0), 19)]

    @T.prim_func
    def g(A: T.Buffer((9, 20), "float32"), B: T.Buffer((9, 25), "float32")):
        T.func_attr({"tir.noalias": True})
        for y in range(9):
            for x in T.vectorized(25):
                B[y, x] = A[y, T.Select(x < 2, 2 - x, T.Select(22 <= x, 40 - x, x - 2))]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(A: T.Buffer((20,), "float32"), B: T.Buffer((25,), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for i in T.vectorized(2):
            B[i] = A[0]
        for i in T.vectorized(2, 22):
            B[i] = A[i - 2]
        for i in T.vectorized(22, 25):
            B[i] = A[19]

    @T.prim_func
    def g(A: T.Buffer((9, 20), "float32"), B: T.Buffer((9, 25), "float32")):
        T.func_attr({"tir.noalias": T.bool(True)})
        for y in range(9):
            for x in T.vectorized(2):
                B[y, x] = A[y, 2 - x]
            for x in T.vectorized(2, 22):
                B[y, x] = A[y, x - 2]
            for x in T.vectorized(22, 25):
                B[y, x] = A[y, 40 - x]
