# A query all of whose keys are masked gets zeros where the maximum and the sum of such a row are replaced; the mask is true
# where a key is masked, a number for a bool. The last tile of keys is smaller.
# test: schedule
# step: p = get_block("P")
# step: flash_attention(p, 4, 1, 4, 8, 1)
# run: main tol=1e-4 == same
# run: main seed=7 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((7, 4), "float32"), K: T.Buffer((13, 4), "float32"), V: T.Buffer((13, 5), "float32"), X: T.Buffer((7, 5), "float32")):
        P = T.alloc_buffer((7, 13), "float32")
        A = T.alloc_buffer((7, 13), "int8")
        M = T.alloc_buffer((7,), "float32")
        S = T.alloc_buffer((7,), "float32")
        for i, j, d in T.grid(7, 13, 4):
            with T.block("P"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(7, 13):
            with T.block("A"):
                vi, vj = T.axis.remap("SS", [i, j])
                A[vi, vj] = T.Select(vj < vi - 2, T.int8(1), T.int8(0))
        for i, j in T.grid(7, 13):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32("-inf")
                M[vi] = T.max(M[vi], T.Select(A[vi, vj] == T.int8(0), T.float32("-inf"), P[vi, vj]))
        for i, j in T.grid(7, 13):
            with T.block("S"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + T.exp(T.Select(A[vi, vj] == T.int8(0), T.float32("-inf"), P[vi, vj]) - T.Select(M[vi] == T.float32("-inf"), T.float32(0), M[vi]))
        for i, w, j in T.grid(7, 5, 13):
            with T.block("X"):
                vi, vw, vj = T.axis.remap("SSR", [i, w, j])
                with T.init():
                    X[vi, vw] = T.float32(0)
                X[vi, vw] = X[vi, vw] + T.exp(T.Select(A[vi, vj] == T.int8(0), T.float32("-inf"), P[vi, vj]) - T.Select(M[vi] == T.float32("-inf"), T.float32(0), M[vi])) / T.Select(S[vi] == T.float32(0), T.float32(1), S[vi]) * V[vj, vw]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((7, 4), "float32"), K: T.Buffer((13, 4), "float32"), V: T.Buffer((13, 5), "float32"), X: T.Buffer((7, 5), "float32")):
        # with T.block("root"):
        for task in T.parallel(2):
            with T.block("P"):
                T.reads(Q[0:7, 0:4], K[0:13, 0:4], V[0:13, 0:5])
                T.writes(X[0:7, 0:5])
                queries = T.alloc_buffer((4, 4), align=64)
                scores = T.alloc_buffer((8, 4), align=64)
                weighted = T.alloc_buffer((5, 4), align=64)
                max = T.alloc_buffer((4,), align=64)
                weight_sum = T.alloc_buffer((4,), align=64)
                rescale = T.alloc_buffer((4,), align=64)
                shift = T.alloc_buffer((4,), align=64)
                rows = T.alloc_buffer((4, 8), align=64)
                masked_values = T.alloc_buffer((5,), align=64)
                weighted_tile = T.alloc_buffer((4, 4), scope="local", align=64)
                score_tile = T.alloc_buffer((4, 4), scope="local", align=64)
                sums = T.alloc_buffer((4,), scope="local", align=64)
                masked_columns = T.alloc_buffer((5,), scope="local", align=64)
                query_block: T.int32 = task
                key_end: T.int32 = T.max(T.min(query_block * 4 + 1, 4), 0)
                for i_tile, d_tile in T.grid(1, 1):
                    if query_block * 4 + (i_tile * 4 + 3) < 7:
                        row: T.float32x4 = Q[query_block * 4 + (i_tile * 4 + 0), T.Ramp(d_tile * 4, 1, 4)]
                        row_1: T.float32x4 = Q[query_block * 4 + (i_tile * 4 + 1), T.Ramp(d_tile * 4, 1, 4)]
                        row_2: T.float32x4 = Q[query_block * 4 + (i_tile * 4 + 2), T.Ramp(d_tile * 4, 1, 4)]
                        row_3: T.float32x4 = Q[query_block * 4 + (i_tile * 4 + 3), T.Ramp(d_tile * 4, 1, 4)]
                        shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                        shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                        shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                        shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                        shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                        shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                        shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                        shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                        queries[d_tile * 4 + 0, T.Ramp(i_tile * 4, 1, 4)] = shuffled_4
                        queries[d_tile * 4 + 1, T.Ramp(i_tile * 4, 1, 4)] = shuffled_5
                        queries[d_tile * 4 + 2, T.Ramp(i_tile * 4, 1, 4)] = shuffled_6
                        queries[d_tile * 4 + 3, T.Ramp(i_tile * 4, 1, 4)] = shuffled_7
                    else:
                        row: T.float32x4 = T.if_then_else(query_block * 4 + (i_tile * 4 + 0) < 7, Q[query_block * 4 + (i_tile * 4 + 0), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                        row_1: T.float32x4 = T.if_then_else(query_block * 4 + (i_tile * 4 + 1) < 7, Q[query_block * 4 + (i_tile * 4 + 1), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                        row_2: T.float32x4 = T.if_then_else(query_block * 4 + (i_tile * 4 + 2) < 7, Q[query_block * 4 + (i_tile * 4 + 2), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                        row_3: T.float32x4 = T.if_then_else(query_block * 4 + (i_tile * 4 + 3) < 7, Q[query_block * 4 + (i_tile * 4 + 3), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                        shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                        shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                        shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                        shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                        shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                        shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                        shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                        shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                        queries[d_tile * 4 + 0, T.Ramp(i_tile * 4, 1, 4)] = shuffled_4
                        queries[d_tile * 4 + 1, T.Ramp(i_tile * 4, 1, 4)] = shuffled_5
                        queries[d_tile * 4 + 2, T.Ramp(i_tile * 4, 1, 4)] = shuffled_6
                        queries[d_tile * 4 + 3, T.Ramp(i_tile * 4, 1, 4)] = shuffled_7
                for i in T.vectorized(4):
                    max[i] = T.float32("-inf")
                for i in T.vectorized(4):
                    weight_sum[i] = T.float32(0.0)
                for w in T.unroll(1):
                    for c in T.vectorized(4):
                        masked_columns[w * 4 + c] = T.float32(0.0)
                for c in T.vectorized(1):
                    masked_columns[4 + c] = T.float32(0.0)
                for j in range(13 - key_end):
                    for w in T.unroll(1):
                        for c in T.vectorized(4):
                            masked_columns[w * 4 + c] = masked_columns[w * 4 + c] + T.float32(0.0) * V[key_end + j, 0 + (w * 4 + c)]
                    for c in T.vectorized(1):
                        masked_columns[4 + c] = masked_columns[4 + c] + T.float32(0.0) * V[key_end + j, 0 + (4 + c)]
                for w in T.unroll(1):
                    for c in T.vectorized(4):
                        masked_values[0 + (w * 4 + c)] = masked_columns[w * 4 + c]
                for c in T.vectorized(1):
                    masked_values[0 + (4 + c)] = masked_columns[4 + c]
                for w in range(5):
                    for i in T.vectorized(4):
                        weighted[w, i] = masked_values[w]
                for key_block in range((key_end + 7) // 8):
                    key_start: T.int32 = key_block * 8
                    key_count: T.int32 = T.min(key_end - key_start, 8)
                    for tile in range((key_count + 3) // 4):
                        for r in T.unroll(4):
                            for i in T.vectorized(4):
                                score_tile[r, i] = T.float32(0.0)
                        for d in range(4):
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    score_tile[r, i] = score_tile[r, i] + K[T.min(key_start + (tile * 4 + r), T.Sub(13, 1)), d] * queries[d, i]
                        for r in T.unroll(4):
                            for i in T.vectorized(4):
                                scores[tile * 4 + r, i] = T.Select(T.Select(T.min(key_start + (tile * 4 + r), T.Sub(13, 1)) < T.min(query_block * 4 + i, T.Sub(7, 1)) - 2, T.int8(1), T.int8(0)) == T.int8(0), T.float32("-inf"), score_tile[r, i])
                    for i in T.vectorized(4):
                        sums[i] = max[i]
                    for j in range(key_count):
                        for i in T.vectorized(4):
                            sums[i] = T.Select(scores[j, i] > sums[i], scores[j, i], sums[i])
                    for i in T.vectorized(4):
                        shift[i] = T.Select(sums[i] == T.float32("-inf"), T.float32(0.0), sums[i])
                    for i in T.vectorized(4):
                        rescale[i] = T.exp(max[i] - shift[i])
                    for i in T.vectorized(4):
                        max[i] = sums[i]
                    for i in T.vectorized(4):
                        sums[i] = T.float32(0.0)
                    for j in range(key_count):
                        for i in T.vectorized(4):
                            scores[j, i] = T.Select(scores[j, i] - shift[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores[j, i] - shift[i] < T.float32(-87.33), T.float32(-87.33), scores[j, i] - shift[i])))
                        for i in T.vectorized(4):
                            sums[i] = sums[i] + scores[j, i]
                    for i in T.vectorized(4):
                        weight_sum[i] = weight_sum[i] * rescale[i] + sums[i]
                    for value_tile in range(1):
                        for r in T.unroll(4):
                            for i in T.vectorized(4):
                                weighted_tile[r, i] = T.float32(0.0)
                        for j in range(key_count):
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    weighted_tile[r, i] = weighted_tile[r, i] + V[T.min(key_start + j, T.Sub(13, 1)), value_tile * 4 + r] * scores[j, i]
                        for r in T.unroll(4):
                            for i in T.vectorized(4):
                                weighted[value_tile * 4 + r, i] = weighted[value_tile * 4 + r, i] * rescale[i] + weighted_tile[r, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(4):
                            weighted_tile[r, i] = T.float32(0.0)
                    for j in range(key_count):
                        for r in T.unroll(1):
                            for i in T.vectorized(4):
                                weighted_tile[r, i] = weighted_tile[r, i] + V[T.min(key_start + j, T.Sub(13, 1)), 4 + r] * scores[j, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(4):
                            weighted[4 + r, i] = weighted[4 + r, i] * rescale[i] + weighted_tile[r, i]
                for i in T.vectorized(4):
                    rescale[i] = T.float32(1.0) / T.Select(weight_sum[i] == T.float32(0.0), T.float32(1.0), weight_sum[i])
                for vector in range(1):
                    for w_tile, i_tile in T.grid(2, 1):
                        if w_tile * 4 + 3 < 5:
                            row: T.float32x4 = weighted[w_tile * 4 + 0, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                            row_1: T.float32x4 = weighted[w_tile * 4 + 1, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                            row_2: T.float32x4 = weighted[w_tile * 4 + 2, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                            row_3: T.float32x4 = weighted[w_tile * 4 + 3, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                            shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                            shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                            shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                            shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                            shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                            shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                            shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                            shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                            rows[i_tile * 4 + 0, T.Ramp(w_tile * 4, 1, 4)] = shuffled_4
                            rows[i_tile * 4 + 1, T.Ramp(w_tile * 4, 1, 4)] = shuffled_5
                            rows[i_tile * 4 + 2, T.Ramp(w_tile * 4, 1, 4)] = shuffled_6
                            rows[i_tile * 4 + 3, T.Ramp(w_tile * 4, 1, 4)] = shuffled_7
                        else:
                            row: T.float32x4 = T.if_then_else(w_tile * 4 + 0 < 5, weighted[w_tile * 4 + 0, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_1: T.float32x4 = T.if_then_else(w_tile * 4 + 1 < 5, weighted[w_tile * 4 + 1, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_2: T.float32x4 = T.if_then_else(w_tile * 4 + 2 < 5, weighted[w_tile * 4 + 2, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_3: T.float32x4 = T.if_then_else(w_tile * 4 + 3 < 5, weighted[w_tile * 4 + 3, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                            shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                            shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                            shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                            shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                            shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                            shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                            shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                            rows[i_tile * 4 + 0, T.Ramp(w_tile * 4, 1, 4)] = shuffled_4
                            rows[i_tile * 4 + 1, T.Ramp(w_tile * 4, 1, 4)] = shuffled_5
                            rows[i_tile * 4 + 2, T.Ramp(w_tile * 4, 1, 4)] = shuffled_6
                            rows[i_tile * 4 + 3, T.Ramp(w_tile * 4, 1, 4)] = shuffled_7
                    for i in range(4):
                        if query_block * 4 + vector * 4 + i < 7:
                            for column in range(1):
                                for c in T.vectorized(4):
                                    X[query_block * 4 + (vector * 4 + i), column * 4 + c] = rows[i, column * 4 + c] * rescale[vector * 4 + i]
                            for c in T.vectorized(1):
                                X[query_block * 4 + (vector * 4 + i), 4 + c] = rows[i, 4 + c] * rescale[vector * 4 + i]
