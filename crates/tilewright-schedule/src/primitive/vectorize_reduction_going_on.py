# Without an init the sum goes on from what is there; of nothing it stays.
# test: schedule
# step: b = get_block("update")
# step: vectorize_reduction(b, 4, 2)
# run: main n=0 == same
# run: main n=1 == same
# run: main n=7 == same
# run: main n=8 == same
# run: main n=37 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, B: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (3, n), "float32")
        for i in range(3):
            with T.block("begin"):
                vi = T.axis.spatial(3, i)
                B[vi] = T.float32(2)
        for i, k in T.grid(3, n):
            with T.block("update"):
                vi, vk = T.axis.remap("SR", [i, k])
                B[vi] = B[vi] + A[vi, vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, B: T.Buffer((3,), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (3, n), "float32")
        # with T.block("root"):
        for i in range(3):
            with T.block("begin"):
                vi = T.axis.spatial(3, i)
                T.reads()
                T.writes(B[vi])
                B[vi] = T.float32(2.0)
        for i in range(3):
            with T.block("update"):
                vi = T.axis.spatial(3, i)
                T.reads(B[vi], A[vi, T.int64(0):n])
                T.writes(B[vi])
                partial = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local")
                halves = T.alloc_buffer((T.int64(4),), scope="local")
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32(0.0)
                for k_block in range((n + T.int64(7)) // T.int64(8)):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            if k_block * T.int64(8) + (u * T.int64(4) + l) < n:
                                partial[u, l] = partial[u, l] + A[vi, T.int64(0) + (k_block * T.int64(8) + (u * T.int64(4) + l))]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                B[vi] = B[vi] + halves[T.int64(0)]
