# One sum of many elements: partial sums of as many parts, whatever the number of threads, and then their sum.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((311, 1009), "int32"), B: T.Buffer((), "int32")):
        for i, j in T.grid(311, 1009):
            with T.block("B"):
                vi, vj = T.axis.remap("RR", [i, j])
                with T.init():
                    B[()] = 0
                B[()] = B[()] + A[vi, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((311, 1009), "int32"), B: T.Buffer((), "int32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        with T.block("B"):
            T.reads(A[0:311, 0:1009])
            T.writes(B[()])
            partial = T.alloc_buffer((T.int64(8), T.int64(8)), "int32", scope="local")
            halves = T.alloc_buffer((T.int64(8),), "int32", scope="local")
            for u in T.unroll(T.int64(8)):
                for l in T.vectorized(T.int64(8)):
                    partial[u, l] = 0
            for i_j_fused_block in range(4904):
                for u in T.unroll(T.int64(8)):
                    for l in T.vectorized(T.int64(8)):
                        if i_j_fused_block * 64 + T.Cast("int32", u * T.int64(8) + l) < 313799:
                            partial[u, l] = partial[u, l] + A[(0 + (i_j_fused_block * 64 + T.Cast("int32", u * T.int64(8) + l))) // 1009, (0 + (i_j_fused_block * 64 + T.Cast("int32", u * T.int64(8) + l))) % 1009]
            for u in T.unroll(T.int64(4)):
                for l in T.vectorized(T.int64(8)):
                    partial[u, l] = partial[u, l] + partial[u + T.int64(4), l]
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
            B[()] = halves[T.int64(0)]
