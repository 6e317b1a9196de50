# The last piece of a row, and the last task, are smaller than others.
# test: schedule
# step: b = get_block("shares")
# step: rows_by_pieces(b, 4, 2, 2, 16, True)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((5, 37), "float32"), Y: T.Buffer((5, 37), "float32")):
        largest = T.alloc_buffer((5,), "float32")
        total = T.alloc_buffer((5,), "float32")
        for i, j in T.grid(5, 37):
            with T.block("largest"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vj])
        for i, j in T.grid(5, 37):
            with T.block("total"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(X[vi, vj] - largest[vi])
        for i, j in T.grid(5, 37):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(X[vi, vj] - largest[vi]) / total[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((5, 37), "float32"), Y: T.Buffer((5, 37), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(3)):
            with T.block("shares"):
                T.reads(X[0:5, 0:37])
                T.writes(Y[0:5, 0:37])
                kept = T.alloc_buffer((T.int64(40),), align=64)
                kept_from = T.alloc_buffer((T.int64(3),), align=64)
                runs = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                most = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                last = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), T.int64(5) - first)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        sums[u, l] = T.float32(0.0)
                most[T.int64(0)] = T.float32(-3.4028235e38)
                with T.LetStmt(T.Cast("int32", first)) as vi:
                    for piece in range(T.int64(2)):
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = most[T.int64(0)]
                        for block in range(T.int64(2)):
                            for vector in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[vector, l] = T.Select(X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] > runs[vector, l], X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))], runs[vector, l])
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
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", piece * T.int64(16) + block * T.int64(8) + vector * T.int64(4) + T.int64(16))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] = T.exp(X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] - run)
                                for l in T.vectorized(T.int64(4)):
                                    sums[vector, l] = sums[vector, l] + kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            runs[u, l] = most[T.int64(0)]
                    for l in T.vectorized(T.int64(4)):
                        runs[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] > runs[T.int64(0), l], X[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))], runs[T.int64(0), l])
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(4) + l < T.int64(5):
                            runs[T.int64(1), l] = T.Select(X[vi, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] > runs[T.int64(1), l], X[vi, T.Cast("int32", T.int64(32) + (T.int64(4) + l))], runs[T.int64(1), l])
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
                    T.evaluate(T.prefetch(T.address_of(X[vi, 37]), 0, 2))
                    for l in T.vectorized(T.int64(4)):
                        kept[T.int64(32) + (T.int64(0) + l)] = T.exp(X[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] - run)
                    for l in T.vectorized(T.int64(4)):
                        sums[T.int64(0), l] = sums[T.int64(0), l] + kept[T.int64(32) + (T.int64(0) + l)]
                    T.evaluate(T.prefetch(T.address_of(X[vi, 41]), 0, 2))
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(4) + l < T.int64(5):
                            kept[T.int64(32) + (T.int64(4) + l)] = T.exp(X[vi, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] - run)
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(4) + l < T.int64(5):
                            sums[T.int64(1), l] = sums[T.int64(1), l] + kept[T.int64(32) + (T.int64(4) + l)]
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
                    vi: T.int32 = T.Cast("int32", first + row)
                    vi_1: T.int32 = T.Cast("int32", first + row + T.int64(1))
                    if row + T.int64(1) < count:
                        for piece in range(T.int64(2)):
                            scale: T.float32 = T.exp(kept_from[piece] - last[T.int64(0)])
                            for u in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[u, l] = most[T.int64(0)]
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(4)):
                                        runs[vector, l] = T.Select(X[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] > runs[vector, l], X[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))], runs[vector, l])
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
                                    T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", piece * T.int64(16) + block * T.int64(8) + vector * T.int64(4) + T.int64(16))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] = kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] * scale * of_row[T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] = T.exp(X[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] - run)
                                    for l in T.vectorized(T.int64(4)):
                                        sums[vector, l] = sums[vector, l] + kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]
                        scale: T.float32 = T.exp(kept_from[T.int64(2)] - last[T.int64(0)])
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = most[T.int64(0)]
                        for l in T.vectorized(T.int64(4)):
                            runs[T.int64(0), l] = T.Select(X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] > runs[T.int64(0), l], X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(0) + l))], runs[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                runs[T.int64(1), l] = T.Select(X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] > runs[T.int64(1), l], X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(4) + l))], runs[T.int64(1), l])
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
                        T.evaluate(T.prefetch(T.address_of(X[vi_1, 37]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            Y[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] = kept[T.int64(32) + (T.int64(0) + l)] * scale * of_row[T.int64(0)]
                        for l in T.vectorized(T.int64(4)):
                            kept[T.int64(32) + (T.int64(0) + l)] = T.exp(X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] - run)
                        for l in T.vectorized(T.int64(4)):
                            sums[T.int64(0), l] = sums[T.int64(0), l] + kept[T.int64(32) + (T.int64(0) + l)]
                        T.evaluate(T.prefetch(T.address_of(X[vi_1, 41]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                Y[vi, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] = kept[T.int64(32) + (T.int64(4) + l)] * scale * of_row[T.int64(0)]
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                kept[T.int64(32) + (T.int64(4) + l)] = T.exp(X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] - run)
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                sums[T.int64(1), l] = sums[T.int64(1), l] + kept[T.int64(32) + (T.int64(4) + l)]
                    else:
                        for piece in range(T.int64(2)):
                            scale: T.float32 = T.exp(kept_from[piece] - last[T.int64(0)])
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] = kept[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] * scale * of_row[T.int64(0)]
                        scale: T.float32 = T.exp(kept_from[T.int64(2)] - last[T.int64(0)])
                        for l in T.vectorized(T.int64(4)):
                            Y[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] = kept[T.int64(32) + (T.int64(0) + l)] * scale * of_row[T.int64(0)]
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                Y[vi, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] = kept[T.int64(32) + (T.int64(4) + l)] * scale * of_row[T.int64(0)]
