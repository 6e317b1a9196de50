# Sums of three depths: the result reads totals of rows that were summed one, two and three steps before.
# test: schedule
# step: b = get_block("result")
# step: pipeline_norm(b, 4, 1, 3)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((7, 8), "float32"), Y: T.Buffer((7, 8), "float32")):
        first = T.alloc_buffer((7,), "float32")
        second = T.alloc_buffer((7,), "float32")
        third = T.alloc_buffer((7,), "float32")
        for i, k in T.grid(7, 8):
            with T.block("first"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    first[vi] = T.float32(0)
                first[vi] = first[vi] + X[vi, vk]
        for i, k in T.grid(7, 8):
            with T.block("second"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    second[vi] = T.float32(0)
                second[vi] = second[vi] + (X[vi, vk] - first[vi])
        for i, k in T.grid(7, 8):
            with T.block("third"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    third[vi] = T.float32(0)
                third[vi] = third[vi] + (X[vi, vk] * second[vi] - first[vi])
        for i, j in T.grid(7, 8):
            with T.block("result"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] * first[vi] + second[vi] - third[vi]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((7, 8), "float32"), Y: T.Buffer((7, 8), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(3)):
            with T.block("result"):
                T.reads(X[0:7, 0:8])
                T.writes(Y[0:7, 0:8])
                partial = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(3),), scope="local", align=64)
                partial_1 = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                totals_1 = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                of_term = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                partial_2 = T.alloc_buffer((T.int64(1), T.int64(4)), scope="local", align=64)
                totals_2 = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_term_1 = T.alloc_buffer((T.int64(2),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(3),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                first: T.int64 = task * T.int64(3)
                count: T.int64 = T.min(T.int64(3), T.int64(7) - first)
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32(0.0)
                with T.LetStmt(T.Cast("int32", first)) as vi:
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                partial[vector, l] = partial[vector, l] + X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals[T.int64(0)] = halves[T.int64(0)]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32(0.0)
                of_term[T.int64(0)] = totals[T.int64(0)]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial_1[u, l] = T.float32(0.0)
                with T.LetStmt(T.Cast("int32", first + T.min(count - T.int64(1), T.int64(1)))) as vi:
                    vi_1: T.int32 = T.Cast("int32", first)
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                partial[vector, l] = partial[vector, l] + X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                partial_1[vector, l] = partial_1[vector, l] + (X[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_term[T.int64(0)])
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals[T.int64(1)] = totals[T.int64(0)]
                totals[T.int64(0)] = halves[T.int64(0)]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial_1[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals_1[T.int64(0)] = halves[T.int64(0)]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial[u, l] = T.float32(0.0)
                of_term[T.int64(0)] = totals[T.int64(0)]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial_1[u, l] = T.float32(0.0)
                of_term_1[T.int64(0)] = totals[T.int64(1)]
                of_term_1[T.int64(1)] = totals_1[T.int64(0)]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(4)):
                        partial_2[u, l] = T.float32(0.0)
                with T.LetStmt(T.Cast("int32", first + T.min(count - T.int64(1), T.int64(2)))) as vi:
                    vi_1: T.int32 = T.Cast("int32", first + T.min(count - T.int64(1), T.int64(1)))
                    vi_2: T.int32 = T.Cast("int32", first)
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                partial[vector, l] = partial[vector, l] + X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)]
                            for l in T.vectorized(T.int64(4)):
                                partial_1[vector, l] = partial_1[vector, l] + (X[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_term[T.int64(0)])
                            for l in T.vectorized(T.int64(4)):
                                partial_2[vector, l] = partial_2[vector, l] + (X[vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * of_term_1[T.int64(1)] - of_term_1[T.int64(0)])
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals[T.int64(2)] = totals[T.int64(1)]
                totals[T.int64(1)] = totals[T.int64(0)]
                totals[T.int64(0)] = halves[T.int64(0)]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial_1[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals_1[T.int64(1)] = totals_1[T.int64(0)]
                totals_1[T.int64(0)] = halves[T.int64(0)]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = partial_2[T.int64(0), l]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals_2[T.int64(0)] = halves[T.int64(0)]
                for row in range(count):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial[u, l] = T.float32(0.0)
                    of_term[T.int64(0)] = totals[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial_1[u, l] = T.float32(0.0)
                    of_term_1[T.int64(0)] = totals[T.int64(1)]
                    of_term_1[T.int64(1)] = totals_1[T.int64(0)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            partial_2[u, l] = T.float32(0.0)
                    with T.LetStmt(T.Cast("int32", first + T.min(row + T.int64(3), count - T.int64(1)))) as vi:
                        vi_1: T.int32 = T.Cast("int32", first + T.min(row + T.int64(2), count - T.int64(1)))
                        vi_2: T.int32 = T.Cast("int32", first + T.min(row + T.int64(1), count - T.int64(1)))
                        vi_3: T.int32 = T.Cast("int32", first + row + T.int64(131))
                        of_row[T.int64(0)] = totals[T.int64(2)]
                        of_row[T.int64(1)] = totals_1[T.int64(1)]
                        of_row[T.int64(2)] = totals_2[T.int64(0)]
                        vi_4: T.int32 = T.Cast("int32", first + row)
                        for block in range(T.int64(2)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi_3, T.Cast("int32", block * T.int64(4) + vector * T.int64(4))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    partial[vector, l] = partial[vector, l] + X[vi, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)]
                                for l in T.vectorized(T.int64(4)):
                                    partial_1[vector, l] = partial_1[vector, l] + (X[vi_1, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] - of_term[T.int64(0)])
                                for l in T.vectorized(T.int64(4)):
                                    partial_2[vector, l] = partial_2[vector, l] + (X[vi_2, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * of_term_1[T.int64(1)] - of_term_1[T.int64(0)])
                                for l in T.vectorized(T.int64(4)):
                                    Y[vi_4, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] = X[vi_4, T.Cast("int32", block * T.int64(4) + vector * T.int64(4) + l)] * of_row[T.int64(0)] + of_row[T.int64(1)] - of_row[T.int64(2)]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = partial[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals[T.int64(2)] = totals[T.int64(1)]
                    totals[T.int64(1)] = totals[T.int64(0)]
                    totals[T.int64(0)] = halves[T.int64(0)]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = partial_1[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals_1[T.int64(1)] = totals_1[T.int64(0)]
                    totals_1[T.int64(0)] = halves[T.int64(0)]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = partial_2[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals_2[T.int64(0)] = halves[T.int64(0)]
