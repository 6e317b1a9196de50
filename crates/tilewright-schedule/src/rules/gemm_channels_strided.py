# Windows two pixels apart of several images, whose sums are the result: they become a temporary first.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 32, 11, 11), "float32"), W: T.Buffer((32, 16, 3, 3), "float32"), Y: T.Buffer((2, 32, 5, 5), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for n, f, y, x, c, r, s in T.grid(2, 32, 5, 5, 16, 3, 3):
            with T.block("conv"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    Y[vn, vf, vy, vx] = T.float32(0)
                Y[vn, vf, vy, vx] = Y[vn, vf, vy, vx] + X[vn, vf // 16 * 16 + vc, vy * 2 + vr, vx * 2 + vs] * W[vf, vc, vr, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 32, 11, 11), "float32"), W: T.Buffer((32, 16, 3, 3), "float32"), Y: T.Buffer((2, 32, 5, 5), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        Y_global = T.alloc_buffer((2, 5, 5, 32))
        packed_b = T.alloc_buffer((2, 1, 144, 16), align=64)
        for vf in T.parallel(2):
            for panel in T.parallel(1):
                for k in range(144):
                    for j in T.vectorized(16):
                        with T.block("packed_b"):
                            vf_1, panel_1, k_1, j_1 = T.axis.remap("SSSS", [vf, panel, k, j])
                            T.reads(W[vf_1 * 16 + (panel_1 * 16 + j_1), k_1 // 9, k_1 // 3 % 3, k_1 % 3])
                            T.writes(packed_b[vf_1, panel_1, k_1, j_1])
                            T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                            packed_b[vf_1, panel_1, k_1, j_1] = W[vf_1 * 16 + (panel_1 * 16 + j_1), k_1 // 9, k_1 // 3 % 3, k_1 % 3]
        for task in T.parallel(2):
            with T.block("conv"):
                T.reads(X[0:2, 0:32, 0:11, 0:11], packed_b[0:2, 0, 0:144, 0:16], Y_global[0:2, 0:5, 0:5, 0:32])
                T.writes(Y_global[0:2, 0:5, 0:5, 0:32])
                tile = T.alloc_buffer((25, 1, 16), scope="local", align=64)
                for p, t in T.grid(1, 2):
                    for i in T.unroll(25):
                        for v in T.unroll(1):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for vc, vr in T.grid(16, 3):
                        for vs in T.unroll(3):
                            for i in T.unroll(25):
                                for v in T.unroll(1):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + X[t + i // 25, task * 16 + (0 + vc), i // 5 % 5 * 2 + (0 + vr), i % 5 * 2 + (0 + vs)] * packed_b[task, 0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                    for i in T.unroll(25):
                        for v in T.unroll(1):
                            for j in T.vectorized(16):
                                Y_global[t + i // 25, i // 5 % 5, i % 5, task * 16 + (p * 16 + v * 16 + j)] = tile[i, v, j]
        for ax0, ax1_0, ax2_ax3_fused_0, ax2_ax3_fused_1, ax1_1 in T.grid(2, 1, 1, 2, 32):
            for ax2_ax3_fused_2 in T.vectorized(16):
                with T.block("Y_global"):
                    v0 = T.axis.spatial(2, ax0)
                    v1 = T.axis.spatial(32, ax1_0 * 32 + ax1_1)
                    v2 = T.axis.spatial(5, (ax2_ax3_fused_0 * 32 + ax2_ax3_fused_1 * 16 + ax2_ax3_fused_2) // 5)
                    v3 = T.axis.spatial(5, (ax2_ax3_fused_0 * 32 + ax2_ax3_fused_1 * 16 + ax2_ax3_fused_2) % 5)
                    T.where((ax2_ax3_fused_0 * 2 + ax2_ax3_fused_1) * 16 + ax2_ax3_fused_2 < 25)
                    T.reads(Y_global[v0, v2, v3, v1])
                    T.writes(Y[v0, v1, v2, v3])
                    Y[v0, v1, v2, v3] = Y_global[v0, v2, v3, v1]
