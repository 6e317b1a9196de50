# The taps of large windows are loops; rows are channels where images have only columns.
# test: schedule
# step: b = get_block("Y")
# step: direct_conv(b, 3, 4, 5)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 5, 260), "float32"), W: T.Buffer((5, 250), "float32"), Y: T.Buffer((2, 5, 11), "float32")):
        for n, c, x, s in T.grid(2, 5, 11, 250):
            with T.block("Y"):
                vn, vc, vx, vs = T.axis.remap("SSSR", [n, c, x, s])
                with T.init():
                    Y[vn, vc, vx] = T.float32(1)
                Y[vn, vc, vx] = Y[vn, vc, vx] + X[vn, vc, vx + vs] * W[vc, vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 5, 260), "float32"), W: T.Buffer((5, 250), "float32"), Y: T.Buffer((2, 5, 11), "float32")):
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("Y"):
                T.reads(X[0:2, 0:5, 0:260], W[0:5, 0:250])
                T.writes(Y[0:2, 0:5, 0:11])
                tile = T.alloc_buffer((3, 4), scope="local", align=64)
                for row_block in range(1):
                    row_start: T.int32 = 0
                    for image, row_tile in T.grid(1, 2):
                        y: T.int32 = T.min(row_tile * 3, 2)
                        for column_tile in range(3):
                            x: T.int32 = T.min(column_tile * 4, 7)
                            for l in T.vectorized(4):
                                tile[0, l] = T.float32(1.0)
                            for l in T.vectorized(4):
                                tile[1, l] = T.float32(1.0)
                            for l in T.vectorized(4):
                                tile[2, l] = T.float32(1.0)
                            for vs in range(250):
                                for l in T.vectorized(4):
                                    tile[0, l] = tile[0, l] + X[task, row_start + (y + 0), x + l + vs] * W[row_start + (y + 0), vs]
                                for l in T.vectorized(4):
                                    tile[1, l] = tile[1, l] + X[task, row_start + (y + 1), x + l + vs] * W[row_start + (y + 1), vs]
                                for l in T.vectorized(4):
                                    tile[2, l] = tile[2, l] + X[task, row_start + (y + 2), x + l + vs] * W[row_start + (y + 2), vs]
                            for l in T.vectorized(4):
                                Y[task, row_start + (y + 0), x + l] = tile[0, l]
                            for l in T.vectorized(4):
                                Y[task, row_start + (y + 1), x + l] = tile[1, l]
                            for l in T.vectorized(4):
                                Y[task, row_start + (y + 2), x + l] = tile[2, l]
