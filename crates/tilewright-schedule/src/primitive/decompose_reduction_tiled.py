# The init stands in front of the loops of the reduction, in loops of its own.
# test: schedule
# step: b = get_block("C")
# step: i, j, k = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: reorder(i0, k, i1, j)
# step: z = decompose_reduction(b, k)
# step: z0, z1, z2 = get_loops(z)
# step: f = fuse(z1, z2)
# run: main n=7 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, C: T.Buffer((10, 11), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (10, n), "float32")
        B = T.match_buffer(var_B, (n, 11), "float32")
        for i, j, k in T.grid(10, 11, n):
            with T.block("C"):
                vi = T.axis.spatial(10, i)
                vj = T.axis.spatial(11, j)
                vk = T.axis.reduce(n, k)
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, C: T.Buffer((10, 11), "float32")):
        n = T.int64()
        A = T.match_buffer(var_A, (10, n), "float32")
        B = T.match_buffer(var_B, (n, 11), "float32")
        # with T.block("root"):
        for i_0 in range(3):
            for i_1_init_j_init_fused in range(44):
                with T.block("C_init"):
                    vi = T.axis.spatial(10, i_0 * 4 + i_1_init_j_init_fused // 11)
                    vj = T.axis.spatial(11, i_1_init_j_init_fused % 11)
                    T.where(i_0 * 4 + i_1_init_j_init_fused // 11 < 10)
                    T.reads()
                    T.writes(C[vi, vj])
                    C[vi, vj] = T.float32(0.0)
            for k, i_1, j in T.grid(n, 4, 11):
                with T.block("C_update"):
                    vi = T.axis.spatial(10, i_0 * 4 + i_1)
                    vj, vk = T.axis.remap("SR", [j, k])
                    T.where(i_0 * 4 + i_1 < 10)
                    T.reads(C[vi, vj], A[vi, vk], B[vk, vj])
                    T.writes(C[vi, vj])
                    C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
