# Of rows and columns as many as there are: the vectors that are left over are masked, and of nothing there is nothing.
# test: schedule
# step: b = get_block("shares")
# step: rows_resident(b, 4, 2, 2)
# run: main n=5 m=11 == same
# run: main n=2 m=16 == same
# run: main n=1 m=1 == same
# run: main n=3 m=3 == same
# run: main n=0 m=5 == same
# run: main n=5 m=0 == same
# run: main n=4 m=23 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(var_X, (n, m), "float32")
        Y = T.match_buffer(var_Y, (n, m), "float32")
        largest = T.alloc_buffer((n,), "float32")
        total = T.alloc_buffer((n,), "float32")
        for i in range(n):
            with T.block("largest_init"):
                vi = T.axis.spatial(n, i)
                largest[vi] = T.float32("-inf")
        for i, k in T.grid(n, m):
            with T.block("largest_update"):
                vi, vk = T.axis.remap("SR", [i, k])
                largest[vi] = T.max(largest[vi], X[vi, vk])
        for i in range(n):
            with T.block("total_init"):
                vi = T.axis.spatial(n, i)
                total[vi] = T.float32(0)
        for i, k in T.grid(n, m):
            with T.block("total_update"):
                vi, vk = T.axis.remap("SR", [i, k])
                total[vi] = total[vi] + T.exp(X[vi, vk] - largest[vi])
        for i, j in T.grid(n, m):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(X[vi, vj] - largest[vi]) / total[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle, var_Y: T.handle):
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(var_X, (n, m), "float32")
        Y = T.match_buffer(var_Y, (n, m), "float32")
        # with T.block("root"):
        for task in T.parallel((n + T.int64(1)) // T.int64(2)):
            with T.block("shares"):
                T.reads(X[T.int64(0):n, T.int64(0):m])
                T.writes(Y[T.int64(0):n, T.int64(0):m])
                partial = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                partial_1 = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                totals_1 = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_term = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                kept = T.alloc_buffer((T.int64(2), (m + T.int64(1023)) // T.int64(1024) * T.int64(1024) + T.int64(256)), align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), n - first)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32("-inf")
                for block in range(m // T.int64(8)):
                    for vector in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            partial[vector, l] = T.Select(X[first, block * T.int64(8) + vector * T.int64(4) + l] > partial[vector, l], X[first, block * T.int64(8) + vector * T.int64(4) + l], partial[vector, l])
                for vector in range((m % T.int64(8) + T.int64(3)) // T.int64(4)):
                    for l in T.vectorized(T.int64(4)):
                        if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                            partial[T.int64(0), l] = T.Select(X[first, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] > partial[T.int64(0), l], X[first, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l], partial[T.int64(0), l])
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.Select(partial[u + T.int64(1), l] > partial[u, l], partial[u + T.int64(1), l], partial[u, l])
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                for l in T.vectorized(T.int64(1)):
                    halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                totals[T.int64(0)] = halves[T.int64(0)]
                for row in range(count):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            partial[u, l] = T.float32("-inf")
                    of_term[T.int64(0)] = totals[T.int64(0)]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            partial_1[u, l] = T.float32(0.0)
                    with T.LetStmt(first + T.min(row + T.int64(1), count - T.int64(1))) as vi:
                        vi_1: T.int64 = first + row
                        vi_2: T.int64 = first + row + T.int64(9)
                        if row == T.int64(0):
                            for block in range(m // T.int64(8)):
                                for vector in T.unroll(T.int64(2)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, block * T.int64(8) + vector * T.int64(4)]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        partial[vector, l] = T.Select(X[vi, block * T.int64(8) + vector * T.int64(4) + l] > partial[vector, l], X[vi, block * T.int64(8) + vector * T.int64(4) + l], partial[vector, l])
                                    for l in T.vectorized(T.int64(4)):
                                        kept[row % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l] = T.exp(X[vi_1, block * T.int64(8) + vector * T.int64(4) + l] - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        partial_1[vector, l] = partial_1[vector, l] + kept[row % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l]
                            for vector in range((m % T.int64(8) + T.int64(3)) // T.int64(4)):
                                T.evaluate(T.prefetch(T.address_of(X[vi_2, m // T.int64(8) * T.int64(8) + vector * T.int64(4)]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                                        partial[T.int64(0), l] = T.Select(X[vi, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] > partial[T.int64(0), l], X[vi, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l], partial[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                                        kept[row % T.int64(2), m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] = T.exp(X[vi_1, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] - of_term[T.int64(0)])
                                for l in T.vectorized(T.int64(4)):
                                    if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                                        partial_1[T.int64(0), l] = partial_1[T.int64(0), l] + kept[row % T.int64(2), m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l]
                        else:
                            of_row[T.int64(0)] = T.float32(1.0) / totals_1[T.int64(0)]
                            vi_3: T.int64 = first + row - T.int64(1)
                            for block in range(m // T.int64(8)):
                                for vector in T.unroll(T.int64(2)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, block * T.int64(8) + vector * T.int64(4)]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        partial[vector, l] = T.Select(X[vi, block * T.int64(8) + vector * T.int64(4) + l] > partial[vector, l], X[vi, block * T.int64(8) + vector * T.int64(4) + l], partial[vector, l])
                                    for l in T.vectorized(T.int64(4)):
                                        kept[row % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l] = T.exp(X[vi_1, block * T.int64(8) + vector * T.int64(4) + l] - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        partial_1[vector, l] = partial_1[vector, l] + kept[row % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l]
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi_3, block * T.int64(8) + vector * T.int64(4) + l] = kept[(row + T.int64(1)) % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l] * of_row[T.int64(0)]
                            for vector in range((m % T.int64(8) + T.int64(3)) // T.int64(4)):
                                T.evaluate(T.prefetch(T.address_of(X[vi_2, m // T.int64(8) * T.int64(8) + vector * T.int64(4)]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                                        partial[T.int64(0), l] = T.Select(X[vi, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] > partial[T.int64(0), l], X[vi, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l], partial[T.int64(0), l])
                                for l in T.vectorized(T.int64(4)):
                                    if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                                        kept[row % T.int64(2), m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] = T.exp(X[vi_1, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] - of_term[T.int64(0)])
                                for l in T.vectorized(T.int64(4)):
                                    if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                                        partial_1[T.int64(0), l] = partial_1[T.int64(0), l] + kept[row % T.int64(2), m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                                        Y[vi_3, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] = kept[(row + T.int64(1)) % T.int64(2), m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] * of_row[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial[u, l] = T.Select(partial[u + T.int64(1), l] > partial[u, l], partial[u + T.int64(1), l], partial[u, l])
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = partial[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                    totals[T.int64(1)] = totals[T.int64(0)]
                    totals[T.int64(0)] = halves[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial_1[u, l] = partial_1[u, l] + partial_1[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = partial_1[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals_1[T.int64(0)] = halves[T.int64(0)]
                of_row[T.int64(0)] = T.float32(1.0) / totals_1[T.int64(0)]
                vi: T.int64 = first + count - T.int64(1)
                for block in range(m // T.int64(8)):
                    for vector in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            Y[vi, block * T.int64(8) + vector * T.int64(4) + l] = kept[(count + T.int64(1)) % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l] * of_row[T.int64(0)]
                for vector in range((m % T.int64(8) + T.int64(3)) // T.int64(4)):
                    for l in T.vectorized(T.int64(4)):
                        if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                            Y[vi, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] = kept[(count + T.int64(1)) % T.int64(2), m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] * of_row[T.int64(0)]
