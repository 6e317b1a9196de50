# Rows may be overwritten by what is computed from them, though several are worked on at once.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=3 m=100 == same
# run: main n=2 m=1 == same
# run: main n=0 m=3 == same
# run: main n=4 m=0 == same
# run: main n=3 m=65 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle):
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(var_X, (n, m), "float32")
        largest = T.alloc_buffer((n, 1), "float32")
        powers = T.alloc_buffer((n, m), "float32")
        total = T.alloc_buffer((n, 1), "float32")
        for i, u, k in T.grid(n, 1, m):
            with T.block("largest"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    largest[vi, vu] = T.float32("-inf")
                largest[vi, vu] = T.max(largest[vi, vu], X[vi, vk])
        for i, j in T.grid(n, m):
            with T.block("powers"):
                vi, vj = T.axis.remap("SS", [i, j])
                powers[vi, vj] = T.exp(X[vi, vj] - largest[vi, 0])
        for i, u, k in T.grid(n, 1, m):
            with T.block("total"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    total[vi, vu] = T.float32(0)
                total[vi, vu] = total[vi, vu] + powers[vi, vk]
        for i, j in T.grid(n, m):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = powers[vi, vj] / total[vi, 0]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(var_X: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(var_X, (n, m), "float32")
        # with T.block("root"):
        for task in T.parallel((n + T.int64(15)) // T.int64(16)):
            with T.block("shares"):
                T.reads(X[T.int64(0):n, T.int64(0):m])
                T.writes(X[T.int64(0):n, T.int64(0):m])
                partial = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                partial_1 = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local", align=64)
                totals_1 = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_term = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                kept = T.alloc_buffer((T.int64(2), (m + T.int64(1023)) // T.int64(1024) * T.int64(1024) + T.int64(256)), align=64)
                first: T.int64 = task * T.int64(16)
                count: T.int64 = T.min(T.int64(16), n - first)
                for u in T.unroll(T.int64(4)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32("-inf")
                for block in range(m // T.int64(32)):
                    for vector in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            partial[vector, l] = T.Select(X[first, block * T.int64(32) + vector * T.int64(8) + l] > partial[vector, l], X[first, block * T.int64(32) + vector * T.int64(8) + l], partial[vector, l])
                for vector in range((m % T.int64(32) + T.int64(7)) // T.int64(8)):
                    for l in T.vectorized(T.int64(8)):
                        if m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < m:
                            partial[T.int64(0), l] = T.Select(X[first, m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] > partial[T.int64(0), l], X[first, m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l], partial[T.int64(0), l])
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.Select(partial[u + T.int64(2), l] > partial[u, l], partial[u + T.int64(2), l], partial[u, l])
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.Select(partial[u + T.int64(1), l] > partial[u, l], partial[u + T.int64(1), l], partial[u, l])
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = T.Select(halves[l + T.int64(4)] > halves[l], halves[l + T.int64(4)], halves[l])
                for l in T.vectorized(T.int64(2)):
                    halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                for l in T.vectorized(T.int64(1)):
                    halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                totals[T.int64(0)] = halves[T.int64(0)]
                for row in range(count):
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = T.float32("-inf")
                    of_term[T.int64(0)] = totals[T.int64(0)]
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            partial_1[u, l] = T.float32(0.0)
                    with T.LetStmt(first + T.min(row + T.int64(1), count - T.int64(1))) as vi:
                        vi_1: T.int64 = first + row
                        vi_2: T.int64 = first + row + T.int64(9)
                        if row == T.int64(0):
                            for block in range(m // T.int64(32)):
                                for vector in T.unroll(T.int64(4)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, block * T.int64(32) + vector * T.int64(8)]), 0, 2))
                                    for l in T.vectorized(T.int64(8)):
                                        partial[vector, l] = T.Select(X[vi, block * T.int64(32) + vector * T.int64(8) + l] > partial[vector, l], X[vi, block * T.int64(32) + vector * T.int64(8) + l], partial[vector, l])
                                    for l in T.vectorized(T.int64(8)):
                                        kept[row % T.int64(2), block * T.int64(32) + vector * T.int64(8) + l] = T.exp(X[vi_1, block * T.int64(32) + vector * T.int64(8) + l] - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(8)):
                                        partial_1[vector, l] = partial_1[vector, l] + kept[row % T.int64(2), block * T.int64(32) + vector * T.int64(8) + l]
                            for vector in range((m % T.int64(32) + T.int64(7)) // T.int64(8)):
                                T.evaluate(T.prefetch(T.address_of(X[vi_2, m // T.int64(32) * T.int64(32) + vector * T.int64(8)]), 0, 2))
                                for l in T.vectorized(T.int64(8)):
                                    if m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < m:
                                        partial[T.int64(0), l] = T.Select(X[vi, m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] > partial[T.int64(0), l], X[vi, m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l], partial[T.int64(0), l])
                                for l in T.vectorized(T.int64(8)):
                                    if m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < m:
                                        kept[row % T.int64(2), m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] = T.exp(X[vi_1, m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] - of_term[T.int64(0)])
                                for l in T.vectorized(T.int64(8)):
                                    if m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < m:
                                        partial_1[T.int64(0), l] = partial_1[T.int64(0), l] + kept[row % T.int64(2), m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l]
                        else:
                            of_row[T.int64(0)] = T.float32(1.0) / totals_1[T.int64(0)]
                            vi_3: T.int64 = first + row - T.int64(1)
                            for block in range(m // T.int64(32)):
                                for vector in T.unroll(T.int64(4)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, block * T.int64(32) + vector * T.int64(8)]), 0, 2))
                                    for l in T.vectorized(T.int64(8)):
                                        partial[vector, l] = T.Select(X[vi, block * T.int64(32) + vector * T.int64(8) + l] > partial[vector, l], X[vi, block * T.int64(32) + vector * T.int64(8) + l], partial[vector, l])
                                    for l in T.vectorized(T.int64(8)):
                                        kept[row % T.int64(2), block * T.int64(32) + vector * T.int64(8) + l] = T.exp(X[vi_1, block * T.int64(32) + vector * T.int64(8) + l] - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(8)):
                                        partial_1[vector, l] = partial_1[vector, l] + kept[row % T.int64(2), block * T.int64(32) + vector * T.int64(8) + l]
                                    for l in T.vectorized(T.int64(8)):
                                        X[vi_3, block * T.int64(32) + vector * T.int64(8) + l] = kept[(row + T.int64(1)) % T.int64(2), block * T.int64(32) + vector * T.int64(8) + l] * of_row[T.int64(0)]
                            for vector in range((m % T.int64(32) + T.int64(7)) // T.int64(8)):
                                T.evaluate(T.prefetch(T.address_of(X[vi_2, m // T.int64(32) * T.int64(32) + vector * T.int64(8)]), 0, 2))
                                for l in T.vectorized(T.int64(8)):
                                    if m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < m:
                                        partial[T.int64(0), l] = T.Select(X[vi, m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] > partial[T.int64(0), l], X[vi, m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l], partial[T.int64(0), l])
                                for l in T.vectorized(T.int64(8)):
                                    if m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < m:
                                        kept[row % T.int64(2), m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] = T.exp(X[vi_1, m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] - of_term[T.int64(0)])
                                for l in T.vectorized(T.int64(8)):
                                    if m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < m:
                                        partial_1[T.int64(0), l] = partial_1[T.int64(0), l] + kept[row % T.int64(2), m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l]
                                for l in T.vectorized(T.int64(8)):
                                    if m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < m:
                                        X[vi_3, m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] = kept[(row + T.int64(1)) % T.int64(2), m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] * of_row[T.int64(0)]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = T.Select(partial[u + T.int64(2), l] > partial[u, l], partial[u + T.int64(2), l], partial[u, l])
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = T.Select(partial[u + T.int64(1), l] > partial[u, l], partial[u + T.int64(1), l], partial[u, l])
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = partial[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = T.Select(halves[l + T.int64(4)] > halves[l], halves[l + T.int64(4)], halves[l])
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                    totals[T.int64(1)] = totals[T.int64(0)]
                    totals[T.int64(0)] = halves[T.int64(0)]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            partial_1[u, l] = partial_1[u, l] + partial_1[u + T.int64(2), l]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial_1[u, l] = partial_1[u, l] + partial_1[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = partial_1[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = halves[l] + halves[l + T.int64(4)]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals_1[T.int64(0)] = halves[T.int64(0)]
                of_row[T.int64(0)] = T.float32(1.0) / totals_1[T.int64(0)]
                vi: T.int64 = first + count - T.int64(1)
                for block in range(m // T.int64(32)):
                    for vector in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            X[vi, block * T.int64(32) + vector * T.int64(8) + l] = kept[(count + T.int64(1)) % T.int64(2), block * T.int64(32) + vector * T.int64(8) + l] * of_row[T.int64(0)]
                for vector in range((m % T.int64(32) + T.int64(7)) // T.int64(8)):
                    for l in T.vectorized(T.int64(8)):
                        if m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < m:
                            X[vi, m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] = kept[(count + T.int64(1)) % T.int64(2), m // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] * of_row[T.int64(0)]
