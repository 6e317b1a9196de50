# A product with a bias and an activation: sizes by the target, what is constant packed ahead, what follows on the tiles.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main m=37 == same
# run: main m=1 == same
# run: main m=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, W: T.Buffer((T.int64(20), T.int64(33)), "float32"), bias: T.Buffer((T.int64(33),), "float32"), d: T.handle):
        T.func_attr({"layout_free_buffers": [1]})
        m = T.int64()
        A = T.match_buffer(a, (m, T.int64(20)), "float32")
        D = T.match_buffer(d, (m, T.int64(33)), "float32")
        P = T.alloc_buffer((m, T.int64(33)), "float32")
        Q = T.alloc_buffer((m, T.int64(33)), "float32")
        for i, j, k in T.grid(m, T.int64(33), T.int64(20)):
            with T.block("P"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + A[vi, vk] * W[vk, vj]
        for i, j in T.grid(m, T.int64(33)):
            with T.block("Q"):
                vi, vj = T.axis.remap("SS", [i, j])
                Q[vi, vj] = P[vi, vj] + bias[vj]
        for i, j in T.grid(m, T.int64(33)):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = T.max(Q[vi, vj], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, W: T.Buffer((T.int64(20), T.int64(33)), "float32"), bias: T.Buffer((T.int64(33),), "float32"), d: T.handle):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        m = T.int64()
        A = T.match_buffer(a, (m, T.int64(20)), "float32")
        D = T.match_buffer(d, (m, T.int64(33)), "float32")
        # with T.block("root"):
        packed_b = T.alloc_buffer((T.int64(1), T.int64(20), T.int64(40)), align=64)
        for panel in T.parallel(T.int64(1)):
            for k in range(T.int64(20)):
                for j in T.vectorized(T.int64(40)):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(W[k_1, panel_1 * T.int64(40) + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * T.int64(40) + j_1 < T.int64(33), W[k_1, panel_1 * T.int64(40) + j_1], T.float32(0.0))
        for task in T.parallel((m + T.int64(191)) // T.int64(192)):
            with T.block("P"):
                T.reads(A[T.int64(0):m, T.int64(0):T.int64(20)], packed_b[T.int64(0), T.int64(0):T.int64(20), T.int64(0):T.int64(40)], bias[T.int64(0):T.int64(33)])
                T.writes(D[T.int64(0):m, T.int64(0):T.int64(33)])
                tile = T.alloc_buffer((T.int64(2), T.int64(5), T.int64(8)), scope="local", align=64)
                tile_1 = T.alloc_buffer((T.int64(1), T.int64(5), T.int64(8)), scope="local", align=64)
                m_start: T.int64 = task * T.int64(192)
                m_count: T.int64 = T.min(m - m_start, T.int64(192))
                for p in range(T.int64(1)):
                    for t in range(m_count // T.int64(2)):
                        if t * T.int64(2) + T.int64(2) <= m_count:
                            for i in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(5)):
                                    for j in T.vectorized(T.int64(8)):
                                        tile[i, v, j] = T.float32(0.0)
                            for k in range(T.int64(5)):
                                for u in T.unroll(T.int64(4)):
                                    for i in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(5)):
                                            for j in T.vectorized(T.int64(8)):
                                                tile[i, v, j] = tile[i, v, j] + A[m_start + t * T.int64(2) + i, k * T.int64(4) + u] * packed_b[T.int64(0) + p, T.int64(0) + (k * T.int64(4) + u), v * T.int64(8) + j]
                            for i in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(5)):
                                    for j in T.vectorized(T.int64(8)):
                                        if (T.int64(0) + p) * T.int64(40) + (v * T.int64(8) + j) < T.int64(33):
                                            D[m_start + t * T.int64(2) + i, p * T.int64(40) + v * T.int64(8) + j] = T.max(tile[i, v, j] + bias[p * T.int64(40) + v * T.int64(8) + j], T.float32(0.0))
                    if m_count % T.int64(2) >= T.int64(1) and (m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + T.int64(1) <= T.int64(192) and m_start + (m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + T.int64(1)) <= m):
                        for i in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(5)):
                                for j in T.vectorized(T.int64(8)):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for k in range(T.int64(5)):
                            for u in T.unroll(T.int64(4)):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(5)):
                                        for j in T.vectorized(T.int64(8)):
                                            tile_1[i, v, j] = tile_1[i, v, j] + A[m_start + m_count // T.int64(2) * T.int64(2) + i, k * T.int64(4) + u] * packed_b[T.int64(0) + p, T.int64(0) + (k * T.int64(4) + u), v * T.int64(8) + j]
                        for i in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(5)):
                                for j in T.vectorized(T.int64(8)):
                                    if (T.int64(0) + p) * T.int64(40) + (v * T.int64(8) + j) < T.int64(33):
                                        D[m_start + m_count // T.int64(2) * T.int64(2) + i, p * T.int64(40) + v * T.int64(8) + j] = T.max(tile_1[i, v, j] + bias[p * T.int64(40) + v * T.int64(8) + j], T.float32(0.0))
