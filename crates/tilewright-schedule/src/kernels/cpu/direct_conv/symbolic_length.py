# The blocks of a 1-D image of symbolic length are tasks.
# test: schedule
# step: b = get_block("Y")
# step: direct_conv(b, 1, 8, 1)
# run: main w=6 == same
# run: main w=1 == same
# run: main w=0 == same
# run: main w=2060 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((3,), "float32"), var_Y: T.handle):
        w = T.int64()
        X = T.match_buffer(var_X, (w + T.int64(2),), "float32")
        Y = T.match_buffer(var_Y, (w,), "float32")
        for x, s in T.grid(w, T.int64(3)):
            with T.block("Y"):
                vx, vs = T.axis.remap("SR", [x, s])
                with T.init():
                    Y[vx] = T.float32(0)
                Y[vx] = Y[vx] + X[vx + vs] * W[vs]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, W: T.Buffer((3,), "float32"), var_Y: T.handle):
        w = T.int64()
        X = T.match_buffer(var_X, (w + T.int64(2),), "float32")
        Y = T.match_buffer(var_Y, (w,), "float32")
        # with T.block("root"):
        for task in T.parallel((w + T.int64(1023)) // T.int64(1024)):
            with T.block("Y"):
                T.reads(X[T.int64(0):w + T.int64(2)], W[0:3])
                T.writes(Y[T.int64(0):w])
                X_1 = T.alloc_buffer((T.int64(1032),), align=64)
                tile = T.alloc_buffer((T.int64(1), T.int64(8)), scope="local", align=64)
                for row_block in range(T.int64(1)):
                    row_start: T.int64 = T.int64(0)
                    for column_block in range(T.int64(1)):
                        column_start: T.int64 = task % ((w + T.int64(1023)) // T.int64(1024)) * T.int64(1024)
                        column_tiles: T.int64 = (T.min(T.int64(1024), w - column_start) + T.int64(7)) // T.int64(8)
                        for image in range(T.int64(1)):
                            for piece in range(column_tiles + T.int64(1)):
                                for lane in T.vectorized(T.int64(8)):
                                    X_1[piece * T.int64(8) + lane] = T.if_then_else(column_start + piece * T.int64(8) + lane < w + T.int64(2), X[column_start + piece * T.int64(8) + lane], T.float32(0.0))
                            for row_tile in range(T.int64(1)):
                                y: T.int64 = row_tile * T.int64(1)
                                for column_tile in range(column_tiles):
                                    x: T.int64 = column_tile * T.int64(8)
                                    for l in T.vectorized(T.int64(8)):
                                        tile[T.int64(0), l] = T.float32(0.0)
                                    for l in T.vectorized(T.int64(8)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[x + l + T.int64(0)] * W[T.int64(0)]
                                    for l in T.vectorized(T.int64(8)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[x + l + T.int64(1)] * W[T.int64(1)]
                                    for l in T.vectorized(T.int64(8)):
                                        tile[T.int64(0), l] = tile[T.int64(0), l] + X_1[x + l + T.int64(2)] * W[T.int64(2)]
                                    for l in T.vectorized(T.int64(8)):
                                        if column_start + (x + l) < w:
                                            Y[column_start + (x + l)] = tile[T.int64(0), l]
