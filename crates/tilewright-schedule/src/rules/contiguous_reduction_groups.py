# A row is a group of channels: the loop over channels becomes one over groups and one inside of them.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 6, 5, 7), "float32"), Y: T.Buffer((3, 6, 5, 7), "float32")):
        total = T.alloc_buffer((3, 2), "float32")
        mean = T.alloc_buffer((3, 2), "float32")
        for n, g, c, h, w in T.grid(3, 2, 3, 5, 7):
            with T.block("total"):
                vn, vg, vc, vh, vw = T.axis.remap("SSRRR", [n, g, c, h, w])
                with T.init():
                    total[vn, vg] = T.float32(0)
                total[vn, vg] = total[vn, vg] + X[vn, vg * 3 + vc, vh, vw]
        for n, g in T.grid(3, 2):
            with T.block("mean"):
                vn, vg = T.axis.remap("SS", [n, g])
                mean[vn, vg] = total[vn, vg] / T.float32(105)
        for n, c, h, w in T.grid(3, 6, 5, 7):
            with T.block("centred"):
                vn, vc, vh, vw = T.axis.remap("SSSS", [n, c, h, w])
                Y[vn, vc, vh, vw] = X[vn, vc, vh, vw] - mean[vn, vc // 3]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 6, 5, 7), "float32"), Y: T.Buffer((3, 6, 5, 7), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        total = T.alloc_buffer((3, 2))
        mean = T.alloc_buffer((3, 2))
        for n_g_fused in range(6):
            with T.block("total"):
                vn = T.axis.spatial(3, n_g_fused // 2)
                vg = T.axis.spatial(2, n_g_fused % 2)
                T.reads(X[vn, vg * 3:vg * 3 + 3, 0:5, 0:7])
                T.writes(total[vn, vg])
                partial = T.alloc_buffer((T.int64(2), T.int64(8)), scope="local")
                halves = T.alloc_buffer((T.int64(8),), scope="local")
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                for c_h_w_fused_block in range(7):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            if c_h_w_fused_block * 16 + T.Cast("int32", u * T.int64(8) + l) < 105:
                                partial[u, l] = partial[u, l] + X[vn, vg * 3 + (0 + (c_h_w_fused_block * 16 + T.Cast("int32", u * T.int64(8) + l))) // 35, (0 + (c_h_w_fused_block * 16 + T.Cast("int32", u * T.int64(8) + l))) % 35 // 7, (0 + (c_h_w_fused_block * 16 + T.Cast("int32", u * T.int64(8) + l))) % 7]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                total[vn, vg] = halves[T.int64(0)]
        for n_g_fused in T.vectorized(6):
            with T.block("mean"):
                vn = T.axis.spatial(3, n_g_fused // 2)
                vg = T.axis.spatial(2, n_g_fused % 2)
                T.reads(total[vn, vg])
                T.writes(mean[vn, vg])
                mean[vn, vg] = total[vn, vg] / T.float32(105.0)
        for n_c_fused in range(18):
            for h_w_fused in T.vectorized(35):
                with T.block("centred"):
                    vn = T.axis.spatial(3, n_c_fused // 6)
                    vc = T.axis.spatial(6, n_c_fused % 6)
                    vh = T.axis.spatial(5, h_w_fused // 7)
                    vw = T.axis.spatial(7, h_w_fused % 7)
                    T.reads(X[vn, vc, vh, vw], mean[vn, vc // 3])
                    T.writes(Y[vn, vc, vh, vw])
                    Y[vn, vc, vh, vw] = X[vn, vc, vh, vw] - mean[vn, vc // 3]
