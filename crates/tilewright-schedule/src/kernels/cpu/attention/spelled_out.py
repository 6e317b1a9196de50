# Attention as a model writes it: other orders of axes, the quotient before the values, three heads for each pair of keys and
# values, maxima and sums with an axis of extent 1, the result with its heads contiguous.
# test: schedule
# step: p = get_block("products")
# step: flash_attention(p, 4, 2, 2, 8, 1)
# run: main == same
# run: main seed=7 special == same


@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((2, 6, 11, 4), "float32"), K: T.Buffer((2, 2, 13, 4), "float32"), V: T.Buffer((2, 13, 2, 5), "float32"), mask: T.Buffer((2, 13), "float32"), result: T.Buffer((2, 11, 30), "float32")):
        repeated = T.alloc_buffer((2, 6, 13, 4))
        products = T.alloc_buffer((2, 6, 11, 13))
        scores = T.alloc_buffer((2, 6, 11, 13))
        best = T.alloc_buffer((2, 6, 11, 1))
        weights = T.alloc_buffer((2, 6, 11, 13))
        total = T.alloc_buffer((2, 6, 11, 1))
        shares = T.alloc_buffer((2, 6, 11, 13))
        mixed = T.alloc_buffer((2, 6, 11, 5))
        for i0, i1, i2, i3 in T.grid(2, 6, 13, 4):
            with T.block("repeated"):
                b, h, j, d = T.axis.remap("SSSS", [i0, i1, i2, i3])
                repeated[b, h, j, d] = K[b, h // 3, j, d]
        for i0, i1, i2, i3, i4 in T.grid(2, 6, 11, 13, 4):
            with T.block("products"):
                b, h, i, j, d = T.axis.remap("SSSSR", [i0, i1, i2, i3, i4])
                with T.init():
                    products[b, h, i, j] = T.float32(0)
                products[b, h, i, j] = products[b, h, i, j] + Q[b, h, i, d] * repeated[b, h, j, d]
        for i0, i1, i2, i3 in T.grid(2, 6, 11, 13):
            with T.block("scores"):
                b, h, i, j = T.axis.remap("SSSS", [i0, i1, i2, i3])
                scores[b, h, i, j] = products[b, h, i, j] * T.float32(0.5) + mask[b, j]
        for i0, i1, i2, i3, i4 in T.grid(2, 6, 11, 1, 13):
            with T.block("best"):
                b, h, i, u, j = T.axis.remap("SSSSR", [i0, i1, i2, i3, i4])
                with T.init():
                    best[b, h, i, u] = T.float32("-inf")
                best[b, h, i, u] = T.max(best[b, h, i, u], scores[b, h, i, j])
        for i0, i1, i2, i3 in T.grid(2, 6, 11, 13):
            with T.block("weights"):
                b, h, i, j = T.axis.remap("SSSS", [i0, i1, i2, i3])
                weights[b, h, i, j] = T.exp(scores[b, h, i, j] - best[b, h, i, 0])
        for i0, i1, i2, i3, i4 in T.grid(2, 6, 11, 1, 13):
            with T.block("total"):
                b, h, i, u, j = T.axis.remap("SSSSR", [i0, i1, i2, i3, i4])
                with T.init():
                    total[b, h, i, u] = T.float32(0)
                total[b, h, i, u] = total[b, h, i, u] + weights[b, h, i, j]
        for i0, i1, i2, i3 in T.grid(2, 6, 11, 13):
            with T.block("shares"):
                b, h, i, j = T.axis.remap("SSSS", [i0, i1, i2, i3])
                shares[b, h, i, j] = weights[b, h, i, j] / total[b, h, i, 0]
        for i0, i1, i2, i3, i4 in T.grid(2, 6, 11, 5, 13):
            with T.block("mixed"):
                b, h, i, w, j = T.axis.remap("SSSSR", [i0, i1, i2, i3, i4])
                with T.init():
                    mixed[b, h, i, w] = T.float32(0)
                mixed[b, h, i, w] = mixed[b, h, i, w] + shares[b, h, i, j] * V[b, j, h // 3, w]
        for i0, i1, i2 in T.grid(2, 11, 30):
            with T.block("result"):
                b, i, c = T.axis.remap("SSS", [i0, i1, i2])
                result[b, i, c] = mixed[b, c // 5, i, c % 5]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((2, 6, 11, 4), "float32"), K: T.Buffer((2, 2, 13, 4), "float32"), V: T.Buffer((2, 13, 2, 5), "float32"), mask: T.Buffer((2, 13), "float32"), result: T.Buffer((2, 11, 30), "float32")):
        # with T.block("root"):
        for task in T.parallel(24):
            with T.block("products"):
                T.reads(Q[0:2, 0:6, 0:11, 0:4], K[0:2, 0:2, 0:13, 0:4], V[0:2, 0:13, 0:2, 0:5], mask[0:2, 0:13])
                T.writes(result[0:2, 0:11, 0:30])
                queries = T.alloc_buffer((4, 8), align=64)
                scores = T.alloc_buffer((8, 8), align=64)
                weighted = T.alloc_buffer((5, 8), align=64)
                max = T.alloc_buffer((8,), align=64)
                weight_sum = T.alloc_buffer((8,), align=64)
                rescale = T.alloc_buffer((8,), align=64)
                shift = T.alloc_buffer((8,), align=64)
                rows = T.alloc_buffer((4, 8), align=64)
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
                weighted_tile_1 = T.alloc_buffer((4, 4), scope="local", align=64)
                score_tile_1 = T.alloc_buffer((4, 4), scope="local", align=64)
                sums_1 = T.alloc_buffer((4,), scope="local", align=64)
                query_block: T.int32 = task % 2
                h: T.int32 = task // 2 % 6
                b: T.int32 = task // 12
                if query_block < 1:
                    for i_tile, d_tile in T.grid(2, 1):
                        row: T.float32x4 = Q[b, h, query_block * 8 + (i_tile * 4 + 0), T.Ramp(d_tile * 4, 1, 4)]
                        row_1: T.float32x4 = Q[b, h, query_block * 8 + (i_tile * 4 + 1), T.Ramp(d_tile * 4, 1, 4)]
                        row_2: T.float32x4 = Q[b, h, query_block * 8 + (i_tile * 4 + 2), T.Ramp(d_tile * 4, 1, 4)]
                        row_3: T.float32x4 = Q[b, h, query_block * 8 + (i_tile * 4 + 3), T.Ramp(d_tile * 4, 1, 4)]
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
                    for w in range(5):
                        for v in T.unroll(2):
                            for i in T.vectorized(4):
                                weighted[w, v * 4 + i] = T.float32(0.0)
                    for key_block in range(1):
                        key_start: T.int32 = key_block * 8
                        for tile in range(4):
                            for r in T.unroll(2):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        score_tile[r, v * 4 + i] = T.float32(0.0)
                            for d in range(4):
                                for r in T.unroll(2):
                                    for v in T.unroll(2):
                                        for i in T.vectorized(4):
                                            score_tile[r, v * 4 + i] = score_tile[r, v * 4 + i] + K[b, h // 3, key_start + (tile * 2 + r), d] * queries[d, v * 4 + i]
                            for r in T.unroll(2):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        scores[tile * 2 + r, v * 4 + i] = score_tile[r, v * 4 + i] * T.float32(0.5) + mask[b, key_start + (tile * 2 + r)]
                        for v in T.unroll(2):
                            for i in T.vectorized(4):
                                sums[v * 4 + i] = max[v * 4 + i]
                        for j in range(8):
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
                        for j in range(8):
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
                            for j in range(8):
                                for r in T.unroll(2):
                                    for v in T.unroll(2):
                                        for i in T.vectorized(4):
                                            weighted_tile[r, v * 4 + i] = weighted_tile[r, v * 4 + i] + V[b, key_start + j, h // 3, value_tile * 2 + r] * scores[j, v * 4 + i]
                            for r in T.unroll(2):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        weighted[value_tile * 2 + r, v * 4 + i] = weighted[value_tile * 2 + r, v * 4 + i] * rescale[v * 4 + i] + weighted_tile[r, v * 4 + i]
                        for r in T.unroll(1):
                            for v in T.unroll(2):
                                for i in T.vectorized(4):
                                    weighted_tile[r, v * 4 + i] = T.float32(0.0)
                        for j in range(8):
                            for r in T.unroll(1):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        weighted_tile[r, v * 4 + i] = weighted_tile[r, v * 4 + i] + V[b, key_start + j, h // 3, 4 + r] * scores[j, v * 4 + i]
                        for r in T.unroll(1):
                            for v in T.unroll(2):
                                for i in T.vectorized(4):
                                    weighted[4 + r, v * 4 + i] = weighted[4 + r, v * 4 + i] * rescale[v * 4 + i] + weighted_tile[r, v * 4 + i]
                    with T.LetStmt(8) as key_start:
                        for tile in range(2):
                            for r in T.unroll(2):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        score_tile[r, v * 4 + i] = T.float32(0.0)
                            for d in range(4):
                                for r in T.unroll(2):
                                    for v in T.unroll(2):
                                        for i in T.vectorized(4):
                                            score_tile[r, v * 4 + i] = score_tile[r, v * 4 + i] + K[b, h // 3, key_start + (tile * 2 + r), d] * queries[d, v * 4 + i]
                            for r in T.unroll(2):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        scores[tile * 2 + r, v * 4 + i] = score_tile[r, v * 4 + i] * T.float32(0.5) + mask[b, key_start + (tile * 2 + r)]
                        for r in T.unroll(1):
                            for v in T.unroll(2):
                                for i in T.vectorized(4):
                                    score_tile[r, v * 4 + i] = T.float32(0.0)
                        for d in range(4):
                            for r in T.unroll(1):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        score_tile[r, v * 4 + i] = score_tile[r, v * 4 + i] + K[b, h // 3, key_start + (4 + r), d] * queries[d, v * 4 + i]
                        for r in T.unroll(1):
                            for v in T.unroll(2):
                                for i in T.vectorized(4):
                                    scores[4 + r, v * 4 + i] = score_tile[r, v * 4 + i] * T.float32(0.5) + mask[b, key_start + (4 + r)]
                        for v in T.unroll(2):
                            for i in T.vectorized(4):
                                sums[v * 4 + i] = max[v * 4 + i]
                        for j in range(5):
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
                        for j in range(5):
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
                            for j in range(5):
                                for r in T.unroll(2):
                                    for v in T.unroll(2):
                                        for i in T.vectorized(4):
                                            weighted_tile[r, v * 4 + i] = weighted_tile[r, v * 4 + i] + V[b, key_start + j, h // 3, value_tile * 2 + r] * scores[j, v * 4 + i]
                            for r in T.unroll(2):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        weighted[value_tile * 2 + r, v * 4 + i] = weighted[value_tile * 2 + r, v * 4 + i] * rescale[v * 4 + i] + weighted_tile[r, v * 4 + i]
                        for r in T.unroll(1):
                            for v in T.unroll(2):
                                for i in T.vectorized(4):
                                    weighted_tile[r, v * 4 + i] = T.float32(0.0)
                        for j in range(5):
                            for r in T.unroll(1):
                                for v in T.unroll(2):
                                    for i in T.vectorized(4):
                                        weighted_tile[r, v * 4 + i] = weighted_tile[r, v * 4 + i] + V[b, key_start + j, h // 3, 4 + r] * scores[j, v * 4 + i]
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
                                    result[b, query_block * 8 + (vector * 4 + i), h * 5 + (column * 4 + c)] = rows[i, column * 4 + c] * rescale[vector * 4 + i]
                            for c in T.vectorized(1):
                                result[b, query_block * 8 + (vector * 4 + i), h * 5 + (4 + c)] = rows[i, 4 + c] * rescale[vector * 4 + i]
                else:
                    for i_tile, d_tile in T.grid(1, 1):
                        if query_block * 4 + 4 + (i_tile * 4 + 3) < 11:
                            row: T.float32x4 = Q[b, h, query_block * 4 + 4 + (i_tile * 4 + 0), T.Ramp(d_tile * 4, 1, 4)]
                            row_1: T.float32x4 = Q[b, h, query_block * 4 + 4 + (i_tile * 4 + 1), T.Ramp(d_tile * 4, 1, 4)]
                            row_2: T.float32x4 = Q[b, h, query_block * 4 + 4 + (i_tile * 4 + 2), T.Ramp(d_tile * 4, 1, 4)]
                            row_3: T.float32x4 = Q[b, h, query_block * 4 + 4 + (i_tile * 4 + 3), T.Ramp(d_tile * 4, 1, 4)]
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
                            row: T.float32x4 = T.if_then_else(query_block * 4 + 4 + (i_tile * 4 + 0) < 11, Q[b, h, query_block * 4 + 4 + (i_tile * 4 + 0), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_1: T.float32x4 = T.if_then_else(query_block * 4 + 4 + (i_tile * 4 + 1) < 11, Q[b, h, query_block * 4 + 4 + (i_tile * 4 + 1), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_2: T.float32x4 = T.if_then_else(query_block * 4 + 4 + (i_tile * 4 + 2) < 11, Q[b, h, query_block * 4 + 4 + (i_tile * 4 + 2), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
                            row_3: T.float32x4 = T.if_then_else(query_block * 4 + 4 + (i_tile * 4 + 3) < 11, Q[b, h, query_block * 4 + 4 + (i_tile * 4 + 3), T.Ramp(d_tile * 4, 1, 4)], T.Broadcast(T.float32(0.0), 4))
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
                    for w in range(5):
                        for i in T.vectorized(4):
                            weighted_1[w, i] = T.float32(0.0)
                    for key_block in range(1):
                        key_start: T.int32 = key_block * 8
                        for tile in range(2):
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    score_tile_1[r, i] = T.float32(0.0)
                            for d in range(4):
                                for r in T.unroll(4):
                                    for i in T.vectorized(4):
                                        score_tile_1[r, i] = score_tile_1[r, i] + K[b, h // 3, key_start + (tile * 4 + r), d] * queries_1[d, i]
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    scores_1[tile * 4 + r, i] = score_tile_1[r, i] * T.float32(0.5) + mask[b, key_start + (tile * 4 + r)]
                        for i in T.vectorized(4):
                            sums_1[i] = max_1[i]
                        for j in range(8):
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
                        for j in range(8):
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
                            for j in range(8):
                                for r in T.unroll(4):
                                    for i in T.vectorized(4):
                                        weighted_tile_1[r, i] = weighted_tile_1[r, i] + V[b, key_start + j, h // 3, value_tile * 4 + r] * scores_1[j, i]
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    weighted_1[value_tile * 4 + r, i] = weighted_1[value_tile * 4 + r, i] * rescale_1[i] + weighted_tile_1[r, i]
                        for r in T.unroll(1):
                            for i in T.vectorized(4):
                                weighted_tile_1[r, i] = T.float32(0.0)
                        for j in range(8):
                            for r in T.unroll(1):
                                for i in T.vectorized(4):
                                    weighted_tile_1[r, i] = weighted_tile_1[r, i] + V[b, key_start + j, h // 3, 4 + r] * scores_1[j, i]
                        for r in T.unroll(1):
                            for i in T.vectorized(4):
                                weighted_1[4 + r, i] = weighted_1[4 + r, i] * rescale_1[i] + weighted_tile_1[r, i]
                    with T.LetStmt(8) as key_start:
                        for tile in range(1):
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    score_tile_1[r, i] = T.float32(0.0)
                            for d in range(4):
                                for r in T.unroll(4):
                                    for i in T.vectorized(4):
                                        score_tile_1[r, i] = score_tile_1[r, i] + K[b, h // 3, key_start + (tile * 4 + r), d] * queries_1[d, i]
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    scores_1[tile * 4 + r, i] = score_tile_1[r, i] * T.float32(0.5) + mask[b, key_start + (tile * 4 + r)]
                        for r in T.unroll(1):
                            for i in T.vectorized(4):
                                score_tile_1[r, i] = T.float32(0.0)
                        for d in range(4):
                            for r in T.unroll(1):
                                for i in T.vectorized(4):
                                    score_tile_1[r, i] = score_tile_1[r, i] + K[b, h // 3, key_start + (4 + r), d] * queries_1[d, i]
                        for r in T.unroll(1):
                            for i in T.vectorized(4):
                                scores_1[4 + r, i] = score_tile_1[r, i] * T.float32(0.5) + mask[b, key_start + (4 + r)]
                        for i in T.vectorized(4):
                            sums_1[i] = max_1[i]
                        for j in range(5):
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
                        for j in range(5):
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
                            for j in range(5):
                                for r in T.unroll(4):
                                    for i in T.vectorized(4):
                                        weighted_tile_1[r, i] = weighted_tile_1[r, i] + V[b, key_start + j, h // 3, value_tile * 4 + r] * scores_1[j, i]
                            for r in T.unroll(4):
                                for i in T.vectorized(4):
                                    weighted_1[value_tile * 4 + r, i] = weighted_1[value_tile * 4 + r, i] * rescale_1[i] + weighted_tile_1[r, i]
                        for r in T.unroll(1):
                            for i in T.vectorized(4):
                                weighted_tile_1[r, i] = T.float32(0.0)
                        for j in range(5):
                            for r in T.unroll(1):
                                for i in T.vectorized(4):
                                    weighted_tile_1[r, i] = weighted_tile_1[r, i] + V[b, key_start + j, h // 3, 4 + r] * scores_1[j, i]
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
                            if query_block * 4 + vector * 4 + i < 7:
                                for column in range(1):
                                    for c in T.vectorized(4):
                                        result[b, query_block * 4 + 4 + (vector * 4 + i), h * 5 + (column * 4 + c)] = rows_1[i, column * 4 + c] * rescale_1[vector * 4 + i]
                                for c in T.vectorized(1):
                                    result[b, query_block * 4 + 4 + (vector * 4 + i), h * 5 + (4 + c)] = rows_1[i, 4 + c] * rescale_1[vector * 4 + i]
