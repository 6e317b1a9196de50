# Batch and head are one dimension of the products, and two of the softmax: a view of the same rows.
# test: opt --pass FuseAttention --pass LegalizeOps --pass FuseTIR --pass DeadCodeElimination --pass ApplyDefaultSchedule:target=haswell
# run: main tol=1e-4 == same
# run: main tol=1e-4 seed=7 special == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((6, 9, 8), "float32"), k: R.Tensor((6, 8, 11), "float32"), v: R.Tensor((6, 11, 8), "float32"), bias: R.Tensor((6, 1, 11), "float32"), mask: R.Tensor((2, 1, 9, 11), "bool")):
        with R.dataflow():
            s = R.reshape(R.add(R.matmul(R.multiply(q, R.const(0.5, "float32")), k), bias), (2, 3, 9, 11))
            t = R.where(mask, s, R.const(-100.0, "float32"))
            w = R.reshape(R.nn.softmax(t, axis=-1), (6, 9, 11))
            a = R.matmul(w, v)
            R.output(a)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fused_attention(q: T.Buffer((T.int64(6), T.int64(9), T.int64(8)), "float32"), k: T.Buffer((T.int64(6), T.int64(8), T.int64(11)), "float32"), bias: T.Buffer((T.int64(6), T.int64(1), T.int64(11)), "float32"), mask: T.Buffer((T.int64(2), T.int64(1), T.int64(9), T.int64(11)), "bool"), v: T.Buffer((T.int64(6), T.int64(11), T.int64(8)), "float32"), const: T.Buffer((), "float32"), matmul: T.Buffer((T.int64(6), T.int64(9), T.int64(8)), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(12)):
            with T.block("T_multiply"):
                T.reads(q[T.int64(0):T.int64(6), T.int64(0):T.int64(9), T.int64(0):T.int64(8)], k[T.int64(0):T.int64(6), T.int64(0):T.int64(8), T.int64(0):T.int64(11)], v[T.int64(0):T.int64(6), T.int64(0):T.int64(11), T.int64(0):T.int64(8)], mask[T.int64(0):T.int64(2), T.int64(0), T.int64(0):T.int64(9), T.int64(0):T.int64(11)], bias[T.int64(0):T.int64(6), T.int64(0), T.int64(0):T.int64(11)], const[()])
                T.writes(matmul[T.int64(0):T.int64(6), T.int64(0):T.int64(9), T.int64(0):T.int64(8)])
                queries = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                scores = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                weighted = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                max = T.alloc_buffer((T.int64(8),), align=64)
                weight_sum = T.alloc_buffer((T.int64(8),), align=64)
                rescale = T.alloc_buffer((T.int64(8),), align=64)
                shift = T.alloc_buffer((T.int64(8),), align=64)
                rows = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                mask0 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                mask_rows = T.alloc_buffer((T.int64(8), T.int64(96)), align=64)
                weighted_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                score_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                queries_1 = T.alloc_buffer((T.int64(1), T.int64(8)), align=64)
                scores_1 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                weighted_1 = T.alloc_buffer((T.int64(1), T.int64(8)), align=64)
                max_1 = T.alloc_buffer((T.int64(8),), align=64)
                weight_sum_1 = T.alloc_buffer((T.int64(8),), align=64)
                rescale_1 = T.alloc_buffer((T.int64(8),), align=64)
                shift_1 = T.alloc_buffer((T.int64(8),), align=64)
                rows_1 = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                keys = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                mask0_1 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                mask_rows_1 = T.alloc_buffer((T.int64(8), T.int64(96)), align=64)
                weighted_tile_1 = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                score_tile_1 = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                sums_1 = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                query_block: T.int64 = task % T.int64(2)
                v_i0: T.int64 = task // T.int64(2)
                if query_block < T.int64(1):
                    for vector in range(T.int64(1)):
                        for i in range(T.int64(8)):
                            for d in T.unroll(T.int64(1)):
                                for c in T.vectorized(T.int64(8)):
                                    rows[i, d * T.int64(8) + c] = q[v_i0, query_block * T.int64(8) + (vector * T.int64(8) + i), d * T.int64(8) + c] * T.float32(0.5)
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
                    for i in range(T.int64(8)):
                        for j in T.unroll(T.int64(12)):
                            for c in T.vectorized(T.int64(8)):
                                mask_rows[i, j * T.int64(8) + c] = T.float32(0.0)
                    for w in range(T.int64(8)):
                        for i in T.vectorized(T.int64(8)):
                            weighted[w, i] = T.float32(0.0)
                    with T.LetStmt(T.int64(0)) as key_start:
                        for vector in range(T.int64(1)):
                            for i in range(T.int64(8)):
                                for j in T.unroll(T.int64(1)):
                                    for c in T.vectorized(T.int64(8)):
                                        mask_rows[i, j * T.int64(8) + c] = T.Select(mask[v_i0 // T.int64(3), T.int64(0), query_block * T.int64(8) + (vector * T.int64(8) + i), key_start + (j * T.int64(8) + c)], T.float32(1.0), T.float32(0.0))
                                for c in T.vectorized(T.int64(3)):
                                    mask_rows[i, T.int64(8) + c] = T.Select(mask[v_i0 // T.int64(3), T.int64(0), query_block * T.int64(8) + (vector * T.int64(8) + i), key_start + (T.int64(8) + c)], T.float32(1.0), T.float32(0.0))
                            for i_tile, x_tile in T.grid(T.int64(1), T.int64(2)):
                                row: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(0), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_1: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(1), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_2: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(2), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_3: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(3), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_4: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(4), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_5: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(5), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_6: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(6), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_7: T.float32x8 = mask_rows[i_tile * T.int64(8) + T.int64(7), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
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
                                mask0[x_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                                mask0[x_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                                mask0[x_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                                mask0[x_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                                mask0[x_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                                mask0[x_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                                mask0[x_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                                mask0[x_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                        for tile in range(T.int64(1)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    score_tile[r, i] = T.float32(0.0)
                            for d in range(T.int64(8)):
                                for r in T.unroll(T.int64(8)):
                                    for i in T.vectorized(T.int64(8)):
                                        score_tile[r, i] = score_tile[r, i] + k[v_i0, d, key_start + (tile * T.int64(8) + r)] * queries[d, i]
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    scores[tile * T.int64(8) + r, i] = T.Select(mask0[tile * T.int64(8) + r, i] != T.float32(0.0), score_tile[r, i] + bias[v_i0 // T.int64(3) * T.int64(3) + v_i0 % T.int64(3), T.int64(0), key_start + (tile * T.int64(8) + r)], const[()])
                        for r in T.unroll(T.int64(3)):
                            for i in T.vectorized(T.int64(8)):
                                score_tile[r, i] = T.float32(0.0)
                        for d in range(T.int64(8)):
                            for r in T.unroll(T.int64(3)):
                                for i in T.vectorized(T.int64(8)):
                                    score_tile[r, i] = score_tile[r, i] + k[v_i0, d, key_start + (T.int64(8) + r)] * queries[d, i]
                        for r in T.unroll(T.int64(3)):
                            for i in T.vectorized(T.int64(8)):
                                scores[T.int64(8) + r, i] = T.Select(mask0[T.int64(8) + r, i] != T.float32(0.0), score_tile[r, i] + bias[v_i0 // T.int64(3) * T.int64(3) + v_i0 % T.int64(3), T.int64(0), key_start + (T.int64(8) + r)], const[()])
                        for i in T.vectorized(T.int64(8)):
                            sums[i] = max[i]
                        for j in range(T.int64(11)):
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
                        for j in range(T.int64(11)):
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
                            for j in range(T.int64(11)):
                                for r in T.unroll(T.int64(8)):
                                    for i in T.vectorized(T.int64(8)):
                                        weighted_tile[r, i] = weighted_tile[r, i] + v[v_i0, key_start + j, value_tile * T.int64(8) + r] * scores[j, i]
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    weighted[value_tile * T.int64(8) + r, i] = weighted[value_tile * T.int64(8) + r, i] * rescale[i] + weighted_tile[r, i]
                    for i in T.vectorized(T.int64(8)):
                        rescale[i] = T.float32(1.0) / weight_sum[i]
                    for vector in range(T.int64(1)):
                        for w_tile, i_tile in T.grid(T.int64(1), T.int64(1)):
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
                        for i, column in T.grid(T.int64(8), T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                matmul[v_i0, query_block * T.int64(8) + (vector * T.int64(8) + i), column * T.int64(8) + c] = rows[i, column * T.int64(8) + c] * rescale[vector * T.int64(8) + i]
                else:
                    for i in T.unroll(T.int64(1)):
                        for d in range(T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                queries_1[d, i * T.int64(8) + c] = q[v_i0, query_block + T.int64(7) + i, d * T.int64(8) + c] * T.float32(0.5)
                    for i in T.vectorized(T.int64(8)):
                        max_1[i] = T.float32("-inf")
                    for i in T.vectorized(T.int64(8)):
                        weight_sum_1[i] = T.float32(0.0)
                    for i in range(T.int64(8)):
                        for j in T.unroll(T.int64(12)):
                            for c in T.vectorized(T.int64(8)):
                                mask_rows_1[i, j * T.int64(8) + c] = T.float32(0.0)
                    for w in range(T.int64(1)):
                        for i in T.vectorized(T.int64(8)):
                            weighted_1[w, i] = T.float32(0.0)
                    with T.LetStmt(T.int64(0)) as key_start:
                        for j, column in T.grid(T.int64(11), T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                keys[j, column * T.int64(8) + c] = k[v_i0, column * T.int64(8) + c, key_start + j]
                        for vector in range(T.int64(1)):
                            for i in range(T.int64(8)):
                                for j in T.unroll(T.int64(1)):
                                    for c in T.vectorized(T.int64(8)):
                                        mask_rows_1[i, j * T.int64(8) + c] = T.Select(mask[v_i0 // T.int64(3), T.int64(0), query_block + T.int64(7) + (vector * T.int64(8) + i) // T.int64(8), key_start + (j * T.int64(8) + c)], T.float32(1.0), T.float32(0.0))
                                for c in T.vectorized(T.int64(3)):
                                    mask_rows_1[i, T.int64(8) + c] = T.Select(mask[v_i0 // T.int64(3), T.int64(0), query_block + T.int64(7) + (vector * T.int64(8) + i) // T.int64(8), key_start + (T.int64(8) + c)], T.float32(1.0), T.float32(0.0))
                            for i_tile, x_tile in T.grid(T.int64(1), T.int64(2)):
                                row: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(0), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_1: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(1), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_2: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(2), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_3: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(3), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_4: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(4), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_5: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(5), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_6: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(6), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
                                row_7: T.float32x8 = mask_rows_1[i_tile * T.int64(8) + T.int64(7), T.Ramp(x_tile * T.int64(8), T.int64(1), 8)]
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
                                mask0_1[x_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_16
                                mask0_1[x_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_18
                                mask0_1[x_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_20
                                mask0_1[x_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_22
                                mask0_1[x_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_17
                                mask0_1[x_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_19
                                mask0_1[x_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_21
                                mask0_1[x_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = shuffled_23
                        for tile in range(T.int64(1)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    score_tile_1[r, i] = T.float32(0.0)
                            for d in range(T.int64(1)):
                                for r in T.unroll(T.int64(8)):
                                    score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([keys[T.min(tile * T.int64(8) + r, T.Sub(T.int64(11), T.int64(1))), T.Ramp(d * T.int64(8), T.int64(1), 8)]], [0, 1, 2, 3, 4, 5, 6, 7]) * queries_1[d, T.Ramp(T.int64(0), T.int64(1), 8)]
                            for r in T.unroll(T.int64(8)):
                                score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)]], [4, 5, 6, 7, 0, 1, 2, 3])
                                score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)]], [2, 3, 0, 1, 6, 7, 4, 5])
                                score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)]], [1, 0, 3, 2, 5, 4, 7, 6])
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    scores_1[tile * T.int64(8) + r, i] = T.Select(mask0_1[tile * T.int64(8) + r, i] != T.float32(0.0), score_tile_1[r, i] + bias[v_i0 // T.int64(3) * T.int64(3) + v_i0 % T.int64(3), T.int64(0), key_start + (tile * T.int64(8) + r)], const[()])
                        for r in T.unroll(T.int64(3)):
                            for i in T.vectorized(T.int64(8)):
                                score_tile_1[r, i] = T.float32(0.0)
                        for d in range(T.int64(1)):
                            for r in T.unroll(T.int64(3)):
                                score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([keys[T.min(T.int64(8) + r, T.Sub(T.int64(11), T.int64(1))), T.Ramp(d * T.int64(8), T.int64(1), 8)]], [0, 1, 2, 3, 4, 5, 6, 7]) * queries_1[d, T.Ramp(T.int64(0), T.int64(1), 8)]
                        for r in T.unroll(T.int64(3)):
                            score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)]], [4, 5, 6, 7, 0, 1, 2, 3])
                            score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)]], [2, 3, 0, 1, 6, 7, 4, 5])
                            score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([score_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)]], [1, 0, 3, 2, 5, 4, 7, 6])
                        for r in T.unroll(T.int64(3)):
                            for i in T.vectorized(T.int64(8)):
                                scores_1[T.int64(8) + r, i] = T.Select(mask0_1[T.int64(8) + r, i] != T.float32(0.0), score_tile_1[r, i] + bias[v_i0 // T.int64(3) * T.int64(3) + v_i0 % T.int64(3), T.int64(0), key_start + (T.int64(8) + r)], const[()])
                        for i in T.vectorized(T.int64(8)):
                            sums_1[i] = max_1[i]
                        for j in range(T.int64(11)):
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
                        for j in range(T.int64(11)):
                            for i in T.vectorized(T.int64(8)):
                                scores_1[j, i] = T.Select(scores_1[j, i] - shift_1[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores_1[j, i] - shift_1[i] < T.float32(-87.33), T.float32(-87.33), scores_1[j, i] - shift_1[i])))
                            for i in T.vectorized(T.int64(8)):
                                sums_1[i] = sums_1[i] + scores_1[j, i]
                        for i in T.vectorized(T.int64(8)):
                            weight_sum_1[i] = weight_sum_1[i] * rescale_1[i] + sums_1[i]
                        for value_tile in range(T.int64(1)):
                            for r in T.unroll(T.int64(1)):
                                for i in T.vectorized(T.int64(8)):
                                    weighted_tile_1[r, i] = T.float32(0.0)
                            for j in range(T.int64(11)):
                                for r in T.unroll(T.int64(1)):
                                    weighted_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = weighted_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([v[v_i0, key_start + j, T.Ramp((value_tile * T.int64(1) + r) * T.int64(8), T.int64(1), 8)]], [0, 1, 2, 3, 4, 5, 6, 7]) * scores_1[j, T.Ramp(T.int64(0), T.int64(1), 8)]
                            for r in T.unroll(T.int64(1)):
                                for i in T.vectorized(T.int64(8)):
                                    weighted_1[value_tile * T.int64(1) + r, i] = weighted_1[value_tile * T.int64(1) + r, i] * rescale_1[i] + weighted_tile_1[r, i]
                    for i in T.vectorized(T.int64(8)):
                        rescale_1[i] = T.float32(1.0) / weight_sum_1[i]
                    for i in T.unroll(T.int64(1)):
                        for w in range(T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                rows_1[i, w * T.int64(8) + c] = weighted_1[w, i * T.int64(8) + c]
                    for i, column in T.grid(T.int64(1), T.int64(1)):
                        for c in T.vectorized(T.int64(8)):
                            matmul[v_i0, query_block + T.int64(7) + i, column * T.int64(8) + c] = rows_1[i, column * T.int64(8) + c] * rescale_1[i * T.int64(8)]

    @R.function
    def main(q: R.Tensor((6, 9, 8), dtype="float32"), k: R.Tensor((6, 8, 11), dtype="float32"), v: R.Tensor((6, 11, 8), dtype="float32"), bias: R.Tensor((6, 1, 11), dtype="float32"), mask: R.Tensor((2, 1, 9, 11), dtype="bool")) -> R.Tensor((6, 9, 8), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.fused_attention, (q, k, bias, mask, v, R.const(-100.0, "float32")), out_sinfo=R.Tensor((6, 9, 8), dtype="float32"))
            R.output(a)
        return a
