# The kernel and the fields of its plan by their earlier names.
# test: schedule
# step: b = get_block("C")
# step: tile_product(b, rows=2, vectors=1, lanes=4, depth=4, row_block=4, column_block=8, pack_rows="none", pack_columns="task")
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
                packed_columns = T.alloc_buffer((4, 4), align=64)
                tile = T.alloc_buffer((2, 1, 4), scope="local", align=64)
                tile_1 = T.alloc_buffer((1, 1, 4), scope="local", align=64)
                column_block: T.int32 = task // 2
                row_block: T.int32 = task % 2
                row: T.int32 = row_block * 4
                panel: T.int32 = column_block * 2
                rows: T.int32 = T.min(5 - row, 4)
                panels: T.int32 = T.min(3 - panel, 2)
                for step in range(2):
                    start: T.int32 = step * 4
                    depth: T.int32 = T.min(3 - step * 2, 2) * 2
                    for p in range(panels):
                        for k, v in T.grid(depth, 1):
                            for j in T.vectorized(4):
                                packed_columns[k, v * 4 + j] = T.if_then_else((panel + p) * 4 + (v * 4 + j) < 9, B[start + k, panel * 4 + p * 4 + v * 4 + j], T.float32(0.0))
                        for t in range(rows // 2):
                            if t * 2 + 2 <= rows:
                                for i in T.unroll(2):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = T.float32(0.0)
                                for k in range(depth):
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                tile[i, v, j] = tile[i, v, j] + A[row + t * 2 + i, start + k] * packed_columns[k, v * 4 + j]
                                if step == 0:
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                if (panel + p) * 4 + (v * 4 + j) < 9:
                                                    C[row + t * 2 + i, panel * 4 + p * 4 + v * 4 + j] = tile[i, v, j]
                                else:
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                if (panel + p) * 4 + (v * 4 + j) < 9:
                                                    C[row + t * 2 + i, panel * 4 + p * 4 + v * 4 + j] = C[row + t * 2 + i, panel * 4 + p * 4 + v * 4 + j] + tile[i, v, j]
                        if rows % 2 >= 1 and (rows // 2 * 2 + T.Mul(0, 2) + 1 <= 4 and row + (rows // 2 * 2 + T.Mul(0, 2) + 1) <= 5):
                            for i in T.unroll(1):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k in range(depth):
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile_1[i, v, j] = tile_1[i, v, j] + A[row + rows // 2 * 2 + i, start + k] * packed_columns[k, v * 4 + j]
                            if step == 0:
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            if (panel + p) * 4 + (v * 4 + j) < 9:
                                                C[row + rows // 2 * 2 + i, panel * 4 + p * 4 + v * 4 + j] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            if (panel + p) * 4 + (v * 4 + j) < 9:
                                                C[row + rows // 2 * 2 + i, panel * 4 + p * 4 + v * 4 + j] = C[row + rows // 2 * 2 + i, panel * 4 + p * 4 + v * 4 + j] + tile_1[i, v, j]
