# Few columns of a great depth are one run of memory: steps are deep, not such that each row of many columns is a run.
# test: opt --pass ApplyDefaultSchedule:target=haswell

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4, 200000), "float32"), B: T.Buffer((200000, 8), "float32"), C: T.Buffer((4, 8), "float32")):
        for i, j, k in T.grid(4, 8, 200000):
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
    def main(A: T.Buffer((4, 200000), "float32"), B: T.Buffer((200000, 8), "float32"), C: T.Buffer((4, 8), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in range(1):
            with T.block("C"):
                T.reads(A[0:4, 0:200000], B[0:200000, 0:8], C[0:4, 0:8])
                T.writes(C[0:4, 0:8])
                tile = T.alloc_buffer((4, 1, 8), scope="local", align=64)
                for k_block in range(13):
                    k_start: T.int32 = k_block * 16384
                    k_count: T.int32 = T.min(3125 - k_block * 256, 256) * 64
                    for p, t in T.grid(1, 1):
                        for i in T.unroll(4):
                            for v in T.unroll(1):
                                for j in T.vectorized(8):
                                    tile[i, v, j] = T.float32(0.0)
                        for k in range(k_count):
                            for i in T.unroll(4):
                                for v in T.unroll(1):
                                    for j in T.vectorized(8):
                                        tile[i, v, j] = tile[i, v, j] + A[t * 4 + i, k_start + k] * B[k_start + k, p * 8 + v * 8 + j]
                        if k_block == 0:
                            for i in T.unroll(4):
                                for v in T.unroll(1):
                                    for j in T.vectorized(8):
                                        C[t * 4 + i, p * 8 + v * 8 + j] = tile[i, v, j]
                        else:
                            for i in T.unroll(4):
                                for v in T.unroll(1):
                                    for j in T.vectorized(8):
                                        C[t * 4 + i, p * 8 + v * 8 + j] = C[t * 4 + i, p * 8 + v * 8 + j] + tile[i, v, j]
