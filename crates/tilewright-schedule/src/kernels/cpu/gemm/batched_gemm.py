# A batched GEMM of symbolic sizes; the tasks pack what they use.
# test: schedule
# step: b = get_block("C")
# step: gemm(b, 4, 1, 4, 4, 8, 8, "column_major", "task")
# run: main b=2 m=13 n=9 k=7 == same
# run: main b=1 m=1 n=1 k=1 == same
# run: main b=3 m=8 n=8 k=0 == same
# run: main b=0 m=5 n=5 k=5 == same
# run: main b=1 m=0 n=5 k=5 == same
# run: main b=1 m=5 n=0 k=5 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, c: T.handle, d: T.handle):
        b, m, n, k = T.int64(), T.int64(), T.int64(), T.int64()
        A = T.match_buffer(a, (b, k, m), "float32")
        B = T.match_buffer(c, (b, k, n), "float32")
        C = T.match_buffer(d, (b, m, n), "float32")
        for h, i, j, l in T.grid(b, m, n, k):
            with T.block("C"):
                vh, vi, vj, vl = T.axis.remap("SSSR", [h, i, j, l])
                with T.init():
                    C[vh, vi, vj] = T.float32(0)
                C[vh, vi, vj] = C[vh, vi, vj] + A[vh, vl, vi] * B[vh, vl, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, c: T.handle, d: T.handle):
        b = T.int64()
        k = T.int64()
        m = T.int64()
        A = T.match_buffer(a, (b, k, m), "float32")
        n = T.int64()
        B = T.match_buffer(c, (b, k, n), "float32")
        C = T.match_buffer(d, (b, m, n), "float32")
        # with T.block("root"):
        for task in T.parallel(b * ((n + T.int64(7)) // T.int64(8)) * ((m + T.int64(7)) // T.int64(8))):
            with T.block("C"):
                T.reads(A[T.int64(0):b, T.int64(0):k, T.int64(0):m], B[T.int64(0):b, T.int64(0):k, T.int64(0):n], C[T.int64(0):b, T.int64(0):m, T.int64(0):n])
                T.writes(C[T.int64(0):b, T.int64(0):m, T.int64(0):n])
                packed_a = T.alloc_buffer((T.int64(4), T.int64(16)), align=64)
                packed_b = T.alloc_buffer((T.int64(4), T.int64(4)), align=64)
                tile = T.alloc_buffer((T.int64(4), T.int64(1), T.int64(4)), scope="local", align=64)
                tile_1 = T.alloc_buffer((T.int64(2), T.int64(1), T.int64(4)), scope="local", align=64)
                tile_2 = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(4)), scope="local", align=64)
                batch: T.int64 = task // ((m + T.int64(7)) // T.int64(8)) // ((n + T.int64(7)) // T.int64(8))
                n_block: T.int64 = task // ((m + T.int64(7)) // T.int64(8)) % ((n + T.int64(7)) // T.int64(8))
                m_block: T.int64 = task % ((m + T.int64(7)) // T.int64(8))
                m_start: T.int64 = m_block * T.int64(8)
                panel_start: T.int64 = n_block * T.int64(2)
                m_count: T.int64 = T.min(m - m_start, T.int64(8))
                panels: T.int64 = T.min((n + T.int64(3)) // T.int64(4) - panel_start, T.int64(2))
                for k_block in range(T.max((k + T.int64(3)) // T.int64(4), T.int64(1))):
                    k_start: T.int64 = k_block * T.int64(4)
                    k_count: T.int64 = T.min(k - k_block * T.int64(4), T.int64(4))
                    for k_1 in range(k_count):
                        for i in T.vectorized(m_count):
                            packed_a[k_1, i] = A[batch, k_start + k_1, m_start + i]
                    for p in range(panels):
                        for k_1, v in T.grid(k_count, T.int64(1)):
                            for j in T.vectorized(T.int64(4)):
                                packed_b[k_1, v * T.int64(4) + j] = T.if_then_else((panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < n, B[batch, k_start + k_1, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j], T.float32(0.0))
                        for t in range(m_count // T.int64(4)):
                            if t * T.int64(4) + T.int64(4) <= m_count:
                                for i in T.unroll(T.int64(4)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile[i, v, j] = T.float32(0.0)
                                for k_1 in range(k_count):
                                    for i in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                tile[i, v, j] = tile[i, v, j] + packed_a[k_1, t * T.int64(4) + i] * packed_b[k_1, v * T.int64(4) + j]
                                if k_block == T.int64(0):
                                    for i in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < n:
                                                    C[batch, m_start + t * T.int64(4) + i, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = tile[i, v, j]
                                else:
                                    for i in T.unroll(T.int64(4)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < n:
                                                    C[batch, m_start + t * T.int64(4) + i, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = C[batch, m_start + t * T.int64(4) + i, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] + tile[i, v, j]
                        if m_count % T.int64(4) >= T.int64(2) and (m_count // T.int64(4) * T.int64(4) + T.Mul(T.int64(0), T.int64(4)) + T.int64(2) <= T.int64(8) and m_start + (m_count // T.int64(4) * T.int64(4) + T.Mul(T.int64(0), T.int64(4)) + T.int64(2)) <= m):
                            for i in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(1)):
                                    for j in T.vectorized(T.int64(4)):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k_1 in range(k_count):
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile_1[i, v, j] = tile_1[i, v, j] + packed_a[k_1, m_count // T.int64(4) * T.int64(4) + T.Mul(T.int64(0), T.int64(4)) + i] * packed_b[k_1, v * T.int64(4) + j]
                            if k_block == T.int64(0):
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < n:
                                                C[batch, m_start + m_count // T.int64(4) * T.int64(4) + i, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < n:
                                                C[batch, m_start + m_count // T.int64(4) * T.int64(4) + i, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = C[batch, m_start + m_count // T.int64(4) * T.int64(4) + i, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] + tile_1[i, v, j]
                        if m_count % T.int64(2) >= T.int64(1) and (m_count // T.int64(4) * T.int64(4) + m_count // T.int64(2) % T.int64(2) * T.int64(2) + T.int64(1) <= T.int64(8) and m_start + (m_count // T.int64(4) * T.int64(4) + m_count // T.int64(2) % T.int64(2) * T.int64(2) + T.int64(1)) <= m):
                            for i in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(1)):
                                    for j in T.vectorized(T.int64(4)):
                                        tile_2[i, v, j] = T.float32(0.0)
                            for k_1 in range(k_count):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile_2[i, v, j] = tile_2[i, v, j] + packed_a[k_1, m_count // T.int64(4) * T.int64(4) + m_count // T.int64(2) % T.int64(2) * T.int64(2) + i] * packed_b[k_1, v * T.int64(4) + j]
                            if k_block == T.int64(0):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < n:
                                                C[batch, m_start + m_count // T.int64(2) * T.int64(2) + i, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = tile_2[i, v, j]
                            else:
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            if (panel_start + p) * T.int64(4) + (v * T.int64(4) + j) < n:
                                                C[batch, m_start + m_count // T.int64(2) * T.int64(2) + i, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = C[batch, m_start + m_count // T.int64(2) * T.int64(2) + i, panel_start * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] + tile_2[i, v, j]
