# A scheduled product whose three extents are known only when it runs: every block under the predicate of its tile.
# test: run
# run: f m=12 n=32 k=5 == same
# run: f m=13 n=33 k=3 == same
# run: f m=1 n=1 k=1 == same
# run: f m=5 n=15 k=2 == same
# run: f m=7 n=40 k=0 == same
# run: f m=0 n=3 k=2 == same

@I.ir_module
class Module:
    @T.prim_func
    def f(a: T.handle, b: T.handle, c: T.handle):
        T.func_attr({"tir.noalias": True})
        m = T.int64()
        n = T.int64()
        k = T.int64()
        A = T.match_buffer(a, (m, k), "float32")
        B = T.match_buffer(b, (k, n), "float32")
        C = T.match_buffer(c, (m, n), "float32")
        sums = T.alloc_buffer((m, n), "float32", scope="local")
        for io, jo in T.grid((m + 5) // 6, (n + 15) // 16):
            for i in T.unroll(6):
                for j in T.vectorized(16):
                    with T.block("clear"):
                        vi = T.axis.spatial(m, io * 6 + i)
                        vj = T.axis.spatial(n, jo * 16 + j)
                        T.where(io * 6 + i < m and jo * 16 + j < n)
                        sums[vi, vj] = T.float32(0)
            for ko in range(k):
                for i in T.unroll(6):
                    for j in T.vectorized(16):
                        with T.block("update"):
                            vi = T.axis.spatial(m, io * 6 + i)
                            vj = T.axis.spatial(n, jo * 16 + j)
                            vk = T.axis.reduce(k, ko)
                            T.where(io * 6 + i < m and jo * 16 + j < n)
                            sums[vi, vj] = sums[vi, vj] + A[vi, vk] * B[vk, vj]
            for i in T.unroll(6):
                for j in T.vectorized(16):
                    with T.block("write"):
                        vi = T.axis.spatial(m, io * 6 + i)
                        vj = T.axis.spatial(n, jo * 16 + j)
                        T.where(io * 6 + i < m and jo * 16 + j < n)
                        C[vi, vj] = sums[vi, vj]
