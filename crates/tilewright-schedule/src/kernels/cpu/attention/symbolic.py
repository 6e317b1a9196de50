# Attention of any number of queries and keys: the run decides whether lanes are queries.
# test: opt --pass LegalizeOps --pass ApplyDefaultSchedule:target=haswell
# run: main n=1 m=7 == same
# run: main n=3 m=150 == same
# run: main n=5 m=129 == same
# run: main n=17 m=128 seed=2 == same
# run: main n=40 m=3 seed=3 == same
# run: main n=0 m=3 == same
# run: main n=6 m=0 == same
# run: main n=2 m=0 == same
# run: main n=6 m=1 special == same
# run: main n=2 m=9 special == same
# run: main n=37 m=37 special == same
# run: main n=31 m=150 special seed=5 == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, "n", 3, 9), "float32"), k: R.Tensor((2, "m", 3, 9), "float32"), v: R.Tensor((2, "m", 3, 5), "float32"), bias: R.Tensor((2, 1, "n", "m"), "float32")):
        with R.dataflow():
            a = R.nn.attention_bias(q, k, v, bias, causal_mask="BottomRight")
            R.output(a)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def attention_bias(var_q: T.handle, var_k: T.handle, var_v: T.handle, var_bias: T.handle, var_T_attention_bias: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        n = T.int64()
        q = T.match_buffer(var_q, (T.int64(2), n, T.int64(3), T.int64(9)), "float32")
        m = T.int64()
        k = T.match_buffer(var_k, (T.int64(2), m, T.int64(3), T.int64(9)), "float32")
        v = T.match_buffer(var_v, (T.int64(2), m, T.int64(3), T.int64(5)), "float32")
        bias = T.match_buffer(var_bias, (T.int64(2), T.int64(1), n, m), "float32")
        T_attention_bias = T.match_buffer(var_T_attention_bias, (T.int64(2), n, T.int64(3), T.int64(5)), "float32")
        # with T.block("root"):
        if n <= T.int64(4):
            for task in T.parallel(n * T.int64(6)):
                with T.block("T_attention_bias_products"):
                    T.reads(q[T.int64(0):T.int64(2), T.int64(0):n, T.int64(0):T.int64(3), T.int64(0):T.int64(9)], k[T.int64(0):T.int64(2), T.int64(0):m, T.int64(0):T.int64(3), T.int64(0):T.int64(9)], v[T.int64(0):T.int64(2), T.int64(0):m, T.int64(0):T.int64(3), T.int64(0):T.int64(5)], bias[T.int64(0):T.int64(2), T.int64(0), T.int64(0):n, T.int64(0):m])
                    T.writes(T_attention_bias[T.int64(0):T.int64(2), T.int64(0):n, T.int64(0):T.int64(3), T.int64(0):T.int64(5)])
                    query = T.alloc_buffer((T.int64(9),), align=64)
                    scores = T.alloc_buffer((T.int64(96),), align=64)
                    mixed = T.alloc_buffer((T.int64(5),), scope="local", align=64)
                    block = T.alloc_buffer((T.int64(5),), scope="local", align=64)
                    best = T.alloc_buffer((T.int64(1),), align=64)
                    total = T.alloc_buffer((T.int64(1),), align=64)
                    correction = T.alloc_buffer((T.int64(1),), align=64)
                    reference = T.alloc_buffer((T.int64(1),), align=64)
                    half = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                    half_1 = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                    half_2 = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                    half_3 = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                    query_block: T.int64 = task % n
                    v_i1: T.int64 = task // n % T.int64(3)
                    v_i0: T.int64 = task // n // T.int64(3)
                    for d in T.unroll(T.int64(1)):
                        for c in T.vectorized(T.int64(8)):
                            query[d * T.int64(8) + c] = q[v_i0, query_block, v_i1, d * T.int64(8) + c]
                    for c in T.vectorized(T.int64(1)):
                        query[T.int64(8) + c] = q[v_i0, query_block, v_i1, T.int64(8) + c]
                    best[T.int64(0)] = T.float32("-inf")
                    total[T.int64(0)] = T.float32(0.0)
                    for c in T.vectorized(T.int64(5)):
                        mixed[T.int64(0) + c] = T.float32(0.0)
                    for key_block in range((m + T.int64(95)) // T.int64(96)):
                        first_key: T.int64 = key_block * T.int64(96)
                        keys: T.int64 = T.min(m - first_key, T.int64(96))
                        for j in range((keys + T.int64(7)) // T.int64(8) * T.int64(8)):
                            for c in T.vectorized(T.int64(8)):
                                half[c] = T.float32(0.0)
                            for d in T.unroll(T.int64(1)):
                                for c in T.vectorized(T.int64(8)):
                                    half[c] = half[c] + query[d * T.int64(8) + c] * k[v_i0, T.min(first_key + j, m - T.int64(1)), v_i1, d * T.int64(8) + c]
                            for c in T.vectorized(T.int64(4)):
                                half_1[c] = half[c] + half[c + T.int64(4)]
                            for c in T.vectorized(T.int64(2)):
                                half_2[c] = half_1[c] + half_1[c + T.int64(2)]
                            for c in T.vectorized(T.int64(1)):
                                half_3[c] = half_2[c] + half_2[c + T.int64(1)]
                            for d in T.unroll(T.int64(1)):
                                half_3[T.int64(0)] = half_3[T.int64(0)] + query[T.int64(8) + d] * k[v_i0, T.min(first_key + j, m - T.int64(1)), v_i1, T.int64(8) + d]
                            scores[j] = half_3[T.int64(0)]
                        for c in T.vectorized(T.int64(8)):
                            half[c] = T.float32("-inf")
                        for v_1 in range((keys + T.int64(7)) // T.int64(8)):
                            for c in T.vectorized(T.int64(8)):
                                scores[v_1 * T.int64(8) + c] = T.Select(v_1 * T.int64(8) + c < keys, T.Select(query_block + (m - n) >= T.min(first_key + (v_1 * T.int64(8) + c), m - T.int64(1)), scores[v_1 * T.int64(8) + c] * (T.float32(1.0) / T.sqrt(T.float32(9.0))) + bias[v_i0, T.int64(0), query_block, T.min(first_key + (v_1 * T.int64(8) + c), m - T.int64(1))], T.float32("-inf")), T.float32("-inf"))
                                half[c] = T.Select(scores[v_1 * T.int64(8) + c] > half[c], scores[v_1 * T.int64(8) + c], half[c])
                        for c in T.vectorized(T.int64(4)):
                            half_1[c] = T.max(half[c], half[c + T.int64(4)])
                        for c in T.vectorized(T.int64(2)):
                            half_2[c] = T.max(half_1[c], half_1[c + T.int64(2)])
                        for c in T.vectorized(T.int64(1)):
                            half_3[c] = T.max(half_2[c], half_2[c + T.int64(1)])
                        half_3[T.int64(0)] = T.Select(best[T.int64(0)] > half_3[T.int64(0)], best[T.int64(0)], half_3[T.int64(0)])
                        reference[T.int64(0)] = T.Select(half_3[T.int64(0)] == T.float32("-inf"), T.float32(0.0), half_3[T.int64(0)])
                        correction[T.int64(0)] = T.exp(best[T.int64(0)] - reference[T.int64(0)])
                        best[T.int64(0)] = half_3[T.int64(0)]
                        for c in T.vectorized(T.int64(8)):
                            half[c] = T.float32(0.0)
                        for v_1 in range((keys + T.int64(7)) // T.int64(8)):
                            for c in T.vectorized(T.int64(8)):
                                scores[v_1 * T.int64(8) + c] = T.Select(scores[v_1 * T.int64(8) + c] - reference[T.int64(0)] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores[v_1 * T.int64(8) + c] - reference[T.int64(0)] < T.float32(-87.33), T.float32(-87.33), scores[v_1 * T.int64(8) + c] - reference[T.int64(0)])))
                                half[c] = half[c] + scores[v_1 * T.int64(8) + c]
                        for c in T.vectorized(T.int64(4)):
                            half_1[c] = half[c] + half[c + T.int64(4)]
                        for c in T.vectorized(T.int64(2)):
                            half_2[c] = half_1[c] + half_1[c + T.int64(2)]
                        for c in T.vectorized(T.int64(1)):
                            half_3[c] = half_2[c] + half_2[c + T.int64(1)]
                        total[T.int64(0)] = total[T.int64(0)] * correction[T.int64(0)] + half_3[T.int64(0)]
                        for c in T.vectorized(T.int64(5)):
                            block[T.int64(0) + c] = T.float32(0.0)
                        for j in range(keys):
                            for c in T.vectorized(T.int64(5)):
                                block[T.int64(0) + c] = block[T.int64(0) + c] + scores[j] * v[v_i0, first_key + j, v_i1, T.int64(0) + c]
                        for c in T.vectorized(T.int64(5)):
                            mixed[T.int64(0) + c] = mixed[T.int64(0) + c] * correction[T.int64(0)] + block[T.int64(0) + c]
                    for c in T.vectorized(T.int64(5)):
                        T_attention_bias[v_i0, query_block, v_i1, T.int64(0) + c] = T.Select(total[T.int64(0)] == T.float32(0.0), T.float32(0.0), mixed[T.int64(0) + c] / total[T.int64(0)])
        else:
            for task in T.parallel(n // T.int64(16) * T.int64(6) + (n % T.int64(16) + T.int64(7)) // T.int64(8) * T.int64(6)):
                with T.block("T_attention_bias_products"):
                    T.reads(q[T.int64(0):T.int64(2), T.int64(0):n, T.int64(0):T.int64(3), T.int64(0):T.int64(9)], k[T.int64(0):T.int64(2), T.int64(0):m, T.int64(0):T.int64(3), T.int64(0):T.int64(9)], v[T.int64(0):T.int64(2), T.int64(0):m, T.int64(0):T.int64(3), T.int64(0):T.int64(5)], bias[T.int64(0):T.int64(2), T.int64(0), T.int64(0):n, T.int64(0):m])
                    T.writes(T_attention_bias[T.int64(0):T.int64(2), T.int64(0):n, T.int64(0):T.int64(3), T.int64(0):T.int64(5)])
                    queries = T.alloc_buffer((T.int64(9), T.int64(16)), align=64)
                    scores = T.alloc_buffer((T.int64(96), T.int64(16)), align=64)
                    mixed = T.alloc_buffer((T.int64(5), T.int64(16)), align=64)
                    best = T.alloc_buffer((T.int64(16),), align=64)
                    total = T.alloc_buffer((T.int64(16),), align=64)
                    correction = T.alloc_buffer((T.int64(16),), align=64)
                    reference = T.alloc_buffer((T.int64(16),), align=64)
                    rows = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                    values = T.alloc_buffer((T.int64(96), T.int64(5)), align=64)
                    unseen = T.alloc_buffer((T.int64(5),), align=64)
                    mask0 = T.alloc_buffer((T.int64(96), T.int64(16)), align=64)
                    mask_rows = T.alloc_buffer((T.int64(8), T.int64(96)), align=64)
                    mixed_tile = T.alloc_buffer((T.int64(4), T.int64(16)), scope="local", align=64)
                    tile = T.alloc_buffer((T.int64(4), T.int64(16)), scope="local", align=64)
                    sums = T.alloc_buffer((T.int64(16),), scope="local", align=64)
                    queries_1 = T.alloc_buffer((T.int64(9), T.int64(8)), align=64)
                    scores_1 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                    mixed_1 = T.alloc_buffer((T.int64(5), T.int64(8)), align=64)
                    best_1 = T.alloc_buffer((T.int64(8),), align=64)
                    total_1 = T.alloc_buffer((T.int64(8),), align=64)
                    correction_1 = T.alloc_buffer((T.int64(8),), align=64)
                    reference_1 = T.alloc_buffer((T.int64(8),), align=64)
                    rows_1 = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                    values_1 = T.alloc_buffer((T.int64(96), T.int64(5)), align=64)
                    unseen_1 = T.alloc_buffer((T.int64(5),), align=64)
                    mask0_1 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                    mask_rows_1 = T.alloc_buffer((T.int64(8), T.int64(96)), align=64)
                    mixed_tile_1 = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                    tile_1 = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                    sums_1 = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                    columns = T.alloc_buffer((T.int64(5),), scope="local", align=64)
                    query_block: T.int64 = task % (n // T.int64(16) + (n % T.int64(16) + T.int64(7)) // T.int64(8))
                    v_i1: T.int64 = task // (n // T.int64(16) + (n % T.int64(16) + T.int64(7)) // T.int64(8)) % T.int64(3)
                    v_i0: T.int64 = task // (n // T.int64(16) + (n % T.int64(16) + T.int64(7)) // T.int64(8)) // T.int64(3)
                    if query_block < n // T.int64(16):
                        seen: T.int64 = T.max(T.min(query_block * T.int64(16) - n + T.int64(16), T.int64(0)) + m, T.int64(0))
                        for i_tile, d_tile in T.grid(T.int64(2), T.int64(2)):
                            if d_tile * T.int64(8) + T.int64(7) < T.int64(9):
                                row: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(0)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_1: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(1)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_2: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(2)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_3: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(3)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_4: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(4)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_5: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(5)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_6: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(6)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_7: T.float32x8 = q[v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(7)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                mixed_2: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_3: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_5: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_7: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_9: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_10: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_12: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_13: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_14: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_16: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_17: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_18: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_20: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_22: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_24: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_25: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [4, 5, 6, 7, 12, 13, 14, 15])
                                queries[d_tile * T.int64(8) + T.int64(0), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                queries[d_tile * T.int64(8) + T.int64(1), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                queries[d_tile * T.int64(8) + T.int64(2), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                queries[d_tile * T.int64(8) + T.int64(3), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                queries[d_tile * T.int64(8) + T.int64(4), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                queries[d_tile * T.int64(8) + T.int64(5), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                queries[d_tile * T.int64(8) + T.int64(6), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                queries[d_tile * T.int64(8) + T.int64(7), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                            else:
                                row: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(0)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8))
                                row_1: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(1)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8))
                                row_2: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(2)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8))
                                row_3: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(3)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8))
                                row_4: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(4)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8))
                                row_5: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(5)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8))
                                row_6: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(6)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8))
                                row_7: T.float32x8 = q.vload([v_i0, query_block * T.int64(16) + (i_tile * T.int64(8) + T.int64(7)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8))
                                mixed_2: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_3: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_5: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_7: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_9: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_10: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_12: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_13: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_14: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_16: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_17: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_18: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_20: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_22: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_24: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_25: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [4, 5, 6, 7, 12, 13, 14, 15])
                                if d_tile * T.int64(8) + T.int64(0) < T.int64(9):
                                    queries[d_tile * T.int64(8) + T.int64(0), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                if d_tile * T.int64(8) + T.int64(1) < T.int64(9):
                                    queries[d_tile * T.int64(8) + T.int64(1), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                if d_tile * T.int64(8) + T.int64(2) < T.int64(9):
                                    queries[d_tile * T.int64(8) + T.int64(2), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                if d_tile * T.int64(8) + T.int64(3) < T.int64(9):
                                    queries[d_tile * T.int64(8) + T.int64(3), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                if d_tile * T.int64(8) + T.int64(4) < T.int64(9):
                                    queries[d_tile * T.int64(8) + T.int64(4), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                if d_tile * T.int64(8) + T.int64(5) < T.int64(9):
                                    queries[d_tile * T.int64(8) + T.int64(5), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                if d_tile * T.int64(8) + T.int64(6) < T.int64(9):
                                    queries[d_tile * T.int64(8) + T.int64(6), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                if d_tile * T.int64(8) + T.int64(7) < T.int64(9):
                                    queries[d_tile * T.int64(8) + T.int64(7), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                best[v_1 * T.int64(8) + i] = T.float32("-inf")
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                total[v_1 * T.int64(8) + i] = T.float32(0.0)
                        for c in T.vectorized(T.int64(5)):
                            columns[T.int64(0) + c] = T.float32(0.0)
                        for j in range(m - seen):
                            for c in T.vectorized(T.int64(5)):
                                columns[T.int64(0) + c] = columns[T.int64(0) + c] + T.float32(0.0) * v[v_i0, seen + j, v_i1, T.int64(0) + (T.int64(0) + c)]
                        for c in T.vectorized(T.int64(5)):
                            unseen[T.int64(0) + (T.int64(0) + c)] = columns[T.int64(0) + c]
                        for i in range(T.int64(8)):
                            for j in T.unroll(T.int64(12)):
                                for c in T.vectorized(T.int64(8)):
                                    mask_rows[i, j * T.int64(8) + c] = T.float32(0.0)
                        for w in range(T.int64(5)):
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    mixed[w, v_1 * T.int64(8) + i] = unseen[w]
                        for key_block in range((seen + T.int64(95)) // T.int64(96)):
                            first_key: T.int64 = key_block * T.int64(96)
                            keys: T.int64 = T.min(seen - first_key, T.int64(96))
                            for j in range(keys):
                                for c in T.vectorized(T.int64(5)):
                                    values[j, T.int64(0) + c] = v[v_i0, first_key + j, v_i1, T.int64(0) + c]
                            for vector in range(T.int64(2)):
                                for i in range(T.int64(8)):
                                    for j in T.vectorized(keys):
                                        mask_rows[i, j] = bias[v_i0, T.int64(0), query_block * T.int64(16) + (vector * T.int64(8) + i), first_key + j]
                                for i_tile, j_tile in T.grid(T.int64(1), (keys + T.int64(7)) // T.int64(8)):
                                    row: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(0), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_1: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(1), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_2: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(2), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_3: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(3), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_4: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(4), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_5: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(5), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_6: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(6), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_7: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(7), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    mixed_2: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_3: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_5: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_7: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_9: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_10: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_12: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_13: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_14: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_16: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_17: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_18: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_20: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_22: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_24: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_25: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mask0[j_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                    mask0[j_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                    mask0[j_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                    mask0[j_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                    mask0[j_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                    mask0[j_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                    mask0[j_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                    mask0[j_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                            for tile_2 in range((keys + T.int64(3)) // T.int64(4)):
                                for r in T.unroll(T.int64(4)):
                                    for v_1 in T.unroll(T.int64(2)):
                                        for i in T.vectorized(T.int64(8)):
                                            tile[r, v_1 * T.int64(8) + i] = T.float32(0.0)
                                for d in range(T.int64(9)):
                                    for r in T.unroll(T.int64(4)):
                                        for v_1 in T.unroll(T.int64(2)):
                                            for i in T.vectorized(T.int64(8)):
                                                tile[r, v_1 * T.int64(8) + i] = tile[r, v_1 * T.int64(8) + i] + k[v_i0, T.min(first_key + (tile_2 * T.int64(4) + r), m - T.int64(1)), v_i1, d] * queries[d, v_1 * T.int64(8) + i]
                                for r in T.unroll(T.int64(4)):
                                    for v_1 in T.unroll(T.int64(2)):
                                        for i in T.vectorized(T.int64(8)):
                                            scores[tile_2 * T.int64(4) + r, v_1 * T.int64(8) + i] = T.Select(query_block * T.int64(16) + (v_1 * T.int64(8) + i) + (m - n) >= T.min(first_key + (tile_2 * T.int64(4) + r), m - T.int64(1)), tile[r, v_1 * T.int64(8) + i] * (T.float32(1.0) / T.sqrt(T.float32(9.0))) + mask0[T.min(tile_2 * T.int64(4) + r, keys - T.int64(1)), v_1 * T.int64(8) + i], T.float32("-inf"))
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    sums[v_1 * T.int64(8) + i] = best[v_1 * T.int64(8) + i]
                            for j in range(keys):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(8)):
                                        sums[v_1 * T.int64(8) + i] = T.Select(scores[j, v_1 * T.int64(8) + i] > sums[v_1 * T.int64(8) + i], scores[j, v_1 * T.int64(8) + i], sums[v_1 * T.int64(8) + i])
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    reference[v_1 * T.int64(8) + i] = T.Select(sums[v_1 * T.int64(8) + i] == T.float32("-inf"), T.float32(0.0), sums[v_1 * T.int64(8) + i])
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    correction[v_1 * T.int64(8) + i] = T.exp(best[v_1 * T.int64(8) + i] - reference[v_1 * T.int64(8) + i])
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    best[v_1 * T.int64(8) + i] = sums[v_1 * T.int64(8) + i]
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    sums[v_1 * T.int64(8) + i] = T.float32(0.0)
                            for j in range(keys):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(8)):
                                        scores[j, v_1 * T.int64(8) + i] = T.Select(scores[j, v_1 * T.int64(8) + i] - reference[v_1 * T.int64(8) + i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores[j, v_1 * T.int64(8) + i] - reference[v_1 * T.int64(8) + i] < T.float32(-87.33), T.float32(-87.33), scores[j, v_1 * T.int64(8) + i] - reference[v_1 * T.int64(8) + i])))
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(8)):
                                        sums[v_1 * T.int64(8) + i] = sums[v_1 * T.int64(8) + i] + scores[j, v_1 * T.int64(8) + i]
                            for v_1 in T.unroll(T.int64(2)):
                                for i in T.vectorized(T.int64(8)):
                                    total[v_1 * T.int64(8) + i] = total[v_1 * T.int64(8) + i] * correction[v_1 * T.int64(8) + i] + sums[v_1 * T.int64(8) + i]
                            for columns_1 in range(T.int64(1)):
                                for r in T.unroll(T.int64(4)):
                                    for v_1 in T.unroll(T.int64(2)):
                                        for i in T.vectorized(T.int64(8)):
                                            mixed_tile[r, v_1 * T.int64(8) + i] = T.float32(0.0)
                                for j in range(keys):
                                    for r in T.unroll(T.int64(4)):
                                        for v_1 in T.unroll(T.int64(2)):
                                            for i in T.vectorized(T.int64(8)):
                                                mixed_tile[r, v_1 * T.int64(8) + i] = mixed_tile[r, v_1 * T.int64(8) + i] + values[T.min(j, keys - T.int64(1)), columns_1 * T.int64(4) + r] * scores[j, v_1 * T.int64(8) + i]
                                for r in T.unroll(T.int64(4)):
                                    for v_1 in T.unroll(T.int64(2)):
                                        for i in T.vectorized(T.int64(8)):
                                            mixed[columns_1 * T.int64(4) + r, v_1 * T.int64(8) + i] = mixed[columns_1 * T.int64(4) + r, v_1 * T.int64(8) + i] * correction[v_1 * T.int64(8) + i] + mixed_tile[r, v_1 * T.int64(8) + i]
                            for r in T.unroll(T.int64(1)):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(8)):
                                        mixed_tile[r, v_1 * T.int64(8) + i] = T.float32(0.0)
                            for j in range(keys):
                                for r in T.unroll(T.int64(1)):
                                    for v_1 in T.unroll(T.int64(2)):
                                        for i in T.vectorized(T.int64(8)):
                                            mixed_tile[r, v_1 * T.int64(8) + i] = mixed_tile[r, v_1 * T.int64(8) + i] + values[T.min(j, keys - T.int64(1)), T.int64(4) + r] * scores[j, v_1 * T.int64(8) + i]
                            for r in T.unroll(T.int64(1)):
                                for v_1 in T.unroll(T.int64(2)):
                                    for i in T.vectorized(T.int64(8)):
                                        mixed[T.int64(4) + r, v_1 * T.int64(8) + i] = mixed[T.int64(4) + r, v_1 * T.int64(8) + i] * correction[v_1 * T.int64(8) + i] + mixed_tile[r, v_1 * T.int64(8) + i]
                        for v_1 in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                correction[v_1 * T.int64(8) + i] = T.float32(1.0) / total[v_1 * T.int64(8) + i]
                        for vector in range(T.int64(2)):
                            for w_tile, i_tile in T.grid(T.int64(1), T.int64(1)):
                                if w_tile * T.int64(8) + T.int64(7) < T.int64(5):
                                    row: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_1: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_2: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_3: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_4: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_5: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_6: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_7: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    mixed_2: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_3: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_5: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_7: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_9: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_10: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_12: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_13: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_14: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_16: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_17: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_18: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_20: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_22: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_24: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_25: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [4, 5, 6, 7, 12, 13, 14, 15])
                                    rows[i_tile * T.int64(8) + T.int64(0), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                    rows[i_tile * T.int64(8) + T.int64(1), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                    rows[i_tile * T.int64(8) + T.int64(2), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                    rows[i_tile * T.int64(8) + T.int64(3), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                    rows[i_tile * T.int64(8) + T.int64(4), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                    rows[i_tile * T.int64(8) + T.int64(5), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                    rows[i_tile * T.int64(8) + T.int64(6), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                    rows[i_tile * T.int64(8) + T.int64(7), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                                else:
                                    row: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(0) < T.int64(5), mixed[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_1: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(1) < T.int64(5), mixed[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_2: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(2) < T.int64(5), mixed[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_3: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(3) < T.int64(5), mixed[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_4: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(4) < T.int64(5), mixed[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_5: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(5) < T.int64(5), mixed[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_6: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(6) < T.int64(5), mixed[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_7: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(7) < T.int64(5), mixed[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    mixed_2: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_3: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_5: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_7: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_9: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_10: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_12: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_13: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_14: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_16: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_17: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_18: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_20: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_22: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_24: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_25: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [4, 5, 6, 7, 12, 13, 14, 15])
                                    rows[i_tile * T.int64(8) + T.int64(0), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                    rows[i_tile * T.int64(8) + T.int64(1), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                    rows[i_tile * T.int64(8) + T.int64(2), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                    rows[i_tile * T.int64(8) + T.int64(3), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                    rows[i_tile * T.int64(8) + T.int64(4), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                    rows[i_tile * T.int64(8) + T.int64(5), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                    rows[i_tile * T.int64(8) + T.int64(6), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                    rows[i_tile * T.int64(8) + T.int64(7), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                            for i in range(T.int64(8)):
                                for c in T.vectorized(T.int64(5)):
                                    T_attention_bias[v_i0, query_block * T.int64(16) + (vector * T.int64(8) + i), v_i1, T.int64(0) + c] = T.Select(total[vector * T.int64(8) + i] == T.float32(0.0), T.float32(0.0), rows[i, T.int64(0) + c] * correction[vector * T.int64(8) + i])
                    else:
                        seen: T.int64 = T.max(T.min(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) - n + T.int64(8), T.int64(0)) + m, T.int64(0))
                        for i_tile, d_tile in T.grid(T.int64(1), T.int64(2)):
                            if d_tile * T.int64(8) + T.int64(7) < T.int64(9) and n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(7)) < n:
                                row: T.float32x8 = q[v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(0)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_1: T.float32x8 = q[v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(1)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_2: T.float32x8 = q[v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(2)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_3: T.float32x8 = q[v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(3)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_4: T.float32x8 = q[v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(4)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_5: T.float32x8 = q[v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(5)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_6: T.float32x8 = q[v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(6)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                row_7: T.float32x8 = q[v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(7)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                                mixed_2: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_3: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_5: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_7: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_9: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_10: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_12: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_13: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_14: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_16: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_17: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_18: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_20: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_22: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_24: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_25: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [4, 5, 6, 7, 12, 13, 14, 15])
                                queries_1[d_tile * T.int64(8) + T.int64(0), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                queries_1[d_tile * T.int64(8) + T.int64(1), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                queries_1[d_tile * T.int64(8) + T.int64(2), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                queries_1[d_tile * T.int64(8) + T.int64(3), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                queries_1[d_tile * T.int64(8) + T.int64(4), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                queries_1[d_tile * T.int64(8) + T.int64(5), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                queries_1[d_tile * T.int64(8) + T.int64(6), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                queries_1[d_tile * T.int64(8) + T.int64(7), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                            else:
                                row: T.float32x8 = T.if_then_else(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(0)) < n, q.vload([v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(0)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8)), T.Broadcast(T.float32(0.0), 8))
                                row_1: T.float32x8 = T.if_then_else(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(1)) < n, q.vload([v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(1)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8)), T.Broadcast(T.float32(0.0), 8))
                                row_2: T.float32x8 = T.if_then_else(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(2)) < n, q.vload([v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(2)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8)), T.Broadcast(T.float32(0.0), 8))
                                row_3: T.float32x8 = T.if_then_else(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(3)) < n, q.vload([v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(3)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8)), T.Broadcast(T.float32(0.0), 8))
                                row_4: T.float32x8 = T.if_then_else(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(4)) < n, q.vload([v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(4)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8)), T.Broadcast(T.float32(0.0), 8))
                                row_5: T.float32x8 = T.if_then_else(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(5)) < n, q.vload([v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(5)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8)), T.Broadcast(T.float32(0.0), 8))
                                row_6: T.float32x8 = T.if_then_else(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(6)) < n, q.vload([v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(6)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8)), T.Broadcast(T.float32(0.0), 8))
                                row_7: T.float32x8 = T.if_then_else(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(7)) < n, q.vload([v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(7)), v_i1, T.Ramp(d_tile * T.int64(8), T.int64(1), 8)], predicate=T.Ramp(d_tile * T.int64(8), T.int64(1), 8) < T.Broadcast(T.int64(9), 8)), T.Broadcast(T.float32(0.0), 8))
                                mixed_2: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_3: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_5: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_7: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                                mixed_9: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                                mixed_10: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_12: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_13: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_14: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_16: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [0, 1, 8, 9, 4, 5, 12, 13])
                                mixed_17: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [2, 3, 10, 11, 6, 7, 14, 15])
                                mixed_18: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_20: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_22: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                                mixed_24: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [0, 1, 2, 3, 8, 9, 10, 11])
                                mixed_25: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [4, 5, 6, 7, 12, 13, 14, 15])
                                if d_tile * T.int64(8) + T.int64(0) < T.int64(9):
                                    queries_1[d_tile * T.int64(8) + T.int64(0), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                if d_tile * T.int64(8) + T.int64(1) < T.int64(9):
                                    queries_1[d_tile * T.int64(8) + T.int64(1), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                if d_tile * T.int64(8) + T.int64(2) < T.int64(9):
                                    queries_1[d_tile * T.int64(8) + T.int64(2), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                if d_tile * T.int64(8) + T.int64(3) < T.int64(9):
                                    queries_1[d_tile * T.int64(8) + T.int64(3), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                if d_tile * T.int64(8) + T.int64(4) < T.int64(9):
                                    queries_1[d_tile * T.int64(8) + T.int64(4), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                if d_tile * T.int64(8) + T.int64(5) < T.int64(9):
                                    queries_1[d_tile * T.int64(8) + T.int64(5), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                if d_tile * T.int64(8) + T.int64(6) < T.int64(9):
                                    queries_1[d_tile * T.int64(8) + T.int64(6), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                if d_tile * T.int64(8) + T.int64(7) < T.int64(9):
                                    queries_1[d_tile * T.int64(8) + T.int64(7), T.Ramp(i_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                        for i in T.vectorized(T.int64(8)):
                            best_1[i] = T.float32("-inf")
                        for i in T.vectorized(T.int64(8)):
                            total_1[i] = T.float32(0.0)
                        for c in T.vectorized(T.int64(5)):
                            columns[T.int64(0) + c] = T.float32(0.0)
                        for j in range(m - seen):
                            for c in T.vectorized(T.int64(5)):
                                columns[T.int64(0) + c] = columns[T.int64(0) + c] + T.float32(0.0) * v[v_i0, seen + j, v_i1, T.int64(0) + (T.int64(0) + c)]
                        for c in T.vectorized(T.int64(5)):
                            unseen_1[T.int64(0) + (T.int64(0) + c)] = columns[T.int64(0) + c]
                        for i in range(T.int64(8)):
                            for j in T.unroll(T.int64(12)):
                                for c in T.vectorized(T.int64(8)):
                                    mask_rows_1[i, j * T.int64(8) + c] = T.float32(0.0)
                        for w in range(T.int64(5)):
                            for i in T.vectorized(T.int64(8)):
                                mixed_1[w, i] = unseen_1[w]
                        for key_block in range((seen + T.int64(95)) // T.int64(96)):
                            first_key: T.int64 = key_block * T.int64(96)
                            keys: T.int64 = T.min(seen - first_key, T.int64(96))
                            for j in range(keys):
                                for c in T.vectorized(T.int64(5)):
                                    values_1[j, T.int64(0) + c] = v[v_i0, first_key + j, v_i1, T.int64(0) + c]
                            for vector in range(T.int64(1)):
                                for i in range(T.int64(8)):
                                    for j in T.vectorized(keys):
                                        mask_rows_1[i, j] = bias[v_i0, T.int64(0), T.min(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (vector * T.int64(8) + i), n - T.int64(1)), first_key + j]
                                for i_tile, j_tile in T.grid(T.int64(1), (keys + T.int64(7)) // T.int64(8)):
                                    row: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(0), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_1: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(1), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_2: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(2), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_3: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(3), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_4: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(4), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_5: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(5), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_6: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(6), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    row_7: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(7), T.Ramp(j_tile * T.int64(8), T.int64(1), 8)]
                                    mixed_2: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_3: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_5: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_7: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_9: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_10: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_12: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_13: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_14: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_16: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_17: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_18: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_20: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_22: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_24: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_25: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mask0_1[j_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                    mask0_1[j_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                    mask0_1[j_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                    mask0_1[j_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                    mask0_1[j_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                    mask0_1[j_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                    mask0_1[j_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                    mask0_1[j_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                            for tile_2 in range((keys + T.int64(7)) // T.int64(8)):
                                for r in T.unroll(T.int64(8)):
                                    for i in T.vectorized(T.int64(8)):
                                        tile_1[r, i] = T.float32(0.0)
                                for d in range(T.int64(9)):
                                    for r in T.unroll(T.int64(8)):
                                        for i in T.vectorized(T.int64(8)):
                                            tile_1[r, i] = tile_1[r, i] + k[v_i0, T.min(first_key + (tile_2 * T.int64(8) + r), m - T.int64(1)), v_i1, d] * queries_1[d, i]
                                for r in T.unroll(T.int64(8)):
                                    for i in T.vectorized(T.int64(8)):
                                        scores_1[tile_2 * T.int64(8) + r, i] = T.Select(T.min(n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + i, n - T.int64(1)) + (m - n) >= T.min(first_key + (tile_2 * T.int64(8) + r), m - T.int64(1)), tile_1[r, i] * (T.float32(1.0) / T.sqrt(T.float32(9.0))) + mask0_1[T.min(tile_2 * T.int64(8) + r, keys - T.int64(1)), i], T.float32("-inf"))
                            for i in T.vectorized(T.int64(8)):
                                sums_1[i] = best_1[i]
                            for j in range(keys):
                                for i in T.vectorized(T.int64(8)):
                                    sums_1[i] = T.Select(scores_1[j, i] > sums_1[i], scores_1[j, i], sums_1[i])
                            for i in T.vectorized(T.int64(8)):
                                reference_1[i] = T.Select(sums_1[i] == T.float32("-inf"), T.float32(0.0), sums_1[i])
                            for i in T.vectorized(T.int64(8)):
                                correction_1[i] = T.exp(best_1[i] - reference_1[i])
                            for i in T.vectorized(T.int64(8)):
                                best_1[i] = sums_1[i]
                            for i in T.vectorized(T.int64(8)):
                                sums_1[i] = T.float32(0.0)
                            for j in range(keys):
                                for i in T.vectorized(T.int64(8)):
                                    scores_1[j, i] = T.Select(scores_1[j, i] - reference_1[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores_1[j, i] - reference_1[i] < T.float32(-87.33), T.float32(-87.33), scores_1[j, i] - reference_1[i])))
                                for i in T.vectorized(T.int64(8)):
                                    sums_1[i] = sums_1[i] + scores_1[j, i]
                            for i in T.vectorized(T.int64(8)):
                                total_1[i] = total_1[i] * correction_1[i] + sums_1[i]
                            for r in T.unroll(T.int64(5)):
                                for i in T.vectorized(T.int64(8)):
                                    mixed_tile_1[r, i] = T.float32(0.0)
                            for j in range(keys):
                                for r in T.unroll(T.int64(5)):
                                    for i in T.vectorized(T.int64(8)):
                                        mixed_tile_1[r, i] = mixed_tile_1[r, i] + values_1[T.min(j, keys - T.int64(1)), T.int64(0) + r] * scores_1[j, i]
                            for r in T.unroll(T.int64(5)):
                                for i in T.vectorized(T.int64(8)):
                                    mixed_1[T.int64(0) + r, i] = mixed_1[T.int64(0) + r, i] * correction_1[i] + mixed_tile_1[r, i]
                        for i in T.vectorized(T.int64(8)):
                            correction_1[i] = T.float32(1.0) / total_1[i]
                        for vector in range(T.int64(1)):
                            for w_tile, i_tile in T.grid(T.int64(1), T.int64(1)):
                                if w_tile * T.int64(8) + T.int64(7) < T.int64(5):
                                    row: T.float32x8 = mixed_1[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_1: T.float32x8 = mixed_1[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_2: T.float32x8 = mixed_1[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_3: T.float32x8 = mixed_1[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_4: T.float32x8 = mixed_1[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_5: T.float32x8 = mixed_1[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_6: T.float32x8 = mixed_1[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    row_7: T.float32x8 = mixed_1[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                                    mixed_2: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_3: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_5: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_7: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_9: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_10: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_12: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_13: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_14: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_16: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_17: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_18: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_20: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_22: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_24: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_25: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [4, 5, 6, 7, 12, 13, 14, 15])
                                    rows_1[i_tile * T.int64(8) + T.int64(0), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                    rows_1[i_tile * T.int64(8) + T.int64(1), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                    rows_1[i_tile * T.int64(8) + T.int64(2), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                    rows_1[i_tile * T.int64(8) + T.int64(3), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                    rows_1[i_tile * T.int64(8) + T.int64(4), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                    rows_1[i_tile * T.int64(8) + T.int64(5), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                    rows_1[i_tile * T.int64(8) + T.int64(6), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                    rows_1[i_tile * T.int64(8) + T.int64(7), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                                else:
                                    row: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(0) < T.int64(5), mixed_1[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_1: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(1) < T.int64(5), mixed_1[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_2: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(2) < T.int64(5), mixed_1[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_3: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(3) < T.int64(5), mixed_1[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_4: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(4) < T.int64(5), mixed_1[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_5: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(5) < T.int64(5), mixed_1[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_6: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(6) < T.int64(5), mixed_1[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    row_7: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(7) < T.int64(5), mixed_1[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                                    mixed_2: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_3: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_5: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_7: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                                    mixed_9: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                                    mixed_10: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_12: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_13: T.float32x8 = T.Shuffle([mixed_3, mixed_5], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_14: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_16: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [0, 1, 8, 9, 4, 5, 12, 13])
                                    mixed_17: T.float32x8 = T.Shuffle([mixed_7, mixed_9], [2, 3, 10, 11, 6, 7, 14, 15])
                                    mixed_18: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_20: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_22: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                                    mixed_24: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [0, 1, 2, 3, 8, 9, 10, 11])
                                    mixed_25: T.float32x8 = T.Shuffle([mixed_13, mixed_17], [4, 5, 6, 7, 12, 13, 14, 15])
                                    rows_1[i_tile * T.int64(8) + T.int64(0), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                    rows_1[i_tile * T.int64(8) + T.int64(1), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                    rows_1[i_tile * T.int64(8) + T.int64(2), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                    rows_1[i_tile * T.int64(8) + T.int64(3), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                    rows_1[i_tile * T.int64(8) + T.int64(4), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                    rows_1[i_tile * T.int64(8) + T.int64(5), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                    rows_1[i_tile * T.int64(8) + T.int64(6), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                    rows_1[i_tile * T.int64(8) + T.int64(7), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                            for i in range(T.int64(8)):
                                if n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + vector * T.int64(8) + i < n:
                                    for c in T.vectorized(T.int64(5)):
                                        T_attention_bias[v_i0, n // T.int64(16) * T.int64(8) + query_block * T.int64(8) + (vector * T.int64(8) + i), v_i1, T.int64(0) + c] = T.Select(total_1[vector * T.int64(8) + i] == T.float32(0.0), T.float32(0.0), rows_1[i, T.int64(0) + c] * correction_1[vector * T.int64(8) + i])

    @R.function
    def main(q: R.Tensor((2, "n", 3, 9), dtype="float32"), k: R.Tensor((2, "m", 3, 9), dtype="float32"), v: R.Tensor((2, "m", 3, 5), dtype="float32"), bias: R.Tensor((2, 1, "n", "m"), dtype="float32")) -> R.Tensor((2, "n", 3, 5), dtype="float32"):
        n = T.int64()
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.attention_bias, (q, k, v, bias), out_sinfo=R.Tensor((2, n, 3, 5), dtype="float32"))
            R.output(a)
        return a
