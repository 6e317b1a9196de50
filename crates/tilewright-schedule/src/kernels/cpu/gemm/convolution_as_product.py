# A convolution with a stride: its columns are the pixels, of which panels are copied line by line.
# test: schedule
# step: b = get_block("conv")
# step: gemm(b, 2, 1, 4, 18, 4, 8, "row_major", "task")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 4, 9, 11), "float32"), W: T.Buffer((5, 4, 3, 3), "float32"), Y: T.Buffer((2, 5, 4, 5), "float32")):
        for n, f, y, x, c, r, s in T.grid(2, 5, 4, 5, 4, 3, 3):
            with T.block("conv"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    Y[vn, vf, vy, vx] = T.float32(0)
                Y[vn, vf, vy, vx] = Y[vn, vf, vy, vx] + X[vn, vc, vy * 2 + vr, vx * 2 + vs] * W[vf, vc, vr, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 4, 9, 11), "float32"), W: T.Buffer((5, 4, 3, 3), "float32"), Y: T.Buffer((2, 5, 4, 5), "float32")):
        # with T.block("root"):
        for task in T.parallel(12):
            with T.block("conv"):
                T.reads(W[0:5, 0:4, 0:3, 0:3], X[0:2, 0:4, 0:9, 0:11], Y[0:2, 0:5, 0:4, 0:5])
                T.writes(Y[0:2, 0:5, 0:4, 0:5])
                packed_rows = T.alloc_buffer((4, 32), align=64)
                packed_columns = T.alloc_buffer((18, 4), align=64)
                tile = T.alloc_buffer((2, 1, 4), scope="local", align=64)
                tile_1 = T.alloc_buffer((1, 1, 4), scope="local", align=64)
                batch: T.int32 = task // 6
                column_block: T.int32 = task // 2 % 3
                row_block: T.int32 = task % 2
                row: T.int32 = row_block * 4
                panel: T.int32 = column_block * 2
                rows: T.int32 = T.min(5 - row, 4)
                panels: T.int32 = T.min(5 - panel, 2)
                for step in range(2):
                    start: T.int32 = step * 18
                    for i in range(rows):
                        for k in T.vectorized(18):
                            packed_rows[i, k] = W[row + i, (start + k) // 9, (start + k) // 3 % 3, (start + k) % 3]
                    for p in range(panels):
                        with T.LetStmt((panel * 4 + p * 4) // 5) as first_line:
                            for number in range((T.min(panel + p + 1, 5) * 4 + 4) // 5 - 1 + 1 - first_line):
                                line: T.int32 = first_line + number
                                from_: T.int32 = T.max(panel * 4 + p * 4 - line * 5, 0)
                                piece: T.int32 = T.min(T.min(panel + p + 1, 5) * 4 - line * 5, 5) - from_
                                if line < 4:
                                    for vc, vr, vs in T.grid(2, 3, 3):
                                        for x in T.vectorized(piece):
                                            packed_columns[vc * 9 + vr * 3 + vs, line * 5 + (from_ + x) - (panel + p) * 4] = X[batch, start // 9 + vc, line * 2 + (0 + vr), (from_ + x) * 2 + (0 + vs)]
                        for t in range(rows // 2):
                            if t * 2 + 2 <= rows:
                                for i in T.unroll(2):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = T.float32(0.0)
                                for k in range(18):
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                tile[i, v, j] = tile[i, v, j] + packed_rows[t * 2 + i, k] * packed_columns[k, v * 4 + j]
                                if step == 0:
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                Y[batch, row + t * 2 + i, (panel * 4 + p * 4 + v * 4 + j) // 5, (panel * 4 + p * 4 + v * 4 + j) % 5] = tile[i, v, j]
                                else:
                                    for i in T.unroll(2):
                                        for v in T.unroll(1):
                                            for j in T.vectorized(4):
                                                Y[batch, row + t * 2 + i, (panel * 4 + p * 4 + v * 4 + j) // 5, (panel * 4 + p * 4 + v * 4 + j) % 5] = Y[batch, row + t * 2 + i, (panel * 4 + p * 4 + v * 4 + j) // 5, (panel * 4 + p * 4 + v * 4 + j) % 5] + tile[i, v, j]
                        if rows % 2 >= 1 and (rows // 2 * 2 + T.Mul(0, 2) + 1 <= 4 and row + (rows // 2 * 2 + T.Mul(0, 2) + 1) <= 5):
                            for i in T.unroll(1):
                                for v in T.unroll(1):
                                    for j in T.vectorized(4):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k in range(18):
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            tile_1[i, v, j] = tile_1[i, v, j] + packed_rows[rows // 2 * 2 + T.Mul(0, 2) + i, k] * packed_columns[k, v * 4 + j]
                            if step == 0:
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            Y[batch, row + rows // 2 * 2 + i, (panel * 4 + p * 4 + v * 4 + j) // 5, (panel * 4 + p * 4 + v * 4 + j) % 5] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(1):
                                    for v in T.unroll(1):
                                        for j in T.vectorized(4):
                                            Y[batch, row + rows // 2 * 2 + i, (panel * 4 + p * 4 + v * 4 + j) // 5, (panel * 4 + p * 4 + v * 4 + j) % 5] = Y[batch, row + rows // 2 * 2 + i, (panel * 4 + p * 4 + v * 4 + j) // 5, (panel * 4 + p * 4 + v * 4 + j) % 5] + tile_1[i, v, j]
