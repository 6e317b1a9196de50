# A log-softmax needs no exponentials after the sum, and the logarithm of the sum once per row.
# test: schedule
# step: b = get_block("shares")
# step: pipeline_softmax(b, 4, 1, 2)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 13), "float32"), Y: T.Buffer((3, 13), "float32")):
        largest = T.alloc_buffer((3,), "float32")
        total = T.alloc_buffer((3,), "float32")
        for i, k in T.grid(3, 13):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vk])
        for i, k in T.grid(3, 13):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(X[vi, vk] - largest[vi])
        for i, j in T.grid(3, 13):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] - largest[vi] - T.log(total[vi])

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 13), "float32"), Y: T.Buffer((3, 13), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("shares"):
                T.reads(X[0:3, 0:13])
                T.writes(Y[0:3, 0:13])
                partial = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                partial_1 = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                totals_1 = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_term = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), T.int64(3) - first)
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32("-inf")
                with T.LetStmt(T.Cast("int32", first)) as vi:
                    for block in range(T.int64(3)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                partial[vector, l] = T.Select(X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > partial[vector, l], X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], partial[vector, l])
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(12) + l < T.int64(13):
                            partial[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(12) + l)] > partial[T.int64(0), l], X[vi, T.Cast("int32", T.int64(12) + l)], partial[T.int64(0), l])
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                for l in T.vectorized(T.int64(1)):
                    halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                totals[T.int64(0)] = halves[T.int64(0)]
                for row in range(count):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial[u, l] = T.float32("-inf")
                    of_term[T.int64(0)] = totals[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial_1[u, l] = T.float32(0.0)
                    with T.LetStmt(T.Cast("int32", first + T.min(row + T.int64(1), count - T.int64(1)))) as vi:
                        vi_1: T.int32 = T.Cast("int32", first + row)
                        vi_2: T.int32 = T.Cast("int32", first + row + T.int64(631))
                        if row == T.int64(0):
                            for block in range(T.int64(3)):
                                for vector in T.unroll(T.int64(1)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        partial[vector, l] = T.Select(X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > partial[vector, l], X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], partial[vector, l])
                                    for l in T.vectorized(T.int64(4)):
                                        partial_1[vector, l] = partial_1[vector, l] + T.exp(X[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_term[T.int64(0)])
                            T.evaluate(T.prefetch(T.address_of(X[vi_2, 12]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(12) + l < T.int64(13):
                                    partial[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(12) + l)] > partial[T.int64(0), l], X[vi, T.Cast("int32", T.int64(12) + l)], partial[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(12) + l < T.int64(13):
                                    partial_1[T.int64(0), l] = partial_1[T.int64(0), l] + T.exp(X[vi_1, T.Cast("int32", T.int64(12) + l)] - of_term[T.int64(0)])
                        else:
                            of_row[T.int64(0)] = totals[T.int64(1)]
                            of_row[T.int64(1)] = T.log(totals_1[T.int64(0)])
                            vi_3: T.int32 = T.Cast("int32", first + row - T.int64(1))
                            for block in range(T.int64(3)):
                                for vector in T.unroll(T.int64(1)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        partial[vector, l] = T.Select(X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > partial[vector, l], X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], partial[vector, l])
                                    for l in T.vectorized(T.int64(4)):
                                        partial_1[vector, l] = partial_1[vector, l] + T.exp(X[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi_3, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi_3, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0)] - of_row[T.int64(1)]
                            T.evaluate(T.prefetch(T.address_of(X[vi_2, 12]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(12) + l < T.int64(13):
                                    partial[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(12) + l)] > partial[T.int64(0), l], X[vi, T.Cast("int32", T.int64(12) + l)], partial[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(12) + l < T.int64(13):
                                    partial_1[T.int64(0), l] = partial_1[T.int64(0), l] + T.exp(X[vi_1, T.Cast("int32", T.int64(12) + l)] - of_term[T.int64(0)])
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(12) + l < T.int64(13):
                                    Y[vi_3, T.Cast("int32", T.int64(12) + l)] = X[vi_3, T.Cast("int32", T.int64(12) + l)] - of_row[T.int64(0)] - of_row[T.int64(1)]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = partial[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                    totals[T.int64(1)] = totals[T.int64(0)]
                    totals[T.int64(0)] = halves[T.int64(0)]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = partial_1[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals_1[T.int64(0)] = halves[T.int64(0)]
                of_row[T.int64(0)] = totals[T.int64(1)]
                of_row[T.int64(1)] = T.log(totals_1[T.int64(0)])
                vi: T.int32 = T.Cast("int32", first + count - T.int64(1))
                for block in range(T.int64(3)):
                    for vector in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            Y[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_row[T.int64(0)] - of_row[T.int64(1)]
                for l in T.vectorized(T.int64(4)):
                    if T.int64(12) + l < T.int64(13):
                        Y[vi, T.Cast("int32", T.int64(12) + l)] = X[vi, T.Cast("int32", T.int64(12) + l)] - of_row[T.int64(0)] - of_row[T.int64(1)]
