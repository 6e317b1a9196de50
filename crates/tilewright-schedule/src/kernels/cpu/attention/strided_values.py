# Values of a head with those of other heads between them are copied for a block of keys; queries and results, which are
# rows in memory, are transposed in tiles, the edge tiles with masks.
# test: opt --pass LegalizeOps --pass ApplyDefaultSchedule:target=haswell
# run: main tol=1e-4 == same
# run: main tol=1e-4 seed=4 special == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, 33, 4, 11), "float32"), k: R.Tensor((2, 7, 4, 11), "float32"), v: R.Tensor((2, 7, 4, 10), "float32")):
        with R.dataflow():
            a = R.nn.attention(q, k, v, causal_mask="BottomRight")
            R.output(a)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def attention(q: T.Buffer((T.int64(2), T.int64(33), T.int64(4), T.int64(11)), "float32"), k: T.Buffer((T.int64(2), T.int64(7), T.int64(4), T.int64(11)), "float32"), v: T.Buffer((T.int64(2), T.int64(7), T.int64(4), T.int64(10)), "float32"), T_attention: T.Buffer((T.int64(2), T.int64(33), T.int64(4), T.int64(10)), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(24)):
            with T.block("T_attention_products"):
                T.reads(q[T.int64(0):T.int64(2), T.int64(0):T.int64(33), T.int64(0):T.int64(4), T.int64(0):T.int64(11)], k[T.int64(0):T.int64(2), T.int64(0):T.int64(7), T.int64(0):T.int64(4), T.int64(0):T.int64(11)], v[T.int64(0):T.int64(2), T.int64(0):T.int64(7), T.int64(0):T.int64(4), T.int64(0):T.int64(10)])
                T.writes(T_attention[T.int64(0):T.int64(2), T.int64(0):T.int64(33), T.int64(0):T.int64(4), T.int64(0):T.int64(10)])
                queries = T.alloc_buffer((T.int64(11), T.int64(16)), align=64)
                scores = T.alloc_buffer((T.int64(96), T.int64(16)), align=64)
                weighted = T.alloc_buffer((T.int64(10), T.int64(16)), align=64)
                max = T.alloc_buffer((T.int64(16),), align=64)
                weight_sum = T.alloc_buffer((T.int64(16),), align=64)
                rescale = T.alloc_buffer((T.int64(16),), align=64)
                shift = T.alloc_buffer((T.int64(16),), align=64)
                rows = T.alloc_buffer((T.int64(8), T.int64(16)), align=64)
                values = T.alloc_buffer((T.int64(96), T.int64(10)), align=64)
                masked_values = T.alloc_buffer((T.int64(10),), align=64)
                weighted_tile = T.alloc_buffer((T.int64(4), T.int64(16)), scope="local", align=64)
                score_tile = T.alloc_buffer((T.int64(4), T.int64(16)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(16),), scope="local", align=64)
                queries_1 = T.alloc_buffer((T.int64(11), T.int64(8)), align=64)
                scores_1 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                weighted_1 = T.alloc_buffer((T.int64(10), T.int64(8)), align=64)
                max_1 = T.alloc_buffer((T.int64(8),), align=64)
                weight_sum_1 = T.alloc_buffer((T.int64(8),), align=64)
                rescale_1 = T.alloc_buffer((T.int64(8),), align=64)
                shift_1 = T.alloc_buffer((T.int64(8),), align=64)
                rows_1 = T.alloc_buffer((T.int64(8), T.int64(16)), align=64)
                values_1 = T.alloc_buffer((T.int64(96), T.int64(10)), align=64)
                masked_values_1 = T.alloc_buffer((T.int64(10),), align=64)
                weighted_tile_1 = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                score_tile_1 = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                sums_1 = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                masked_columns = T.alloc_buffer((T.int64(10),), scope="local", align=64)
                query_block: T.int64 = task % T.int64(3)
                v_i1: T.int64 = task // T.int64(3) % T.int64(4)
                v_i0: T.int64 = task // T.int64(12)
                if query_block < T.int64(2):
                    key_end: T.int64 = T.max(T.min(query_block * T.int64(16) - T.int64(10), T.int64(7)), T.int64(0))
                    for i_tile, d_tile in T.grid(T.int64(2), T.int64(2)):
                        if d_tile * T.int64(8) + T.int64(7) < T.int64(11):
                            row: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(0)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_1: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(1)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_2: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(2)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_3: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(3)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_4: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(4)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_5: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(5)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_6: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(6)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_7: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(7)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
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
                            row: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(0)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8))
                            row_1: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(1)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8))
                            row_2: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(2)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8))
                            row_3: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(3)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8))
                            row_4: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(4)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8))
                            row_5: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(5)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8))
                            row_6: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(6)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8))
                            row_7: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(7)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8))
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
                            if d_tile * T.int64(8) + T.int64(0) < T.int64(11):
                                queries[d_tile * T.int64(8) + T.int64(0), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                            if d_tile * T.int64(8) + T.int64(1) < T.int64(11):
                                queries[d_tile * T.int64(8) + T.int64(1), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                            if d_tile * T.int64(8) + T.int64(2) < T.int64(11):
                                queries[d_tile * T.int64(8) + T.int64(2), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                            if d_tile * T.int64(8) + T.int64(3) < T.int64(11):
                                queries[d_tile * T.int64(8) + T.int64(3), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                            if d_tile * T.int64(8) + T.int64(4) < T.int64(11):
                                queries[d_tile * T.int64(8) + T.int64(4), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                            if d_tile * T.int64(8) + T.int64(5) < T.int64(11):
                                queries[d_tile * T.int64(8) + T.int64(5), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                            if d_tile * T.int64(8) + T.int64(6) < T.int64(11):
                                queries[d_tile * T.int64(8) + T.int64(6), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                            if d_tile * T.int64(8) + T.int64(7) < T.int64(11):
                                queries[d_tile * T.int64(8) + T.int64(7), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                    for v_1 in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(8)):
                            max[v_1 * T.int64(8) + i] = T.float32("-inf")
                    for v_1 in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(8)):
                            weight_sum[v_1 * T.int64(8) + i] = T.float32(0.0)
                    for w in T.unroll(T.int64(1)):
                        for c in T.vectorized(T.int64(8)):
                            masked_columns[w * T.int64(8) + c] = T.float32(0.0)
                    for c in T.vectorized(T.int64(2)):
                        masked_columns[T.int64(8) + c] = T.float32(0.0)
                    for j in range(T.int64(7) - key_end):
                        for w in T.unroll(T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                masked_columns[w * T.int64(8) + c] = masked_columns[w * T.int64(8) + c] + T.float32(0.0) * v[v_i0, key_end + j, v_i1, T.int64(0) + (w * T.int64(8) + c)]
                        for c in T.vectorized(T.int64(2)):
                            masked_columns[T.int64(8) + c] = masked_columns[T.int64(8) + c] + T.float32(0.0) * v[v_i0, key_end + j, v_i1, T.int64(0) + (T.int64(8) + c)]
                    for w in T.unroll(T.int64(1)):
                        for c in T.vectorized(T.int64(8)):
                            masked_values[T.int64(0) + (w * T.int64(8) + c)] = masked_columns[w * T.int64(8) + c]
                    for c in T.vectorized(T.int64(2)):
                        masked_values[T.int64(0) + (T.int64(8) + c)] = masked_columns[T.int64(8) + c]
                    for w in range(T.int64(10)):
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                weighted[w, v_1 * T.int64(8) + i] = masked_values[w]
                    for key_block in range((key_end + T.int64(95)) // T.int64(96)):
                        key_start: T.int64 = key_block * T.int64(96)
                        key_count: T.int64 = T.min(key_end - key_start, T.int64(96))
                        for j in range(key_count):
                            for column in range(T.int64(1)):
                                for c in T.vectorized(T.int64(8)):
                                    values[j, column * T.int64(8) + c] = v[v_i0, key_start + j, v_i1, column * T.int64(8) + c]
                            for c in T.vectorized(T.int64(2)):
                                values[j, T.int64(8) + c] = v[v_i0, key_start + j, v_i1, T.int64(8) + c]
                        for tile in range((key_count + T.int64(3)) // T.int64(4)):
                            for r in T.unroll(T.int64(4)):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(8)):
                                        score_tile[r, v_1 * T.int64(8) + i] = T.float32(0.0)
                            for d in range(T.int64(11)):
                                for r in T.unroll(T.int64(4)):
                                    for v_1 in T.unroll(T.int64(2)):
                                        for i in T.vectorized(T.int64(8)):
                                            score_tile[r, v_1 * T.int64(8) + i] = score_tile[r, v_1 * T.int64(8) + i] + k[v_i0, T.min(key_start + (tile * T.int64(4) + r), T.Sub(T.int64(7), T.int64(1))), v_i1, d] * queries[d, v_1 * T.int64(8) + i]
                            for r in T.unroll(T.int64(4)):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(8)):
                                        scores[tile * T.int64(4) + r, v_1 * T.int64(8) + i] = T.Select(query_block * T.int64(16) + (v_1 * T.int64(8) + i) + T.int64(-26) >= T.min(key_start + (tile * T.int64(4) + r), T.Sub(T.int64(7), T.int64(1))), score_tile[r, v_1 * T.int64(8) + i] * (T.float32(1.0) / T.sqrt(T.float32(11.0))), T.float32("-inf"))
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                sums[v_1 * T.int64(8) + i] = max[v_1 * T.int64(8) + i]
                        for j in range(key_count):
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    sums[v_1 * T.int64(8) + i] = T.Select(scores[j, v_1 * T.int64(8) + i] > sums[v_1 * T.int64(8) + i], scores[j, v_1 * T.int64(8) + i], sums[v_1 * T.int64(8) + i])
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                shift[v_1 * T.int64(8) + i] = T.Select(sums[v_1 * T.int64(8) + i] == T.float32("-inf"), T.float32(0.0), sums[v_1 * T.int64(8) + i])
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                rescale[v_1 * T.int64(8) + i] = T.exp(max[v_1 * T.int64(8) + i] - shift[v_1 * T.int64(8) + i])
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                max[v_1 * T.int64(8) + i] = sums[v_1 * T.int64(8) + i]
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                sums[v_1 * T.int64(8) + i] = T.float32(0.0)
                        for j in range(key_count):
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    scores[j, v_1 * T.int64(8) + i] = T.Select(scores[j, v_1 * T.int64(8) + i] - shift[v_1 * T.int64(8) + i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores[j, v_1 * T.int64(8) + i] - shift[v_1 * T.int64(8) + i] < T.float32(-87.33), T.float32(-87.33), scores[j, v_1 * T.int64(8) + i] - shift[v_1 * T.int64(8) + i])))
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    sums[v_1 * T.int64(8) + i] = sums[v_1 * T.int64(8) + i] + scores[j, v_1 * T.int64(8) + i]
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                weight_sum[v_1 * T.int64(8) + i] = weight_sum[v_1 * T.int64(8) + i] * rescale[v_1 * T.int64(8) + i] + sums[v_1 * T.int64(8) + i]
                        for value_tile in range(T.int64(2)):
                            for r in T.unroll(T.int64(4)):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(8)):
                                        weighted_tile[r, v_1 * T.int64(8) + i] = T.float32(0.0)
                            for j in range(key_count):
                                for r in T.unroll(T.int64(4)):
                                    for v_1 in T.unroll(T.int64(2)):
                                        for i in T.vectorized(T.int64(8)):
                                            weighted_tile[r, v_1 * T.int64(8) + i] = weighted_tile[r, v_1 * T.int64(8) + i] + values[T.min(j, key_count - T.int64(1)), value_tile * T.int64(4) + r] * scores[j, v_1 * T.int64(8) + i]
                            for r in T.unroll(T.int64(4)):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(8)):
                                        weighted[value_tile * T.int64(4) + r, v_1 * T.int64(8) + i] = weighted[value_tile * T.int64(4) + r, v_1 * T.int64(8) + i] * rescale[v_1 * T.int64(8) + i] + weighted_tile[r, v_1 * T.int64(8) + i]
                        for r in T.unroll(T.int64(2)):
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    weighted_tile[r, v_1 * T.int64(8) + i] = T.float32(0.0)
                        for j in range(key_count):
                            for r in T.unroll(T.int64(2)):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(8)):
                                        weighted_tile[r, v_1 * T.int64(8) + i] = weighted_tile[r, v_1 * T.int64(8) + i] + values[T.min(j, key_count - T.int64(1)), T.int64(8) + r] * scores[j, v_1 * T.int64(8) + i]
                        for r in T.unroll(T.int64(2)):
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    weighted[T.int64(8) + r, v_1 * T.int64(8) + i] = weighted[T.int64(8) + r, v_1 * T.int64(8) + i] * rescale[v_1 * T.int64(8) + i] + weighted_tile[r, v_1 * T.int64(8) + i]
                    for v_1 in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(8)):
                            rescale[v_1 * T.int64(8) + i] = T.float32(1.0) / weight_sum[v_1 * T.int64(8) + i]
                    for vector in range(T.int64(2)):
                        for w_tile, i_tile in T.grid(T.int64(2), T.int64(1)):
                            if w_tile * T.int64(8) + T.int64(7) < T.int64(10):
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
                                row: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(0) < T.int64(10), weighted[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_1: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(1) < T.int64(10), weighted[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_2: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(2) < T.int64(10), weighted[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_3: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(3) < T.int64(10), weighted[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_4: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(4) < T.int64(10), weighted[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_5: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(5) < T.int64(10), weighted[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_6: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(6) < T.int64(10), weighted[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_7: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(7) < T.int64(10), weighted[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
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
                            for column in range(T.int64(1)):
                                for c in T.vectorized(T.int64(8)):
                                    T_attention[v_i0, query_block * T.int64(16) + (vector * T.int64(8) + i), v_i1, column * T.int64(8) + c] = T.Select(weight_sum[vector * T.int64(8) + i] == T.float32(0.0), T.float32(0.0), rows[i, column * T.int64(8) + c] * rescale[vector * T.int64(8) + i])
                            for c in T.vectorized(T.int64(2)):
                                T_attention[v_i0, query_block * T.int64(16) + (vector * T.int64(8) + i), v_i1, T.int64(8) + c] = T.Select(weight_sum[vector * T.int64(8) + i] == T.float32(0.0), T.float32(0.0), rows[i, T.int64(8) + c] * rescale[vector * T.int64(8) + i])
                else:
                    key_end: T.int64 = T.max(T.min(query_block * T.int64(8) - T.int64(2), T.int64(7)), T.int64(0))
                    for i_tile, d_tile in T.grid(T.int64(1), T.int64(2)):
                        if d_tile * T.int64(8) + T.int64(7) < T.int64(11) and query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(7)) < T.int64(33):
                            row: T.float32x8 = q[v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(0)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_1: T.float32x8 = q[v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(1)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_2: T.float32x8 = q[v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(2)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_3: T.float32x8 = q[v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(3)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_4: T.float32x8 = q[v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(4)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_5: T.float32x8 = q[v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(5)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_6: T.float32x8 = q[v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(6)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                            row_7: T.float32x8 = q[v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(7)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
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
                            queries_1[d_tile * T.int64(8) + T.int64(0), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                            queries_1[d_tile * T.int64(8) + T.int64(1), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                            queries_1[d_tile * T.int64(8) + T.int64(2), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                            queries_1[d_tile * T.int64(8) + T.int64(3), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                            queries_1[d_tile * T.int64(8) + T.int64(4), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                            queries_1[d_tile * T.int64(8) + T.int64(5), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                            queries_1[d_tile * T.int64(8) + T.int64(6), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                            queries_1[d_tile * T.int64(8) + T.int64(7), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                        else:
                            row: T.float32x8 = T.if_then_else(query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(0)) < T.int64(33), q.vload([v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(0)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8)), T.Broadcast(T.float32(0.0), 8))
                            row_1: T.float32x8 = T.if_then_else(query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(1)) < T.int64(33), q.vload([v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(1)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8)), T.Broadcast(T.float32(0.0), 8))
                            row_2: T.float32x8 = T.if_then_else(query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(2)) < T.int64(33), q.vload([v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(2)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8)), T.Broadcast(T.float32(0.0), 8))
                            row_3: T.float32x8 = T.if_then_else(query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(3)) < T.int64(33), q.vload([v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(3)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8)), T.Broadcast(T.float32(0.0), 8))
                            row_4: T.float32x8 = T.if_then_else(query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(4)) < T.int64(33), q.vload([v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(4)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8)), T.Broadcast(T.float32(0.0), 8))
                            row_5: T.float32x8 = T.if_then_else(query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(5)) < T.int64(33), q.vload([v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(5)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8)), T.Broadcast(T.float32(0.0), 8))
                            row_6: T.float32x8 = T.if_then_else(query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(6)) < T.int64(33), q.vload([v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(6)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8)), T.Broadcast(T.float32(0.0), 8))
                            row_7: T.float32x8 = T.if_then_else(query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(7)) < T.int64(33), q.vload([v_i0, query_block * T.int64(8) + T.int64(16) + (i_tile * T.int64(8) + T.int64(7)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(11), 8)), T.Broadcast(T.float32(0.0), 8))
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
                            if d_tile * T.int64(8) + T.int64(0) < T.int64(11):
                                queries_1[d_tile * T.int64(8) + T.int64(0), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                            if d_tile * T.int64(8) + T.int64(1) < T.int64(11):
                                queries_1[d_tile * T.int64(8) + T.int64(1), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                            if d_tile * T.int64(8) + T.int64(2) < T.int64(11):
                                queries_1[d_tile * T.int64(8) + T.int64(2), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                            if d_tile * T.int64(8) + T.int64(3) < T.int64(11):
                                queries_1[d_tile * T.int64(8) + T.int64(3), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                            if d_tile * T.int64(8) + T.int64(4) < T.int64(11):
                                queries_1[d_tile * T.int64(8) + T.int64(4), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                            if d_tile * T.int64(8) + T.int64(5) < T.int64(11):
                                queries_1[d_tile * T.int64(8) + T.int64(5), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                            if d_tile * T.int64(8) + T.int64(6) < T.int64(11):
                                queries_1[d_tile * T.int64(8) + T.int64(6), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                            if d_tile * T.int64(8) + T.int64(7) < T.int64(11):
                                queries_1[d_tile * T.int64(8) + T.int64(7), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                    for i in T.vectorized(T.int64(8)):
                        max_1[i] = T.float32("-inf")
                    for i in T.vectorized(T.int64(8)):
                        weight_sum_1[i] = T.float32(0.0)
                    for w in T.unroll(T.int64(1)):
                        for c in T.vectorized(T.int64(8)):
                            masked_columns[w * T.int64(8) + c] = T.float32(0.0)
                    for c in T.vectorized(T.int64(2)):
                        masked_columns[T.int64(8) + c] = T.float32(0.0)
                    for j in range(T.int64(7) - key_end):
                        for w in T.unroll(T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                masked_columns[w * T.int64(8) + c] = masked_columns[w * T.int64(8) + c] + T.float32(0.0) * v[v_i0, key_end + j, v_i1, T.int64(0) + (w * T.int64(8) + c)]
                        for c in T.vectorized(T.int64(2)):
                            masked_columns[T.int64(8) + c] = masked_columns[T.int64(8) + c] + T.float32(0.0) * v[v_i0, key_end + j, v_i1, T.int64(0) + (T.int64(8) + c)]
                    for w in T.unroll(T.int64(1)):
                        for c in T.vectorized(T.int64(8)):
                            masked_values_1[T.int64(0) + (w * T.int64(8) + c)] = masked_columns[w * T.int64(8) + c]
                    for c in T.vectorized(T.int64(2)):
                        masked_values_1[T.int64(0) + (T.int64(8) + c)] = masked_columns[T.int64(8) + c]
                    for w in range(T.int64(10)):
                        for i in T.vectorized(T.int64(8)):
                            weighted_1[w, i] = masked_values_1[w]
                    for key_block in range((key_end + T.int64(95)) // T.int64(96)):
                        key_start: T.int64 = key_block * T.int64(96)
                        key_count: T.int64 = T.min(key_end - key_start, T.int64(96))
                        for j in range(key_count):
                            for column in range(T.int64(1)):
                                for c in T.vectorized(T.int64(8)):
                                    values_1[j, column * T.int64(8) + c] = v[v_i0, key_start + j, v_i1, column * T.int64(8) + c]
                            for c in T.vectorized(T.int64(2)):
                                values_1[j, T.int64(8) + c] = v[v_i0, key_start + j, v_i1, T.int64(8) + c]
                        for tile in range((key_count + T.int64(7)) // T.int64(8)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    score_tile_1[r, i] = T.float32(0.0)
                            for d in range(T.int64(11)):
                                for r in T.unroll(T.int64(8)):
                                    for i in T.vectorized(T.int64(8)):
                                        score_tile_1[r, i] = score_tile_1[r, i] + k[v_i0, T.min(key_start + (tile * T.int64(8) + r), T.Sub(T.int64(7), T.int64(1))), v_i1, d] * queries_1[d, i]
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    scores_1[tile * T.int64(8) + r, i] = T.Select(T.min(query_block * T.int64(8) + T.int64(16) + i, T.Sub(T.int64(33), T.int64(1))) + T.int64(-26) >= T.min(key_start + (tile * T.int64(8) + r), T.Sub(T.int64(7), T.int64(1))), score_tile_1[r, i] * (T.float32(1.0) / T.sqrt(T.float32(11.0))), T.float32("-inf"))
                        for i in T.vectorized(T.int64(8)):
                            sums_1[i] = max_1[i]
                        for j in range(key_count):
                            for i in T.vectorized(T.int64(8)):
                                sums_1[i] = T.Select(scores_1[j, i] > sums_1[i], scores_1[j, i], sums_1[i])
                        for i in T.vectorized(T.int64(8)):
                            shift_1[i] = T.Select(sums_1[i] == T.float32("-inf"), T.float32(0.0), sums_1[i])
                        for i in T.vectorized(T.int64(8)):
                            rescale_1[i] = T.exp(max_1[i] - shift_1[i])
                        for i in T.vectorized(T.int64(8)):
                            max_1[i] = sums_1[i]
                        for i in T.vectorized(T.int64(8)):
                            sums_1[i] = T.float32(0.0)
                        for j in range(key_count):
                            for i in T.vectorized(T.int64(8)):
                                scores_1[j, i] = T.Select(scores_1[j, i] - shift_1[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores_1[j, i] - shift_1[i] < T.float32(-87.33), T.float32(-87.33), scores_1[j, i] - shift_1[i])))
                            for i in T.vectorized(T.int64(8)):
                                sums_1[i] = sums_1[i] + scores_1[j, i]
                        for i in T.vectorized(T.int64(8)):
                            weight_sum_1[i] = weight_sum_1[i] * rescale_1[i] + sums_1[i]
                        for value_tile in range(T.int64(1)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    weighted_tile_1[r, i] = T.float32(0.0)
                            for j in range(key_count):
                                for r in T.unroll(T.int64(8)):
                                    for i in T.vectorized(T.int64(8)):
                                        weighted_tile_1[r, i] = weighted_tile_1[r, i] + values_1[T.min(j, key_count - T.int64(1)), value_tile * T.int64(8) + r] * scores_1[j, i]
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    weighted_1[value_tile * T.int64(8) + r, i] = weighted_1[value_tile * T.int64(8) + r, i] * rescale_1[i] + weighted_tile_1[r, i]
                        for r in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                weighted_tile_1[r, i] = T.float32(0.0)
                        for j in range(key_count):
                            for r in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    weighted_tile_1[r, i] = weighted_tile_1[r, i] + values_1[T.min(j, key_count - T.int64(1)), T.int64(8) + r] * scores_1[j, i]
                        for r in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                weighted_1[T.int64(8) + r, i] = weighted_1[T.int64(8) + r, i] * rescale_1[i] + weighted_tile_1[r, i]
                    for i in T.vectorized(T.int64(8)):
                        rescale_1[i] = T.float32(1.0) / weight_sum_1[i]
                    for vector in range(T.int64(1)):
                        for w_tile, i_tile in T.grid(T.int64(2), T.int64(1)):
                            if w_tile * T.int64(8) + T.int64(7) < T.int64(10):
                                row: T.float32x8 = weighted_1[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                row_1: T.float32x8 = weighted_1[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                row_2: T.float32x8 = weighted_1[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                row_3: T.float32x8 = weighted_1[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                row_4: T.float32x8 = weighted_1[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                row_5: T.float32x8 = weighted_1[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                row_6: T.float32x8 = weighted_1[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                row_7: T.float32x8 = weighted_1[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
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
                                rows_1[i_tile * T.int64(8) + T.int64(0), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                                rows_1[i_tile * T.int64(8) + T.int64(1), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                                rows_1[i_tile * T.int64(8) + T.int64(2), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                                rows_1[i_tile * T.int64(8) + T.int64(3), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                                rows_1[i_tile * T.int64(8) + T.int64(4), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                                rows_1[i_tile * T.int64(8) + T.int64(5), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                                rows_1[i_tile * T.int64(8) + T.int64(6), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                                rows_1[i_tile * T.int64(8) + T.int64(7), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                            else:
                                row: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(0) < T.int64(10), weighted_1[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_1: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(1) < T.int64(10), weighted_1[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_2: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(2) < T.int64(10), weighted_1[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_3: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(3) < T.int64(10), weighted_1[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_4: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(4) < T.int64(10), weighted_1[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_5: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(5) < T.int64(10), weighted_1[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_6: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(6) < T.int64(10), weighted_1[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                row_7: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(7) < T.int64(10), weighted_1[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
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
                                rows_1[i_tile * T.int64(8) + T.int64(0), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                                rows_1[i_tile * T.int64(8) + T.int64(1), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                                rows_1[i_tile * T.int64(8) + T.int64(2), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                                rows_1[i_tile * T.int64(8) + T.int64(3), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                                rows_1[i_tile * T.int64(8) + T.int64(4), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                                rows_1[i_tile * T.int64(8) + T.int64(5), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                                rows_1[i_tile * T.int64(8) + T.int64(6), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                                rows_1[i_tile * T.int64(8) + T.int64(7), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                        for i in range(T.int64(8)):
                            if query_block * T.int64(8) + vector * T.int64(8) + i < T.int64(17):
                                for column in range(T.int64(1)):
                                    for c in T.vectorized(T.int64(8)):
                                        T_attention[v_i0, query_block * T.int64(8) + T.int64(16) + (vector * T.int64(8) + i), v_i1, column * T.int64(8) + c] = T.Select(weight_sum_1[vector * T.int64(8) + i] == T.float32(0.0), T.float32(0.0), rows_1[i, column * T.int64(8) + c] * rescale_1[vector * T.int64(8) + i])
                                for c in T.vectorized(T.int64(2)):
                                    T_attention[v_i0, query_block * T.int64(8) + T.int64(16) + (vector * T.int64(8) + i), v_i1, T.int64(8) + c] = T.Select(weight_sum_1[vector * T.int64(8) + i] == T.float32(0.0), T.float32(0.0), rows_1[i, T.int64(8) + c] * rescale_1[vector * T.int64(8) + i])

    @R.function
    def main(q: R.Tensor((2, 33, 4, 11), dtype="float32"), k: R.Tensor((2, 7, 4, 11), dtype="float32"), v: R.Tensor((2, 7, 4, 10), dtype="float32")) -> R.Tensor((2, 33, 4, 10), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.attention, (q, k, v), out_sinfo=R.Tensor((2, 33, 4, 10), dtype="float32"))
            R.output(a)
        return a
