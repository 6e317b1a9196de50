# Loops are fused; a part of the extent that is not a constant stays where it is in the values.
# test: schedule
# step: b = get_block("C")
# step: i, j, k = get_loops(b)
# step: f = fuse(i, j)
# step: a, c = split(f, [None, 6])
# step: d = fuse(c, k)
# run: main n=5 == same
# run: main n=1 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (4, n, 3), "float32")
        C = T.match_buffer(var_C, (4, n, 3), "float32")
        for i, j, k in T.grid(4, n, 3):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                C[vi, vj, vk] = A[vi, vj, vk] - T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_C: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (4, n, 3), "float32")
        C = T.match_buffer(var_C, (4, n, 3), "float32")
        # with T.block("root"):
        for i_j_fused_0, i_j_fused_1_k_fused in T.grid((n * T.int64(2) + T.int64(2)) // T.int64(3), T.int64(18)):
            with T.block("C"):
                vi = T.axis.spatial(4, T.Cast("int32", (i_j_fused_0 * T.int64(6) + i_j_fused_1_k_fused // T.int64(3)) // n))
                vj = T.axis.spatial(n, (i_j_fused_0 * T.int64(6) + i_j_fused_1_k_fused // T.int64(3)) % n)
                vk = T.axis.spatial(3, T.Cast("int32", i_j_fused_1_k_fused % T.int64(3)))
                T.where(i_j_fused_0 * T.int64(6) + i_j_fused_1_k_fused // T.int64(3) < n * T.int64(4))
                T.reads(A[vi, vj, vk])
                T.writes(C[vi, vj, vk])
                C[vi, vj, vk] = A[vi, vj, vk] - T.float32(1.0)
