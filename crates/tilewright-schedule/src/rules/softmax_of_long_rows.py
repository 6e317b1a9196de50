# A row that is too long for several to be near is taken piece by piece, the last of which is smaller.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 16390), "float32"), Y: T.Buffer((2, 16390), "float32")):
        largest = T.alloc_buffer((2,), "float32")
        total = T.alloc_buffer((2,), "float32")
        for i, j in T.grid(2, 16390):
            with T.block("largest"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vj])
        for i, j in T.grid(2, 16390):
            with T.block("total"):
                vi, vj = T.axis.remap("SR", [i, j])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(X[vi, vj] - largest[vi])
        for i, j in T.grid(2, 16390):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(X[vi, vj] - largest[vi]) / total[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((2, 16390), "float32"), Y: T.Buffer((2, 16390), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("shares"):
                T.reads(X[0:2, 0:16390])
                T.writes(Y[0:2, 0:16390])
                kept = T.alloc_buffer((T.int64(16392),), align=64)
                kept_from = T.alloc_buffer((T.int64(9),), align=64)
                runs = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                running_max = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                last = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                for u in T.unroll(T.int64(4)):
                    for l in T.vectorized(T.int64(8)):
                        sums[u, l] = T.float32(0.0)
                running_max[T.int64(0)] = T.float32(-3.4028235e38)
                with T.LetStmt(T.Cast("int32", task)) as vi:
                    for piece in range(T.int64(8)):
                        for u in T.unroll(T.int64(4)):
                            for l in T.vectorized(T.int64(8)):
                                runs[u, l] = running_max[T.int64(0)]
                        for block in range(T.int64(64)):
                            for vector in T.unroll(T.int64(4)):
                                for l in T.vectorized(T.int64(8)):
                                    runs[vector, l] = T.Select(X[vi, T.Cast("int32", piece * T.int64(2048) + (block * T.int64(32) + vector * T.int64(8) + l))] > runs[vector, l], X[vi, T.Cast("int32", piece * T.int64(2048) + (block * T.int64(32) + vector * T.int64(8) + l))], runs[vector, l])
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(8)):
                                runs[u, l] = T.Select(runs[u + T.int64(2), l] > runs[u, l], runs[u + T.int64(2), l], runs[u, l])
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                runs[u, l] = T.Select(runs[u + T.int64(1), l] > runs[u, l], runs[u + T.int64(1), l], runs[u, l])
                        for l in T.vectorized(T.int64(8)):
                            halves[l] = runs[T.int64(0), l]
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = T.Select(halves[l + T.int64(4)] > halves[l], halves[l + T.int64(4)], halves[l])
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                        run: T.float32 = halves[T.int64(0)]
                        rescale: T.float32 = T.exp(running_max[T.int64(0)] - run)
                        for u in T.unroll(T.int64(4)):
                            for l in T.vectorized(T.int64(8)):
                                sums[u, l] = sums[u, l] * rescale
                        running_max[T.int64(0)] = run
                        kept_from[piece] = running_max[T.int64(0)]
                        for block in range(T.int64(64)):
                            for vector in T.unroll(T.int64(4)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", piece * T.int64(2048) + block * T.int64(32) + vector * T.int64(8) + T.int64(2048))]), 0, 2))
                                for l in T.vectorized(T.int64(8)):
                                    kept[piece * T.int64(2048) + (block * T.int64(32) + vector * T.int64(8) + l)] = T.exp(X[vi, T.Cast("int32", piece * T.int64(2048) + (block * T.int64(32) + vector * T.int64(8) + l))] - run)
                                for l in T.vectorized(T.int64(8)):
                                    sums[vector, l] = sums[vector, l] + kept[piece * T.int64(2048) + (block * T.int64(32) + vector * T.int64(8) + l)]
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            runs[u, l] = running_max[T.int64(0)]
                    for l in T.vectorized(T.int64(8)):
                        if T.int64(0) + l < T.int64(6):
                            runs[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(16384) + (T.int64(0) + l))] > runs[T.int64(0), l], X[vi, T.Cast("int32", T.int64(16384) + (T.int64(0) + l))], runs[T.int64(0), l])
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            runs[u, l] = T.Select(runs[u + T.int64(2), l] > runs[u, l], runs[u + T.int64(2), l], runs[u, l])
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            runs[u, l] = T.Select(runs[u + T.int64(1), l] > runs[u, l], runs[u + T.int64(1), l], runs[u, l])
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = runs[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = T.Select(halves[l + T.int64(4)] > halves[l], halves[l + T.int64(4)], halves[l])
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                    run: T.float32 = halves[T.int64(0)]
                    rescale: T.float32 = T.exp(running_max[T.int64(0)] - run)
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            sums[u, l] = sums[u, l] * rescale
                    running_max[T.int64(0)] = run
                    kept_from[T.int64(8)] = running_max[T.int64(0)]
                    T.evaluate(T.prefetch(T.address_of(X[vi, 16390]), 0, 2))
                    for l in T.vectorized(T.int64(8)):
                        if T.int64(0) + l < T.int64(6):
                            kept[T.int64(16384) + (T.int64(0) + l)] = T.exp(X[vi, T.Cast("int32", T.int64(16384) + (T.int64(0) + l))] - run)
                    for l in T.vectorized(T.int64(8)):
                        if T.int64(0) + l < T.int64(6):
                            sums[T.int64(0), l] = sums[T.int64(0), l] + kept[T.int64(16384) + (T.int64(0) + l)]
                for row in range(T.int64(1)):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            sums[u, l] = sums[u, l] + sums[u + T.int64(2), l]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            sums[u, l] = sums[u, l] + sums[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = sums[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = halves[l] + halves[l + T.int64(4)]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    last[T.int64(0)] = running_max[T.int64(0)]
                    with T.LetStmt(halves[T.int64(0)]) as total:
                        of_row[T.int64(0)] = T.float32(1.0) / total
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            sums[u, l] = T.float32(0.0)
                    running_max[T.int64(0)] = T.float32(-3.4028235e38)
                    vi: T.int32 = T.Cast("int32", task + row)
                    for piece in range(T.int64(8)):
                        scale: T.float32 = T.exp(kept_from[piece] - last[T.int64(0)])
                        for block in range(T.int64(64)):
                            for vector in T.unroll(T.int64(4)):
                                for l in T.vectorized(T.int64(8)):
                                    Y[vi, T.Cast("int32", piece * T.int64(2048) + (block * T.int64(32) + vector * T.int64(8) + l))] = kept[piece * T.int64(2048) + (block * T.int64(32) + vector * T.int64(8) + l)] * scale * of_row[T.int64(0)]
                    scale: T.float32 = T.exp(kept_from[T.int64(8)] - last[T.int64(0)])
                    for l in T.vectorized(T.int64(8)):
                        if T.int64(0) + l < T.int64(6):
                            Y[vi, T.Cast("int32", T.int64(16384) + (T.int64(0) + l))] = kept[T.int64(16384) + (T.int64(0) + l)] * scale * of_row[T.int64(0)]
