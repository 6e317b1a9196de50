# Rows have several axes, numbers are sums of what two tensors have, and the result is another number of the share, in place.
# test: schedule
# step: b = get_block("shares")
# step: rows_resident(b, 4, 1, 4)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 5, 12), "float32"), M: T.Buffer((5, 12), "float32")):
        largest = T.alloc_buffer((3, 5), "float32")
        total = T.alloc_buffer((3, 5), "float32")
        for a, i, k in T.grid(3, 5, 12):
            with T.block("largest"):
                va, vi, vk = T.axis.remap("SSR", [a, i, k])
                with T.init():
                    largest[va, vi] = T.float32(-3.4028234663852886e38)
                largest[va, vi] = T.max(largest[va, vi], X[va, vi, vk] * T.float32(0.5) + M[vi, vk])
        for a, i, k in T.grid(3, 5, 12):
            with T.block("total"):
                va, vi, vk = T.axis.remap("SSR", [a, i, k])
                with T.init():
                    total[va, vi] = T.float32(0)
                total[va, vi] = total[va, vi] + T.exp(X[va, vi, vk] * T.float32(0.5) + M[vi, vk] - largest[va, vi])
        for a, i, j in T.grid(3, 5, 12):
            with T.block("shares"):
                va, vi, vj = T.axis.remap("SSS", [a, i, j])
                X[va, vi, vj] = T.exp(X[va, vi, vj] * T.float32(0.5) + M[vi, vj] - largest[va, vi]) / total[va, vi] * T.float32(2)

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 5, 12), "float32"), M: T.Buffer((5, 12), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(4)):
            with T.block("shares"):
                T.reads(X[0:3, 0:5, 0:12], M[0:5, 0:12])
                T.writes(X[0:3, 0:5, 0:12])
                partial = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                partial_1 = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                totals_1 = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_term = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                kept = T.alloc_buffer((T.int64(2), T.int64(12)), align=64)
                first: T.int64 = task * T.int64(4)
                count: T.int64 = T.min(T.int64(4), T.int64(15) - first)
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32(-3.4028235e38)
                with T.LetStmt(T.Cast("int32", first % T.int64(5))) as vi:
                    va: T.int32 = T.Cast("int32", first // T.int64(5))
                    for block in range(T.int64(3)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                partial[vector, l] = T.Select(X[va, vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * T.float32(0.5) + M[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > partial[vector, l], X[va, vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * T.float32(0.5) + M[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], partial[vector, l])
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
                            partial[u, l] = T.float32(-3.4028235e38)
                    of_term[T.int64(0)] = totals[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial_1[u, l] = T.float32(0.0)
                    with T.LetStmt(first + T.min(row + T.int64(1), count - T.int64(1))) as next:
                        vi: T.int32 = T.Cast("int32", next % T.int64(5))
                        va: T.int32 = T.Cast("int32", next // T.int64(5))
                        next_1: T.int64 = first + row
                        vi_1: T.int32 = T.Cast("int32", next_1 % T.int64(5))
                        va_1: T.int32 = T.Cast("int32", next_1 // T.int64(5))
                        ahead: T.int64 = first + row + T.int64(683)
                        vi_2: T.int32 = T.Cast("int32", ahead % T.int64(5))
                        va_2: T.int32 = T.Cast("int32", ahead // T.int64(5))
                        if row == T.int64(0):
                            for block in range(T.int64(3)):
                                for vector in T.unroll(T.int64(1)):
                                    T.evaluate(T.prefetch(T.address_of(X[va_2, vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                    T.evaluate(T.prefetch(T.address_of(M[vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        partial[vector, l] = T.Select(X[va, vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * T.float32(0.5) + M[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > partial[vector, l], X[va, vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * T.float32(0.5) + M[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], partial[vector, l])
                                    for l in T.vectorized(T.int64(4)):
                                        kept[row % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[va_1, vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * T.float32(0.5) + M[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        partial_1[vector, l] = partial_1[vector, l] + kept[row % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l]
                        else:
                            of_row[T.int64(0)] = T.float32(1.0) / totals_1[T.int64(0)]
                            here: T.int64 = first + row - T.int64(1)
                            vi_3: T.int32 = T.Cast("int32", here % T.int64(5))
                            va_3: T.int32 = T.Cast("int32", here // T.int64(5))
                            for block in range(T.int64(3)):
                                for vector in T.unroll(T.int64(1)):
                                    T.evaluate(T.prefetch(T.address_of(X[va_2, vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                    T.evaluate(T.prefetch(T.address_of(M[vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        partial[vector, l] = T.Select(X[va, vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * T.float32(0.5) + M[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > partial[vector, l], X[va, vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * T.float32(0.5) + M[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], partial[vector, l])
                                    for l in T.vectorized(T.int64(4)):
                                        kept[row % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(X[va_1, vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * T.float32(0.5) + M[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        partial_1[vector, l] = partial_1[vector, l] + kept[row % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l]
                                    for l in T.vectorized(T.int64(4)):
                                        X[va_3, vi_3, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = kept[(row + T.int64(1)) % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l] * of_row[T.int64(0)] * T.float32(2.0)
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
                of_row[T.int64(0)] = T.float32(1.0) / totals_1[T.int64(0)]
                here: T.int64 = first + count - T.int64(1)
                vi: T.int32 = T.Cast("int32", here % T.int64(5))
                va: T.int32 = T.Cast("int32", here // T.int64(5))
                for block in range(T.int64(3)):
                    for vector in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            X[va, vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = kept[(count + T.int64(1)) % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l] * of_row[T.int64(0)] * T.float32(2.0)
