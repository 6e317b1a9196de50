# Three queries, of which each has two lanes of a vector, and a causal mask.
# test: opt --pass LegalizeOps --pass ApplyDefaultSchedule:target=haswell
# run: main tol=1e-4 == same
# run: main tol=1e-4 seed=7 special == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, 3, 1, 12), "float32"), k: R.Tensor((2, 101, 1, 12), "float32"), v: R.Tensor((2, 101, 1, 8), "float32")):
        with R.dataflow():
            a = R.nn.attention(q, k, v, causal_mask="TopLeft")
            R.output(a)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def attention(q: T.Buffer((T.int64(2), T.int64(3), T.int64(1), T.int64(12)), "float32"), k: T.Buffer((T.int64(2), T.int64(101), T.int64(1), T.int64(12)), "float32"), v: T.Buffer((T.int64(2), T.int64(101), T.int64(1), T.int64(8)), "float32"), T_attention: T.Buffer((T.int64(2), T.int64(3), T.int64(1), T.int64(8)), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("T_attention_products"):
                T.reads(q[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0), T.int64(0):T.int64(12)], k[T.int64(0):T.int64(2), T.int64(0):T.int64(101), T.int64(0), T.int64(0):T.int64(12)], v[T.int64(0):T.int64(2), T.int64(0):T.int64(101), T.int64(0), T.int64(0):T.int64(8)])
                T.writes(T_attention[T.int64(0):T.int64(2), T.int64(0):T.int64(3), T.int64(0), T.int64(0):T.int64(8)])
                queries = T.alloc_buffer((T.int64(6), T.int64(8)), align=64)
                scores = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                weighted = T.alloc_buffer((T.int64(4), T.int64(8)), align=64)
                max = T.alloc_buffer((T.int64(8),), align=64)
                weight_sum = T.alloc_buffer((T.int64(8),), align=64)
                rescale = T.alloc_buffer((T.int64(8),), align=64)
                shift = T.alloc_buffer((T.int64(8),), align=64)
                rows = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                masked_values = T.alloc_buffer((T.int64(8),), align=64)
                weighted_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                score_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                masked_columns = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                query_block: T.int64 = T.int64(0)
                v_i1: T.int64 = T.int64(0)
                v_i0: T.int64 = task
                key_end: T.int64 = T.max(T.min(query_block * T.int64(4) + T.int64(4), T.int64(3)), T.int64(0))
                for i in T.unroll(T.int64(4)):
                    for d in range(T.int64(6)):
                        for c in T.vectorized(T.int64(2)):
                            queries[d, i * T.int64(2) + c] = q[v_i0, T.min(query_block * T.int64(4) + i, T.Sub(T.int64(3), T.int64(1))), v_i1, d * T.int64(2) + c]
                for i in T.vectorized(T.int64(8)):
                    max[i] = T.float32("-inf")
                for i in T.vectorized(T.int64(8)):
                    weight_sum[i] = T.float32(0.0)
                for w in T.unroll(T.int64(1)):
                    for c in T.vectorized(T.int64(8)):
                        masked_columns[w * T.int64(8) + c] = T.float32(0.0)
                for j in range(T.int64(101) - key_end):
                    for w in T.unroll(T.int64(1)):
                        for c in T.vectorized(T.int64(8)):
                            masked_columns[w * T.int64(8) + c] = masked_columns[w * T.int64(8) + c] + T.float32(0.0) * v[v_i0, key_end + j, v_i1, T.int64(0) + (w * T.int64(8) + c)]
                for w in T.unroll(T.int64(1)):
                    for c in T.vectorized(T.int64(8)):
                        masked_values[T.int64(0) + (w * T.int64(8) + c)] = masked_columns[w * T.int64(8) + c]
                for w in range(T.int64(4)):
                    weighted[w, T.Ramp(T.int64(0), T.int64(1), 8)] = T.Shuffle([masked_values[T.Ramp(w * T.int64(2), T.int64(1), 2)]], [0, 1, 0, 1, 0, 1, 0, 1])
                for key_block in range((key_end + T.int64(95)) // T.int64(96)):
                    key_start: T.int64 = key_block * T.int64(96)
                    key_count: T.int64 = T.min(key_end - key_start, T.int64(96))
                    for tile in range((key_count + T.int64(7)) // T.int64(8)):
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                score_tile[r, i] = T.float32(0.0)
                        for d in range(T.int64(6)):
                            for r in T.unroll(T.int64(8)):
                                score_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([k[v_i0, T.min(key_start + (tile * T.int64(8) + r), T.Sub(T.int64(101), T.int64(1))), v_i1, T.Ramp(d * T.int64(2), T.int64(1), 2)]], [0, 1, 0, 1, 0, 1, 0, 1]) * queries[d, T.Ramp(T.int64(0), T.int64(1), 8)]
                        for r in T.unroll(T.int64(8)):
                            score_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([score_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)]], [1, 0, 3, 2, 5, 4, 7, 6])
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                scores[tile * T.int64(8) + r, i] = T.Select(T.min(query_block * T.int64(4) + i // T.int64(2), T.Sub(T.int64(3), T.int64(1))) >= T.min(key_start + (tile * T.int64(8) + r), T.Sub(T.int64(101), T.int64(1))), score_tile[r, i] * (T.float32(1.0) / T.sqrt(T.float32(12.0))), T.float32("-inf"))
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
                    for value_tile in range(T.int64(1)):
                        for r in T.unroll(T.int64(4)):
                            for i in T.vectorized(T.int64(8)):
                                weighted_tile[r, i] = T.float32(0.0)
                        for j in range(key_count):
                            for r in T.unroll(T.int64(4)):
                                weighted_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] = weighted_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([v[v_i0, T.min(key_start + j, T.Sub(T.int64(101), T.int64(1))), v_i1, T.Ramp((value_tile * T.int64(4) + r) * T.int64(2), T.int64(1), 2)]], [0, 1, 0, 1, 0, 1, 0, 1]) * scores[j, T.Ramp(T.int64(0), T.int64(1), 8)]
                        for r in T.unroll(T.int64(4)):
                            for i in T.vectorized(T.int64(8)):
                                weighted[value_tile * T.int64(4) + r, i] = weighted[value_tile * T.int64(4) + r, i] * rescale[i] + weighted_tile[r, i]
                for i in T.vectorized(T.int64(8)):
                    rescale[i] = T.float32(1.0) / weight_sum[i]
                for i in T.unroll(T.int64(4)):
                    for w in range(T.int64(4)):
                        for c in T.vectorized(T.int64(2)):
                            rows[i, w * T.int64(2) + c] = weighted[w, i * T.int64(2) + c]
                for i in range(T.int64(4)):
                    if query_block * T.int64(4) + i < T.int64(3):
                        for column in range(T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                T_attention[v_i0, query_block * T.int64(4) + i, T.int64(0), column * T.int64(8) + c] = T.Select(weight_sum[i * T.int64(2)] == T.float32(0.0), T.float32(0.0), rows[i, column * T.int64(8) + c] * rescale[i * T.int64(2)])

    @R.function
    def main(q: R.Tensor((2, 3, 1, 12), dtype="float32"), k: R.Tensor((2, 101, 1, 12), dtype="float32"), v: R.Tensor((2, 101, 1, 8), dtype="float32")) -> R.Tensor((2, 3, 1, 8), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.attention, (q, k, v), out_sinfo=R.Tensor((2, 3, 1, 8), dtype="float32"))
            R.output(a)
        return a
