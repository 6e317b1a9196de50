# What comes after a tiled product is done tile by tile.
# test: schedule
# step: b = get_block("B")
# step: i, j, k = get_loops(b)
# step: i0, i1 = split(i, [None, 4])
# step: j0, j1 = split(j, [None, 3])
# step: reorder(i0, j0, k, i1, j1)
# step: d = get_block("D")
# step: reverse_compute_at(d, j0)
# step: f = fuse(i0, j0)
# step: parallel(f)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10, 7), "float32"), W: T.Buffer((7, 6), "float32"), D: T.Buffer((10, 6), "float32")):
        B = T.alloc_buffer((10, 6), "float32")
        for i, j, k in T.grid(10, 6, 7):
            with T.block("B"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    B[vi, vj] = T.float32(0)
                B[vi, vj] = B[vi, vj] + A[vi, vk] * W[vk, vj]
        for i, j in T.grid(10, 6):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = T.max(B[vi, vj], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((10, 7), "float32"), W: T.Buffer((7, 6), "float32"), D: T.Buffer((10, 6), "float32")):
        # with T.block("root"):
        B = T.alloc_buffer((10, 6))
        for i_0_j_0_fused in T.parallel(6):
            for k, i_1, j_1 in T.grid(7, 4, 3):
                with T.block("B"):
                    vi = T.axis.spatial(10, i_0_j_0_fused // 2 * 4 + i_1)
                    vj = T.axis.spatial(6, i_0_j_0_fused % 2 * 3 + j_1)
                    vk = T.axis.reduce(7, k)
                    T.where(i_0_j_0_fused // 2 * 4 + i_1 < 10)
                    T.reads(A[vi, vk], W[vk, vj])
                    T.writes(B[vi, vj])
                    with T.init():
                        B[vi, vj] = T.float32(0.0)
                    B[vi, vj] = B[vi, vj] + A[vi, vk] * W[vk, vj]
            for ax0, ax1 in T.grid(4, 3):
                with T.block("D"):
                    vi = T.axis.spatial(10, i_0_j_0_fused // 2 * 4 + ax0)
                    vj = T.axis.spatial(6, i_0_j_0_fused % 2 * 3 + ax1)
                    T.where(i_0_j_0_fused // 2 * 4 + ax0 < 10)
                    T.reads(B[vi, vj])
                    T.writes(D[vi, vj])
                    D[vi, vj] = T.max(B[vi, vj], T.float32(0.0))
