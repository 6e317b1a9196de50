# One row times columns along two axes that are not side by side in memory, which are one matrix: constants, whose copies lie
# side by side, and such of which too few are side by side for a vector.
# test: opt --pass ApplyDefaultSchedule:target=znver4
# run: constants == same
# run: few == same

@I.ir_module
class Module:
    @T.prim_func
    def constants(X: T.Buffer((20,), "float32"), W: T.Buffer((3, 20, 37), "float32"), Y: T.Buffer((3, 37), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for t, f, d in T.grid(3, 37, 20):
            with T.block("Y"):
                vt, vf, vd = T.axis.remap("SSR", [t, f, d])
                with T.init():
                    Y[vt, vf] = T.float32(0)
                Y[vt, vf] = Y[vt, vf] + X[vd] * W[vt, vd, vf]

    @T.prim_func
    def few(X: T.Buffer((20,), "float32"), W: T.Buffer((70, 20, 2), "float32"), Y: T.Buffer((70, 2), "float32")):
        for t, f, d in T.grid(70, 2, 20):
            with T.block("Y"):
                vt, vf, vd = T.axis.remap("SSR", [t, f, d])
                with T.init():
                    Y[vt, vf] = T.float32(0)
                Y[vt, vf] = Y[vt, vf] + X[vd] * W[vt, vd, vf]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def constants(X: T.Buffer((20,), "float32"), W: T.Buffer((3, 20, 37), "float32"), Y: T.Buffer((3, 37), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((1, 20, 112), align=64)
        for panel in T.parallel(1):
            for k in range(20):
                for j in T.vectorized(112):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(W[(panel_1 * 112 + j_1) // 37, k_1, (panel_1 * 112 + j_1) % 37])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 112 + j_1 < 111, W[(panel_1 * 112 + j_1) // 37, k_1, (panel_1 * 112 + j_1) % 37], T.float32(0.0))
        for task in range(1):
            with T.block("Y"):
                T.reads(X[0:20], packed_b[0, 0:20, 0:112], Y[0:3, 0:37])
                T.writes(Y[0:3, 0:37])
                tile = T.alloc_buffer((1, 7, 16), scope="local", align=64)
                for p, t in T.grid(1, 1):
                    for i in T.unroll(1):
                        for v in T.unroll(7):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for k in range(5):
                        for u in T.unroll(4):
                            for i in T.unroll(1):
                                for v in T.unroll(7):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + X[k * 4 + u] * packed_b[0 + p, 0 + (k * 4 + u), v * 16 + j]
                    for i in T.unroll(1):
                        for v in T.unroll(7):
                            for j in T.vectorized(16):
                                if (0 + p) * 112 + (v * 16 + j) < 111:
                                    Y[(p * 112 + v * 16 + j) // 37, (p * 112 + v * 16 + j) % 37] = tile[i, v, j]

    @T.prim_func
    def few(X: T.Buffer((20,), "float32"), W: T.Buffer((70, 20, 2), "float32"), Y: T.Buffer((70, 2), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for t_f_fused in range(140):
            with T.block("Y"):
                vt = T.axis.spatial(70, t_f_fused // 2)
                vf = T.axis.spatial(2, t_f_fused % 2)
                T.reads(X[0:20], W[vt, 0:20, vf])
                T.writes(Y[vt, vf])
                partial = T.alloc_buffer((T.int64(1), T.int64(16)), scope="local")
                halves = T.alloc_buffer((T.int64(16),), scope="local")
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(16)):
                        partial[u, l] = T.float32(0.0)
                for d_block in range(2):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(16)):
                            if d_block * 16 + T.Cast("int32", u * T.int64(16) + l) < 20:
                                partial[u, l] = partial[u, l] + X[0 + (d_block * 16 + T.Cast("int32", u * T.int64(16) + l))] * W[vt, 0 + (d_block * 16 + T.Cast("int32", u * T.int64(16) + l)), vf]
                for l in T.vectorized(T.int64(16)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(8)):
                    halves[l] = halves[l] + halves[l + T.int64(8)]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                Y[vt, vf] = halves[T.int64(0)]
