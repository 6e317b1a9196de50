# A sum, one that depends on it, and the result, each in a row of its own; the last vector of a row is masked where it does
# not fill it, and tasks may have fewer rows than others.
# test: schedule
# step: b = get_block("normal")
# step: rows_resident(b, 4, 2, 2)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((5, 11), "float32"), W: T.Buffer((11,), "float32"), Y: T.Buffer((5, 11), "float32")):
        total = T.alloc_buffer((5, 1), "float32")
        mean = T.alloc_buffer((5, 1), "float32")
        squares = T.alloc_buffer((5, 1), "float32")
        for i, u, k in T.grid(5, 1, 11):
            with T.block("total"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    total[vi, vu] = T.float32(0)
                total[vi, vu] = total[vi, vu] + X[vi, vk]
        for i, u in T.grid(5, 1):
            with T.block("mean"):
                vi, vu = T.axis.remap("SS", [i, u])
                mean[vi, vu] = total[vi, vu] / T.float32(11)
        for i, u, k in T.grid(5, 1, 11):
            with T.block("squares"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    squares[vi, vu] = T.float32(0)
                squares[vi, vu] = squares[vi, vu] + (X[vi, vk] - mean[vi, 0]) * (X[vi, vk] - mean[vi, 0])
        for i, j in T.grid(5, 11):
            with T.block("normal"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = (X[vi, vj] - mean[vi, 0]) / T.sqrt(squares[vi, 0] / T.float32(11) + T.float32(0.5)) * W[vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((5, 11), "float32"), W: T.Buffer((11,), "float32"), Y: T.Buffer((5, 11), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(3)):
            with T.block("normal"):
                T.reads(X[0:5, 0:11], W[0:11])
                T.writes(Y[0:5, 0:11])
                partial = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                partial_1 = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                totals_1 = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_term = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), T.int64(5) - first)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32(0.0)
                with T.LetStmt(T.Cast("int32", first)) as vi:
                    for block in range(T.int64(1)):
                        for vector in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                partial[vector, l] = partial[vector, l] + X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)]
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(8) + l < T.int64(11):
                            partial[T.int64(0), l] = partial[T.int64(0), l] + X[vi, T.Cast("int32", T.int64(8) + l)]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals[T.int64(0)] = halves[T.int64(0)]
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32(0.0)
                of_term[T.int64(0)] = totals[T.int64(0)] / T.float32(11.0)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(4)):
                        partial_1[u, l] = T.float32(0.0)
                with T.LetStmt(T.Cast("int32", first + T.min(count - T.int64(1), T.int64(1)))) as vi:
                    vi_1: T.int32 = T.Cast("int32", first)
                    for block in range(T.int64(1)):
                        for vector in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                partial[vector, l] = partial[vector, l] + X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                partial_1[vector, l] = partial_1[vector, l] + (X[vi_1, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] - of_term[T.int64(0)]) * (X[vi_1, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] - of_term[T.int64(0)])
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(8) + l < T.int64(11):
                            partial[T.int64(0), l] = partial[T.int64(0), l] + X[vi, T.Cast("int32", T.int64(8) + l)]
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(8) + l < T.int64(11):
                            partial_1[T.int64(0), l] = partial_1[T.int64(0), l] + (X[vi_1, T.Cast("int32", T.int64(8) + l)] - of_term[T.int64(0)]) * (X[vi_1, T.Cast("int32", T.int64(8) + l)] - of_term[T.int64(0)])
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals[T.int64(1)] = totals[T.int64(0)]
                totals[T.int64(0)] = halves[T.int64(0)]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial_1[u, l] = partial_1[u, l] + partial_1[u + T.int64(1), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial_1[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals_1[T.int64(0)] = halves[T.int64(0)]
                for row in range(count):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            partial[u, l] = T.float32(0.0)
                    of_term[T.int64(0)] = totals[T.int64(0)] / T.float32(11.0)
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            partial_1[u, l] = T.float32(0.0)
                    with T.LetStmt(T.Cast("int32", first + T.min(row + T.int64(2), count - T.int64(1)))) as vi:
                        vi_1: T.int32 = T.Cast("int32", first + T.min(row + T.int64(1), count - T.int64(1)))
                        vi_2: T.int32 = T.Cast("int32", first + row + T.int64(95))
                        of_row[T.int64(0)] = totals[T.int64(1)] / T.float32(11.0)
                        of_row[T.int64(1)] = T.float32(1.0) / T.sqrt(totals_1[T.int64(0)] / T.float32(11.0) + T.float32(0.5))
                        vi_3: T.int32 = T.Cast("int32", first + row)
                        for block in range(T.int64(1)):
                            for vector in T.unroll(T.int64(2)):
                                T.evaluate(T.prefetch(T.address_of(X[vi_2, T.Cast("int32", block * T.int64(8) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    partial[vector, l] = partial[vector, l] + X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    partial_1[vector, l] = partial_1[vector, l] + (X[vi_1, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] - of_term[T.int64(0)]) * (X[vi_1, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] - of_term[T.int64(0)])
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi_3, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] = (X[vi_3, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)] - of_row[T.int64(0)]) * of_row[T.int64(1)] * W[T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + l)]
                        T.evaluate(T.prefetch(T.address_of(X[vi_2, 8]), 0, 2))
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(8) + l < T.int64(11):
                                partial[T.int64(0), l] = partial[T.int64(0), l] + X[vi, T.Cast("int32", T.int64(8) + l)]
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(8) + l < T.int64(11):
                                partial_1[T.int64(0), l] = partial_1[T.int64(0), l] + (X[vi_1, T.Cast("int32", T.int64(8) + l)] - of_term[T.int64(0)]) * (X[vi_1, T.Cast("int32", T.int64(8) + l)] - of_term[T.int64(0)])
                        for l in T.vectorized(T.int64(4)):
                            if T.int64(8) + l < T.int64(11):
                                Y[vi_3, T.Cast("int32", T.int64(8) + l)] = (X[vi_3, T.Cast("int32", T.int64(8) + l)] - of_row[T.int64(0)]) * of_row[T.int64(1)] * W[T.Cast("int32", T.int64(8) + l)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = partial[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals[T.int64(1)] = totals[T.int64(0)]
                    totals[T.int64(0)] = halves[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial_1[u, l] = partial_1[u, l] + partial_1[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = partial_1[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals_1[T.int64(0)] = halves[T.int64(0)]
