# An assert on a loop's variable is made once, for the extreme value; a choice that does not depend on it is made outside.
# test: opt --pass guard_indices --pass hoist_guards
# run: f n=5 m=5 == same
# run: f n=4 m=9 == same
# run: f n=0 m=0 == same
# run: f n=3 m=2 == same
# run: g n=3 m=3 == same
# run: g n=0 m=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n, n), "float32")
        B = T.match_buffer(b, (m, m), "float32")
        for i, j in T.grid(n, n):
            if n <= m:
                B[i, j] = A[i, j]

    @T.prim_func
    def g(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (m,), "float32")
        for i in range(n):
            for j in range(3):
                B[i] = A[i] + T.Cast("float32", j)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(a, (n, n), "float32")
        m = T.int64()
        B = T.match_buffer(b, (m, m), "float32")
        if n <= m:
            for i, j in T.grid(n, n):
                B[i, j] = A[i, j]

    @T.prim_func
    def g(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(a, (n,), "float32")
        m = T.int64()
        B = T.match_buffer(b, (m,), "float32")
        assert T.if_then_else(n > T.int64(0), T.LE(T.int64(0), T.int64(0)) and T.int64(0) < m - n + T.int64(1), T.bool(True)), "index out of range: dimension 0 of buffer `B`"
        for i, j in T.grid(n, 3):
            B[i] = A[i] + T.Cast("float32", j)
