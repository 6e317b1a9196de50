# The kernel and the fields of its plan by their earlier names.
# test: schedule
# step: b = get_block("C")
# step: tile_product(b, rows=2, vectors=1, lanes=4, depth=4, row_block=4, column_block=8, pack_rows="none", pack_columns="task", grouped=False, widened=False, outer_steps=False, ask_near=False)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 6), "float32"), B: T.Buffer((6, 9), "float32"), C: T.Buffer((5, 9), "float32")):
        for i, j, k in T.grid(5, 9, 6):
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
    def main(A: T.Buffer((5, 6), "float32"), B: T.Buffer((6, 9), "float32"), C: T.Buffer((5, 9), "float32")):
        # with T.block("root"):
        for task in T.parallel(4):
            with T.block("C"):
                T.reads(A[0:5, 0:6], B[0:6, 0:9], C[0:5, 0:9])
                T.writes(C[0:5, 0:9])
                packed_b = T.alloc_buffer((4, 4), align=64)
                tile = T.alloc_buffer((2, 1, 4), scope="local", align=64)
                tile_1 = T.alloc_buffer((1, 1, 4), scope="local", align=64)
                n_block: T.int32 = task // 2
                m_block: T.int32 = task % 2
                m_start: T.int32 = m_block * 4
                panel_start: T.int32 = n_block * 2
                m_count: T.int32 = T.min(5 - m_start, 4)
                panels: T.int32 = T.min(3 - panel_start, 2)
                for k_block in range(2):
                    k_start: T.int32 = k_block * 4
                    k_count: T.int32 = T.min(3 - k_block * 2, 2) * 2
                    for p in range(panels):
                        for k, v in T.grid(k_count, 1):
                            for j in T.vectorized(4):
                                packed_b[k, v * 4 + j] = T.if_then_else((panel_start + p) * 4 + (v * 4 + j) < 9, B[k_start + k, panel_start * 4 + p * 4 + v * 4 + j], T.float32(0.0))
                        for t in range(m_count // 2):
                            if t * 2 + 2 <= m_count:
                                for i in T.unroll(2):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = T.float32(0.0)
                                for k in range(k_count):
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                tile[i, v, j] = tile[i, v, j] + A[m_start + t * 2 + i, k_start + k] * packed_b[k, v * 4 + j]
                                if k_block == 0:
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                if (panel_start + p) * 4 + (v * 4 + j) < 9:
                                                    C[m_start + t * 2 + i, panel_start * 4 + p * 4 + v * 4 + j] = tile[i, v, j]
                                else:
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                if (panel_start + p) * 4 + (v * 4 + j) < 9:
                                                    C[m_start + t * 2 + i, panel_start * 4 + p * 4 + v * 4 + j] = C[m_start + t * 2 + i, panel_start * 4 + p * 4 + v * 4 + j] + tile[i, v, j]
                        if m_count % 2 >= 1 and (m_count // 2 * 2 + T.Mul(0, 2) + 1 <= 4 and m_start + (m_count // 2 * 2 + T.Mul(0, 2) + 1) <= 5):
                            for i in T.unroll(1):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k in range(k_count):
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile_1[i, v, j] = tile_1[i, v, j] + A[m_start + m_count // 2 * 2 + i, k_start + k] * packed_b[k, v * 4 + j]
                            if k_block == 0:
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            if (panel_start + p) * 4 + (v * 4 + j) < 9:
                                                C[m_start + m_count // 2 * 2 + i, panel_start * 4 + p * 4 + v * 4 + j] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            if (panel_start + p) * 4 + (v * 4 + j) < 9:
                                                C[m_start + m_count // 2 * 2 + i, panel_start * 4 + p * 4 + v * 4 + j] = C[m_start + m_count // 2 * 2 + i, panel_start * 4 + p * 4 + v * 4 + j] + tile_1[i, v, j]
