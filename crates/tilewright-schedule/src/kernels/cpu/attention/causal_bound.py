# Keys beyond the causal bound of a task are left out; what zero times their values gives is not.
# test: schedule
# step: p = get_block("products")
# step: flash_attention(p, 4, 2, 2, 8, 1)
# run: main == same
# run: main seed=7 special == same


@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((2, 19, 4), "float32"), K: T.Buffer((2, 21, 4), "float32"), V: T.Buffer((2, 21, 5), "float32"), mixed: T.Buffer((2, 19, 5), "float32")):
        products = T.alloc_buffer((2, 19, 21))
        scores = T.alloc_buffer((2, 19, 21))
        best = T.alloc_buffer((2, 19))
        total = T.alloc_buffer((2, 19))
        for i0, i1, i2, i3 in T.grid(2, 19, 21, 4):
            with T.block("products"):
                b, i, j, d = T.axis.remap("SSSR", [i0, i1, i2, i3])
                with T.init():
                    products[b, i, j] = T.float32(0)
                products[b, i, j] = products[b, i, j] + Q[b, i, d] * K[b, j, d]
        for i0, i1, i2 in T.grid(2, 19, 21):
            with T.block("scores"):
                b, i, j = T.axis.remap("SSS", [i0, i1, i2])
                scores[b, i, j] = T.if_then_else(i - j < 5 and i + 3 > j + b, products[b, i, j], T.float32("-inf"))
        for i0, i1, i2 in T.grid(2, 19, 21):
            with T.block("best"):
                b, i, j = T.axis.remap("SSR", [i0, i1, i2])
                with T.init():
                    best[b, i] = T.float32("-inf")
                best[b, i] = T.max(best[b, i], scores[b, i, j])
        for i0, i1, i2 in T.grid(2, 19, 21):
            with T.block("total"):
                b, i, j = T.axis.remap("SSR", [i0, i1, i2])
                with T.init():
                    total[b, i] = T.float32(0)
                total[b, i] = total[b, i] + T.exp(scores[b, i, j] - best[b, i])
        for i0, i1, i2, i3 in T.grid(2, 19, 5, 21):
            with T.block("mixed"):
                b, i, w, j = T.axis.remap("SSSR", [i0, i1, i2, i3])
                with T.init():
                    mixed[b, i, w] = T.float32(0)
                mixed[b, i, w] = mixed[b, i, w] + T.exp(scores[b, i, j] - best[b, i]) / total[b, i] * V[b, j, w]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((2, 19, 4), "float32"), K: T.Buffer((2, 21, 4), "float32"), V: T.Buffer((2, 21, 5), "float32"), mixed: T.Buffer((2, 19, 5), "float32")):
        # with T.block("root"):
        for task in T.parallel(6):
            with T.block("products"):
                T.reads(Q[0:2, 0:19, 0:4], K[0:2, 0:21, 0:4], V[0:2, 0:21, 0:5])
                T.writes(mixed[0:2, 0:19, 0:5])
                queries = T.alloc_buffer((4, 8), align=64)
                scores = T.alloc_buffer((8, 8), align=64)
                weighted = T.alloc_buffer((5, 8), align=64)
                max = T.alloc_buffer((8,), align=64)
                weight_sum = T.alloc_buffer((8,), align=64)
                rescale = T.alloc_buffer((8,), align=64)
                shift = T.alloc_buffer((8,), align=64)
                rows = T.alloc_buffer((4, 8), align=64)
                masked_values = T.alloc_buffer((5,), align=64)
                weighted_tile = T.alloc_buffer((2, 8), scope="local", align=64)
                score_tile = T.alloc_buffer((2, 8), scope="local", align=64)
                sums = T.alloc_buffer((8,), scope="local", align=64)
                queries_1 = T.alloc_buffer((4, 4), align=64)
                scores_1 = T.alloc_buffer((8, 4), align=64)
                weighted_1 = T.alloc_buffer((5, 4), align=64)
                max_1 = T.alloc_buffer((4,), align=64)
                weight_sum_1 = T.alloc_buffer((4,), align=64)
                rescale_1 = T.alloc_buffer((4,), align=64)
                shift_1 = T.alloc_buffer((4,), align=64)
                rows_1 = T.alloc_buffer((4, 8), align=64)
                masked_values_1 = T.alloc_buffer((5,), align=64)
                weighted_tile_1 = T.alloc_buffer((4, 4), scope="local", align=64)
                score_tile_1 = T.alloc_buffer((4, 4), scope="local", align=64)
                sums_1 = T.alloc_buffer((4,), scope="local", align=64)
                masked_columns = T.alloc_buffer((5,), scope="local", align=64)
                query_block: T.int32 = task % 3
                b: T.int32 = task // 3
                if query_block < 2:
                    key_end: T.int32 = T.max(T.min(query_block * 8 - b + 10, 21), 0)
                    for i_tile, d_tile in T.grid(2, 1):
                        row: T.float32x4 = Q[b, query_block * 8 + (i_tile * 4 + 0), T.Ramp(d_tile * 4, 1, 4)]
                        row_1: T.float32x4 = Q[b, query_block * 8 + (i_tile * 4 + 1), T.Ramp(d_tile * 4, 1, 4)]
                        row_2: T.float32x4 = Q[b, query_block * 8 + (i_tile * 4 + 2), T.Ramp(d_tile * 4, 1, 4)]
                        row_3: T.float32x4 = Q[b, query_block * 8 + (i_tile * 4 + 3), T.Ramp(d_tile * 4, 1, 4)]
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
                    for v in T.unroll(2):
                        for i in T.vectorized(4):
                            max[v * 4 + i] = T.float32("-inf")
                    for v in T.unroll(2):
                        for i in T.vectorized(4):
                            weight_sum[v * 4 + i] = T.float32(0.0)
                    for w in T.unroll(1):
                        for c in T.vectorized(4):
                            masked_columns[w * 4 + c] = T.float32(0.0)
                    for c in T.vectorized(1):
                        masked_columns[4 + c] = T.float32(0.0)
                    for j in range(21 - key_end):
                        for w in T.unroll(1):
                            for c in T.vectorized(4):
                                masked_columns[w * 4 + c] = masked_columns[w * 4 + c] + T.float32(0.0) * V[b, key_end + j, 0 + (w * 4 + c)]
                        for c in T.vectorized(1):
                            masked_columns[4 + c] = masked_columns[4 + c] + T.float32(0.0) * V[b, key_end + j, 0 + (4 + c)]
                    for w in T.unroll(1):
                        for c in T.vectorized(4):
                            masked_values[0 + (w * 4 + c)] = masked_columns[w * 4 + c]
                    for c in T.vectorized(1):
                        masked_values[0 + (4 + c)] = masked_columns[4 + c]
                    for w in range(5):
                        for v in T.unroll(2):
                            for i in T.vectorized(4):
                                weighted[w, v * 4 + i] = masked_values[w]
                    for key_block in range((key_end + 7) // 8):
                        key_start: T.int32 = key_block * 8
                        key_count: T.int32 = T.min(key_end - key_start, 8)
                        for tile in range((key_count + 1) // 2):
                            for r in T.unroll(2):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        score_tile[r, v * 4 + i] = T.float32(0.0)
                            for d in range(4):
                                for r in T.unroll(2):
                                    for v in T.unroll(2):
                                        for i in T.vectorized(4):
                                            score_tile[r, v * 4 + i] = score_tile[r, v * 4 + i] + K[b, T.min(key_start + (tile * 2 + r), T.Sub(21, 1)), d] * queries[d, v * 4 + i]
                            for r in T.unroll(2):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        scores[tile * 2 + r, v * 4 + i] = T.if_then_else(query_block * 8 + (v * 4 + i) - T.min(key_start + (tile * 2 + r), T.Sub(21, 1)) < 5 and query_block * 8 + (v * 4 + i) + 3 > T.min(key_start + (tile * 2 + r), T.Sub(21, 1)) + b, score_tile[r, v * 4 + i], T.float32("-inf"))
                        for v in T.unroll(2):
                            for i in T.vectorized(4):
                                sums[v * 4 + i] = max[v * 4 + i]
                        for j in range(key_count):
                            for v in T.unroll(2):
                                for i in T.vectorized(4):
                                    sums[v * 4 + i] = T.Select(scores[j, v * 4 + i] > sums[v * 4 + i], scores[j, v * 4 + i], sums[v * 4 + i])
                        for v in T.unroll(2):
                            for i in T.vectorized(4):
                                shift[v * 4 + i] = T.Select(sums[v * 4 + i] == T.float32("-inf"), T.float32(0.0), sums[v * 4 + i])
                        for v in T.unroll(2):
                            for i in T.vectorized(4):
                                rescale[v * 4 + i] = T.exp(max[v * 4 + i] - shift[v * 4 + i])
                        for v in T.unroll(2):
                            for i in T.vectorized(4):
                                max[v * 4 + i] = sums[v * 4 + i]
                        for v in T.unroll(2):
                            for i in T.vectorized(4):
                                sums[v * 4 + i] = T.float32(0.0)
                        for j in range(key_count):
                            for v in T.unroll(2):
                                for i in T.vectorized(4):
                                    scores[j, v * 4 + i] = T.Select(scores[j, v * 4 + i] - shift[v * 4 + i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores[j, v * 4 + i] - shift[v * 4 + i] < T.float32(-87.33), T.float32(-87.33), scores[j, v * 4 + i] - shift[v * 4 + i])))
                            for v in T.unroll(2):
                                for i in T.vectorized(4):
                                    sums[v * 4 + i] = sums[v * 4 + i] + scores[j, v * 4 + i]
                        for v in T.unroll(2):
                            for i in T.vectorized(4):
                                weight_sum[v * 4 + i] = weight_sum[v * 4 + i] * rescale[v * 4 + i] + sums[v * 4 + i]
                        for value_tile in range(2):
                            for r in T.unroll(2):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        weighted_tile[r, v * 4 + i] = T.float32(0.0)
                            for j in range(key_count):
                                for r in T.unroll(2):
                                    for v in T.unroll(2):
                                        for i in T.vectorized(4):
                                            weighted_tile[r, v * 4 + i] = weighted_tile[r, v * 4 + i] + V[b, T.min(key_start + j, T.Sub(21, 1)), value_tile * 2 + r] * scores[j, v * 4 + i]
                            for r in T.unroll(2):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        weighted[value_tile * 2 + r, v * 4 + i] = weighted[value_tile * 2 + r, v * 4 + i] * rescale[v * 4 + i] + weighted_tile[r, v * 4 + i]
                        for r in T.unroll(1):
                            for v in T.unroll(2):
                                for i in T.vectorized(4):
                                    weighted_tile[r, v * 4 + i] = T.float32(0.0)
                        for j in range(key_count):
                            for r in T.unroll(1):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        weighted_tile[r, v * 4 + i] = weighted_tile[r, v * 4 + i] + V[b, T.min(key_start + j, T.Sub(21, 1)), 4 + r] * scores[j, v * 4 + i]
                        for r in T.unroll(1):
                            for v in T.unroll(2):
                                for i in T.vectorized(4):
                                    weighted[4 + r, v * 4 + i] = weighted[4 + r, v * 4 + i] * rescale[v * 4 + i] + weighted_tile[r, v * 4 + i]
                    for v in T.unroll(2):
                        for i in T.vectorized(4):
                            rescale[v * 4 + i] = T.float32(1.0) / weight_sum[v * 4 + i]
                    for vector in range(2):
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
                            for column in range(1):
                                for c in T.vectorized(4):
                                    mixed[b, query_block * 8 + (vector * 4 + i), column * 4 + c] = rows[i, column * 4 + c] * rescale[vector * 4 + i]
                            for c in T.vectorized(1):
                                mixed[b, query_block * 8 + (vector * 4 + i), 4 + c] = rows[i, 4 + c] * rescale[vector * 4 + i]
                else:
                    key_end: T.int32 = T.max(T.min(T.min(query_block * 4 + 11, 18) - b + 3, 21), 0)
                    for i_tile, d_tile in T.grid(1, 1):
                        if query_block * 4 + 8 + (i_tile * 4 + 3) < 19:
                            row: T.float32x4 = Q[b, query_block * 4 + 8 + (i_tile * 4 + 0), T.Ramp(d_tile * 4, 1, 4)]
                            row_1: T.float32x4 = Q[b, query_block * 4 + 8 + (i_tile * 4 + 1), T.Ramp(d_tile * 4, 1, 4)]
                            row_2: T.float32x4 = Q[b, query_block * 4 + 8 + (i_tile * 4 + 2), T.Ramp(d_tile * 4, 1, 4)]
                            row_3: T.float32x4 = Q[b, query_block * 4 + 8 + (i_tile * 4 + 3), T.Ramp(d_tile * 4, 1, 4)]
                            shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                            shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                            shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                            shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                            shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                            shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                            shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                            shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                            queries_1[d_tile * 4 + 0, T.Ramp(i_tile * 4, 1, 4)] = shuffled_4
                            queries_1[d_tile * 4 + 1, T.Ramp(i_tile * 4, 1, 4)] = shuffled_5
                            queries_1[d_tile * 4 + 2, T.Ramp(i_tile * 4, 1, 4)] = shuffled_6
                            queries_1[d_tile * 4 + 3, T.Ramp(i_tile * 4, 1, 4)] = shuffled_7
                        else:
                            row: T.float32x4 = T.if_then_else(query_block * 4 + 8 + (i_tile * 4 + 0) < 19, Q[b, query_block * 4 + 8 + (i_tile * 4 + 0), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_1: T.float32x4 = T.if_then_else(query_block * 4 + 8 + (i_tile * 4 + 1) < 19, Q[b, query_block * 4 + 8 + (i_tile * 4 + 1), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_2: T.float32x4 = T.if_then_else(query_block * 4 + 8 + (i_tile * 4 + 2) < 19, Q[b, query_block * 4 + 8 + (i_tile * 4 + 2), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_3: T.float32x4 = T.if_then_else(query_block * 4 + 8 + (i_tile * 4 + 3) < 19, Q[b, query_block * 4 + 8 + (i_tile * 4 + 3), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                            shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                            shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                            shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                            shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                            shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                            shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                            shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                            queries_1[d_tile * 4 + 0, T.Ramp(i_tile * 4, 1, 4)] = shuffled_4
                            queries_1[d_tile * 4 + 1, T.Ramp(i_tile * 4, 1, 4)] = shuffled_5
                            queries_1[d_tile * 4 + 2, T.Ramp(i_tile * 4, 1, 4)] = shuffled_6
                            queries_1[d_tile * 4 + 3, T.Ramp(i_tile * 4, 1, 4)] = shuffled_7
                    for i in T.vectorized(4):
                        max_1[i] = T.float32("-inf")
                    for i in T.vectorized(4):
                        weight_sum_1[i] = T.float32(0.0)
                    for w in T.unroll(1):
                        for c in T.vectorized(4):
                            masked_columns[w * 4 + c] = T.float32(0.0)
                    for c in T.vectorized(1):
                        masked_columns[4 + c] = T.float32(0.0)
                    for j in range(21 - key_end):
                        for w in T.unroll(1):
                            for c in T.vectorized(4):
                                masked_columns[w * 4 + c] = masked_columns[w * 4 + c] + T.float32(0.0) * V[b, key_end + j, 0 + (w * 4 + c)]
                        for c in T.vectorized(1):
                            masked_columns[4 + c] = masked_columns[4 + c] + T.float32(0.0) * V[b, key_end + j, 0 + (4 + c)]
                    for w in T.unroll(1):
                        for c in T.vectorized(4):
                            masked_values_1[0 + (w * 4 + c)] = masked_columns[w * 4 + c]
                    for c in T.vectorized(1):
                        masked_values_1[0 + (4 + c)] = masked_columns[4 + c]
                    for w in range(5):
                        for i in T.vectorized(4):
                            weighted_1[w, i] = masked_values_1[w]
                    for key_block in range((key_end + 7) // 8):
                        key_start: T.int32 = key_block * 8
                        key_count: T.int32 = T.min(key_end - key_start, 8)
                        for tile in range((key_count + 3) // 4):
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    score_tile_1[r, i] = T.float32(0.0)
                            for d in range(4):
                                for r in T.unroll(4):
                                    for i in T.vectorized(4):
                                        score_tile_1[r, i] = score_tile_1[r, i] + K[b, T.min(key_start + (tile * 4 + r), T.Sub(21, 1)), d] * queries_1[d, i]
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    scores_1[tile * 4 + r, i] = T.if_then_else(T.min(query_block * 4 + 8 + i, T.Sub(19, 1)) - T.min(key_start + (tile * 4 + r), T.Sub(21, 1)) < 5 and T.min(query_block * 4 + 8 + i, T.Sub(19, 1)) + 3 > T.min(key_start + (tile * 4 + r), T.Sub(21, 1)) + b, score_tile_1[r, i], T.float32("-inf"))
                        for i in T.vectorized(4):
                            sums_1[i] = max_1[i]
                        for j in range(key_count):
                            for i in T.vectorized(4):
                                sums_1[i] = T.Select(scores_1[j, i] > sums_1[i], scores_1[j, i], sums_1[i])
                        for i in T.vectorized(4):
                            shift_1[i] = T.Select(sums_1[i] == T.float32("-inf"), T.float32(0.0), sums_1[i])
                        for i in T.vectorized(4):
                            rescale_1[i] = T.exp(max_1[i] - shift_1[i])
                        for i in T.vectorized(4):
                            max_1[i] = sums_1[i]
                        for i in T.vectorized(4):
                            sums_1[i] = T.float32(0.0)
                        for j in range(key_count):
                            for i in T.vectorized(4):
                                scores_1[j, i] = T.Select(scores_1[j, i] - shift_1[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores_1[j, i] - shift_1[i] < T.float32(-87.33), T.float32(-87.33), scores_1[j, i] - shift_1[i])))
                            for i in T.vectorized(4):
                                sums_1[i] = sums_1[i] + scores_1[j, i]
                        for i in T.vectorized(4):
                            weight_sum_1[i] = weight_sum_1[i] * rescale_1[i] + sums_1[i]
                        for value_tile in range(1):
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    weighted_tile_1[r, i] = T.float32(0.0)
                            for j in range(key_count):
                                for r in T.unroll(4):
                                    for i in T.vectorized(4):
                                        weighted_tile_1[r, i] = weighted_tile_1[r, i] + V[b, T.min(key_start + j, T.Sub(21, 1)), value_tile * 4 + r] * scores_1[j, i]
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    weighted_1[value_tile * 4 + r, i] = weighted_1[value_tile * 4 + r, i] * rescale_1[i] + weighted_tile_1[r, i]
                        for r in T.unroll(1):
                            for i in T.vectorized(4):
                                weighted_tile_1[r, i] = T.float32(0.0)
                        for j in range(key_count):
                            for r in T.unroll(1):
                                for i in T.vectorized(4):
                                    weighted_tile_1[r, i] = weighted_tile_1[r, i] + V[b, T.min(key_start + j, T.Sub(21, 1)), 4 + r] * scores_1[j, i]
                        for r in T.unroll(1):
                            for i in T.vectorized(4):
                                weighted_1[4 + r, i] = weighted_1[4 + r, i] * rescale_1[i] + weighted_tile_1[r, i]
                    for i in T.vectorized(4):
                        rescale_1[i] = T.float32(1.0) / weight_sum_1[i]
                    for vector in range(1):
                        for w_tile, i_tile in T.grid(2, 1):
                            if w_tile * 4 + 3 < 5:
                                row: T.float32x4 = weighted_1[w_tile * 4 + 0, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                                row_1: T.float32x4 = weighted_1[w_tile * 4 + 1, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                                row_2: T.float32x4 = weighted_1[w_tile * 4 + 2, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                                row_3: T.float32x4 = weighted_1[w_tile * 4 + 3, T.Ramp(vector * 4 + i_tile * 4, 1, 4)]
                                shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                                shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                                shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                                shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                                shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                                shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                                shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                                shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                                rows_1[i_tile * 4 + 0, T.Ramp(w_tile * 4, 1, 4)] = shuffled_4
                                rows_1[i_tile * 4 + 1, T.Ramp(w_tile * 4, 1, 4)] = shuffled_5
                                rows_1[i_tile * 4 + 2, T.Ramp(w_tile * 4, 1, 4)] = shuffled_6
                                rows_1[i_tile * 4 + 3, T.Ramp(w_tile * 4, 1, 4)] = shuffled_7
                            else:
                                row: T.float32x4 = T.if_then_else(w_tile * 4 + 0 < 5, weighted_1[w_tile * 4 + 0, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                                row_1: T.float32x4 = T.if_then_else(w_tile * 4 + 1 < 5, weighted_1[w_tile * 4 + 1, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                                row_2: T.float32x4 = T.if_then_else(w_tile * 4 + 2 < 5, weighted_1[w_tile * 4 + 2, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                                row_3: T.float32x4 = T.if_then_else(w_tile * 4 + 3 < 5, weighted_1[w_tile * 4 + 3, T.Ramp(vector * 4 + i_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                                shuffled: T.float32x4 = T.Shuffle([row, row_1], [0, 4, 1, 5])
                                shuffled_1: T.float32x4 = T.Shuffle([row, row_1], [2, 6, 3, 7])
                                shuffled_2: T.float32x4 = T.Shuffle([row_2, row_3], [0, 4, 1, 5])
                                shuffled_3: T.float32x4 = T.Shuffle([row_2, row_3], [2, 6, 3, 7])
                                shuffled_4: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [0, 1, 4, 5])
                                shuffled_5: T.float32x4 = T.Shuffle([shuffled, shuffled_2], [2, 3, 6, 7])
                                shuffled_6: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [0, 1, 4, 5])
                                shuffled_7: T.float32x4 = T.Shuffle([shuffled_1, shuffled_3], [2, 3, 6, 7])
                                rows_1[i_tile * 4 + 0, T.Ramp(w_tile * 4, 1, 4)] = shuffled_4
                                rows_1[i_tile * 4 + 1, T.Ramp(w_tile * 4, 1, 4)] = shuffled_5
                                rows_1[i_tile * 4 + 2, T.Ramp(w_tile * 4, 1, 4)] = shuffled_6
                                rows_1[i_tile * 4 + 3, T.Ramp(w_tile * 4, 1, 4)] = shuffled_7
                        for i in range(4):
                            if query_block * 4 + vector * 4 + i < 11:
                                for column in range(1):
                                    for c in T.vectorized(4):
                                        mixed[b, query_block * 4 + 8 + (vector * 4 + i), column * 4 + c] = rows_1[i, column * 4 + c] * rescale_1[vector * 4 + i]
                                for c in T.vectorized(1):
                                    mixed[b, query_block * 4 + 8 + (vector * 4 + i), 4 + c] = rows_1[i, 4 + c] * rescale_1[vector * 4 + i]
