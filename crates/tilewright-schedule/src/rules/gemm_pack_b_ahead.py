# Columns of B that no near cache holds are prefetched: those of the next panel, at the last panel of a K block those of the
# next block; with a single row tile, whose A panel is transposed, those further on in the panel.
# test: opt --pass ApplyDefaultSchedule:target=znver4
# run: main == same
# run: transposed == same
# run: tall == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 310), "float64"), B: T.Buffer((310, 131), "float64"), C: T.Buffer((8, 131), "float64")):
        T.func_attr({"layout_free_buffers": [1]})
        for i, j, k in T.grid(8, 131, 310):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float64(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    @T.prim_func
    def transposed(A: T.Buffer((10, 520), "float32"), B: T.Buffer((131, 520), "float32"), C: T.Buffer((10, 131), "float32")):
        for i, j, k in T.grid(10, 131, 520):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]

    @T.prim_func
    def tall(A: T.Buffer((5, 1011), "float64"), B: T.Buffer((1011, 131), "float64"), C: T.Buffer((5, 131), "float64")):
        T.func_attr({"layout_free_buffers": [1]})
        for i, j, k in T.grid(5, 131, 1011):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float64(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((8, 310), "float64"), B: T.Buffer((310, 131), "float64"), C: T.Buffer((8, 131), "float64")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((3, 310, 48), "float64", align=64)
        for panel in T.parallel(3):
            for k in range(310):
                for j in T.vectorized(48):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 48 + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 48 + j_1 < 131, B[k_1, panel_1 * 48 + j_1], T.float64(0.0))
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:8, 0:310], packed_b[0:3, 0:310, 0:48], C[0:8, 0:131])
                T.writes(C[0:8, 0:131])
                tile = T.alloc_buffer((4, 6, 8), "float64", scope="local", align=64)
                panel_start: T.int32 = task * 2
                panels: T.int32 = T.min(3 - panel_start, 2)
                for p in range(panels):
                    prefetch_panel: T.int32 = panel_start + p + 1
                    for t in range(2):
                        for i in T.unroll(4):
                            for v in T.unroll(6):
                                for j in T.vectorized(8):
                                    tile[i, v, j] = T.float64(0.0)
                        for line in range(77):
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 8]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 16]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 24]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 32]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 40]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 48]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 56]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 64]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 72]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 80]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_b[prefetch_panel, 0, t * 7392 + line * 96 + 88]), 0, 2))
                            for k in range(1):
                                for u in T.unroll(4):
                                    for i in T.unroll(4):
                                        for v in T.unroll(6):
                                            for j in T.vectorized(8):
                                                tile[i, v, j] = tile[i, v, j] + A[t * 4 + i, line * 4 + k * 4 + u] * packed_b[panel_start + p, 0 + (line * 4 + k * 4 + u), v * 8 + j]
                        for k in range(2):
                            for i in T.unroll(4):
                                for v in T.unroll(6):
                                    for j in T.vectorized(8):
                                        tile[i, v, j] = tile[i, v, j] + A[t * 4 + i, k + 308] * packed_b[panel_start + p, 0 + (k + 308), v * 8 + j]
                        for i in T.unroll(4):
                            for v in T.unroll(6):
                                for j in T.vectorized(8):
                                    if (panel_start + p) * 48 + (v * 8 + j) < 131:
                                        C[t * 4 + i, panel_start * 48 + p * 48 + v * 8 + j] = tile[i, v, j]

    @T.prim_func
    def tall(A: T.Buffer((5, 1011), "float64"), B: T.Buffer((1011, 131), "float64"), C: T.Buffer((5, 131), "float64")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((4, 1011, 40), "float64", align=64)
        for panel in T.parallel(4):
            for k in range(1011):
                for j in T.vectorized(40):
                    with T.block("packed_b"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 40 + j_1])
                        T.writes(packed_b[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_b[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 40 + j_1 < 131, B[k_1, panel_1 * 40 + j_1], T.float64(0.0))
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:5, 0:1011], packed_b[0:4, 0:1011, 0:40], C[0:5, 0:131])
                T.writes(C[0:5, 0:131])
                tile = T.alloc_buffer((5, 5, 8), "float64", scope="local", align=64)
                panel_start: T.int32 = task * 2
                for p, t in T.grid(2, 1):
                    for i in T.unroll(5):
                        for v in T.unroll(5):
                            for j in T.vectorized(8):
                                tile[i, v, j] = T.float64(0.0)
                    for line in range(1011):
                        T.evaluate(T.prefetch(T.address_of(packed_b[panel_start + p, 103, t * 40440 + line * 40]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(packed_b[panel_start + p, 103, t * 40440 + line * 40 + 8]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(packed_b[panel_start + p, 103, t * 40440 + line * 40 + 16]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(packed_b[panel_start + p, 103, t * 40440 + line * 40 + 24]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(packed_b[panel_start + p, 103, t * 40440 + line * 40 + 32]), 0, 2))
                        for k in range(1):
                            for i in T.unroll(5):
                                for v in T.unroll(5):
                                    for j in T.vectorized(8):
                                        tile[i, v, j] = tile[i, v, j] + A[t * 5 + i, line + k] * packed_b[panel_start + p, 0 + (line + k), v * 8 + j]
                    for i in T.unroll(5):
                        for v in T.unroll(5):
                            for j in T.vectorized(8):
                                if (panel_start + p) * 40 + (v * 8 + j) < 131:
                                    C[t * 5 + i, panel_start * 40 + p * 40 + v * 8 + j] = tile[i, v, j]

    @T.prim_func
    def transposed(A: T.Buffer((10, 520), "float32"), B: T.Buffer((131, 520), "float32"), C: T.Buffer((10, 131), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:10, 0:520], B[0:131, 0:520], C[0:10, 0:131])
                T.writes(C[0:10, 0:131])
                packed_b = T.alloc_buffer((520, 48), align=64)
                tile = T.alloc_buffer((5, 3, 16), scope="local", align=64)
                panel_start: T.int32 = task * 2
                panels: T.int32 = T.min(3 - panel_start, 2)
                for p in range(panels):
                    prefetch_panel: T.int32 = panel_start + p + 1
                    for j_tile, k_tile in T.grid(3, 33):
                        if k_tile * 16 + 15 < 520 and (panel_start + p) * 48 + (j_tile * 16 + 15) < 131:
                            row: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 0), T.Ramp(k_tile * 16, 1, 16)]
                            row_1: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 1), T.Ramp(k_tile * 16, 1, 16)]
                            row_2: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 2), T.Ramp(k_tile * 16, 1, 16)]
                            row_3: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 3), T.Ramp(k_tile * 16, 1, 16)]
                            row_4: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 4), T.Ramp(k_tile * 16, 1, 16)]
                            row_5: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 5), T.Ramp(k_tile * 16, 1, 16)]
                            row_6: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 6), T.Ramp(k_tile * 16, 1, 16)]
                            row_7: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 7), T.Ramp(k_tile * 16, 1, 16)]
                            row_8: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 8), T.Ramp(k_tile * 16, 1, 16)]
                            row_9: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 9), T.Ramp(k_tile * 16, 1, 16)]
                            row_10: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 10), T.Ramp(k_tile * 16, 1, 16)]
                            row_11: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 11), T.Ramp(k_tile * 16, 1, 16)]
                            row_12: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 12), T.Ramp(k_tile * 16, 1, 16)]
                            row_13: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 13), T.Ramp(k_tile * 16, 1, 16)]
                            row_14: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 14), T.Ramp(k_tile * 16, 1, 16)]
                            row_15: T.float32x16 = B[panel_start * 48 + p * 48 + (j_tile * 16 + 15), T.Ramp(k_tile * 16, 1, 16)]
                            shuffled: T.float32x16 = T.Shuffle([row, row_1], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_1: T.float32x16 = T.Shuffle([row, row_1], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_2: T.float32x16 = T.Shuffle([row_2, row_3], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_3: T.float32x16 = T.Shuffle([row_2, row_3], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_4: T.float32x16 = T.Shuffle([row_4, row_5], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_5: T.float32x16 = T.Shuffle([row_4, row_5], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_6: T.float32x16 = T.Shuffle([row_6, row_7], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_7: T.float32x16 = T.Shuffle([row_6, row_7], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_8: T.float32x16 = T.Shuffle([row_8, row_9], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_9: T.float32x16 = T.Shuffle([row_8, row_9], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_10: T.float32x16 = T.Shuffle([row_10, row_11], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_11: T.float32x16 = T.Shuffle([row_10, row_11], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_12: T.float32x16 = T.Shuffle([row_12, row_13], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_13: T.float32x16 = T.Shuffle([row_12, row_13], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_14: T.float32x16 = T.Shuffle([row_14, row_15], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_15: T.float32x16 = T.Shuffle([row_14, row_15], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_16: T.float32x16 = T.Shuffle([shuffled, shuffled_2], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_17: T.float32x16 = T.Shuffle([shuffled, shuffled_2], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_18: T.float32x16 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_19: T.float32x16 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_20: T.float32x16 = T.Shuffle([shuffled_4, shuffled_6], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_21: T.float32x16 = T.Shuffle([shuffled_4, shuffled_6], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_22: T.float32x16 = T.Shuffle([shuffled_5, shuffled_7], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_23: T.float32x16 = T.Shuffle([shuffled_5, shuffled_7], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_24: T.float32x16 = T.Shuffle([shuffled_8, shuffled_10], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_25: T.float32x16 = T.Shuffle([shuffled_8, shuffled_10], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_26: T.float32x16 = T.Shuffle([shuffled_9, shuffled_11], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_27: T.float32x16 = T.Shuffle([shuffled_9, shuffled_11], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_28: T.float32x16 = T.Shuffle([shuffled_12, shuffled_14], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_29: T.float32x16 = T.Shuffle([shuffled_12, shuffled_14], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_30: T.float32x16 = T.Shuffle([shuffled_13, shuffled_15], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_31: T.float32x16 = T.Shuffle([shuffled_13, shuffled_15], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_32: T.float32x16 = T.Shuffle([shuffled_16, shuffled_20], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_33: T.float32x16 = T.Shuffle([shuffled_16, shuffled_20], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_34: T.float32x16 = T.Shuffle([shuffled_17, shuffled_21], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_35: T.float32x16 = T.Shuffle([shuffled_17, shuffled_21], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_36: T.float32x16 = T.Shuffle([shuffled_18, shuffled_22], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_37: T.float32x16 = T.Shuffle([shuffled_18, shuffled_22], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_38: T.float32x16 = T.Shuffle([shuffled_19, shuffled_23], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_39: T.float32x16 = T.Shuffle([shuffled_19, shuffled_23], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_40: T.float32x16 = T.Shuffle([shuffled_24, shuffled_28], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_41: T.float32x16 = T.Shuffle([shuffled_24, shuffled_28], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_42: T.float32x16 = T.Shuffle([shuffled_25, shuffled_29], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_43: T.float32x16 = T.Shuffle([shuffled_25, shuffled_29], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_44: T.float32x16 = T.Shuffle([shuffled_26, shuffled_30], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_45: T.float32x16 = T.Shuffle([shuffled_26, shuffled_30], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_46: T.float32x16 = T.Shuffle([shuffled_27, shuffled_31], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_47: T.float32x16 = T.Shuffle([shuffled_27, shuffled_31], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_48: T.float32x16 = T.Shuffle([shuffled_32, shuffled_40], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_49: T.float32x16 = T.Shuffle([shuffled_32, shuffled_40], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_50: T.float32x16 = T.Shuffle([shuffled_34, shuffled_42], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_51: T.float32x16 = T.Shuffle([shuffled_34, shuffled_42], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_52: T.float32x16 = T.Shuffle([shuffled_36, shuffled_44], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_53: T.float32x16 = T.Shuffle([shuffled_36, shuffled_44], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_54: T.float32x16 = T.Shuffle([shuffled_38, shuffled_46], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_55: T.float32x16 = T.Shuffle([shuffled_38, shuffled_46], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_56: T.float32x16 = T.Shuffle([shuffled_33, shuffled_41], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_57: T.float32x16 = T.Shuffle([shuffled_33, shuffled_41], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_58: T.float32x16 = T.Shuffle([shuffled_35, shuffled_43], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_59: T.float32x16 = T.Shuffle([shuffled_35, shuffled_43], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_60: T.float32x16 = T.Shuffle([shuffled_37, shuffled_45], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_61: T.float32x16 = T.Shuffle([shuffled_37, shuffled_45], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_62: T.float32x16 = T.Shuffle([shuffled_39, shuffled_47], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_63: T.float32x16 = T.Shuffle([shuffled_39, shuffled_47], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            packed_b[k_tile * 16 + 0, T.Ramp(j_tile * 16, 1, 16)] = shuffled_48
                            packed_b[k_tile * 16 + 1, T.Ramp(j_tile * 16, 1, 16)] = shuffled_50
                            packed_b[k_tile * 16 + 2, T.Ramp(j_tile * 16, 1, 16)] = shuffled_52
                            packed_b[k_tile * 16 + 3, T.Ramp(j_tile * 16, 1, 16)] = shuffled_54
                            packed_b[k_tile * 16 + 4, T.Ramp(j_tile * 16, 1, 16)] = shuffled_56
                            packed_b[k_tile * 16 + 5, T.Ramp(j_tile * 16, 1, 16)] = shuffled_58
                            packed_b[k_tile * 16 + 6, T.Ramp(j_tile * 16, 1, 16)] = shuffled_60
                            packed_b[k_tile * 16 + 7, T.Ramp(j_tile * 16, 1, 16)] = shuffled_62
                            packed_b[k_tile * 16 + 8, T.Ramp(j_tile * 16, 1, 16)] = shuffled_49
                            packed_b[k_tile * 16 + 9, T.Ramp(j_tile * 16, 1, 16)] = shuffled_51
                            packed_b[k_tile * 16 + 10, T.Ramp(j_tile * 16, 1, 16)] = shuffled_53
                            packed_b[k_tile * 16 + 11, T.Ramp(j_tile * 16, 1, 16)] = shuffled_55
                            packed_b[k_tile * 16 + 12, T.Ramp(j_tile * 16, 1, 16)] = shuffled_57
                            packed_b[k_tile * 16 + 13, T.Ramp(j_tile * 16, 1, 16)] = shuffled_59
                            packed_b[k_tile * 16 + 14, T.Ramp(j_tile * 16, 1, 16)] = shuffled_61
                            packed_b[k_tile * 16 + 15, T.Ramp(j_tile * 16, 1, 16)] = shuffled_63
                        else:
                            row: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 0) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 0), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_1: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 1) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 1), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_2: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 2) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 2), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_3: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 3) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 3), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_4: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 4) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 4), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_5: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 5) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 5), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_6: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 6) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 6), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_7: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 7) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 7), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_8: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 8) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 8), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_9: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 9) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 9), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_10: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 10) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 10), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_11: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 11) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 11), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_12: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 12) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 12), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_13: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 13) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 13), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_14: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 14) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 14), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_15: T.float32x16 = T.if_then_else((panel_start + p) * 48 + (j_tile * 16 + 15) < 131, B.vload([panel_start * 48 + p * 48 + (j_tile * 16 + 15), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            shuffled: T.float32x16 = T.Shuffle([row, row_1], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_1: T.float32x16 = T.Shuffle([row, row_1], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_2: T.float32x16 = T.Shuffle([row_2, row_3], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_3: T.float32x16 = T.Shuffle([row_2, row_3], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_4: T.float32x16 = T.Shuffle([row_4, row_5], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_5: T.float32x16 = T.Shuffle([row_4, row_5], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_6: T.float32x16 = T.Shuffle([row_6, row_7], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_7: T.float32x16 = T.Shuffle([row_6, row_7], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_8: T.float32x16 = T.Shuffle([row_8, row_9], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_9: T.float32x16 = T.Shuffle([row_8, row_9], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_10: T.float32x16 = T.Shuffle([row_10, row_11], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_11: T.float32x16 = T.Shuffle([row_10, row_11], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_12: T.float32x16 = T.Shuffle([row_12, row_13], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_13: T.float32x16 = T.Shuffle([row_12, row_13], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_14: T.float32x16 = T.Shuffle([row_14, row_15], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_15: T.float32x16 = T.Shuffle([row_14, row_15], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_16: T.float32x16 = T.Shuffle([shuffled, shuffled_2], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_17: T.float32x16 = T.Shuffle([shuffled, shuffled_2], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_18: T.float32x16 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_19: T.float32x16 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_20: T.float32x16 = T.Shuffle([shuffled_4, shuffled_6], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_21: T.float32x16 = T.Shuffle([shuffled_4, shuffled_6], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_22: T.float32x16 = T.Shuffle([shuffled_5, shuffled_7], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_23: T.float32x16 = T.Shuffle([shuffled_5, shuffled_7], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_24: T.float32x16 = T.Shuffle([shuffled_8, shuffled_10], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_25: T.float32x16 = T.Shuffle([shuffled_8, shuffled_10], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_26: T.float32x16 = T.Shuffle([shuffled_9, shuffled_11], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_27: T.float32x16 = T.Shuffle([shuffled_9, shuffled_11], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_28: T.float32x16 = T.Shuffle([shuffled_12, shuffled_14], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_29: T.float32x16 = T.Shuffle([shuffled_12, shuffled_14], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_30: T.float32x16 = T.Shuffle([shuffled_13, shuffled_15], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_31: T.float32x16 = T.Shuffle([shuffled_13, shuffled_15], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_32: T.float32x16 = T.Shuffle([shuffled_16, shuffled_20], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_33: T.float32x16 = T.Shuffle([shuffled_16, shuffled_20], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_34: T.float32x16 = T.Shuffle([shuffled_17, shuffled_21], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_35: T.float32x16 = T.Shuffle([shuffled_17, shuffled_21], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_36: T.float32x16 = T.Shuffle([shuffled_18, shuffled_22], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_37: T.float32x16 = T.Shuffle([shuffled_18, shuffled_22], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_38: T.float32x16 = T.Shuffle([shuffled_19, shuffled_23], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_39: T.float32x16 = T.Shuffle([shuffled_19, shuffled_23], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_40: T.float32x16 = T.Shuffle([shuffled_24, shuffled_28], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_41: T.float32x16 = T.Shuffle([shuffled_24, shuffled_28], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_42: T.float32x16 = T.Shuffle([shuffled_25, shuffled_29], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_43: T.float32x16 = T.Shuffle([shuffled_25, shuffled_29], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_44: T.float32x16 = T.Shuffle([shuffled_26, shuffled_30], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_45: T.float32x16 = T.Shuffle([shuffled_26, shuffled_30], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_46: T.float32x16 = T.Shuffle([shuffled_27, shuffled_31], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_47: T.float32x16 = T.Shuffle([shuffled_27, shuffled_31], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_48: T.float32x16 = T.Shuffle([shuffled_32, shuffled_40], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_49: T.float32x16 = T.Shuffle([shuffled_32, shuffled_40], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_50: T.float32x16 = T.Shuffle([shuffled_34, shuffled_42], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_51: T.float32x16 = T.Shuffle([shuffled_34, shuffled_42], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_52: T.float32x16 = T.Shuffle([shuffled_36, shuffled_44], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_53: T.float32x16 = T.Shuffle([shuffled_36, shuffled_44], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_54: T.float32x16 = T.Shuffle([shuffled_38, shuffled_46], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_55: T.float32x16 = T.Shuffle([shuffled_38, shuffled_46], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_56: T.float32x16 = T.Shuffle([shuffled_33, shuffled_41], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_57: T.float32x16 = T.Shuffle([shuffled_33, shuffled_41], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_58: T.float32x16 = T.Shuffle([shuffled_35, shuffled_43], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_59: T.float32x16 = T.Shuffle([shuffled_35, shuffled_43], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_60: T.float32x16 = T.Shuffle([shuffled_37, shuffled_45], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_61: T.float32x16 = T.Shuffle([shuffled_37, shuffled_45], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_62: T.float32x16 = T.Shuffle([shuffled_39, shuffled_47], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_63: T.float32x16 = T.Shuffle([shuffled_39, shuffled_47], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            if k_tile * 16 + 0 < 520:
                                packed_b[k_tile * 16 + 0, T.Ramp(j_tile * 16, 1, 16)] = shuffled_48
                            if k_tile * 16 + 1 < 520:
                                packed_b[k_tile * 16 + 1, T.Ramp(j_tile * 16, 1, 16)] = shuffled_50
                            if k_tile * 16 + 2 < 520:
                                packed_b[k_tile * 16 + 2, T.Ramp(j_tile * 16, 1, 16)] = shuffled_52
                            if k_tile * 16 + 3 < 520:
                                packed_b[k_tile * 16 + 3, T.Ramp(j_tile * 16, 1, 16)] = shuffled_54
                            if k_tile * 16 + 4 < 520:
                                packed_b[k_tile * 16 + 4, T.Ramp(j_tile * 16, 1, 16)] = shuffled_56
                            if k_tile * 16 + 5 < 520:
                                packed_b[k_tile * 16 + 5, T.Ramp(j_tile * 16, 1, 16)] = shuffled_58
                            if k_tile * 16 + 6 < 520:
                                packed_b[k_tile * 16 + 6, T.Ramp(j_tile * 16, 1, 16)] = shuffled_60
                            if k_tile * 16 + 7 < 520:
                                packed_b[k_tile * 16 + 7, T.Ramp(j_tile * 16, 1, 16)] = shuffled_62
                            if k_tile * 16 + 8 < 520:
                                packed_b[k_tile * 16 + 8, T.Ramp(j_tile * 16, 1, 16)] = shuffled_49
                            if k_tile * 16 + 9 < 520:
                                packed_b[k_tile * 16 + 9, T.Ramp(j_tile * 16, 1, 16)] = shuffled_51
                            if k_tile * 16 + 10 < 520:
                                packed_b[k_tile * 16 + 10, T.Ramp(j_tile * 16, 1, 16)] = shuffled_53
                            if k_tile * 16 + 11 < 520:
                                packed_b[k_tile * 16 + 11, T.Ramp(j_tile * 16, 1, 16)] = shuffled_55
                            if k_tile * 16 + 12 < 520:
                                packed_b[k_tile * 16 + 12, T.Ramp(j_tile * 16, 1, 16)] = shuffled_57
                            if k_tile * 16 + 13 < 520:
                                packed_b[k_tile * 16 + 13, T.Ramp(j_tile * 16, 1, 16)] = shuffled_59
                            if k_tile * 16 + 14 < 520:
                                packed_b[k_tile * 16 + 14, T.Ramp(j_tile * 16, 1, 16)] = shuffled_61
                            if k_tile * 16 + 15 < 520:
                                packed_b[k_tile * 16 + 15, T.Ramp(j_tile * 16, 1, 16)] = shuffled_63
                    for t in range(2):
                        for i in T.unroll(5):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = T.float32(0.0)
                        for line in range(130):
                            T.evaluate(T.prefetch(T.address_of(B[prefetch_panel * 48 + (t * 390 + line * 3) // 16, (t * 390 + line * 3) % 16 * 32]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(B[prefetch_panel * 48 + (t * 390 + line * 3) // 16, (t * 390 + line * 3) % 16 * 32 + 16]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(B[prefetch_panel * 48 + (t * 390 + line * 3 + 1) // 16, (t * 390 + line * 3 + 1) % 16 * 32]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(B[prefetch_panel * 48 + (t * 390 + line * 3 + 1) // 16, (t * 780 + line * 6 + 3) % 32 * 16]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(B[prefetch_panel * 48 + (t * 390 + line * 3 + 2) // 16, (t * 390 + line * 3 + 2) % 16 * 32]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(B[prefetch_panel * 48 + (t * 390 + line * 3 + 2) // 16, (t * 780 + line * 6 + 5) % 32 * 16]), 0, 2))
                            for k in range(1):
                                for u in T.unroll(4):
                                    for i in T.unroll(5):
                                        for v in T.unroll(3):
                                            for j in T.vectorized(16):
                                                tile[i, v, j] = tile[i, v, j] + A[t * 5 + i, line * 4 + k * 4 + u] * packed_b[line * 4 + k * 4 + u, v * 16 + j]
                        for i in T.unroll(5):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    if (panel_start + p) * 48 + (v * 16 + j) < 131:
                                        C[t * 5 + i, panel_start * 48 + p * 48 + v * 16 + j] = tile[i, v, j]
