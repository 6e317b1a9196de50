# Of columns that no cache near by holds nothing is asked for ahead where what says their places is read from memory, which
# ends where the columns end, or where they are computed from several elements; nor of what the second level of cache may
# hold, where it is read once.
# test: opt --pass ApplyDefaultSchedule:target=znver4
# run: gathered == same
# run: scaled == same
# run: single == same

@I.ir_module
class Module:
    @T.prim_func
    def gathered(A: T.Buffer((20, 700), "float32"), B: T.Buffer((900, 131), "float32"), I: T.Buffer((700,), "int64"), C: T.Buffer((20, 131), "float32")):
        for i, j, k in T.grid(20, 131, 700):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[I[vk] % T.int64(900), vj]

    @T.prim_func
    def scaled(A: T.Buffer((20, 600), "float32"), B: T.Buffer((600, 131), "int8"), S: T.Buffer((131,), "float32"), C: T.Buffer((20, 131), "float32")):
        for i, j, k in T.grid(20, 131, 600):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * (T.Cast("float32", B[vk, vj]) * S[vj])

    @T.prim_func
    def single(A: T.Buffer((1, 600), "float32"), B: T.Buffer((600, 131), "float32"), C: T.Buffer((1, 131), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for i, j, k in T.grid(1, 131, 600):
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
    def gathered(A: T.Buffer((20, 700), "float32"), B: T.Buffer((900, 131), "float32"), I_: T.Buffer((700,), "int64"), C: T.Buffer((20, 131), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:20, 0:700], B[0:900, 0:131], I_[0:700], C[0:20, 0:131])
                T.writes(C[0:20, 0:131])
                packed_b = T.alloc_buffer((700, 48), align=64)
                tile = T.alloc_buffer((7, 3, 16), scope="local", align=64)
                tile_1 = T.alloc_buffer((6, 3, 16), scope="local", align=64)
                panel_start: T.int32 = task * 2
                panels: T.int32 = T.min(3 - panel_start, 2)
                for p in range(panels):
                    for k, v in T.grid(700, 3):
                        for j in T.vectorized(16):
                            packed_b[k, v * 16 + j] = T.if_then_else((panel_start + p) * 48 + (v * 16 + j) < 131, B[I_[k] % T.int64(900), panel_start * 48 + p * 48 + v * 16 + j], T.float32(0.0))
                    for t in range(2):
                        for i in T.unroll(7):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = T.float32(0.0)
                        for k in range(175):
                            for u in T.unroll(4):
                                for i in T.unroll(7):
                                    for v in T.unroll(3):
                                        for j in T.vectorized(16):
                                            tile[i, v, j] = tile[i, v, j] + A[t * 7 + i, k * 4 + u] * packed_b[k * 4 + u, v * 16 + j]
                        for i in T.unroll(7):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    if (panel_start + p) * 48 + (v * 16 + j) < 131:
                                        C[t * 7 + i, panel_start * 48 + p * 48 + v * 16 + j] = tile[i, v, j]
                    for t in range(1):
                        for i in T.unroll(6):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for k in range(175):
                            for u in T.unroll(4):
                                for i in T.unroll(6):
                                    for v in T.unroll(3):
                                        for j in T.vectorized(16):
                                            tile_1[i, v, j] = tile_1[i, v, j] + A[t * 6 + i + 14, k * 4 + u] * packed_b[k * 4 + u, v * 16 + j]
                        for i in T.unroll(6):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    if (panel_start + p) * 48 + (v * 16 + j) < 131:
                                        C[t * 6 + i + 14, panel_start * 48 + p * 48 + v * 16 + j] = tile_1[i, v, j]

    @T.prim_func
    def scaled(A: T.Buffer((20, 600), "float32"), B: T.Buffer((600, 131), "int8"), S: T.Buffer((131,), "float32"), C: T.Buffer((20, 131), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:20, 0:600], B[0:600, 0:131], S[0:131], C[0:20, 0:131])
                T.writes(C[0:20, 0:131])
                packed_b = T.alloc_buffer((600, 48), align=64)
                tile = T.alloc_buffer((7, 3, 16), scope="local", align=64)
                tile_1 = T.alloc_buffer((6, 3, 16), scope="local", align=64)
                panel_start: T.int32 = task * 2
                panels: T.int32 = T.min(3 - panel_start, 2)
                for p in range(panels):
                    for k, v in T.grid(600, 3):
                        for j in T.vectorized(16):
                            packed_b[k, v * 16 + j] = T.if_then_else((panel_start + p) * 48 + (v * 16 + j) < 131, T.Cast("float32", B[k, panel_start * 48 + p * 48 + v * 16 + j]) * S[panel_start * 48 + p * 48 + v * 16 + j], T.float32(0.0))
                    for t in range(2):
                        for i in T.unroll(7):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = T.float32(0.0)
                        for k in range(150):
                            for u in T.unroll(4):
                                for i in T.unroll(7):
                                    for v in T.unroll(3):
                                        for j in T.vectorized(16):
                                            tile[i, v, j] = tile[i, v, j] + A[t * 7 + i, k * 4 + u] * packed_b[k * 4 + u, v * 16 + j]
                        for i in T.unroll(7):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    if (panel_start + p) * 48 + (v * 16 + j) < 131:
                                        C[t * 7 + i, panel_start * 48 + p * 48 + v * 16 + j] = tile[i, v, j]
                    for t in range(1):
                        for i in T.unroll(6):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for k in range(150):
                            for u in T.unroll(4):
                                for i in T.unroll(6):
                                    for v in T.unroll(3):
                                        for j in T.vectorized(16):
                                            tile_1[i, v, j] = tile_1[i, v, j] + A[t * 6 + i + 14, k * 4 + u] * packed_b[k * 4 + u, v * 16 + j]
                        for i in T.unroll(6):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    if (panel_start + p) * 48 + (v * 16 + j) < 131:
                                        C[t * 6 + i + 14, panel_start * 48 + p * 48 + v * 16 + j] = tile_1[i, v, j]

    @T.prim_func
    def single(A: T.Buffer((1, 600), "float32"), B: T.Buffer((600, 131), "float32"), C: T.Buffer((1, 131), "float32")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((3, 600, 48), align=64)
        for panel in T.parallel(3):
            for k in range(600):
                for j in T.vectorized(48):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 48 + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 48 + j_1 < 131, B[k_1, panel_1 * 48 + j_1], T.float32(0.0))
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0, 0:600], packed_b[0:3, 0:600, 0:48], C[0, 0:131])
                T.writes(C[0, 0:131])
                tile = T.alloc_buffer((1, 3, 16), scope="local", align=64)
                panel_start: T.int32 = task * 2
                panels: T.int32 = T.min(3 - panel_start, 2)
                for p, t in T.grid(panels, 1):
                    for i in T.unroll(1):
                        for v in T.unroll(3):
                            for j in T.vectorized(16):
                                tile[i, v, j] = T.float32(0.0)
                    for k in range(150):
                        for u in T.unroll(4):
                            for i in T.unroll(1):
                                for v in T.unroll(3):
                                    for j in T.vectorized(16):
                                        tile[i, v, j] = tile[i, v, j] + A[0, k * 4 + u] * packed_b[panel_start + p, 0 + (k * 4 + u), v * 16 + j]
                    for i in T.unroll(1):
                        for v in T.unroll(3):
                            for j in T.vectorized(16):
                                if (panel_start + p) * 48 + (v * 16 + j) < 131:
                                    C[0, panel_start * 48 + p * 48 + v * 16 + j] = tile[i, v, j]
