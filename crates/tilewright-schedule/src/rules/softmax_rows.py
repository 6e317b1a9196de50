# Rows of an odd number of columns, several stages of which run at once: tasks of rows, the last of fewer.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((260, 13), "float32"), Y: T.Buffer((260, 13), "float32")):
        largest = T.alloc_buffer((260,), "float32")
        total = T.alloc_buffer((260,), "float32")
        for i, k in T.grid(260, 13):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vk])
        for i, k in T.grid(260, 13):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(X[vi, vk] - largest[vi])
        for i, j in T.grid(260, 13):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(X[vi, vj] - largest[vi]) / total[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((260, 13), "float32"), Y: T.Buffer((260, 13), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(20)):
            with T.block("shares"):
                T.reads(X[0:260, 0:13])
                T.writes(Y[0:260, 0:13])
                partial = T.alloc_buffer((T.int64(1), T.int64(8)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                partial_1 = T.alloc_buffer((T.int64(1), T.int64(8)), scope="local", align=64)
                totals_1 = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_term = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                kept = T.alloc_buffer((T.int64(2), T.int64(16)), align=64)
                first: T.int64 = task * T.int64(13)
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32("-inf")
                with T.LetStmt(T.Cast("int32", first)) as vi:
                    for block in range(T.int64(1)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                partial[vector, l] = T.Select(X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] > partial[vector, l], X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)], partial[vector, l])
                    for l in T.vectorized(T.int64(8)):
                        if T.int64(8) + l < T.int64(13):
                            partial[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(8) + l)] > partial[T.int64(0), l], X[vi, T.Cast("int32", T.int64(8) + l)], partial[T.int64(0), l])
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = T.Select(halves[l + T.int64(4)] > halves[l], halves[l + T.int64(4)], halves[l])
                for l in T.vectorized(T.int64(2)):
                    halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                for l in T.vectorized(T.int64(1)):
                    halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                totals[T.int64(0)] = halves[T.int64(0)]
                for row in range(T.int64(13)):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = T.float32("-inf")
                    of_term[T.int64(0)] = totals[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial_1[u, l] = T.float32(0.0)
                    with T.LetStmt(T.Cast("int32", first + T.min(row + T.int64(1), T.int64(12)))) as vi:
                        vi_1: T.int32 = T.Cast("int32", first + row)
                        vi_2: T.int32 = T.Cast("int32", first + row + T.int64(631))
                        if row == T.int64(0):
                            for block in range(T.int64(1)):
                                for vector in T.unroll(T.int64(1)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, T.Cast("int32", block * T.int64(8) + vector * T.int64(8))]), 0, 2))
                                    for l in T.vectorized(T.int64(8)):
                                        partial[vector, l] = T.Select(X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] > partial[vector, l], X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)], partial[vector, l])
                                    for l in T.vectorized(T.int64(8)):
                                        kept[row % T.int64(2), block * T.int64(8) + vector * T.int64(8) + l] = T.exp(X[vi_1, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(8)):
                                        partial_1[vector, l] = partial_1[vector, l] + kept[row % T.int64(2), block * T.int64(8) + vector * T.int64(8) + l]
                            T.evaluate(T.prefetch(T.address_of(X[vi_2, 8]), 0, 2))
                            for l in T.vectorized(T.int64(8)):
                                if T.int64(8) + l < T.int64(13):
                                    partial[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(8) + l)] > partial[T.int64(0), l], X[vi, T.Cast("int32", T.int64(8) + l)], partial[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                if T.int64(8) + l < T.int64(13):
                                    kept[row % T.int64(2), T.int64(8) + l] = T.exp(X[vi_1, T.Cast("int32", T.int64(8) + l)] - of_term[T.int64(0)])
                            for l in T.vectorized(T.int64(8)):
                                if T.int64(8) + l < T.int64(13):
                                    partial_1[T.int64(0), l] = partial_1[T.int64(0), l] + kept[row % T.int64(2), T.int64(8) + l]
                        else:
                            of_row[T.int64(0)] = T.float32(1.0) / totals_1[T.int64(0)]
                            vi_3: T.int32 = T.Cast("int32", first + row - T.int64(1))
                            for block in range(T.int64(1)):
                                for vector in T.unroll(T.int64(1)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, T.Cast("int32", block * T.int64(8) + vector * T.int64(8))]), 0, 2))
                                    for l in T.vectorized(T.int64(8)):
                                        partial[vector, l] = T.Select(X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] > partial[vector, l], X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)], partial[vector, l])
                                    for l in T.vectorized(T.int64(8)):
                                        kept[row % T.int64(2), block * T.int64(8) + vector * T.int64(8) + l] = T.exp(X[vi_1, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(8)):
                                        partial_1[vector, l] = partial_1[vector, l] + kept[row % T.int64(2), block * T.int64(8) + vector * T.int64(8) + l]
                                    for l in T.vectorized(T.int64(8)):
                                        Y[vi_3, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] = kept[(row + T.int64(1)) % T.int64(2), block * T.int64(8) + vector * T.int64(8) + l] * of_row[T.int64(0)]
                            T.evaluate(T.prefetch(T.address_of(X[vi_2, 8]), 0, 2))
                            for l in T.vectorized(T.int64(8)):
                                if T.int64(8) + l < T.int64(13):
                                    partial[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(8) + l)] > partial[T.int64(0), l], X[vi, T.Cast("int32", T.int64(8) + l)], partial[T.int64(0), l])
                            for l in T.vectorized(T.int64(8)):
                                if T.int64(8) + l < T.int64(13):
                                    kept[row % T.int64(2), T.int64(8) + l] = T.exp(X[vi_1, T.Cast("int32", T.int64(8) + l)] - of_term[T.int64(0)])
                            for l in T.vectorized(T.int64(8)):
                                if T.int64(8) + l < T.int64(13):
                                    partial_1[T.int64(0), l] = partial_1[T.int64(0), l] + kept[row % T.int64(2), T.int64(8) + l]
                            for l in T.vectorized(T.int64(8)):
                                if T.int64(8) + l < T.int64(13):
                                    Y[vi_3, T.Cast("int32", T.int64(8) + l)] = kept[(row + T.int64(1)) % T.int64(2), T.int64(8) + l] * of_row[T.int64(0)]
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
                vi: T.int32 = T.Cast("int32", first + T.int64(12))
                for block in range(T.int64(1)):
                    for vector in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            Y[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] = kept[T.int64(0), block * T.int64(8) + vector * T.int64(8) + l] * of_row[T.int64(0)]
                for l in T.vectorized(T.int64(8)):
                    if T.int64(8) + l < T.int64(13):
                        Y[vi, T.Cast("int32", T.int64(8) + l)] = kept[T.int64(0), T.int64(8) + l] * of_row[T.int64(0)]
