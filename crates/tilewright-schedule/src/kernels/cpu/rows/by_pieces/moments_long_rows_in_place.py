# A sum alone, of rows of one axis that are written in place; the number of rows is known when the function runs.
# test: schedule
# step: b = get_block("normal")
# step: rows_by_pieces(b, 4, 2, 2, 16)
# run: main n=5 == same
# run: main n=6 special == same
# run: main n=0 == same

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, w: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(37)), "float32")
        W = T.match_buffer(w, (T.int64(37),), "float32")
        squares = T.alloc_buffer((n, T.int64(1)), "float32")
        for i, u, k in T.grid(n, T.int64(1), T.int64(37)):
            with T.block("squares"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    squares[vi, vu] = T.float32(0)
                squares[vi, vu] = squares[vi, vu] + X[vi, vk] * X[vi, vk]
        for i, j in T.grid(n, T.int64(37)):
            with T.block("normal"):
                vi, vj = T.axis.remap("SS", [i, j])
                X[vi, vj] = X[vi, vj] / T.sqrt(squares[vi, T.int64(0)] / T.float32(37) + T.float32(0.5)) * W[vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, w: T.Buffer((T.int64(37),), "float32")):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(37)), "float32")
        # with T.block("root"):
        for task in T.parallel((n + T.int64(1)) // T.int64(2)):
            with T.block("normal"):
                T.reads(X[T.int64(0):n, T.int64(0):T.int64(37)], w[T.int64(0):T.int64(37)])
                T.writes(X[T.int64(0):n, T.int64(0):T.int64(37)])
                sums = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), n - first)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        sums[u, l] = T.float32(0.0)
                for piece, block in T.grid(T.int64(2), T.int64(2)):
                    for vector in T.unroll(T.int64(2)):
                        T.evaluate(T.prefetch(T.address_of(X[first, piece * T.int64(16) + block * T.int64(8) + vector * T.int64(4) + T.int64(16)]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            sums[vector, l] = sums[vector, l] + X[first, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] * X[first, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]
                T.evaluate(T.prefetch(T.address_of(X[first, T.int64(37)]), 0, 2))
                for l in T.vectorized(T.int64(4)):
                    sums[T.int64(0), l] = sums[T.int64(0), l] + X[first, T.int64(32) + (T.int64(0) + l)] * X[first, T.int64(32) + (T.int64(0) + l)]
                T.evaluate(T.prefetch(T.address_of(X[first, T.int64(41)]), 0, 2))
                for l in T.vectorized(T.int64(4)):
                    if T.int64(4) + l < T.int64(5):
                        sums[T.int64(1), l] = sums[T.int64(1), l] + X[first, T.int64(32) + (T.int64(4) + l)] * X[first, T.int64(32) + (T.int64(4) + l)]
                for row in range(count):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = sums[u, l] + sums[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = sums[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    with T.LetStmt(halves[T.int64(0)]) as squares:
                        of_row[T.int64(0)] = T.float32(1.0) / T.sqrt(squares / T.float32(37.0) + T.float32(0.5))
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = T.float32(0.0)
                    vi: T.int64 = first + row
                    vi_1: T.int64 = first + row + T.int64(1)
                    if row + T.int64(1) < count:
                        for piece in range(T.int64(2)):
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(4)):
                                        X[vi, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] = X[vi, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] * of_row[T.int64(0)] * w[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(2)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_1, piece * T.int64(16) + block * T.int64(8) + vector * T.int64(4) + T.int64(16)]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        sums[vector, l] = sums[vector, l] + X[vi_1, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] * X[vi_1, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]
                        for l in T.vectorized(T.int64(4)):
                            X[vi, T.int64(32) + (T.int64(0) + l)] = X[vi, T.int64(32) + (T.int64(0) + l)] * of_row[T.int64(0)] * w[T.int64(32) + (T.int64(0) + l)]
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                X[vi, T.int64(32) + (T.int64(4) + l)] = X[vi, T.int64(32) + (T.int64(4) + l)] * of_row[T.int64(0)] * w[T.int64(32) + (T.int64(4) + l)]
                        T.evaluate(T.prefetch(T.address_of(X[vi_1, T.int64(37)]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            sums[T.int64(0), l] = sums[T.int64(0), l] + X[vi_1, T.int64(32) + (T.int64(0) + l)] * X[vi_1, T.int64(32) + (T.int64(0) + l)]
                        T.evaluate(T.prefetch(T.address_of(X[vi_1, T.int64(41)]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                sums[T.int64(1), l] = sums[T.int64(1), l] + X[vi_1, T.int64(32) + (T.int64(4) + l)] * X[vi_1, T.int64(32) + (T.int64(4) + l)]
                    else:
                        for piece, block in T.grid(T.int64(2), T.int64(2)):
                            for vector in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    X[vi, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] = X[vi, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] * of_row[T.int64(0)] * w[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]
                        for l in T.vectorized(T.int64(4)):
                            X[vi, T.int64(32) + (T.int64(0) + l)] = X[vi, T.int64(32) + (T.int64(0) + l)] * of_row[T.int64(0)] * w[T.int64(32) + (T.int64(0) + l)]
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                X[vi, T.int64(32) + (T.int64(4) + l)] = X[vi, T.int64(32) + (T.int64(4) + l)] * of_row[T.int64(0)] * w[T.int64(32) + (T.int64(4) + l)]
