# The best piece of a row is searched alone; the last piece is shorter, and NaN is better than anything.
# test: schedule
# step: b = get_block("place")
# step: rows_by_pieces(b, 4, 2, 2, 16)
# run: main == same
# run: main special == same

@I.ir_module
class Module:
    @T.prim_func
    def main(X: T.Buffer((5, 43), "float32"), Y: T.Buffer((5,), "int64")):
        best = T.alloc_buffer((5, 1), "float32")
        for i, u, k in T.grid(5, 1, 43):
            with T.block("best"):
                vi, vu, vk = T.axis.remap("SSR", [i, u, k])
                with T.init():
                    best[vi, vu] = T.float32("-inf")
                best[vi, vu] = T.max(best[vi, vu], X[vi, vk])
        for i, k in T.grid(5, 43):
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
    def main(X: T.Buffer((5, 43), "float32"), Y: T.Buffer((5,), "int64")):
        # with T.block("root"):
        for task in T.parallel(T.int64(3)):
            with T.block("place"):
                T.reads(X[0:5, 0:43])
                T.writes(Y[0:5])
                runs = T.alloc_buffer((T.int64(2), T.int64(4)), scope="local", align=64)
                halves = T.alloc_buffer((T.int64(4),), scope="local", align=64)
                at = T.alloc_buffer((T.int64(1),), "int64", scope="local", align=64)
                best = T.alloc_buffer((T.int64(1),), scope="local", align=64)
                places = T.alloc_buffer((T.int64(2), T.int64(4)), "int64", scope="local", align=64)
                place = T.alloc_buffer((T.int64(4),), "int64", scope="local", align=64)
                first: T.int64 = task * T.int64(2)
                count: T.int64 = T.min(T.int64(2), T.int64(5) - first)
                for row in range(count):
                    vi: T.int32 = T.Cast("int32", first + row)
                    at[T.int64(0)] = T.int64(0)
                    best[T.int64(0)] = T.float32("-inf")
                    for piece in range(T.int64(2)):
                        for u in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = T.float32("-inf")
                        for block in range(T.int64(2)):
                            for vector in T.unroll(T.int64(2)):
                                T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", piece * T.int64(16) + block * T.int64(8) + vector * T.int64(4) + T.int64(1024))]), 0, 2))
                                for l in T.vectorized(T.int64(4)):
                                    runs[vector, l] = T.max(runs[vector, l], X[vi, T.Cast("int32", piece * T.int64(16) + (block * T.int64(8) + vector * T.int64(4) + l))])
                        for u in T.unroll(T.int64(1)):
                            for l in T.vectorized(T.int64(4)):
                                runs[u, l] = T.max(runs[u, l], runs[u + T.int64(1), l])
                        for l in T.vectorized(T.int64(4)):
                            halves[l] = runs[T.int64(0), l]
                        for l in T.vectorized(T.int64(2)):
                            halves[l] = T.max(halves[l], halves[l + T.int64(2)])
                        for l in T.vectorized(T.int64(1)):
                            halves[l] = T.max(halves[l], halves[l + T.int64(1)])
                        run: T.float32 = halves[T.int64(0)]
                        at[T.int64(0)] = T.Select((run > best[T.int64(0)]) | T.isnan(run) & (not T.isnan(best[T.int64(0)])), piece * T.int64(16), at[T.int64(0)])
                        best[T.int64(0)] = T.Select((run > best[T.int64(0)]) | T.isnan(run) & (not T.isnan(best[T.int64(0)])), run, best[T.int64(0)])
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            runs[u, l] = T.float32("-inf")
                    for block in range(T.int64(1)):
                        for vector in T.unroll(T.int64(2)):
                            T.evaluate(T.prefetch(T.address_of(X[vi, T.Cast("int32", block * T.int64(8) + vector * T.int64(4) + T.int64(1056))]), 0, 2))
                            for l in T.vectorized(T.int64(4)):
                                runs[vector, l] = T.max(runs[vector, l], X[vi, T.Cast("int32", T.int64(32) + (block * T.int64(8) + vector * T.int64(4) + l))])
                    T.evaluate(T.prefetch(T.address_of(X[vi, 1064]), 0, 2))
                    for l in T.vectorized(T.int64(4)):
                        if T.int64(8) + l < T.int64(11):
                            runs[T.int64(0), l] = T.max(runs[T.int64(0), l], X[vi, T.Cast("int32", T.int64(32) + (T.int64(8) + l))])
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            runs[u, l] = T.max(runs[u, l], runs[u + T.int64(1), l])
                    for l in T.vectorized(T.int64(4)):
                        halves[l] = runs[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        halves[l] = T.max(halves[l], halves[l + T.int64(2)])
                    for l in T.vectorized(T.int64(1)):
                        halves[l] = T.max(halves[l], halves[l + T.int64(1)])
                    with T.LetStmt(halves[T.int64(0)]) as run:
                        at[T.int64(0)] = T.Select((run > best[T.int64(0)]) | T.isnan(run) & (not T.isnan(best[T.int64(0)])), T.int64(32), at[T.int64(0)])
                        best[T.int64(0)] = T.Select((run > best[T.int64(0)]) | T.isnan(run) & (not T.isnan(best[T.int64(0)])), run, best[T.int64(0)])
                    for u in T.unroll(T.int64(2)):
                        for l in T.vectorized(T.int64(4)):
                            places[u, l] = T.int64(9223372036854775807)
                    for block in range(T.int64(2)):
                        for vector in T.unroll(T.int64(2)):
                            for l in T.vectorized(T.int64(4)):
                                if at[T.int64(0)] + (block * T.int64(8) + vector * T.int64(4) + l) < T.int64(43):
                                    places[vector, l] = T.min(places[vector, l], T.Select((X[vi, T.Cast("int32", at[T.int64(0)] + (block * T.int64(8) + vector * T.int64(4) + l))] == best[T.int64(0)]) | T.isnan(X[vi, T.Cast("int32", at[T.int64(0)] + (block * T.int64(8) + vector * T.int64(4) + l))]), T.Cast("int64", T.Cast("int32", at[T.int64(0)] + (block * T.int64(8) + vector * T.int64(4) + l))), T.int64(9223372036854775807)))
                    for u in T.unroll(T.int64(1)):
                        for l in T.vectorized(T.int64(4)):
                            places[u, l] = T.min(places[u, l], places[u + T.int64(1), l])
                    for l in T.vectorized(T.int64(4)):
                        place[l] = places[T.int64(0), l]
                    for l in T.vectorized(T.int64(2)):
                        place[l] = T.min(place[l], place[l + T.int64(2)])
                    for l in T.vectorized(T.int64(1)):
                        place[l] = T.min(place[l], place[l + T.int64(1)])
                    Y[vi] = place[T.int64(0)]
