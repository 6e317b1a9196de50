# Convolutions along one dimension: contiguous columns are read in place, and those of the next panel, most of which are
# those of this one, are not prefetched; columns with gaps between them are packed.
# test: opt --pass ApplyDefaultSchedule:target=znver4
# run: contiguous == same
# run: apart == same

@I.ir_module
class Module:
    @T.prim_func
    def contiguous(X: T.Buffer((1, 48, 602), "float32"), W: T.Buffer((10, 48, 3), "float32"), Y: T.Buffer((1, 10, 600), "float32")):
        for n, f, x, c, r in T.grid(1, 10, 600, 48, 3):
            with T.block("Y"):
                vn, vf, vx, vc, vr = T.axis.remap("SSSRR", [n, f, x, c, r])
                with T.init():
                    Y[vn, vf, vx] = T.float32(0)
                Y[vn, vf, vx] = Y[vn, vf, vx] + X[vn, vc, vx + vr] * W[vf, vc, vr]

    @T.prim_func
    def apart(X: T.Buffer((1, 48, 71), "float32"), W: T.Buffer((10, 48, 3), "float32"), Y: T.Buffer((1, 10, 35), "float32")):
        for n, f, x, c, r in T.grid(1, 10, 35, 48, 3):
            with T.block("Y"):
                vn, vf, vx, vc, vr = T.axis.remap("SSSRR", [n, f, x, c, r])
                with T.init():
                    Y[vn, vf, vx] = T.float32(0)
                Y[vn, vf, vx] = Y[vn, vf, vx] + X[vn, vc, vx * 2 + vr] * W[vf, vc, vr]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def apart(X: T.Buffer((1, 48, 71), "float32"), W: T.Buffer((10, 48, 3), "float32"), Y: T.Buffer((1, 10, 35), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("Y"):
                T.reads(W[0:10, 0:48, 0:3], X[0, 0:48, 0:71], Y[0, 0:10, 0:35])
                T.writes(Y[0, 0:10, 0:35])
                packed_b = T.alloc_buffer((144, 40), align=64)
                tile = T.alloc_buffer((5, 5, 8), scope="local", align=64)
                m_start: T.int32 = task * 5
                for p in range(1):
                    for k, v in T.grid(144, 5):
                        for j in T.vectorized(8):
                            packed_b[k, v * 8 + j] = T.if_then_else((0 + p) * 40 + (v * 8 + j) < 35, X[0, k // 3, (p * 40 + v * 8 + j) * 2 + k % 3], T.float32(0.0))
                    for t in range(1):
                        for i in T.unroll(5):
                            for v in T.unroll(5):
                                for j in T.vectorized(8):
                                    tile[i, v, j] = T.float32(0.0)
                        for vc in range(48):
                            for vr in T.unroll(3):
                                for i in T.unroll(5):
                                    for v in T.unroll(5):
                                        for j in T.vectorized(8):
                                            tile[i, v, j] = tile[i, v, j] + W[m_start + t * 5 + i, 0 + vc, 0 + vr] * packed_b[vc * 3 + vr, v * 8 + j]
                        for i in T.unroll(5):
                            for v in T.unroll(5):
                                for j in T.vectorized(8):
                                    if (0 + p) * 40 + (v * 8 + j) < 35:
                                        Y[0, m_start + t * 5 + i, p * 40 + v * 8 + j] = tile[i, v, j]

    @T.prim_func
    def contiguous(X: T.Buffer((1, 48, 602), "float32"), W: T.Buffer((10, 48, 3), "float32"), Y: T.Buffer((1, 10, 600), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("Y"):
                T.reads(W[0:10, 0:48, 0:3], X[0, 0:48, 0:602], Y[0, 0:10, 0:600])
                T.writes(Y[0, 0:10, 0:600])
                tile = T.alloc_buffer((5, 5, 8), scope="local", align=64)
                panel_start: T.int32 = task * 8
                panels: T.int32 = T.min(15 - panel_start, 8)
                for p, t in T.grid(panels, 2):
                    for i in T.unroll(5):
                        for v in T.unroll(5):
                            for j in T.vectorized(8):
                                tile[i, v, j] = T.float32(0.0)
                    for vc in range(48):
                        for vr in T.unroll(3):
                            for i in T.unroll(5):
                                for v in T.unroll(5):
                                    for j in T.vectorized(8):
                                        tile[i, v, j] = tile[i, v, j] + W[t * 5 + i, 0 + vc, 0 + vr] * X[0, 0 + vc, panel_start * 40 + p * 40 + v * 8 + j + (0 + vr)]
                    for i in T.unroll(5):
                        for v in T.unroll(5):
                            for j in T.vectorized(8):
                                Y[0, t * 5 + i, panel_start * 40 + p * 40 + v * 8 + j] = tile[i, v, j]
