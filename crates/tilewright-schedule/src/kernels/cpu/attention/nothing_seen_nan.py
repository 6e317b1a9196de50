# A query that sees no key gets NaN where the sum of such a row is replaced, but not the maximum.
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
                S[vi] = S[vi] + T.exp(T.Select(A[vi, vj] == T.int8(0), T.float32("-inf"), P[vi, vj]) - M[vi])
        for i, w, j in T.grid(7, 5, 13):
            with T.block("X"):
                vi, vw, vj = T.axis.remap("SSR", [i, w, j])
                with T.init():
                    X[vi, vw] = T.float32(0)
                X[vi, vw] = X[vi, vw] + T.exp(T.Select(A[vi, vj] == T.int8(0), T.float32("-inf"), P[vi, vj]) - M[vi]) / T.Select(S[vi] == T.float32(0), T.float32(1), S[vi]) * V[vj, vw]

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
                mixed = T.alloc_buffer((5, 4), align=64)
                best = T.alloc_buffer((4,), align=64)
                total = T.alloc_buffer((4,), align=64)
                correction = T.alloc_buffer((4,), align=64)
                reference = T.alloc_buffer((4,), align=64)
                rows = T.alloc_buffer((4, 8), align=64)
                unseen = T.alloc_buffer((5,), align=64)
                mixed_tile = T.alloc_buffer((4, 4), scope="local", align=64)
                tile = T.alloc_buffer((4, 4), scope="local", align=64)
                sums = T.alloc_buffer((4,), scope="local", align=64)
                columns = T.alloc_buffer((5,), scope="local", align=64)
                query_block: T.int32 = task
                seen: T.int32 = T.max(T.min(query_block * 4 + 1, 4), 0)
                for i_tile, d_tile in T.grid(1, 1):
                    if query_block * 4 + (i_tile * 4 + 3) < 7:
                        row: T.float32x4 = Q[query_block * 4 + (i_tile * 4 + 0), T.Ramp(d_tile * 4, 1, 4)]
                        row_1: T.float32x4 = Q[query_block * 4 + (i_tile * 4 + 1), T.Ramp(d_tile * 4, 1, 4)]
                        row_2: T.float32x4 = Q[query_block * 4 + (i_tile * 4 + 2), T.Ramp(d_tile * 4, 1, 4)]
                        row_3: T.float32x4 = Q[query_block * 4 + (i_tile * 4 + 3), T.Ramp(d_tile * 4, 1, 4)]
                        mixed_1: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                        mixed_2: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                        mixed_3: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                        mixed_4: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                        mixed_5: T.float32x4 = T.Shuffle([mixed_1, mixed_3], [0, 1, 4, 5])
                        mixed_6: T.float32x4 = T.Shuffle([mixed_1, mixed_3], [2, 3, 6, 7])
                        mixed_7: T.float32x4 = T.Shuffle([mixed_2, mixed_4], [0, 1, 4, 5])
                        mixed_8: T.float32x4 = T.Shuffle([mixed_2, mixed_4], [2, 3, 6, 7])
                        queries[d_tile * 4 + 0, T.Ramp(i_tile * 4, 1, 4)] = mixed_5
                        queries[d_tile * 4 + 1, T.Ramp(i_tile * 4, 1, 4)] = mixed_6
                        queries[d_tile * 4 + 2, T.Ramp(i_tile * 4, 1, 4)] = mixed_7
                        queries[d_tile * 4 + 3, T.Ramp(i_tile * 4, 1, 4)] = mixed_8
                    else:
                        row: T.float32x4 = T.if_then_else(query_block * 4 + (i_tile * 4 + 0) < 7, Q[query_block * 4 + (i_tile * 4 + 0), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                        row_1: T.float32x4 = T.if_then_else(query_block * 4 + (i_tile * 4 + 1) < 7, Q[query_block * 4 + (i_tile * 4 + 1), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                        row_2: T.float32x4 = T.if_then_else(query_block * 4 + (i_tile * 4 + 2) < 7, Q[query_block * 4 + (i_tile * 4 + 2), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                        row_3: T.float32x4 = T.if_then_else(query_block * 4 + (i_tile * 4 + 3) < 7, Q[query_block * 4 + (i_tile * 4 + 3), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                        mixed_1: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                        mixed_2: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                        mixed_3: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                        mixed_4: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                        mixed_5: T.float32x4 = T.Shuffle([mixed_1, mixed_3], [0, 1, 4, 5])
                        mixed_6: T.float32x4 = T.Shuffle([mixed_1, mixed_3], [2, 3, 6, 7])
                        mixed_7: T.float32x4 = T.Shuffle([mixed_2, mixed_4], [0, 1, 4, 5])
                        mixed_8: T.float32x4 = T.Shuffle([mixed_2, mixed_4], [2, 3, 6, 7])
                        queries[d_tile * 4 + 0, T.Ramp(i_tile * 4, 1, 4)] = mixed_5
                        queries[d_tile * 4 + 1, T.Ramp(i_tile * 4, 1, 4)] = mixed_6
                        queries[d_tile * 4 + 2, T.Ramp(i_tile * 4, 1, 4)] = mixed_7
                        queries[d_tile * 4 + 3, T.Ramp(i_tile * 4, 1, 4)] = mixed_8
                for i in T.vectorized(4):
                    best[i] = T.float32("-inf")
                for i in T.vectorized(4):
                    total[i] = T.float32(0.0)
                for w in T.unroll(1):
                    for c in T.vectorized(4):
                        columns[w * 4 + c] = T.float32(0.0)
                for c in T.vectorized(1):
                    columns[4 + c] = T.float32(0.0)
                for j in range(13 - seen):
                    for w in T.unroll(1):
                        for c in T.vectorized(4):
                            columns[w * 4 + c] = columns[w * 4 + c] + T.float32(0.0) * V[seen + j, 0 + (w * 4 + c)]
                    for c in T.vectorized(1):
                        columns[4 + c] = columns[4 + c] + T.float32(0.0) * V[seen + j, 0 + (4 + c)]
                for w in T.unroll(1):
                    for c in T.vectorized(4):
                        unseen[0 + (w * 4 + c)] = columns[w * 4 + c]
                for c in T.vectorized(1):
                    unseen[0 + (4 + c)] = columns[4 + c]
                for w in range(5):
                    for i in T.vectorized(4):
                        mixed[w, i] = unseen[w]
                for key_block in range((seen + 7) // 8):
                    first_key: T.int32 = key_block * 8
                    keys: T.int32 = T.min(seen - first_key, 8)
                    for tile_1 in range((keys + 3) // 4):
                        for r in T.unroll(4):
                            for i in T.vectorized(4):
                                tile[r, i] = T.float32(0.0)
                        for d in range(4):
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    tile[r, i] = tile[r, i] + K[T.min(first_key + (tile_1 * 4 + r), T.Sub(13, 1)), d] * queries[d, i]
                        for r in T.unroll(4):
                            for i in T.vectorized(4):
                                scores[tile_1 * 4 + r, i] = T.Select(T.Select(T.min(first_key + (tile_1 * 4 + r), T.Sub(13, 1)) < T.min(query_block * 4 + i, T.Sub(7, 1)) - 2, T.int8(1), T.int8(0)) == T.int8(0), T.float32("-inf"), tile[r, i])
                    for i in T.vectorized(4):
                        sums[i] = best[i]
                    for j in range(keys):
                        for i in T.vectorized(4):
                            sums[i] = T.Select(scores[j, i] > sums[i], scores[j, i], sums[i])
                    for i in T.vectorized(4):
                        reference[i] = T.Select(sums[i] == T.float32("-inf"), T.float32(0.0), sums[i])
                    for i in T.vectorized(4):
                        correction[i] = T.exp(best[i] - reference[i])
                    for i in T.vectorized(4):
                        best[i] = sums[i]
                    for i in T.vectorized(4):
                        sums[i] = T.float32(0.0)
                    for j in range(keys):
                        for i in T.vectorized(4):
                            scores[j, i] = T.Select(scores[j, i] - reference[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores[j, i] - reference[i] < T.float32(-87.33), T.float32(-87.33), scores[j, i] - reference[i])))
                        for i in T.vectorized(4):
                            sums[i] = sums[i] + scores[j, i]
                    for i in T.vectorized(4):
                        total[i] = total[i] * correction[i] + sums[i]
                    for columns_1 in range(1):
                        for r in T.unroll(4):
                            for i in T.vectorized(4):
                                mixed_tile[r, i] = T.float32(0.0)
                        for j in range(keys):
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    mixed_tile[r, i] = mixed_tile[r, i] + V[T.min(first_key + j, T.Sub(13, 1)), columns_1 * 4 + r] * scores[j, i]
                        for r in T.unroll(4):
                            for i in T.vectorized(4):
                                mixed[columns_1 * 4 + r, i] = mixed[columns_1 * 4 + r, i] * correction[i] + mixed_tile[r, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(4):
                            mixed_tile[r, i] = T.float32(0.0)
                    for j in range(keys):
                        for r in T.unroll(1):
                            for i in T.vectorized(4):
                                mixed_tile[r, i] = mixed_tile[r, i] + V[T.min(first_key + j, T.Sub(13, 1)), 4 + r] * scores[j, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(4):
                            mixed[4 + r, i] = mixed[4 + r, i] * correction[i] + mixed_tile[r, i]
                for vector in range(1):
                    for w_tile, i_tile in T.grid(2, 1):
                        if w_tile * 4 + 3 < 5:
                            row: T.float32x4 = mixed[w_tile * 4 + 0, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                            row_1: T.float32x4 = mixed[w_tile * 4 + 1, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                            row_2: T.float32x4 = mixed[w_tile * 4 + 2, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                            row_3: T.float32x4 = mixed[w_tile * 4 + 3, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                            mixed_1: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                            mixed_2: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                            mixed_3: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                            mixed_4: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                            mixed_5: T.float32x4 = T.Shuffle([mixed_1, mixed_3], [0, 1, 4, 5])
                            mixed_6: T.float32x4 = T.Shuffle([mixed_1, mixed_3], [2, 3, 6, 7])
                            mixed_7: T.float32x4 = T.Shuffle([mixed_2, mixed_4], [0, 1, 4, 5])
                            mixed_8: T.float32x4 = T.Shuffle([mixed_2, mixed_4], [2, 3, 6, 7])
                            rows[i_tile * 4 + 0, T.Ramp(w_tile * 4, 1, 4)] = mixed_5
                            rows[i_tile * 4 + 1, T.Ramp(w_tile * 4, 1, 4)] = mixed_6
                            rows[i_tile * 4 + 2, T.Ramp(w_tile * 4, 1, 4)] = mixed_7
                            rows[i_tile * 4 + 3, T.Ramp(w_tile * 4, 1, 4)] = mixed_8
                        else:
                            row: T.float32x4 = T.if_then_else(w_tile * 4 + 0 < 5, mixed[w_tile * 4 + 0, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_1: T.float32x4 = T.if_then_else(w_tile * 4 + 1 < 5, mixed[w_tile * 4 + 1, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_2: T.float32x4 = T.if_then_else(w_tile * 4 + 2 < 5, mixed[w_tile * 4 + 2, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_3: T.float32x4 = T.if_then_else(w_tile * 4 + 3 < 5, mixed[w_tile * 4 + 3, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            mixed_1: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                            mixed_2: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                            mixed_3: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                            mixed_4: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                            mixed_5: T.float32x4 = T.Shuffle([mixed_1, mixed_3], [0, 1, 4, 5])
                            mixed_6: T.float32x4 = T.Shuffle([mixed_1, mixed_3], [2, 3, 6, 7])
                            mixed_7: T.float32x4 = T.Shuffle([mixed_2, mixed_4], [0, 1, 4, 5])
                            mixed_8: T.float32x4 = T.Shuffle([mixed_2, mixed_4], [2, 3, 6, 7])
                            rows[i_tile * 4 + 0, T.Ramp(w_tile * 4, 1, 4)] = mixed_5
                            rows[i_tile * 4 + 1, T.Ramp(w_tile * 4, 1, 4)] = mixed_6
                            rows[i_tile * 4 + 2, T.Ramp(w_tile * 4, 1, 4)] = mixed_7
                            rows[i_tile * 4 + 3, T.Ramp(w_tile * 4, 1, 4)] = mixed_8
                    for i in range(4):
                        if query_block * 4 + vector * 4 + i < 7:
                            for column in range(1):
                                for c in T.vectorized(4):
                                    X[query_block * 4 + (vector * 4 + i), column * 4 + c] = T.Select(total[vector * 4 + i] == T.float32(0.0), T.float32("nan"), rows[i, column * 4 + c]) / T.Select(T.Select(total[vector * 4 + i] == T.float32(0.0), T.float32("nan"), total[vector * 4 + i]) == T.float32(0.0), T.float32(1.0), T.Select(total[vector * 4 + i] == T.float32(0.0), T.float32("nan"), total[vector * 4 + i]))
                            for c in T.vectorized(1):
                                X[query_block * 4 + (vector * 4 + i), 4 + c] = T.Select(total[vector * 4 + i] == T.float32(0.0), T.float32("nan"), rows[i, 4 + c]) / T.Select(T.Select(total[vector * 4 + i] == T.float32(0.0), T.float32("nan"), total[vector * 4 + i]) == T.float32(0.0), T.float32(1.0), T.Select(total[vector * 4 + i] == T.float32(0.0), T.float32("nan"), total[vector * 4 + i]))
