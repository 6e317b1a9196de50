# Few rows and many columns that no cache holds: these are read a few places of the depth in turns. A result of one element is
# no tile; columns of float16 are copied as they are.
# test: opt --pass ApplyDefaultSchedule:target=znver4
# run: main == same
# run: single == same
# run: narrow == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, 300), "float32"), B: T.Buffer((300, 1001), "float32"), C: T.Buffer((3, 1001), "float32")):
        for i, j, k in T.grid(3, 1001, 300):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def single(A: T.Buffer((1, 200), "float32"), B: T.Buffer((200, 1), "float32"), C: T.Buffer((1, 1), "float32")):
        for i, j, k in T.grid(1, 1, 200):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def narrow(A: T.Buffer((2, 33), "float16"), B: T.Buffer((33, 50), "float16"), C: T.Buffer((2, 50), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for i, j, k in T.grid(2, 50, 33):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vk, vj])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((3, 300), "float32"), B: T.Buffer((300, 1001), "float32"), C: T.Buffer((3, 1001), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:3, 0:300], B[0:300, 0:1001], C[0:3, 0:1001])
                T.writes(C[0:3, 0:1001])
                tile = T.alloc_buffer((3, 7, 16), scope="local", align=64)
                panel_start: T.int32 = task * 5
                panels: T.int32 = T.min(9 - panel_start, 5)
                for k_block in range(38):
                    k_start: T.int32 = k_block * 8
                    k_count: T.int32 = T.min(75 - k_block * 2, 2) * 4
                    for p, t in T.grid(panels, 1):
                        for i in T.unroll(3):
                            for v in T.unroll(7):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = T.float32(0.0)
                        for k in range(k_count):
                            for i in T.unroll(3):
                                for v in T.unroll(7):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + A[t * 3 + i, k_start + k] * T.if_then_else((panel_start + p) * 112 + (v * 16 + j) < 1001, B[k_start + k, panel_start * 112 + p * 112 + v * 16 + j], T.float32(0.0))
                        if k_block == 0:
                            for i in T.unroll(3):
                                for v in T.unroll(7):
                                    for j in T.vectorized(16):
                                        if (panel_start + p) * 112 + (v * 16 + j) < 1001:
                                            C[t * 3 + i, panel_start * 112 + p * 112 + v * 16 + j] = tile[i, v, j]
                        else:
                            for i in T.unroll(3):
                                for v in T.unroll(7):
                                    for j in T.vectorized(16):
                                        if (panel_start + p) * 112 + (v * 16 + j) < 1001:
                                            C[t * 3 + i, panel_start * 112 + p * 112 + v * 16 + j] = C[t * 3 + i, panel_start * 112 + p * 112 + v * 16 + j] + tile[i, v, j]

    @T.prim_func
    def narrow(A: T.Buffer((2, 33), "float16"), B: T.Buffer((33, 50), "float16"), C: T.Buffer((2, 50), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((1, 33, 64), "float16", align=64)
        for panel in T.parallel(1):
            for k in range(33):
                for j in T.vectorized(64):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 64 + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 64 + j_1 < 50, B[k_1, panel_1 * 64 + j_1], T.float16(0.0))
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:2, 0:33], packed_b[0, 0:33, 0:64], C[0:2, 0:50])
                T.writes(C[0:2, 0:50])
                tile = T.alloc_buffer((1, 4, 16), scope="local", align=64)
                for p, t in T.grid(1, 1):
                    for i in T.unroll(1):
                        for v in T.unroll(4):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for k in range(33):
                        for i in T.unroll(1):
                            for v in T.unroll(4):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = tile[i, v, j] + T.Cast("float32", A[task + t + i, k]) * T.Cast("float32", packed_b[0 + p, 0 + k, v * 16 + j])
                    for i in T.unroll(1):
                        for v in T.unroll(4):
                            for j in T.vectorized(16):
                                if (0 + p) * 64 + (v * 16 + j) < 50:
                                    C[task + t + i, p * 64 + v * 16 + j] = tile[i, v, j]

    @T.prim_func
    def single(A: T.Buffer((1, 200), "float32"), B: T.Buffer((200, 1), "float32"), C: T.Buffer((1, 1), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for i, j in T.grid(1, 1):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi, 0:200], B[0:200, vj])
                T.writes(C[vi, vj])
                partial = T.alloc_buffer((T.int64(2), T.int64(16)), scope="local")
                halves = T.alloc_buffer((T.int64(16),), scope="local")
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(16)):
                        partial[u, l] = T.float32(0.0)
                for k_block in range(7):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(16)):
                            if k_block * 32 + T.Cast("int32", u * T.int64(16) + l) < 200:
                                partial[u, l] = partial[u, l] + A[vi, 0 + (k_block * 32 + T.Cast("int32", u * T.int64(16) + l))] * B[0 + (k_block * 32 + T.Cast("int32", u * T.int64(16) + l)), vj]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(16)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                for l in T.vectorized(T.int64(16)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(8)):
                    halves[l] = halves[l] + halves[l + T.int64(8)]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                C[vi, vj] = halves[T.int64(0)]
