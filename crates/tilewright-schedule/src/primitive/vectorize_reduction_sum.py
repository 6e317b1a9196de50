# A sum along a row: four accumulators of eight lanes, the last of which are masked where the row ends; then their halves.
# test: schedule
# step: b = get_block("C")
# step: vectorize_reduction(b, 8, 4)
# run: main n=100 == same
# run: main n=64 == same
# run: main n=31 == same
# run: main n=1 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (3, n), "float32")
        for i, k in T.grid(3, n):
            with T.block("C"):
                vi = T.axis.spatial(3, i)
                vk = T.axis.reduce(n, k)
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = C[vi] + A[vi, vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, C: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (3, n), "float32")
        # with T.block("root"):
        for i in range(3):
            with T.block("C"):
                vi = T.axis.spatial(3, i)
                T.reads(A[vi, T.int64(0):n])
                T.writes(C[vi])
                partial = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local")
                halves = T.alloc_buffer((T.int64(8),), scope="local")
                for u in T.unroll(T.int64(4)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                for k_block in range((n + T.int64(31)) // T.int64(32)):
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            if k_block * T.int64(32) + (u * T.int64(8) + l) < n:
                                partial[u, l] = partial[u, l] + A[vi, T.int64(0) + (k_block * T.int64(32) + (u * T.int64(8) + l))]
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
                C[vi] = halves[T.int64(0)]
