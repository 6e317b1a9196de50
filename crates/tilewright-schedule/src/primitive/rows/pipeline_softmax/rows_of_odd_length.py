# The last vector of a row is masked where it does not fill it.
# test: schedule
# step: b = get_block("shares")
# step: pipeline_softmax(b, 4, 2, 2)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((5, 11), "float32"), Y: T.Buffer((5, 11), "float32")):
        largest = T.alloc_buffer((5,), "float32")
        total = T.alloc_buffer((5,), "float32")
        for i, k in T.grid(5, 11):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], X[vi, vk])
        for i, k in T.grid(5, 11):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(X[vi, vk] - largest[vi])
        for i, j in T.grid(5, 11):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(X[vi, vj] - largest[vi]) / total[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((5, 11), "float32"), Y: T.Buffer((5, 11), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(3)):
            with T.block("shares"):
                T.reads(X[0:5, 0:11])
                T.writes(Y[0:5, 0:11])
                powers = T.alloc_buffer((T.int64(2), T.int64(12)), align=64)
                next = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                sums = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                most = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), T.int64(5) - first)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        next[u, l] = T.float32("-inf")
                with T.LetStmt(T.Cast("int32", first)) as vi:
                    for block in range(T.int64(1)):
                        for vector in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                next[vector, l] = T.Select(X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] > next[vector, l], X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)], next[vector, l])
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(8) + l < T.int64(11):
                            next[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(8) + l)] > next[T.int64(0), l], X[vi, T.Cast("int32", T.int64(8) + l)], next[T.int64(0), l])
                for row in range(count):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            next[u, l] = T.Select(next[u + T.int64(1), l] > next[u, l], next[u + T.int64(1), l], next[u, l])
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = next[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                    most[T.int64(0)] = halves[T.int64(0)]
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            next[u, l] = T.float32("-inf")
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = T.float32(0.0)
                    with T.LetStmt(T.Cast("int32", first + T.min(row + T.int64(1), count - T.int64(1)))) as vi:
                        vi_1: T.int32 = T.Cast("int32", first + row)
                        vi_2: T.int32 = T.Cast("int32", first + row + T.int64(744))
                        if row == T.int64(0):
                            for block in range(T.int64(1)):
                                for vector in T.unroll(T.int64(2)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, T.Cast("int32", block * T.int64(8) + vector * T.int64(4))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        next[vector, l] = T.Select(X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] > next[vector, l], X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)], next[vector, l])
                                    for l in T.vectorized(T.int64(4)):
                                        powers[row % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l] = T.exp(X[vi_1, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] - most[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        sums[vector, l] = sums[vector, l] + powers[row % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l]
                            T.evaluate(T.prefetch(T.address_of(X[vi_2, 8]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(8) + l < T.int64(11):
                                    next[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(8) + l)] > next[T.int64(0), l], X[vi, T.Cast("int32", T.int64(8) + l)], next[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(8) + l < T.int64(11):
                                    powers[row % T.int64(2), T.int64(8) + l] = T.exp(X[vi_1, T.Cast("int32", T.int64(8) + l)] - most[T.int64(0)])
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(8) + l < T.int64(11):
                                    sums[T.int64(0), l] = sums[T.int64(0), l] + powers[row % T.int64(2), T.int64(8) + l]
                        else:
                            vi_3: T.int32 = T.Cast("int32", first + row - T.int64(1))
                            for block in range(T.int64(1)):
                                for vector in T.unroll(T.int64(2)):
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, T.Cast("int32", block * T.int64(8) + vector * T.int64(4))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        next[vector, l] = T.Select(X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] > next[vector, l], X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)], next[vector, l])
                                    for l in T.vectorized(T.int64(4)):
                                        powers[row % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l] = T.exp(X[vi_1, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] - most[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        sums[vector, l] = sums[vector, l] + powers[row % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l]
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi_3, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] = powers[(row + T.int64(1)) % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l] * of_row[T.int64(0)]
                            T.evaluate(T.prefetch(T.address_of(X[vi_2, 8]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(8) + l < T.int64(11):
                                    next[T.int64(0), l] = T.Select(X[vi, T.Cast("int32", T.int64(8) + l)] > next[T.int64(0), l], X[vi, T.Cast("int32", T.int64(8) + l)], next[T.int64(0), l])
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(8) + l < T.int64(11):
                                    powers[row % T.int64(2), T.int64(8) + l] = T.exp(X[vi_1, T.Cast("int32", T.int64(8) + l)] - most[T.int64(0)])
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(8) + l < T.int64(11):
                                    sums[T.int64(0), l] = sums[T.int64(0), l] + powers[row % T.int64(2), T.int64(8) + l]
                            for l in T.vectorized(T.int64(4)):
                                if T.int64(8) + l < T.int64(11):
                                    Y[vi_3, T.Cast("int32", T.int64(8) + l)] = powers[(row + T.int64(1)) % T.int64(2), T.int64(8) + l] * of_row[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            sums[u, l] = sums[u, l] + sums[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = sums[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    of_row[T.int64(0)] = T.float32(1.0) / halves[T.int64(0)]
                vi: T.int32 = T.Cast("int32", first + count - T.int64(1))
                for block in range(T.int64(1)):
                    for vector in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            Y[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] = powers[(count + T.int64(1)) % T.int64(2), block * T.int64(8) + vector * T.int64(4) + l] * of_row[T.int64(0)]
                for l in T.vectorized(T.int64(4)):
                    if T.int64(8) + l < T.int64(11):
                        Y[vi, T.Cast("int32", T.int64(8) + l)] = powers[(count + T.int64(1)) % T.int64(2), T.int64(8) + l] * of_row[T.int64(0)]
