# Keys and values that are no plain elements are converted once for a block.
# test: opt --pass LegalizeOps --pass ApplyDefaultSchedule:target=haswell
# run: main tol=1e-3 == same
# run: main tol=1e-3 seed=5 special == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((1, 6, 1, 8), "float16"), k: R.Tensor((1, 10, 1, 8), "float16"), v: R.Tensor((1, 10, 1, 11), "float16")):
        with R.dataflow():
            a = R.nn.attention(q, k, v)
            R.output(a)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def attention(q: T.Buffer((T.int64(1), T.int64(6), T.int64(1), T.int64(8)), "float16"), k: T.Buffer((T.int64(1), T.int64(10), T.int64(1), T.int64(8)), "float16"), v: T.Buffer((T.int64(1), T.int64(10), T.int64(1), T.int64(11)), "float16"), T_attention: T.Buffer((T.int64(1), T.int64(6), T.int64(1), T.int64(11)), "float16")):
        T.func_attr({"tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(1)):
            with T.block("T_attention_products"):
                T.reads(q[T.int64(0), T.int64(0):T.int64(6), T.int64(0), T.int64(0):T.int64(8)], k[T.int64(0), T.int64(0):T.int64(10), T.int64(0), T.int64(0):T.int64(8)], v[T.int64(0), T.int64(0):T.int64(10), T.int64(0), T.int64(0):T.int64(11)])
                T.writes(T_attention[T.int64(0), T.int64(0):T.int64(6), T.int64(0), T.int64(0):T.int64(11)])
                queries = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                scores = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                weighted = T.alloc_buffer((T.int64(11), T.int64(8)), align=64)
                max = T.alloc_buffer((T.int64(8),), align=64)
                weight_sum = T.alloc_buffer((T.int64(8),), align=64)
                rescale = T.alloc_buffer((T.int64(8),), align=64)
                shift = T.alloc_buffer((T.int64(8),), align=64)
                rows = T.alloc_buffer((T.int64(8), T.int64(16)), align=64)
                keys = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                values = T.alloc_buffer((T.int64(96), T.int64(11)), align=64)
                weighted_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                score_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                query_block: T.int64 = T.int64(0)
                v_i1: T.int64 = T.int64(0)
                v_i0: T.int64 = T.int64(0)
                for vector in range(T.int64(1)):
                    for i in range(T.int64(8)):
                        for d in T.unroll(T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                rows[i, d * T.int64(8) + c] = T.Cast("float32", q[v_i0, T.min(query_block * T.int64(8) + (vector * T.int64(8) + i), T.Sub(T.int64(6), T.int64(1))), v_i1, d * T.int64(8) + c])
                    for i_tile, x_tile in T.grid(T.int64(1), T.int64(1)):
                        row: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(0), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                        row_1: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(1), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                        row_2: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(2), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                        row_3: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(3), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                        row_4: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(4), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                        row_5: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(5), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                        row_6: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(6), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                        row_7: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(7), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
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
                        queries[x_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                        queries[x_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                        queries[x_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                        queries[x_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                        queries[x_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                        queries[x_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                        queries[x_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                        queries[x_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                for i in T.vectorized(T.int64(8)):
                    max[i] = T.float32("-inf")
                for i in T.vectorized(T.int64(8)):
                    weight_sum[i] = T.float32(0.0)
                for w in range(T.int64(11)):
                    for i in T.vectorized(T.int64(8)):
                        weighted[w, i] = T.float32(0.0)
                with T.LetStmt(T.int64(0)) as key_start:
                    for j, column in T.grid(T.int64(10), T.int64(1)):
                        for c in T.vectorized(T.int64(8)):
                            keys[j, column * T.int64(8) + c] = T.Cast("float32", k[v_i0, key_start + j, v_i1, column * T.int64(8) + c])
                    for j in range(T.int64(10)):
                        for column in range(T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                values[j, column * T.int64(8) + c] = T.Cast("float32", v[v_i0, key_start + j, v_i1, column * T.int64(8) + c])
                        for c in T.vectorized(T.int64(3)):
                            values[j, T.int64(8) + c] = T.Cast("float32", v[v_i0, key_start + j, v_i1, T.int64(8) + c])
                    for tile in range(T.int64(1)):
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                score_tile[r, i] = T.float32(0.0)
                        for d in range(T.int64(8)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    score_tile[r, i] = score_tile[r, i] + keys[T.min(tile * T.int64(8) + r, T.Sub(T.int64(10), T.int64(1))), d] * queries[d, i]
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                scores[tile * T.int64(8) + r, i] = score_tile[r, i] * (T.float32(1.0) / T.sqrt(T.float32(8.0)))
                    for r in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(8)):
                            score_tile[r, i] = T.float32(0.0)
                    for d in range(T.int64(8)):
                        for r in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                score_tile[r, i] = score_tile[r, i] + keys[T.min(T.int64(8) + r, T.Sub(T.int64(10), T.int64(1))), d] * queries[d, i]
                    for r in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(8)):
                            scores[T.int64(8) + r, i] = score_tile[r, i] * (T.float32(1.0) / T.sqrt(T.float32(8.0)))
                    for i in T.vectorized(T.int64(8)):
                        sums[i] = max[i]
                    for j in range(T.int64(10)):
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
                    for j in range(T.int64(10)):
                        for i in T.vectorized(T.int64(8)):
                            scores[j, i] = T.Select(scores[j, i] - shift[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores[j, i] - shift[i] < T.float32(-87.33), T.float32(-87.33), scores[j, i] - shift[i])))
                        for i in T.vectorized(T.int64(8)):
                            sums[i] = sums[i] + scores[j, i]
                    for i in T.vectorized(T.int64(8)):
                        weight_sum[i] = weight_sum[i] * rescale[i] + sums[i]
                    for value_tile in range(T.int64(1)):
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                weighted_tile[r, i] = T.float32(0.0)
                        for j in range(T.int64(10)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    weighted_tile[r, i] = weighted_tile[r, i] + values[T.min(j, T.Sub(T.int64(10), T.int64(1))), value_tile * T.int64(8) + r] * scores[j, i]
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                weighted[value_tile * T.int64(8) + r, i] = weighted[value_tile * T.int64(8) + r, i] * rescale[i] + weighted_tile[r, i]
                    for r in T.unroll(T.int64(3)):
                        for i in T.vectorized(T.int64(8)):
                            weighted_tile[r, i] = T.float32(0.0)
                    for j in range(T.int64(10)):
                        for r in T.unroll(T.int64(3)):
                            for i in T.vectorized(T.int64(8)):
                                weighted_tile[r, i] = weighted_tile[r, i] + values[T.min(j, T.Sub(T.int64(10), T.int64(1))), T.int64(8) + r] * scores[j, i]
                    for r in T.unroll(T.int64(3)):
                        for i in T.vectorized(T.int64(8)):
                            weighted[T.int64(8) + r, i] = weighted[T.int64(8) + r, i] * rescale[i] + weighted_tile[r, i]
                for i in T.vectorized(T.int64(8)):
                    rescale[i] = T.float32(1.0) / weight_sum[i]
                for vector in range(T.int64(1)):
                    for w_tile, i_tile in T.grid(T.int64(2), T.int64(1)):
                        if w_tile * T.int64(8) + T.int64(7) < T.int64(11):
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
                            row: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(0) < T.int64(11), weighted[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_1: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(1) < T.int64(11), weighted[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_2: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(2) < T.int64(11), weighted[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_3: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(3) < T.int64(11), weighted[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_4: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(4) < T.int64(11), weighted[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_5: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(5) < T.int64(11), weighted[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_6: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(6) < T.int64(11), weighted[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_7: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(7) < T.int64(11), weighted[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
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
                            for column in range(T.int64(1)):
                                for c in T.vectorized(T.int64(8)):
                                    T_attention[T.int64(0), query_block * T.int64(8) + (vector * T.int64(8) + i), T.int64(0), column * T.int64(8) + c] = T.Cast("float16", T.Select(weight_sum[vector * T.int64(8) + i] == T.float32(0.0), T.float32(0.0), rows[i, column * T.int64(8) + c] * rescale[vector * T.int64(8) + i]))
                            for c in T.vectorized(T.int64(3)):
                                T_attention[T.int64(0), query_block * T.int64(8) + (vector * T.int64(8) + i), T.int64(0), T.int64(8) + c] = T.Cast("float16", T.Select(weight_sum[vector * T.int64(8) + i] == T.float32(0.0), T.float32(0.0), rows[i, T.int64(8) + c] * rescale[vector * T.int64(8) + i]))

    @R.function
    def main(q: R.Tensor((1, 6, 1, 8), dtype="float16"), k: R.Tensor((1, 10, 1, 8), dtype="float16"), v: R.Tensor((1, 10, 1, 11), dtype="float16")) -> R.Tensor((1, 6, 1, 11), dtype="float16"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.attention, (q, k, v), out_sinfo=R.Tensor((1, 6, 1, 11), dtype="float16"))
            R.output(a)
        return a
