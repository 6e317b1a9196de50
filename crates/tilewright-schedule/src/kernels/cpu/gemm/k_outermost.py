# All tasks compute a K block before any computes the next one: with an epilogue the partial sums of all are in memory.
# test: schedule
# step: b = get_block("C")
# step: gemm(b, 3, 2, 4, 8, 7, 8, "none", "none", k_outermost=True)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 19), "float32"), B: T.Buffer((19, 21), "float32"), D: T.Buffer((7, 21), "float32")):
        C = T.alloc_buffer((7, 21))
        for i, j, k in T.grid(7, 21, 19):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]
        for i, j in T.grid(7, 21):
            with T.block("D"):
                vi, vj = T.axis.remap("SS", [i, j])
                D[vi, vj] = C[vi, vj] + T.float32(1)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 19), "float32"), B: T.Buffer((19, 21), "float32"), D: T.Buffer((7, 21), "float32")):
        # with T.block("root"):
        partial_sums = T.alloc_buffer((7, 24), align=64)
        for k_block in range(3):
            k_start: T.int32 = k_block * 8
            k_count: T.int32 = T.min(19 - k_block * 8, 8)
            for task in T.parallel(3):
                with T.block("C"):
                    T.reads(A[0:7, 0:19], B[0:19, 0:21], partial_sums[0:7, 0:24])
                    T.writes(D[0:7, 0:21], partial_sums[0:7, 0:24])
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
                                            tile[i, v, j] = tile[i, v, j] + A[t * 3 + i, k_start + k] * T.if_then_else((task + p) * 8 + (v * 4 + j) < 21, B[k_start + k, task * 8 + p * 8 + v * 4 + j], T.float32(0.0))
                            if k_block == 0:
                                for i in T.unroll(3):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            partial_sums[0 + (t * 3 + 0 + i), (task + p) * 8 + (v * 4 + j)] = tile[i, v, j]
                            else:
                                for i in T.unroll(3):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            partial_sums[0 + (t * 3 + 0 + i), (task + p) * 8 + (v * 4 + j)] = partial_sums[0 + (t * 3 + 0 + i), (task + p) * 8 + (v * 4 + j)] + tile[i, v, j]
                            if k_block == 2:
                                for piece in range(3):
                                    v: T.int32 = 0
                                    for j in T.vectorized(8):
                                        if (task + p) * 8 + (v * 8 + j) < 21:
                                            D[t * 3 + piece, task * 8 + p * 8 + v * 8 + j] = partial_sums[0 + (t * 3 + 0 + piece), (task + p) * 8 + (v * 8 + j)] + T.float32(1.0)
                        for t in range(2):
                            for i in T.unroll(2):
                                for v in T.unroll(2):
                                    for j in T.vectorized(4):
                                        tile_1[i, v, j] = T.float32(0.0)
                            for k in range(k_count):
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            tile_1[i, v, j] = tile_1[i, v, j] + A[t * 2 + i + 3, k_start + k] * T.if_then_else((task + p) * 8 + (v * 4 + j) < 21, B[k_start + k, task * 8 + p * 8 + v * 4 + j], T.float32(0.0))
                            if k_block == 0:
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            partial_sums[0 + (t * 2 + 3 + i), (task + p) * 8 + (v * 4 + j)] = tile_1[i, v, j]
                            else:
                                for i in T.unroll(2):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(4):
                                            partial_sums[0 + (t * 2 + 3 + i), (task + p) * 8 + (v * 4 + j)] = partial_sums[0 + (t * 2 + 3 + i), (task + p) * 8 + (v * 4 + j)] + tile_1[i, v, j]
                            if k_block == 2:
                                for piece in range(2):
                                    v: T.int32 = 0
                                    for j in T.vectorized(8):
                                        if (task + p) * 8 + (v * 8 + j) < 21:
                                            D[t * 2 + piece + 3, task * 8 + p * 8 + v * 8 + j] = partial_sums[0 + (t * 2 + 3 + piece), (task + p) * 8 + (v * 8 + j)] + T.float32(1.0)
