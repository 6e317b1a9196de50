# A mask and a bias for each query and key are turned, block of keys by block of keys, of which the last one is not whole.
# test: opt --pass FuseAttention --pass LegalizeOps --pass FuseTIR --pass DeadCodeElimination --pass ApplyDefaultSchedule:target=haswell
# run: main tol=1e-4 == same
# run: main tol=1e-4 seed=7 special == same


@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, 11, 8), "float32"), k: R.Tensor((2, 8, 101), "float32"), v: R.Tensor((2, 101, 8), "float32"), bias: R.Tensor((2, 11, 101), "float32"), mask: R.Tensor((11, 101), "bool")):
        with R.dataflow():
            s = R.add(R.matmul(q, k), bias)
            t = R.where(mask, s, R.const(float("-inf"), "float32"))
            a = R.matmul(R.nn.softmax(t, axis=-1), v)
            R.output(a)
        return a

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def fused_attention(q: T.Buffer((T.int64(2), T.int64(11), T.int64(8)), "float32"), k: T.Buffer((T.int64(2), T.int64(8), T.int64(101)), "float32"), bias: T.Buffer((T.int64(2), T.int64(11), T.int64(101)), "float32"), mask: T.Buffer((T.int64(11), T.int64(101)), "bool"), v: T.Buffer((T.int64(2), T.int64(101), T.int64(8)), "float32"), const: T.Buffer((), "float32"), matmul: T.Buffer((T.int64(2), T.int64(11), T.int64(8)), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True), "tir.noalias": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(4)):
            with T.block("matmul"):
                T.reads(q[T.int64(0):T.int64(2), T.int64(0):T.int64(11), T.int64(0):T.int64(8)], k[T.int64(0):T.int64(2), T.int64(0):T.int64(8), T.int64(0):T.int64(101)], v[T.int64(0):T.int64(2), T.int64(0):T.int64(101), T.int64(0):T.int64(8)], mask[T.int64(0):T.int64(11), T.int64(0):T.int64(101)], bias[T.int64(0):T.int64(2), T.int64(0):T.int64(11), T.int64(0):T.int64(101)], const[()])
                T.writes(matmul[T.int64(0):T.int64(2), T.int64(0):T.int64(11), T.int64(0):T.int64(8)])
                queries = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                scores = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                mixed = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                best = T.alloc_buffer((T.int64(8),), align=64)
                total = T.alloc_buffer((T.int64(8),), align=64)
                correction = T.alloc_buffer((T.int64(8),), align=64)
                reference = T.alloc_buffer((T.int64(8),), align=64)
                rows = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                mask0 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                mask1 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                mask_rows = T.alloc_buffer((T.int64(8), T.int64(96)), align=64)
                mixed_tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                tile = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                queries_1 = T.alloc_buffer((T.int64(4), T.int64(8)), align=64)
                scores_1 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                mixed_1 = T.alloc_buffer((T.int64(4), T.int64(8)), align=64)
                best_1 = T.alloc_buffer((T.int64(8),), align=64)
                total_1 = T.alloc_buffer((T.int64(8),), align=64)
                correction_1 = T.alloc_buffer((T.int64(8),), align=64)
                reference_1 = T.alloc_buffer((T.int64(8),), align=64)
                rows_1 = T.alloc_buffer((T.int64(8), T.int64(8)), align=64)
                keys = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                mask0_1 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                mask1_1 = T.alloc_buffer((T.int64(96), T.int64(8)), align=64)
                mask_rows_1 = T.alloc_buffer((T.int64(8), T.int64(96)), align=64)
                mixed_tile_1 = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                tile_1 = T.alloc_buffer((T.int64(8), T.int64(8)), scope="local", align=64)
                sums_1 = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                query_block: T.int64 = task % T.int64(2)
                v_i0: T.int64 = task // T.int64(2)
                if query_block < T.int64(1):
                    for i_tile, d_tile in T.grid(T.int64(1), T.int64(1)):
                        row: T.float32x8 = q[v_i0, query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(0)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_1: T.float32x8 = q[v_i0, query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(1)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_2: T.float32x8 = q[v_i0, query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(2)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_3: T.float32x8 = q[v_i0, query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(3)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_4: T.float32x8 = q[v_i0, query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(4)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_5: T.float32x8 = q[v_i0, query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(5)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_6: T.float32x8 = q[v_i0, query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(6)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
                        row_7: T.float32x8 = q[v_i0, query_block * T.int64(8) + (i_tile * T.int64(8) + T.int64(7)), T.Ramp(d_tile * T.int64(8), T.int64(1), 8)]
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
                    for i in T.vectorized(T.int64(8)):
                        best[i] = T.float32("-inf")
                    for i in T.vectorized(T.int64(8)):
                        total[i] = T.float32(0.0)
                    for i in range(T.int64(8)):
                        for j in T.unroll(T.int64(12)):
                            for c in T.vectorized(T.int64(8)):
                                mask_rows[i, j * T.int64(8) + c] = T.float32(0.0)
                    for w in range(T.int64(8)):
                        for i in T.vectorized(T.int64(8)):
                            mixed[w, i] = T.float32(0.0)
                    for key_block in range(T.int64(1)):
                        first_key: T.int64 = key_block * T.int64(96)
                        for vector in range(T.int64(1)):
                            for i in range(T.int64(8)):
                                for j in T.unroll(T.int64(12)):
                                    for c in T.vectorized(T.int64(8)):
                                        mask_rows[i, j * T.int64(8) + c] = T.Select(mask[query_block * T.int64(8) + (vector * T.int64(8) + i), first_key + (j * T.int64(8) + c)], T.float32(1.0), T.float32(0.0))
                            for i_tile, j_tile in T.grid(T.int64(1), T.int64(12)):
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
                        for vector in range(T.int64(1)):
                            for i in range(T.int64(8)):
                                for j in T.unroll(T.int64(12)):
                                    for c in T.vectorized(T.int64(8)):
                                        mask_rows[i, j * T.int64(8) + c] = bias[v_i0, query_block * T.int64(8) + (vector * T.int64(8) + i), first_key + (j * T.int64(8) + c)]
                            for i_tile, j_tile in T.grid(T.int64(1), T.int64(12)):
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
                                mask1[j_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                mask1[j_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                mask1[j_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                mask1[j_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                mask1[j_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                mask1[j_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                mask1[j_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                mask1[j_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                        for tile_2 in range(T.int64(12)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    tile[r, i] = T.float32(0.0)
                            for d in range(T.int64(8)):
                                for r in T.unroll(T.int64(8)):
                                    for i in T.vectorized(T.int64(8)):
                                        tile[r, i] = tile[r, i] + k[v_i0, d, first_key + (tile_2 * T.int64(8) + r)] * queries[d, i]
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    scores[tile_2 * T.int64(8) + r, i] = T.Select(mask0[tile_2 * T.int64(8) + r, i] != T.float32(0.0), tile[r, i] + mask1[tile_2 * T.int64(8) + r, i], const[()])
                        for i in T.vectorized(T.int64(8)):
                            sums[i] = best[i]
                        for j in range(T.int64(96)):
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
                        for j in range(T.int64(96)):
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
                            for j in range(T.int64(96)):
                                for r in T.unroll(T.int64(8)):
                                    for i in T.vectorized(T.int64(8)):
                                        mixed_tile[r, i] = mixed_tile[r, i] + v[v_i0, first_key + j, columns * T.int64(8) + r] * scores[j, i]
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    mixed[columns * T.int64(8) + r, i] = mixed[columns * T.int64(8) + r, i] * correction[i] + mixed_tile[r, i]
                    with T.LetStmt(T.int64(96)) as first_key:
                        for vector in range(T.int64(1)):
                            for i in range(T.int64(8)):
                                for c in T.vectorized(T.int64(5)):
                                    mask_rows[i, T.int64(0) + c] = T.Select(mask[query_block * T.int64(8) + (vector * T.int64(8) + i), first_key + (T.int64(0) + c)], T.float32(1.0), T.float32(0.0))
                            for i_tile, j_tile in T.grid(T.int64(1), T.int64(1)):
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
                        for vector in range(T.int64(1)):
                            for i in range(T.int64(8)):
                                for c in T.vectorized(T.int64(5)):
                                    mask_rows[i, T.int64(0) + c] = bias[v_i0, query_block * T.int64(8) + (vector * T.int64(8) + i), first_key + (T.int64(0) + c)]
                            for i_tile, j_tile in T.grid(T.int64(1), T.int64(1)):
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
                                mask1[j_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                mask1[j_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                mask1[j_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                mask1[j_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                mask1[j_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                mask1[j_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                mask1[j_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                mask1[j_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                        for r in T.unroll(T.int64(5)):
                            for i in T.vectorized(T.int64(8)):
                                tile[r, i] = T.float32(0.0)
                        for d in range(T.int64(8)):
                            for r in T.unroll(T.int64(5)):
                                for i in T.vectorized(T.int64(8)):
                                    tile[r, i] = tile[r, i] + k[v_i0, d, first_key + (T.int64(0) + r)] * queries[d, i]
                        for r in T.unroll(T.int64(5)):
                            for i in T.vectorized(T.int64(8)):
                                scores[T.int64(0) + r, i] = T.Select(mask0[T.int64(0) + r, i] != T.float32(0.0), tile[r, i] + mask1[T.int64(0) + r, i], const[()])
                        for i in T.vectorized(T.int64(8)):
                            sums[i] = best[i]
                        for j in range(T.int64(5)):
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
                        for j in range(T.int64(5)):
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
                            for j in range(T.int64(5)):
                                for r in T.unroll(T.int64(8)):
                                    for i in T.vectorized(T.int64(8)):
                                        mixed_tile[r, i] = mixed_tile[r, i] + v[v_i0, first_key + j, columns * T.int64(8) + r] * scores[j, i]
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    mixed[columns * T.int64(8) + r, i] = mixed[columns * T.int64(8) + r, i] * correction[i] + mixed_tile[r, i]
                    for i in T.vectorized(T.int64(8)):
                        correction[i] = T.float32(1.0) / total[i]
                    for vector in range(T.int64(1)):
                        for w_tile, i_tile in T.grid(T.int64(1), T.int64(1)):
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
                        for i, column in T.grid(T.int64(8), T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                matmul[v_i0, query_block * T.int64(8) + (vector * T.int64(8) + i), column * T.int64(8) + c] = rows[i, column * T.int64(8) + c] * correction[vector * T.int64(8) + i]
                else:
                    for i in T.unroll(T.int64(4)):
                        for d in range(T.int64(4)):
                            for c in T.vectorized(T.int64(2)):
                                queries_1[d, i * T.int64(2) + c] = q[v_i0, T.min(query_block * T.int64(4) + T.int64(4) + i, T.Sub(T.int64(11), T.int64(1))), d * T.int64(2) + c]
                    for i in T.vectorized(T.int64(8)):
                        best_1[i] = T.float32("-inf")
                    for i in T.vectorized(T.int64(8)):
                        total_1[i] = T.float32(0.0)
                    for i in range(T.int64(8)):
                        for j in T.unroll(T.int64(12)):
                            for c in T.vectorized(T.int64(8)):
                                mask_rows_1[i, j * T.int64(8) + c] = T.float32(0.0)
                    for w in range(T.int64(4)):
                        for i in T.vectorized(T.int64(8)):
                            mixed_1[w, i] = T.float32(0.0)
                    for key_block in range(T.int64(1)):
                        first_key: T.int64 = key_block * T.int64(96)
                        for j, column in T.grid(T.int64(96), T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                keys[j, column * T.int64(8) + c] = k[v_i0, column * T.int64(8) + c, first_key + j]
                        for vector in range(T.int64(1)):
                            for i in range(T.int64(8)):
                                for j in T.unroll(T.int64(12)):
                                    for c in T.vectorized(T.int64(8)):
                                        mask_rows_1[i, j * T.int64(8) + c] = T.Select(mask[T.min(query_block * T.int64(4) + T.int64(4) + (vector * T.int64(8) + i) // T.int64(2), T.Sub(T.int64(11), T.int64(1))), first_key + (j * T.int64(8) + c)], T.float32(1.0), T.float32(0.0))
                            for i_tile, j_tile in T.grid(T.int64(1), T.int64(12)):
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
                        for vector in range(T.int64(1)):
                            for i in range(T.int64(8)):
                                for j in T.unroll(T.int64(12)):
                                    for c in T.vectorized(T.int64(8)):
                                        mask_rows_1[i, j * T.int64(8) + c] = bias[v_i0, T.min(query_block * T.int64(4) + T.int64(4) + (vector * T.int64(8) + i) // T.int64(2), T.Sub(T.int64(11), T.int64(1))), first_key + (j * T.int64(8) + c)]
                            for i_tile, j_tile in T.grid(T.int64(1), T.int64(12)):
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
                                mask1_1[j_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                mask1_1[j_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                mask1_1[j_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                mask1_1[j_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                mask1_1[j_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                mask1_1[j_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                mask1_1[j_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                mask1_1[j_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                        for tile_2 in range(T.int64(12)):
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    tile_1[r, i] = T.float32(0.0)
                            for d in range(T.int64(4)):
                                for r in T.unroll(T.int64(8)):
                                    tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([keys[T.min(tile_2 * T.int64(8) + r, T.Sub(T.int64(96), T.int64(1))), T.Ramp(d * T.int64(2), T.int64(1), 2)]], [0, 1, 0, 1, 0, 1, 0, 1]) * queries_1[d, T.Ramp(T.int64(0), T.int64(1), 8)]
                            for r in T.unroll(T.int64(8)):
                                tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)]], [1, 0, 3, 2, 5, 4, 7, 6])
                            for r in T.unroll(T.int64(8)):
                                for i in T.vectorized(T.int64(8)):
                                    scores_1[tile_2 * T.int64(8) + r, i] = T.Select(mask0_1[tile_2 * T.int64(8) + r, i] != T.float32(0.0), tile_1[r, i] + mask1_1[tile_2 * T.int64(8) + r, i], const[()])
                        for i in T.vectorized(T.int64(8)):
                            sums_1[i] = best_1[i]
                        for j in range(T.int64(96)):
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
                        for j in range(T.int64(96)):
                            for i in T.vectorized(T.int64(8)):
                                scores_1[j, i] = T.Select(scores_1[j, i] - reference_1[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores_1[j, i] - reference_1[i] < T.float32(-87.33), T.float32(-87.33), scores_1[j, i] - reference_1[i])))
                            for i in T.vectorized(T.int64(8)):
                                sums_1[i] = sums_1[i] + scores_1[j, i]
                        for i in T.vectorized(T.int64(8)):
                            total_1[i] = total_1[i] * correction_1[i] + sums_1[i]
                        for columns in range(T.int64(1)):
                            for r in T.unroll(T.int64(4)):
                                for i in T.vectorized(T.int64(8)):
                                    mixed_tile_1[r, i] = T.float32(0.0)
                            for j in range(T.int64(96)):
                                for r in T.unroll(T.int64(4)):
                                    mixed_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = mixed_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([v[v_i0, first_key + j, T.Ramp((columns * T.int64(4) + r) * T.int64(2), T.int64(1), 2)]], [0, 1, 0, 1, 0, 1, 0, 1]) * scores_1[j, T.Ramp(T.int64(0), T.int64(1), 8)]
                            for r in T.unroll(T.int64(4)):
                                for i in T.vectorized(T.int64(8)):
                                    mixed_1[columns * T.int64(4) + r, i] = mixed_1[columns * T.int64(4) + r, i] * correction_1[i] + mixed_tile_1[r, i]
                    with T.LetStmt(T.int64(96)) as first_key:
                        for j, column in T.grid(T.int64(5), T.int64(1)):
                            for c in T.vectorized(T.int64(8)):
                                keys[j, column * T.int64(8) + c] = k[v_i0, column * T.int64(8) + c, first_key + j]
                        for vector in range(T.int64(1)):
                            for i in range(T.int64(8)):
                                for c in T.vectorized(T.int64(5)):
                                    mask_rows_1[i, T.int64(0) + c] = T.Select(mask[T.min(query_block * T.int64(4) + T.int64(4) + (vector * T.int64(8) + i) // T.int64(2), T.Sub(T.int64(11), T.int64(1))), first_key + (T.int64(0) + c)], T.float32(1.0), T.float32(0.0))
                            for i_tile, j_tile in T.grid(T.int64(1), T.int64(1)):
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
                        for vector in range(T.int64(1)):
                            for i in range(T.int64(8)):
                                for c in T.vectorized(T.int64(5)):
                                    mask_rows_1[i, T.int64(0) + c] = bias[v_i0, T.min(query_block * T.int64(4) + T.int64(4) + (vector * T.int64(8) + i) // T.int64(2), T.Sub(T.int64(11), T.int64(1))), first_key + (T.int64(0) + c)]
                            for i_tile, j_tile in T.grid(T.int64(1), T.int64(1)):
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
                                mask1_1[j_tile * T.int64(8) + T.int64(0), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_18
                                mask1_1[j_tile * T.int64(8) + T.int64(1), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_20
                                mask1_1[j_tile * T.int64(8) + T.int64(2), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_22
                                mask1_1[j_tile * T.int64(8) + T.int64(3), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_24
                                mask1_1[j_tile * T.int64(8) + T.int64(4), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_19
                                mask1_1[j_tile * T.int64(8) + T.int64(5), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_21
                                mask1_1[j_tile * T.int64(8) + T.int64(6), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_23
                                mask1_1[j_tile * T.int64(8) + T.int64(7), T.Ramp(vector * T.int64(8) + i_tile * T.int64(8), T.int64(1), 8)] = mixed_25
                        for r in T.unroll(T.int64(5)):
                            for i in T.vectorized(T.int64(8)):
                                tile_1[r, i] = T.float32(0.0)
                        for d in range(T.int64(4)):
                            for r in T.unroll(T.int64(5)):
                                tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([keys[T.min(T.int64(0) + r, T.Sub(T.int64(5), T.int64(1))), T.Ramp(d * T.int64(2), T.int64(1), 2)]], [0, 1, 0, 1, 0, 1, 0, 1]) * queries_1[d, T.Ramp(T.int64(0), T.int64(1), 8)]
                        for r in T.unroll(T.int64(5)):
                            tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)]], [1, 0, 3, 2, 5, 4, 7, 6])
                        for r in T.unroll(T.int64(5)):
                            for i in T.vectorized(T.int64(8)):
                                scores_1[T.int64(0) + r, i] = T.Select(mask0_1[T.int64(0) + r, i] != T.float32(0.0), tile_1[r, i] + mask1_1[T.int64(0) + r, i], const[()])
                        for i in T.vectorized(T.int64(8)):
                            sums_1[i] = best_1[i]
                        for j in range(T.int64(5)):
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
                        for j in range(T.int64(5)):
                            for i in T.vectorized(T.int64(8)):
                                scores_1[j, i] = T.Select(scores_1[j, i] - reference_1[i] < T.float32(-87.33), T.float32(0.0), T.exp(T.Select(scores_1[j, i] - reference_1[i] < T.float32(-87.33), T.float32(-87.33), scores_1[j, i] - reference_1[i])))
                            for i in T.vectorized(T.int64(8)):
                                sums_1[i] = sums_1[i] + scores_1[j, i]
                        for i in T.vectorized(T.int64(8)):
                            total_1[i] = total_1[i] * correction_1[i] + sums_1[i]
                        for columns in range(T.int64(1)):
                            for r in T.unroll(T.int64(4)):
                                for i in T.vectorized(T.int64(8)):
                                    mixed_tile_1[r, i] = T.float32(0.0)
                            for j in range(T.int64(5)):
                                for r in T.unroll(T.int64(4)):
                                    mixed_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] = mixed_tile_1[r, T.Ramp(T.int64(0), T.int64(1), 8)] + T.Shuffle([v[v_i0, first_key + j, T.Ramp((columns * T.int64(4) + r) * T.int64(2), T.int64(1), 2)]], [0, 1, 0, 1, 0, 1, 0, 1]) * scores_1[j, T.Ramp(T.int64(0), T.int64(1), 8)]
                            for r in T.unroll(T.int64(4)):
                                for i in T.vectorized(T.int64(8)):
                                    mixed_1[columns * T.int64(4) + r, i] = mixed_1[columns * T.int64(4) + r, i] * correction_1[i] + mixed_tile_1[r, i]
                    for i in T.vectorized(T.int64(8)):
                        correction_1[i] = T.float32(1.0) / total_1[i]
                    for i in T.unroll(T.int64(4)):
                        for w in range(T.int64(4)):
                            for c in T.vectorized(T.int64(2)):
                                rows_1[i, w * T.int64(2) + c] = mixed_1[w, i * T.int64(2) + c]
                    for i in range(T.int64(4)):
                        if query_block * T.int64(4) + i < T.int64(7):
                            for column in range(T.int64(1)):
                                for c in T.vectorized(T.int64(8)):
                                    matmul[v_i0, query_block * T.int64(4) + T.int64(4) + i, column * T.int64(8) + c] = rows_1[i, column * T.int64(8) + c] * correction_1[i * T.int64(2)]

    @R.function
    def main(q: R.Tensor((2, 11, 8), dtype="float32"), k: R.Tensor((2, 8, 101), dtype="float32"), v: R.Tensor((2, 101, 8), dtype="float32"), bias: R.Tensor((2, 11, 101), dtype="float32"), mask: R.Tensor((11, 101), dtype="bool")) -> R.Tensor((2, 11, 8), dtype="float32"):
        cls = Module
        with R.dataflow():
            a = R.call_tir(cls.fused_attention, (q, k, bias, mask, v, metadata["relax.expr.Constant"][0]), out_sinfo=R.Tensor((2, 11, 8), dtype="float32"))
            R.output(a)
        return a

metadata = {"relax.expr.Constant": [
    {"dtype": "float32", "shape": [], "data": "AACA/w=="},
]}
