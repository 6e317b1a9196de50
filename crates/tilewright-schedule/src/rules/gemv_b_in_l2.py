# One row times constants that the second-level cache holds: a panel is wide enough for its sums not to wait for each other, though
# the first-level cache would hold a narrower one.
# test: opt --pass ApplyDefaultSchedule:target=sapphirerapids
# run: main == same
# run: main seed=3 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 400), "float32"), W: T.Buffer((400, 64), "float32"), Y: T.Buffer((1, 64), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for i, j, k in T.grid(1, 64, 400):
            with T.block("Y"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    Y[vi, vj] = T.float32(0)
                Y[vi, vj] = Y[vi, vj] + X[vi, vk] * W[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((1, 400), "float32"), W: T.Buffer((400, 64), "float32"), Y: T.Buffer((1, 64), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((1, 400, 64), align=64)
        for panel in T.parallel(1):
            for k in range(400):
                for j in T.vectorized(64):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(W[k_1, panel_1 * 64 + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = W[k_1, panel_1 * 64 + j_1]
        for task in range(1):
            with T.block("Y"):
                T.reads(X[0, 0:400], packed_b[0, 0:400, 0:64], Y[0, 0:64])
                T.writes(Y[0, 0:64])
                tile = T.alloc_buffer((1, 4, 16), scope="local", align=64)
                for p, t in T.grid(1, 1):
                    for i in T.unroll(1):
                        for v in T.unroll(4):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for k in range(100):
                        for u in T.unroll(4):
                            for i in T.unroll(1):
                                for v in T.unroll(4):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + X[0, k * 4 + u] * packed_b[0 + p, 0 + (k * 4 + u), v * 16 + j]
                    for i in T.unroll(1):
                        for v in T.unroll(4):
                            for j in T.vectorized(16):
                                Y[0, p * 64 + v * 16 + j] = tile[i, v, j]
