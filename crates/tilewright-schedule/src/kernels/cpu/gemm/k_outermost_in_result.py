# All tasks compute a K block before any computes the next one, which adds to the results.
# test: schedule
# step: b = get_block("C")
# step: gemm(b, 3, 2, 4, 8, 7, 8, "none", "ahead", k_outermost=True)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 19), "float32"), B: T.Buffer((19, 21), "float32"), C: T.Buffer((7, 21), "float32")):
        for i, j, k in T.grid(7, 21, 19):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 19), "float32"), B: T.Buffer((19, 21), "float32"), C: T.Buffer((7, 21), "float32")):
        # with T.block("root"):
        packed_b = T.alloc_buffer((3, 19, 8), align=64)
        for panel in T.parallel(3):
            for k in range(19):
                for j in T.vectorized(8):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 8 + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 8 + j_1 < 21, B[k_1, panel_1 * 8 + j_1], T.float32(0.0))
        for k_block in range(3):
            k_start: T.int32 = k_block * 8
            k_count: T.int32 = T.min(19 - k_block * 8, 8)
            for task in T.parallel(3):
                with T.block("C"):
                    T.reads(A[0:7, 0:19], packed_b[0:3, 0:19, 0:8], C[0:7, 0:21])
                    T.writes(C[0:7, 0:21])
                    tile = T.alloc_buffer((3, 2, 4), scope="local", align=64)
                    tile_1 = T.alloc_buffer((2, 2, 4), scope="local", align=64)
                    for p in range(1):
                        for t in range(1):
                            for i in T.unroll(3):
                                for v in T.unroll(2):
                                    for j in T.vectorized(4):
                                        tile[i, v, j] = T.float32(0.0)
                            for k in range(k_count):
                                for i in T.unroll(3):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = tile[i, v, j] + A[t * 3 + i, k_start + k] * packed_b[task + p, k_start + k, v * 4 + j]
                            if k_block == 0:
                                for i in T.unroll(3):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            if (task + p) * 8 + (v * 4 + j) < 21:
                                                C[t * 3 + i, task * 8 + p * 8 + v * 4 + j] = tile[i, v, j]
                            else:
                                for i in T.unroll(3):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            if (task + p) * 8 + (v * 4 + j) < 21:
                                                C[t * 3 + i, task * 8 + p * 8 + v * 4 + j] = C[t * 3 + i, task * 8 + p * 8 + v * 4 + j] + tile[i, v, j]
                        for t in range(2):
                            for i in T.unroll(2):
                                for v in T.unroll(2):
                                    for j in T.vectorized(4):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k in range(k_count):
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            tile_1[i, v, j] = tile_1[i, v, j] + A[t * 2 + i + 3, k_start + k] * packed_b[task + p, k_start + k, v * 4 + j]
                            if k_block == 0:
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            if (task + p) * 8 + (v * 4 + j) < 21:
                                                C[t * 2 + i + 3, task * 8 + p * 8 + v * 4 + j] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            if (task + p) * 8 + (v * 4 + j) < 21:
                                                C[t * 2 + i + 3, task * 8 + p * 8 + v * 4 + j] = C[t * 2 + i + 3, task * 8 + p * 8 + v * 4 + j] + tile_1[i, v, j]
