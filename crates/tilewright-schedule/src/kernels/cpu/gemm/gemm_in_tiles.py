# A GEMM of odd sizes: the tail of M has a smaller tile, that of N is masked, and K is summed in blocks.
# test: schedule
# step: b = get_block("C")
# step: gemm(b, 3, 2, 4, 8, 7, 16)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((13, 19), "float32"), B: T.Buffer((19, 37), "float32"), C: T.Buffer((13, 37), "float32")):
        for i, j, k in T.grid(13, 37, 19):
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
    def main(A: T.Buffer((13, 19), "float32"), B: T.Buffer((19, 37), "float32"), C: T.Buffer((13, 37), "float32")):
        # with T.block("root"):
        packed_b = T.alloc_buffer((5, 19, 8), align=64)
        for panel in T.parallel(5):
            for k in range(19):
                for j in T.vectorized(8):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 8 + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 8 + j_1 < 37, B[k_1, panel_1 * 8 + j_1], T.float32(0.0))
        for task in T.parallel(6):
            with T.block("C"):
                T.reads(A[0:13, 0:19], packed_b[0:5, 0:19, 0:8], C[0:13, 0:37])
                T.writes(C[0:13, 0:37])
                packed_a = T.alloc_buffer((7, 16), align=64)
                tile = T.alloc_buffer((3, 2, 4), scope="local", align=64)
                tile_1 = T.alloc_buffer((2, 2, 4), scope="local", align=64)
                tile_2 = T.alloc_buffer((1, 2, 4), scope="local", align=64)
                n_block: T.int32 = task // 2
                m_block: T.int32 = task % 2
                m_start: T.int32 = m_block * 7
                panel_start: T.int32 = n_block * 2
                m_count: T.int32 = T.min(13 - m_start, 7)
                panels: T.int32 = T.min(5 - panel_start, 2)
                for k_block in range(3):
                    k_start: T.int32 = k_block * 8
                    k_count: T.int32 = T.min(19 - k_block * 8, 8)
                    for i in range(m_count):
                        for k in T.vectorized(k_count):
                            packed_a[i, k] = A[m_start + i, k_start + k]
                    for p in range(panels):
                        for t in range(m_count // 3):
                            if t * 3 + 3 <= m_count:
                                for i in T.unroll(3):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = T.float32(0.0)
                                for k in range(k_count):
                                    for i in T.unroll(3):
                                        for v in T.unroll(2):
                                            for j in T.vectorized(4):
                                                tile[i, v, j] = tile[i, v, j] + packed_a[t * 3 + i, k] * packed_b[panel_start + p, k_start + k, v * 4 + j]
                                if k_block == 0:
                                    for i in T.unroll(3):
                                        for v in T.unroll(2):
                                            for j in T.vectorized(4):
                                                if (panel_start + p) * 8 + (v * 4 + j) < 37:
                                                    C[m_start + t * 3 + i, panel_start * 8 + p * 8 + v * 4 + j] = tile[i, v, j]
                                else:
                                    for i in T.unroll(3):
                                        for v in T.unroll(2):
                                            for j in T.vectorized(4):
                                                if (panel_start + p) * 8 + (v * 4 + j) < 37:
                                                    C[m_start + t * 3 + i, panel_start * 8 + p * 8 + v * 4 + j] = C[m_start + t * 3 + i, panel_start * 8 + p * 8 + v * 4 + j] + tile[i, v, j]
                        if m_count % 3 >= 2 and (m_count // 3 * 3 + T.Mul(0, 4) + 2 <= 7 and m_start + (m_count // 3 * 3 + T.Mul(0, 4) + 2) <= 13):
                            for i in T.unroll(2):
                                for v in T.unroll(2):
                                    for j in T.vectorized(4):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k in range(k_count):
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            tile_1[i, v, j] = tile_1[i, v, j] + packed_a[m_count // 3 * 3 + T.Mul(0, 4) + i, k] * packed_b[panel_start + p, k_start + k, v * 4 + j]
                            if k_block == 0:
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            if (panel_start + p) * 8 + (v * 4 + j) < 37:
                                                C[m_start + m_count // 3 * 3 + i, panel_start * 8 + p * 8 + v * 4 + j] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            if (panel_start + p) * 8 + (v * 4 + j) < 37:
                                                C[m_start + m_count // 3 * 3 + i, panel_start * 8 + p * 8 + v * 4 + j] = C[m_start + m_count // 3 * 3 + i, panel_start * 8 + p * 8 + v * 4 + j] + tile_1[i, v, j]
                        if m_count % 3 % 2 >= 1 and (m_count // 3 * 3 + m_count % 3 // 2 * 2 + 1 <= 7 and m_start + (m_count // 3 * 3 + m_count % 3 // 2 * 2 + 1) <= 13):
                            for i in T.unroll(1):
                                for v in T.unroll(2):
                                    for j in T.vectorized(4):
                                        tile_2[i, v, j] = T.float32(0.0)
                            for k in range(k_count):
                                for i in T.unroll(1):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            tile_2[i, v, j] = tile_2[i, v, j] + packed_a[m_count // 3 * 3 + m_count % 3 // 2 * 2 + i, k] * packed_b[panel_start + p, k_start + k, v * 4 + j]
                            if k_block == 0:
                                for i in T.unroll(1):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            if (panel_start + p) * 8 + (v * 4 + j) < 37:
                                                C[m_start + m_count // 3 * 3 + m_count % 3 // 2 * 2 + i, panel_start * 8 + p * 8 + v * 4 + j] = tile_2[i, v, j]
                            else:
                                for i in T.unroll(1):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            if (panel_start + p) * 8 + (v * 4 + j) < 37:
                                                C[m_start + m_count // 3 * 3 + m_count % 3 // 2 * 2 + i, panel_start * 8 + p * 8 + v * 4 + j] = C[m_start + m_count // 3 * 3 + m_count % 3 // 2 * 2 + i, panel_start * 8 + p * 8 + v * 4 + j] + tile_2[i, v, j]
