# A sum with a transpose, rows of which are written eight numbers at a time from tiles of four by four: the edge tile of a
# row has masks, and rows end where the result does.
# test: schedule
# step: b = get_block("C")
# step: i, j = get_loops(b)
# step: outer, inner = split(j, [None, 8])
# step: reorder(outer, i, inner)
# step: stage_transpose(b, 4, True)
# run: main n=8 m=12 == same
# run: main n=7 m=5 == same
# run: main n=1 m=9 == same
# run: main n=0 m=4 == same
# run: main n=17 m=1 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, var_C: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(var_A, (n, m), "float32")
        B = T.match_buffer(var_B, (m, n), "float32")
        C = T.match_buffer(var_C, (m, n), "float32")
        for i, j in T.grid(m, n):
            with T.block("C"):
                vi, vj = T.axis.remap("SS", [i, j])
                C[vi, vj] = A[vj, vi] + B[vi, vj] * A[vj, vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle, var_C: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(var_A, (n, m), "float32")
        B = T.match_buffer(var_B, (m, n), "float32")
        C = T.match_buffer(var_C, (m, n), "float32")
        # with T.block("root"):
        for j_0 in range((n + T.int64(7)) // T.int64(8)):
            with T.block("C"):
                T.reads(A[j_0 * T.int64(8):j_0 * T.int64(8) + T.int64(8), T.int64(0):m], B[T.int64(0):m, j_0 * T.int64(8):j_0 * T.int64(8) + T.int64(8)])
                T.writes(C[T.int64(0):m, j_0 * T.int64(8):j_0 * T.int64(8) + T.int64(8)])
                A_transposed = T.alloc_buffer((T.int64(4), T.int64(16)), scope="local", align=64)
                for i_tile in range((m + T.int64(3)) // T.int64(4)):
                    for row in range(T.int64(4)):
                        T.evaluate(T.prefetch(T.address_of(C[i_tile * T.int64(4) + row, j_0 * T.int64(8) + T.int64(0)]), 1, 2))
                        T.evaluate(T.prefetch(T.address_of(C[i_tile * T.int64(4) + row, j_0 * T.int64(8) + T.int64(7)]), 1, 2))
                    for j_1_tile, row_tile in T.grid(T.int64(2), T.int64(1)):
                        if i_tile * T.int64(4) + (row_tile * T.int64(4) + T.int64(3)) < m and j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(3)) < n:
                            row: T.float32x4 = A[j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(0)), T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4)]
                            row_1: T.float32x4 = A[j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(1)), T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4)]
                            row_2: T.float32x4 = A[j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(2)), T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4)]
                            row_3: T.float32x4 = A[j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(3)), T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4)]
                            shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                            shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                            shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                            shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                            shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                            shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                            shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                            shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                            A_transposed[row_tile * T.int64(4) + T.int64(0), T.Ramp(j_1_tile * T.int64(4), T.int64(1), 4)] = shuffled_4
                            A_transposed[row_tile * T.int64(4) + T.int64(1), T.Ramp(j_1_tile * T.int64(4), T.int64(1), 4)] = shuffled_5
                            A_transposed[row_tile * T.int64(4) + T.int64(2), T.Ramp(j_1_tile * T.int64(4), T.int64(1), 4)] = shuffled_6
                            A_transposed[row_tile * T.int64(4) + T.int64(3), T.Ramp(j_1_tile * T.int64(4), T.int64(1), 4)] = shuffled_7
                        else:
                            row: T.float32x4 = T.if_then_else(j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(0)) < n, A.vload([j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(0)), T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4)], predicate=T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(m, 4)), T.Broadcast(T.float32(0.0), 4))
                            row_1: T.float32x4 = T.if_then_else(j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(1)) < n, A.vload([j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(1)), T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4)], predicate=T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(m, 4)), T.Broadcast(T.float32(0.0), 4))
                            row_2: T.float32x4 = T.if_then_else(j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(2)) < n, A.vload([j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(2)), T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4)], predicate=T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(m, 4)), T.Broadcast(T.float32(0.0), 4))
                            row_3: T.float32x4 = T.if_then_else(j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(3)) < n, A.vload([j_0 * T.int64(8) + (j_1_tile * T.int64(4) + T.int64(3)), T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4)], predicate=T.Ramp(i_tile * T.int64(4) + row_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(m, 4)), T.Broadcast(T.float32(0.0), 4))
                            shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                            shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                            shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                            shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                            shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                            shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                            shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                            shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                            if i_tile * T.int64(4) + (row_tile * T.int64(4) + T.int64(0)) < m:
                                A_transposed.vstore([row_tile * T.int64(4) + T.int64(0), T.Ramp(j_1_tile * T.int64(4), T.int64(1), 4)], shuffled_4, predicate=T.Ramp(j_0 * T.int64(8) + j_1_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(n, 4))
                            if i_tile * T.int64(4) + (row_tile * T.int64(4) + T.int64(1)) < m:
                                A_transposed.vstore([row_tile * T.int64(4) + T.int64(1), T.Ramp(j_1_tile * T.int64(4), T.int64(1), 4)], shuffled_5, predicate=T.Ramp(j_0 * T.int64(8) + j_1_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(n, 4))
                            if i_tile * T.int64(4) + (row_tile * T.int64(4) + T.int64(2)) < m:
                                A_transposed.vstore([row_tile * T.int64(4) + T.int64(2), T.Ramp(j_1_tile * T.int64(4), T.int64(1), 4)], shuffled_6, predicate=T.Ramp(j_0 * T.int64(8) + j_1_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(n, 4))
                            if i_tile * T.int64(4) + (row_tile * T.int64(4) + T.int64(3)) < m:
                                A_transposed.vstore([row_tile * T.int64(4) + T.int64(3), T.Ramp(j_1_tile * T.int64(4), T.int64(1), 4)], shuffled_7, predicate=T.Ramp(j_0 * T.int64(8) + j_1_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(n, 4))
                    for row in range(T.int64(4)):
                        if i_tile * T.int64(4) + row < m:
                            for at in range(T.int64(2)):
                                T.evaluate(T.prefetch(T.address_of(A[j_0 * T.int64(8) + (row * T.int64(2) + at) // T.int64(1), i_tile * T.int64(4) + (row * T.int64(2) + at) % T.int64(1) * T.int64(16) + T.int64(19)]), 0, 2))
                            for j_1 in T.vectorized(T.min(T.int64(8), n - (j_0 * T.int64(8) + T.int64(0)))):
                                C[i_tile * T.int64(4) + row, j_0 * T.int64(8) + j_1] = A_transposed[row, j_1] + B[i_tile * T.int64(4) + row, j_0 * T.int64(8) + j_1] * A_transposed[row, j_1]
