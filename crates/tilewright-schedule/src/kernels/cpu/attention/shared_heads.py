# One query for each of six heads, of which three share keys and values: those three are the queries of a task.
# test: opt --pass FuseAttention --pass LegalizeOps --pass FuseTIR --pass DeadCodeElimination --pass ApplyDefaultSchedule:target=haswell
# run: main m=1 tol=1e-4 == same
# run: main m=0 == same
# run: main m=130 tol=1e-4 == same
# run: main m=9 tol=1e-4 seed=7 special == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, 6, 1, 8), "float32"), k: R.Tensor((2, 2, "m", 8), "float32"), v: R.Tensor((2, 2, "m", 8), "float32"), mask: R.Tensor((2, 1, 1, "m"), "float32")):
        with R.dataflow():
            ks = R.permute_dims(R.repeat(k, repeats=3, axis=1), axes=[0, 1, 3, 2])
            vs = R.repeat(v, repeats=3, axis=1)
            s = R.add(R.matmul(q, ks), mask)
            a = R.matmul(R.nn.softmax(s, axis=-1), vs)
            R.output(a)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fused_attention(var_k: T.handle, var_v: T.handle, q: T.Buffer((T.int64(2), T.int64(6), T.int64(1), T.int64(8)), "float32"), var_mask: T.handle, matmul: T.Buffer((T.int64(2), T.int64(6), T.int64(1), T.int64(8)), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        m = T.int64()
        k = T.match_buffer(var_k, (T.int64(2), T.int64(2), m, T.int64(8)), "float32")
        v = T.match_buffer(var_v, (T.int64(2), T.int64(2), m, T.int64(8)), "float32")
        mask = T.match_buffer(var_mask, (T.int64(2), T.int64(1), T.int64(1), m), "float32")
        # with T.block("root"):
        for task in T.parallel(T.int64(4)):
            with T.block("T_repeat"):
                T.reads(q[T.int64(0):T.int64(2), T.int64(0):T.int64(6), T.int64(0), T.int64(0):T.int64(8)], k[T.int64(0):T.int64(2), T.int64(0):T.int64(2), T.int64(0):m, T.int64(0):T.int64(8)], v[T.int64(0):T.int64(2), T.int64(0):T.int64(2), T.int64(0):m, T.int64(0):T.int64(8)], mask[T.int64(0):T.int64(2), T.int64(0), T.int64(0), T.int64(0):m])
                T.writes(matmul[T.int64(0):T.int64(2), T.int64(0):T.int64(6), T.int64(0), T.int64(0):T.int64(8)])
                queries = T.alloc_buffer((T.int64(4), T.int64(8)), align=64)
                scores = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                weighted = T.alloc_buffer((T.int64(4), T.int64(8)), align=64)
                max = T.alloc_buffer((T.int64(8),), align=64)
                weight_sum = T.alloc_buffer((T.int64(8),), align=64)
                rescale = T.alloc_buffer((T.int64(8),), align=64)
                shift = T.alloc_buffer((T.int64(8),), align=64)
                rows = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                weighted_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                score_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                query_block: T.int64 = T.int64(0)
                v_i1: T.int64 = task % T.int64(2)
                v_i0: T.int64 = task // T.int64(2)
                for i in T.unroll(T.int64(4)):
                    for d in range(T.int64(4)):
                        for c in T.vectorized(T.int64(2)):
                            queries[d, i * T.int64(2) + c] = q[v_i0, v_i1 * T.int64(3) + T.min(query_block * T.int64(4) + i, T.Sub(T.int64(3), T.int64(1))), T.int64(0), d * T.int64(2) + c]
                for i in T.vectorized(T.int64(8)):
                    max[i] = T.float32("-inf")
                for i in T.vectorized(T.int64(8)):
                    weight_sum[i] = T.float32(0.0)
                for w in range(T.int64(4)):
                    for i in T.vectorized(T.int64(8)):
                        weighted[w, i] = T.float32(0.0)
                for key_block in range((m + T.int64(95)) // T.int64(96)):
                    key_start: T.int64 = key_block * T.int64(96)
                    key_count: T.int64 = T.min(m - key_start, T.int64(96))
                    for tile in range((key_count + T.int64(7)) // T.int64(8)):
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                score_tile[r, i] = T.float32(0.0)
                        for d in range(T.int64(4)):
                            for r in T.unroll(T.int64(8)):
                                score_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([k[v_i0, v_i1, T.min(key_start + (tile * T.int64(8) + r), m - T.int64(1)), T.Ramp(d * T.int64(2), T.int64(1), 2)]], [0, 1, 0, 1, 0, 1, 0, 1]) * queries[d, T.Ramp(T.int64(0), T.int64(1), 8)]
                        for r in T.unroll(T.int64(8)):
                            score_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] = score_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([score_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)]], [1, 0, 3, 2, 5, 4, 7, 6])
                        for r in T.unroll(T.int64(8)):
                            for i in T.vectorized(T.int64(8)):
                                scores[tile * T.int64(8) + r, i] = score_tile[r, i] + mask[v_i0, T.int64(0), T.int64(0), T.min(key_start + (tile * T.int64(8) + r), m - T.int64(1))]
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
                                weighted_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] = weighted_tile[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([v[v_i0, v_i1, T.min(key_start + j, m - T.int64(1)), T.Ramp((value_tile * T.int64(4) + r) * T.int64(2), T.int64(1), 2)]], [0, 1, 0, 1, 0, 1, 0, 1]) * scores[j, T.Ramp(T.int64(0), T.int64(1), 8)]
                        for r in T.unroll(T.int64(4)):
                            for i in T.vectorized(T.int64(8)):
                                weighted[value_tile * T.int64(4) + r, i] = weighted[value_tile * T.int64(4) + r, i] * rescale[i] + weighted_tile[r, i]
                for i in T.unroll(T.int64(4)):
                    for w in range(T.int64(4)):
                        for c in T.vectorized(T.int64(2)):
                            rows[i, w * T.int64(2) + c] = weighted[w, i * T.int64(2) + c]
                for i in range(T.int64(4)):
                    if query_block * T.int64(4) + i < T.int64(3):
                        for column in range(T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                matmul[v_i0, v_i1 * T.int64(3) + (query_block * T.int64(4) + i), T.int64(0), column * T.int64(8) + c] = rows[i, column * T.int64(8) + c] / T.Select(m == T.int64(0), T.float32(1.0), weight_sum[i * T.int64(2)])

    @R.function
    def main(q: R.Tensor((2, 6, 1, 8), dtype="float32"), k: R.Tensor((2, 2, "m", 8), dtype="float32"), v: R.Tensor((2, 2, "m", 8), dtype="float32"), mask: R.Tensor((2, 1, 1, "m"), dtype="float32")) -> R.Tensor((2, 6, 1, 8), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.fused_attention, (k, v, q, mask), out_sinfo=R.Tensor((2, 6, 1, 8), dtype="float32"))
            R.output(a)
        return a
