# A convolution with a stride by im2col: N are the pixels, and panels of B are packed image row by image row.
# test: schedule
# step: b = get_block("conv")
# step: gemm(b, 2, 1, 4, 18, 4, 8, "row_major", "task")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 4, 9, 11), "float32"), W: T.Buffer((5, 4, 3, 3), "float32"), Y: T.Buffer((2, 5, 4, 5), "float32")):
        for n, f, y, x, c, r, s in T.grid(2, 5, 4, 5, 4, 3, 3):
            with T.block("conv"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    Y[vn, vf, vy, vx] = T.float32(0)
                Y[vn, vf, vy, vx] = Y[vn, vf, vy, vx] + X[vn, vc, vy * 2 + vr, vx * 2 + vs] * W[vf, vc, vr, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 4, 9, 11), "float32"), W: T.Buffer((5, 4, 3, 3), "float32"), Y: T.Buffer((2, 5, 4, 5), "float32")):
        # with T.block("root"):
        for task in T.parallel(12):
            with T.block("conv"):
                T.reads(W[0:5, 0:4, 0:3, 0:3], X[0:2, 0:4, 0:9, 0:11], Y[0:2, 0:5, 0:4, 0:5])
                T.writes(Y[0:2, 0:5, 0:4, 0:5])
                packed_a = T.alloc_buffer((4, 32), align=64)
                packed_b = T.alloc_buffer((18, 4), align=64)
                tile = T.alloc_buffer((2, 1, 4), scope="local", align=64)
                tile_1 = T.alloc_buffer((1, 1, 4), scope="local", align=64)
                batch: T.int32 = task // 6
                n_block: T.int32 = task // 2 % 3
                m_block: T.int32 = task % 2
                m_start: T.int32 = m_block * 4
                panel_start: T.int32 = n_block * 2
                m_count: T.int32 = T.min(5 - m_start, 4)
                panels: T.int32 = T.min(5 - panel_start, 2)
                for k_block in range(2):
                    k_start: T.int32 = k_block * 18
                    for i in range(m_count):
                        for k in T.vectorized(18):
                            packed_a[i, k] = W[m_start + i, (k_start + k) // 9, (k_start + k) // 3 % 3, (k_start + k) % 3]
                    for p in range(panels):
                        with T.LetStmt((panel_start * 4 + p * 4) // 5) as first_row:
                            for number in range((T.min(panel_start + p + 1, 5) * 4 + 4) // 5 - 1 + 1 - first_row):
                                image_row: T.int32 = first_row + number
                                from_: T.int32 = T.max(panel_start * 4 + p * 4 - image_row * 5, 0)
                                piece: T.int32 = T.min(T.min(panel_start + p + 1, 5) * 4 - image_row * 5, 5) - from_
                                if image_row < 4:
                                    for vc, vr, vs in T.grid(2, 3, 3):
                                        for x in T.vectorized(piece):
                                            packed_b[vc * 9 + vr * 3 + vs, image_row * 5 + (from_ + x) - (panel_start + p) * 4] = X[batch, k_start // 9 + vc, image_row * 2 + (0 + vr), (from_ + x) * 2 + (0 + vs)]
                        for t in range(m_count // 2):
                            if t * 2 + 2 <= m_count:
                                for i in T.unroll(2):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = T.float32(0.0)
                                for k in range(18):
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                tile[i, v, j] = tile[i, v, j] + packed_a[t * 2 + i, k] * packed_b[k, v * 4 + j]
                                if k_block == 0:
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                Y[batch, m_start + t * 2 + i, (panel_start * 4 + p * 4 + v * 4 + j) // 5, (panel_start * 4 + p * 4 + v * 4 + j) % 5] = tile[i, v, j]
                                else:
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                Y[batch, m_start + t * 2 + i, (panel_start * 4 + p * 4 + v * 4 + j) // 5, (panel_start * 4 + p * 4 + v * 4 + j) % 5] = Y[batch, m_start + t * 2 + i, (panel_start * 4 + p * 4 + v * 4 + j) // 5, (panel_start * 4 + p * 4 + v * 4 + j) % 5] + tile[i, v, j]
                        if m_count % 2 >= 1 and (m_count // 2 * 2 + T.Mul(0, 2) + 1 <= 4 and m_start + (m_count // 2 * 2 + T.Mul(0, 2) + 1) <= 5):
                            for i in T.unroll(1):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k in range(18):
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile_1[i, v, j] = tile_1[i, v, j] + packed_a[m_count // 2 * 2 + T.Mul(0, 2) + i, k] * packed_b[k, v * 4 + j]
                            if k_block == 0:
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            Y[batch, m_start + m_count // 2 * 2 + i, (panel_start * 4 + p * 4 + v * 4 + j) // 5, (panel_start * 4 + p * 4 + v * 4 + j) % 5] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            Y[batch, m_start + m_count // 2 * 2 + i, (panel_start * 4 + p * 4 + v * 4 + j) // 5, (panel_start * 4 + p * 4 + v * 4 + j) % 5] = Y[batch, m_start + m_count // 2 * 2 + i, (panel_start * 4 + p * 4 + v * 4 + j) // 5, (panel_start * 4 + p * 4 + v * 4 + j) % 5] + tile_1[i, v, j]
