# Few rows of deep columns that are many: places of the depth lie so far apart that the second-level cache holds the panel of
# a shallow step alone, which is read where it is.
# test: opt --pass ApplyDefaultSchedule:target=znver4
# run: main == same

@T.prim_func
def main(A: T.Buffer((8, 512), "float32"), B: T.Buffer((512, 1024), "float32"), C: T.Buffer((8, 64), "float32")):
    for i, j, k in T.grid(8, 64, 512):
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
    def main(A: T.Buffer((8, 512), "float32"), B: T.Buffer((512, 1024), "float32"), C: T.Buffer((8, 64), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:8, 0:512], B[0:512, 0:1024], C[0:8, 0:64])
                T.writes(C[0:8, 0:64])
                tile = T.alloc_buffer((4, 4, 16), scope="local", align=64)
                m_start: T.int32 = task * 4
                for k_block in range(2):
                    k_start: T.int32 = k_block * 256
                    for p, t in T.grid(1, 1):
                        for i in T.unroll(4):
                            for v in T.unroll(4):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = T.float32(0.0)
                        for k in range(64):
                            for u in T.unroll(4):
                                for i in T.unroll(4):
                                    for v in T.unroll(4):
                                        for j in T.vectorized(16):
                                            tile[i, v, j] = tile[i, v, j] + A[m_start + t * 4 + i, k_start + k * 4 + u] * B[k_start + k * 4 + u, p * 64 + v * 16 + j]
                        if k_block == 0:
                            for i in T.unroll(4):
                                for v in T.unroll(4):
                                    for j in T.vectorized(16):
                                        C[m_start + t * 4 + i, p * 64 + v * 16 + j] = tile[i, v, j]
                        else:
                            for i in T.unroll(4):
                                for v in T.unroll(4):
                                    for j in T.vectorized(16):
                                        C[m_start + t * 4 + i, p * 64 + v * 16 + j] = C[m_start + t * 4 + i, p * 64 + v * 16 + j] + tile[i, v, j]
