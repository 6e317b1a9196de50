# Rows of a norm may be of any length.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main n=1 == same
# run: main n=20 special == same
# run: main n=67 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, w: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (T.int64(260), n), "float32")
        W = T.match_buffer(w, (n,), "float32")
        Y = T.match_buffer(y, (T.int64(260), n), "float32")
        squares = T.alloc_buffer((T.int64(260), T.int64(1)), "float32")
        for i, u, k in T.grid(T.int64(260), T.int64(1), n):
            with T.block("squares"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    squares[vi, vu] = T.float32(0)
                squares[vi, vu] = squares[vi, vu] + X[vi, vk] * X[vi, vk]
        for i, j in T.grid(T.int64(260), n):
            with T.block("normal"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] / T.sqrt(squares[vi, 0] + T.float32(0.5)) * W[vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, w: T.handle, y: T.handle):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        n = T.int64()
        X = T.match_buffer(x, (T.int64(260), n), "float32")
        W = T.match_buffer(w, (n,), "float32")
        Y = T.match_buffer(y, (T.int64(260), n), "float32")
        # with T.block("root"):
        for task in T.parallel(T.int64(20)):
            with T.block("normal"):
                T.reads(X[T.int64(0):T.int64(260), T.int64(0):n], W[T.int64(0):n])
                T.writes(Y[T.int64(0):T.int64(260), T.int64(0):n])
                partial = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                first: T.int64 = task * T.int64(13)
                for u in T.unroll(T.int64(4)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                for block in range(n // T.int64(32)):
                    for vector in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            partial[vector, l] = partial[vector, l] + X[first, block * T.int64(32) + vector * T.int64(8) + l] * X[first, block * T.int64(32) + vector * T.int64(8) + l]
                for vector in range((n % T.int64(32) + T.int64(7)) // T.int64(8)):
                    for l in T.vectorized(T.int64(8)):
                        if n // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < n:
                            partial[T.int64(0), l] = partial[T.int64(0), l] + X[first, n // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] * X[first, n // T.int64(32) * T.int64(32) + vector * T.int64(8) + l]
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(2), l]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals[T.int64(0)] = halves[T.int64(0)]
                for row in range(T.int64(13)):
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = T.float32(0.0)
                    with T.LetStmt(first + T.min(row + T.int64(1), T.int64(12))) as vi:
                        vi_1: T.int64 = first + row + T.int64(2)
                        of_row[T.int64(0)] = T.float32(1.0) * (T.float32(1.0) / T.sqrt(totals[T.int64(0)] + T.float32(0.5)))
                        vi_2: T.int64 = first + row
                        for block in range(n // T.int64(32)):
                            for vector in T.unroll(T.int64(4)):
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, block * T.int64(32) + vector * T.int64(8)]), 0, 2))
                                for l in T.vectorized(T.int64(8)):
                                    partial[vector, l] = partial[vector, l] + X[vi, block * T.int64(32) + vector * T.int64(8) + l] * X[vi, block * T.int64(32) + vector * T.int64(8) + l]
                                for l in T.vectorized(T.int64(8)):
                                    Y[vi_2, block * T.int64(32) + vector * T.int64(8) + l] = X[vi_2, block * T.int64(32) + vector * T.int64(8) + l] * of_row[T.int64(0)] * W[block * T.int64(32) + vector * T.int64(8) + l]
                        for vector in range((n % T.int64(32) + T.int64(7)) // T.int64(8)):
                            T.evaluate(T.prefetch(T.address_of(X[vi_1, n // T.int64(32) * T.int64(32) + vector * T.int64(8)]), 0, 2))
                            for l in T.vectorized(T.int64(8)):
                                if n // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < n:
                                    partial[T.int64(0), l] = partial[T.int64(0), l] + X[vi, n // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] * X[vi, n // T.int64(32) * T.int64(32) + vector * T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                if n // T.int64(32) * T.int64(32) + vector * T.int64(8) + l < n:
                                    Y[vi_2, n // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] = X[vi_2, n // T.int64(32) * T.int64(32) + vector * T.int64(8) + l] * of_row[T.int64(0)] * W[n // T.int64(32) * T.int64(32) + vector * T.int64(8) + l]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = partial[u, l] + partial[u + T.int64(2), l]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = partial[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = halves[l] + halves[l + T.int64(4)]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals[T.int64(0)] = halves[T.int64(0)]
