# Both operands transposed, read in place: A is contiguous along M, B along K.
# test: schedule
# step: b = get_block("C")
# step: gemm(b, 2, 1, 4, 16, 4, 8, "none", "none")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 5), "float32"), B: T.Buffer((9, 6), "float32"), C: T.Buffer((5, 9), "float32")):
        for i, j, k in T.grid(5, 9, 6):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vk, vi] * B[vj, vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((6, 5), "float32"), B: T.Buffer((9, 6), "float32"), C: T.Buffer((5, 9), "float32")):
        # with T.block("root"):
        for task in T.parallel(4):
            with T.block("C"):
                T.reads(A[0:6, 0:5], B[0:9, 0:6], C[0:5, 0:9])
                T.writes(C[0:5, 0:9])
                tile = T.alloc_buffer((2, 1, 4), scope="local", align=64)
                tile_1 = T.alloc_buffer((1, 1, 4), scope="local", align=64)
                n_block: T.int32 = task // 2
                m_block: T.int32 = task % 2
                m_start: T.int32 = m_block * 4
                panel_start: T.int32 = n_block * 2
                m_count: T.int32 = T.min(5 - m_start, 4)
                panels: T.int32 = T.min(3 - panel_start, 2)
                for p in range(panels):
                    for t in range(m_count // 2):
                        if t * 2 + 2 <= m_count:
                            for i in T.unroll(2):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        tile[i, v, j] = T.float32(0.0)
                            for k in range(6):
                                for i in T.unroll(2):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = tile[i, v, j] + A[k, m_start + t * 2 + i] * T.if_then_else((panel_start + p) * 4 + (v * 4 + j) < 9, B[panel_start * 4 + p * 4 + v * 4 + j, k], T.float32(0.0))
                            for i in T.unroll(2):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        if (panel_start + p) * 4 + (v * 4 + j) < 9:
                                            C[m_start + t * 2 + i, panel_start * 4 + p * 4 + v * 4 + j] = tile[i, v, j]
                    if m_count % 2 >= 1 and (m_count // 2 * 2 + T.Mul(0, 2) + 1 <= 4 and m_start + (m_count // 2 * 2 + T.Mul(0, 2) + 1) <= 5):
                        for i in T.unroll(1):
                            for v in T.unroll(1):
                                for j in T.vectorized(4):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for k in range(6):
                            for i in T.unroll(1):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        tile_1[i, v, j] = tile_1[i, v, j] + A[k, m_start + m_count // 2 * 2 + i] * T.if_then_else((panel_start + p) * 4 + (v * 4 + j) < 9, B[panel_start * 4 + p * 4 + v * 4 + j, k], T.float32(0.0))
                        for i in T.unroll(1):
                            for v in T.unroll(1):
                                for j in T.vectorized(4):
                                    if (panel_start + p) * 4 + (v * 4 + j) < 9:
                                        C[m_start + m_count // 2 * 2 + i, panel_start * 4 + p * 4 + v * 4 + j] = tile_1[i, v, j]
