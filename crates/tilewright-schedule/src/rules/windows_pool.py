# The greatest of each window, two elements apart, over images of unknown width.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main w=21 == same
# run: main w=3 == same
# run: main w=130 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        w = T.int64()
        X = T.match_buffer(var_X, (2, 3, 7, w), "float32")
        Y = T.match_buffer(var_Y, (2, 3, 3, (w - 1) // 2), "float32")
        for n, c, y, x, r, s in T.grid(2, 3, 3, (w - 1) // 2, 3, 3):
            with T.block("Y"):
                vn, vc, vy, vx, vr, vs = T.axis.remap("SSSSRR", [n, c, y, x, r, s])
                with T.init():
                    Y[vn, vc, vy, vx] = T.float32("-inf")
                Y[vn, vc, vy, vx] = T.max(Y[vn, vc, vy, vx], X[vn, vc, vy * 2 + vr, vx * 2 + vs])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        w = T.int64()
        X = T.match_buffer(var_X, (2, 3, 7, w), "float32")
        Y = T.match_buffer(var_Y, (2, 3, 3, (w - T.int64(1)) // T.int64(2)), "float32")
        # with T.block("root"):
        for n_c_fused in T.parallel(6):
            for y, x_0 in T.grid(3, (w + T.int64(125)) // T.int64(128)):
                for x_1_init in T.vectorized(T.int64(64)):
                    with T.block("Y_init"):
                        vn = T.axis.spatial(2, n_c_fused // 3)
                        vc = T.axis.spatial(3, n_c_fused % 3)
                        vy = T.axis.spatial(3, y)
                        vx = T.axis.spatial((w - T.int64(1)) // T.int64(2), x_0 * T.int64(64) + x_1_init)
                        T.where(x_0 * T.int64(64) + x_1_init < (w + T.int64(1)) // T.int64(2) - T.int64(1))
                        T.reads()
                        T.writes(Y[vn, vc, vy, vx])
                        Y[vn, vc, vy, vx] = T.float32("-inf")
                for r in T.unroll(3):
                    for s in T.unroll(3):
                        for x_1 in T.vectorized(T.int64(64)):
                            with T.block("Y_update"):
                                vn = T.axis.spatial(2, n_c_fused // 3)
                                vc = T.axis.spatial(3, n_c_fused % 3)
                                vy = T.axis.spatial(3, y)
                                vx = T.axis.spatial((w - T.int64(1)) // T.int64(2), x_0 * T.int64(64) + x_1)
                                vr, vs = T.axis.remap("RR", [r, s])
                                T.where(x_0 * T.int64(64) + x_1 < (w + T.int64(1)) // T.int64(2) - T.int64(1))
                                T.reads(Y[vn, vc, vy, vx], X[vn, vc, vy * 2 + vr, vx * T.int64(2) + T.Cast("int64", vs)])
                                T.writes(Y[vn, vc, vy, vx])
                                Y[vn, vc, vy, vx] = T.max(Y[vn, vc, vy, vx], X[vn, vc, vy * 2 + vr, vx * T.int64(2) + T.Cast("int64", vs)])
