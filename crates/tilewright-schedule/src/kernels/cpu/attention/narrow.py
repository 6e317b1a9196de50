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
                mixed = T.alloc_buffer((T.int64(11), T.int64(8)), align=64)
                best = T.alloc_buffer((T.int64(8),), align=64)
                total = T.alloc_buffer((T.int64(8),), align=64)
                correction = T.alloc_buffer((T.int64(8),), align=64)
                reference = T.alloc_buffer((T.int64(8),), align=64)
                rows = T.alloc_buffer((T.int64(8), T.int64(16)), align=64)
                keys = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                values = T.alloc_buffer((T.int64(96), T.int64(11)), align=64)
                mixed_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                query_block: T.int64 = T.int64(0)
                v_i1: T.int64 = T.int64(0)
                v_i0: T.int64 = T.int64(0)
                for vector in range(T.int64(1)):
                    for i in range(T.int64(8)):
                        for d in T.unroll(T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                rows[i, d * T.int64(8) + c] = T.Cast("float32", q[v_i0, T.min(query_block * T.int64(8) + (vector * T.int64(8) + i), T.Sub(T.int64(6), T.int64(1))), v_i1, d * T.int64(8) + c])
                    for i_tile, d_tile in T.grid(T.int64(1), T.int64(1)):
                        row: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(0), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_1: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(1), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_2: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(2), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_3: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(3), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_4: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(4), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_5: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(5), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_6: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(6), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_7: T.float32x8 = rows[i_tile * T.int64(8) + T.int64(7), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        mixed_1: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                        mixed_2: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                        mixed_3: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                        mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                        mixed_5: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                        mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                        mixed_7: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                        mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                        mixed_9: T.float32x8 = T.Shuffle([mixed_1, mixed_3], [0, 1, 8, 9, 4, 5, 12, 13])
                        mixed_10: T.float32x8 = T.Shuffle([mixed_1, mixed_3], [2, 3, 10, 11, 6, 7, 14, 15])
                        mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                        mixed_12: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                        mixed_13: T.float32x8 = T.Shuffle([mixed_5, mixed_7], [0, 1, 8, 9, 4, 5, 12, 13])
                        mixed_14: T.float32x8 = T.Shuffle([mixed_5, mixed_7], [2, 3, 10, 11, 6, 7, 14, 15])
                        mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                        mixed_16: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                        mixed_17: T.float32x8 = T.Shuffle([mixed_9, mixed_13], [0, 1, 2, 3, 8, 9, 10, 11])
                        mixed_18: T.float32x8 = T.Shuffle([mixed_9, mixed_13], [4, 5, 6, 7, 12, 13, 14, 15])
                        mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                        mixed_20: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                        mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                        mixed_22: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                        mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                        mixed_24: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                        queries[d_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_17
                        queries[d_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                        queries[d_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                        queries[d_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                        queries[d_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                        queries[d_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                        queries[d_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                        queries[d_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                for i in T.vectorized(T.int64(8)):
                    best[i] = T.float32("-inf")
                for i in T.vectorized(T.int64(8)):
                    total[i] = T.float32(0.0)
                for w in range(T.int64(11)):
                    for i in T.vectorized(T.int64(8)):
                        mixed[w, i] = T.float32(0.0)
                with T.LetStmt(T.int64(0)) as first_key:
                    for j, column in T.grid(T.int64(10), T.int64(1)):
                        for c in T.vectorized(T.int64(8)):
                            keys[j, column * T.int64(8) + c] = T.Cast("float32", k[v_i0, first_key + j, v_i1, column * T.int64(8) + c])
                    for j in range(T.int64(10)):
                        for column in range(T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                values[j, column * T.int64(8) + c] = T.Cast("float32", v[v_i0, first_key + j, v_i1, column * T.int64(8) + c])
                        for c in T.vectorized(T.int64(3)):
                            values[j, T.int64(8) + c] = T.Cast("float32", v[v_i0, first_key + j, v_i1, T.int64(8) + c])
                    for tile_1 in range(T.int64(1)):
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                tile[r, i] = T.float32(0.0)
                        for d in range(T.int64(8)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    tile[r, i] = tile[r, i] + keys[T.min(tile_1 * T.int64(8) + r, T.Sub(T.int64(10), T.int64(1))), d] * queries[d, i]
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                scores[tile_1 * T.int64(8) + r, i] = tile[r, i] * (T.float32(1.0) / T.sqrt(T.float32(8.0)))
                    for r in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(8)):
                            tile[r, i] = T.float32(0.0)
                    for d in range(T.int64(8)):
                        for r in T.unroll(T.int64(2)):
                            for i in T.vectorized(T.int64(8)):
                                tile[r, i] = tile[r, i] + keys[T.min(T.int64(8) + r, T.Sub(T.int64(10), T.int64(1))), d] * queries[d, i]
                    for r in T.unroll(T.int64(2)):
                        for i in T.vectorized(T.int64(8)):
                            scores[T.int64(8) + r, i] = tile[r, i] * (T.float32(1.0) / T.sqrt(T.float32(8.0)))
                    for i in T.vectorized(T.int64(8)):
                        sums[i] = best[i]
                    for j in range(T.int64(10)):
                        for i in T.vectorized(T.int64(8)):
                            sums[i] = T.Select(scores[j, i] > sums[i], scores[j, i], sums[i])
                    for i in T.vectorized(T.int64(8)):
                        reference[i] = T.Select(sums[i] == T.float32("-inf"), T.float32(0.0), sums[i])
                    for i in T.vectorized(T.int64(8)):
                        correction[i] = T.exp(best[i] - reference[i])
                    for i in T.vectorized(T.int64(8)):
                        best[i] = sums[i]
                    for i in T.vectorized(T.int64(8)):
                        sums[i] = T.float32(0.0)
                    for j in range(T.int64(10)):
                        for i in T.vectorized(T.int64(8)):
                            scores[j, i] = T.Select(scores[j, i] - reference[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores[j, i] - reference[i] < T.float32(-87.33), T.float32(-87.33), scores[j, i] - reference[i])))
                        for i in T.vectorized(T.int64(8)):
                            sums[i] = sums[i] + scores[j, i]
                    for i in T.vectorized(T.int64(8)):
                        total[i] = total[i] * correction[i] + sums[i]
                    for columns in range(T.int64(1)):
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                mixed_tile[r, i] = T.float32(0.0)
                        for j in range(T.int64(10)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    mixed_tile[r, i] = mixed_tile[r, i] + values[T.min(j, T.Sub(T.int64(10), T.int64(1))), columns * T.int64(8) + r] * scores[j, i]
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                mixed[columns * T.int64(8) + r, i] = mixed[columns * T.int64(8) + r, i] * correction[i] + mixed_tile[r, i]
                    for r in T.unroll(T.int64(3)):
                        for i in T.vectorized(T.int64(8)):
                            mixed_tile[r, i] = T.float32(0.0)
                    for j in range(T.int64(10)):
                        for r in T.unroll(T.int64(3)):
                            for i in T.vectorized(T.int64(8)):
                                mixed_tile[r, i] = mixed_tile[r, i] + values[T.min(j, T.Sub(T.int64(10), T.int64(1))), T.int64(8) + r] * scores[j, i]
                    for r in T.unroll(T.int64(3)):
                        for i in T.vectorized(T.int64(8)):
                            mixed[T.int64(8) + r, i] = mixed[T.int64(8) + r, i] * correction[i] + mixed_tile[r, i]
                for i in T.vectorized(T.int64(8)):
                    correction[i] = T.float32(1.0) / total[i]
                for vector in range(T.int64(1)):
                    for w_tile, i_tile in T.grid(T.int64(2), T.int64(1)):
                        if w_tile * T.int64(8) + T.int64(7) < T.int64(11):
                            row: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_1: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_2: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_3: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_4: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_5: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_6: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            row_7: T.float32x8 = mixed[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)]
                            mixed_1: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                            mixed_2: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                            mixed_3: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                            mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                            mixed_5: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                            mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                            mixed_7: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                            mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                            mixed_9: T.float32x8 = T.Shuffle([mixed_1, mixed_3], [0, 1, 8, 9, 4, 5, 12, 13])
                            mixed_10: T.float32x8 = T.Shuffle([mixed_1, mixed_3], [2, 3, 10, 11, 6, 7, 14, 15])
                            mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                            mixed_12: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                            mixed_13: T.float32x8 = T.Shuffle([mixed_5, mixed_7], [0, 1, 8, 9, 4, 5, 12, 13])
                            mixed_14: T.float32x8 = T.Shuffle([mixed_5, mixed_7], [2, 3, 10, 11, 6, 7, 14, 15])
                            mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                            mixed_16: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                            mixed_17: T.float32x8 = T.Shuffle([mixed_9, mixed_13], [0, 1, 2, 3, 8, 9, 10, 11])
                            mixed_18: T.float32x8 = T.Shuffle([mixed_9, mixed_13], [4, 5, 6, 7, 12, 13, 14, 15])
                            mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                            mixed_20: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                            mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                            mixed_22: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                            mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                            mixed_24: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                            rows[i_tile * T.int64(8) + T.int64(0), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_17
                            rows[i_tile * T.int64(8) + T.int64(1), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                            rows[i_tile * T.int64(8) + T.int64(2), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                            rows[i_tile * T.int64(8) + T.int64(3), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                            rows[i_tile * T.int64(8) + T.int64(4), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                            rows[i_tile * T.int64(8) + T.int64(5), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                            rows[i_tile * T.int64(8) + T.int64(6), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                            rows[i_tile * T.int64(8) + T.int64(7), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                        else:
                            row: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(0) < T.int64(11), mixed[w_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_1: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(1) < T.int64(11), mixed[w_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_2: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(2) < T.int64(11), mixed[w_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_3: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(3) < T.int64(11), mixed[w_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_4: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(4) < T.int64(11), mixed[w_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_5: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(5) < T.int64(11), mixed[w_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_6: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(6) < T.int64(11), mixed[w_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            row_7: T.float32x8 = T.if_then_else(w_tile * T.int64(8) + T.int64(7) < T.int64(11), mixed[w_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)], T.Broadcast(T.float32(0.0), 8))
                            mixed_1: T.float32x8 = T.Shuffle([row, row_1], [0, 8, 1, 9, 4, 12, 5, 13])
                            mixed_2: T.float32x8 = T.Shuffle([row, row_1], [2, 10, 3, 11, 6, 14, 7, 15])
                            mixed_3: T.float32x8 = T.Shuffle([row_2, row_3], [0, 8, 1, 9, 4, 12, 5, 13])
                            mixed_4: T.float32x8 = T.Shuffle([row_2, row_3], [2, 10, 3, 11, 6, 14, 7, 15])
                            mixed_5: T.float32x8 = T.Shuffle([row_4, row_5], [0, 8, 1, 9, 4, 12, 5, 13])
                            mixed_6: T.float32x8 = T.Shuffle([row_4, row_5], [2, 10, 3, 11, 6, 14, 7, 15])
                            mixed_7: T.float32x8 = T.Shuffle([row_6, row_7], [0, 8, 1, 9, 4, 12, 5, 13])
                            mixed_8: T.float32x8 = T.Shuffle([row_6, row_7], [2, 10, 3, 11, 6, 14, 7, 15])
                            mixed_9: T.float32x8 = T.Shuffle([mixed_1, mixed_3], [0, 1, 8, 9, 4, 5, 12, 13])
                            mixed_10: T.float32x8 = T.Shuffle([mixed_1, mixed_3], [2, 3, 10, 11, 6, 7, 14, 15])
                            mixed_11: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [0, 1, 8, 9, 4, 5, 12, 13])
                            mixed_12: T.float32x8 = T.Shuffle([mixed_2, mixed_4], [2, 3, 10, 11, 6, 7, 14, 15])
                            mixed_13: T.float32x8 = T.Shuffle([mixed_5, mixed_7], [0, 1, 8, 9, 4, 5, 12, 13])
                            mixed_14: T.float32x8 = T.Shuffle([mixed_5, mixed_7], [2, 3, 10, 11, 6, 7, 14, 15])
                            mixed_15: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [0, 1, 8, 9, 4, 5, 12, 13])
                            mixed_16: T.float32x8 = T.Shuffle([mixed_6, mixed_8], [2, 3, 10, 11, 6, 7, 14, 15])
                            mixed_17: T.float32x8 = T.Shuffle([mixed_9, mixed_13], [0, 1, 2, 3, 8, 9, 10, 11])
                            mixed_18: T.float32x8 = T.Shuffle([mixed_9, mixed_13], [4, 5, 6, 7, 12, 13, 14, 15])
                            mixed_19: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [0, 1, 2, 3, 8, 9, 10, 11])
                            mixed_20: T.float32x8 = T.Shuffle([mixed_10, mixed_14], [4, 5, 6, 7, 12, 13, 14, 15])
                            mixed_21: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [0, 1, 2, 3, 8, 9, 10, 11])
                            mixed_22: T.float32x8 = T.Shuffle([mixed_11, mixed_15], [4, 5, 6, 7, 12, 13, 14, 15])
                            mixed_23: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [0, 1, 2, 3, 8, 9, 10, 11])
                            mixed_24: T.float32x8 = T.Shuffle([mixed_12, mixed_16], [4, 5, 6, 7, 12, 13, 14, 15])
                            rows[i_tile * T.int64(8) + T.int64(0), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_17
                            rows[i_tile * T.int64(8) + T.int64(1), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                            rows[i_tile * T.int64(8) + T.int64(2), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                            rows[i_tile * T.int64(8) + T.int64(3), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                            rows[i_tile * T.int64(8) + T.int64(4), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                            rows[i_tile * T.int64(8) + T.int64(5), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                            rows[i_tile * T.int64(8) + T.int64(6), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                            rows[i_tile * T.int64(8) + T.int64(7), T.Ramp(w_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                    for i in range(T.int64(8)):
                        if query_block * T.int64(8) + vector * T.int64(8) + i < T.int64(6):
                            for column in range(T.int64(1)):
                                for c in T.vectorized(T.int64(8)):
                                    T_attention[T.int64(0), query_block * T.int64(8) + (vector * T.int64(8) + i), T.int64(0), column * T.int64(8) + c] = T.Cast("float16", T.Select(total[vector * T.int64(8) + i] == T.float32(0.0), T.float32(0.0), rows[i, column * T.int64(8) + c] * correction[vector * T.int64(8) + i]))
                            for c in T.vectorized(T.int64(3)):
                                T_attention[T.int64(0), query_block * T.int64(8) + (vector * T.int64(8) + i), T.int64(0), T.int64(8) + c] = T.Cast("float16", T.Select(total[vector * T.int64(8) + i] == T.float32(0.0), T.float32(0.0), rows[i, T.int64(8) + c] * correction[vector * T.int64(8) + i]))

    @R.function
    def main(q: R.Tensor((1, 6, 1, 8), dtype="float16"), k: R.Tensor((1, 10, 1, 8), dtype="float16"), v: R.Tensor((1, 10, 1, 11), dtype="float16")) -> R.Tensor((1, 6, 1, 11), dtype="float16"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.attention, (q, k, v), out_sinfo=R.Tensor((1, 6, 1, 11), dtype="float16"))
            R.output(a)
        return a
