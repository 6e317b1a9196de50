# The reduction of a plane whose loops are one; of integers, under a condition of its own.
# test: schedule
# step: b = get_block("C")
# step: i, k, l = get_loops(b)
# step: fuse(k, l)
# step: vectorize_reduction(b, 4, 1)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((2, 5, 7), "int32"), C: T.Buffer((2,), "int32")):
        for i, k, l in T.grid(2, 5, 7):
            with T.block("C"):
                vi, vk, vl = T.axis.remap("SRR", [i, k, l])
                with T.init():
                    C[vi] = 2147483647
                if vk < 4:
                    C[vi] = T.min(C[vi], A[vi, vk, vl])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((2, 5, 7), "int32"), C: T.Buffer((2,), "int32")):
        # with T.block("root"):
        for i in range(2):
            with T.block("C"):
                vi = T.axis.spatial(2, i)
                T.reads(A[vi, 0:5, 0:7])
                T.writes(C[vi])
                partial = T.alloc_buffer((T.int64(1), T.int64(4)), "int32", scope="local")
                halves = T.alloc_buffer((T.int64(4),), "int32", scope="local")
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = 2147483647
                for k_l_fused_block in range(9):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            if k_l_fused_block * 4 + T.Cast("int32", u * T.int64(4) + l) < 35:
                                if (0 + (k_l_fused_block * 4 + T.Cast("int32", u * T.int64(4) + l))) // 7 < 4:
                                    partial[u, l] = T.min(partial[u, l], A[vi, (0 + (k_l_fused_block * 4 + T.Cast("int32", u * T.int64(4) + l))) // 7, (0 + (k_l_fused_block * 4 + T.Cast("int32", u * T.int64(4) + l))) % 7])
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = T.min(halves[l], halves[l + T.int64(2)])
                for l in T.vectorized(T.int64(1)):
                    halves[l] = T.min(halves[l], halves[l + T.int64(1)])
                C[vi] = halves[T.int64(0)]
