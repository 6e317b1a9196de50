# Columns that no cache near by holds are asked for ahead: those of the next panel, behind the last panel of a step those of
# the next step; with a single tile of rows, whose copy is turned, those further on in the panel.
# test: opt --pass ApplyDefaultSchedule:target=znver4
# run: main == same
# run: turned == same
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
    def turned(A: T.Buffer((10, 520), "float32"), B: T.Buffer((131, 520), "float32"), C: T.Buffer((10, 131), "float32")):
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
        packed_columns = T.alloc_buffer((3, 310, 48), "float64", align=64)
        for panel in T.parallel(3):
            for k in range(310):
                for j in T.vectorized(48):
                    with T.block("packed_columns"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 48 + j_1])
                        T.writes(packed_columns[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_columns[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 48 + j_1 < 131, B[k_1, panel_1 * 48 + j_1], T.float64(0.0))
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:8, 0:310], packed_columns[0:3, 0:310, 0:48], C[0:8, 0:131])
                T.writes(C[0:8, 0:131])
                tile = T.alloc_buffer((4, 6, 8), "float64", scope="local", align=64)
                panel: T.int32 = task * 2
                panels: T.int32 = T.min(3 - panel, 2)
                for p in range(panels):
                    next_panel: T.int32 = panel + p + 1
                    for t in range(2):
                        for i in T.unroll(4):
                            for v in T.unroll(6):
                                for j in T.vectorized(8):
                                    tile[i, v, j] = T.float64(0.0)
                        for line in range(77):
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 8]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 16]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 24]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 32]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 40]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 48]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 56]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 64]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 72]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 80]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(packed_columns[next_panel, 0, t * 7392 + line * 96 + 88]), 0, 2))
                            for k in range(1):
                                for u in T.unroll(4):
                                    for i in T.unroll(4):
                                        for v in T.unroll(6):
                                            for j in T.vectorized(8):
                                                tile[i, v, j] = tile[i, v, j] + A[t * 4 + i, line * 4 + k * 4 + u] * packed_columns[panel + p, 0 + (line * 4 + k * 4 + u), v * 8 + j]
                        for k in range(2):
                            for i in T.unroll(4):
                                for v in T.unroll(6):
                                    for j in T.vectorized(8):
                                        tile[i, v, j] = tile[i, v, j] + A[t * 4 + i, k + 308] * packed_columns[panel + p, 0 + (k + 308), v * 8 + j]
                        for i in T.unroll(4):
                            for v in T.unroll(6):
                                for j in T.vectorized(8):
                                    if (panel + p) * 48 + (v * 8 + j) < 131:
                                        C[t * 4 + i, panel * 48 + p * 48 + v * 8 + j] = tile[i, v, j]

    @T.prim_func
    def tall(A: T.Buffer((5, 1011), "float64"), B: T.Buffer((1011, 131), "float64"), C: T.Buffer((5, 131), "float64")):
        T.func_attr({"layout_free_buffers": [1], "tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_columns = T.alloc_buffer((4, 1011, 40), "float64", align=64)
        for panel in T.parallel(4):
            for k in range(1011):
                for j in T.vectorized(40):
                    with T.block("packed_columns"):
                        panel_1, k_1, j_1 = T.axis.remap("SSS", [panel, k, j])
                        T.reads(B[k_1, panel_1 * 40 + j_1])
                        T.writes(packed_columns[panel_1, k_1, j_1])
                        T.block_attr({"layout_rewrite_preproc": T.bool(True)})
                        packed_columns[panel_1, k_1, j_1] = T.if_then_else(panel_1 * 40 + j_1 < 131, B[k_1, panel_1 * 40 + j_1], T.float64(0.0))
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:5, 0:1011], packed_columns[0:4, 0:1011, 0:40], C[0:5, 0:131])
                T.writes(C[0:5, 0:131])
                tile = T.alloc_buffer((5, 5, 8), "float64", scope="local", align=64)
                panel: T.int32 = task * 2
                for p, t in T.grid(2, 1):
                    for i in T.unroll(5):
                        for v in T.unroll(5):
                            for j in T.vectorized(8):
                                tile[i, v, j] = T.float64(0.0)
                    for line in range(1011):
                        T.evaluate(T.prefetch(T.address_of(packed_columns[panel + p, 103, t * 40440 + line * 40]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(packed_columns[panel + p, 103, t * 40440 + line * 40 + 8]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(packed_columns[panel + p, 103, t * 40440 + line * 40 + 16]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(packed_columns[panel + p, 103, t * 40440 + line * 40 + 24]), 0, 2))
                        T.evaluate(T.prefetch(T.address_of(packed_columns[panel + p, 103, t * 40440 + line * 40 + 32]), 0, 2))
                        for k in range(1):
                            for i in T.unroll(5):
                                for v in T.unroll(5):
                                    for j in T.vectorized(8):
                                        tile[i, v, j] = tile[i, v, j] + A[t * 5 + i, line + k] * packed_columns[panel + p, 0 + (line + k), v * 8 + j]
                    for i in T.unroll(5):
                        for v in T.unroll(5):
                            for j in T.vectorized(8):
                                if (panel + p) * 40 + (v * 8 + j) < 131:
                                    C[t * 5 + i, panel * 40 + p * 40 + v * 8 + j] = tile[i, v, j]

    @T.prim_func
    def turned(A: T.Buffer((10, 520), "float32"), B: T.Buffer((131, 520), "float32"), C: T.Buffer((10, 131), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:10, 0:520], B[0:131, 0:520], C[0:10, 0:131])
                T.writes(C[0:10, 0:131])
                packed_columns = T.alloc_buffer((520, 48), align=64)
                tile = T.alloc_buffer((5, 3, 16), scope="local", align=64)
                panel: T.int32 = task * 2
                panels: T.int32 = T.min(3 - panel, 2)
                for p in range(panels):
                    next_panel: T.int32 = panel + p + 1
                    for j_tile, k_tile in T.grid(3, 33):
                        if k_tile * 16 + 15 < 520 and (panel + p) * 48 + (j_tile * 16 + 15) < 131:
                            row: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 0), T.Ramp(k_tile * 16, 1, 16)]
                            row_1: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 1), T.Ramp(k_tile * 16, 1, 16)]
                            row_2: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 2), T.Ramp(k_tile * 16, 1, 16)]
                            row_3: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 3), T.Ramp(k_tile * 16, 1, 16)]
                            row_4: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 4), T.Ramp(k_tile * 16, 1, 16)]
                            row_5: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 5), T.Ramp(k_tile * 16, 1, 16)]
                            row_6: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 6), T.Ramp(k_tile * 16, 1, 16)]
                            row_7: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 7), T.Ramp(k_tile * 16, 1, 16)]
                            row_8: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 8), T.Ramp(k_tile * 16, 1, 16)]
                            row_9: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 9), T.Ramp(k_tile * 16, 1, 16)]
                            row_10: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 10), T.Ramp(k_tile * 16, 1, 16)]
                            row_11: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 11), T.Ramp(k_tile * 16, 1, 16)]
                            row_12: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 12), T.Ramp(k_tile * 16, 1, 16)]
                            row_13: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 13), T.Ramp(k_tile * 16, 1, 16)]
                            row_14: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 14), T.Ramp(k_tile * 16, 1, 16)]
                            row_15: T.float32x16 = B[panel * 48 + p * 48 + (j_tile * 16 + 15), T.Ramp(k_tile * 16, 1, 16)]
                            mixed: T.float32x16 = T.Shuffle([row, row_1], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_1: T.float32x16 = T.Shuffle([row, row_1], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_2: T.float32x16 = T.Shuffle([row_2, row_3], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_3: T.float32x16 = T.Shuffle([row_2, row_3], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_4: T.float32x16 = T.Shuffle([row_4, row_5], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_5: T.float32x16 = T.Shuffle([row_4, row_5], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_6: T.float32x16 = T.Shuffle([row_6, row_7], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_7: T.float32x16 = T.Shuffle([row_6, row_7], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_8: T.float32x16 = T.Shuffle([row_8, row_9], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_9: T.float32x16 = T.Shuffle([row_8, row_9], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_10: T.float32x16 = T.Shuffle([row_10, row_11], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_11: T.float32x16 = T.Shuffle([row_10, row_11], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_12: T.float32x16 = T.Shuffle([row_12, row_13], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_13: T.float32x16 = T.Shuffle([row_12, row_13], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_14: T.float32x16 = T.Shuffle([row_14, row_15], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_15: T.float32x16 = T.Shuffle([row_14, row_15], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_16: T.float32x16 = T.Shuffle([mixed, mixed_2], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_17: T.float32x16 = T.Shuffle([mixed, mixed_2], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_18: T.float32x16 = T.Shuffle([mixed_1, mixed_3], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_19: T.float32x16 = T.Shuffle([mixed_1, mixed_3], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_20: T.float32x16 = T.Shuffle([mixed_4, mixed_6], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_21: T.float32x16 = T.Shuffle([mixed_4, mixed_6], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_22: T.float32x16 = T.Shuffle([mixed_5, mixed_7], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_23: T.float32x16 = T.Shuffle([mixed_5, mixed_7], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_24: T.float32x16 = T.Shuffle([mixed_8, mixed_10], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_25: T.float32x16 = T.Shuffle([mixed_8, mixed_10], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_26: T.float32x16 = T.Shuffle([mixed_9, mixed_11], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_27: T.float32x16 = T.Shuffle([mixed_9, mixed_11], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_28: T.float32x16 = T.Shuffle([mixed_12, mixed_14], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_29: T.float32x16 = T.Shuffle([mixed_12, mixed_14], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_30: T.float32x16 = T.Shuffle([mixed_13, mixed_15], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_31: T.float32x16 = T.Shuffle([mixed_13, mixed_15], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_32: T.float32x16 = T.Shuffle([mixed_16, mixed_20], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_33: T.float32x16 = T.Shuffle([mixed_16, mixed_20], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_34: T.float32x16 = T.Shuffle([mixed_17, mixed_21], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_35: T.float32x16 = T.Shuffle([mixed_17, mixed_21], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_36: T.float32x16 = T.Shuffle([mixed_18, mixed_22], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_37: T.float32x16 = T.Shuffle([mixed_18, mixed_22], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_38: T.float32x16 = T.Shuffle([mixed_19, mixed_23], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_39: T.float32x16 = T.Shuffle([mixed_19, mixed_23], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_40: T.float32x16 = T.Shuffle([mixed_24, mixed_28], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_41: T.float32x16 = T.Shuffle([mixed_24, mixed_28], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_42: T.float32x16 = T.Shuffle([mixed_25, mixed_29], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_43: T.float32x16 = T.Shuffle([mixed_25, mixed_29], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_44: T.float32x16 = T.Shuffle([mixed_26, mixed_30], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_45: T.float32x16 = T.Shuffle([mixed_26, mixed_30], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_46: T.float32x16 = T.Shuffle([mixed_27, mixed_31], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_47: T.float32x16 = T.Shuffle([mixed_27, mixed_31], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_48: T.float32x16 = T.Shuffle([mixed_32, mixed_40], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_49: T.float32x16 = T.Shuffle([mixed_32, mixed_40], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_50: T.float32x16 = T.Shuffle([mixed_34, mixed_42], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_51: T.float32x16 = T.Shuffle([mixed_34, mixed_42], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_52: T.float32x16 = T.Shuffle([mixed_36, mixed_44], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_53: T.float32x16 = T.Shuffle([mixed_36, mixed_44], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_54: T.float32x16 = T.Shuffle([mixed_38, mixed_46], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_55: T.float32x16 = T.Shuffle([mixed_38, mixed_46], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_56: T.float32x16 = T.Shuffle([mixed_33, mixed_41], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_57: T.float32x16 = T.Shuffle([mixed_33, mixed_41], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_58: T.float32x16 = T.Shuffle([mixed_35, mixed_43], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_59: T.float32x16 = T.Shuffle([mixed_35, mixed_43], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_60: T.float32x16 = T.Shuffle([mixed_37, mixed_45], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_61: T.float32x16 = T.Shuffle([mixed_37, mixed_45], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_62: T.float32x16 = T.Shuffle([mixed_39, mixed_47], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_63: T.float32x16 = T.Shuffle([mixed_39, mixed_47], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            packed_columns[k_tile * 16 + 0, T.Ramp(j_tile * 16, 1, 16)] = mixed_48
                            packed_columns[k_tile * 16 + 1, T.Ramp(j_tile * 16, 1, 16)] = mixed_50
                            packed_columns[k_tile * 16 + 2, T.Ramp(j_tile * 16, 1, 16)] = mixed_52
                            packed_columns[k_tile * 16 + 3, T.Ramp(j_tile * 16, 1, 16)] = mixed_54
                            packed_columns[k_tile * 16 + 4, T.Ramp(j_tile * 16, 1, 16)] = mixed_56
                            packed_columns[k_tile * 16 + 5, T.Ramp(j_tile * 16, 1, 16)] = mixed_58
                            packed_columns[k_tile * 16 + 6, T.Ramp(j_tile * 16, 1, 16)] = mixed_60
                            packed_columns[k_tile * 16 + 7, T.Ramp(j_tile * 16, 1, 16)] = mixed_62
                            packed_columns[k_tile * 16 + 8, T.Ramp(j_tile * 16, 1, 16)] = mixed_49
                            packed_columns[k_tile * 16 + 9, T.Ramp(j_tile * 16, 1, 16)] = mixed_51
                            packed_columns[k_tile * 16 + 10, T.Ramp(j_tile * 16, 1, 16)] = mixed_53
                            packed_columns[k_tile * 16 + 11, T.Ramp(j_tile * 16, 1, 16)] = mixed_55
                            packed_columns[k_tile * 16 + 12, T.Ramp(j_tile * 16, 1, 16)] = mixed_57
                            packed_columns[k_tile * 16 + 13, T.Ramp(j_tile * 16, 1, 16)] = mixed_59
                            packed_columns[k_tile * 16 + 14, T.Ramp(j_tile * 16, 1, 16)] = mixed_61
                            packed_columns[k_tile * 16 + 15, T.Ramp(j_tile * 16, 1, 16)] = mixed_63
                        else:
                            row: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 0) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 0), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_1: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 1) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 1), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_2: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 2) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 2), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_3: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 3) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 3), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_4: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 4) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 4), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_5: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 5) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 5), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_6: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 6) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 6), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_7: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 7) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 7), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_8: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 8) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 8), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_9: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 9) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 9), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_10: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 10) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 10), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_11: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 11) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 11), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_12: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 12) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 12), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_13: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 13) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 13), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_14: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 14) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 14), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            row_15: T.float32x16 = T.if_then_else((panel + p) * 48 + (j_tile * 16 + 15) < 131, B.vload([panel * 48 + p * 48 + (j_tile * 16 + 15), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(520, 16)), T.Broadcast(T.float32(0.0), 16))
                            mixed: T.float32x16 = T.Shuffle([row, row_1], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_1: T.float32x16 = T.Shuffle([row, row_1], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_2: T.float32x16 = T.Shuffle([row_2, row_3], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_3: T.float32x16 = T.Shuffle([row_2, row_3], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_4: T.float32x16 = T.Shuffle([row_4, row_5], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_5: T.float32x16 = T.Shuffle([row_4, row_5], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_6: T.float32x16 = T.Shuffle([row_6, row_7], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_7: T.float32x16 = T.Shuffle([row_6, row_7], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_8: T.float32x16 = T.Shuffle([row_8, row_9], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_9: T.float32x16 = T.Shuffle([row_8, row_9], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_10: T.float32x16 = T.Shuffle([row_10, row_11], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_11: T.float32x16 = T.Shuffle([row_10, row_11], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_12: T.float32x16 = T.Shuffle([row_12, row_13], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_13: T.float32x16 = T.Shuffle([row_12, row_13], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_14: T.float32x16 = T.Shuffle([row_14, row_15], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            mixed_15: T.float32x16 = T.Shuffle([row_14, row_15], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            mixed_16: T.float32x16 = T.Shuffle([mixed, mixed_2], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_17: T.float32x16 = T.Shuffle([mixed, mixed_2], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_18: T.float32x16 = T.Shuffle([mixed_1, mixed_3], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_19: T.float32x16 = T.Shuffle([mixed_1, mixed_3], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_20: T.float32x16 = T.Shuffle([mixed_4, mixed_6], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_21: T.float32x16 = T.Shuffle([mixed_4, mixed_6], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_22: T.float32x16 = T.Shuffle([mixed_5, mixed_7], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_23: T.float32x16 = T.Shuffle([mixed_5, mixed_7], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_24: T.float32x16 = T.Shuffle([mixed_8, mixed_10], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_25: T.float32x16 = T.Shuffle([mixed_8, mixed_10], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_26: T.float32x16 = T.Shuffle([mixed_9, mixed_11], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_27: T.float32x16 = T.Shuffle([mixed_9, mixed_11], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_28: T.float32x16 = T.Shuffle([mixed_12, mixed_14], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_29: T.float32x16 = T.Shuffle([mixed_12, mixed_14], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_30: T.float32x16 = T.Shuffle([mixed_13, mixed_15], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            mixed_31: T.float32x16 = T.Shuffle([mixed_13, mixed_15], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            mixed_32: T.float32x16 = T.Shuffle([mixed_16, mixed_20], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_33: T.float32x16 = T.Shuffle([mixed_16, mixed_20], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_34: T.float32x16 = T.Shuffle([mixed_17, mixed_21], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_35: T.float32x16 = T.Shuffle([mixed_17, mixed_21], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_36: T.float32x16 = T.Shuffle([mixed_18, mixed_22], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_37: T.float32x16 = T.Shuffle([mixed_18, mixed_22], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_38: T.float32x16 = T.Shuffle([mixed_19, mixed_23], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_39: T.float32x16 = T.Shuffle([mixed_19, mixed_23], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_40: T.float32x16 = T.Shuffle([mixed_24, mixed_28], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_41: T.float32x16 = T.Shuffle([mixed_24, mixed_28], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_42: T.float32x16 = T.Shuffle([mixed_25, mixed_29], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_43: T.float32x16 = T.Shuffle([mixed_25, mixed_29], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_44: T.float32x16 = T.Shuffle([mixed_26, mixed_30], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_45: T.float32x16 = T.Shuffle([mixed_26, mixed_30], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_46: T.float32x16 = T.Shuffle([mixed_27, mixed_31], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_47: T.float32x16 = T.Shuffle([mixed_27, mixed_31], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_48: T.float32x16 = T.Shuffle([mixed_32, mixed_40], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_49: T.float32x16 = T.Shuffle([mixed_32, mixed_40], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_50: T.float32x16 = T.Shuffle([mixed_34, mixed_42], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_51: T.float32x16 = T.Shuffle([mixed_34, mixed_42], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_52: T.float32x16 = T.Shuffle([mixed_36, mixed_44], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_53: T.float32x16 = T.Shuffle([mixed_36, mixed_44], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_54: T.float32x16 = T.Shuffle([mixed_38, mixed_46], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_55: T.float32x16 = T.Shuffle([mixed_38, mixed_46], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_56: T.float32x16 = T.Shuffle([mixed_33, mixed_41], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_57: T.float32x16 = T.Shuffle([mixed_33, mixed_41], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_58: T.float32x16 = T.Shuffle([mixed_35, mixed_43], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_59: T.float32x16 = T.Shuffle([mixed_35, mixed_43], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_60: T.float32x16 = T.Shuffle([mixed_37, mixed_45], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_61: T.float32x16 = T.Shuffle([mixed_37, mixed_45], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            mixed_62: T.float32x16 = T.Shuffle([mixed_39, mixed_47], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            mixed_63: T.float32x16 = T.Shuffle([mixed_39, mixed_47], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            if k_tile * 16 + 0 < 520:
                                packed_columns[k_tile * 16 + 0, T.Ramp(j_tile * 16, 1, 16)] = mixed_48
                            if k_tile * 16 + 1 < 520:
                                packed_columns[k_tile * 16 + 1, T.Ramp(j_tile * 16, 1, 16)] = mixed_50
                            if k_tile * 16 + 2 < 520:
                                packed_columns[k_tile * 16 + 2, T.Ramp(j_tile * 16, 1, 16)] = mixed_52
                            if k_tile * 16 + 3 < 520:
                                packed_columns[k_tile * 16 + 3, T.Ramp(j_tile * 16, 1, 16)] = mixed_54
                            if k_tile * 16 + 4 < 520:
                                packed_columns[k_tile * 16 + 4, T.Ramp(j_tile * 16, 1, 16)] = mixed_56
                            if k_tile * 16 + 5 < 520:
                                packed_columns[k_tile * 16 + 5, T.Ramp(j_tile * 16, 1, 16)] = mixed_58
                            if k_tile * 16 + 6 < 520:
                                packed_columns[k_tile * 16 + 6, T.Ramp(j_tile * 16, 1, 16)] = mixed_60
                            if k_tile * 16 + 7 < 520:
                                packed_columns[k_tile * 16 + 7, T.Ramp(j_tile * 16, 1, 16)] = mixed_62
                            if k_tile * 16 + 8 < 520:
                                packed_columns[k_tile * 16 + 8, T.Ramp(j_tile * 16, 1, 16)] = mixed_49
                            if k_tile * 16 + 9 < 520:
                                packed_columns[k_tile * 16 + 9, T.Ramp(j_tile * 16, 1, 16)] = mixed_51
                            if k_tile * 16 + 10 < 520:
                                packed_columns[k_tile * 16 + 10, T.Ramp(j_tile * 16, 1, 16)] = mixed_53
                            if k_tile * 16 + 11 < 520:
                                packed_columns[k_tile * 16 + 11, T.Ramp(j_tile * 16, 1, 16)] = mixed_55
                            if k_tile * 16 + 12 < 520:
                                packed_columns[k_tile * 16 + 12, T.Ramp(j_tile * 16, 1, 16)] = mixed_57
                            if k_tile * 16 + 13 < 520:
                                packed_columns[k_tile * 16 + 13, T.Ramp(j_tile * 16, 1, 16)] = mixed_59
                            if k_tile * 16 + 14 < 520:
                                packed_columns[k_tile * 16 + 14, T.Ramp(j_tile * 16, 1, 16)] = mixed_61
                            if k_tile * 16 + 15 < 520:
                                packed_columns[k_tile * 16 + 15, T.Ramp(j_tile * 16, 1, 16)] = mixed_63
                    for t in range(2):
                        for i in T.unroll(5):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = T.float32(0.0)
                        for line in range(130):
                            T.evaluate(T.prefetch(T.address_of(B[next_panel * 48 + (t * 390 + line * 3) // 16, (t * 390 + line * 3) % 16 * 32]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(B[next_panel * 48 + (t * 390 + line * 3) // 16, (t * 390 + line * 3) % 16 * 32 + 16]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(B[next_panel * 48 + (t * 390 + line * 3 + 1) // 16, (t * 390 + line * 3 + 1) % 16 * 32]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(B[next_panel * 48 + (t * 390 + line * 3 + 1) // 16, (t * 780 + line * 6 + 3) % 32 * 16]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(B[next_panel * 48 + (t * 390 + line * 3 + 2) // 16, (t * 390 + line * 3 + 2) % 16 * 32]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(B[next_panel * 48 + (t * 390 + line * 3 + 2) // 16, (t * 780 + line * 6 + 5) % 32 * 16]), 0, 2))
                            for k in range(1):
                                for u in T.unroll(4):
                                    for i in T.unroll(5):
                                        for v in T.unroll(3):
                                            for j in T.vectorized(16):
                                                tile[i, v, j] = tile[i, v, j] + A[t * 5 + i, line * 4 + k * 4 + u] * packed_columns[line * 4 + k * 4 + u, v * 16 + j]
                        for i in T.unroll(5):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    if (panel + p) * 48 + (v * 16 + j) < 131:
                                        C[t * 5 + i, panel * 48 + p * 48 + v * 16 + j] = tile[i, v, j]
