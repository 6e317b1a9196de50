# What follows a product is computed on finished tiles: two results, one of them with another number of dimensions.
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
        packed_columns = T.alloc_buffer((T.int64(3), T.int64(10), T.int64(4)), align=64)
        for panel in T.parallel(T.int64(3)):
            for k in range(T.int64(10)):
                for j in T.vectorized(T.int64(4)):
                    with T.block("packed_columns"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * T.int64(4) + j_1])
                        T.writes(packed_columns[panel_1, k_1, j_1])
                        packed_columns[panel_1, k_1, j_1] = T.if_then_else(panel_1 * T.int64(4) + j_1 < T.int64(11), B[k_1, panel_1 * T.int64(4) + j_1], T.float32(0.0))
        for task in T.parallel((m + T.int64(5)) // T.int64(6) * T.int64(2)):
            with T.block("P"):
                T.reads(A[T.int64(0):m, T.int64(0):T.int64(10)], packed_columns[T.int64(0):T.int64(3), T.int64(0):T.int64(10), T.int64(0):T.int64(4)], bias[0:11])
                T.writes(D[T.int64(0):m, T.int64(0):T.int64(11)], E[T.int64(0), T.int64(0):m, T.int64(0):T.int64(11)])
                sums = T.alloc_buffer((T.int64(6), T.int64(8)), align=64)
                packed_rows = T.alloc_buffer((T.int64(6), T.int64(16)), align=64)
                tile = T.alloc_buffer((T.int64(3), T.int64(1), T.int64(4)), scope="local", align=64)
                tile_1 = T.alloc_buffer((T.int64(2), T.int64(1), T.int64(4)), scope="local", align=64)
                tile_2 = T.alloc_buffer((T.int64(1), T.int64(1), T.int64(4)), scope="local", align=64)
                column_block: T.int64 = task % T.int64(2)
                row_block: T.int64 = task // T.int64(2)
                row: T.int64 = row_block * T.int64(6)
                panel: T.int64 = column_block * T.int64(2)
                rows: T.int64 = T.min(m - row, T.int64(6))
                panels: T.int64 = T.min(T.int64(3) - panel, T.int64(2))
                for step in range(T.int64(2)):
                    start: T.int64 = step * T.int64(5)
                    for i in range(rows):
                        for k in T.vectorized(T.int64(5)):
                            packed_rows[i, k] = A[row + i, start + k]
                    for p in range(panels):
                        for t in range(rows // T.int64(3)):
                            if t * T.int64(3) + T.int64(3) <= rows:
                                for i in T.unroll(T.int64(3)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile[i, v, j] = T.float32(0.0)
                                for k in range(T.int64(5)):
                                    for i in T.unroll(T.int64(3)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                tile[i, v, j] = tile[i, v, j] + packed_rows[t * T.int64(3) + i, k] * packed_columns[panel + p, start + k, v * T.int64(4) + j]
                                if step == T.int64(0):
                                    for i in T.unroll(T.int64(3)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                sums[t * T.int64(3) + i, p * T.int64(4) + (v * T.int64(4) + j)] = tile[i, v, j]
                                else:
                                    for i in T.unroll(T.int64(3)):
                                        for v in T.unroll(T.int64(1)):
                                            for j in T.vectorized(T.int64(4)):
                                                sums[t * T.int64(3) + i, p * T.int64(4) + (v * T.int64(4) + j)] = sums[t * T.int64(3) + i, p * T.int64(4) + (v * T.int64(4) + j)] + tile[i, v, j]
                                if step == T.int64(1):
                                    for piece in range(T.int64(3)):
                                        v: T.int64 = T.int64(0)
                                        for j in T.vectorized(T.int64(4)):
                                            if (panel + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                                D[row + t * T.int64(3) + piece, panel * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.max(sums[t * T.int64(3) + piece, p * T.int64(4) + (v * T.int64(4) + j)] + bias[panel * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j], T.float32(0.0))
                                            if (panel + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                                E[T.int64(0), row + t * T.int64(3) + piece, panel * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.Cast("float16", sums[t * T.int64(3) + piece, p * T.int64(4) + (v * T.int64(4) + j)] * sums[t * T.int64(3) + piece, p * T.int64(4) + (v * T.int64(4) + j)])
                        if rows % T.int64(3) >= T.int64(2) and (rows // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + T.int64(2) <= T.int64(6) and row + (rows // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + T.int64(2)) <= m):
                            for i in T.unroll(T.int64(2)):
                                for v in T.unroll(T.int64(1)):
                                    for j in T.vectorized(T.int64(4)):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k in range(T.int64(5)):
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile_1[i, v, j] = tile_1[i, v, j] + packed_rows[rows // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + i, k] * packed_columns[panel + p, start + k, v * T.int64(4) + j]
                            if step == T.int64(0):
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            sums[rows // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + i, p * T.int64(4) + (v * T.int64(4) + j)] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            sums[rows // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + i, p * T.int64(4) + (v * T.int64(4) + j)] = sums[rows // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + i, p * T.int64(4) + (v * T.int64(4) + j)] + tile_1[i, v, j]
                            if step == T.int64(1):
                                for piece in range(T.int64(2)):
                                    v: T.int64 = T.int64(0)
                                    for j in T.vectorized(T.int64(4)):
                                        if (panel + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                            D[row + rows // T.int64(3) * T.int64(3) + piece, panel * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.max(sums[rows // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + piece, p * T.int64(4) + (v * T.int64(4) + j)] + bias[panel * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j], T.float32(0.0))
                                        if (panel + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                            E[T.int64(0), row + rows // T.int64(3) * T.int64(3) + piece, panel * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.Cast("float16", sums[rows // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + piece, p * T.int64(4) + (v * T.int64(4) + j)] * sums[rows // T.int64(3) * T.int64(3) + T.Mul(T.int64(0), T.int64(4)) + piece, p * T.int64(4) + (v * T.int64(4) + j)])
                        if rows % T.int64(3) % T.int64(2) >= T.int64(1) and (rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + T.int64(1) <= T.int64(6) and row + (rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + T.int64(1)) <= m):
                            for i in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(1)):
                                    for j in T.vectorized(T.int64(4)):
                                        tile_2[i, v, j] = T.float32(0.0)
                            for k in range(T.int64(5)):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile_2[i, v, j] = tile_2[i, v, j] + packed_rows[rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + i, k] * packed_columns[panel + p, start + k, v * T.int64(4) + j]
                            if step == T.int64(0):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            sums[rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + i, p * T.int64(4) + (v * T.int64(4) + j)] = tile_2[i, v, j]
                            else:
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(1)):
                                        for j in T.vectorized(T.int64(4)):
                                            sums[rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + i, p * T.int64(4) + (v * T.int64(4) + j)] = sums[rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + i, p * T.int64(4) + (v * T.int64(4) + j)] + tile_2[i, v, j]
                            if step == T.int64(1):
                                for piece in range(T.int64(1)):
                                    v: T.int64 = T.int64(0)
                                    for j in T.vectorized(T.int64(4)):
                                        if (panel + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                            D[row + rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + piece, panel * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.max(sums[rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + piece, p * T.int64(4) + (v * T.int64(4) + j)] + bias[panel * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j], T.float32(0.0))
                                        if (panel + p) * T.int64(4) + (v * T.int64(4) + j) < T.int64(11):
                                            E[T.int64(0), row + rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + piece, panel * T.int64(4) + p * T.int64(4) + v * T.int64(4) + j] = T.Cast("float16", sums[rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + piece, p * T.int64(4) + (v * T.int64(4) + j)] * sums[rows // T.int64(3) * T.int64(3) + rows % T.int64(3) // T.int64(2) * T.int64(2) + piece, p * T.int64(4) + (v * T.int64(4) + j)])
