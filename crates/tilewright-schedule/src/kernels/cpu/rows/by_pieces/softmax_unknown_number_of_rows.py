# There may be no rows.
# test: schedule
# step: b = get_block("shares")
# step: rows_by_pieces(b, 4, 2, 3, 16, True)
# run: main n=0 == same
# run: main n=1 == same
# run: main n=4 special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(33)), "float16")
        Y = T.match_buffer(y, (n, T.int64(33)), "float16")
        largest = T.alloc_buffer((n,), "float32")
        total = T.alloc_buffer((n,), "float32")
        for i, j in T.grid(n, T.int64(33)):
            with T.block("largest"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], T.Cast("float32", X[vi, vj]))
        for i, j in T.grid(n, T.int64(33)):
            with T.block("total"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(T.Cast("float32", X[vi, vj]) - largest[vi])
        for i, j in T.grid(n, T.int64(33)):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.Cast("float16", T.exp(T.Cast("float32", X[vi, vj]) - largest[vi]) / total[vi])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(x: T.handle, y: T.handle):
        n = T.int64()
        X = T.match_buffer(x, (n, T.int64(33)), "float16")
        Y = T.match_buffer(y, (n, T.int64(33)), "float16")
        # with T.block("root"):
        for task in T.parallel((n + T.int64(2)) // T.int64(3)):
            with T.block("shares"):
                T.reads(X[T.int64(0):n, T.int64(0):T.int64(33)])
                T.writes(Y[T.int64(0):n, T.int64(0):T.int64(33)])
                kept = T.alloc_buffer((T.int64(36),), align=64)
                kept_from = T.alloc_buffer((T.int64(3),), align=64)
                runs = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                most = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                last = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                first: T.int64 = task * T.int64(3)
                count: T.int64 = T.min(T.int64(3), n - first)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        sums[u, l] = T.float32(0.0)
                most[T.int64(0)] = T.float32(-3.4028235e38)
                for piece in range(T.int64(2)):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            runs[u, l] = most[T.int64(0)]
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                runs[vector, l] = T.Select(T.Cast("float32", X[first, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]) > runs[vector, l], T.Cast("float32", X[first, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]), runs[vector, l])
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            runs[u, l] = T.Select(runs[u + T.int64(1), l] > runs[u, l], runs[u + T.int64(1), l], runs[u, l])
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = runs[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                    run: T.float32 = halves[T.int64(0)]
                    rescale: T.float32 = T.exp(most[T.int64(0)] - run)
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = sums[u, l] * rescale
                    most[T.int64(0)] = run
                    kept_from[piece] = most[T.int64(0)]
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(2)):
                            T.evaluate(T.prefetch(T.address_of(X[first, piece * T.int64(16) + block * T.int64(8) + vector * T.int64(4) + T.int64(16)]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] = T.exp(T.Cast("float32", X[first, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]) - run)
                            for l in T.vectorized(T.int64(4)):
                                sums[vector, l] = sums[vector, l] + kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        runs[u, l] = most[T.int64(0)]
                for l in T.vectorized(T.int64(4)):
                    if T.int64(0) + l < T.int64(1):
                        runs[T.int64(0), l] = T.Select(T.Cast("float32", X[first, T.int64(32) + (T.int64(0) + l)]) > runs[T.int64(0), l], T.Cast("float32", X[first, T.int64(32) + (T.int64(0) + l)]), runs[T.int64(0), l])
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        runs[u, l] = T.Select(runs[u + T.int64(1), l] > runs[u, l], runs[u + T.int64(1), l], runs[u, l])
                for l in T.vectorized(T.int64(4)):
                    halves[l] = runs[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                for l in T.vectorized(T.int64(1)):
                    halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                with T.LetStmt(halves[T.int64(0)]) as run:
                    rescale: T.float32 = T.exp(most[T.int64(0)] - run)
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = sums[u, l] * rescale
                    most[T.int64(0)] = run
                    kept_from[T.int64(2)] = most[T.int64(0)]
                    T.evaluate(T.prefetch(T.address_of(X[first, T.int64(33)]), 0, 2))
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(0) + l < T.int64(1):
                            kept[T.int64(32) + (T.int64(0) + l)] = T.exp(T.Cast("float32", X[first, T.int64(32) + (T.int64(0) + l)]) - run)
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(0) + l < T.int64(1):
                            sums[T.int64(0), l] = sums[T.int64(0), l] + kept[T.int64(32) + (T.int64(0) + l)]
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
                    last[T.int64(0)] = most[T.int64(0)]
                    with T.LetStmt(halves[T.int64(0)]) as total:
                        of_row[T.int64(0)] = T.float32(1.0) / total
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = T.float32(0.0)
                    most[T.int64(0)] = T.float32(-3.4028235e38)
                    vi: T.int64 = first + row
                    vi_1: T.int64 = first + row + T.int64(1)
                    if row + T.int64(1) < count:
                        for piece in range(T.int64(2)):
                            scale: T.float32 = T.exp(kept_from[piece] - last[T.int64(0)])
                            for u in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[u, l] = most[T.int64(0)]
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(4)):
                                        runs[vector, l] = T.Select(T.Cast("float32", X[vi_1, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]) > runs[vector, l], T.Cast("float32", X[vi_1, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]), runs[vector, l])
                            for u in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[u, l] = T.Select(runs[u + T.int64(1), l] > runs[u, l], runs[u + T.int64(1), l], runs[u, l])
                            for l in T.vectorized(T.int64(4)):
                                halves[l] = runs[T.int64(0), l]
                            for l in T.vectorized(T.int64(2)):
                                halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                            for l in T.vectorized(T.int64(1)):
                                halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                            run: T.float32 = halves[T.int64(0)]
                            rescale: T.float32 = T.exp(most[T.int64(0)] - run)
                            for u in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    sums[u, l] = sums[u, l] * rescale
                            most[T.int64(0)] = run
                            kept_from[piece] = most[T.int64(0)]
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(2)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_1, piece * T.int64(16) + block * T.int64(8) + vector * T.int64(4) + T.int64(16)]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] = T.Cast("float16", kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] * scale * of_row[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] = T.exp(T.Cast("float32", X[vi_1, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]) - run)
                                    for l in T.vectorized(T.int64(4)):
                                        sums[vector, l] = sums[vector, l] + kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]
                        scale: T.float32 = T.exp(kept_from[T.int64(2)] - last[T.int64(0)])
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = most[T.int64(0)]
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(0) + l < T.int64(1):
                                runs[T.int64(0), l] = T.Select(T.Cast("float32", X[vi_1, T.int64(32) + (T.int64(0) + l)]) > runs[T.int64(0), l], T.Cast("float32", X[vi_1, T.int64(32) + (T.int64(0) + l)]), runs[T.int64(0), l])
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = T.Select(runs[u + T.int64(1), l] > runs[u, l], runs[u + T.int64(1), l], runs[u, l])
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = runs[T.int64(0), l]
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                        run: T.float32 = halves[T.int64(0)]
                        rescale: T.float32 = T.exp(most[T.int64(0)] - run)
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                sums[u, l] = sums[u, l] * rescale
                        most[T.int64(0)] = run
                        kept_from[T.int64(2)] = most[T.int64(0)]
                        T.evaluate(T.prefetch(T.address_of(X[vi_1, T.int64(33)]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(0) + l < T.int64(1):
                                Y[vi, T.int64(32) + (T.int64(0) + l)] = T.Cast("float16", kept[T.int64(32) + (T.int64(0) + l)] * scale * of_row[T.int64(0)])
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(0) + l < T.int64(1):
                                kept[T.int64(32) + (T.int64(0) + l)] = T.exp(T.Cast("float32", X[vi_1, T.int64(32) + (T.int64(0) + l)]) - run)
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(0) + l < T.int64(1):
                                sums[T.int64(0), l] = sums[T.int64(0), l] + kept[T.int64(32) + (T.int64(0) + l)]
                    else:
                        for piece in range(T.int64(2)):
                            scale: T.float32 = T.exp(kept_from[piece] - last[T.int64(0)])
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] = T.Cast("float16", kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] * scale * of_row[T.int64(0)])
                        scale: T.float32 = T.exp(kept_from[T.int64(2)] - last[T.int64(0)])
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(0) + l < T.int64(1):
                                Y[vi, T.int64(32) + (T.int64(0) + l)] = T.Cast("float16", kept[T.int64(32) + (T.int64(0) + l)] * scale * of_row[T.int64(0)])
