# The greatest element of a row is looked for in the piece that has it; tasks have a row or several.
# test: opt --pass ApplyDefaultSchedule:target=haswell
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((20, 300), "float32"), Y: T.Buffer((20,), "int64")):
        best = T.alloc_buffer((20, 1), "float32")
        for i, u, k in T.grid(20, 1, 300):
            with T.block("best"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    best[vi, vu] = T.float32("-inf")
                best[vi, vu] = T.max(best[vi, vu], X[vi, vk])
        for i, k in T.grid(20, 300):
            with T.block("place"):
                vi, vk = T.axis.remap("SR", [i, k])
                with T.init():
                    Y[vi] = T.int64(9223372036854775807)
                Y[vi] = T.min(Y[vi], T.Select((X[vi, vk] == best[vi, 0]) | T.isnan(X[vi, vk]), T.Cast("int64", vk), T.int64(9223372036854775807)))

# expect:
# from tvm.script import ir as I
# from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((20, 300), "float32"), Y: T.Buffer((20,), "int64")):
        T.func_attr({"tir.is_scheduled": T.bool(True)})
        # with T.block("root"):
        for task in T.parallel(T.int64(20)):
            with T.block("place"):
                T.reads(X[0:20, 0:300])
                T.writes(Y[0:20])
                runs = T.alloc_buffer((T.int64(4), T.int64(8)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(8),), scope="local", align=64)
                at = T.alloc_buffer((T.int64(1),), "int64", scope="local", align=64)
                best = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                indices = T.alloc_buffer((T.int64(4), T.int64(8)), "int64", scope="local", align=64)
                index = T.alloc_buffer((T.int64(8),), "int64", scope="local", align=64)
                for row in range(T.int64(1)):
                    vi: T.int32 = T.Cast("int32", task + row)
                    at[T.int64(0)] = T.int64(0)
                    best[T.int64(0)] = T.float32("-inf")
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            runs[u, l] = T.float32("-inf")
                    for block in range(T.int64(9)):
                        for vector in T.unroll(T.int64(4)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", block * T.int64(32) + vector * T.int64(8) + T.int64(1024))]), 0, 2))
                            for l in T.vectorized(T.int64(8)):
                                runs[vector, l] = T.max(runs[vector, l], X[vi, T.Cast("int32", T.int64(0) + (block * T.int64(32) + vector * T.int64(8) + l))])
                    T.evaluate(T.prefetch(T.address_of(X[vi, 1312]), 0, 2))
                    for l in T.vectorized(T.int64(8)):
                        runs[T.int64(0), l] = T.max(runs[T.int64(0), l], X[vi, T.Cast("int32", T.int64(0) + (T.int64(288) + l))])
                    T.evaluate(T.prefetch(T.address_of(X[vi, 1320]), 0, 2))
                    for l in T.vectorized(T.int64(8)):
                        if T.int64(296) + l < T.int64(300):
                            runs[T.int64(1), l] = T.max(runs[T.int64(1), l], X[vi, T.Cast("int32", T.int64(0) + (T.int64(296) + l))])
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            runs[u, l] = T.max(runs[u, l], runs[u + T.int64(2), l])
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            runs[u, l] = T.max(runs[u, l], runs[u + T.int64(1), l])
                    for l in T.vectorized(T.int64(8)):
                        halves[l] = runs[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = T.max(halves[l], halves[l + T.int64(4)])
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.max(halves[l], halves[l + T.int64(2)])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.max(halves[l], halves[l + T.int64(1)])
                    with T.LetStmt(halves[T.int64(0)]) as run:
                        at[T.int64(0)] = T.Select((run > best[T.int64(0)]) | T.isnan(run) & (not T.isnan(best[T.int64(0)])), T.int64(0), at[T.int64(0)])
                        best[T.int64(0)] = T.Select((run > best[T.int64(0)]) | T.isnan(run) & (not T.isnan(best[T.int64(0)])), run, best[T.int64(0)])
                    for u in T.unroll(T.int64(4)):
                        for l in T.vectorized(T.int64(8)):
                            indices[u, l] = T.int64(9223372036854775807)
                    for block in range(T.int64(9)):
                        for vector in T.unroll(T.int64(4)):
                            for l in T.vectorized(T.int64(8)):
                                indices[vector, l] = T.min(indices[vector, l], T.Select((X[vi, T.Cast("int32", at[T.int64(0)] + (block * T.int64(32) + vector * T.int64(8) + l))] == best[T.int64(0)]) | T.isnan(X[vi, T.Cast("int32", at[T.int64(0)] + (block * T.int64(32) + vector * T.int64(8) + l))]), T.Cast("int64", T.Cast("int32", at[T.int64(0)] + (block * T.int64(32) + vector * T.int64(8) + l))), T.int64(9223372036854775807)))
                    for l in T.vectorized(T.int64(8)):
                        indices[T.int64(0), l] = T.min(indices[T.int64(0), l], T.Select((X[vi, T.Cast("int32", at[T.int64(0)] + (T.int64(288) + l))] == best[T.int64(0)]) | T.isnan(X[vi, T.Cast("int32", at[T.int64(0)] + (T.int64(288) + l))]), T.Cast("int64", T.Cast("int32", at[T.int64(0)] + (T.int64(288) + l))), T.int64(9223372036854775807)))
                    for l in T.vectorized(T.int64(8)):
                        if T.int64(296) + l < T.int64(300):
                            indices[T.int64(1), l] = T.min(indices[T.int64(1), l], T.Select((X[vi, T.Cast("int32", at[T.int64(0)] + (T.int64(296) + l))] == best[T.int64(0)]) | T.isnan(X[vi, T.Cast("int32", at[T.int64(0)] + (T.int64(296) + l))]), T.Cast("int64", T.Cast("int32", at[T.int64(0)] + (T.int64(296) + l))), T.int64(9223372036854775807)))
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(8)):
                            indices[u, l] = T.min(indices[u, l], indices[u + T.int64(2), l])
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(8)):
                            indices[u, l] = T.min(indices[u, l], indices[u + T.int64(1), l])
                    for l in T.vectorized(T.int64(8)):
                        index[l] = indices[T.int64(0), l]
                    for l in T.vectorized(T.int64(4)):
                        index[l] = T.min(index[l], index[l + T.int64(4)])
                    for l in T.vectorized(T.int64(2)):
                        index[l] = T.min(index[l], index[l + T.int64(2)])
                    for l in T.vectorized(T.int64(1)):
                        index[l] = T.min(index[l], index[l + T.int64(1)])
                    Y[vi] = index[T.int64(0)]
