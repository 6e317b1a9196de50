# A matrix unit multiplies groups of bfloat16 in tiles of 16 x 16; rows that are no whole tile are dot products.
# test: opt --pass ApplyDefaultSchedule:target=sapphirerapids

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((37, 64), "bfloat16"), B: T.Buffer((50, 64), "bfloat16"), C: T.Buffer((37, 50), "float32")):
        for i, j, k in T.grid(37, 50, 64):
            with T.block("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + T.Cast("float32", A[vi, vk]) * T.Cast("float32", B[vj, vk])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((37, 64), "bfloat16"), B: T.Buffer((50, 64), "bfloat16"), C: T.Buffer((37, 50), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("C"):
                T.reads(A[0:37, 0:64], B[0:50, 0:64], C[0:37, 0:50])
                T.writes(C[0:37, 0:50])
                packed_a = T.alloc_buffer((3, 2, 16, 32), "uint16", align=64)
                packed_b = T.alloc_buffer((32, 32), "uint32", align=64)
                tile = T.alloc_buffer((32, 2, 16), align=64)
                tile_1 = T.alloc_buffer((16, 2, 16), align=64)
                tile_2 = T.alloc_buffer((8, 2, 16), scope="local", align=64)
                tile_3 = T.alloc_buffer((4, 2, 16), scope="local", align=64)
                tile_4 = T.alloc_buffer((2, 2, 16), scope="local", align=64)
                tile_5 = T.alloc_buffer((1, 2, 16), scope="local", align=64)
                tile_config = T.alloc_buffer((64,), "uint8", align=64)
                tile_config[0] = T.uint8(1)
                tile_config[1] = T.uint8(0)
                tile_config[2] = T.uint8(0)
                tile_config[3] = T.uint8(0)
                tile_config[4] = T.uint8(0)
                tile_config[5] = T.uint8(0)
                tile_config[6] = T.uint8(0)
                tile_config[7] = T.uint8(0)
                tile_config[8] = T.uint8(0)
                tile_config[9] = T.uint8(0)
                tile_config[10] = T.uint8(0)
                tile_config[11] = T.uint8(0)
                tile_config[12] = T.uint8(0)
                tile_config[13] = T.uint8(0)
                tile_config[14] = T.uint8(0)
                tile_config[15] = T.uint8(0)
                tile_config[16] = T.uint8(64)
                tile_config[17] = T.uint8(0)
                tile_config[18] = T.uint8(64)
                tile_config[19] = T.uint8(0)
                tile_config[20] = T.uint8(64)
                tile_config[21] = T.uint8(0)
                tile_config[22] = T.uint8(64)
                tile_config[23] = T.uint8(0)
                tile_config[24] = T.uint8(64)
                tile_config[25] = T.uint8(0)
                tile_config[26] = T.uint8(64)
                tile_config[27] = T.uint8(0)
                tile_config[28] = T.uint8(64)
                tile_config[29] = T.uint8(0)
                tile_config[30] = T.uint8(64)
                tile_config[31] = T.uint8(0)
                tile_config[32] = T.uint8(0)
                tile_config[33] = T.uint8(0)
                tile_config[34] = T.uint8(0)
                tile_config[35] = T.uint8(0)
                tile_config[36] = T.uint8(0)
                tile_config[37] = T.uint8(0)
                tile_config[38] = T.uint8(0)
                tile_config[39] = T.uint8(0)
                tile_config[40] = T.uint8(0)
                tile_config[41] = T.uint8(0)
                tile_config[42] = T.uint8(0)
                tile_config[43] = T.uint8(0)
                tile_config[44] = T.uint8(0)
                tile_config[45] = T.uint8(0)
                tile_config[46] = T.uint8(0)
                tile_config[47] = T.uint8(0)
                tile_config[48] = T.uint8(16)
                tile_config[49] = T.uint8(16)
                tile_config[50] = T.uint8(16)
                tile_config[51] = T.uint8(16)
                tile_config[52] = T.uint8(16)
                tile_config[53] = T.uint8(16)
                tile_config[54] = T.uint8(16)
                tile_config[55] = T.uint8(16)
                tile_config[56] = T.uint8(0)
                tile_config[57] = T.uint8(0)
                tile_config[58] = T.uint8(0)
                tile_config[59] = T.uint8(0)
                tile_config[60] = T.uint8(0)
                tile_config[61] = T.uint8(0)
                tile_config[62] = T.uint8(0)
                tile_config[63] = T.uint8(0)
                T.call_llvm_intrin("void", "llvm.x86.ldtilecfg", T.uint32(1), T.address_of(tile_config[0]))
                for i, step in T.grid(37, 2):
                    for part in T.vectorized(32):
                        packed_a[i // 16, step, i % 16, part] = T.reinterpret("uint16", A[i, step * 32 + part])
                for p in range(1):
                    for j_tile, k_tile in T.grid(2, 2):
                        if (task + p) * 32 + (j_tile * 16 + 15) < 50:
                            row: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 0), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_1: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 1), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_2: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 2), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_3: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 3), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_4: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 4), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_5: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 5), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_6: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 6), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_7: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 7), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_8: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 8), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_9: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 9), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_10: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 10), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_11: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 11), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_12: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 12), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_13: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 13), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_14: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 14), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            row_15: T.uint32x16 = T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 15), T.Ramp(k_tile * 16 * 2, 1, 32)])
                            shuffled: T.uint32x16 = T.Shuffle([row, row_1], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_1: T.uint32x16 = T.Shuffle([row, row_1], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_2: T.uint32x16 = T.Shuffle([row_2, row_3], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_3: T.uint32x16 = T.Shuffle([row_2, row_3], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_4: T.uint32x16 = T.Shuffle([row_4, row_5], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_5: T.uint32x16 = T.Shuffle([row_4, row_5], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_6: T.uint32x16 = T.Shuffle([row_6, row_7], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_7: T.uint32x16 = T.Shuffle([row_6, row_7], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_8: T.uint32x16 = T.Shuffle([row_8, row_9], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_9: T.uint32x16 = T.Shuffle([row_8, row_9], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_10: T.uint32x16 = T.Shuffle([row_10, row_11], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_11: T.uint32x16 = T.Shuffle([row_10, row_11], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_12: T.uint32x16 = T.Shuffle([row_12, row_13], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_13: T.uint32x16 = T.Shuffle([row_12, row_13], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_14: T.uint32x16 = T.Shuffle([row_14, row_15], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_15: T.uint32x16 = T.Shuffle([row_14, row_15], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_16: T.uint32x16 = T.Shuffle([shuffled, shuffled_2], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_17: T.uint32x16 = T.Shuffle([shuffled, shuffled_2], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_18: T.uint32x16 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_19: T.uint32x16 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_20: T.uint32x16 = T.Shuffle([shuffled_4, shuffled_6], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_21: T.uint32x16 = T.Shuffle([shuffled_4, shuffled_6], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_22: T.uint32x16 = T.Shuffle([shuffled_5, shuffled_7], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_23: T.uint32x16 = T.Shuffle([shuffled_5, shuffled_7], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_24: T.uint32x16 = T.Shuffle([shuffled_8, shuffled_10], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_25: T.uint32x16 = T.Shuffle([shuffled_8, shuffled_10], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_26: T.uint32x16 = T.Shuffle([shuffled_9, shuffled_11], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_27: T.uint32x16 = T.Shuffle([shuffled_9, shuffled_11], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_28: T.uint32x16 = T.Shuffle([shuffled_12, shuffled_14], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_29: T.uint32x16 = T.Shuffle([shuffled_12, shuffled_14], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_30: T.uint32x16 = T.Shuffle([shuffled_13, shuffled_15], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_31: T.uint32x16 = T.Shuffle([shuffled_13, shuffled_15], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_32: T.uint32x16 = T.Shuffle([shuffled_16, shuffled_20], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_33: T.uint32x16 = T.Shuffle([shuffled_16, shuffled_20], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_34: T.uint32x16 = T.Shuffle([shuffled_17, shuffled_21], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_35: T.uint32x16 = T.Shuffle([shuffled_17, shuffled_21], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_36: T.uint32x16 = T.Shuffle([shuffled_18, shuffled_22], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_37: T.uint32x16 = T.Shuffle([shuffled_18, shuffled_22], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_38: T.uint32x16 = T.Shuffle([shuffled_19, shuffled_23], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_39: T.uint32x16 = T.Shuffle([shuffled_19, shuffled_23], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_40: T.uint32x16 = T.Shuffle([shuffled_24, shuffled_28], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_41: T.uint32x16 = T.Shuffle([shuffled_24, shuffled_28], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_42: T.uint32x16 = T.Shuffle([shuffled_25, shuffled_29], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_43: T.uint32x16 = T.Shuffle([shuffled_25, shuffled_29], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_44: T.uint32x16 = T.Shuffle([shuffled_26, shuffled_30], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_45: T.uint32x16 = T.Shuffle([shuffled_26, shuffled_30], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_46: T.uint32x16 = T.Shuffle([shuffled_27, shuffled_31], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_47: T.uint32x16 = T.Shuffle([shuffled_27, shuffled_31], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_48: T.uint32x16 = T.Shuffle([shuffled_32, shuffled_40], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_49: T.uint32x16 = T.Shuffle([shuffled_32, shuffled_40], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_50: T.uint32x16 = T.Shuffle([shuffled_34, shuffled_42], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_51: T.uint32x16 = T.Shuffle([shuffled_34, shuffled_42], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_52: T.uint32x16 = T.Shuffle([shuffled_36, shuffled_44], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_53: T.uint32x16 = T.Shuffle([shuffled_36, shuffled_44], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_54: T.uint32x16 = T.Shuffle([shuffled_38, shuffled_46], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_55: T.uint32x16 = T.Shuffle([shuffled_38, shuffled_46], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_56: T.uint32x16 = T.Shuffle([shuffled_33, shuffled_41], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_57: T.uint32x16 = T.Shuffle([shuffled_33, shuffled_41], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_58: T.uint32x16 = T.Shuffle([shuffled_35, shuffled_43], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_59: T.uint32x16 = T.Shuffle([shuffled_35, shuffled_43], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_60: T.uint32x16 = T.Shuffle([shuffled_37, shuffled_45], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_61: T.uint32x16 = T.Shuffle([shuffled_37, shuffled_45], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_62: T.uint32x16 = T.Shuffle([shuffled_39, shuffled_47], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_63: T.uint32x16 = T.Shuffle([shuffled_39, shuffled_47], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
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
                            row: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 0) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 0), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_1: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 1) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 1), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_2: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 2) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 2), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_3: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 3) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 3), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_4: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 4) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 4), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_5: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 5) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 5), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_6: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 6) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 6), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_7: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 7) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 7), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_8: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 8) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 8), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_9: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 9) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 9), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_10: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 10) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 10), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_11: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 11) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 11), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_12: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 12) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 12), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_13: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 13) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 13), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_14: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 14) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 14), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            row_15: T.uint32x16 = T.if_then_else((task + p) * 32 + (j_tile * 16 + 15) < 50, T.reinterpret("uint32x16", B[task * 32 + p * 32 + (j_tile * 16 + 15), T.Ramp(k_tile * 16 * 2, 1, 32)]), T.Broadcast(T.uint32(0), 16))
                            shuffled: T.uint32x16 = T.Shuffle([row, row_1], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_1: T.uint32x16 = T.Shuffle([row, row_1], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_2: T.uint32x16 = T.Shuffle([row_2, row_3], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_3: T.uint32x16 = T.Shuffle([row_2, row_3], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_4: T.uint32x16 = T.Shuffle([row_4, row_5], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_5: T.uint32x16 = T.Shuffle([row_4, row_5], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_6: T.uint32x16 = T.Shuffle([row_6, row_7], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_7: T.uint32x16 = T.Shuffle([row_6, row_7], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_8: T.uint32x16 = T.Shuffle([row_8, row_9], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_9: T.uint32x16 = T.Shuffle([row_8, row_9], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_10: T.uint32x16 = T.Shuffle([row_10, row_11], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_11: T.uint32x16 = T.Shuffle([row_10, row_11], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_12: T.uint32x16 = T.Shuffle([row_12, row_13], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_13: T.uint32x16 = T.Shuffle([row_12, row_13], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_14: T.uint32x16 = T.Shuffle([row_14, row_15], [0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29])
                            shuffled_15: T.uint32x16 = T.Shuffle([row_14, row_15], [2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31])
                            shuffled_16: T.uint32x16 = T.Shuffle([shuffled, shuffled_2], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_17: T.uint32x16 = T.Shuffle([shuffled, shuffled_2], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_18: T.uint32x16 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_19: T.uint32x16 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_20: T.uint32x16 = T.Shuffle([shuffled_4, shuffled_6], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_21: T.uint32x16 = T.Shuffle([shuffled_4, shuffled_6], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_22: T.uint32x16 = T.Shuffle([shuffled_5, shuffled_7], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_23: T.uint32x16 = T.Shuffle([shuffled_5, shuffled_7], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_24: T.uint32x16 = T.Shuffle([shuffled_8, shuffled_10], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_25: T.uint32x16 = T.Shuffle([shuffled_8, shuffled_10], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_26: T.uint32x16 = T.Shuffle([shuffled_9, shuffled_11], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_27: T.uint32x16 = T.Shuffle([shuffled_9, shuffled_11], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_28: T.uint32x16 = T.Shuffle([shuffled_12, shuffled_14], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_29: T.uint32x16 = T.Shuffle([shuffled_12, shuffled_14], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_30: T.uint32x16 = T.Shuffle([shuffled_13, shuffled_15], [0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29])
                            shuffled_31: T.uint32x16 = T.Shuffle([shuffled_13, shuffled_15], [2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31])
                            shuffled_32: T.uint32x16 = T.Shuffle([shuffled_16, shuffled_20], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_33: T.uint32x16 = T.Shuffle([shuffled_16, shuffled_20], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_34: T.uint32x16 = T.Shuffle([shuffled_17, shuffled_21], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_35: T.uint32x16 = T.Shuffle([shuffled_17, shuffled_21], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_36: T.uint32x16 = T.Shuffle([shuffled_18, shuffled_22], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_37: T.uint32x16 = T.Shuffle([shuffled_18, shuffled_22], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_38: T.uint32x16 = T.Shuffle([shuffled_19, shuffled_23], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_39: T.uint32x16 = T.Shuffle([shuffled_19, shuffled_23], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_40: T.uint32x16 = T.Shuffle([shuffled_24, shuffled_28], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_41: T.uint32x16 = T.Shuffle([shuffled_24, shuffled_28], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_42: T.uint32x16 = T.Shuffle([shuffled_25, shuffled_29], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_43: T.uint32x16 = T.Shuffle([shuffled_25, shuffled_29], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_44: T.uint32x16 = T.Shuffle([shuffled_26, shuffled_30], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_45: T.uint32x16 = T.Shuffle([shuffled_26, shuffled_30], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_46: T.uint32x16 = T.Shuffle([shuffled_27, shuffled_31], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_47: T.uint32x16 = T.Shuffle([shuffled_27, shuffled_31], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_48: T.uint32x16 = T.Shuffle([shuffled_32, shuffled_40], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_49: T.uint32x16 = T.Shuffle([shuffled_32, shuffled_40], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_50: T.uint32x16 = T.Shuffle([shuffled_34, shuffled_42], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_51: T.uint32x16 = T.Shuffle([shuffled_34, shuffled_42], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_52: T.uint32x16 = T.Shuffle([shuffled_36, shuffled_44], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_53: T.uint32x16 = T.Shuffle([shuffled_36, shuffled_44], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_54: T.uint32x16 = T.Shuffle([shuffled_38, shuffled_46], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_55: T.uint32x16 = T.Shuffle([shuffled_38, shuffled_46], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_56: T.uint32x16 = T.Shuffle([shuffled_33, shuffled_41], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_57: T.uint32x16 = T.Shuffle([shuffled_33, shuffled_41], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_58: T.uint32x16 = T.Shuffle([shuffled_35, shuffled_43], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_59: T.uint32x16 = T.Shuffle([shuffled_35, shuffled_43], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_60: T.uint32x16 = T.Shuffle([shuffled_37, shuffled_45], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_61: T.uint32x16 = T.Shuffle([shuffled_37, shuffled_45], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
                            shuffled_62: T.uint32x16 = T.Shuffle([shuffled_39, shuffled_47], [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27])
                            shuffled_63: T.uint32x16 = T.Shuffle([shuffled_39, shuffled_47], [4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31])
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
                    for t in range(1):
                        if t * 32 + 32 <= 37:
                            T.call_llvm_intrin("void", "llvm.x86.tilezero", T.uint32(1), T.int8(0))
                            T.call_llvm_intrin("void", "llvm.x86.tilezero", T.uint32(1), T.int8(1))
                            T.call_llvm_intrin("void", "llvm.x86.tilezero", T.uint32(1), T.int8(2))
                            T.call_llvm_intrin("void", "llvm.x86.tilezero", T.uint32(1), T.int8(3))
                            for k in range(2):
                                T.call_llvm_intrin("void", "llvm.x86.tileloadd64", T.uint32(3), T.int8(4), T.address_of(packed_a[t * 2, k, 0, 0]), T.int64(64))
                                T.call_llvm_intrin("void", "llvm.x86.tileloadd64", T.uint32(3), T.int8(5), T.address_of(packed_a[t * 2 + 1, k, 0, 0]), T.int64(64))
                                T.call_llvm_intrin("void", "llvm.x86.tileloadd64", T.uint32(3), T.int8(6), T.address_of(packed_b[k * 16, 0]), T.int64(128))
                                T.call_llvm_intrin("void", "llvm.x86.tileloadd64", T.uint32(3), T.int8(7), T.address_of(packed_b[k * 16, 16]), T.int64(128))
                                T.call_llvm_intrin("void", "llvm.x86.tdpbf16ps", T.uint32(3), T.int8(0), T.int8(4), T.int8(6))
                                T.call_llvm_intrin("void", "llvm.x86.tdpbf16ps", T.uint32(3), T.int8(1), T.int8(4), T.int8(7))
                                T.call_llvm_intrin("void", "llvm.x86.tdpbf16ps", T.uint32(3), T.int8(2), T.int8(5), T.int8(6))
                                T.call_llvm_intrin("void", "llvm.x86.tdpbf16ps", T.uint32(3), T.int8(3), T.int8(5), T.int8(7))
                            T.call_llvm_intrin("void", "llvm.x86.tilestored64", T.uint32(3), T.int8(0), T.address_of(tile[0, 0, 0]), T.int64(128))
                            T.call_llvm_intrin("void", "llvm.x86.tilestored64", T.uint32(3), T.int8(1), T.address_of(tile[0, 1, 0]), T.int64(128))
                            T.call_llvm_intrin("void", "llvm.x86.tilestored64", T.uint32(3), T.int8(2), T.address_of(tile[16, 0, 0]), T.int64(128))
                            T.call_llvm_intrin("void", "llvm.x86.tilestored64", T.uint32(3), T.int8(3), T.address_of(tile[16, 1, 0]), T.int64(128))
                            for i in T.unroll(32):
                                for v in T.unroll(2):
                                    for j in T.vectorized(16):
                                        if (task + p) * 32 + (v * 16 + j) < 50:
                                            C[t * 32 + i, task * 32 + p * 32 + v * 16 + j] = tile[i, v, j]
                    if T.GE(5, 16) and (T.Mul(1, 32) + T.Mul(0, 32) + 16 <= 37 and 0 + (T.Mul(1, 32) + T.Mul(0, 32) + 16) <= 37):
                        T.call_llvm_intrin("void", "llvm.x86.tilezero", T.uint32(1), T.int8(0))
                        T.call_llvm_intrin("void", "llvm.x86.tilezero", T.uint32(1), T.int8(1))
                        for k in range(2):
                            T.call_llvm_intrin("void", "llvm.x86.tileloadd64", T.uint32(3), T.int8(4), T.address_of(packed_a[2, k, 0, 0]), T.int64(64))
                            T.call_llvm_intrin("void", "llvm.x86.tileloadd64", T.uint32(3), T.int8(6), T.address_of(packed_b[k * 16, 0]), T.int64(128))
                            T.call_llvm_intrin("void", "llvm.x86.tileloadd64", T.uint32(3), T.int8(7), T.address_of(packed_b[k * 16, 16]), T.int64(128))
                            T.call_llvm_intrin("void", "llvm.x86.tdpbf16ps", T.uint32(3), T.int8(0), T.int8(4), T.int8(6))
                            T.call_llvm_intrin("void", "llvm.x86.tdpbf16ps", T.uint32(3), T.int8(1), T.int8(4), T.int8(7))
                        T.call_llvm_intrin("void", "llvm.x86.tilestored64", T.uint32(3), T.int8(0), T.address_of(tile_1[0, 0, 0]), T.int64(128))
                        T.call_llvm_intrin("void", "llvm.x86.tilestored64", T.uint32(3), T.int8(1), T.address_of(tile_1[0, 1, 0]), T.int64(128))
                        for i in T.unroll(16):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    if (task + p) * 32 + (v * 16 + j) < 50:
                                        C[i + 32, task * 32 + p * 32 + v * 16 + j] = tile_1[i, v, j]
                    if T.GE(5, 8) and (T.Mul(1, 32) + T.Mul(0, 16) + 8 <= 37 and 0 + (T.Mul(1, 32) + T.Mul(0, 16) + 8) <= 37):
                        for i in T.unroll(8):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_2[i, v, j] = T.float32(0.0)
                        for k in range(32):
                            for i in T.unroll(8):
                                for v in T.unroll(2):
                                    tile_2[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("float32x16", "llvm.x86.avx512bf16.dpbf16ps.512", T.uint32(3), tile_2[i, v, T.Ramp(0, 1, 16)], T.reinterpret("bfloat16x32", packed_b[k, T.Ramp(v * 16, 1, 16)]), T.reinterpret("bfloat16x32", T.Broadcast(T.reinterpret("uint32", packed_a[i // 16 + 2, k // 16, i % 16, T.Ramp(k % 16 * 2, 1, 2)]), 16)))
                        for i in T.unroll(8):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    if (task + p) * 32 + (v * 16 + j) < 50:
                                        C[i + 32, task * 32 + p * 32 + v * 16 + j] = tile_2[i, v, j]
                    if T.GE(5, 4) and (T.Mul(1, 32) + T.Mul(0, 8) + 4 <= 37 and 0 + (T.Mul(1, 32) + T.Mul(0, 8) + 4) <= 37):
                        for i in T.unroll(4):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_3[i, v, j] = T.float32(0.0)
                        for k in range(32):
                            for i in T.unroll(4):
                                for v in T.unroll(2):
                                    tile_3[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("float32x16", "llvm.x86.avx512bf16.dpbf16ps.512", T.uint32(3), tile_3[i, v, T.Ramp(0, 1, 16)], T.reinterpret("bfloat16x32", packed_b[k, T.Ramp(v * 16, 1, 16)]), T.reinterpret("bfloat16x32", T.Broadcast(T.reinterpret("uint32", packed_a[i // 16 + 2, k // 16, i % 16, T.Ramp(k % 16 * 2, 1, 2)]), 16)))
                        for i in T.unroll(4):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    if (task + p) * 32 + (v * 16 + j) < 50:
                                        C[i + 32, task * 32 + p * 32 + v * 16 + j] = tile_3[i, v, j]
                    if T.GE(1, 2) and (T.Mul(1, 32) + T.Mul(1, 4) + 2 <= 37 and 0 + (T.Mul(1, 32) + T.Mul(1, 4) + 2) <= 37):
                        for i in T.unroll(2):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_4[i, v, j] = T.float32(0.0)
                        for k in range(32):
                            for i in T.unroll(2):
                                for v in T.unroll(2):
                                    tile_4[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("float32x16", "llvm.x86.avx512bf16.dpbf16ps.512", T.uint32(3), tile_4[i, v, T.Ramp(0, 1, 16)], T.reinterpret("bfloat16x32", packed_b[k, T.Ramp(v * 16, 1, 16)]), T.reinterpret("bfloat16x32", T.Broadcast(T.reinterpret("uint32", packed_a[(i + 4) // 16 + 2, k // 16, (i + 4) % 16, T.Ramp(k % 16 * 2, 1, 2)]), 16)))
                        for i in T.unroll(2):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    if (task + p) * 32 + (v * 16 + j) < 50:
                                        C[i + 36, task * 32 + p * 32 + v * 16 + j] = tile_4[i, v, j]
                    if T.GE(1, 1) and (T.Mul(1, 32) + T.Mul(2, 2) + 1 <= 37 and 0 + (T.Mul(1, 32) + T.Mul(2, 2) + 1) <= 37):
                        for i in T.unroll(1):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    tile_5[i, v, j] = T.float32(0.0)
                        for k in range(32):
                            for i in T.unroll(1):
                                for v in T.unroll(2):
                                    tile_5[i, v, T.Ramp(0, 1, 16)] = T.call_llvm_intrin("float32x16", "llvm.x86.avx512bf16.dpbf16ps.512", T.uint32(3), tile_5[i, v, T.Ramp(0, 1, 16)], T.reinterpret("bfloat16x32", packed_b[k, T.Ramp(v * 16, 1, 16)]), T.reinterpret("bfloat16x32", T.Broadcast(T.reinterpret("uint32", packed_a[(i + 4) // 16 + 2, k // 16, (i + 4) % 16, T.Ramp(k % 16 * 2, 1, 2)]), 16)))
                        for i in T.unroll(1):
                            for v in T.unroll(2):
                                for j in T.vectorized(16):
                                    if (task + p) * 32 + (v * 16 + j) < 50:
                                        C[i + 36, task * 32 + p * 32 + v * 16 + j] = tile_5[i, v, j]
                T.call_llvm_intrin("void", "llvm.x86.tilerelease", T.uint32(0))
