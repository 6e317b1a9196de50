# Codes of four bits, eight of which are a word along K: a task computes a panel of its words, each of which it reads once.
# test: opt --pass ApplyDefaultSchedule:target=haswell

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, 16), "float32"), B: T.Buffer((20, 2), "uint32"), scale: T.Buffer((20, 1), "float32"), C: T.Buffer((3, 20), "float32")):
        for i, j, k in T.grid(3, 20, 16):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * ((T.Cast("float32", B[vj, vk // 8] >> T.Cast("uint32", vk % 8 * 4) & T.uint32(15)) - T.float32(7)) * scale[vj, vk // 16])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, 16), "float32"), B: T.Buffer((20, 2), "uint32"), scale: T.Buffer((20, 1), "float32"), C: T.Buffer((3, 20), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in range(1):
            with T.block("C"):
                T.reads(A[0:3, 0:16], B[0:20, 0:2], scale[0:20, 0], C[0:3, 0:20])
                T.writes(C[0:3, 0:20])
                decoded_b = T.alloc_buffer((16, 24), align=64)
                tile = T.alloc_buffer((3, 3, 8), scope="local", align=64)
                for p in range(1):
                    for run, v in T.grid(1, 3):
                        for j in T.vectorized(8):
                            word: T.uint32 = B[T.min(p * 24 + v * 8 + j, 19), run * 2]
                            factor: T.float32 = scale[T.min(p * 24 + v * 8 + j, 19), run]
                            word_1: T.uint32 = B[T.min(p * 24 + v * 8 + j, 19), run * 2 + 1]
                            decoded_b[run * 16 + 0, v * 8 + j] = (T.Cast("float32", word & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 1, v * 8 + j] = (T.Cast("float32", word >> T.uint32(4) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 2, v * 8 + j] = (T.Cast("float32", word >> T.uint32(8) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 3, v * 8 + j] = (T.Cast("float32", word >> T.uint32(12) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 4, v * 8 + j] = (T.Cast("float32", word >> T.uint32(16) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 5, v * 8 + j] = (T.Cast("float32", word >> T.uint32(20) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 6, v * 8 + j] = (T.Cast("float32", word >> T.uint32(24) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 7, v * 8 + j] = (T.Cast("float32", word >> T.uint32(28) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 8, v * 8 + j] = (T.Cast("float32", word_1 & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 9, v * 8 + j] = (T.Cast("float32", word_1 >> T.uint32(4) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 10, v * 8 + j] = (T.Cast("float32", word_1 >> T.uint32(8) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 11, v * 8 + j] = (T.Cast("float32", word_1 >> T.uint32(12) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 12, v * 8 + j] = (T.Cast("float32", word_1 >> T.uint32(16) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 13, v * 8 + j] = (T.Cast("float32", word_1 >> T.uint32(20) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 14, v * 8 + j] = (T.Cast("float32", word_1 >> T.uint32(24) & T.uint32(15)) - T.float32(7.0)) * factor
                            decoded_b[run * 16 + 15, v * 8 + j] = (T.Cast("float32", word_1 >> T.uint32(28) & T.uint32(15)) - T.float32(7.0)) * factor
                    for t in range(1):
                        for i in T.unroll(3):
                            for v in T.unroll(3):
                                for j in T.vectorized(8):
                                    tile[i, v, j] = T.float32(0.0)
                        for k in range(4):
                            for u in T.unroll(4):
                                for i in T.unroll(3):
                                    for v in T.unroll(3):
                                        for j in T.vectorized(8):
                                            tile[i, v, j] = tile[i, v, j] + A[t * 3 + i, k * 4 + u] * decoded_b[k * 4 + u, v * 8 + j]
                        for i in T.unroll(3):
                            for v in T.unroll(3):
                                for j in T.vectorized(8):
                                    if (0 + p) * 24 + (v * 8 + j) < 20:
                                        C[t * 3 + i, p * 24 + v * 8 + j] = tile[i, v, j]
