# Keys behind the last one that a query of a task sees are left out; what zero times their values gives is not.
# test: schedule
# step: p = get_block("products")
# step: tile_attention(p, 4, 2, 2, 8, 1)
# run: main == same
# run: main seed=7 special == same


@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((2, 19, 4), "float32"), K: T.Buffer((2, 21, 4), "float32"), V: T.Buffer((2, 21, 5), "float32"), mixed: T.Buffer((2, 19, 5), "float32")):
        products = T.alloc_buffer((2, 19, 21))
        scores = T.alloc_buffer((2, 19, 21))
        best = T.alloc_buffer((2, 19))
        total = T.alloc_buffer((2, 19))
        for i0, i1, i2, i3 in T.grid(2, 19, 21, 4):
            with T.block("products"):
                b, i, j, d = T.axis.remap("SSSR", [i0, i1, i2, i3])
                with T.init():
                    products[b, i, j] = T.float32(0)
                products[b, i, j] = products[b, i, j] + Q[b, i, d] * K[b, j, d]
        for i0, i1, i2 in T.grid(2, 19, 21):
            with T.block("scores"):
                b, i, j = T.axis.remap("SSS", [i0, i1, i2])
                scores[b, i, j] = T.if_then_else(i - j < 5 and i + 3 > j + b, products[b, i, j], T.float32("-inf"))
        for i0, i1, i2 in T.grid(2, 19, 21):
            with T.block("best"):
                b, i, j = T.axis.remap("SSR", [i0, i1, i2])
                with T.init():
                    best[b, i] = T.float32("-inf")
                best[b, i] = T.max(best[b, i], scores[b, i, j])
        for i0, i1, i2 in T.grid(2, 19, 21):
            with T.block("total"):
                b, i, j = T.axis.remap("SSR", [i0, i1, i2])
                with T.init():
                    total[b, i] = T.float32(0)
                total[b, i] = total[b, i] + T.exp(scores[b, i, j] - best[b, i])
        for i0, i1, i2, i3 in T.grid(2, 19, 5, 21):
            with T.block("mixed"):
                b, i, w, j = T.axis.remap("SSSR", [i0, i1, i2, i3])
                with T.init():
                    mixed[b, i, w] = T.float32(0)
                mixed[b, i, w] = mixed[b, i, w] + T.exp(scores[b, i, j] - best[b, i]) / total[b, i] * V[b, j, w]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(Q: T.Buffer((2, 19, 4), "float32"), K: T.Buffer((2, 21, 4), "float32"), V: T.Buffer((2, 21, 5), "float32"), mixed: T.Buffer((2, 19, 5), "float32")):
        # with T.block("root"):
        for task in T.parallel(6):
            with T.block("products"):
                T.reads(Q[0:2, 0:19, 0:4], K[0:2, 0:21, 0:4], V[0:2, 0:21, 0:5])
                T.writes(mixed[0:2, 0:19, 0:5])
                queries = T.alloc_buffer((4, 8), align=64)
                scores = T.alloc_buffer((8, 8), align=64)
                mixed_1 = T.alloc_buffer((5, 8), align=64)
                best = T.alloc_buffer((8,), align=64)
                total = T.alloc_buffer((8,), align=64)
                correction = T.alloc_buffer((8,), align=64)
                reference = T.alloc_buffer((8,), align=64)
                unseen = T.alloc_buffer((5,), align=64)
                mixed_tile = T.alloc_buffer((2, 8), scope="local", align=64)
                tile = T.alloc_buffer((2, 8), scope="local", align=64)
                sums = T.alloc_buffer((8,), scope="local", align=64)
                columns = T.alloc_buffer((5,), scope="local", align=64)
                query_block: T.int32 = task % 3
                b: T.int32 = task // 3
                seen: T.int32 = T.max(T.min(T.min(query_block * 8 + 7, 18) - b + 3, 21), 0)
                for d in range(4):
                    for i in T.vectorized(8):
                        queries[d, i] = Q[b, T.min(query_block * 8 + i, T.Sub(19, 1)), d]
                for i in T.vectorized(8):
                    best[i] = T.float32("-inf")
                for i in T.vectorized(8):
                    total[i] = T.float32(0.0)
                for w in T.unroll(1):
                    for c in T.vectorized(4):
                        columns[w * 4 + c] = T.float32(0.0)
                for c in T.vectorized(1):
                    columns[4 + c] = T.float32(0.0)
                for j in range(21 - seen):
                    for w in T.unroll(1):
                        for c in T.vectorized(4):
                            columns[w * 4 + c] = columns[w * 4 + c] + T.float32(0.0) * V[b, seen + j, 0 + (w * 4 + c)]
                    for c in T.vectorized(1):
                        columns[4 + c] = columns[4 + c] + T.float32(0.0) * V[b, seen + j, 0 + (4 + c)]
                for w in T.unroll(1):
                    for c in T.vectorized(4):
                        unseen[0 + (w * 4 + c)] = columns[w * 4 + c]
                for c in T.vectorized(1):
                    unseen[0 + (4 + c)] = columns[4 + c]
                for w in range(5):
                    for i in T.vectorized(8):
                        mixed_1[w, i] = unseen[w]
                for key_block in range((seen + 7) // 8):
                    first_key: T.int32 = key_block * 8
                    keys: T.int32 = T.min(seen - first_key, 8)
                    for tile_1 in range((keys + 1) // 2):
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                tile[r, i] = T.float32(0.0)
                        for d in range(4):
                            for r in T.unroll(2):
                                for i in T.vectorized(8):
                                    tile[r, i] = tile[r, i] + K[b, T.min(first_key + (tile_1 * 2 + r), T.Sub(21, 1)), d] * queries[d, i]
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                scores[tile_1 * 2 + r, i] = T.if_then_else(T.min(query_block * 8 + i, T.Sub(19, 1)) - T.min(first_key + (tile_1 * 2 + r), T.Sub(21, 1)) < 5 and T.min(query_block * 8 + i, T.Sub(19, 1)) + 3 > T.min(first_key + (tile_1 * 2 + r), T.Sub(21, 1)) + b, tile[r, i], T.float32("-inf"))
                    for i in T.vectorized(8):
                        sums[i] = best[i]
                    for j in range(keys):
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
                    for j in range(keys):
                        for i in T.vectorized(8):
                            scores[j, i] = T.exp(scores[j, i] - reference[i])
                        for i in T.vectorized(8):
                            sums[i] = sums[i] + scores[j, i]
                    for i in T.vectorized(8):
                        total[i] = sums[i]
                    for columns_1 in range(2):
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                mixed_tile[r, i] = mixed_1[columns_1 * 2 + r, i] * correction[i]
                        for j in range(keys):
                            for r in T.unroll(2):
                                for i in T.vectorized(8):
                                    mixed_tile[r, i] = mixed_tile[r, i] + V[b, T.min(first_key + j, T.Sub(21, 1)), columns_1 * 2 + r] * scores[j, i]
                        for r in T.unroll(2):
                            for i in T.vectorized(8):
                                mixed_1[columns_1 * 2 + r, i] = mixed_tile[r, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(8):
                            mixed_tile[r, i] = mixed_1[4 + r, i] * correction[i]
                    for j in range(keys):
                        for r in T.unroll(1):
                            for i in T.vectorized(8):
                                mixed_tile[r, i] = mixed_tile[r, i] + V[b, T.min(first_key + j, T.Sub(21, 1)), 4 + r] * scores[j, i]
                    for r in T.unroll(1):
                        for i in T.vectorized(8):
                            mixed_1[4 + r, i] = mixed_tile[r, i]
                for i in range(8):
                    if query_block * 8 + i < 19:
                        for column in range(1):
                            for c in T.vectorized(4):
                                mixed[b, query_block * 8 + i, column * 4 + c] = mixed_1[column * 4 + c, i] / total[i]
                        for c in T.vectorized(1):
                            mixed[b, query_block * 8 + i, 4 + c] = mixed_1[4 + c, i] / total[i]
