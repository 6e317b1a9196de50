# All tasks make a step before any makes the next one, which adds to the results.
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
        packed_columns = T.alloc_buffer((3, 19, 8), align=64)
        for panel in T.parallel(3):
            for k in range(19):
                for j in T.vectorized(8):
                    with T.block("packed_columns"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 8 + j_1])
                        T.writes(packed_columns[panel_1, k_1, j_1])
                        packed_columns[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 8 + j_1 < 21, B[k_1, panel_1 * 8 + j_1], T.float32(0.0))
        for step in range(3):
            start: T.int32 = step * 8
            depth: T.int32 = T.min(19 - step * 8, 8)
            for task in T.parallel(3):
                with T.block("C"):
                    T.reads(A[0:7, 0:19], packed_columns[0:3, 0:19, 0:8], C[0:7, 0:21])
                    T.writes(C[0:7, 0:21])
                    tile = T.alloc_buffer((3, 2, 4), scope="local", align=64)
                    tile_1 = T.alloc_buffer((2, 2, 4), scope="local", align=64)
                    for p in range(1):
                        for t in range(1):
                            for i in T.unroll(3):
                                for v in T.unroll(2):
                                    for j in T.vectorized(4):
                                        tile[i, v, j] = T.float32(0.0)
                            for k in range(depth):
                                for i in T.unroll(3):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = tile[i, v, j] + A[t * 3 + i, start + k] * packed_columns[task + p, start + k, v * 4 + j]
                            if step == 0:
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
                            for k in range(depth):
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            tile_1[i, v, j] = tile_1[i, v, j] + A[t * 2 + i + 3, start + k] * packed_columns[task + p, start + k, v * 4 + j]
                            if step == 0:
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
