# Tiles of four by four; those at the ends of both loops have masks.
# test: schedule
# step: b = get_block("B")
# step: vectorize_transpose(b, 4)
# run: main n=8 m=12 == same
# run: main n=7 m=5 == same
# run: main n=1 m=9 == same
# run: main n=0 m=4 == same
# run: main n=16 m=1 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_A: T.handle, var_B: T.handle):
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(var_A, (n, m), "float32")
        B = T.match_buffer(var_B, (m, n), "float32")
        for i, j in T.grid(m, n):
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
        n = T.int64()
        m = T.int64()
        A = T.match_buffer(var_A, (n, m), "float32")
        B = T.match_buffer(var_B, (m, n), "float32")
        # with T.block("root"):
        with T.block("B"):
            T.reads(A[T.int64(0):n, T.int64(0):m])
            T.writes(B[T.int64(0):m, T.int64(0):n])
            for i_tile, j_tile in T.grid((m + T.int64(3)) // T.int64(4), (n + T.int64(3)) // T.int64(4)):
                if i_tile * T.int64(4) + T.int64(3) < m and j_tile * T.int64(4) + T.int64(3) < n:
                    row: T.float32x4 = A[j_tile * T.int64(4) + T.int64(0), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)]
                    row_1: T.float32x4 = A[j_tile * T.int64(4) + T.int64(1), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)]
                    row_2: T.float32x4 = A[j_tile * T.int64(4) + T.int64(2), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)]
                    row_3: T.float32x4 = A[j_tile * T.int64(4) + T.int64(3), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)]
                    shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                    shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                    shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                    shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                    shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                    shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                    shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                    shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                    B[i_tile * T.int64(4) + T.int64(0), T.Ramp(j_tile * T.int64(4), T.int64(1), 4)] = shuffled_4
                    B[i_tile * T.int64(4) + T.int64(1), T.Ramp(j_tile * T.int64(4), T.int64(1), 4)] = shuffled_5
                    B[i_tile * T.int64(4) + T.int64(2), T.Ramp(j_tile * T.int64(4), T.int64(1), 4)] = shuffled_6
                    B[i_tile * T.int64(4) + T.int64(3), T.Ramp(j_tile * T.int64(4), T.int64(1), 4)] = shuffled_7
                else:
                    row: T.float32x4 = T.if_then_else(j_tile * T.int64(4) + T.int64(0) < n, A.vload([j_tile * T.int64(4) + T.int64(0), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)], predicate=T.Ramp(i_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(m, 4)), T.Broadcast(T.float32(0.0), 4))
                    row_1: T.float32x4 = T.if_then_else(j_tile * T.int64(4) + T.int64(1) < n, A.vload([j_tile * T.int64(4) + T.int64(1), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)], predicate=T.Ramp(i_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(m, 4)), T.Broadcast(T.float32(0.0), 4))
                    row_2: T.float32x4 = T.if_then_else(j_tile * T.int64(4) + T.int64(2) < n, A.vload([j_tile * T.int64(4) + T.int64(2), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)], predicate=T.Ramp(i_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(m, 4)), T.Broadcast(T.float32(0.0), 4))
                    row_3: T.float32x4 = T.if_then_else(j_tile * T.int64(4) + T.int64(3) < n, A.vload([j_tile * T.int64(4) + T.int64(3), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)], predicate=T.Ramp(i_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(m, 4)), T.Broadcast(T.float32(0.0), 4))
                    shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                    shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                    shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                    shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                    shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                    shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                    shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                    shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                    if i_tile * T.int64(4) + T.int64(0) < m:
                        B.vstore([i_tile * T.int64(4) + T.int64(0), T.Ramp(j_tile * T.int64(4), T.int64(1), 4)], shuffled_4, predicate=T.Ramp(j_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(n, 4))
                    if i_tile * T.int64(4) + T.int64(1) < m:
                        B.vstore([i_tile * T.int64(4) + T.int64(1), T.Ramp(j_tile * T.int64(4), T.int64(1), 4)], shuffled_5, predicate=T.Ramp(j_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(n, 4))
                    if i_tile * T.int64(4) + T.int64(2) < m:
                        B.vstore([i_tile * T.int64(4) + T.int64(2), T.Ramp(j_tile * T.int64(4), T.int64(1), 4)], shuffled_6, predicate=T.Ramp(j_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(n, 4))
                    if i_tile * T.int64(4) + T.int64(3) < m:
                        B.vstore([i_tile * T.int64(4) + T.int64(3), T.Ramp(j_tile * T.int64(4), T.int64(1), 4)], shuffled_7, predicate=T.Ramp(j_tile * T.int64(4), T.int64(1), 4) < T.Broadcast(n, 4))
