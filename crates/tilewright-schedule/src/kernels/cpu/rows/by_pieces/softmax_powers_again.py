# Powers are worked out again, of numbers that are read under a condition.
# test: schedule
# step: b = get_block("shares")
# step: rows_by_pieces(b, 4, 1, 3, 16)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 40), "float32"), Z: T.Buffer((3, 40), "float32"), Y: T.Buffer((3, 40), "float32")):
        largest = T.alloc_buffer((3,), "float32")
        total = T.alloc_buffer((3,), "float32")
        for i, j in T.grid(3, 40):
            with T.block("largest"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    largest[vi] = T.float32(-3.4028234663852886e+38)
                largest[vi] = T.max(largest[vi], T.if_then_else(Z[vi, vj] > T.float32(0), X[vi, vj], T.float32(-9)))
        for i, j in T.grid(3, 40):
            with T.block("total"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(T.if_then_else(Z[vi, vj] > T.float32(0), X[vi, vj], T.float32(-9)) - largest[vi])
        for i, j in T.grid(3, 40):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(T.if_then_else(Z[vi, vj] > T.float32(0), X[vi, vj], T.float32(-9)) - largest[vi]) / total[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 40), "float32"), Z: T.Buffer((3, 40), "float32"), Y: T.Buffer((3, 40), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(1)):
            with T.block("shares"):
                T.reads(Z[0:3, 0:40], X[0:3, 0:40])
                T.writes(Y[0:3, 0:40])
                runs = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                most = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                last = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                first: T.int64 = task * T.int64(3)
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        sums[u, l] = T.float32(0.0)
                most[T.int64(0)] = T.float32(-3.4028235e38)
                with T.LetStmt(T.Cast("int32", first)) as vi:
                    for piece in range(T.int64(2)):
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = most[T.int64(0)]
                        for block in range(T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[vector, l] = T.Select(T.if_then_else(Z[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) > runs[vector, l], T.if_then_else(Z[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)), runs[vector, l])
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = runs[T.int64(0), l]
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                        run: T.float32 = halves[T.int64(0)]
                        rescale: T.float32 = T.exp(most[T.int64(0)] - run)
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                sums[u, l] = sums[u, l] * rescale
                        most[T.int64(0)] = run
                        for block in range(T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(Z[vi, T.Cast("int32", piece * T.int64(16) + block * T.int64(4) + vector * T.int64(4) + T.int64(16))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", piece * T.int64(16) + block * T.int64(4) + vector * T.int64(4) + T.int64(16))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    sums[vector, l] = sums[vector, l] + T.exp(T.if_then_else(Z[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) - run)
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            runs[u, l] = most[T.int64(0)]
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                runs[vector, l] = T.Select(T.if_then_else(Z[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) > runs[vector, l], T.if_then_else(Z[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)), runs[vector, l])
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = runs[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                    run: T.float32 = halves[T.int64(0)]
                    rescale: T.float32 = T.exp(most[T.int64(0)] - run)
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = sums[u, l] * rescale
                    most[T.int64(0)] = run
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            T.evaluate(T.prefetch(T.address_of(Z[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + T.int64(40))]), 0, 2))
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + T.int64(40))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                sums[vector, l] = sums[vector, l] + T.exp(T.if_then_else(Z[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) - run)
                for row in range(T.int64(3)):
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = sums[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    last[T.int64(0)] = most[T.int64(0)]
                    with T.LetStmt(halves[T.int64(0)]) as total:
                        of_row[T.int64(0)] = T.float32(1.0) / total
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = T.float32(0.0)
                    most[T.int64(0)] = T.float32(-3.4028235e38)
                    vi: T.int32 = T.Cast("int32", first + row)
                    vi_1: T.int32 = T.Cast("int32", first + row + T.int64(1))
                    if row < T.int64(2):
                        for piece in range(T.int64(2)):
                            for u in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[u, l] = most[T.int64(0)]
                            for block in range(T.int64(4)):
                                for vector in T.unroll(T.int64(1)):
                                    for l in T.vectorized(T.int64(4)):
                                        runs[vector, l] = T.Select(T.if_then_else(Z[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) > runs[vector, l], T.if_then_else(Z[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)), runs[vector, l])
                            for l in T.vectorized(T.int64(4)):
                                halves[l] = runs[T.int64(0), l]
                            for l in T.vectorized(T.int64(2)):
                                halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                            for l in T.vectorized(T.int64(1)):
                                halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                            run: T.float32 = halves[T.int64(0)]
                            rescale: T.float32 = T.exp(most[T.int64(0)] - run)
                            for u in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    sums[u, l] = sums[u, l] * rescale
                            most[T.int64(0)] = run
                            for block in range(T.int64(4)):
                                for vector in T.unroll(T.int64(1)):
                                    T.evaluate(T.prefetch(T.address_of(Z[vi_1, T.Cast("int32", piece * T.int64(16) + block * T.int64(4) + vector * T.int64(4) + T.int64(16))]), 0, 2))
                                    T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", piece * T.int64(16) + block * T.int64(4) + vector * T.int64(4) + T.int64(16))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))] = T.exp(T.if_then_else(Z[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) - last[T.int64(0)]) * of_row[T.int64(0)]
                                    for l in T.vectorized(T.int64(4)):
                                        sums[vector, l] = sums[vector, l] + T.exp(T.if_then_else(Z[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi_1, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) - run)
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = most[T.int64(0)]
                        for block in range(T.int64(2)):
                            for vector in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    runs[vector, l] = T.Select(T.if_then_else(Z[vi_1, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi_1, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) > runs[vector, l], T.if_then_else(Z[vi_1, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi_1, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)), runs[vector, l])
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = runs[T.int64(0), l]
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                        run: T.float32 = halves[T.int64(0)]
                        rescale: T.float32 = T.exp(most[T.int64(0)] - run)
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                sums[u, l] = sums[u, l] * rescale
                        most[T.int64(0)] = run
                        for block in range(T.int64(2)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(Z[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + T.int64(40))]), 0, 2))
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + T.int64(40))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))] = T.exp(T.if_then_else(Z[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) - last[T.int64(0)]) * of_row[T.int64(0)]
                                for l in T.vectorized(T.int64(4)):
                                    sums[vector, l] = sums[vector, l] + T.exp(T.if_then_else(Z[vi_1, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi_1, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) - run)
                    else:
                        for piece, block in T.grid(T.int64(2), T.int64(4)):
                            for vector in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))] = T.exp(T.if_then_else(Z[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) - last[T.int64(0)]) * of_row[T.int64(0)]
                        for block in range(T.int64(2)):
                            for vector in T.unroll(T.int64(1)):
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))] = T.exp(T.if_then_else(Z[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))] > T.float32(0.0), X[vi, T.Cast("int32", T.int64(32) + (block * T.int64(4) + vector * T.int64(4) + l))], T.float32(-9.0)) - last[T.int64(0)]) * of_row[T.int64(0)]
