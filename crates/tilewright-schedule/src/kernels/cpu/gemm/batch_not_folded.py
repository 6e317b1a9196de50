# The rows of several matrices are not contiguous in the result: each matrix has tasks of its own.
# test: schedule
# step: b = get_block("C")
# step: gemm(b, 2, 1, 4, 5, 4, 8)
# run: main m=7 == same
# run: main m=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, B: T.Buffer((5, 6), "float32"), d: T.handle):
        m = T.int64()
        A = T.match_buffer(a, (T.int64(3), m, T.int64(5)), "float32")
        C = T.match_buffer(d, (m, T.int64(3), T.int64(6)), "float32")
        for h, i, j, k in T.grid(T.int64(3), m, T.int64(6), T.int64(5)):
            with T.block("C"):
                vh, vi, vj, vk = T.axis.remap("SSSR", [h, i, j, k])
                with T.init():
                    C[vi, vh, vj] = T.float32(0)
                C[vi, vh, vj] = C[vi, vh, vj] + A[vh, vi, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, B: T.Buffer((5, 6), "float32"), d: T.handle):
        m = T.int64()
        A = T.match_buffer(a, (T.int64(3), m, T.int64(5)), "float32")
        C = T.match_buffer(d, (m, T.int64(3), T.int64(6)), "float32")
        # with T.block("root"):
        packed_b = T.alloc_buffer((T.int64(2), T.int64(5), T.int64(4)), align=64)
        for panel in T.parallel(T.int64(2)):
            for k in range(T.int64(5)):
                for j in T.vectorized(T.int64(4)):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * T.int64(4) + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * T.int64(4) + j_1 < T.int64(6), B[k_1, panel_1 * T.int64(4) + j_1], T.float32(0.0))
        for task in T.parallel((m + T.int64(3)) // T.int64(4) * T.int64(3)):
            with T.block("C"):
                T.reads(A[T.int64(0):T.int64(3), T.int64(0):m, T.int64(0):T.int64(5)], packed_b[T.int64(0):T.int64(2), T.int64(0):T.int64(5), T.int64(0):T.int64(4)], C[T.int64(0):m, T.int64(0):T.int64(3), T.int64(0):T.int64(6)])
                T.writes(C[T.int64(0):m, T.int64(0):T.int64(3), T.int64(0):T.int64(6)])
                packed_a = T.alloc_buffer((T.int64(4), T.int64(16)), align=64)
                tile = T.alloc_buffer((T.int64(2), T.int64(1), T.int64(4)), scope="local", align=64)
                tile_1 = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(4)), scope="local", align=64)
                batch: T.int64 = task % T.int64(3)
                m_block: T.int64 = task // T.int64(3)
                m_start: T.int64 = m_block * T.int64(4)
                m_count: T.int64 = T.min(m - m_start, T.int64(4))
                for i in range(m_count):
                    for k in T.vectorized(T.int64(5)):
                        packed_a[i, k] = A[batch, m_start + i, k]
                for p in range(T.int64(2)):
                    for t in range(m_count // T.int64(2)):
                        if t * T.int64(2) + T.int64(2) <= m_count:
                            for i in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(1)):
                                    for j in T.vectorized(T.int64(4)):
                                        tile[i, v, j] = T.float32(0.0)
                            for k in range(T.int64(5)):
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile[i, v, j] = tile[i, v, j] + packed_a[t * T.int64(2) + i, k] * packed_b[T.int64(0) + p, T.int64(0) + k, v * T.int64(4) + j]
                            for i in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(1)):
                                    for j in T.vectorized(T.int64(4)):
                                        if (T.int64(0) + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(6):
                                            C[m_start + t * T.int64(2) + i, batch, p * T.int64(4) + v * T.int64(4) + j] = tile[i, v, j]
                    if m_count % T.int64(2) >= T.int64(1) and (m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + T.int64(1) <= T.int64(4) and m_start + (m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + T.int64(1)) <= m):
                        for i in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(1)):
                                for j in T.vectorized(T.int64(4)):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for k in range(T.int64(5)):
                            for i in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(1)):
                                    for j in T.vectorized(T.int64(4)):
                                        tile_1[i, v, j] = tile_1[i, v, j] + packed_a[m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + i, k] * packed_b[T.int64(0) + p, T.int64(0) + k, v * T.int64(4) + j]
                        for i in T.unroll(T.int64(1)):
                            for v in T.unroll(T.int64(1)):
                                for j in T.vectorized(T.int64(4)):
                                    if (T.int64(0) + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(6):
                                        C[m_start + m_count // T.int64(2) * T.int64(2) + i, batch, p * T.int64(4) + v * T.int64(4) + j] = tile_1[i, v, j]
