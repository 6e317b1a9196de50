# A row may be overwritten by what is computed from it: its stages run one after the other as if it were not.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=3 m=100 == same
# run: main n=2 m=1 == same
# run: main n=0 m=3 == same
# run: main n=4 m=0 == same
# run: main n=3 m=65 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle):
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(var_X, (n, m), "float32")
        largest = T.alloc_buffer((n, 1), "float32")
        powers = T.alloc_buffer((n, m), "float32")
        total = T.alloc_buffer((n, 1), "float32")
        for i, u, k in T.grid(n, 1, m):
            with T.block("largest"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    largest[vi, vu] = T.float32("-inf")
                largest[vi, vu] = T.max(largest[vi, vu], X[vi, vk])
        for i, j in T.grid(n, m):
            with T.block("powers"):
                vi, vj = T.axis.remap("SS", [i, j])
                powers[vi, vj] = T.exp(X[vi, vj] - largest[vi, 0])
        for i, u, k in T.grid(n, 1, m):
            with T.block("total"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    total[vi, vu] = T.float32(1)
                total[vi, vu] = total[vi, vu] + powers[vi, vk]
        for i, j in T.grid(n, m):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = powers[vi, vj] / total[vi, 0]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(var_X, (n, m), "float32")
        # with T.block("root"):
        largest = T.alloc_buffer((n, 1), scope="local")
        powers = T.alloc_buffer((n, m))
        total = T.alloc_buffer((n, 1), scope="local")
        for i in T.parallel(n):
            with T.block("largest"):
                vi = T.axis.spatial(n, i)
                vu = T.axis.spatial(1, 0)
                T.reads(X[vi, T.int64(0):m])
                T.writes(largest[vi, vu])
                partial = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local")
                halves = T.alloc_buffer((T.int64(8),), scope="local")
                for u in T.unroll(T.int64(4)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32("-inf")
                for ax2_block in range((m + T.int64(31)) // T.int64(32)):
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            if ax2_block * T.int64(32) + (u * T.int64(8) + l) < m:
                                partial[u, l] = T.max(partial[u, l], X[vi, T.int64(0) + (ax2_block * T.int64(32) + (u * T.int64(8) + l))])
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.max(partial[u, l], partial[u + T.int64(2), l])
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.max(partial[u, l], partial[u + T.int64(1), l])
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = T.max(halves[l], halves[l + T.int64(4)])
                for l in T.vectorized(T.int64(2)):
                    halves[l] = T.max(halves[l], halves[l + T.int64(2)])
                for l in T.vectorized(T.int64(1)):
                    halves[l] = T.max(halves[l], halves[l + T.int64(1)])
                largest[vi, vu] = halves[T.int64(0)]
            for ax1 in T.vectorized(m):
                with T.block("powers"):
                    vi, vj = T.axis.remap("SS", [i, ax1])
                    T.reads(X[vi, vj], largest[vi, 0])
                    T.writes(powers[vi, vj])
                    powers[vi, vj] = T.exp(X[vi, vj] - largest[vi, 0])
            with T.block("total"):
                vi = T.axis.spatial(n, i)
                vu = T.axis.spatial(1, 0)
                T.reads(powers[vi, T.int64(0):m])
                T.writes(total[vi, vu])
                partial = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local")
                halves = T.alloc_buffer((T.int64(8),), scope="local")
                for u in T.unroll(T.int64(4)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                for ax2_block in range((m + T.int64(31)) // T.int64(32)):
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            if ax2_block * T.int64(32) + (u * T.int64(8) + l) < m:
                                partial[u, l] = partial[u, l] + powers[vi, T.int64(0) + (ax2_block * T.int64(32) + (u * T.int64(8) + l))]
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(2), l]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                total[vi, vu] = T.float32(1.0) + halves[T.int64(0)]
            for j in T.vectorized(m):
                with T.block("shares"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    T.reads(powers[vi, vj], total[vi, 0])
                    T.writes(X[vi, vj])
                    X[vi, vj] = powers[vi, vj] / total[vi, 0]
