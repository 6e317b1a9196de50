# A transpose of a matrix whose height is known when it runs: a copy in tiles of registers, masked at both ends.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=65 == same
# run: main n=100 == same
# run: main n=1 == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        A = T.match_buffer(var_A, (n, 77), "float32")
        B = T.match_buffer(var_B, (77, n), "float32")
        for i, j in T.grid(77, n):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vj, vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        A = T.match_buffer(var_A, (n, 77), "float32")
        B = T.match_buffer(var_B, (77, n), "float32")
        # with T.block("root"):
        for j_0 in T.parallel((n + T.int64(255)) // T.int64(256)):
            for i_0 in range(3):
                with T.block("B"):
                    T.reads(A[j_0 * T.int64(256):j_0 * T.int64(256) + T.int64(256), i_0 * 32:i_0 * 32 + 32])
                    T.writes(B[i_0 * 32:i_0 * 32 + 32, j_0 * T.int64(256):j_0 * T.int64(256) + T.int64(256)])
                    A_transposed = T.alloc_buffer((32, 272), scope="local", align=64)
                    for i_1_tile in range(1):
                        for row in range(32):
                            T.evaluate(T.prefetch(T.address_of(B[i_0 * 32 + (i_1_tile * 32 + row), j_0 * T.int64(256) + T.int64(0)]), 1, 2))
                            T.evaluate(T.prefetch(T.address_of(B[i_0 * 32 + (i_1_tile * 32 + row), j_0 * T.int64(256) + T.int64(255)]), 1, 2))
                        for j_1_tile, row_tile in T.grid(T.int64(32), 4):
                            if i_0 * 32 + (i_1_tile * 32 + (row_tile * 8 + 7)) < 77 and j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(7)) < n:
                                row: T.float32x8 = A[j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(0)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)]
                                row_1: T.float32x8 = A[j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(1)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)]
                                row_2: T.float32x8 = A[j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(2)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)]
                                row_3: T.float32x8 = A[j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(3)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)]
                                row_4: T.float32x8 = A[j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(4)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)]
                                row_5: T.float32x8 = A[j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(5)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)]
                                row_6: T.float32x8 = A[j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(6)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)]
                                row_7: T.float32x8 = A[j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(7)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)]
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
                                A_transposed[row_tile * 8 + 0, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                                A_transposed[row_tile * 8 + 1, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                                A_transposed[row_tile * 8 + 2, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                                A_transposed[row_tile * 8 + 3, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                                A_transposed[row_tile * 8 + 4, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                                A_transposed[row_tile * 8 + 5, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                                A_transposed[row_tile * 8 + 6, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                                A_transposed[row_tile * 8 + 7, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                            else:
                                row: T.float32x8 = T.if_then_else(j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(0)) < n, A.vload([j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(0)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)], predicate=T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8) < T.Broadcast(77, 8)), T.Broadcast(T.float32(0.0), 8))
                                row_1: T.float32x8 = T.if_then_else(j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(1)) < n, A.vload([j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(1)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)], predicate=T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8) < T.Broadcast(77, 8)), T.Broadcast(T.float32(0.0), 8))
                                row_2: T.float32x8 = T.if_then_else(j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(2)) < n, A.vload([j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(2)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)], predicate=T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8) < T.Broadcast(77, 8)), T.Broadcast(T.float32(0.0), 8))
                                row_3: T.float32x8 = T.if_then_else(j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(3)) < n, A.vload([j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(3)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)], predicate=T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8) < T.Broadcast(77, 8)), T.Broadcast(T.float32(0.0), 8))
                                row_4: T.float32x8 = T.if_then_else(j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(4)) < n, A.vload([j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(4)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)], predicate=T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8) < T.Broadcast(77, 8)), T.Broadcast(T.float32(0.0), 8))
                                row_5: T.float32x8 = T.if_then_else(j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(5)) < n, A.vload([j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(5)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)], predicate=T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8) < T.Broadcast(77, 8)), T.Broadcast(T.float32(0.0), 8))
                                row_6: T.float32x8 = T.if_then_else(j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(6)) < n, A.vload([j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(6)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)], predicate=T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8) < T.Broadcast(77, 8)), T.Broadcast(T.float32(0.0), 8))
                                row_7: T.float32x8 = T.if_then_else(j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(7)) < n, A.vload([j_0 * T.int64(256) + (j_1_tile * T.int64(8) + T.int64(7)), T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8)], predicate=T.Ramp(i_0 * 32 + (i_1_tile * 32 + row_tile * 8), 1, 8) < T.Broadcast(77, 8)), T.Broadcast(T.float32(0.0), 8))
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
                                if i_0 * 32 + (i_1_tile * 32 + (row_tile * 8 + 0)) < 77:
                                    A_transposed.vstore([row_tile * 8 + 0, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)], shuffled_16, predicate=T.Ramp(j_0 * T.int64(256) + j_1_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))
                                if i_0 * 32 + (i_1_tile * 32 + (row_tile * 8 + 1)) < 77:
                                    A_transposed.vstore([row_tile * 8 + 1, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)], shuffled_18, predicate=T.Ramp(j_0 * T.int64(256) + j_1_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))
                                if i_0 * 32 + (i_1_tile * 32 + (row_tile * 8 + 2)) < 77:
                                    A_transposed.vstore([row_tile * 8 + 2, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)], shuffled_20, predicate=T.Ramp(j_0 * T.int64(256) + j_1_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))
                                if i_0 * 32 + (i_1_tile * 32 + (row_tile * 8 + 3)) < 77:
                                    A_transposed.vstore([row_tile * 8 + 3, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)], shuffled_22, predicate=T.Ramp(j_0 * T.int64(256) + j_1_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))
                                if i_0 * 32 + (i_1_tile * 32 + (row_tile * 8 + 4)) < 77:
                                    A_transposed.vstore([row_tile * 8 + 4, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)], shuffled_17, predicate=T.Ramp(j_0 * T.int64(256) + j_1_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))
                                if i_0 * 32 + (i_1_tile * 32 + (row_tile * 8 + 5)) < 77:
                                    A_transposed.vstore([row_tile * 8 + 5, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)], shuffled_19, predicate=T.Ramp(j_0 * T.int64(256) + j_1_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))
                                if i_0 * 32 + (i_1_tile * 32 + (row_tile * 8 + 6)) < 77:
                                    A_transposed.vstore([row_tile * 8 + 6, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)], shuffled_21, predicate=T.Ramp(j_0 * T.int64(256) + j_1_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))
                                if i_0 * 32 + (i_1_tile * 32 + (row_tile * 8 + 7)) < 77:
                                    A_transposed.vstore([row_tile * 8 + 7, T.Ramp(j_1_tile * T.int64(8), T.int64(1), 8)], shuffled_23, predicate=T.Ramp(j_0 * T.int64(256) + j_1_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(n, 8))
                        for row in range(32):
                            if i_0 * 32 + (i_1_tile * 32 + row) < 77:
                                for at in range(16):
                                    T.evaluate(T.prefetch(T.address_of(A[j_0 * T.int64(256) + T.Cast("int64", (row * 16 + at) // 2), i_0 * 32 + (i_1_tile * 32 + (row * 16 + at) % 2 * 16 + 47)]), 0, 2))
                                for j_1 in T.vectorized(T.min(T.int64(256), n - (j_0 * T.int64(256) + T.int64(0)))):
                                    B[i_0 * 32 + (i_1_tile * 32 + row), j_0 * T.int64(256) + j_1] = A_transposed[row, j_1]
