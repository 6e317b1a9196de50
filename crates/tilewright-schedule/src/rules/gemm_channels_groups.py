# Groups of a vector of channels on a small image: channels are the lanes, and the results are transposed after the product.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 16, 5, 5), "float32"), W: T.Buffer((32, 8, 3, 3), "float32"), Y: T.Buffer((1, 32, 5, 5), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        pad = T.alloc_buffer((1, 16, 7, 7))
        sums = T.alloc_buffer((1, 32, 5, 5))
        for n, c, y, x in T.grid(1, 16, 7, 7):
            with T.block("pad"):
                vn, vc, vy, vx = T.axis.remap("SSSS", [n, c, y, x])
                pad[vn, vc, vy, vx] = T.if_then_else(1 <= vy and vy < 6 and 1 <= vx and vx < 6, X[vn, vc, vy - 1, vx - 1], T.float32(0))
        for n, f, y, x, c, r, s in T.grid(1, 32, 5, 5, 8, 3, 3):
            with T.block("conv"):
                vn, vf, vy, vx, vc, vr, vs = T.axis.remap("SSSSRRR", [n, f, y, x, c, r, s])
                with T.init():
                    sums[vn, vf, vy, vx] = T.float32(0)
                sums[vn, vf, vy, vx] = sums[vn, vf, vy, vx] + pad[vn, vf // 16 * 8 + vc, vy + vr, vx + vs] * W[vf, vc, vr, vs]
        for n, f, y, x in T.grid(1, 32, 5, 5):
            with T.block("relu"):
                vn, vf, vy, vx = T.axis.remap("SSSS", [n, f, y, x])
                Y[vn, vf, vy, vx] = T.max(sums[vn, vf, vy, vx], T.float32(0))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 16, 5, 5), "float32"), W: T.Buffer((32, 8, 3, 3), "float32"), Y: T.Buffer((1, 32, 5, 5), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        pad = T.alloc_buffer((1, 16, 7, 7))
        sums = T.alloc_buffer((1, 5, 5, 32))
        packed_b = T.alloc_buffer((2, 1, 72, 16), align=64)
        for n_c_y_fused in T.parallel(112):
            for x in T.vectorized(7):
                with T.block("pad"):
                    vn = T.axis.spatial(1, 0)
                    vc = T.axis.spatial(16, n_c_y_fused // 7)
                    vy = T.axis.spatial(7, n_c_y_fused % 7)
                    vx = T.axis.spatial(7, x)
                    T.reads(X[vn, vc, vy - 1, vx - 1])
                    T.writes(pad[vn, vc, vy, vx])
                    pad[vn, vc, vy, vx] = T.if_then_else(1 <= vy and vy < 6 and 1 <= vx and vx < 6, X[vn, vc, vy - 1, vx - 1], T.float32(0.0))
        for vf in T.parallel(2):
            for panel in T.parallel(1):
                for k in range(72):
                    for j in T.vectorized(16):
                        with T.block("packed_b"):
                            vf_1, panel_1, k_1, j_1 = T.axis.remap("SSSS", [vf, panel, k, j])
                            T.reads(W[vf_1 * 16 + (panel_1 * 16 + j_1), k_1 // 9, k_1 // 3 % 3, k_1 % 3])
                            T.writes(packed_b[vf_1, panel_1, k_1, j_1])
                            T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                            packed_b[vf_1, panel_1, k_1, j_1] = W[vf_1 * 16 + (panel_1 * 16 + j_1), k_1 // 9, k_1 // 3 % 3, k_1 % 3]
        for task in T.parallel(2):
            with T.block("conv"):
                T.reads(pad[0, 0:16, 0:7, 0:7], packed_b[0:2, 0, 0:72, 0:16], sums[0, 0:5, 0:5, 0:32])
                T.writes(sums[0, 0:5, 0:5, 0:32])
                tile = T.alloc_buffer((25, 1, 16), scope="local", align=64)
                for p, t in T.grid(1, 1):
                    for i in T.unroll(25):
                        for v in T.unroll(1):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for vc, vr in T.grid(8, 3):
                        for vs in T.unroll(3):
                            for i in T.unroll(25):
                                for v in T.unroll(1):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + pad[0, task * 8 + (0 + vc), t * 5 + i // 5 + (0 + vr), i % 5 + (0 + vs)] * packed_b[task, 0 + p, 0 + (vc * 9 + vr * 3 + vs), v * 16 + j]
                    for i in T.unroll(25):
                        for v in T.unroll(1):
                            for j in T.vectorized(16):
                                sums[0, t * 5 + i // 5, i % 5, task * 16 + (p * 16 + v * 16 + j)] = tile[i, v, j]
        for n, f_0, y_x_fused_0, y_x_fused_1, f_1 in T.grid(1, 1, 1, 2, 32):
            for y_x_fused_2 in T.vectorized(16):
                with T.block("relu"):
                    vn = T.axis.spatial(1, n)
                    vf = T.axis.spatial(32, f_0 * 32 + f_1)
                    vy = T.axis.spatial(5, (y_x_fused_0 * 32 + y_x_fused_1 * 16 + y_x_fused_2) // 5)
                    vx = T.axis.spatial(5, (y_x_fused_0 * 32 + y_x_fused_1 * 16 + y_x_fused_2) % 5)
                    T.where((y_x_fused_0 * 2 + y_x_fused_1) * 16 + y_x_fused_2 < 25)
                    T.reads(sums[0, vy, vx, vf])
                    T.writes(Y[vn, vf, vy, vx])
                    Y[vn, vf, vy, vx] = T.max(sums[0, vy, vx, vf], T.float32(0.0))
