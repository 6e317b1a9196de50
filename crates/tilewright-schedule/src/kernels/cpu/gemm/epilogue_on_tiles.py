# An epilogue on finished tiles: two outputs, one of them with another number of dimensions.
# test: schedule
# step: b = get_block("P")
# step: gemm(b, 3, 1, 4, 5, 6, 8)
# run: main m=7 == same
# run: main m=0 == same
# run: main m=1 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, B: T.Buffer((10, 11), "float32"), bias: T.Buffer((11,), "float32"), d: T.handle, e: T.handle):
        m = T.int64()
        A = T.match_buffer(a, (m, T.int64(10)), "float32")
        D = T.match_buffer(d, (m, T.int64(11)), "float32")
        E = T.match_buffer(e, (T.int64(1), m, T.int64(11)), "float16")
        P = T.alloc_buffer((m, T.int64(11)), "float32")
        for i, j, k in T.grid(m, T.int64(11), T.int64(10)):
            with T.block("P"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(m, T.int64(11)):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = T.max(P[vi, vj] + bias[vj], T.float32(0))
        for u, i, j in T.grid(T.int64(1), m, T.int64(11)):
            with T.block("E"):
                vu, vi, vj = T.axis.remap("SSS", [u, i, j])
                E[vu, vi, vj] = T.Cast("float16", P[vi, vj] * P[vi, vj])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, B: T.Buffer((10, 11), "float32"), bias: T.Buffer((11,), "float32"), d: T.handle, e: T.handle):
        m = T.int64()
        A = T.match_buffer(a, (m, T.int64(10)), "float32")
        D = T.match_buffer(d, (m, T.int64(11)), "float32")
        E = T.match_buffer(e, (T.int64(1), m, T.int64(11)), "float16")
        # with T.block("root"):
        packed_b = T.alloc_buffer((T.int64(3), T.int64(10), T.int64(4)), align=64)
        for panel in T.parallel(T.int64(3)):
            for k in range(T.int64(10)):
                for j in T.vectorized(T.int64(4)):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * T.int64(4) + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * T.int64(4) + j_1 < T.int64(11), B[k_1, panel_1 * T.int64(4) + j_1], T.float32(0.0))
        for task in T.parallel((m + T.int64(5)) // T.int64(6) * T.int64(2)):
            with T.block("P"):
                T.reads(A[T.int64(0):m, T.int64(0):T.int64(10)], packed_b[T.int64(0):T.int64(3), T.int64(0):T.int64(10), T.int64(0):T.int64(4)], bias[0:11])
                T.writes(D[T.int64(0):m, T.int64(0):T.int64(11)], E[T.int64(0), T.int64(0):m, T.int64(0):T.int64(11)])
                partial_sums = T.alloc_buffer((T.int64(6), T.int64(8)), align=64)
                packed_a = T.alloc_buffer((T.int64(6), T.int64(16)), align=64)
                tile = T.alloc_buffer((T.int64(3), T.int64(1), T.int64(4)), scope="local", align=64)
                tile_1 = T.alloc_buffer((T.int64(2), T.int64(1), T.int64(4)), scope="local", align=64)
                tile_2 = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(4)), scope="local", align=64)
                n_block: T.int64 = task % T.int64(2)
                m_block: T.int64 = task // T.int64(2)
                m_start: T.int64 = m_block * T.int64(6)
                panel_start: T.int64 = n_block * T.int64(2)
                m_count: T.int64 = T.min(m - m_start, T.int64(6))
                panels: T.int64 = T.min(T.int64(3) - panel_start, T.int64(2))
                for k_block in range(T.int64(2)):
                    k_start: T.int64 = k_block * T.int64(5)
                    for i in range(m_count):
                        for k in T.vectorized(T.int64(5)):
                            packed_a[i, k] = A[m_start + i, k_start + k]
                    for p in range(panels):
                        for t in range(m_count // T.int64(3)):
                            if t * T.int64(3) + T.int64(3) <= m_count:
                                for i in T.unroll(T.int64(3)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile[i, v, j] = T.float32(0.0)
                                for k in range(T.int64(5)):
                                    for i in T.unroll(T.int64(3)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                tile[i, v, j] = tile[i, v, j] + packed_a[t * T.int64(3) + i, k] * packed_b[panel_start + p, k_start + k, v * T.int64(4) + j]
                                if k_block == T.int64(0):
                                    for i in T.unroll(T.int64(3)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                partial_sums[t * T.int64(3) + i, p * T.int64(4) + (v * T.int64(4) + j)] = tile[i, v, j]
                                else:
                                    for i in T.unroll(T.int64(3)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                partial_sums[t * T.int64(3) + i, p * T.int64(4) + (v * T.int64(4) + j)] = partial_sums[t * T.int64(3) + i, p * T.int64(4) + (v * T.int64(4) + j)] + tile[i, v, j]
                                if k_block == T.int64(1):
                                    for piece in range(T.int64(3)):
                                        v: T.int64 = T.int64(0)
                                        for j in T.vectorized(T.int64(4)):
                                            if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                                D[m_start + t * T.int64(3) + piece, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.max(partial_sums[t * T.int64(3) + piece, p * T.int64(4) + (v * T.int64(4) + j)] + bias[panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j], T.float32(0.0))
                                            if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                                E[T.int64(0), m_start + t * T.int64(3) + piece, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.Cast("float16", partial_sums[t * T.int64(3) + piece, p * T.int64(4) + (v * T.int64(4) + j)] * partial_sums[t * T.int64(3) + piece, p * T.int64(4) + (v * T.int64(4) + j)])
                        if m_count % T.int64(3) >= T.int64(2) and (m_count // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + T.int64(2) <= T.int64(6) and m_start + (m_count // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + T.int64(2)) <= m):
                            for i in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(1)):
                                    for j in T.vectorized(T.int64(4)):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k in range(T.int64(5)):
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile_1[i, v, j] = tile_1[i, v, j] + packed_a[m_count // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + i, k] * packed_b[panel_start + p, k_start + k, v * T.int64(4) + j]
                            if k_block == T.int64(0):
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            partial_sums[m_count // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + i, p * T.int64(4) + (v * T.int64(4) + j)] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            partial_sums[m_count // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + i, p * T.int64(4) + (v * T.int64(4) + j)] = partial_sums[m_count // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + i, p * T.int64(4) + (v * T.int64(4) + j)] + tile_1[i, v, j]
                            if k_block == T.int64(1):
                                for piece in range(T.int64(2)):
                                    v: T.int64 = T.int64(0)
                                    for j in T.vectorized(T.int64(4)):
                                        if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                            D[m_start + m_count // T.int64(3) * T.int64(3) + piece, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.max(partial_sums[m_count // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + piece, p * T.int64(4) + (v * T.int64(4) + j)] + bias[panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j], T.float32(0.0))
                                        if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                            E[T.int64(0), m_start + m_count // T.int64(3) * T.int64(3) + piece, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.Cast("float16", partial_sums[m_count // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + piece, p * T.int64(4) + (v * T.int64(4) + j)] * partial_sums[m_count // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + piece, p * T.int64(4) + (v * T.int64(4) + j)])
                        if m_count % T.int64(3) % T.int64(2) >= T.int64(1) and (m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + T.int64(1) <= T.int64(6) and m_start + (m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + T.int64(1)) <= m):
                            for i in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(1)):
                                    for j in T.vectorized(T.int64(4)):
                                        tile_2[i, v, j] = T.float32(0.0)
                            for k in range(T.int64(5)):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile_2[i, v, j] = tile_2[i, v, j] + packed_a[m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + i, k] * packed_b[panel_start + p, k_start + k, v * T.int64(4) + j]
                            if k_block == T.int64(0):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            partial_sums[m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + i, p * T.int64(4) + (v * T.int64(4) + j)] = tile_2[i, v, j]
                            else:
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            partial_sums[m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + i, p * T.int64(4) + (v * T.int64(4) + j)] = partial_sums[m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + i, p * T.int64(4) + (v * T.int64(4) + j)] + tile_2[i, v, j]
                            if k_block == T.int64(1):
                                for piece in range(T.int64(1)):
                                    v: T.int64 = T.int64(0)
                                    for j in T.vectorized(T.int64(4)):
                                        if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                            D[m_start + m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + piece, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.max(partial_sums[m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + piece, p * T.int64(4) + (v * T.int64(4) + j)] + bias[panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j], T.float32(0.0))
                                        if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                            E[T.int64(0), m_start + m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + piece, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.Cast("float16", partial_sums[m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + piece, p * T.int64(4) + (v * T.int64(4) + j)] * partial_sums[m_count // T.int64(3) * T.int64(3) + m_count % T.int64(3) // T.int64(2) * T.int64(2) + piece, p * T.int64(4) + (v * T.int64(4) + j)])
