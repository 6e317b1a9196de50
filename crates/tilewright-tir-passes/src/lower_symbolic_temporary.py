# Temporaries of symbolic size: one for the whole function, one for each task of a parallel loop.
# test: lower
# run: f n=0 == same
# run: f n=1 == same
# run: f n=7 == same
# run: f n=40 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        T.func_attr({"tir.noalias": True})
        n = T.int64()
        A = T.match_buffer(a, (n, n), "float32")
        B = T.match_buffer(b, (n, n), "float32")
        sums = T.alloc_buffer((n,), "float32")
        for i in range(n):
            sums[i] = T.float32(0)
            for j in range(n):
                sums[i] = sums[i] + A[i, j]
        for i in T.parallel(n):
            with T.block("row"):
                vi = T.axis.spatial(n, i)
                T.reads(A[vi, 0:n], sums[0:n])
                T.writes(B[vi, 0:n])
                row = T.alloc_buffer((n,), "float32")
                for j in range(n):
                    row[j] = A[vi, j] * sums[n - 1 - j]
                for j in range(n):
                    B[vi, j] = row[n - 1 - j]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, n: T.int64):
        T.func_attr({"tir.noalias": T.bool(True)})
        A = T.match_buffer(a, (n * n,), "float32")
        B = T.match_buffer(b, (n * n,), "float32")
        sums = T.decl_buffer((n,))
        for i in range(n):
            sums[i] = T.float32(0.0)
            for j in range(n):
                sums[i] = sums[i] + A[i * n + j]
        for i in T.parallel(n):
            row = T.decl_buffer((n,))
            for j in range(n):
                row[j] = A[i * n + j] * sums[n - j - T.int64(1)]
            for j in range(n):
                B[i * n + j] = row[n - j - T.int64(1)]
