# A convolution of a small image with constant weights: during each tile the rows of A of the next one are prefetched, a
# cache line at a time; K has a tail after the last line.
# test: schedule
# step: b = get_block("conv")
# step: gemm(b, 3, 2, 16, 37, 7, 64, "none", "none")
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((37, 49), "float32"), W: T.Buffer((7, 37), "float32"), Y: T.Buffer((7, 49), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for f, p, c in T.grid(7, 49, 37):
            with T.block("conv"):
                vf, vp, vc = T.axis.remap("SSR", [f, p, c])
                with T.init():
                    Y[vf, vp] = T.float32(0)
                Y[vf, vp] = Y[vf, vp] + X[vc, vp] * W[vf, vc]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((37, 49), "float32"), W: T.Buffer((7, 37), "float32"), Y: T.Buffer((7, 49), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        # with T.block("root"):
        for task in range(1):
            with T.block("conv"):
                T.reads(W[0:7, 0:37], X[0:37, 0:49], Y[0:7, 0:49])
                T.writes(Y[0:7, 0:49])
                tile = T.alloc_buffer((3, 2, 16), scope="local", align=64)
                tile_1 = T.alloc_buffer((2, 2, 16), scope="local", align=64)
                for p in range(2):
                    for t in range(1):
                        for i in T.unroll(3):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = T.float32(0.0)
                        for line in range(2):
                            T.evaluate(T.prefetch(T.address_of(W[t * 3 + 3, line * 16]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(W[t * 3 + 4, line * 16]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(W[t * 3 + 5, line * 16]), 0, 2))
                            for k in range(4):
                                for u in T.unroll(4):
                                    for i in T.unroll(3):
                                        for v in T.unroll(2):
                                            for j in T.vectorized(16):
                                                tile[i, v, j] = tile[i, v, j] + W[t * 3 + i, line * 16 + k * 4 + u] * T.if_then_else((0 + p) * 32 + (v * 16 + j) < 49, X[line * 16 + k * 4 + u, p * 32 + v * 16 + j], T.float32(0.0))
                        for k in range(5):
                            for i in T.unroll(3):
                                for v in T.unroll(2):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + W[t * 3 + i, k + 32] * T.if_then_else((0 + p) * 32 + (v * 16 + j) < 49, X[k + 32, p * 32 + v * 16 + j], T.float32(0.0))
                        for i in T.unroll(3):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    if (0 + p) * 32 + (v * 16 + j) < 49:
                                        Y[t * 3 + i, p * 32 + v * 16 + j] = tile[i, v, j]
                    for t in range(2):
                        for i in T.unroll(2):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for line in range(2):
                            T.evaluate(T.prefetch(T.address_of(W[t * 2 + 5, line * 16]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(W[t * 2 + 6, line * 16]), 0, 2))
                            for k in range(4):
                                for u in T.unroll(4):
                                    for i in T.unroll(2):
                                        for v in T.unroll(2):
                                            for j in T.vectorized(16):
                                                tile_1[i, v, j] = tile_1[i, v, j] + W[t * 2 + i + 3, line * 16 + k * 4 + u] * T.if_then_else((0 + p) * 32 + (v * 16 + j) < 49, X[line * 16 + k * 4 + u, p * 32 + v * 16 + j], T.float32(0.0))
                        for k in range(5):
                            for i in T.unroll(2):
                                for v in T.unroll(2):
                                    for j in T.vectorized(16):
                                        tile_1[i, v, j] = tile_1[i, v, j] + W[t * 2 + i + 3, k + 32] * T.if_then_else((0 + p) * 32 + (v * 16 + j) < 49, X[k + 32, p * 32 + v * 16 + j], T.float32(0.0))
                        for i in T.unroll(2):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    if (0 + p) * 32 + (v * 16 + j) < 49:
                                        Y[t * 2 + i + 3, p * 32 + v * 16 + j] = tile_1[i, v, j]
