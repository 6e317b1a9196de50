# The result is a formula of the sums: NaN for a query all of whose keys are masked, and that of zeros where there are no keys.
# test: schedule
# step: p = get_block("P")
# step: flash_attention(p, 4, 2, 2, 8, 1)
# run: main n=0 == same
# run: main n=1 tol=1e-4 == same
# run: main n=9 tol=1e-4 == same
# run: main n=9 seed=7 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((T.int64(6), T.int64(4)), "float32"), k: T.handle, v: T.handle, Y: T.Buffer((T.int64(6), T.int64(5)), "float32")):
        n = T.int64()
        K = T.match_buffer(k, (n, T.int64(4)), "float32")
        V = T.match_buffer(v, (n, T.int64(5)), "float32")
        X = T.alloc_buffer((T.int64(6), T.int64(5)), "float32")
        P = T.alloc_buffer((T.int64(6), n), "float32")
        M = T.alloc_buffer((T.int64(6),), "float32")
        S = T.alloc_buffer((T.int64(6),), "float32")
        for i, j, d in T.grid(T.int64(6), n, T.int64(4)):
            with T.block("P"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i in range(T.int64(6)):
            with T.block("M_start"):
                vi = T.axis.spatial(T.int64(6), i)
                M[vi] = T.float32("-inf")
        for i, j in T.grid(T.int64(6), n):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                M[vi] = T.max(M[vi], T.Select(vj < vi - T.int64(2), P[vi, vj], T.float32("-inf")))
        for i in range(T.int64(6)):
            with T.block("S_start"):
                vi = T.axis.spatial(T.int64(6), i)
                S[vi] = T.float32(0)
        for i, j in T.grid(T.int64(6), n):
            with T.block("S"):
                vi, vj = T.axis.remap("SR", [i, j])
                S[vi] = S[vi] + T.exp(T.Select(vj < vi - T.int64(2), P[vi, vj], T.float32("-inf")) - M[vi])
        for i, w in T.grid(T.int64(6), T.int64(5)):
            with T.block("X_start"):
                vi, vw = T.axis.remap("SS", [i, w])
                X[vi, vw] = T.float32(0)
        for i, w, j in T.grid(T.int64(6), T.int64(5), n):
            with T.block("X"):
                vi, vw, vj = T.axis.remap("SSR", [i, w, j])
                X[vi, vw] = X[vi, vw] + T.exp(T.Select(vj < vi - T.int64(2), P[vi, vj], T.float32("-inf")) - M[vi]) * V[vj, vw]
        for i, w in T.grid(T.int64(6), T.int64(5)):
            with T.block("Y"):
                vi, vw = T.axis.remap("SS", [i, w])
                Y[vi, vw] = X[vi, vw] / T.max(S[vi], T.float32(0.5)) + S[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((T.int64(6), T.int64(4)), "float32"), k: T.handle, v: T.handle, Y: T.Buffer((T.int64(6), T.int64(5)), "float32")):
        n = T.int64()
        K = T.match_buffer(k, (n, T.int64(4)), "float32")
        V = T.match_buffer(v, (n, T.int64(5)), "float32")
        # with T.block("root"):
        for task in T.parallel(T.int64(1)):
            with T.block("P"):
                T.reads(Q[T.int64(0):T.int64(6), T.int64(0):T.int64(4)], K[T.int64(0):n, T.int64(0):T.int64(4)], V[T.int64(0):n, T.int64(0):T.int64(5)])
                T.writes(Y[T.int64(0):T.int64(6), T.int64(0):T.int64(5)])
                queries = T.alloc_buffer((T.int64(4), T.int64(8)), align=64)
                scores = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                weighted = T.alloc_buffer((T.int64(5), T.int64(8)), align=64)
                max = T.alloc_buffer((T.int64(8),), align=64)
                weight_sum = T.alloc_buffer((T.int64(8),), align=64)
                rescale = T.alloc_buffer((T.int64(8),), align=64)
                shift = T.alloc_buffer((T.int64(8),), align=64)
                rows = T.alloc_buffer((T.int64(4), T.int64(8)), align=64)
                masked_values = T.alloc_buffer((T.int64(5),), align=64)
                weighted_tile = T.alloc_buffer((T.int64(2), T.int64(8)), scope="local", align=64)
                score_tile = T.alloc_buffer((T.int64(2), T.int64(8)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                masked_columns = T.alloc_buffer((T.int64(5),), scope="local", align=64)
                query_block: T.int64 = T.int64(0)
                key_end: T.int64 = T.max(T.min(T.min(query_block * T.int64(8) + T.int64(5), T.int64(3)), n), T.int64(0))
                for i_tile, d_tile in T.grid(T.int64(2), T.int64(1)):
                    if query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(3)) < T.int64(6):
                        row: T.float32x4 = Q[query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(0)), T.Ramp(d_tile * T.int64(4), T.int64(1), 4)]
                        row_1: T.float32x4 = Q[query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(1)), T.Ramp(d_tile * T.int64(4), T.int64(1), 4)]
                        row_2: T.float32x4 = Q[query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(2)), T.Ramp(d_tile * T.int64(4), T.int64(1), 4)]
                        row_3: T.float32x4 = Q[query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(3)), T.Ramp(d_tile * T.int64(4), T.int64(1), 4)]
                        shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                        shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                        shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                        shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                        shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                        shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                        shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                        shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                        queries[d_tile * T.int64(4) + T.int64(0), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)] = shuffled_4
                        queries[d_tile * T.int64(4) + T.int64(1), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)] = shuffled_5
                        queries[d_tile * T.int64(4) + T.int64(2), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)] = shuffled_6
                        queries[d_tile * T.int64(4) + T.int64(3), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)] = shuffled_7
                    else:
                        row: T.float32x4 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(0)) < T.int64(6), Q[query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(0)), T.Ramp(d_tile * T.int64(4), T.int64(1), 4)], T.Broadcast(T.float32(0.0), 4))
                        row_1: T.float32x4 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(1)) < T.int64(6), Q[query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(1)), T.Ramp(d_tile * T.int64(4), T.int64(1), 4)], T.Broadcast(T.float32(0.0), 4))
                        row_2: T.float32x4 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(2)) < T.int64(6), Q[query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(2)), T.Ramp(d_tile * T.int64(4), T.int64(1), 4)], T.Broadcast(T.float32(0.0), 4))
                        row_3: T.float32x4 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(3)) < T.int64(6), Q[query_block * T.int64(8) + (i_tile * T.int64(4) + T.int64(3)), T.Ramp(d_tile * T.int64(4), T.int64(1), 4)], T.Broadcast(T.float32(0.0), 4))
                        shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                        shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                        shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                        shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                        shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                        shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                        shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                        shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                        queries[d_tile * T.int64(4) + T.int64(0), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)] = shuffled_4
                        queries[d_tile * T.int64(4) + T.int64(1), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)] = shuffled_5
                        queries[d_tile * T.int64(4) + T.int64(2), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)] = shuffled_6
                        queries[d_tile * T.int64(4) + T.int64(3), T.Ramp(i_tile * T.int64(4), T.int64(1), 4)] = shuffled_7
                for v_1 in T.unroll(T.int64(2)):
                    for i in T.vectorized(T.int64(4)):
                        max[v_1 * T.int64(4) + i] = T.float32("-inf")
                for v_1 in T.unroll(T.int64(2)):
                    for i in T.vectorized(T.int64(4)):
                        weight_sum[v_1 * T.int64(4) + i] = T.float32(0.0)
                for w in T.unroll(T.int64(1)):
                    for c in T.vectorized(T.int64(4)):
                        masked_columns[w * T.int64(4) + c] = T.float32(0.0)
                for c in T.vectorized(T.int64(1)):
                    masked_columns[T.int64(4) + c] = T.float32(0.0)
                for j in range(n - key_end):
                    for w in T.unroll(T.int64(1)):
                        for c in T.vectorized(T.int64(4)):
                            masked_columns[w * T.int64(4) + c] = masked_columns[w * T.int64(4) + c] + T.float32(0.0) * V[key_end + j, T.int64(0) + (w * T.int64(4) + c)]
                    for c in T.vectorized(T.int64(1)):
                        masked_columns[T.int64(4) + c] = masked_columns[T.int64(4) + c] + T.float32(0.0) * V[key_end + j, T.int64(0) + (T.int64(4) + c)]
                for w in T.unroll(T.int64(1)):
                    for c in T.vectorized(T.int64(4)):
                        masked_values[T.int64(0) + (w * T.int64(4) + c)] = masked_columns[w * T.int64(4) + c]
                for c in T.vectorized(T.int64(1)):
                    masked_values[T.int64(0) + (T.int64(4) + c)] = masked_columns[T.int64(4) + c]
                for w in range(T.int64(5)):
                    for v_1 in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(4)):
                            weighted[w, v_1 * T.int64(4) + i] = masked_values[w]
                for key_block in range((key_end + T.int64(7)) // T.int64(8)):
                    key_start: T.int64 = key_block * T.int64(8)
                    key_count: T.int64 = T.min(key_end - key_start, T.int64(8))
                    for tile in range((key_count + T.int64(1)) // T.int64(2)):
                        for r in T.unroll(T.int64(2)):
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(4)):
                                    score_tile[r, v_1 * T.int64(4) + i] = T.float32(0.0)
                        for d in range(T.int64(4)):
                            for r in T.unroll(T.int64(2)):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(4)):
                                        score_tile[r, v_1 * T.int64(4) + i] = score_tile[r, v_1 * T.int64(4) + i] + K[T.min(key_start + (tile * T.int64(2) + r), n - T.int64(1)), d] * queries[d, v_1 * T.int64(4) + i]
                        for r in T.unroll(T.int64(2)):
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(4)):
                                    scores[tile * T.int64(2) + r, v_1 * T.int64(4) + i] = T.Select(T.min(key_start + (tile * T.int64(2) + r), n - T.int64(1)) < T.min(query_block * T.int64(8) + (v_1 * T.int64(4) + i), T.Sub(T.int64(6), T.int64(1))) - T.int64(2), score_tile[r, v_1 * T.int64(4) + i], T.float32("-inf"))
                    for v_1 in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(4)):
                            sums[v_1 * T.int64(4) + i] = max[v_1 * T.int64(4) + i]
                    for j in range(key_count):
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(4)):
                                sums[v_1 * T.int64(4) + i] = T.Select(scores[j, v_1 * T.int64(4) + i] > sums[v_1 * T.int64(4) + i], scores[j, v_1 * T.int64(4) + i], sums[v_1 * T.int64(4) + i])
                    for v_1 in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(4)):
                            shift[v_1 * T.int64(4) + i] = T.Select(sums[v_1 * T.int64(4) + i] == T.float32("-inf"), T.float32(0.0), sums[v_1 * T.int64(4) + i])
                    for v_1 in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(4)):
                            rescale[v_1 * T.int64(4) + i] = T.exp(max[v_1 * T.int64(4) + i] - shift[v_1 * T.int64(4) + i])
                    for v_1 in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(4)):
                            max[v_1 * T.int64(4) + i] = sums[v_1 * T.int64(4) + i]
                    for v_1 in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(4)):
                            sums[v_1 * T.int64(4) + i] = T.float32(0.0)
                    for j in range(key_count):
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(4)):
                                scores[j, v_1 * T.int64(4) + i] = T.Select(scores[j, v_1 * T.int64(4) + i] - shift[v_1 * T.int64(4) + i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores[j, v_1 * T.int64(4) + i] - shift[v_1 * T.int64(4) + i] < T.float32(-87.33), T.float32(-87.33), scores[j, v_1 * T.int64(4) + i] - shift[v_1 * T.int64(4) + i])))
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(4)):
                                sums[v_1 * T.int64(4) + i] = sums[v_1 * T.int64(4) + i] + scores[j, v_1 * T.int64(4) + i]
                    for v_1 in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(4)):
                            weight_sum[v_1 * T.int64(4) + i] = weight_sum[v_1 * T.int64(4) + i] * rescale[v_1 * T.int64(4) + i] + sums[v_1 * T.int64(4) + i]
                    for value_tile in range(T.int64(2)):
                        for r in T.unroll(T.int64(2)):
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(4)):
                                    weighted_tile[r, v_1 * T.int64(4) + i] = T.float32(0.0)
                        for j in range(key_count):
                            for r in T.unroll(T.int64(2)):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(4)):
                                        weighted_tile[r, v_1 * T.int64(4) + i] = weighted_tile[r, v_1 * T.int64(4) + i] + V[T.min(key_start + j, n - T.int64(1)), value_tile * T.int64(2) + r] * scores[j, v_1 * T.int64(4) + i]
                        for r in T.unroll(T.int64(2)):
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(4)):
                                    weighted[value_tile * T.int64(2) + r, v_1 * T.int64(4) + i] = weighted[value_tile * T.int64(2) + r, v_1 * T.int64(4) + i] * rescale[v_1 * T.int64(4) + i] + weighted_tile[r, v_1 * T.int64(4) + i]
                    for r in T.unroll(T.int64(1)):
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(4)):
                                weighted_tile[r, v_1 * T.int64(4) + i] = T.float32(0.0)
                    for j in range(key_count):
                        for r in T.unroll(T.int64(1)):
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(4)):
                                    weighted_tile[r, v_1 * T.int64(4) + i] = weighted_tile[r, v_1 * T.int64(4) + i] + V[T.min(key_start + j, n - T.int64(1)), T.int64(4) + r] * scores[j, v_1 * T.int64(4) + i]
                    for r in T.unroll(T.int64(1)):
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(4)):
                                weighted[T.int64(4) + r, v_1 * T.int64(4) + i] = weighted[T.int64(4) + r, v_1 * T.int64(4) + i] * rescale[v_1 * T.int64(4) + i] + weighted_tile[r, v_1 * T.int64(4) + i]
                for vector in range(T.int64(2)):
                    for w_tile, i_tile in T.grid(T.int64(2), T.int64(1)):
                        if w_tile * T.int64(4) + T.int64(3) < T.int64(5):
                            row: T.float32x4 = weighted[w_tile * T.int64(4) + T.int64(0), T.Ramp(vector * T.int64(4) + i_tile * T.int64(4), T.int64(1), 4)]
                            row_1: T.float32x4 = weighted[w_tile * T.int64(4) + T.int64(1), T.Ramp(vector * T.int64(4) + i_tile * T.int64(4), T.int64(1), 4)]
                            row_2: T.float32x4 = weighted[w_tile * T.int64(4) + T.int64(2), T.Ramp(vector * T.int64(4) + i_tile * T.int64(4), T.int64(1), 4)]
                            row_3: T.float32x4 = weighted[w_tile * T.int64(4) + T.int64(3), T.Ramp(vector * T.int64(4) + i_tile * T.int64(4), T.int64(1), 4)]
                            shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                            shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                            shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                            shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                            shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                            shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                            shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                            shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                            rows[i_tile * T.int64(4) + T.int64(0), T.Ramp(w_tile * T.int64(4), T.int64(1), 4)] = shuffled_4
                            rows[i_tile * T.int64(4) + T.int64(1), T.Ramp(w_tile * T.int64(4), T.int64(1), 4)] = shuffled_5
                            rows[i_tile * T.int64(4) + T.int64(2), T.Ramp(w_tile * T.int64(4), T.int64(1), 4)] = shuffled_6
                            rows[i_tile * T.int64(4) + T.int64(3), T.Ramp(w_tile * T.int64(4), T.int64(1), 4)] = shuffled_7
                        else:
                            row: T.float32x4 = T.if_then_else(w_tile * T.int64(4) + T.int64(0) < T.int64(5), weighted[w_tile * T.int64(4) + T.int64(0), T.Ramp(vector * T.int64(4) + i_tile * T.int64(4), T.int64(1), 4)], T.Broadcast(T.float32(0.0), 4))
                            row_1: T.float32x4 = T.if_then_else(w_tile * T.int64(4) + T.int64(1) < T.int64(5), weighted[w_tile * T.int64(4) + T.int64(1), T.Ramp(vector * T.int64(4) + i_tile * T.int64(4), T.int64(1), 4)], T.Broadcast(T.float32(0.0), 4))
                            row_2: T.float32x4 = T.if_then_else(w_tile * T.int64(4) + T.int64(2) < T.int64(5), weighted[w_tile * T.int64(4) + T.int64(2), T.Ramp(vector * T.int64(4) + i_tile * T.int64(4), T.int64(1), 4)], T.Broadcast(T.float32(0.0), 4))
                            row_3: T.float32x4 = T.if_then_else(w_tile * T.int64(4) + T.int64(3) < T.int64(5), weighted[w_tile * T.int64(4) + T.int64(3), T.Ramp(vector * T.int64(4) + i_tile * T.int64(4), T.int64(1), 4)], T.Broadcast(T.float32(0.0), 4))
                            shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                            shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                            shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                            shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                            shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                            shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                            shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                            shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                            rows[i_tile * T.int64(4) + T.int64(0), T.Ramp(w_tile * T.int64(4), T.int64(1), 4)] = shuffled_4
                            rows[i_tile * T.int64(4) + T.int64(1), T.Ramp(w_tile * T.int64(4), T.int64(1), 4)] = shuffled_5
                            rows[i_tile * T.int64(4) + T.int64(2), T.Ramp(w_tile * T.int64(4), T.int64(1), 4)] = shuffled_6
                            rows[i_tile * T.int64(4) + T.int64(3), T.Ramp(w_tile * T.int64(4), T.int64(1), 4)] = shuffled_7
                    for i in range(T.int64(4)):
                        if query_block * T.int64(8) + vector * T.int64(4) + i < T.int64(6):
                            for column in range(T.int64(1)):
                                for c in T.vectorized(T.int64(4)):
                                    Y[query_block * T.int64(8) + (vector * T.int64(4) + i), column * T.int64(4) + c] = T.Select(n == T.int64(0), rows[i, column * T.int64(4) + c], T.Select(weight_sum[vector * T.int64(4) + i] == T.float32(0.0), T.float32("nan"), rows[i, column * T.int64(4) + c])) / T.max(T.Select(n == T.int64(0), weight_sum[vector * T.int64(4) + i], T.Select(weight_sum[vector * T.int64(4) + i] == T.float32(0.0), T.float32("nan"), weight_sum[vector * T.int64(4) + i])), T.float32(0.5)) + T.Select(n == T.int64(0), weight_sum[vector * T.int64(4) + i], T.Select(weight_sum[vector * T.int64(4) + i] == T.float32(0.0), T.float32("nan"), weight_sum[vector * T.int64(4) + i]))
                            for c in T.vectorized(T.int64(1)):
                                Y[query_block * T.int64(8) + (vector * T.int64(4) + i), T.int64(4) + c] = T.Select(n == T.int64(0), rows[i, T.int64(4) + c], T.Select(weight_sum[vector * T.int64(4) + i] == T.float32(0.0), T.float32("nan"), rows[i, T.int64(4) + c])) / T.max(T.Select(n == T.int64(0), weight_sum[vector * T.int64(4) + i], T.Select(weight_sum[vector * T.int64(4) + i] == T.float32(0.0), T.float32("nan"), weight_sum[vector * T.int64(4) + i])), T.float32(0.5)) + T.Select(n == T.int64(0), weight_sum[vector * T.int64(4) + i], T.Select(weight_sum[vector * T.int64(4) + i] == T.float32(0.0), T.float32("nan"), weight_sum[vector * T.int64(4) + i]))
