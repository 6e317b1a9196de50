# Three loops fused, and bound to threads in whole blocks of them.
# test: schedule
# step: i, j, k = get_loops("B")
# step: f = fuse(i, j, k)
# step: o, t = split(f, [None, 128])
# step: bind(o, "blockIdx.x")
# step: bind(t, "threadIdx.x")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 32, 64), "float32"), B: T.Buffer((4, 32, 64), "float32")):
        for i, j, k in T.grid(4, 32, 64):
            with T.block("B"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 32, 64), "float32"), B: T.Buffer((4, 32, 64), "float32")):
        # with T.block("root"):
        for i_j_k_fused_0 in T.thread_binding(64, thread="blockIdx.x"):
            for i_j_k_fused_1 in T.thread_binding(128, thread="threadIdx.x"):
                with T.block("B"):
                    vi = T.axis.spatial(4, (i_j_k_fused_0 * 128 + i_j_k_fused_1) // 2048)
                    vj = T.axis.spatial(32, (i_j_k_fused_0 * 128 + i_j_k_fused_1) % 2048 // 64)
                    vk = T.axis.spatial(64, (i_j_k_fused_0 * 128 + i_j_k_fused_1) % 64)
                    T.reads(A[vi, vj, vk])
                    T.writes(B[vi, vj, vk])
                    B[vi, vj, vk] = A[vi, vj, vk] * T.float32(2.0)
