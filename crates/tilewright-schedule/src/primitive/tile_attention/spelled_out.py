# Attention as a model writes it: other orders of axes, the quotient before the values, three heads for each pair of keys and
# values, maxima and sums with an axis of one place, the result with its heads beside each other.
# test: schedule
# step: p = get_block("products")
# step: tile_attention(p, 4, 2, 2, 8, 1)
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
                mixed = T.alloc_buffer((5, 8), align=64)
                best = T.alloc_buffer((8,), align=64)
                total = T.alloc_buffer((8,), align=64)
                correction = T.alloc_buffer((8,), align=64)
                reference = T.alloc_buffer((8,), align=64)
                mixed_tile = T.alloc_buffer((2, 8), scope="local", align=64)
                tile = T.alloc_buffer((2, 8), scope="local", align=64)
                sums = T.alloc_buffer((8,), scope="local", align=64)
                query_block: T.int32 = task % 2
                h: T.int32 = task // 2 % 6
                b: T.int32 = task // 12
                for d in range(4):
                    for i in T.vectorized(8):
                        queries[d, i] = Q[b, h, T.min(query_block * 8 + i, T.Sub(11, 1)), d]
                for i in T.vectorized(8):
                    best[i] = T.float32("-inf")
                for i in T.vectorized(8):
                    total[i] = T.float32(0.0)
                for w in range(5):
                    for i in T.vectorized(8):
                        mixed[w, i] = T.float32(0.0)
                for key_block in range(1):
                    first_key: T.int32 = key_block * 8
                    for tile_1 in range(4):
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                tile[r, i] = T.float32(0.0)
                        for d in range(4):
                            for r in T.unroll(2):
                                for i in T.vectorized(8):
                                    tile[r, i] = tile[r, i] + K[b, h // 3, first_key + (tile_1 * 2 + r), d] * queries[d, i]
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                scores[tile_1 * 2 + r, i] = tile[r, i] * T.float32(0.5) + mask[b, first_key + (tile_1 * 2 + r)]
                    for i in T.vectorized(8):
                        sums[i] = best[i]
                    for j in range(8):
                        for i in T.vectorized(8):
                            sums[i] = T.Select(scores[j, i] > sums[i], scores[j, i], sums[i])
                    for i in T.vectorized(8):
                        reference[i] = T.Select(sums[i] == T.float32("-inf"), T.float32(0.0), sums[i])
                    for i in T.vectorized(8):
                        correction[i] = T.exp(best[i] - reference[i])
                    for i in T.vectorized(8):
                        best[i] = sums[i]
                    for i in T.vectorized(8):
                        sums[i] = total[i] * correction[i]
                    for j in range(8):
                        for i in T.vectorized(8):
                            scores[j, i] = T.exp(scores[j, i] - reference[i])
                        for i in T.vectorized(8):
                            sums[i] = sums[i] + scores[j, i]
                    for i in T.vectorized(8):
                        total[i] = sums[i]
                    for columns in range(2):
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                mixed_tile[r, i] = mixed[columns * 2 + r, i] * correction[i]
                        for j in range(8):
                            for r in T.unroll(2):
                                for i in T.vectorized(8):
                                    mixed_tile[r, i] = mixed_tile[r, i] + V[b, first_key + j, h // 3, columns * 2 + r] * scores[j, i]
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                mixed[columns * 2 + r, i] = mixed_tile[r, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(8):
                            mixed_tile[r, i] = mixed[4 + r, i] * correction[i]
                    for j in range(8):
                        for r in T.unroll(1):
                            for i in T.vectorized(8):
                                mixed_tile[r, i] = mixed_tile[r, i] + V[b, first_key + j, h // 3, 4 + r] * scores[j, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(8):
                            mixed[4 + r, i] = mixed_tile[r, i]
                with T.LetStmt(8) as first_key:
                    for tile_1 in range(2):
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                tile[r, i] = T.float32(0.0)
                        for d in range(4):
                            for r in T.unroll(2):
                                for i in T.vectorized(8):
                                    tile[r, i] = tile[r, i] + K[b, h // 3, first_key + (tile_1 * 2 + r), d] * queries[d, i]
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                scores[tile_1 * 2 + r, i] = tile[r, i] * T.float32(0.5) + mask[b, first_key + (tile_1 * 2 + r)]
                    for r in T.unroll(1):
                        for i in T.vectorized(8):
                            tile[r, i] = T.float32(0.0)
                    for d in range(4):
                        for r in T.unroll(1):
                            for i in T.vectorized(8):
                                tile[r, i] = tile[r, i] + K[b, h // 3, first_key + (4 + r), d] * queries[d, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(8):
                            scores[4 + r, i] = tile[r, i] * T.float32(0.5) + mask[b, first_key + (4 + r)]
                    for i in T.vectorized(8):
                        sums[i] = best[i]
                    for j in range(5):
                        for i in T.vectorized(8):
                            sums[i] = T.Select(scores[j, i] > sums[i], scores[j, i], sums[i])
                    for i in T.vectorized(8):
                        reference[i] = T.Select(sums[i] == T.float32("-inf"), T.float32(0.0), sums[i])
                    for i in T.vectorized(8):
                        correction[i] = T.exp(best[i] - reference[i])
                    for i in T.vectorized(8):
                        best[i] = sums[i]
                    for i in T.vectorized(8):
                        sums[i] = total[i] * correction[i]
                    for j in range(5):
                        for i in T.vectorized(8):
                            scores[j, i] = T.exp(scores[j, i] - reference[i])
                        for i in T.vectorized(8):
                            sums[i] = sums[i] + scores[j, i]
                    for i in T.vectorized(8):
                        total[i] = sums[i]
                    for columns in range(2):
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                mixed_tile[r, i] = mixed[columns * 2 + r, i] * correction[i]
                        for j in range(5):
                            for r in T.unroll(2):
                                for i in T.vectorized(8):
                                    mixed_tile[r, i] = mixed_tile[r, i] + V[b, first_key + j, h // 3, columns * 2 + r] * scores[j, i]
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                mixed[columns * 2 + r, i] = mixed_tile[r, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(8):
                            mixed_tile[r, i] = mixed[4 + r, i] * correction[i]
                    for j in range(5):
                        for r in T.unroll(1):
                            for i in T.vectorized(8):
                                mixed_tile[r, i] = mixed_tile[r, i] + V[b, first_key + j, h // 3, 4 + r] * scores[j, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(8):
                            mixed[4 + r, i] = mixed_tile[r, i]
                for i in range(8):
                    if query_block * 8 + i < 11:
                        for column in range(1):
                            for c in T.vectorized(4):
                                result[b, query_block * 8 + i, h * 5 + (column * 4 + c)] = mixed[column * 4 + c, i] / total[i]
                        for c in T.vectorized(1):
                            result[b, query_block * 8 + i, h * 5 + (4 + c)] = mixed[4 + c, i] / total[i]
