# A transposed B (contiguous along K) is packed in tiles that are transposed in registers: by tasks, before a GEMM of many
# rows, with edge tiles along both sides.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same
# run: many == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 45), "float32"), B: T.Buffer((70, 45), "float32"), C: T.Buffer((7, 70), "float32")):
        for i, j, k in T.grid(7, 70, 45):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]

    @T.prim_func
    def many(A: T.Buffer((600, 20), "float64"), B: T.Buffer((21, 20), "float64"), C: T.Buffer((600, 21), "float64")):
        for i, j, k in T.grid(600, 21, 20):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float64(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vj, vk]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((7, 45), "float32"), B: T.Buffer((70, 45), "float32"), C: T.Buffer((7, 70), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:7, 0:45], B[0:70, 0:45], C[0:7, 0:70])
                T.writes(C[0:7, 0:70])
                packed_b = T.alloc_buffer((45, 24), align=64)
                tile = T.alloc_buffer((4, 3, 8), scope="local", align=64)
                tile_1 = T.alloc_buffer((3, 3, 8), scope="local", align=64)
                panel_start: T.int32 = task * 2
                panels: T.int32 = T.min(3 - panel_start, 2)
                for p in range(panels):
                    for j_tile, k_tile in T.grid(3, 6):
                        if k_tile * 8 + 7 < 45 and (panel_start + p) * 24 + (j_tile * 8 + 7) < 70:
                            row: T.float32x8 = B[panel_start * 24 + p * 24 + (j_tile * 8 + 0), T.Ramp(k_tile * 8, 1, 8)]
                            row_1: T.float32x8 = B[panel_start * 24 + p * 24 + (j_tile * 8 + 1), T.Ramp(k_tile * 8, 1, 8)]
                            row_2: T.float32x8 = B[panel_start * 24 + p * 24 + (j_tile * 8 + 2), T.Ramp(k_tile * 8, 1, 8)]
                            row_3: T.float32x8 = B[panel_start * 24 + p * 24 + (j_tile * 8 + 3), T.Ramp(k_tile * 8, 1, 8)]
                            row_4: T.float32x8 = B[panel_start * 24 + p * 24 + (j_tile * 8 + 4), T.Ramp(k_tile * 8, 1, 8)]
                            row_5: T.float32x8 = B[panel_start * 24 + p * 24 + (j_tile * 8 + 5), T.Ramp(k_tile * 8, 1, 8)]
                            row_6: T.float32x8 = B[panel_start * 24 + p * 24 + (j_tile * 8 + 6), T.Ramp(k_tile * 8, 1, 8)]
                            row_7: T.float32x8 = B[panel_start * 24 + p * 24 + (j_tile * 8 + 7), T.Ramp(k_tile * 8, 1, 8)]
                            shuffled: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                            shuffled_1: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                            shuffled_2: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                            shuffled_3: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                            shuffled_4: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                            shuffled_5: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                            shuffled_6: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                            shuffled_7: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                            shuffled_8: T.float32x8 = T.Shuffle([shuffled, shuffled_2], [0, 1, 8, 9, 4, 5, 12, 13])
                            shuffled_9: T.float32x8 = T.Shuffle([shuffled, shuffled_2], [2, 3, 10, 11, 6, 7, 14, 15])
                            shuffled_10: T.float32x8 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 8, 9, 4, 5, 12, 13])
                            shuffled_11: T.float32x8 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 10, 11, 6, 7, 14, 15])
                            shuffled_12: T.float32x8 = T.Shuffle([shuffled_4, shuffled_6], [0, 1, 8, 9, 4, 5, 12, 13])
                            shuffled_13: T.float32x8 = T.Shuffle([shuffled_4, shuffled_6], [2, 3, 10, 11, 6, 7, 14, 15])
                            shuffled_14: T.float32x8 = T.Shuffle([shuffled_5, shuffled_7], [0, 1, 8, 9, 4, 5, 12, 13])
                            shuffled_15: T.float32x8 = T.Shuffle([shuffled_5, shuffled_7], [2, 3, 10, 11, 6, 7, 14, 15])
                            shuffled_16: T.float32x8 = T.Shuffle([shuffled_8, shuffled_12], [0, 1, 2, 3, 8, 9, 10, 11])
                            shuffled_17: T.float32x8 = T.Shuffle([shuffled_8, shuffled_12], [4, 5, 6, 7, 12, 13, 14, 15])
                            shuffled_18: T.float32x8 = T.Shuffle([shuffled_9, shuffled_13], [0, 1, 2, 3, 8, 9, 10, 11])
                            shuffled_19: T.float32x8 = T.Shuffle([shuffled_9, shuffled_13], [4, 5, 6, 7, 12, 13, 14, 15])
                            shuffled_20: T.float32x8 = T.Shuffle([shuffled_10, shuffled_14], [0, 1, 2, 3, 8, 9, 10, 11])
                            shuffled_21: T.float32x8 = T.Shuffle([shuffled_10, shuffled_14], [4, 5, 6, 7, 12, 13, 14, 15])
                            shuffled_22: T.float32x8 = T.Shuffle([shuffled_11, shuffled_15], [0, 1, 2, 3, 8, 9, 10, 11])
                            shuffled_23: T.float32x8 = T.Shuffle([shuffled_11, shuffled_15], [4, 5, 6, 7, 12, 13, 14, 15])
                            packed_b[k_tile * 8 + 0, T.Ramp(j_tile * 8, 1, 8)] = shuffled_16
                            packed_b[k_tile * 8 + 1, T.Ramp(j_tile * 8, 1, 8)] = shuffled_18
                            packed_b[k_tile * 8 + 2, T.Ramp(j_tile * 8, 1, 8)] = shuffled_20
                            packed_b[k_tile * 8 + 3, T.Ramp(j_tile * 8, 1, 8)] = shuffled_22
                            packed_b[k_tile * 8 + 4, T.Ramp(j_tile * 8, 1, 8)] = shuffled_17
                            packed_b[k_tile * 8 + 5, T.Ramp(j_tile * 8, 1, 8)] = shuffled_19
                            packed_b[k_tile * 8 + 6, T.Ramp(j_tile * 8, 1, 8)] = shuffled_21
                            packed_b[k_tile * 8 + 7, T.Ramp(j_tile * 8, 1, 8)] = shuffled_23
                        else:
                            row: T.float32x8 = T.if_then_else((panel_start + p) * 24 + (j_tile * 8 + 0) < 70, B.vload([panel_start * 24 + p * 24 + (j_tile * 8 + 0), T.Ramp(k_tile * 8, 1, 8)], predicate=T.Ramp(k_tile * 8, 1, 8) < T.Broadcast(45, 8)), T.Broadcast(T.float32(0.0), 8))
                            row_1: T.float32x8 = T.if_then_else((panel_start + p) * 24 + (j_tile * 8 + 1) < 70, B.vload([panel_start * 24 + p * 24 + (j_tile * 8 + 1), T.Ramp(k_tile * 8, 1, 8)], predicate=T.Ramp(k_tile * 8, 1, 8) < T.Broadcast(45, 8)), T.Broadcast(T.float32(0.0), 8))
                            row_2: T.float32x8 = T.if_then_else((panel_start + p) * 24 + (j_tile * 8 + 2) < 70, B.vload([panel_start * 24 + p * 24 + (j_tile * 8 + 2), T.Ramp(k_tile * 8, 1, 8)], predicate=T.Ramp(k_tile * 8, 1, 8) < T.Broadcast(45, 8)), T.Broadcast(T.float32(0.0), 8))
                            row_3: T.float32x8 = T.if_then_else((panel_start + p) * 24 + (j_tile * 8 + 3) < 70, B.vload([panel_start * 24 + p * 24 + (j_tile * 8 + 3), T.Ramp(k_tile * 8, 1, 8)], predicate=T.Ramp(k_tile * 8, 1, 8) < T.Broadcast(45, 8)), T.Broadcast(T.float32(0.0), 8))
                            row_4: T.float32x8 = T.if_then_else((panel_start + p) * 24 + (j_tile * 8 + 4) < 70, B.vload([panel_start * 24 + p * 24 + (j_tile * 8 + 4), T.Ramp(k_tile * 8, 1, 8)], predicate=T.Ramp(k_tile * 8, 1, 8) < T.Broadcast(45, 8)), T.Broadcast(T.float32(0.0), 8))
                            row_5: T.float32x8 = T.if_then_else((panel_start + p) * 24 + (j_tile * 8 + 5) < 70, B.vload([panel_start * 24 + p * 24 + (j_tile * 8 + 5), T.Ramp(k_tile * 8, 1, 8)], predicate=T.Ramp(k_tile * 8, 1, 8) < T.Broadcast(45, 8)), T.Broadcast(T.float32(0.0), 8))
                            row_6: T.float32x8 = T.if_then_else((panel_start + p) * 24 + (j_tile * 8 + 6) < 70, B.vload([panel_start * 24 + p * 24 + (j_tile * 8 + 6), T.Ramp(k_tile * 8, 1, 8)], predicate=T.Ramp(k_tile * 8, 1, 8) < T.Broadcast(45, 8)), T.Broadcast(T.float32(0.0), 8))
                            row_7: T.float32x8 = T.if_then_else((panel_start + p) * 24 + (j_tile * 8 + 7) < 70, B.vload([panel_start * 24 + p * 24 + (j_tile * 8 + 7), T.Ramp(k_tile * 8, 1, 8)], predicate=T.Ramp(k_tile * 8, 1, 8) < T.Broadcast(45, 8)), T.Broadcast(T.float32(0.0), 8))
                            shuffled: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                            shuffled_1: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                            shuffled_2: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                            shuffled_3: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                            shuffled_4: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                            shuffled_5: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                            shuffled_6: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                            shuffled_7: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                            shuffled_8: T.float32x8 = T.Shuffle([shuffled, shuffled_2], [0, 1, 8, 9, 4, 5, 12, 13])
                            shuffled_9: T.float32x8 = T.Shuffle([shuffled, shuffled_2], [2, 3, 10, 11, 6, 7, 14, 15])
                            shuffled_10: T.float32x8 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 8, 9, 4, 5, 12, 13])
                            shuffled_11: T.float32x8 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 10, 11, 6, 7, 14, 15])
                            shuffled_12: T.float32x8 = T.Shuffle([shuffled_4, shuffled_6], [0, 1, 8, 9, 4, 5, 12, 13])
                            shuffled_13: T.float32x8 = T.Shuffle([shuffled_4, shuffled_6], [2, 3, 10, 11, 6, 7, 14, 15])
                            shuffled_14: T.float32x8 = T.Shuffle([shuffled_5, shuffled_7], [0, 1, 8, 9, 4, 5, 12, 13])
                            shuffled_15: T.float32x8 = T.Shuffle([shuffled_5, shuffled_7], [2, 3, 10, 11, 6, 7, 14, 15])
                            shuffled_16: T.float32x8 = T.Shuffle([shuffled_8, shuffled_12], [0, 1, 2, 3, 8, 9, 10, 11])
                            shuffled_17: T.float32x8 = T.Shuffle([shuffled_8, shuffled_12], [4, 5, 6, 7, 12, 13, 14, 15])
                            shuffled_18: T.float32x8 = T.Shuffle([shuffled_9, shuffled_13], [0, 1, 2, 3, 8, 9, 10, 11])
                            shuffled_19: T.float32x8 = T.Shuffle([shuffled_9, shuffled_13], [4, 5, 6, 7, 12, 13, 14, 15])
                            shuffled_20: T.float32x8 = T.Shuffle([shuffled_10, shuffled_14], [0, 1, 2, 3, 8, 9, 10, 11])
                            shuffled_21: T.float32x8 = T.Shuffle([shuffled_10, shuffled_14], [4, 5, 6, 7, 12, 13, 14, 15])
                            shuffled_22: T.float32x8 = T.Shuffle([shuffled_11, shuffled_15], [0, 1, 2, 3, 8, 9, 10, 11])
                            shuffled_23: T.float32x8 = T.Shuffle([shuffled_11, shuffled_15], [4, 5, 6, 7, 12, 13, 14, 15])
                            if k_tile * 8 + 0 < 45:
                                packed_b[k_tile * 8 + 0, T.Ramp(j_tile * 8, 1, 8)] = shuffled_16
                            if k_tile * 8 + 1 < 45:
                                packed_b[k_tile * 8 + 1, T.Ramp(j_tile * 8, 1, 8)] = shuffled_18
                            if k_tile * 8 + 2 < 45:
                                packed_b[k_tile * 8 + 2, T.Ramp(j_tile * 8, 1, 8)] = shuffled_20
                            if k_tile * 8 + 3 < 45:
                                packed_b[k_tile * 8 + 3, T.Ramp(j_tile * 8, 1, 8)] = shuffled_22
                            if k_tile * 8 + 4 < 45:
                                packed_b[k_tile * 8 + 4, T.Ramp(j_tile * 8, 1, 8)] = shuffled_17
                            if k_tile * 8 + 5 < 45:
                                packed_b[k_tile * 8 + 5, T.Ramp(j_tile * 8, 1, 8)] = shuffled_19
                            if k_tile * 8 + 6 < 45:
                                packed_b[k_tile * 8 + 6, T.Ramp(j_tile * 8, 1, 8)] = shuffled_21
                            if k_tile * 8 + 7 < 45:
                                packed_b[k_tile * 8 + 7, T.Ramp(j_tile * 8, 1, 8)] = shuffled_23
                    for t in range(1):
                        for i in T.unroll(4):
                            for v in T.unroll(3):
                                for j in T.vectorized(8):
                                    tile[i, v, j] = T.float32(0.0)
                        for k in range(45):
                            for i in T.unroll(4):
                                for v in T.unroll(3):
                                    for j in T.vectorized(8):
                                        tile[i, v, j] = tile[i, v, j] + A[t * 4 + i, k] * packed_b[k, v * 8 + j]
                        for i in T.unroll(4):
                            for v in T.unroll(3):
                                for j in T.vectorized(8):
                                    if (panel_start + p) * 24 + (v * 8 + j) < 70:
                                        C[t * 4 + i, panel_start * 24 + p * 24 + v * 8 + j] = tile[i, v, j]
                    for t in range(1):
                        for i in T.unroll(3):
                            for v in T.unroll(3):
                                for j in T.vectorized(8):
                                    tile_1[i, v, j] = T.float32(0.0)
                        for k in range(45):
                            for i in T.unroll(3):
                                for v in T.unroll(3):
                                    for j in T.vectorized(8):
                                        tile_1[i, v, j] = tile_1[i, v, j] + A[t * 3 + i + 4, k] * packed_b[k, v * 8 + j]
                        for i in T.unroll(3):
                            for v in T.unroll(3):
                                for j in T.vectorized(8):
                                    if (panel_start + p) * 24 + (v * 8 + j) < 70:
                                        C[t * 3 + i + 4, panel_start * 24 + p * 24 + v * 8 + j] = tile_1[i, v, j]

    @T.prim_func
    def many(A: T.Buffer((600, 20), "float64"), B: T.Buffer((21, 20), "float64"), C: T.Buffer((600, 21), "float64")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        packed_b = T.alloc_buffer((2, 20, 12), "float64", align=64)
        for task in T.parallel(2):
            with T.block("packed_b"):
                T.reads(B[0:21, 0:20])
                T.writes(packed_b[0:2, 0:20, 0:12])
                for j_tile, k_tile in T.grid(3, 5):
                    if task * 12 + (j_tile * 4 + 3) < 21:
                        row: T.float64x4 = B[task * 12 + (j_tile * 4 + 0), T.Ramp(k_tile * 4, 1, 4)]
                        row_1: T.float64x4 = B[task * 12 + (j_tile * 4 + 1), T.Ramp(k_tile * 4, 1, 4)]
                        row_2: T.float64x4 = B[task * 12 + (j_tile * 4 + 2), T.Ramp(k_tile * 4, 1, 4)]
                        row_3: T.float64x4 = B[task * 12 + (j_tile * 4 + 3), T.Ramp(k_tile * 4, 1, 4)]
                        shuffled: T.float64x4 = T.Shuffle([row, row_1], [0, 4, 2, 6])
                        shuffled_1: T.float64x4 = T.Shuffle([row, row_1], [1, 5, 3, 7])
                        shuffled_2: T.float64x4 = T.Shuffle([row_2, row_3], [0, 4, 2, 6])
                        shuffled_3: T.float64x4 = T.Shuffle([row_2, row_3], [1, 5, 3, 7])
                        shuffled_4: T.float64x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                        shuffled_5: T.float64x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                        shuffled_6: T.float64x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                        shuffled_7: T.float64x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                        packed_b[task, k_tile * 4 + 0, T.Ramp(j_tile * 4, 1, 4)] = shuffled_4
                        packed_b[task, k_tile * 4 + 1, T.Ramp(j_tile * 4, 1, 4)] = shuffled_6
                        packed_b[task, k_tile * 4 + 2, T.Ramp(j_tile * 4, 1, 4)] = shuffled_5
                        packed_b[task, k_tile * 4 + 3, T.Ramp(j_tile * 4, 1, 4)] = shuffled_7
                    else:
                        row: T.float64x4 = T.if_then_else(task * 12 + (j_tile * 4 + 0) < 21, B[task * 12 + (j_tile * 4 + 0), T.Ramp(k_tile * 4, 1, 4)], T.Broadcast(T.float64(0.0), 4))
                        row_1: T.float64x4 = T.if_then_else(task * 12 + (j_tile * 4 + 1) < 21, B[task * 12 + (j_tile * 4 + 1), T.Ramp(k_tile * 4, 1, 4)], T.Broadcast(T.float64(0.0), 4))
                        row_2: T.float64x4 = T.if_then_else(task * 12 + (j_tile * 4 + 2) < 21, B[task * 12 + (j_tile * 4 + 2), T.Ramp(k_tile * 4, 1, 4)], T.Broadcast(T.float64(0.0), 4))
                        row_3: T.float64x4 = T.if_then_else(task * 12 + (j_tile * 4 + 3) < 21, B[task * 12 + (j_tile * 4 + 3), T.Ramp(k_tile * 4, 1, 4)], T.Broadcast(T.float64(0.0), 4))
                        shuffled: T.float64x4 = T.Shuffle([row, row_1], [0, 4, 2, 6])
                        shuffled_1: T.float64x4 = T.Shuffle([row, row_1], [1, 5, 3, 7])
                        shuffled_2: T.float64x4 = T.Shuffle([row_2, row_3], [0, 4, 2, 6])
                        shuffled_3: T.float64x4 = T.Shuffle([row_2, row_3], [1, 5, 3, 7])
                        shuffled_4: T.float64x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                        shuffled_5: T.float64x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                        shuffled_6: T.float64x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                        shuffled_7: T.float64x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                        packed_b[task, k_tile * 4 + 0, T.Ramp(j_tile * 4, 1, 4)] = shuffled_4
                        packed_b[task, k_tile * 4 + 1, T.Ramp(j_tile * 4, 1, 4)] = shuffled_6
                        packed_b[task, k_tile * 4 + 2, T.Ramp(j_tile * 4, 1, 4)] = shuffled_5
                        packed_b[task, k_tile * 4 + 3, T.Ramp(j_tile * 4, 1, 4)] = shuffled_7
        for task in T.parallel(4):
            with T.block("C"):
                T.reads(A[0:600, 0:20], packed_b[0:2, 0:20, 0:12], C[0:600, 0:21])
                T.writes(C[0:600, 0:21])
                tile = T.alloc_buffer((4, 3, 4), "float64", scope="local", align=64)
                tile_1 = T.alloc_buffer((3, 3, 4), "float64", scope="local", align=64)
                m_start: T.int32 = task * 150
                for p in range(2):
                    for t in range(36):
                        for i in T.unroll(4):
                            for v in T.unroll(3):
                                for j in T.vectorized(4):
                                    tile[i, v, j] = T.float64(0.0)
                        for k in range(5):
                            for u in T.unroll(4):
                                for i in T.unroll(4):
                                    for v in T.unroll(3):
                                        for j in T.vectorized(4):
                                            tile[i, v, j] = tile[i, v, j] + A[m_start + t * 4 + i, k * 4 + u] * packed_b[0 + p, 0 + (k * 4 + u), v * 4 + j]
                        for i in T.unroll(4):
                            for v in T.unroll(3):
                                for j in T.vectorized(4):
                                    if (0 + p) * 12 + (v * 4 + j) < 21:
                                        C[m_start + t * 4 + i, p * 12 + v * 4 + j] = tile[i, v, j]
                    for t in range(2):
                        for i in T.unroll(3):
                            for v in T.unroll(3):
                                for j in T.vectorized(4):
                                    tile_1[i, v, j] = T.float64(0.0)
                        for k in range(5):
                            for u in T.unroll(4):
                                for i in T.unroll(3):
                                    for v in T.unroll(3):
                                        for j in T.vectorized(4):
                                            tile_1[i, v, j] = tile_1[i, v, j] + A[m_start + t * 3 + i + 144, k * 4 + u] * packed_b[0 + p, 0 + (k * 4 + u), v * 4 + j]
                        for i in T.unroll(3):
                            for v in T.unroll(3):
                                for j in T.vectorized(4):
                                    if (0 + p) * 12 + (v * 4 + j) < 21:
                                        C[m_start + t * 3 + i + 144, p * 12 + v * 4 + j] = tile_1[i, v, j]
