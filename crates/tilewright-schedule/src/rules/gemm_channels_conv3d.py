# Windows of a volume: what its images cost one by one is compared with a product whose columns are the pixels of all of them.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 4, 5, 9, 9), "float32"), W: T.Buffer((32, 4, 3, 3, 3), "float32"), Y: T.Buffer((1, 32, 3, 7, 7), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for n, f, z, y, x, c, q, r, s in T.grid(1, 32, 3, 7, 7, 4, 3, 3, 3):
            with T.block("conv"):
                vn, vf, vz, vy, vx, vc, vq, vr, vs = T.axis.remap("SSSSSRRRR", [n, f, z, y, x, c, q, r, s])
                with T.init():
                    Y[vn, vf, vz, vy, vx] = T.float32(0)
                Y[vn, vf, vz, vy, vx] = Y[vn, vf, vz, vy, vx] + X[vn, vc, vz + vq, vy + vr, vx + vs] * W[vf, vc, vq, vr, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 4, 5, 9, 9), "float32"), W: T.Buffer((32, 4, 3, 3, 3), "float32"), Y: T.Buffer((1, 32, 3, 7, 7), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        Y_global = T.alloc_buffer((1, 3, 7, 7, 32))
        packed_b = T.alloc_buffer((1, 108, 32), align=64)
        for panel in T.parallel(1):
            for k in range(108):
                for j in T.vectorized(32):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(W[panel_1 * 32 + j_1, k_1 // 27, k_1 // 9 % 3, k_1 // 3 % 3, k_1 % 3])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = W[panel_1 * 32 + j_1, k_1 // 27, k_1 // 9 % 3, k_1 // 3 % 3, k_1 % 3]
        for task in T.parallel(2):
            with T.block("conv"):
                T.reads(X[0, 0:4, 0:5, 0:9, 0:9], packed_b[0, 0:108, 0:32], Y_global[0, 0:3, 0:7, 0:7, 0:32])
                T.writes(Y_global[0, 0:3, 0:7, 0:7, 0:32])
                tile = T.alloc_buffer((7, 2, 16), scope="local", align=64)
                tile_1 = T.alloc_buffer((4, 2, 16), scope="local", align=64)
                tile_2 = T.alloc_buffer((2, 2, 16), scope="local", align=64)
                tile_3 = T.alloc_buffer((1, 2, 16), scope="local", align=64)
                m_start: T.int32 = task * 77
                m_count: T.int32 = T.min(147 - m_start, 77)
                for p in range(1):
                    for t in range(m_count // 7):
                        if t * 7 + 7 <= m_count:
                            for i in T.unroll(7):
                                for v in T.unroll(2):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = T.float32(0.0)
                            for vc, vq, vr in T.grid(4, 3, 3):
                                for vs in T.unroll(3):
                                    for i in T.unroll(7):
                                        for v in T.unroll(2):
                                            for j in T.vectorized(16):
                                                tile[i, v, j] = tile[i, v, j] + X[0, 0 + vc, (t + (m_start + i) // 7) // 7 + (0 + vq), (t + (m_start + i) // 7) % 7 + (0 + vr), (m_start + i) % 7 + (0 + vs)] * packed_b[0 + p, 0 + (vc * 27 + vq * 9 + vr * 3 + vs), v * 16 + j]
                            for i in T.unroll(7):
                                for v in T.unroll(2):
                                    for j in T.vectorized(16):
                                        Y_global[0, (t + (m_start + i) // 7) // 7, (t + (m_start + i) // 7) % 7, (m_start + i) % 7, p * 32 + v * 16 + j] = tile[i, v, j]
                    if m_count % 7 >= 4 and (m_count // 7 * 7 + T.Mul(0, 8) + 4 <= 77 and m_start + (m_count // 7 * 7 + T.Mul(0, 8) + 4) <= 147):
                        for i in T.unroll(4):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for vc, vq, vr in T.grid(4, 3, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(4):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            tile_1[i, v, j] = tile_1[i, v, j] + X[0, 0 + vc, (m_count // 7 + (m_start + i) // 7) // 7 + (0 + vq), (m_count // 7 + (m_start + i) // 7) % 7 + (0 + vr), (m_start + i) % 7 + (0 + vs)] * packed_b[0 + p, 0 + (vc * 27 + vq * 9 + vr * 3 + vs), v * 16 + j]
                        for i in T.unroll(4):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    Y_global[0, (m_count // 7 + (m_start + i) // 7) // 7, (m_count // 7 + (m_start + i) // 7) % 7, (m_start + i) % 7, p * 32 + v * 16 + j] = tile_1[i, v, j]
                    if m_count % 7 % 4 >= 2 and (m_count // 7 * 7 + m_count % 7 // 4 * 4 + 2 <= 77 and m_start + (m_count // 7 * 7 + m_count % 7 // 4 * 4 + 2) <= 147):
                        for i in T.unroll(2):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_2[i, v, j] = T.float32(0.0)
                        for vc, vq, vr in T.grid(4, 3, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            tile_2[i, v, j] = tile_2[i, v, j] + X[0, 0 + vc, (m_count // 7 + (m_start + m_count % 7 // 4 * 4 + i) // 7) // 7 + (0 + vq), (m_count // 7 + (m_start + m_count % 7 // 4 * 4 + i) // 7) % 7 + (0 + vr), (m_start + m_count % 7 // 4 * 4 + i) % 7 + (0 + vs)] * packed_b[0 + p, 0 + (vc * 27 + vq * 9 + vr * 3 + vs), v * 16 + j]
                        for i in T.unroll(2):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    Y_global[0, (m_count // 7 + (m_start + m_count % 7 // 4 * 4 + i) // 7) // 7, (m_count // 7 + (m_start + m_count % 7 // 4 * 4 + i) // 7) % 7, (m_start + m_count % 7 // 4 * 4 + i) % 7, p * 32 + v * 16 + j] = tile_2[i, v, j]
                    if m_count % 7 % 2 >= 1 and (m_count // 7 * 7 + m_count % 7 // 2 * 2 + 1 <= 77 and m_start + (m_count // 7 * 7 + m_count % 7 // 2 * 2 + 1) <= 147):
                        for i in T.unroll(1):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_3[i, v, j] = T.float32(0.0)
                        for vc, vq, vr in T.grid(4, 3, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(1):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            tile_3[i, v, j] = tile_3[i, v, j] + X[0, 0 + vc, (m_count // 7 + (m_start + m_count % 7 // 2 * 2 + i) // 7) // 7 + (0 + vq), (m_count // 7 + (m_start + m_count % 7 // 2 * 2 + i) // 7) % 7 + (0 + vr), (m_start + m_count % 7 // 2 * 2 + i) % 7 + (0 + vs)] * packed_b[0 + p, 0 + (vc * 27 + vq * 9 + vr * 3 + vs), v * 16 + j]
                        for i in T.unroll(1):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    Y_global[0, (m_count // 7 + (m_start + m_count % 7 // 2 * 2 + i) // 7) // 7, (m_count // 7 + (m_start + m_count % 7 // 2 * 2 + i) // 7) % 7, (m_start + m_count % 7 // 2 * 2 + i) % 7, p * 32 + v * 16 + j] = tile_3[i, v, j]
        for ax0, ax1_0, ax2_ax3_ax4_fused_0, ax2_ax3_ax4_fused_1, ax1_1 in T.grid(1, 1, 3, 4, 32):
            for ax2_ax3_ax4_fused_2 in T.vectorized(16):
                with T.block("Y_global"):
                    v0 = T.axis.spatial(1, ax0)
                    v1 = T.axis.spatial(32, ax1_0 * 32 + ax1_1)
                    v2 = T.axis.spatial(3, (ax2_ax3_ax4_fused_0 * 64 + ax2_ax3_ax4_fused_1 * 16 + ax2_ax3_ax4_fused_2) // 49)
                    v3 = T.axis.spatial(7, (ax2_ax3_ax4_fused_0 * 64 + ax2_ax3_ax4_fused_1 * 16 + ax2_ax3_ax4_fused_2) % 49 // 7)
                    v4 = T.axis.spatial(7, (ax2_ax3_ax4_fused_0 * 64 + ax2_ax3_ax4_fused_1 * 16 + ax2_ax3_ax4_fused_2) % 7)
                    T.where((ax2_ax3_ax4_fused_0 * 4 + ax2_ax3_ax4_fused_1) * 16 + ax2_ax3_ax4_fused_2 < 147)
                    T.reads(Y_global[0, v2, v3, v4, v1])
                    T.writes(Y[v0, v1, v2, v3, v4])
                    Y[v0, v1, v2, v3, v4] = Y_global[0, v2, v3, v4, v1]
