# The sums of a norm of many rows and its results run at once, in tasks of some rows each.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((260, 20), "float32"), W: T.Buffer((20,), "float32"), Y: T.Buffer((260, 20), "float32")):
        squares = T.alloc_buffer((260, 1), "float32")
        for i, u, k in T.grid(260, 1, 20):
            with T.block("squares"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    squares[vi, vu] = T.float32(0)
                squares[vi, vu] = squares[vi, vu] + X[vi, vk] * X[vi, vk]
        for i, j in T.grid(260, 20):
            with T.block("normal"):
                vi, vj = T.axis.remap("SS", [i, j])
                Y[vi, vj] = X[vi, vj] / T.sqrt(squares[vi, 0] / T.float32(20) + T.float32(0.5)) * W[vj]

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((260, 20), "float32"), W: T.Buffer((20,), "float32"), Y: T.Buffer((260, 20), "float32")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(20)):
            with T.block("normal"):
                T.reads(X[0:260, 0:20], W[0:20])
                T.writes(Y[0:260, 0:20])
                partial = T.alloc_buffer((T.int64(2), T.int64(8)), scope="local", align=64)
                totals = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                of_row = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                first: T.int64 = task * T.int64(13)
                for u in T.unroll(T.int64(2)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = T.float32(0.0)
                with T.LetStmt(T.Cast("int32", first)) as vi:
                    for block in range(T.int64(1)):
                        for vector in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(8)):
                                partial[vector, l] = partial[vector, l] + X[vi, T.Cast("int32", block * T.int64(16) + vector * T.int64(8) + l)] * X[vi, T.Cast("int32", block * T.int64(16) + vector * T.int64(8) + l)]
                    for l in T.vectorized(T.int64(8)):
                        if T.int64(16) + l < T.int64(20):
                            partial[T.int64(0), l] = partial[T.int64(0), l] + X[vi, T.Cast("int32", T.int64(16) + l)] * X[vi, T.Cast("int32", T.int64(16) + l)]
                for u in T.unroll(T.int64(1)):
                    for l in T.vectorized(T.int64(8)):
                        partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                for l in T.vectorized(T.int64(8)):
                    halves[l] = partial[T.int64(0), l]
                for l in T.vectorized(T.int64(4)):
                    halves[l] = halves[l] + halves[l + T.int64(4)]
                for l in T.vectorized(T.int64(2)):
                    halves[l] = halves[l] + halves[l + T.int64(2)]
                for l in T.vectorized(T.int64(1)):
                    halves[l] = halves[l] + halves[l + T.int64(1)]
                totals[T.int64(0)] = halves[T.int64(0)]
                for row in range(T.int64(13)):
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = T.float32(0.0)
                    with T.LetStmt(T.Cast("int32", first + T.min(row + T.int64(1), T.int64(12)))) as vi:
                        vi_1: T.int32 = T.Cast("int32", first + row + T.int64(52))
                        of_row[T.int64(0)] = T.float32(1.0) * (T.float32(1.0) / T.sqrt(totals[T.int64(0)] / T.float32(20.0) + T.float32(0.5)))
                        vi_2: T.int32 = T.Cast("int32", first + row)
                        for block in range(T.int64(1)):
                            for vector in T.unroll(T.int64(2)):
                                T.evaluate(T.prefetch(T.address_of(X[vi_1, T.Cast("int32", block * T.int64(16) + vector * T.int64(8))]), 0, 2))
                                for l in T.vectorized(T.int64(8)):
                                    partial[vector, l] = partial[vector, l] + X[vi, T.Cast("int32", block * T.int64(16) + vector * T.int64(8) + l)] * X[vi, T.Cast("int32", block * T.int64(16) + vector * T.int64(8) + l)]
                                for l in T.vectorized(T.int64(8)):
                                    Y[vi_2, T.Cast("int32", block * T.int64(16) + vector * T.int64(8) + l)] = X[vi_2, T.Cast("int32", block * T.int64(16) + vector * T.int64(8) + l)] * of_row[T.int64(0)] * W[T.Cast("int32", block * T.int64(16) + vector * T.int64(8) + l)]
                        T.evaluate(T.prefetch(T.address_of(X[vi_1, 16]), 0, 2))
                        for l in T.vectorized(T.int64(8)):
                            if T.int64(16) + l < T.int64(20):
                                partial[T.int64(0), l] = partial[T.int64(0), l] + X[vi, T.Cast("int32", T.int64(16) + l)] * X[vi, T.Cast("int32", T.int64(16) + l)]
                        for l in T.vectorized(T.int64(4)):
                            Y[vi_2, T.Cast("int32", T.Add(T.int64(16), T.int64(0)) + l)] = X[vi_2, T.Cast("int32", T.Add(T.int64(16), T.int64(0)) + l)] * of_row[T.int64(0)] * W[T.Cast("int32", T.Add(T.int64(16), T.int64(0)) + l)]
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            partial[u, l] = partial[u, l] + partial[u + T.int64(1), l]
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = partial[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = halves[l] + halves[l + T.int64(4)]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = halves[l] + halves[l + T.int64(2)]
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = halves[l] + halves[l + T.int64(1)]
                    totals[T.int64(0)] = halves[T.int64(0)]
