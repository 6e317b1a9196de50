# Rows are written after everything that reads them. One sum, of a matrix of rows with a bias; twelve columns are whole vectors
# and a part of one.
# test: schedule
# step: b = get_block("scaled")
# step: rows_resident(b, 8, 1, 4)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 2, 12), "float32"), B: T.Buffer((12,), "float32")):
        squares = T.alloc_buffer((3, 2), "float32")
        for i, j, k in T.grid(3, 2, 12):
            with T.block("squares"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    squares[vi, vj] = T.float32(0)
                squares[vi, vj] = squares[vi, vj] + (X[vi, vj, vk] + B[vk]) * (X[vi, vj, vk] + B[vk])
        for i, j, k in T.grid(3, 2, 12):
            with T.block("scaled"):
                vi, vj, vk = T.axis.remap("SSS", [i, j, k])
                X[vi, vj, vk] = (X[vi, vj, vk] + B[vk]) * T.rsqrt(squares[vi, vj] + T.float32(0.25))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((3, 2, 12), "float32"), B: T.Buffer((12,), "float32")):
        # with T.block("root"):
        for task in T.parallel(T.int64(2)):
            with T.block("scaled"):
                T.reads(X[0:3, 0:2, 0:12], B[0:12])
                T.writes(X[0:3, 0:2, 0:12])
                partial = T.alloc_buffer((T.int64(1), T.int64(8)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                first: T.int64 = task * T.int64(4)
                count: T.int64 = T.min(T.int64(4), T.int64(6) - first)
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                with T.LetStmt(T.Cast("int32", first % T.int64(2))) as vj:
                    vi: T.int32 = T.Cast("int32", first // T.int64(2))
                    for block in range(T.int64(1)):
                        for vector in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(8)):
                                partial[vector, l] = partial[vector, l] + (X[vi, vj, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] + B[T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)]) * (X[vi, vj, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] + B[T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)])
                    for l in T.vectorized(T.int64(8)):
                        if T.int64(8) + l < T.int64(12):
                            partial[T.int64(0), l] = partial[T.int64(0), l] + (X[vi, vj, T.Cast("int32", T.int64(8) + l)] + B[T.Cast("int32", T.int64(8) + l)]) * (X[vi, vj, T.Cast("int32", T.int64(8) + l)] + B[T.Cast("int32", T.int64(8) + l)])
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals[T.int64(0)] = halves[T.int64(0)]
                for row in range(count):
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = T.float32(0.0)
                    with T.LetStmt(first + T.min(row + T.int64(1), count - T.int64(1))) as next:
                        vj: T.int32 = T.Cast("int32", next % T.int64(2))
                        vi: T.int32 = T.Cast("int32", next // T.int64(2))
                        ahead: T.int64 = first + row + T.int64(86)
                        vj_1: T.int32 = T.Cast("int32", ahead % T.int64(2))
                        vi_1: T.int32 = T.Cast("int32", ahead // T.int64(2))
                        of_row[T.int64(0)] = T.rsqrt(totals[T.int64(0)] + T.float32(0.25))
                        here: T.int64 = first + row
                        vj_2: T.int32 = T.Cast("int32", here % T.int64(2))
                        vi_2: T.int32 = T.Cast("int32", here // T.int64(2))
                        for block in range(T.int64(1)):
                            for vector in T.unroll(T.int64(1)):
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, vj_1, T.Cast("int32", block * T.int64(8) + vector * T.int64(8))]), 0, 2))
                                for l in T.vectorized(T.int64(8)):
                                    partial[vector, l] = partial[vector, l] + (X[vi, vj, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] + B[T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)]) * (X[vi, vj, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] + B[T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)])
                                for l in T.vectorized(T.int64(8)):
                                    X[vi_2, vj_2, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] = (X[vi_2, vj_2, T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)] + B[T.Cast("int32", block * T.int64(8) + vector * T.int64(8) + l)]) * of_row[T.int64(0)]
                        T.evaluate(T.prefetch(T.address_of(X[vi_1, vj_1, 8]), 0, 2))
                        for l in T.vectorized(T.int64(8)):
                            if T.int64(8) + l < T.int64(12):
                                partial[T.int64(0), l] = partial[T.int64(0), l] + (X[vi, vj, T.Cast("int32", T.int64(8) + l)] + B[T.Cast("int32", T.int64(8) + l)]) * (X[vi, vj, T.Cast("int32", T.int64(8) + l)] + B[T.Cast("int32", T.int64(8) + l)])
                        for l in T.vectorized(T.int64(4)):
                            X[vi_2, vj_2, T.Cast("int32", T.Add(T.int64(8), T.int64(0)) + l)] = (X[vi_2, vj_2, T.Cast("int32", T.Add(T.int64(8), T.int64(0)) + l)] + B[T.Cast("int32", T.Add(T.int64(8), T.int64(0)) + l)]) * of_row[T.int64(0)]
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = partial[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = halves[l] + halves[l + T.int64(4)]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals[T.int64(0)] = halves[T.int64(0)]
