# Blocks of a symbolic number of columns, with a dilation of two, and of rows that overlap; the results are written over what
# is added to them.
# test: schedule
# step: b = get_block("Z")
# step: direct_conv(b, 2, 4, 2)
# run: main n=1 w=6 == same
# run: main n=2 w=1 == same
# run: main n=1 w=0 == same
# run: main n=1 w=131 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        w = T.int64()
        X = T.match_buffer(var_X, (n, T.int64(5), w * T.int64(2) + T.int64(1)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(5), w), "float32")
        Z = T.alloc_buffer((n, T.int64(5), w), "float32")
        for i, y, x, s in T.grid(n, T.int64(5), w, T.int64(3)):
            with T.block("Z"):
                vi, vy, vx, vs = T.axis.remap("SSSR", [i, y, x, s])
                with T.init():
                    Z[vi, vy, vx] = T.float32(0)
                Z[vi, vy, vx] = Z[vi, vy, vx] + X[vi, vy, vx * T.int64(2) + vs]
        for i, y, x in T.grid(n, T.int64(5), w):
            with T.block("Y"):
                vi, vy, vx = T.axis.remap("SSS", [i, y, x])
                Y[vi, vy, vx] = Y[vi, vy, vx] + Z[vi, vy, vx]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        w = T.int64()
        X = T.match_buffer(var_X, (n, T.int64(5), w * T.int64(2) + T.int64(1)), "float32")
        Y = T.match_buffer(var_Y, (n, T.int64(5), w), "float32")
        # with T.block("root"):
        if w > T.int64(0):
            for task in T.parallel(n):
                with T.block("Z"):
                    T.reads(X[T.int64(0):n, T.int64(0):T.int64(5), T.int64(0):w * T.int64(2) + T.int64(1)], Y[T.int64(0):n, T.int64(0):T.int64(5), T.int64(0):w])
                    T.writes(Y[T.int64(0):n, T.int64(0):T.int64(5), T.int64(0):w])
                    X_1 = T.alloc_buffer((T.int64(1300),), align=64)
                    tile = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                    for row_block in range(T.int64(1)):
                        row_start: T.int64 = T.int64(0)
                        for column_block in range((w + T.int64(127)) // T.int64(128)):
                            column_start: T.int64 = column_block * T.int64(128)
                            column_tiles: T.int64 = (T.min(T.int64(128), w - column_start) + T.int64(3)) // T.int64(4)
                            for image in range(T.int64(1)):
                                for i, i_1, piece in T.grid(T.int64(1), T.int64(5), column_tiles * T.int64(2) + T.int64(1)):
                                    for lane in T.vectorized(T.int64(4)):
                                        X_1[i * T.int64(1300) + i_1 * T.int64(260) + piece * T.int64(4) + lane] = T.if_then_else(column_start * T.int64(2) + piece * T.int64(4) + lane < w * T.int64(2) + T.int64(1), X[task + i, row_start + i_1, column_start * T.int64(2) + piece * T.int64(4) + lane], T.float32(0.0))
                                for row_tile in range(T.int64(5)):
                                    y: T.int64 = row_tile * T.int64(1)
                                    for column_tile in range(column_tiles):
                                        x: T.int64 = column_tile * T.int64(4)
                                        for l in T.vectorized(T.int64(4)):
                                            tile[T.int64(0), l] = T.float32(0.0)
                                        for l in T.vectorized(T.int64(4)):
                                            tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[(y + T.int64(0)) * T.int64(260) + (x + l) * T.int64(2) + T.int64(0)]
                                        for l in T.vectorized(T.int64(4)):
                                            tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[(y + T.int64(0)) * T.int64(260) + (x + l) * T.int64(2) + T.int64(1)]
                                        for l in T.vectorized(T.int64(4)):
                                            tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[(y + T.int64(0)) * T.int64(260) + (x + l) * T.int64(2) + T.int64(2)]
                                        for l in T.vectorized(T.int64(4)):
                                            if column_start + (x + l) < w:
                                                Y[task, row_start + (y + T.int64(0)), column_start + (x + l)] = Y[task, row_start + (y + T.int64(0)), column_start + (x + l)] + tile[T.int64(0), l]
