# A product with constant columns where dot products of pairs of bfloat16 are slower than as many multiply-adds of float32:
# the columns stay as short as they are, and each task widens a panel once for all of its tiles. Steps of the depth are so
# short that the widened panel stays in the first-level cache.
# test: opt --pass ApplyDefaultSchedule:target=sapphirerapids
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((80, 300), "bfloat16"), B: T.Buffer((19, 300), "bfloat16"), O: T.Buffer((80, 19), "bfloat16")):
        T.func_attr({"layout_free_buffers": [1]})
        C = T.alloc_buffer((80, 19))
        for i, j, k in T.grid(80, 19, 300):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vj, vk])
        for i, j in T.grid(80, 19):
            with T.block("O"):
                vi, vj = T.axis.remap("SS", [i, j])
                O[vi, vj] = T.Cast("bfloat16", C[vi, vj])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((80, 300), "bfloat16"), B: T.Buffer((19, 300), "bfloat16"), O: T.Buffer((80, 19), "bfloat16")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((1, 300, 32), "bfloat16", align=64)
        for panel in T.parallel(1):
            for k in range(300):
                for j in T.vectorized(32):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[panel_1 * 32 + j_1, k_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 32 + j_1 < 19, B[panel_1 * 32 + j_1, k_1], T.bfloat16(0.0))
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:80, 0:300], packed_b[0, 0:300, 0:32])
                T.writes(O[0:80, 0:19])
                partial_sums = T.alloc_buffer((40, 32), align=64)
                packed_a = T.alloc_buffer((40, 160), align=64)
                widened_b = T.alloc_buffer((160, 32), align=64)
                tile = T.alloc_buffer((14, 2, 16), scope="local", align=64)
                tile_1 = T.alloc_buffer((13, 2, 16), scope="local", align=64)
                m_start: T.int32 = task * 40
                for k_block in range(2):
                    k_start: T.int32 = k_block * 160
                    k_count: T.int32 = T.min(15 - k_block * 8, 8) * 20
                    for i in range(40):
                        for k in T.vectorized(k_count):
                            packed_a[i, k] = T.Cast("float32", A[m_start + i, k_start + k])
                    for p in range(1):
                        for k in range(k_count):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    widened_b[k, v * 16 + j] = T.Cast("float32", packed_b[0 + p, k_start + k, v * 16 + j])
                        for t in range(1):
                            for i in T.unroll(14):
                                for v in T.unroll(2):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = T.float32(0.0)
                            for k in range(k_count):
                                for i in T.unroll(14):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            tile[i, v, j] = tile[i, v, j] + packed_a[t * 14 + 0 + i, k] * widened_b[k, v * 16 + j]
                            if k_block == 0:
                                for i in T.unroll(14):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            partial_sums[t * 14 + 0 + i, p * 32 + (v * 16 + j)] = tile[i, v, j]
                            else:
                                for i in T.unroll(14):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            partial_sums[t * 14 + 0 + i, p * 32 + (v * 16 + j)] = partial_sums[t * 14 + 0 + i, p * 32 + (v * 16 + j)] + tile[i, v, j]
                            if k_block == 1:
                                for piece in range(14):
                                    v: T.int32 = 0
                                    for j in T.vectorized(32):
                                        if (0 + p) * 32 + (v * 32 + j) < 19:
                                            O[m_start + t * 14 + piece, p * 32 + v * 32 + j] = T.Cast("bfloat16", partial_sums[t * 14 + 0 + piece, p * 32 + (v * 32 + j)])
                        for t in range(2):
                            for i in T.unroll(13):
                                for v in T.unroll(2):
                                    for j in T.vectorized(16):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k in range(k_count):
                                for i in T.unroll(13):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            tile_1[i, v, j] = tile_1[i, v, j] + packed_a[t * 13 + 14 + i, k] * widened_b[k, v * 16 + j]
                            if k_block == 0:
                                for i in T.unroll(13):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            partial_sums[t * 13 + 14 + i, p * 32 + (v * 16 + j)] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(13):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            partial_sums[t * 13 + 14 + i, p * 32 + (v * 16 + j)] = partial_sums[t * 13 + 14 + i, p * 32 + (v * 16 + j)] + tile_1[i, v, j]
                            if k_block == 1:
                                for piece in range(13):
                                    v: T.int32 = 0
                                    for j in T.vectorized(32):
                                        if (0 + p) * 32 + (v * 32 + j) < 19:
                                            O[m_start + t * 13 + piece + 14, p * 32 + v * 32 + j] = T.Cast("bfloat16", partial_sums[t * 13 + 14 + piece, p * 32 + (v * 32 + j)])
