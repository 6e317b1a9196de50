# The bounds of a type are no bounds of a temporary whose size is known only when the function runs; tiles are.
# test: opt --pass lower_init --pass lower_blocks --pass place_allocations
# run: f n=0 m=3 == same
# run: f n=5 m=1 == same
# run: f n=40 m=7 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int32()
        m = T.int32()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n, m), "float32")
        X = T.alloc_buffer((n, m), "float32")
        Y = T.alloc_buffer((n + 8, m), "float32")
        for i, j in T.grid(n, m):
            with T.block("X"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = A[vi, vj] * T.float32(3)
        for t in range((n + 7) // 8):
            for i, j in T.grid(8, m):
                with T.block("Y"):
                    T.where(t * 8 + i < n)
                    vi = T.axis.spatial(n, t * 8 + i)
                    vj = T.axis.spatial(m, j)
                    Y[vi, vj] = X[n - 1 - vi, vj] + T.float32(1)
            for i, j in T.grid(8, m):
                with T.block("B"):
                    T.where(t * 8 + i < n)
                    vi = T.axis.spatial(n, t * 8 + i)
                    vj = T.axis.spatial(m, j)
                    B[vi, vj] = Y[vi, m - 1 - vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": T.bool(True)})
        n = T.int32()
        m = T.int32()
        A = T.match_buffer(a, (n, m), "float32")
        B = T.match_buffer(b, (n, m), "float32")
        X = T.decl_buffer((n, m))
        for i, j in T.grid(n, m):
            X[i, j] = A[i, j] * T.float32(3.0)
        for t in range((n + 7) // 8):
            Y = T.decl_buffer((8, m))
            for i, j in T.grid(8, m):
                if t * 8 + i < n:
                    Y[t * 8 + i - t * 8, j] = X[n - 1 - (t * 8 + i), j] + T.float32(1.0)
            for i, j in T.grid(8, m):
                if t * 8 + i < n:
                    B[t * 8 + i, j] = Y[t * 8 + i - t * 8, m - 1 - j]
