# Products of bytes, whose copies are of bytes, too: of all signs, of one row, of several batches.
# test: opt --pass ApplyDefaultSchedule:target=x86-64-v4
# run: main == same
# run: unsigned == same
# run: one_row == same

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 7), "int8"), B: T.Buffer((7, 19), "int8"), C: T.Buffer((5, 19), "int32")):
        for i, j, k in T.grid(5, 19, 7):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = 0
                C[vi, vj] = C[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk, vj])

    @T.prim_func
    def unsigned(A: T.Buffer((3, 5, 12), "uint8"), B: T.Buffer((3, 17, 12), "uint8"), C: T.Buffer((3, 5, 17), "int32")):
        for b, i, j, k in T.grid(3, 5, 17, 12):
            with T.block("C"):
                vb, vi, vj, vk = T.axis.remap("SSSR", [b, i, j, k])
                with T.init():
                    C[vb, vi, vj] = 0
                C[vb, vi, vj] = C[vb, vi, vj] + T.Cast("int32", A[vb, vi, vk]) * T.Cast("int32", B[vb, vj, vk])

    @T.prim_func
    def one_row(A: T.Buffer((1, 30), "uint8"), B: T.Buffer((30, 40), "int8"), C: T.Buffer((1, 40), "int32")):
        for i, j, k in T.grid(1, 40, 30):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = 0
                C[vi, vj] = C[vi, vj] + T.Cast("int32", A[vi, vk]) * T.Cast("int32", B[vk, vj])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((5, 7), "int8"), B: T.Buffer((7, 19), "int8"), C: T.Buffer((5, 19), "int32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in range(1):
            with T.block("C"):
                T.reads(A[0:5, 0:7], B[0:7, 0:19], C[0:5, 0:19])
                T.writes(C[0:5, 0:19])
                packed_a = T.alloc_buffer((5, 16), "int32", align=64)
                tile = T.alloc_buffer((5, 2, 16), "int32", scope="local", align=64)
                for i in range(5):
                    for k in T.vectorized(7):
                        packed_a[i, k] = T.Cast("int32", A[i, k])
                for p, t in T.grid(1, 1):
                    for i in T.unroll(5):
                        for v in T.unroll(2):
                            for j in T.vectorized(16):
                                tile[i, v, j] = 0
                    for k in range(7):
                        for i in T.unroll(5):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = tile[i, v, j] + packed_a[t * 5 + 0 + i, k] * T.if_then_else((0 + p) * 32 + (v * 16 + j) < 19, T.Cast("int32", B[k, p * 32 + v * 16 + j]), 0)
                    for i in T.unroll(5):
                        for v in T.unroll(2):
                            for j in T.vectorized(16):
                                if (0 + p) * 32 + (v * 16 + j) < 19:
                                    C[t * 5 + i, p * 32 + v * 16 + j] = tile[i, v, j]

    @T.prim_func
    def one_row(A: T.Buffer((1, 30), "uint8"), B: T.Buffer((30, 40), "int8"), C: T.Buffer((1, 40), "int32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in range(1):
            with T.block("C"):
                T.reads(A[0, 0:30], B[0:30, 0:40], C[0, 0:40])
                T.writes(C[0, 0:40])
                tile = T.alloc_buffer((1, 3, 16), "int32", scope="local", align=64)
                for p, t in T.grid(1, 1):
                    for i in T.unroll(1):
                        for v in T.unroll(3):
                            for j in T.vectorized(16):
                                tile[i, v, j] = 0
                    for k in range(30):
                        for i in T.unroll(1):
                            for v in T.unroll(3):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = tile[i, v, j] + T.Cast("int32", A[0, k]) * T.if_then_else((0 + p) * 48 + (v * 16 + j) < 40, T.Cast("int32", B[k, p * 48 + v * 16 + j]), 0)
                    for i in T.unroll(1):
                        for v in T.unroll(3):
                            for j in T.vectorized(16):
                                if (0 + p) * 48 + (v * 16 + j) < 40:
                                    C[0, p * 48 + v * 16 + j] = tile[i, v, j]

    @T.prim_func
    def unsigned(A: T.Buffer((3, 5, 12), "uint8"), B: T.Buffer((3, 17, 12), "uint8"), C: T.Buffer((3, 5, 17), "int32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(3):
            with T.block("C"):
                T.reads(A[0:3, 0:5, 0:12], B[0:3, 0:17, 0:12], C[0:3, 0:5, 0:17])
                T.writes(C[0:3, 0:5, 0:17])
                packed_a = T.alloc_buffer((5, 16), "int32", align=64)
                packed_b = T.alloc_buffer((12, 32), "uint8", align=64)
                tile = T.alloc_buffer((5, 2, 16), "int32", scope="local", align=64)
                for i in range(5):
                    for k in T.vectorized(12):
                        packed_a[i, k] = T.Cast("int32", A[task, i, k])
                for p in range(1):
                    for j_tile, k_tile in T.grid(2, 1):
                        if k_tile * 16 + 15 < 12 and (0 + p) * 32 + (j_tile * 16 + 15) < 17:
                            row: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 0), T.Ramp(k_tile * 16, 1, 16)]
                            row_1: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 1), T.Ramp(k_tile * 16, 1, 16)]
                            row_2: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 2), T.Ramp(k_tile * 16, 1, 16)]
                            row_3: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 3), T.Ramp(k_tile * 16, 1, 16)]
                            row_4: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 4), T.Ramp(k_tile * 16, 1, 16)]
                            row_5: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 5), T.Ramp(k_tile * 16, 1, 16)]
                            row_6: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 6), T.Ramp(k_tile * 16, 1, 16)]
                            row_7: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 7), T.Ramp(k_tile * 16, 1, 16)]
                            row_8: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 8), T.Ramp(k_tile * 16, 1, 16)]
                            row_9: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 9), T.Ramp(k_tile * 16, 1, 16)]
                            row_10: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 10), T.Ramp(k_tile * 16, 1, 16)]
                            row_11: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 11), T.Ramp(k_tile * 16, 1, 16)]
                            row_12: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 12), T.Ramp(k_tile * 16, 1, 16)]
                            row_13: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 13), T.Ramp(k_tile * 16, 1, 16)]
                            row_14: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 14), T.Ramp(k_tile * 16, 1, 16)]
                            row_15: T.uint8x16 = B[task, p * 32 + (j_tile * 16 + 15), T.Ramp(k_tile * 16, 1, 16)]
                            shuffled: T.uint8x16 = T.Shuffle([row, row_1], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_1: T.uint8x16 = T.Shuffle([row, row_1], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_2: T.uint8x16 = T.Shuffle([row_2, row_3], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_3: T.uint8x16 = T.Shuffle([row_2, row_3], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_4: T.uint8x16 = T.Shuffle([row_4, row_5], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_5: T.uint8x16 = T.Shuffle([row_4, row_5], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_6: T.uint8x16 = T.Shuffle([row_6, row_7], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_7: T.uint8x16 = T.Shuffle([row_6, row_7], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_8: T.uint8x16 = T.Shuffle([row_8, row_9], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_9: T.uint8x16 = T.Shuffle([row_8, row_9], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_10: T.uint8x16 = T.Shuffle([row_10, row_11], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_11: T.uint8x16 = T.Shuffle([row_10, row_11], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_12: T.uint8x16 = T.Shuffle([row_12, row_13], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_13: T.uint8x16 = T.Shuffle([row_12, row_13], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_14: T.uint8x16 = T.Shuffle([row_14, row_15], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_15: T.uint8x16 = T.Shuffle([row_14, row_15], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_16: T.uint8x16 = T.Shuffle([shuffled, shuffled_2], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_17: T.uint8x16 = T.Shuffle([shuffled, shuffled_2], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_18: T.uint8x16 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_19: T.uint8x16 = T.Shuffle([shuffled_1, shuffled_3], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_20: T.uint8x16 = T.Shuffle([shuffled_4, shuffled_6], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_21: T.uint8x16 = T.Shuffle([shuffled_4, shuffled_6], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_22: T.uint8x16 = T.Shuffle([shuffled_5, shuffled_7], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_23: T.uint8x16 = T.Shuffle([shuffled_5, shuffled_7], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_24: T.uint8x16 = T.Shuffle([shuffled_8, shuffled_10], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_25: T.uint8x16 = T.Shuffle([shuffled_8, shuffled_10], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_26: T.uint8x16 = T.Shuffle([shuffled_9, shuffled_11], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_27: T.uint8x16 = T.Shuffle([shuffled_9, shuffled_11], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_28: T.uint8x16 = T.Shuffle([shuffled_12, shuffled_14], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_29: T.uint8x16 = T.Shuffle([shuffled_12, shuffled_14], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_30: T.uint8x16 = T.Shuffle([shuffled_13, shuffled_15], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_31: T.uint8x16 = T.Shuffle([shuffled_13, shuffled_15], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_32: T.uint8x16 = T.Shuffle([shuffled_16, shuffled_20], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_33: T.uint8x16 = T.Shuffle([shuffled_16, shuffled_20], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_34: T.uint8x16 = T.Shuffle([shuffled_17, shuffled_21], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_35: T.uint8x16 = T.Shuffle([shuffled_17, shuffled_21], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_36: T.uint8x16 = T.Shuffle([shuffled_18, shuffled_22], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_37: T.uint8x16 = T.Shuffle([shuffled_18, shuffled_22], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_38: T.uint8x16 = T.Shuffle([shuffled_19, shuffled_23], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_39: T.uint8x16 = T.Shuffle([shuffled_19, shuffled_23], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_40: T.uint8x16 = T.Shuffle([shuffled_24, shuffled_28], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_41: T.uint8x16 = T.Shuffle([shuffled_24, shuffled_28], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_42: T.uint8x16 = T.Shuffle([shuffled_25, shuffled_29], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_43: T.uint8x16 = T.Shuffle([shuffled_25, shuffled_29], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_44: T.uint8x16 = T.Shuffle([shuffled_26, shuffled_30], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_45: T.uint8x16 = T.Shuffle([shuffled_26, shuffled_30], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_46: T.uint8x16 = T.Shuffle([shuffled_27, shuffled_31], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_47: T.uint8x16 = T.Shuffle([shuffled_27, shuffled_31], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_48: T.uint8x16 = T.Shuffle([shuffled_32, shuffled_40], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_49: T.uint8x16 = T.Shuffle([shuffled_32, shuffled_40], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_50: T.uint8x16 = T.Shuffle([shuffled_33, shuffled_41], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_51: T.uint8x16 = T.Shuffle([shuffled_33, shuffled_41], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_52: T.uint8x16 = T.Shuffle([shuffled_34, shuffled_42], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_53: T.uint8x16 = T.Shuffle([shuffled_34, shuffled_42], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_54: T.uint8x16 = T.Shuffle([shuffled_35, shuffled_43], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_55: T.uint8x16 = T.Shuffle([shuffled_35, shuffled_43], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_56: T.uint8x16 = T.Shuffle([shuffled_36, shuffled_44], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_57: T.uint8x16 = T.Shuffle([shuffled_36, shuffled_44], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_58: T.uint8x16 = T.Shuffle([shuffled_37, shuffled_45], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_59: T.uint8x16 = T.Shuffle([shuffled_37, shuffled_45], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_60: T.uint8x16 = T.Shuffle([shuffled_38, shuffled_46], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_61: T.uint8x16 = T.Shuffle([shuffled_38, shuffled_46], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_62: T.uint8x16 = T.Shuffle([shuffled_39, shuffled_47], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_63: T.uint8x16 = T.Shuffle([shuffled_39, shuffled_47], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            packed_b[k_tile * 16 + 0, T.Ramp(j_tile * 16, 1, 16)] = shuffled_48
                            packed_b[k_tile * 16 + 1, T.Ramp(j_tile * 16, 1, 16)] = shuffled_49
                            packed_b[k_tile * 16 + 2, T.Ramp(j_tile * 16, 1, 16)] = shuffled_50
                            packed_b[k_tile * 16 + 3, T.Ramp(j_tile * 16, 1, 16)] = shuffled_51
                            packed_b[k_tile * 16 + 4, T.Ramp(j_tile * 16, 1, 16)] = shuffled_52
                            packed_b[k_tile * 16 + 5, T.Ramp(j_tile * 16, 1, 16)] = shuffled_53
                            packed_b[k_tile * 16 + 6, T.Ramp(j_tile * 16, 1, 16)] = shuffled_54
                            packed_b[k_tile * 16 + 7, T.Ramp(j_tile * 16, 1, 16)] = shuffled_55
                            packed_b[k_tile * 16 + 8, T.Ramp(j_tile * 16, 1, 16)] = shuffled_56
                            packed_b[k_tile * 16 + 9, T.Ramp(j_tile * 16, 1, 16)] = shuffled_57
                            packed_b[k_tile * 16 + 10, T.Ramp(j_tile * 16, 1, 16)] = shuffled_58
                            packed_b[k_tile * 16 + 11, T.Ramp(j_tile * 16, 1, 16)] = shuffled_59
                            packed_b[k_tile * 16 + 12, T.Ramp(j_tile * 16, 1, 16)] = shuffled_60
                            packed_b[k_tile * 16 + 13, T.Ramp(j_tile * 16, 1, 16)] = shuffled_61
                            packed_b[k_tile * 16 + 14, T.Ramp(j_tile * 16, 1, 16)] = shuffled_62
                            packed_b[k_tile * 16 + 15, T.Ramp(j_tile * 16, 1, 16)] = shuffled_63
                        else:
                            row: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 0) < 17, B.vload([task, p * 32 + (j_tile * 16 + 0), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_1: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 1) < 17, B.vload([task, p * 32 + (j_tile * 16 + 1), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_2: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 2) < 17, B.vload([task, p * 32 + (j_tile * 16 + 2), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_3: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 3) < 17, B.vload([task, p * 32 + (j_tile * 16 + 3), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_4: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 4) < 17, B.vload([task, p * 32 + (j_tile * 16 + 4), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_5: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 5) < 17, B.vload([task, p * 32 + (j_tile * 16 + 5), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_6: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 6) < 17, B.vload([task, p * 32 + (j_tile * 16 + 6), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_7: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 7) < 17, B.vload([task, p * 32 + (j_tile * 16 + 7), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_8: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 8) < 17, B.vload([task, p * 32 + (j_tile * 16 + 8), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_9: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 9) < 17, B.vload([task, p * 32 + (j_tile * 16 + 9), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_10: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 10) < 17, B.vload([task, p * 32 + (j_tile * 16 + 10), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_11: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 11) < 17, B.vload([task, p * 32 + (j_tile * 16 + 11), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_12: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 12) < 17, B.vload([task, p * 32 + (j_tile * 16 + 12), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_13: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 13) < 17, B.vload([task, p * 32 + (j_tile * 16 + 13), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_14: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 14) < 17, B.vload([task, p * 32 + (j_tile * 16 + 14), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            row_15: T.uint8x16 = T.if_then_else((0 + p) * 32 + (j_tile * 16 + 15) < 17, B.vload([task, p * 32 + (j_tile * 16 + 15), T.Ramp(k_tile * 16, 1, 16)], predicate=T.Ramp(k_tile * 16, 1, 16) < T.Broadcast(12, 16)), T.Broadcast(T.uint8(0), 16))
                            shuffled: T.uint8x16 = T.Shuffle([row, row_1], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_1: T.uint8x16 = T.Shuffle([row, row_1], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_2: T.uint8x16 = T.Shuffle([row_2, row_3], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_3: T.uint8x16 = T.Shuffle([row_2, row_3], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_4: T.uint8x16 = T.Shuffle([row_4, row_5], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_5: T.uint8x16 = T.Shuffle([row_4, row_5], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_6: T.uint8x16 = T.Shuffle([row_6, row_7], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_7: T.uint8x16 = T.Shuffle([row_6, row_7], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_8: T.uint8x16 = T.Shuffle([row_8, row_9], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_9: T.uint8x16 = T.Shuffle([row_8, row_9], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_10: T.uint8x16 = T.Shuffle([row_10, row_11], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_11: T.uint8x16 = T.Shuffle([row_10, row_11], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_12: T.uint8x16 = T.Shuffle([row_12, row_13], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_13: T.uint8x16 = T.Shuffle([row_12, row_13], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_14: T.uint8x16 = T.Shuffle([row_14, row_15], [0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23])
                            shuffled_15: T.uint8x16 = T.Shuffle([row_14, row_15], [8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31])
                            shuffled_16: T.uint8x16 = T.Shuffle([shuffled, shuffled_2], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_17: T.uint8x16 = T.Shuffle([shuffled, shuffled_2], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_18: T.uint8x16 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_19: T.uint8x16 = T.Shuffle([shuffled_1, shuffled_3], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_20: T.uint8x16 = T.Shuffle([shuffled_4, shuffled_6], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_21: T.uint8x16 = T.Shuffle([shuffled_4, shuffled_6], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_22: T.uint8x16 = T.Shuffle([shuffled_5, shuffled_7], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_23: T.uint8x16 = T.Shuffle([shuffled_5, shuffled_7], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_24: T.uint8x16 = T.Shuffle([shuffled_8, shuffled_10], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_25: T.uint8x16 = T.Shuffle([shuffled_8, shuffled_10], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_26: T.uint8x16 = T.Shuffle([shuffled_9, shuffled_11], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_27: T.uint8x16 = T.Shuffle([shuffled_9, shuffled_11], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_28: T.uint8x16 = T.Shuffle([shuffled_12, shuffled_14], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_29: T.uint8x16 = T.Shuffle([shuffled_12, shuffled_14], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_30: T.uint8x16 = T.Shuffle([shuffled_13, shuffled_15], [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23])
                            shuffled_31: T.uint8x16 = T.Shuffle([shuffled_13, shuffled_15], [8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31])
                            shuffled_32: T.uint8x16 = T.Shuffle([shuffled_16, shuffled_20], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_33: T.uint8x16 = T.Shuffle([shuffled_16, shuffled_20], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_34: T.uint8x16 = T.Shuffle([shuffled_17, shuffled_21], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_35: T.uint8x16 = T.Shuffle([shuffled_17, shuffled_21], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_36: T.uint8x16 = T.Shuffle([shuffled_18, shuffled_22], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_37: T.uint8x16 = T.Shuffle([shuffled_18, shuffled_22], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_38: T.uint8x16 = T.Shuffle([shuffled_19, shuffled_23], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_39: T.uint8x16 = T.Shuffle([shuffled_19, shuffled_23], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_40: T.uint8x16 = T.Shuffle([shuffled_24, shuffled_28], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_41: T.uint8x16 = T.Shuffle([shuffled_24, shuffled_28], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_42: T.uint8x16 = T.Shuffle([shuffled_25, shuffled_29], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_43: T.uint8x16 = T.Shuffle([shuffled_25, shuffled_29], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_44: T.uint8x16 = T.Shuffle([shuffled_26, shuffled_30], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_45: T.uint8x16 = T.Shuffle([shuffled_26, shuffled_30], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_46: T.uint8x16 = T.Shuffle([shuffled_27, shuffled_31], [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23])
                            shuffled_47: T.uint8x16 = T.Shuffle([shuffled_27, shuffled_31], [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31])
                            shuffled_48: T.uint8x16 = T.Shuffle([shuffled_32, shuffled_40], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_49: T.uint8x16 = T.Shuffle([shuffled_32, shuffled_40], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_50: T.uint8x16 = T.Shuffle([shuffled_33, shuffled_41], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_51: T.uint8x16 = T.Shuffle([shuffled_33, shuffled_41], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_52: T.uint8x16 = T.Shuffle([shuffled_34, shuffled_42], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_53: T.uint8x16 = T.Shuffle([shuffled_34, shuffled_42], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_54: T.uint8x16 = T.Shuffle([shuffled_35, shuffled_43], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_55: T.uint8x16 = T.Shuffle([shuffled_35, shuffled_43], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_56: T.uint8x16 = T.Shuffle([shuffled_36, shuffled_44], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_57: T.uint8x16 = T.Shuffle([shuffled_36, shuffled_44], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_58: T.uint8x16 = T.Shuffle([shuffled_37, shuffled_45], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_59: T.uint8x16 = T.Shuffle([shuffled_37, shuffled_45], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_60: T.uint8x16 = T.Shuffle([shuffled_38, shuffled_46], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_61: T.uint8x16 = T.Shuffle([shuffled_38, shuffled_46], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            shuffled_62: T.uint8x16 = T.Shuffle([shuffled_39, shuffled_47], [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23])
                            shuffled_63: T.uint8x16 = T.Shuffle([shuffled_39, shuffled_47], [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31])
                            if k_tile * 16 + 0 < 12:
                                packed_b[k_tile * 16 + 0, T.Ramp(j_tile * 16, 1, 16)] = shuffled_48
                            if k_tile * 16 + 1 < 12:
                                packed_b[k_tile * 16 + 1, T.Ramp(j_tile * 16, 1, 16)] = shuffled_49
                            if k_tile * 16 + 2 < 12:
                                packed_b[k_tile * 16 + 2, T.Ramp(j_tile * 16, 1, 16)] = shuffled_50
                            if k_tile * 16 + 3 < 12:
                                packed_b[k_tile * 16 + 3, T.Ramp(j_tile * 16, 1, 16)] = shuffled_51
                            if k_tile * 16 + 4 < 12:
                                packed_b[k_tile * 16 + 4, T.Ramp(j_tile * 16, 1, 16)] = shuffled_52
                            if k_tile * 16 + 5 < 12:
                                packed_b[k_tile * 16 + 5, T.Ramp(j_tile * 16, 1, 16)] = shuffled_53
                            if k_tile * 16 + 6 < 12:
                                packed_b[k_tile * 16 + 6, T.Ramp(j_tile * 16, 1, 16)] = shuffled_54
                            if k_tile * 16 + 7 < 12:
                                packed_b[k_tile * 16 + 7, T.Ramp(j_tile * 16, 1, 16)] = shuffled_55
                            if k_tile * 16 + 8 < 12:
                                packed_b[k_tile * 16 + 8, T.Ramp(j_tile * 16, 1, 16)] = shuffled_56
                            if k_tile * 16 + 9 < 12:
                                packed_b[k_tile * 16 + 9, T.Ramp(j_tile * 16, 1, 16)] = shuffled_57
                            if k_tile * 16 + 10 < 12:
                                packed_b[k_tile * 16 + 10, T.Ramp(j_tile * 16, 1, 16)] = shuffled_58
                            if k_tile * 16 + 11 < 12:
                                packed_b[k_tile * 16 + 11, T.Ramp(j_tile * 16, 1, 16)] = shuffled_59
                            if k_tile * 16 + 12 < 12:
                                packed_b[k_tile * 16 + 12, T.Ramp(j_tile * 16, 1, 16)] = shuffled_60
                            if k_tile * 16 + 13 < 12:
                                packed_b[k_tile * 16 + 13, T.Ramp(j_tile * 16, 1, 16)] = shuffled_61
                            if k_tile * 16 + 14 < 12:
                                packed_b[k_tile * 16 + 14, T.Ramp(j_tile * 16, 1, 16)] = shuffled_62
                            if k_tile * 16 + 15 < 12:
                                packed_b[k_tile * 16 + 15, T.Ramp(j_tile * 16, 1, 16)] = shuffled_63
                    for t in range(1):
                        for i in T.unroll(5):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile[i, v, j] = 0
                        for k in range(3):
                            for u in T.unroll(4):
                                for i in T.unroll(5):
                                    for v in T.unroll(2):
                                        for j in T.vectorized(16):
                                            tile[i, v, j] = tile[i, v, j] + packed_a[t * 5 + 0 + i, k * 4 + u] * T.Cast("int32", packed_b[k * 4 + u, v * 16 + j])
                        for i in T.unroll(5):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    if (0 + p) * 32 + (v * 16 + j) < 17:
                                        C[task, t * 5 + i, p * 32 + v * 16 + j] = tile[i, v, j]
