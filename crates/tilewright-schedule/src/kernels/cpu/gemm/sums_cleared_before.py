# Sums that a stage before the GEMM clears: they are zero where K is.
# test: schedule
# step: b = get_block("update")
# step: gemm(b, 2, 1, 4, 4, 4, 8)
# run: main k=9 == same
# run: main k=4 == same
# run: main k=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, c: T.handle, D: T.Buffer((T.int64(5), T.int64(10)), "float32")):
        k = T.int64()
        A = T.match_buffer(a, (T.int64(5), k), "float32")
        B = T.match_buffer(c, (k, T.int64(10)), "float32")
        P = T.alloc_buffer((T.int64(5), T.int64(10)), "float32")
        for i, j in T.grid(T.int64(5), T.int64(10)):
            with T.block("init"):
                vi, vj = T.axis.remap("SS", [i, j])
                P[vi, vj] = T.float32(0)
        for i, j, l in T.grid(T.int64(5), T.int64(10), k):
            with T.block("update"):
                vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                P[vi, vj] = P[vi, vj] + A[vi, vl] * B[vl, vj]
        for i, j in T.grid(T.int64(5), T.int64(10)):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = P[vi, vj] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, c: T.handle, D: T.Buffer((T.int64(5), T.int64(10)), "float32")):
        k = T.int64()
        A = T.match_buffer(a, (T.int64(5), k), "float32")
        B = T.match_buffer(c, (k, T.int64(10)), "float32")
        # with T.block("root"):
        packed_b = T.alloc_buffer((T.int64(3), k, T.int64(4)), align=64)
        for task in T.parallel((k + T.int64(15)) // T.int64(16)):
            for panel, k_1 in T.grid(T.int64(3), T.int64(16)):
                for j in T.vectorized(T.int64(4)):
                    with T.block("packed_b"):
                        panel_1 = T.axis.spatial(T.int64(3), panel)
                        k_2 = T.axis.spatial(k, task * T.int64(16) + k_1)
                        j_1 = T.axis.spatial(T.int64(4), j)
                        T.where(task * T.int64(16) + k_1 < k)
                        T.reads(B[k_2, panel_1 * T.int64(4) + j_1])
                        T.writes(packed_b[panel_1, k_2, j_1])
                        packed_b[panel_1, k_2, j_1] = T.if_then_else(panel_1 * T.int64(4) + j_1 < T.int64(10), B[k_2, panel_1 * T.int64(4) + j_1], T.float32(0.0))
        for task in T.parallel(T.int64(4)):
            with T.block("update"):
                T.reads(A[T.int64(0):T.int64(5), T.int64(0):k], packed_b[T.int64(0):T.int64(3), T.int64(0):k, T.int64(0):T.int64(4)])
                T.writes(D[T.int64(0):T.int64(5), T.int64(0):T.int64(10)])
                partial_sums = T.alloc_buffer((T.int64(4), T.int64(8)), align=64)
                packed_a = T.alloc_buffer((T.int64(4), T.int64(16)), align=64)
                tile = T.alloc_buffer((T.int64(2), T.int64(1), T.int64(4)), scope="local", align=64)
                tile_1 = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(4)), scope="local", align=64)
                n_block: T.int64 = task // T.int64(2)
                m_block: T.int64 = task % T.int64(2)
                m_start: T.int64 = m_block * T.int64(4)
                panel_start: T.int64 = n_block * T.int64(2)
                m_count: T.int64 = T.min(T.int64(5) - m_start, T.int64(4))
                panels: T.int64 = T.min(T.int64(3) - panel_start, T.int64(2))
                for k_block in range(T.max((k + T.int64(3)) // T.int64(4), T.int64(1))):
                    k_start: T.int64 = k_block * T.int64(4)
                    k_count: T.int64 = T.min(k - k_block * T.int64(4), T.int64(4))
                    for i in range(m_count):
                        for k_1 in T.vectorized(k_count):
                            packed_a[i, k_1] = A[m_start + i, k_start + k_1]
                    for p in range(panels):
                        for t in range(m_count // T.int64(2)):
                            if t * T.int64(2) + T.int64(2) <= m_count:
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile[i, v, j] = T.float32(0.0)
                                for k_1 in range(k_count):
                                    for i in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                tile[i, v, j] = tile[i, v, j] + packed_a[t * T.int64(2) + i, k_1] * packed_b[panel_start + p, k_start + k_1, v * T.int64(4) + j]
                                if k_block == T.int64(0):
                                    for i in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                partial_sums[t * T.int64(2) + i, p * T.int64(4) + (v * T.int64(4) + j)] = tile[i, v, j]
                                else:
                                    for i in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                partial_sums[t * T.int64(2) + i, p * T.int64(4) + (v * T.int64(4) + j)] = partial_sums[t * T.int64(2) + i, p * T.int64(4) + (v * T.int64(4) + j)] + tile[i, v, j]
                                if k_block == T.max((k + T.int64(3)) // T.int64(4) - T.int64(1), T.int64(0)):
                                    for piece in range(T.int64(2)):
                                        v: T.int64 = T.int64(0)
                                        for j in T.vectorized(T.int64(4)):
                                            if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(10):
                                                D[m_start + t * T.int64(2) + piece, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = partial_sums[t * T.int64(2) + piece, p * T.int64(4) + (v * T.int64(4) + j)] + T.float32(1.0)
                        if m_count % T.int64(2) >= T.int64(1) and (m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + T.int64(1) <= T.int64(4) and m_start + (m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + T.int64(1)) <= T.int64(5)):
                            for i in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(1)):
                                    for j in T.vectorized(T.int64(4)):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k_1 in range(k_count):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile_1[i, v, j] = tile_1[i, v, j] + packed_a[m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + i, k_1] * packed_b[panel_start + p, k_start + k_1, v * T.int64(4) + j]
                            if k_block == T.int64(0):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            partial_sums[m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + i, p * T.int64(4) + (v * T.int64(4) + j)] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            partial_sums[m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + i, p * T.int64(4) + (v * T.int64(4) + j)] = partial_sums[m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + i, p * T.int64(4) + (v * T.int64(4) + j)] + tile_1[i, v, j]
                            if k_block == T.max((k + T.int64(3)) // T.int64(4) - T.int64(1), T.int64(0)):
                                for piece in range(T.int64(1)):
                                    v: T.int64 = T.int64(0)
                                    for j in T.vectorized(T.int64(4)):
                                        if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(10):
                                            D[m_start + m_count // T.int64(2) * T.int64(2) + piece, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = partial_sums[m_count // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + piece, p * T.int64(4) + (v * T.int64(4) + j)] + T.float32(1.0)
