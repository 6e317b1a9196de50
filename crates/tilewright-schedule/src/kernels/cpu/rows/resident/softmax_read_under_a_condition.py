# What is read under a condition alone is asked for ahead without it.
# test: schedule
# step: b = get_block("shares")
# step: rows_resident(b, 4, 1, 4)
# run: main == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 8), "float32"), Z: T.Buffer((4, 4), "float32"), Y: T.Buffer((8, 8), "float32")):
        largest = T.alloc_buffer((8,), "float32")
        total = T.alloc_buffer((8,), "float32")
        for i, k in T.grid(8, 8):
            with T.block("largest"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    largest[vi] = T.float32("-inf")
                largest[vi] = T.max(largest[vi], T.Select(vk < 4 and vi < 4 and Z[vi, vk] > T.float32(0), X[vi, vk], T.float32(-9)))
        for i, k in T.grid(8, 8):
            with T.block("total"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    total[vi] = T.float32(0)
                total[vi] = total[vi] + T.exp(T.Select(vk < 4 and vi < 4 and Z[vi, vk] > T.float32(0), X[vi, vk], T.float32(-9)) - largest[vi])
        for i, j in T.grid(8, 8):
            with T.block("shares"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = T.exp(T.Select(vj < 4 and vi < 4 and Z[vi, vj] > T.float32(0), X[vi, vj], T.float32(-9)) - largest[vi]) / total[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((8, 8), "float32"), Z: T.Buffer((4, 4), "float32"), Y: T.Buffer((8, 8), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("shares"):
                T.reads(Z[0:4, 0:4], X[0:8, 0:8])
                T.writes(Y[0:8, 0:8])
                partial = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                partial_1 = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                totals_1 = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_term = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                kept = T.alloc_buffer((T.int64(2), T.int64(8)), align=64)
                first: T.int64 = task * T.int64(4)
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32("-inf")
                with T.LetStmt(T.Cast("int32", first)) as vi:
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                partial[vector, l] = T.Select(T.Select(T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l) < 4 and vi < 4 and Z[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) > partial[vector, l], T.Select(T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l) < 4 and vi < 4 and Z[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)), partial[vector, l])
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = T.Select(halves[l + T.int64(2)] > halves[l], halves[l + T.int64(2)], halves[l])
                for l in T.vectorized(T.int64(1)):
                    halves[l] = T.Select(halves[l + T.int64(1)] > halves[l], halves[l + T.int64(1)], halves[l])
                totals[T.int64(0)] = halves[T.int64(0)]
                for row in range(T.int64(4)):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial[u, l] = T.float32("-inf")
                    of_term[T.int64(0)] = totals[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial_1[u, l] = T.float32(0.0)
                    with T.LetStmt(T.Cast("int32", first + T.min(row + T.int64(1), T.int64(3)))) as vi:
                        vi_1: T.int32 = T.Cast("int32", first + row)
                        vi_2: T.int32 = T.Cast("int32", first + row + T.int64(1025))
                        if row == T.int64(0):
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(1)):
                                    T.evaluate(T.prefetch(T.address_of(Z[vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        partial[vector, l] = T.Select(T.Select(T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l) < 4 and vi < 4 and Z[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) > partial[vector, l], T.Select(T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l) < 4 and vi < 4 and Z[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)), partial[vector, l])
                                    for l in T.vectorized(T.int64(4)):
                                        kept[row % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(T.Select(T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l) < 4 and vi_1 < 4 and Z[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        partial_1[vector, l] = partial_1[vector, l] + kept[row % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l]
                        else:
                            of_row[T.int64(0)] = T.float32(1.0) / totals_1[T.int64(0)]
                            vi_3: T.int32 = T.Cast("int32", first + row - T.int64(1))
                            for block in range(T.int64(2)):
                                for vector in T.unroll(T.int64(1)):
                                    T.evaluate(T.prefetch(T.address_of(Z[vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                    T.evaluate(T.prefetch(T.address_of(X[vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                    for l in T.vectorized(T.int64(4)):
                                        partial[vector, l] = T.Select(T.Select(T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l) < 4 and vi < 4 and Z[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) > partial[vector, l], T.Select(T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l) < 4 and vi < 4 and Z[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)), partial[vector, l])
                                    for l in T.vectorized(T.int64(4)):
                                        kept[row % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l] = T.exp(T.Select(T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l) < 4 and vi_1 < 4 and Z[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] > T.float32(0.0), X[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)], T.float32(-9.0)) - of_term[T.int64(0)])
                                    for l in T.vectorized(T.int64(4)):
                                        partial_1[vector, l] = partial_1[vector, l] + kept[row % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l]
                                    for l in T.vectorized(T.int64(4)):
                                        Y[vi_3, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = kept[(row + T.int64(1)) % T.int64(2), block * T.int64(4) + vector * T.int64(4) + l] * of_row[T.int64(0)]
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
                vi: T.int32 = T.Cast("int32", first + T.int64(3))
                for block in range(T.int64(2)):
                    for vector in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            Y[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = kept[T.int64(1), block * T.int64(4) + vector * T.int64(4) + l] * of_row[T.int64(0)]
