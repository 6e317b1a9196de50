# One row times columns along two axes that are not side by side in memory: a matrix for each place of the outer axis, read as
# it lies.
# test: opt --pass ApplyDefaultSchedule:target=znver4
# run: main == same
# run: main seed=3 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 20), "float32"), W: T.Buffer((3, 2, 20, 37), "float32"), Y: T.Buffer((3, 2, 37), "float32")):
        for t, k, f, d in T.grid(3, 2, 37, 20):
            with T.block("Y"):
                vt, vk, vf, vd = T.axis.remap("SSSR", [t, k, f, d])
                with T.init():
                    Y[vt, vk, vf] = T.float32(0)
                Y[vt, vk, vf] = Y[vt, vk, vf] + X[vt, vd] * W[vt, vk, vd, vf]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 20), "float32"), W: T.Buffer((3, 2, 20, 37), "float32"), Y: T.Buffer((3, 2, 37), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(6):
            with T.block("Y"):
                T.reads(X[0:3, 0:20], W[0:3, 0:2, 0:20, 0:37], Y[0:3, 0:2, 0:37])
                T.writes(Y[0:3, 0:2, 0:37])
                tile = T.alloc_buffer((1, 5, 8), scope="local", align=64)
                vk: T.int32 = task % 2
                vt: T.int32 = task // 2
                for p, t in T.grid(1, 1):
                    for i in T.unroll(1):
                        for v in T.unroll(5):
                            for j in T.vectorized(8):
                                tile[i, v, j] = T.float32(0.0)
                    for k in range(5):
                        for u in T.unroll(4):
                            for i in T.unroll(1):
                                for v in T.unroll(5):
                                    for j in T.vectorized(8):
                                        tile[i, v, j] = tile[i, v, j] + X[vt, k * 4 + u] * T.if_then_else((0 + p) * 40 + (v * 8 + j) < 37, W[vt, vk, k * 4 + u, p * 40 + v * 8 + j], T.float32(0.0))
                    for i in T.unroll(1):
                        for v in T.unroll(5):
                            for j in T.vectorized(8):
                                if (0 + p) * 40 + (v * 8 + j) < 37:
                                    Y[vt, vk, p * 40 + v * 8 + j] = tile[i, v, j]
