# Products of a batch of bfloat16 matrices: each task copies a panel as it is, and widens the copy for its tiles.
# test: schedule
# step: b = get_block("C")
# step: gemm(b, 2, 2, 4, 4, 8, 16, "row_major", "task", "in_panel")
# run: main b=2 m=13 n=9 k=7 == same
# run: main b=1 m=8 n=16 k=8 == same
# run: main b=1 m=1 n=1 k=1 == same
# run: main b=3 m=8 n=8 k=0 == same
# run: main b=1 m=0 n=5 k=5 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, c: T.handle, d: T.handle):
        b, m, n, k = T.int64(), T.int64(), T.int64(), T.int64()
        A = T.match_buffer(a, (b, m, k), "bfloat16")
        B = T.match_buffer(c, (b, k, n), "bfloat16")
        C = T.match_buffer(d, (b, m, n), "float32")
        for h, i, j, l in T.grid(b, m, n, k):
            with T.block("C"):
                vh, vi, vj, vl = T.axis.remap("SSSR", [h, i, j, l])
                with T.init():
                    C[vh, vi, vj] = T.float32(0)
                C[vh, vi, vj] = C[vh, vi, vj] + T.Cast("float32", A[vh, vi, vl]) * T.Cast("float32", B[vh, vl, vj])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(a: T.handle, c: T.handle, d: T.handle):
        b = T.int64()
        m = T.int64()
        k = T.int64()
        A = T.match_buffer(a, (b, m, k), "bfloat16")
        n = T.int64()
        B = T.match_buffer(c, (b, k, n), "bfloat16")
        C = T.match_buffer(d, (b, m, n), "float32")
        # with T.block("root"):
        for task in T.parallel(b * ((n + T.int64(15)) // T.int64(16)) * ((m + T.int64(7)) // T.int64(8))):
            with T.block("C"):
                T.reads(A[T.int64(0):b, T.int64(0):m, T.int64(0):k], B[T.int64(0):b, T.int64(0):k, T.int64(0):n], C[T.int64(0):b, T.int64(0):m, T.int64(0):n])
                T.writes(C[T.int64(0):b, T.int64(0):m, T.int64(0):n])
                packed_rows = T.alloc_buffer((T.int64(8), T.int64(16)), align=64)
                packed_columns = T.alloc_buffer((T.int64(4), T.int64(8)), "bfloat16", align=64)
                widened_columns = T.alloc_buffer((T.int64(4), T.int64(8)), align=64)
                tile = T.alloc_buffer((T.int64(2), T.int64(2), T.int64(4)), scope="local", align=64)
                tile_1 = T.alloc_buffer((T.int64(1), T.int64(2), T.int64(4)), scope="local", align=64)
                batch: T.int64 = task // ((m + T.int64(7)) // T.int64(8)) // ((n + T.int64(15)) // T.int64(16))
                column_block: T.int64 = task // ((m + T.int64(7)) // T.int64(8)) % ((n + T.int64(15)) // T.int64(16))
                row_block: T.int64 = task % ((m + T.int64(7)) // T.int64(8))
                row: T.int64 = row_block * T.int64(8)
                panel: T.int64 = column_block * T.int64(2)
                rows: T.int64 = T.min(m - row, T.int64(8))
                panels: T.int64 = T.min((n + T.int64(7)) // T.int64(8) - panel, T.int64(2))
                for step in range((k + T.int64(3)) // T.int64(4)):
                    start: T.int64 = step * T.int64(4)
                    depth: T.int64 = T.min(k - step * T.int64(4), T.int64(4))
                    for i in range(rows):
                        for k_1 in T.vectorized(depth):
                            packed_rows[i, k_1] = T.Cast("float32", A[batch, row + i, start + k_1])
                    for p in range(panels):
                        for k_1, v in T.grid(depth, T.int64(2)):
                            for j in T.vectorized(T.int64(4)):
                                packed_columns[k_1, v * T.int64(4) + j] = T.if_then_else((panel + p) * T.int64(8) + (v * T.int64(4) + j) < n, B[batch, start + k_1, panel * T.int64(8) + p * T.int64(8) + v * T.int64(4) + j], T.bfloat16(0.0))
                        for k_1 in range(depth):
                            for v in T.unroll(T.int64(2)):
                                for j in T.vectorized(T.int64(4)):
                                    widened_columns[k_1, v * T.int64(4) + j] = T.Cast("float32", packed_columns[k_1, v * T.int64(4) + j])
                        for t in range(rows // T.int64(2)):
                            if t * T.int64(2) + T.int64(2) <= rows:
                                for i in T.unroll(T.int64(2)):
                                    for v in T.unroll(T.int64(2)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile[i, v, j] = T.float32(0.0)
                                for k_1 in range(depth):
                                    for i in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(4)):
                                                tile[i, v, j] = tile[i, v, j] + packed_rows[t * T.int64(2) + i, k_1] * widened_columns[k_1, v * T.int64(4) + j]
                                if step == T.int64(0):
                                    for i in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(4)):
                                                if (panel + p) * T.int64(8) + (v * T.int64(4) + j) < n:
                                                    C[batch, row + t * T.int64(2) + i, panel * T.int64(8) + p * T.int64(8) + v * T.int64(4) + j] = tile[i, v, j]
                                else:
                                    for i in T.unroll(T.int64(2)):
                                        for v in T.unroll(T.int64(2)):
                                            for j in T.vectorized(T.int64(4)):
                                                if (panel + p) * T.int64(8) + (v * T.int64(4) + j) < n:
                                                    C[batch, row + t * T.int64(2) + i, panel * T.int64(8) + p * T.int64(8) + v * T.int64(4) + j] = C[batch, row + t * T.int64(2) + i, panel * T.int64(8) + p * T.int64(8) + v * T.int64(4) + j] + tile[i, v, j]
                        if rows % T.int64(2) >= T.int64(1) and (rows // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + T.int64(1) <= T.int64(8) and row + (rows // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + T.int64(1)) <= m):
                            for i in T.unroll(T.int64(1)):
                                for v in T.unroll(T.int64(2)):
                                    for j in T.vectorized(T.int64(4)):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k_1 in range(depth):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(2)):
                                        for j in T.vectorized(T.int64(4)):
                                            tile_1[i, v, j] = tile_1[i, v, j] + packed_rows[rows // T.int64(2) * T.int64(2) + T.Mul(T.int64(0), T.int64(2)) + i, k_1] * widened_columns[k_1, v * T.int64(4) + j]
                            if step == T.int64(0):
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(2)):
                                        for j in T.vectorized(T.int64(4)):
                                            if (panel + p) * T.int64(8) + (v * T.int64(4) + j) < n:
                                                C[batch, row + rows // T.int64(2) * T.int64(2) + i, panel * T.int64(8) + p * T.int64(8) + v * T.int64(4) + j] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(T.int64(1)):
                                    for v in T.unroll(T.int64(2)):
                                        for j in T.vectorized(T.int64(4)):
                                            if (panel + p) * T.int64(8) + (v * T.int64(4) + j) < n:
                                                C[batch, row + rows // T.int64(2) * T.int64(2) + i, panel * T.int64(8) + p * T.int64(8) + v * T.int64(4) + j] = C[batch, row + rows // T.int64(2) * T.int64(2) + i, panel * T.int64(8) + p * T.int64(8) + v * T.int64(4) + j] + tile_1[i, v, j]
