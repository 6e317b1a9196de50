# Sums that begin in their own block are not written where there is nothing to sum.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=0 == same
# run: main n=1 == same
# run: main n=9 tol=1e-4 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((T.int64(6), T.int64(4)), "float32"), k: T.handle, v: T.handle, X: T.Buffer((T.int64(6), T.int64(5)), "float32")):
        n = T.int64()
        K = T.match_buffer(k, (n, T.int64(4)), "float32")
        V = T.match_buffer(v, (n, T.int64(5)), "float32")
        P = T.alloc_buffer((T.int64(6), n), "float32")
        M = T.alloc_buffer((T.int64(6),), "float32")
        S = T.alloc_buffer((T.int64(6),), "float32")
        for i, j, d in T.grid(T.int64(6), n, T.int64(4)):
            with T.block("P"):
                vi, vj, vd = T.axis.remap("SSR", [i, j, d])
                with T.init():
                    P[vi, vj] = T.float32(0)
                P[vi, vj] = P[vi, vj] + Q[vi, vd] * K[vj, vd]
        for i, j in T.grid(T.int64(6), n):
            with T.block("M"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    M[vi] = T.float32("-inf")
                M[vi] = T.max(M[vi], P[vi, vj])
        for i, j in T.grid(T.int64(6), n):
            with T.block("S"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    S[vi] = T.float32(0)
                S[vi] = S[vi] + T.exp(P[vi, vj] - M[vi])
        for i, w, j in T.grid(T.int64(6), T.int64(5), n):
            with T.block("X"):
                vi, vw, vj = T.axis.remap("SSR", [i, w, j])
                with T.init():
                    X[vi, vw] = T.float32(0)
                X[vi, vw] = X[vi, vw] + T.exp(P[vi, vj] - M[vi]) / S[vi] * V[vj, vw]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((T.int64(6), T.int64(4)), "float32"), k: T.handle, v: T.handle, X: T.Buffer((T.int64(6), T.int64(5)), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        K = T.match_buffer(k, (n, T.int64(4)), "float32")
        V = T.match_buffer(v, (n, T.int64(5)), "float32")
        # with T.block("root"):
        for task in T.parallel(T.int64(1)):
            with T.block("P"):
                T.reads(Q[T.int64(0):T.int64(6), T.int64(0):T.int64(4)], K[T.int64(0):n, T.int64(0):T.int64(4)], V[T.int64(0):n, T.int64(0):T.int64(5)])
                T.writes(X[T.int64(0):T.int64(6), T.int64(0):T.int64(5)])
                queries = T.alloc_buffer((T.int64(4), T.int64(8)), align=64)
                scores = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                weighted = T.alloc_buffer((T.int64(5), T.int64(8)), align=64)
                max = T.alloc_buffer((T.int64(8),), align=64)
                weight_sum = T.alloc_buffer((T.int64(8),), align=64)
                rescale = T.alloc_buffer((T.int64(8),), align=64)
                shift = T.alloc_buffer((T.int64(8),), align=64)
                rows = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                weighted_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                score_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                query_block: T.int64 = T.int64(0)
                for i_tile, d_tile in T.grid(T.int64(1), T.int64(1)):
                    if d_tile * T.int64(8) + T.int64(7) < T.int64(4) and query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(7)) < T.int64(6):
                        row: T.float32x8 = Q[query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(0)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_1: T.float32x8 = Q[query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(1)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_2: T.float32x8 = Q[query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(2)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_3: T.float32x8 = Q[query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(3)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_4: T.float32x8 = Q[query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(4)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_5: T.float32x8 = Q[query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(5)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_6: T.float32x8 = Q[query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(6)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_7: T.float32x8 = Q[query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(7)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
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
                        queries[d_tile * T.int64(8) + T.int64(0), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                        queries[d_tile * T.int64(8) + T.int64(1), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                        queries[d_tile * T.int64(8) + T.int64(2), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                        queries[d_tile * T.int64(8) + T.int64(3), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                        queries[d_tile * T.int64(8) + T.int64(4), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                        queries[d_tile * T.int64(8) + T.int64(5), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                        queries[d_tile * T.int64(8) + T.int64(6), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                        queries[d_tile * T.int64(8) + T.int64(7), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                    else:
                        row: T.float32x8 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(0)) < T.int64(6), Q.vload([query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(0)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(4), 8)), T.Broadcast(T.float32(0.0), 8))
                        row_1: T.float32x8 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(1)) < T.int64(6), Q.vload([query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(1)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(4), 8)), T.Broadcast(T.float32(0.0), 8))
                        row_2: T.float32x8 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(2)) < T.int64(6), Q.vload([query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(2)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(4), 8)), T.Broadcast(T.float32(0.0), 8))
                        row_3: T.float32x8 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(3)) < T.int64(6), Q.vload([query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(3)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(4), 8)), T.Broadcast(T.float32(0.0), 8))
                        row_4: T.float32x8 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(4)) < T.int64(6), Q.vload([query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(4)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(4), 8)), T.Broadcast(T.float32(0.0), 8))
                        row_5: T.float32x8 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(5)) < T.int64(6), Q.vload([query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(5)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(4), 8)), T.Broadcast(T.float32(0.0), 8))
                        row_6: T.float32x8 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(6)) < T.int64(6), Q.vload([query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(6)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(4), 8)), T.Broadcast(T.float32(0.0), 8))
                        row_7: T.float32x8 = T.if_then_else(query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(7)) < T.int64(6), Q.vload([query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(7)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(4), 8)), T.Broadcast(T.float32(0.0), 8))
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
                        if d_tile * T.int64(8) + T.int64(0) < T.int64(4):
                            queries[d_tile * T.int64(8) + T.int64(0), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                        if d_tile * T.int64(8) + T.int64(1) < T.int64(4):
                            queries[d_tile * T.int64(8) + T.int64(1), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                        if d_tile * T.int64(8) + T.int64(2) < T.int64(4):
                            queries[d_tile * T.int64(8) + T.int64(2), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                        if d_tile * T.int64(8) + T.int64(3) < T.int64(4):
                            queries[d_tile * T.int64(8) + T.int64(3), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                        if d_tile * T.int64(8) + T.int64(4) < T.int64(4):
                            queries[d_tile * T.int64(8) + T.int64(4), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                        if d_tile * T.int64(8) + T.int64(5) < T.int64(4):
                            queries[d_tile * T.int64(8) + T.int64(5), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                        if d_tile * T.int64(8) + T.int64(6) < T.int64(4):
                            queries[d_tile * T.int64(8) + T.int64(6), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                        if d_tile * T.int64(8) + T.int64(7) < T.int64(4):
                            queries[d_tile * T.int64(8) + T.int64(7), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                for i in T.vectorized(T.int64(8)):
                    max[i] = T.float32("-inf")
                for i in T.vectorized(T.int64(8)):
                    weight_sum[i] = T.float32(0.0)
                for w in range(T.int64(5)):
                    for i in T.vectorized(T.int64(8)):
                        weighted[w, i] = T.float32(0.0)
                for key_block in range((n + T.int64(95)) // T.int64(96)):
                    key_start: T.int64 = key_block * T.int64(96)
                    key_count: T.int64 = T.min(n - key_start, T.int64(96))
                    for tile in range((key_count + T.int64(7)) // T.int64(8)):
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                score_tile[r, i] = T.float32(0.0)
                        for d in range(T.int64(4)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    score_tile[r, i] = score_tile[r, i] + K[T.min(key_start + (tile * T.int64(8) + r), n - T.int64(1)), d] * queries[d, i]
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                scores[tile * T.int64(8) + r, i] = score_tile[r, i]
                    for i in T.vectorized(T.int64(8)):
                        sums[i] = max[i]
                    for j in range(key_count):
                        for i in T.vectorized(T.int64(8)):
                            sums[i] = T.Select(scores[j, i] > sums[i], scores[j, i], sums[i])
                    for i in T.vectorized(T.int64(8)):
                        shift[i] = T.Select(sums[i] == T.float32("-inf"), T.float32(0.0), sums[i])
                    for i in T.vectorized(T.int64(8)):
                        rescale[i] = T.exp(max[i] - shift[i])
                    for i in T.vectorized(T.int64(8)):
                        max[i] = sums[i]
                    for i in T.vectorized(T.int64(8)):
                        sums[i] = T.float32(0.0)
                    for j in range(key_count):
                        for i in T.vectorized(T.int64(8)):
                            scores[j, i] = T.Select(scores[j, i] - shift[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores[j, i] - shift[i] < T.float32(-87.33), T.float32(-87.33), scores[j, i] - shift[i])))
                        for i in T.vectorized(T.int64(8)):
                            sums[i] = sums[i] + scores[j, i]
                    for i in T.vectorized(T.int64(8)):
                        weight_sum[i] = weight_sum[i] * rescale[i] + sums[i]
                    for r in T.unroll(T.int64(5)):
                        for i in T.vectorized(T.int64(8)):
                            weighted_tile[r, i] = T.float32(0.0)
                    for j in range(key_count):
                        for r in T.unroll(T.int64(5)):
                            for i in T.vectorized(T.int64(8)):
                                weighted_tile[r, i] = weighted_tile[r, i] + V[T.min(key_start + j, n - T.int64(1)), T.int64(0) + r] * scores[j, i]
                    for r in T.unroll(T.int64(5)):
                        for i in T.vectorized(T.int64(8)):
                            weighted[T.int64(0) + r, i] = weighted[T.int64(0) + r, i] * rescale[i] + weighted_tile[r, i]
                for vector in range(T.int64(1)):
                    for w_tile, i_tile in T.grid(T.int64(1), T.int64(1)):
                        if w_tile * T.int64(8) + T.int64(7) < T.int64(5):
                            row: T.float32x8 = weighted[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_1: T.float32x8 = weighted[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_2: T.float32x8 = weighted[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_3: T.float32x8 = weighted[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_4: T.float32x8 = weighted[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_5: T.float32x8 = weighted[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_6: T.float32x8 = weighted[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_7: T.float32x8 = weighted[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
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
                            rows[i_tile * T.int64(8) + T.int64(0), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                            rows[i_tile * T.int64(8) + T.int64(1), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                            rows[i_tile * T.int64(8) + T.int64(2), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                            rows[i_tile * T.int64(8) + T.int64(3), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                            rows[i_tile * T.int64(8) + T.int64(4), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                            rows[i_tile * T.int64(8) + T.int64(5), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                            rows[i_tile * T.int64(8) + T.int64(6), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                            rows[i_tile * T.int64(8) + T.int64(7), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                        else:
                            row: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(0) < T.int64(5), weighted[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_1: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(1) < T.int64(5), weighted[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_2: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(2) < T.int64(5), weighted[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_3: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(3) < T.int64(5), weighted[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_4: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(4) < T.int64(5), weighted[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_5: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(5) < T.int64(5), weighted[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_6: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(6) < T.int64(5), weighted[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_7: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(7) < T.int64(5), weighted[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
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
                            rows[i_tile * T.int64(8) + T.int64(0), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                            rows[i_tile * T.int64(8) + T.int64(1), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                            rows[i_tile * T.int64(8) + T.int64(2), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                            rows[i_tile * T.int64(8) + T.int64(3), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                            rows[i_tile * T.int64(8) + T.int64(4), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                            rows[i_tile * T.int64(8) + T.int64(5), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                            rows[i_tile * T.int64(8) + T.int64(6), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                            rows[i_tile * T.int64(8) + T.int64(7), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                    for i in range(T.int64(8)):
                        if query_block * T.int64(8) + vector * T.int64(8) + i < T.int64(6):
                            for c in T.vectorized(T.int64(5)):
                                X[query_block * T.int64(8) + (vector * T.int64(8) + i), T.int64(0) + c] = rows[i, T.int64(0) + c] / T.Select(n == T.int64(0), T.float32(1.0), weight_sum[vector * T.int64(8) + i])
