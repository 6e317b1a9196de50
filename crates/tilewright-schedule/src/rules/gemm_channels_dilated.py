# Windows with gaps are read where they are in the padded image: pixels are neighbours in memory, though places of a window
# are not.
# test: opt --pass ApplyDefaultSchedule:target=znver4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 24, 7, 7), "float32"), W: T.Buffer((48, 24, 3, 3), "float32"), C: T.Buffer((1, 48, 7, 7), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        P = T.alloc_buffer((1, 24, 17, 17), "float32")
        for n, c, y, x in T.grid(1, 24, 17, 17):
            with T.block("P"):
                vn, vc, vy, vx = T.axis.remap("SSSS", [n, c, y, x])
                P[vn, vc, vy, vx] = T.if_then_else(5 <= vy and vy < 12 and 5 <= vx and vx < 12, X[vn, vc, vy - 5, vx - 5], T.float32(0))
        for n, f, y, x, c, r, s in T.grid(1, 48, 7, 7, 24, 3, 3):
            with T.block("C"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    C[vn, vf, vy, vx] = T.float32(0)
                C[vn, vf, vy, vx] = C[vn, vf, vy, vx] + P[vn, vc, vy + vr * 5, vx + vs * 5] * W[vf, vc, vr, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 24, 7, 7), "float32"), W: T.Buffer((48, 24, 3, 3), "float32"), C: T.Buffer((1, 48, 7, 7), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        P = T.alloc_buffer((1, 24, 17, 17))
        C_global = T.alloc_buffer((1, 7, 7, 48))
        packed_b = T.alloc_buffer((1, 216, 48), align=64)
        for n_c_y_fused in T.parallel(408):
            for x in T.vectorized(17):
                with T.block("P"):
                    vn = T.axis.spatial(1, 0)
                    vc = T.axis.spatial(24, n_c_y_fused // 17)
                    vy = T.axis.spatial(17, n_c_y_fused % 17)
                    vx = T.axis.spatial(17, x)
                    T.reads(X[vn, vc, vy - 5, vx - 5])
                    T.writes(P[vn, vc, vy, vx])
                    P[vn, vc, vy, vx] = T.if_then_else(5 <= vy and vy < 12 and 5 <= vx and vx < 12, X[vn, vc, vy - 5, vx - 5], T.float32(0.0))
        for panel in T.parallel(1):
            for k in range(216):
                for j in T.vectorized(48):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(W[panel_1 * 48 + j_1, k_1 // 9, k_1 // 3 % 3, k_1 % 3])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = W[panel_1 * 48 + j_1, k_1 // 9, k_1 // 3 % 3, k_1 % 3]
        for task in T.parallel(4):
            with T.block("C"):
                T.reads(P[0, 0:24, 0:17, 0:17], packed_b[0, 0:216, 0:48], C_global[0, 0:7, 0:7, 0:48])
                T.writes(C_global[0, 0:7, 0:7, 0:48])
                tile = T.alloc_buffer((7, 3, 16), scope="local", align=64)
                tile_1 = T.alloc_buffer((4, 3, 16), scope="local", align=64)
                tile_2 = T.alloc_buffer((2, 3, 16), scope="local", align=64)
                tile_3 = T.alloc_buffer((1, 3, 16), scope="local", align=64)
                m_start: T.int32 = task * 14
                m_count: T.int32 = T.min(49 - m_start, 14)
                for p in range(1):
                    for t in range(m_count // 7):
                        if t * 7 + 7 <= m_count:
                            for i in T.unroll(7):
                                for v in T.unroll(3):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = T.float32(0.0)
                            for vc, vr in T.grid(24, 3):
                                for vs in T.unroll(3):
                                    for i in T.unroll(7):
                                        for v in T.unroll(3):
                                            for j in T.vectorized(16):
                                                tile[i, v, j] = tile[i, v, j] + P[0, 0 + vc, t + (m_start + i) // 7 + (0 + vr) * 5, (m_start + i) % 7 + (0 + vs) * 5] * packed_b[0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                            for i in T.unroll(7):
                                for v in T.unroll(3):
                                    for j in T.vectorized(16):
                                        C_global[0, t + (m_start + i) // 7, (m_start + i) % 7, p * 48 + v * 16 + j] = tile[i, v, j]
                    if m_count % 7 >= 4 and (m_count // 7 * 7 + T.Mul(0, 8) + 4 <= 14 and m_start + (m_count // 7 * 7 + T.Mul(0, 8) + 4) <= 49):
                        for i in T.unroll(4):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(24, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(4):
                                    for v in T.unroll(3):
                                        for j in T.vectorized(16):
                                            tile_1[i, v, j] = tile_1[i, v, j] + P[0, 0 + vc, m_count // 7 + (m_start + i) // 7 + (0 + vr) * 5, (m_start + i) % 7 + (0 + vs) * 5] * packed_b[0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                        for i in T.unroll(4):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    C_global[0, m_count // 7 + (m_start + i) // 7, (m_start + i) % 7, p * 48 + v * 16 + j] = tile_1[i, v, j]
                    if m_count % 7 % 4 >= 2 and (m_count // 7 * 7 + m_count % 7 // 4 * 4 + 2 <= 14 and m_start + (m_count // 7 * 7 + m_count % 7 // 4 * 4 + 2) <= 49):
                        for i in T.unroll(2):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    tile_2[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(24, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(2):
                                    for v in T.unroll(3):
                                        for j in T.vectorized(16):
                                            tile_2[i, v, j] = tile_2[i, v, j] + P[0, 0 + vc, m_count // 7 + (m_start + m_count % 7 // 4 * 4 + i) // 7 + (0 + vr) * 5, (m_start + m_count % 7 // 4 * 4 + i) % 7 + (0 + vs) * 5] * packed_b[0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                        for i in T.unroll(2):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    C_global[0, m_count // 7 + (m_start + m_count % 7 // 4 * 4 + i) // 7, (m_start + m_count % 7 // 4 * 4 + i) % 7, p * 48 + v * 16 + j] = tile_2[i, v, j]
                    if m_count % 7 % 2 >= 1 and (m_count // 7 * 7 + m_count % 7 // 2 * 2 + 1 <= 14 and m_start + (m_count // 7 * 7 + m_count % 7 // 2 * 2 + 1) <= 49):
                        for i in T.unroll(1):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    tile_3[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(24, 3):
                            for vs in T.unroll(3):
                                for i in T.unroll(1):
                                    for v in T.unroll(3):
                                        for j in T.vectorized(16):
                                            tile_3[i, v, j] = tile_3[i, v, j] + P[0, 0 + vc, m_count // 7 + (m_start + m_count % 7 // 2 * 2 + i) // 7 + (0 + vr) * 5, (m_start + m_count % 7 // 2 * 2 + i) % 7 + (0 + vs) * 5] * packed_b[0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                        for i in T.unroll(1):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    C_global[0, m_count // 7 + (m_start + m_count % 7 // 2 * 2 + i) // 7, (m_start + m_count % 7 // 2 * 2 + i) % 7, p * 48 + v * 16 + j] = tile_3[i, v, j]
        for ax0, ax1_0, ax2_ax3_fused_0, ax2_ax3_fused_1, ax1_1 in T.grid(1, 1, 1, 4, 48):
            for ax2_ax3_fused_2 in T.vectorized(16):
                with T.block("C_global"):
                    v0 = T.axis.spatial(1, ax0)
                    v1 = T.axis.spatial(48, ax1_0 * 48 + ax1_1)
                    v2 = T.axis.spatial(7, (ax2_ax3_fused_0 * 64 + ax2_ax3_fused_1 * 16 + ax2_ax3_fused_2) // 7)
                    v3 = T.axis.spatial(7, (ax2_ax3_fused_0 * 64 + ax2_ax3_fused_1 * 16 + ax2_ax3_fused_2) % 7)
                    T.where((ax2_ax3_fused_0 * 4 + ax2_ax3_fused_1) * 16 + ax2_ax3_fused_2 < 49)
                    T.reads(C_global[0, v2, v3, v1])
                    T.writes(C[v0, v1, v2, v3])
                    C[v0, v1, v2, v3] = C_global[0, v2, v3, v1]
