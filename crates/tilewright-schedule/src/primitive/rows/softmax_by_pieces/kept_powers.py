# The last piece of a row, and the last task, are smaller than others.
# test: schedule
# step: b = get_block("shares")
# step: softmax_by_pieces(b, 4, 2, 2, 16, True)
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
                powers = T.alloc_buffer((T.int64(40),), align=64)
                from_most = T.alloc_buffer((T.int64(3),), align=64)
                next = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                most = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                moved = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                last = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                scale = T.alloc_buffer((T.int64(1),), scope="local", align=64)
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
                                next[u, l] = most[T.int64(0)]
                        for block in range(T.int64(2)):
                            for vector in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    next[vector, l] = T.Select(X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] > next[vector, l], X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))], next[vector, l])
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                next[u, l] = T.Select(next[u + T.int64(1), l] > next[u, l], next[u + T.int64(1), l], next[u, l])
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = next[T.int64(0), l]
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                        moved[T.int64(0)] = T.exp(most[T.int64(0)] - halves[T.int64(0)])
                        most[T.int64(0)] = halves[T.int64(0)]
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                sums[u, l] = sums[u, l] * moved[T.int64(0)]
                        from_most[piece] = halves[T.int64(0)]
                        for block in range(T.int64(2)):
                            for vector in T.unroll(T.int64(2)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", piece * T.int64(16) + block * T.int64(8) + vector * T.int64(4) + T.int64(16))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    powers[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] = T.exp(X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] - most[T.int64(0)])
                                for l in T.vectorized(T.int64(4)):
                                    sums[vector, l] = sums[vector, l] + powers[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            next[u, l] = most[T.int64(0)]
                    for l in T.vectorized(T.int64(4)):
                        next[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] > next[T.int64(0), l], X[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))], next[T.int64(0), l])
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(4) + l < T.int64(5):
                            next[T.int64(1), l] = T.Select(X[vi, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] > next[T.int64(1), l], X[vi, T.Cast("int32", T.int64(32) + (T.int64(4) + l))], next[T.int64(1), l])
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            next[u, l] = T.Select(next[u + T.int64(1), l] > next[u, l], next[u + T.int64(1), l], next[u, l])
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = next[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                    moved[T.int64(0)] = T.exp(most[T.int64(0)] - halves[T.int64(0)])
                    most[T.int64(0)] = halves[T.int64(0)]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = sums[u, l] * moved[T.int64(0)]
                    from_most[T.int64(2)] = halves[T.int64(0)]
                    T.evaluate(T.prefetch(T.address_of(X[vi, 37]), 0, 2))
                    for l in T.vectorized(T.int64(4)):
                        powers[T.int64(32) + (T.int64(0) + l)] = T.exp(X[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] - most[T.int64(0)])
                    for l in T.vectorized(T.int64(4)):
                        sums[T.int64(0), l] = sums[T.int64(0), l] + powers[T.int64(32) + (T.int64(0) + l)]
                    T.evaluate(T.prefetch(T.address_of(X[vi, 41]), 0, 2))
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(4) + l < T.int64(5):
                            powers[T.int64(32) + (T.int64(4) + l)] = T.exp(X[vi, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] - most[T.int64(0)])
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(4) + l < T.int64(5):
                            sums[T.int64(1), l] = sums[T.int64(1), l] + powers[T.int64(32) + (T.int64(4) + l)]
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
                    of_row[T.int64(0)] = T.float32(1.0) / halves[T.int64(0)]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = T.float32(0.0)
                    most[T.int64(0)] = T.float32(-3.4028235e38)
                    vi: T.int32 = T.Cast("int32", first + row)
                    vi_1: T.int32 = T.Cast("int32", first + row + T.int64(1))
                    if row + T.int64(1) < count:
                        for piece in range(T.int64(2)):
                            scale[T.int64(0)] = T.exp(from_most[piece] - last[T.int64(0)])
                            for u in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    next[u, l] = most[T.int64(0)]
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(4)):
                                        next[vector, l] = T.Select(X[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] > next[vector, l], X[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))], next[vector, l])
                            for u in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    next[u, l] = T.Select(next[u + T.int64(1), l] > next[u, l], next[u + T.int64(1), l], next[u, l])
                            for l in T.vectorized(T.int64(4)):
                                halves[l] = next[T.int64(0), l]
                            for l in T.vectorized(T.int64(2)):
                                halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                            for l in T.vectorized(T.int64(1)):
                                halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                            moved[T.int64(0)] = T.exp(most[T.int64(0)] - halves[T.int64(0)])
                            most[T.int64(0)] = halves[T.int64(0)]
                            for u in T.unroll(T.int64(2)):
                                for l in T.vectorized(T.int64(4)):
                                    sums[u, l] = sums[u, l] * moved[T.int64(0)]
                            from_most[piece] = halves[T.int64(0)]
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(2)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", piece * T.int64(16) + block * T.int64(8) + vector * T.int64(4) + T.int64(16))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] = powers[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] * scale[T.int64(0)] * of_row[T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        powers[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] = T.exp(X[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] - most[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        sums[vector, l] = sums[vector, l] + powers[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)]
                        scale[T.int64(0)] = T.exp(from_most[T.int64(2)] - last[T.int64(0)])
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                next[u, l] = most[T.int64(0)]
                        for l in T.vectorized(T.int64(4)):
                            next[T.int64(0), l] = T.Select(X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] > next[T.int64(0), l], X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(0) + l))], next[T.int64(0), l])
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                next[T.int64(1), l] = T.Select(X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] > next[T.int64(1), l], X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(4) + l))], next[T.int64(1), l])
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                next[u, l] = T.Select(next[u + T.int64(1), l] > next[u, l], next[u + T.int64(1), l], next[u, l])
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = next[T.int64(0), l]
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                        moved[T.int64(0)] = T.exp(most[T.int64(0)] - halves[T.int64(0)])
                        most[T.int64(0)] = halves[T.int64(0)]
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                sums[u, l] = sums[u, l] * moved[T.int64(0)]
                        from_most[T.int64(2)] = halves[T.int64(0)]
                        T.evaluate(T.prefetch(T.address_of(X[vi_1, 37]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            Y[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] = powers[T.int64(32) + (T.int64(0) + l)] * scale[T.int64(0)] * of_row[T.int64(0)]
                        for l in T.vectorized(T.int64(4)):
                            powers[T.int64(32) + (T.int64(0) + l)] = T.exp(X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] - most[T.int64(0)])
                        for l in T.vectorized(T.int64(4)):
                            sums[T.int64(0), l] = sums[T.int64(0), l] + powers[T.int64(32) + (T.int64(0) + l)]
                        T.evaluate(T.prefetch(T.address_of(X[vi_1, 41]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                Y[vi, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] = powers[T.int64(32) + (T.int64(4) + l)] * scale[T.int64(0)] * of_row[T.int64(0)]
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                powers[T.int64(32) + (T.int64(4) + l)] = T.exp(X[vi_1, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] - most[T.int64(0)])
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                sums[T.int64(1), l] = sums[T.int64(1), l] + powers[T.int64(32) + (T.int64(4) + l)]
                    else:
                        for piece in range(T.int64(2)):
                            scale[T.int64(0)] = T.exp(from_most[piece] - last[T.int64(0)])
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(2)):
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))] = powers[piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l)] * scale[T.int64(0)] * of_row[T.int64(0)]
                        scale[T.int64(0)] = T.exp(from_most[T.int64(2)] - last[T.int64(0)])
                        for l in T.vectorized(T.int64(4)):
                            Y[vi, T.Cast("int32", T.int64(32) + (T.int64(0) + l))] = powers[T.int64(32) + (T.int64(0) + l)] * scale[T.int64(0)] * of_row[T.int64(0)]
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(4) + l < T.int64(5):
                                Y[vi, T.Cast("int32", T.int64(32) + (T.int64(4) + l))] = powers[T.int64(32) + (T.int64(4) + l)] * scale[T.int64(0)] * of_row[T.int64(0)]
