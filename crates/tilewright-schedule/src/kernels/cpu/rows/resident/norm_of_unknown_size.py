# Rows and columns of which nobody knows how many there are, none of either among them.
# test: schedule
# step: b = get_block("away")
# step: rows_resident(b, 4, 2, 3)
# run: main n=5 m=11 == same
# run: main n=1 m=3 == same
# run: main n=7 m=16 == same
# run: main n=0 m=4 == same
# run: main n=4 m=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle):
        n, m = T.int64(), T.int64()
        X = T.match_buffer(x, (n, m), "float32")
        Y = T.match_buffer(y, (n, m), "float32")
        total = T.alloc_buffer((n,), "float32")
        for i, k in T.grid(n, m):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + X[vi, vk]
        for i, j in T.grid(n, m):
            with T.block("away"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] - total[vi] * T.float32(0.125)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle):
        n = T.int64()
        m = T.int64()
        X = T.match_buffer(x, (n, m), "float32")
        Y = T.match_buffer(y, (n, m), "float32")
        # with T.block("root"):
        for task in T.parallel((n + T.int64(2)) // T.int64(3)):
            with T.block("away"):
                T.reads(X[T.int64(0):n, T.int64(0):m])
                T.writes(Y[T.int64(0):n, T.int64(0):m])
                partial = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                first: T.int64 = task * T.int64(3)
                count: T.int64 = T.min(T.int64(3), n - first)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32(0.0)
                for block in range(m // T.int64(8)):
                    for vector in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            partial[vector, l] = partial[vector, l] + X[first, block * T.int64(8) + vector * T.int64(4) + l]
                for vector in range((m % T.int64(8) + T.int64(3)) // T.int64(4)):
                    for l in T.vectorized(T.int64(4)):
                        if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                            partial[T.int64(0), l] = partial[T.int64(0), l] + X[first, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals[T.int64(0)] = halves[T.int64(0)]
                for row in range(count):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            partial[u, l] = T.float32(0.0)
                    with T.LetStmt(first + T.min(row + T.int64(1), count - T.int64(1))) as vi:
                        vi_1: T.int64 = first + row + T.int64(2)
                        of_row[T.int64(0)] = totals[T.int64(0)] * T.float32(0.125)
                        vi_2: T.int64 = first + row
                        for block in range(m // T.int64(8)):
                            for vector in T.unroll(T.int64(2)):
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, block * T.int64(8) + vector * T.int64(4)]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    partial[vector, l] = partial[vector, l] + X[vi, block * T.int64(8) + vector * T.int64(4) + l]
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi_2, block * T.int64(8) + vector * T.int64(4) + l] = X[vi_2, block * T.int64(8) + vector * T.int64(4) + l] - of_row[T.int64(0)]
                        for vector in range((m % T.int64(8) + T.int64(3)) // T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi_1, m // T.int64(8) * T.int64(8) + vector * T.int64(4)]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                                    partial[T.int64(0), l] = partial[T.int64(0), l] + X[vi, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l]
                            for l in T.vectorized(T.int64(4)):
                                if m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l < m:
                                    Y[vi_2, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] = X[vi_2, m // T.int64(8) * T.int64(8) + vector * T.int64(4) + l] - of_row[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = partial[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals[T.int64(0)] = halves[T.int64(0)]
