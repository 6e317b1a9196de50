# Each channel is convolved by itself: its padded image and its sums are those of a task; then the results are clipped.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(
        X: T.Buffer((2, 3, 9, 11), "float32"), W: T.Buffer((3, 3, 3), "float32"), Y: T.Buffer((2, 3, 9, 11), "float32")
    ):
        padded = T.alloc_buffer((2, 3, 11, 13), "float32")
        sums = T.alloc_buffer((2, 3, 9, 11), "float32")
        for n, c, y, x in T.grid(2, 3, 11, 13):
            with T.block("padded"):
                vn, vc, vy, vx = T.axis.remap("SSSS", [n, c, y, x])
                padded[vn, vc, vy, vx] = T.if_then_else(
                    1 <= vy and vy < 10 and 1 <= vx and vx < 12, X[vn, vc, vy - 1, vx - 1], T.float32(0)
                )
        for n, c, y, x, r, s in T.grid(2, 3, 9, 11, 3, 3):
            with T.block("sums"):
                vn, vc, vy, vx, vr, vs = T.axis.remap("SSSSRR", [n, c, y, x, r, s])
                with T.init():
                    sums[vn, vc, vy, vx] = T.float32(0)
                sums[vn, vc, vy, vx] = sums[vn, vc, vy, vx] + padded[vn, vc, vy + vr, vx + vs] * W[vc, vr, vs]
        for n, c, y, x in T.grid(2, 3, 9, 11):
            with T.block("clipped"):
                vn, vc, vy, vx = T.axis.remap("SSSS", [n, c, y, x])
                Y[vn, vc, vy, vx] = T.min(T.max(sums[vn, vc, vy, vx], T.float32(0)), T.float32(6))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 3, 9, 11), "float32"), W: T.Buffer((3, 3, 3), "float32"), Y: T.Buffer((2, 3, 9, 11), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        padded = T.alloc_buffer((2, 3, 11, 13))
        sums = T.alloc_buffer((2, 3, 9, 11))
        sums_local = T.alloc_buffer((2, 3, 9, 11), scope="local")
        for n_c_fused in range(6):
            for ax2, ax3_0 in T.grid(11, 2):
                for ax3_1 in T.vectorized(8):
                    with T.block("padded"):
                        vn = T.axis.spatial(2, n_c_fused // 3)
                        vc = T.axis.spatial(3, n_c_fused % 3)
                        vy = T.axis.spatial(11, ax2)
                        vx = T.axis.spatial(13, ax3_0 * 8 + ax3_1)
                        T.where(ax3_0 * 8 + ax3_1 < 13)
                        T.reads(X[vn, vc, vy - 1, vx - 1])
                        T.writes(padded[vn, vc, vy, vx])
                        padded[vn, vc, vy, vx] = T.if_then_else(1 <= vy and vy < 10 and 1 <= vx and vx < 12, X[vn, vc, vy - 1, vx - 1], T.float32(0.0))
            for ax2 in range(9):
                for ax3_init in T.vectorized(11):
                    with T.block("sums_init"):
                        vn = T.axis.spatial(2, n_c_fused // 3)
                        vc = T.axis.spatial(3, n_c_fused % 3)
                        vy, vx = T.axis.remap("SS", [ax2, ax3_init])
                        T.reads()
                        T.writes(sums_local[vn, vc, vy, vx])
                        sums_local[vn, vc, vy, vx] = T.float32(0.0)
                for ax4 in T.unroll(3):
                    for ax5 in T.unroll(3):
                        for ax3 in T.vectorized(11):
                            with T.block("sums_update"):
                                vn = T.axis.spatial(2, n_c_fused // 3)
                                vc = T.axis.spatial(3, n_c_fused % 3)
                                vy, vx, vr, vs = T.axis.remap("SSRR", [ax2, ax3, ax4, ax5])
                                T.reads(sums_local[vn, vc, vy, vx], padded[vn, vc, vy + vr, vx + vs], W[vc, vr, vs])
                                T.writes(sums_local[vn, vc, vy, vx])
                                sums_local[vn, vc, vy, vx] = sums_local[vn, vc, vy, vx] + padded[vn, vc, vy + vr, vx + vs] * W[vc, vr, vs]
                for ax3 in T.vectorized(11):
                    with T.block("sums_local"):
                        v0 = T.axis.spatial(2, n_c_fused // 3)
                        v1 = T.axis.spatial(3, n_c_fused % 3)
                        v2, v3 = T.axis.remap("SS", [ax2, ax3])
                        T.reads(sums_local[v0, v1, v2, v3])
                        T.writes(sums[v0, v1, v2, v3])
                        sums[v0, v1, v2, v3] = sums_local[v0, v1, v2, v3]
            for y_x_fused in T.vectorized(99):
                with T.block("clipped"):
                    vn = T.axis.spatial(2, n_c_fused // 3)
                    vc = T.axis.spatial(3, n_c_fused % 3)
                    vy = T.axis.spatial(9, y_x_fused // 11)
                    vx = T.axis.spatial(11, y_x_fused % 11)
                    T.reads(sums_local[vn, vc, vy, vx])
                    T.writes(Y[vn, vc, vy, vx])
                    Y[vn, vc, vy, vx] = T.min(T.max(sums_local[vn, vc, vy, vx], T.float32(0.0)), T.float32(6.0))
