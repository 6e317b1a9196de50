# Threads fetch tiles together: each loop over threads inside stands for the same threads as the one around it.
# test: schedule
# step: b = get_block("C")
# step: i, j, k = get_loops(b)
# step: by, ty, yi = split(i, [None, 2, 2])
# step: bx, tx, xi = split(j, [None, 2, 2])
# step: ko, ki = split(k, [None, 4])
# step: reorder(by, bx, ty, tx, ko, ki, yi, xi)
# step: bind(by, "blockIdx.y")
# step: bind(bx, "blockIdx.x")
# step: bind(ty, "threadIdx.y")
# step: bind(tx, "threadIdx.x")
# step: c = cache_write(b, 0, "local")
# step: reverse_compute_at(c, tx)
# step: a = cache_read(b, 0, "shared")
# step: compute_at(a, ko)
# step: a0, a1, a2, a3, a4, a5, a6 = get_loops(a)
# step: f = fuse(a5, a6)
# step: f0, fy, fx = split(f, [None, 2, 2])
# step: bind(fy, "threadIdx.y")
# step: bind(fx, "threadIdx.x")
# step: w = cache_read(b, 1, "shared")
# step: compute_at(w, ko)
# step: decompose_reduction(b, ko)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
        for i, j, k in T.grid(8, 8, 8):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 8), "float32"), B: T.Buffer((8, 8), "float32"), C: T.Buffer((8, 8), "float32")):
        # with T.block("root"):
        C_local = T.alloc_buffer((8, 8), scope="local")
        A_shared = T.alloc_buffer((8, 8), scope="shared")
        B_shared = T.alloc_buffer((8, 8), scope="shared")
        for i_0 in T.thread_binding(2, thread="blockIdx.y"):
            for j_0 in T.thread_binding(2, thread="blockIdx.x"):
                for i_1 in T.thread_binding(2, thread="threadIdx.y"):
                    for j_1 in T.thread_binding(2, thread="threadIdx.x"):
                        for i_2_init, j_2_init in T.grid(2, 2):
                            with T.block("C_init"):
                                vi = T.axis.spatial(8, i_0 * 4 + i_1 * 2 + i_2_init)
                                vj = T.axis.spatial(8, j_0 * 4 + j_1 * 2 + j_2_init)
                                T.reads()
                                T.writes(C_local[vi, vj])
                                C_local[vi, vj] = T.float32(0.0)
                        for k_0 in range(2):
                            for ax0_ax1_fused_0 in range(4):
                                for ax0_ax1_fused_1 in T.thread_binding(2, thread="threadIdx.y"):
                                    for ax0_ax1_fused_2 in T.thread_binding(2, thread="threadIdx.x"):
                                        with T.block("A_shared"):
                                            v0 = T.axis.spatial(8, i_0 * 4 + (ax0_ax1_fused_0 * 4 + ax0_ax1_fused_1 * 2 + ax0_ax1_fused_2) // 4)
                                            v1 = T.axis.spatial(8, k_0 * 4 + (ax0_ax1_fused_0 * 4 + ax0_ax1_fused_1 * 2 + ax0_ax1_fused_2) % 4)
                                            T.reads(A[v0, v1])
                                            T.writes(A_shared[v0, v1])
                                            A_shared[v0, v1] = A[v0, v1]
                            for ax0, ax1 in T.grid(4, 4):
                                with T.block("B_shared"):
                                    v0 = T.axis.spatial(8, k_0 * 4 + ax0)
                                    v1 = T.axis.spatial(8, j_0 * 4 + ax1)
                                    T.reads(B[v0, v1])
                                    T.writes(B_shared[v0, v1])
                                    B_shared[v0, v1] = B[v0, v1]
                            for k_1, i_2, j_2 in T.grid(4, 2, 2):
                                with T.block("C_update"):
                                    vi = T.axis.spatial(8, i_0 * 4 + i_1 * 2 + i_2)
                                    vj = T.axis.spatial(8, j_0 * 4 + j_1 * 2 + j_2)
                                    vk = T.axis.reduce(8, k_0 * 4 + k_1)
                                    T.reads(C_local[vi, vj], A_shared[vi, vk], B_shared[vk, vj])
                                    T.writes(C_local[vi, vj])
                                    C_local[vi, vj] = C_local[vi, vj] + A_shared[vi, vk] * B_shared[vk, vj]
                        for ax0, ax1 in T.grid(2, 2):
                            with T.block("C_local"):
                                v0 = T.axis.spatial(8, i_0 * 4 + i_1 * 2 + ax0)
                                v1 = T.axis.spatial(8, j_0 * 4 + j_1 * 2 + ax1)
                                T.reads(C_local[v0, v1])
                                T.writes(C[v0, v1])
                                C[v0, v1] = C_local[v0, v1]
