# Both factors transposed, read in place: the rows of the result are neighbours in the one, the depth in the other.
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
                column_block: T.int32 = task // 2
                row_block: T.int32 = task % 2
                row: T.int32 = row_block * 4
                panel: T.int32 = column_block * 2
                rows: T.int32 = T.min(5 - row, 4)
                panels: T.int32 = T.min(3 - panel, 2)
                for p in range(panels):
                    for t in range(rows // 2):
                        if t * 2 + 2 <= rows:
                            for i in T.unroll(2):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        tile[i, v, j] = T.float32(0.0)
                            for k in range(6):
                                for i in T.unroll(2):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = tile[i, v, j] + A[k, row + t * 2 + i] * T.if_then_else((panel + p) * 4 + (v * 4 + j) < 9, B[panel * 4 + p * 4 + v * 4 + j, k], T.float32(0.0))
                            for i in T.unroll(2):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        if (panel + p) * 4 + (v * 4 + j) < 9:
                                            C[row + t * 2 + i, panel * 4 + p * 4 + v * 4 + j] = tile[i, v, j]
                    if rows % 2 >= 1 and (rows // 2 * 2 + T.Mul(0, 2) + 1 <= 4 and row + (rows // 2 * 2 + T.Mul(0, 2) + 1) <= 5):
                        for i in T.unroll(1):
                            for v in T.unroll(1):
                                for j in T.vectorized(4):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for k in range(6):
                            for i in T.unroll(1):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        tile_1[i, v, j] = tile_1[i, v, j] + A[k, row + rows // 2 * 2 + i] * T.if_then_else((panel + p) * 4 + (v * 4 + j) < 9, B[panel * 4 + p * 4 + v * 4 + j, k], T.float32(0.0))
                        for i in T.unroll(1):
                            for v in T.unroll(1):
                                for j in T.vectorized(4):
                                    if (panel + p) * 4 + (v * 4 + j) < 9:
                                        C[row + rows // 2 * 2 + i, panel * 4 + p * 4 + v * 4 + j] = tile_1[i, v, j]
