# M are pixels that are read in place: K blocks have whole windows, whose axes have loops of their own.
# test: schedule
# step: b = get_block("conv")
# step: gemm(b, 3, 1, 4, 12, 6, 8, "none", "ahead")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 5, 6, 8), "float32"), W: T.Buffer((7, 5, 3, 2), "float32"), Y: T.Buffer((2, 4, 3, 7), "float32")):
        for n, y, x, f, c, r, s in T.grid(2, 4, 3, 7, 5, 3, 2):
            with T.block("conv"):
                vn, vy, vx, vf, vc, vr, vs = T.axis.remap("SSSSRRR", [n, y, x, f, c, r, s])
                with T.init():
                    Y[vn, vy, vx, vf] = T.float32(0)
                Y[vn, vy, vx, vf] = Y[vn, vy, vx, vf] + X[vn, vc, vy + vr, vx * 2 + vs * 3] * W[vf, vc, vr, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 5, 6, 8), "float32"), W: T.Buffer((7, 5, 3, 2), "float32"), Y: T.Buffer((2, 4, 3, 7), "float32")):
        # with T.block("root"):
        packed_b = T.alloc_buffer((2, 30, 4), align=64)
        for panel in T.parallel(2):
            for k in range(30):
                for j in T.vectorized(4):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(W[panel_1 * 4 + j_1, k_1 // 6, k_1 // 2 % 3, k_1 % 2])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 4 + j_1 < 7, W[panel_1 * 4 + j_1, k_1 // 6, k_1 // 2 % 3, k_1 % 2], T.float32(0.0))
        for task in T.parallel(4):
            with T.block("conv"):
                T.reads(X[0:2, 0:5, 0:6, 0:8], packed_b[0:2, 0:30, 0:4], Y[0:2, 0:4, 0:3, 0:7])
                T.writes(Y[0:2, 0:4, 0:3, 0:7])
                tile = T.alloc_buffer((3, 1, 4), scope="local", align=64)
                m_start: T.int32 = task * 6
                for k_block in range(3):
                    k_start: T.int32 = k_block * 12
                    k_count: T.int32 = T.min(5 - k_block * 2, 2) * 6
                    for p, t in T.grid(2, 2):
                        for i in T.unroll(3):
                            for v in T.unroll(1):
                                for j in T.vectorized(4):
                                    tile[i, v, j] = T.float32(0.0)
                        for vc, vr in T.grid(k_count // 6, 3):
                            for vs in T.unroll(2):
                                for i in T.unroll(3):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = tile[i, v, j] + X[(t + (m_start + i) // 3) // 4, k_start // 6 + vc, (t + (m_start + i) // 3) % 4 + (0 + vr), (m_start + i) % 3 * 2 + (0 + vs) * 3] * packed_b[0 + p, k_start + (vc * 6 + vr * 2 + vs), v * 4 + j]
                        if k_block == 0:
                            for i in T.unroll(3):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        if (0 + p) * 4 + (v * 4 + j) < 7:
                                            Y[(t + (m_start + i) // 3) // 4, (t + (m_start + i) // 3) % 4, (m_start + i) % 3, p * 4 + v * 4 + j] = tile[i, v, j]
                        else:
                            for i in T.unroll(3):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        if (0 + p) * 4 + (v * 4 + j) < 7:
                                            Y[(t + (m_start + i) // 3) // 4, (t + (m_start + i) // 3) % 4, (m_start + i) % 3, p * 4 + v * 4 + j] = Y[(t + (m_start + i) // 3) // 4, (t + (m_start + i) // 3) % 4, (m_start + i) % 3, p * 4 + v * 4 + j] + tile[i, v, j]
